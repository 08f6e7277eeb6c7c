#include "estimate/plan_check.h"
#include "base/require.h"
#include "estimate/stages.h"
#include "schedule/pace.h"

#include "estimate/fold.h"
#include "estimate/runs.h"
#include "plan/members.h"

#include <reckon/predict.h>

struct check {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    struct rk_reason *reason;
    struct plan_faults *all; /* NULL: the first reason ends it */
};

/* A rule of reckon-check(1), "" where it is only this predictor that has no answer, and the key of
 * the plan that is to blame. */
struct blame {
    const char *rule, *key;
};
#define RULE(rule, key) ((struct blame){rule, key})

/* Notes the reason unless `holds`. False: it is the first, and nothing else is asked. */
static bool want(const struct check *c, bool holds, struct blame blame, enum rk_verdict verdict,
                 const char *what, double need, double have)
{
    if (holds) return true;
    const struct rk_reason reason = {
        .verdict = verdict, .tier = -1, .need = need, .have = have, .what = what};
    if (!c->all) {
        *c->reason = reason;
        return false;
    }
    RK_REQUIRE(c->all->count < PLAN_FAULTS);
    c->all->fault[c->all->count++] = (struct plan_refusal){blame.rule, blame.key, reason};
    return true;
}

static bool divides(uint64_t part, uint64_t whole)
{
    return part > 0 && whole % part == 0;
}

static uint64_t sequence_of(const struct check *c)
{
    return c->plan->sequence ? c->plan->sequence : c->model->sequence;
}

/* What this predictor gives no meaning to must be as it is by default. */
static bool check_members(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const char *beyond = plan_beyond(p, PLAN_BY_RECKON);
    return want(c, !beyond, RULE("", beyond), RK_BAD_OPTION, beyond, 0, 1) &&
           want(c, p->tensor_overlap != RK_OVERLAP_PIPE, RULE("", "tensor_overlap"), RK_BAD_OPTION,
                "tensor_overlap, none or ring", RK_OVERLAP_RING, p->tensor_overlap);
}

/* A model that is counted, but whose time no operation stands for. */
static bool check_model(const struct check *c)
{
    const char *feature = model_unmodelled(c->model, sequence_of(c));
    return want(c, !feature, RULE("", "sequence"), RK_BAD_MODEL, feature, 0, 0);
}

static bool check_degrees(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const bool all = p->ranks && p->tensor && p->context && p->pipeline && p->expert && p->chunks &&
                     p->batch && p->microbatch;
    const uint64_t model = p->tensor * p->context * p->pipeline;
    return want(c, all, RULE("1.value", "tensor"), RK_BAD_DEGREES,
                "degrees, batch and microbatch of at least 1", 1, 0) &&
           want(c, rk_plan_data(p) > 0, RULE("2.product", "gpus"), RK_BAD_DEGREES,
                "ranks by tensor * context * pipeline", (double)model, (double)p->ranks) &&
           want(c, !c->system || !c->system->devices || p->ranks <= c->system->devices,
                RULE("", "gpus"), RK_BAD_DEGREES, "ranks", (double)p->ranks,
                c->system ? (double)c->system->devices : 0);
}

static bool check_batch(const struct check *c)
{
    const uint64_t samples = rk_plan_data(c->plan) * c->plan->microbatch;
    return want(c, divides(samples, c->plan->batch), RULE("3.divide", "batch"), RK_BAD_BATCH,
                "batch by data * microbatch", (double)samples, (double)c->plan->batch);
}

static uint64_t kv_heads(const struct rk_model *model)
{
    if (model->attention == RK_ATTENTION_MULTIQUERY) return 1;
    return model->kv_heads ? model->kv_heads : model->heads;
}

/* Heads of layers that differ from the others: of local attention, of a recurrence. */
static bool check_other_heads(const struct check *c)
{
    const struct rk_model *m = c->model;
    const uint64_t t = c->plan->tensor, local = m->local_kv_heads;
    return want(c, !m->local_heads || divides(t, m->local_heads), RULE("4.heads", "tensor"),
                RK_BAD_TENSOR, "local_heads", (double)t, (double)m->local_heads) &&
           want(c, !local || divides(t, local) || divides(local, t), RULE("4.kv_heads", "tensor"),
                RK_BAD_TENSOR, "local_kv_heads", (double)t, (double)local) &&
           want(c, !m->recurrence || divides(t, m->recurrent_heads), RULE("4.heads", "tensor"),
                RK_BAD_TENSOR, "recurrent_heads", (double)t, (double)m->recurrent_heads) &&
           want(c, !m->recurrence || !m->recurrent_groups || divides(t, m->recurrent_groups),
                RULE("4.kv_heads", "tensor"), RK_BAD_TENSOR, "recurrent_groups", (double)t,
                (double)m->recurrent_groups);
}

static bool check_tensor(const struct check *c)
{
    const struct rk_model *m = c->model;
    const uint64_t t = c->plan->tensor, kv = kv_heads(m);
    const bool dense = has_dense_mlps(m);
    return want(c, divides(t, m->heads), RULE("4.heads", "tensor"), RK_BAD_TENSOR, "heads",
                (double)t, (double)m->heads) &&
           want(c, m->kv_rank || kv == m->heads || divides(t, kv) || divides(kv, t),
                RULE("4.kv_heads", "tensor"), RK_BAD_TENSOR, "kv_heads", (double)t, (double)kv) &&
           want(c, !dense || divides(t, m->feedforward), RULE("4.feedforward", "tensor"),
                RK_BAD_TENSOR, "feedforward", (double)t, (double)m->feedforward) &&
           want(c, divides(t, m->hidden), RULE("4.hidden", "tensor"), RK_BAD_TENSOR, "hidden",
                (double)t, (double)m->hidden) &&
           check_other_heads(c);
}

/* Chunks of the sequence: what is known is causal attention in a fused kernel, over all tokens or a
 * window, between heads that are exchanged or whole. */
static bool check_chunks(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const struct rk_model *m = c->model;
    const bool causal = !m->window_chunks && !m->encoder_sequence && !m->recurrence &&
                        !m->bidirectional && !p->full_attention;
    const uint64_t parts = p->context * (p->sequence_parallel ? p->tensor : 1) * p->sequence_chunks;
    if (p->sequence_chunks <= 1) return true;
    return want(c, divides(parts, sequence_of(c)), RULE("4.sequence", "sequence_chunks"),
                RK_BAD_OPTION, "sequence by context * tensor * sequence_chunks", (double)parts,
                (double)sequence_of(c)) &&
           want(c, p->context == 1 || p->context_kind == RK_ULYSSES,
                RULE("12.needs", "sequence_chunks"), RK_BAD_OPTION,
                "context_kind of a plan with sequence_chunks: ulysses", RK_ULYSSES,
                p->context_kind) &&
           want(c, p->attention != RK_UNFUSED, RULE("12.needs", "sequence_chunks"), RK_BAD_OPTION,
                "attention of a plan with sequence_chunks: a fused kernel", RK_FLASH,
                p->attention) &&
           want(c, causal, RULE("12.excludes", "sequence_chunks"), RK_BAD_OPTION,
                "sequence_chunks where attention is not causal, or layers are recurrences", 1,
                (double)p->sequence_chunks);
}

static bool check_sequence(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const uint64_t s = sequence_of(c);
    const uint64_t shards = p->context * (p->sequence_parallel ? p->tensor : 1);
    const uint64_t heads = c->model->heads / p->tensor;
    const uint64_t across = p->context_kind == RK_ULYSSES        ? p->context
                            : p->context_kind == RK_RING_ULYSSES ? (p->ulysses ? p->ulysses : 1)
                                                                 : 1;
    return want(c, p->context == 1 || !c->model->recurrence, RULE("12.excludes", "context"),
                RK_BAD_OPTION, "context parallelism of a recurrence: 1", (double)p->context, 1) &&
           want(c, p->context == 1 || !c->model->encoder_sequence, RULE("", "context"),
                RK_BAD_OPTION, "context parallelism of an encoder-decoder: 1", (double)p->context,
                1) &&
           want(c, divides(shards, c->model->encoder_sequence), RULE("4.sequence", "tensor"),
                RK_BAD_OPTION, "encoder_sequence by tensor", (double)shards,
                (double)c->model->encoder_sequence) &&
           want(c, divides(shards, s),
                divides(p->context, s) ? RULE("4.sequence", "sequence")
                                       : RULE("4.context", "context"),
                RK_BAD_OPTION, "sequence by context * tensor", (double)shards, (double)s) &&
           want(c, divides(across, heads), RULE("4.ulysses", "context_kind"), RK_BAD_OPTION,
                "heads by tensor * ulysses", (double)across, (double)heads) &&
           want(c, p->context_kind != RK_RING_ULYSSES || divides(p->ulysses, p->context),
                p->ulysses ? RULE("4.ulysses", "ulysses") : RULE("12.needs", "ulysses"),
                RK_BAD_OPTION, "context by ulysses", (double)p->ulysses, (double)p->context) &&
           check_chunks(c);
}

static bool check_experts(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const struct rk_model *m = c->model;
    if (!m->experts)
        return want(c, p->expert == 1, RULE("12.needs", "expert"), RK_BAD_OPTION,
                    "expert parallelism of a dense model", (double)p->expert, 1);
    const uint64_t et = rk_plan_expert_tensor(p);
    return want(c, divides(p->expert, m->experts), RULE("4.experts", "expert"), RK_BAD_OPTION,
                "experts", (double)p->expert, (double)m->experts) &&
           want(c, divides(et, m->expert_feedforward),
                RULE("4.expert_feedforward", "expert_tensor"), RK_BAD_TENSOR, "expert_feedforward",
                (double)et, (double)m->expert_feedforward) &&
           want(c, rk_plan_expert_data(p) > 0, RULE("2.expert", "expert"), RK_BAD_DEGREES,
                "ranks by pipeline * expert * expert_tensor",
                (double)(p->pipeline * p->expert * et), (double)p->ranks) &&
           want(c, p->imbalance >= 1, RULE("1.value", "imbalance"), RK_BAD_OPTION,
                "imbalance of at least 1", 1, p->imbalance) &&
           want(c, p->capacity_factor >= 0, RULE("1.value", "capacity_factor"), RK_BAD_OPTION,
                "capacity_factor", 0, p->capacity_factor);
}

static uint64_t layers_of_splits(const struct check *c)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < c->plan->pipeline * c->plan->chunks; i++)
        sum += rk_plan_split(c->plan, c->model, i);
    return sum;
}

/* Megatron-LM's: its last stage has time while the pipeline drains, and adds gradients itself. */
static bool check_put_off(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    if (!p->deferred_wgrad) return true;
    return want(c, p->framework == RK_MEGATRON, RULE("12.needs", "deferred_wgrad"), RK_BAD_OPTION,
                "framework of a plan with deferred_wgrad: megatron", RK_MEGATRON, p->framework) &&
           want(c, p->pipeline > 1, RULE("12.needs", "deferred_wgrad"), RK_BAD_OPTION,
                "stages of a plan with deferred_wgrad", 2, (double)p->pipeline) &&
           want(c, p->gradient_fusion && !p->frozen, RULE("12.needs", "deferred_wgrad"),
                RK_BAD_OPTION, "gradient_fusion and trained weights, which deferred_wgrad needs", 1,
                0) &&
           want(c, p->schedule == RK_1F1B, RULE("12.excludes", "deferred_wgrad"), RK_BAD_OPTION,
                "schedule of a plan with deferred_wgrad: 1f1b", RK_1F1B, p->schedule) &&
           want(c, !p->loss_in_chunks, RULE("12.excludes", "deferred_wgrad"), RK_BAD_OPTION,
                "loss_in_chunks, which has no weight gradient of its own", 0, 1) &&
           want(c, rk_plan_layout(p)->segments == 0, RULE("12.excludes", "deferred_wgrad"),
                RK_BAD_OPTION, "runs of layers of their own with deferred_wgrad", 0,
                rk_plan_layout(p)->segments);
}

static bool check_schedule(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const uint64_t microbatches = p->batch / (rk_plan_data(p) * p->microbatch);
    const bool dual = p->schedule == RK_DUALPIPE;
    const bool interleaves = p->schedule == RK_1F1B || p->schedule == RK_GPIPE;
    const bool folds = rk_schedule_folds(p->schedule);
    const uint64_t group = p->microbatch_group;
    return want(c, !folds || p->chunks == 2, RULE("12.needs", "chunks"), RK_BAD_PIPELINE,
                "chunks of a V-shaped schedule", 2, (double)p->chunks) &&
           want(c, !folds || (p->pipeline > 1 && p->pipeline <= V_MAX_STAGES),
                RULE("12.needs", "pipeline"), RK_BAD_PIPELINE,
                "stages of a V-shaped schedule, from 2 on", V_MAX_STAGES, (double)p->pipeline) &&
           want(c, !folds || !group, RULE("12.excludes", "microbatch_group"), RK_BAD_PIPELINE,
                "microbatch_group of a V-shaped schedule", 0, (double)group) &&
           want(c, p->chunks == 1 || interleaves || folds, RULE("12.excludes", "chunks"),
                RK_BAD_PIPELINE, "chunks of this schedule", (double)p->chunks, 1) &&
           want(c, p->chunks == 1 || p->pipeline > 1, RULE("12.needs", "chunks"), RK_BAD_PIPELINE,
                "chunks without pipeline parallelism", (double)p->chunks, 1) &&
           want(c, !group || p->chunks > 1, RULE("12.needs", "microbatch_group"), RK_BAD_PIPELINE,
                "chunks of a plan with microbatch_group", 2, (double)p->chunks) &&
           want(c, !group || (group >= p->pipeline && group <= microbatches),
                RULE("3.interleave", "microbatch_group"), RK_BAD_PIPELINE,
                "microbatch_group, from stages to microbatches", (double)p->pipeline,
                (double)group) &&
           want(c, !dual || p->pipeline % 2 == 0, RULE("12.needs", "pipeline"), RK_BAD_PIPELINE,
                "stages of dualpipe, an even number", 2, (double)p->pipeline) &&
           want(c, !dual || (microbatches >= 2 * p->pipeline && microbatches % 2 == 0),
                RULE("3.fill", "batch"), RK_BAD_PIPELINE,
                "microbatches of dualpipe, twice the stages and even", 2 * (double)p->pipeline,
                (double)microbatches) &&
           check_put_off(c);
}

/* ---- pairs of choices ---- */

enum pair {
    OVERLAPPED_WEIGHTS,
    EXPERTS_OF_TENSOR,
    OVERLAP_OF_SEQUENCE,
    OVERLAP_OF_DOMAIN,
    CHECKPOINT_OF_TENSOR,
    CHECKPOINT_OF_SEQUENCE,
    OVERLAPPED_EXPERTS,
    SCALES_BY_ROW,
    PADDED_CAPACITY,
    WEIGHTS_OF_8_BITS,
    BLOCKING_OF_TWO,
    WEIGHTS_AWAY,
    OPTIMIZER_AWAY,
    SCALED_BLOCKS,
    HALVES_OF_CONTEXT
};

/* clang-format off */
const struct plan_pair plan_pairs[PLAN_PAIRS] = {
    [OVERLAPPED_WEIGHTS] = {"12.needs", "weight_overlap", "needs a sharded optimizer and overlapped gradients", "give zero1 grad-overlap"},
    [EXPERTS_OF_TENSOR] = {"12.needs", "expert", "experts with tensor parallelism need sequence parallelism", "give sp"},
    [OVERLAP_OF_SEQUENCE] = {"12.needs", "tensor_overlap", "needs sequence parallelism", "give sp"},
    [OVERLAP_OF_DOMAIN] = {"12.needs", "tensor_overlap", "is of ranks that the fastest links join (Transformer Engine #1071)", "leave it out, or take tensor ranks of one domain"},
    [CHECKPOINT_OF_TENSOR] = {"12.needs", "checkpoint_sharded", "needs tensor ranks and full recomputation", "give recompute=full"},
    [CHECKPOINT_OF_SEQUENCE] = {"12.excludes", "checkpoint_sharded", "cannot run with sequence parallelism", "leave out one"},
    [OVERLAPPED_EXPERTS] = {"12.needs", "expert_overlap", "with a pipeline needs virtual stages", "give vpp2"},
    [SCALES_BY_ROW] = {"12.needs", "precision", "scales by row are torchao's, of FSDP's frameworks", "give fp8-current, or framework=fsdp"},
    [PADDED_CAPACITY] = {"12.needs", "capacity_padded", "needs a capacity", "give capacity=1"},
    [WEIGHTS_OF_8_BITS] = {"12.needs", "weights_fp8", "needs products in 8 bits", "give precision=fp8-delayed"},
    [BLOCKING_OF_TWO] = {"12.needs", "chunks", "over two stages need messages beside computing", "give pp3, or no-pipeline-blocking"},
    [WEIGHTS_AWAY] = {"12.needs", "weight_offload", "parameters can be offloaded with ZeRO-3 only", "give zero3"},
    [OPTIMIZER_AWAY] = {"12.needs", "optimizer_offload", "the optimizer can be offloaded from ZeRO-1 on", "give zero1"},
    [SCALED_BLOCKS] = {"12.datatype", "precision", "the device has no products of scaled blocks", "use fp8-block"},
    [HALVES_OF_CONTEXT] = {"4.context", "context", "twice the context degree divides the sequence", ""},
};
/* clang-format on */

static bool narrow8(enum rk_precision precision)
{
    return precision >= RK_FP8_DELAYED && precision <= RK_NVFP4;
}

/* Those of layout, kernels and virtual stages. */
static unsigned layers_broken(const struct rk_model *m, const struct rk_system *system,
                              const struct rk_plan *p)
{
    const bool blocks = p->precision == RK_MXFP8 || p->precision == RK_NVFP4;
    const bool staged = p->pipeline > 1 && p->chunks < 2 && p->schedule != RK_DUALPIPE;
    const bool scattered = p->framework == RK_MEGATRON && p->checkpoint_sharded;
    const uint64_t sequence = p->sequence ? p->sequence : m->sequence;
#define BREAKS(pair, broken) ((unsigned)(broken) << (pair))
    return BREAKS(OVERLAPPED_EXPERTS, m->experts && p->expert_overlap && staged) |
           BREAKS(SCALES_BY_ROW, p->precision == RK_FP8_ROW && p->framework != RK_FSDP) |
           BREAKS(CHECKPOINT_OF_TENSOR, scattered && p->tensor < 2) |
           BREAKS(PADDED_CAPACITY, m->experts && p->capacity_padded && p->capacity_factor == 0) |
           BREAKS(WEIGHTS_OF_8_BITS, p->weights_fp8 && !narrow8(p->precision)) |
           BREAKS(SCALED_BLOCKS, blocks && system && !(operand_peak(system, OPERAND_FLOAT4) > 0)) |
           BREAKS(HALVES_OF_CONTEXT, p->context > 1 && sequence % (2 * p->context));
}

/* Those of width, recomputation, messages, sharding and offload: plans_offer.c offers none such. */
static unsigned rest_broken(const struct rk_model *m, const struct rk_plan *p, uint64_t domain)
{
    const bool megatron = p->framework == RK_MEGATRON, deepspeed = p->framework == RK_DEEPSPEED;
    const bool scattered = megatron && p->checkpoint_sharded;
    const bool lone = megatron && !p->sequence_parallel;
    return BREAKS(OVERLAPPED_WEIGHTS,
                  megatron && p->weight_overlap && !(p->zero && p->gradient_overlap)) |
           BREAKS(EXPERTS_OF_TENSOR, lone && m->experts && p->tensor > 1) |
           BREAKS(OVERLAP_OF_SEQUENCE, lone && p->tensor_overlap) |
           BREAKS(OVERLAP_OF_DOMAIN,
                  p->tensor_overlap && domain && !plan_overlaps_within(p, domain)) |
           BREAKS(CHECKPOINT_OF_TENSOR, scattered && p->recompute != RK_WHOLE) |
           BREAKS(CHECKPOINT_OF_SEQUENCE, scattered && p->sequence_parallel) |
           BREAKS(BLOCKING_OF_TWO, p->chunks > 1 && p->pipeline == 2 && p->pipeline_blocking) |
           BREAKS(WEIGHTS_AWAY,
                  deepspeed && p->zero < 3 && rk_plan_offloaded(p, RK_SHARE_WEIGHTS) > 0) |
           BREAKS(OPTIMIZER_AWAY,
                  deepspeed && p->zero < 1 && rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0);
#undef BREAKS
}

unsigned plan_pairs_broken(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, uint64_t domain)
{
    return layers_broken(model, system, plan) | rest_broken(model, plan, domain);
}

/* The first of them. */
static bool want_pairs(const struct check *c, unsigned broken)
{
    int first = 0;
    while (broken && !(broken >> first & 1))
        first++;
    const struct plan_pair *pair = &plan_pairs[first];
    return want(c, !broken, RULE(pair->rule, pair->key),
                first == SCALED_BLOCKS ? RK_BAD_DATATYPE : RK_BAD_OPTION, pair->why, 1, 0);
}

static bool check_pairs(const struct check *c)
{
    return want_pairs(c, rest_broken(c->model, c->plan, c->system->network[0].size));
}

/* What frameworks ask at their start: of layers, and of a pipeline. */
static bool check_start(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const uint64_t microbatches = p->batch / (rk_plan_data(p) * p->microbatch);
    const uint64_t group = p->microbatch_group ? p->microbatch_group : p->pipeline;
    const bool interleaved = p->chunks > 1 && (p->schedule == RK_1F1B || p->schedule == RK_GPIPE);
    const bool fills = p->chunks == 1 && p->schedule != RK_DUALPIPE && plan_must_fill(p);
    const bool tied = p->framework == RK_FSDP && c->model->tied_embeddings;
    if (!want_pairs(c, layers_broken(c->model, c->system, p))) return false;
    if (p->expert_overlap && p->framework == RK_MEGATRON &&
        !want(
            c, plan_overlaps_experts(c->model, p), RULE("12.needs", "expert_overlap"),
            RK_BAD_OPTION,
            "expert_overlap, which needs tokens exchanged, virtual stages, and layers that are not "
            "computed again whole",
            1, 0))
        return false;
    if (p->pipeline < 2) return true;
    return want(c, !tied, RULE("6.tied", "pipeline"), RK_BAD_PIPELINE,
                "stages of a tied embedding, which FSDP shards apart", 1, (double)p->pipeline) &&
           want(c, !interleaved || plan_interleaves(microbatches, p->pipeline, group),
                RULE("3.interleave", "batch"), RK_BAD_PIPELINE,
                "microbatches by interleaved stages", (double)p->pipeline, (double)microbatches) &&
           want(c, !fills || microbatches >= p->pipeline, RULE("3.fill", "batch"), RK_BAD_PIPELINE,
                "microbatches, one for each stage", (double)p->pipeline, (double)microbatches);
}

static bool check_stages(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const uint64_t stages = p->pipeline * p->chunks, layers = c->model->layers;
    const uint64_t slots = layers + p->embedding_counts + p->head_counts;
    const uint64_t ends = p->first_layers + p->last_layers;
    if (c->model->encoder_sequence && stages > 1)
        return want(c, false, RULE("", "pipeline"), RK_BAD_OPTION,
                    "stages of an encoder-decoder: 1", (double)stages, 1);
    if (p->pipeline > RK_MAX_STAGES || stages > RK_MAX_CHUNKS)
        return want(c, false, RULE("2.stages", "pipeline"), RK_BAD_PIPELINE, "stages of all chunks",
                    (double)stages, RK_MAX_CHUNKS);
    if (stages > slots)
        return want(c, false, RULE("2.stages", "pipeline"), RK_BAD_PIPELINE, "blocks",
                    (double)stages, (double)slots);
    if (rk_plan_layout(p)->splits && (uint64_t)rk_plan_layout(p)->splits != stages)
        return want(c, false, RULE("2.lists", "split"), RK_BAD_PIPELINE,
                    "split, one number a stage", (double)stages, (double)rk_plan_layout(p)->splits);
    if (rk_schedule_folds(p->schedule) && ends)
        return want(c, false, RULE("12.excludes", "first_layers"), RK_BAD_PIPELINE,
                    "first_layers and last_layers of a V-shaped schedule, which split says", 0,
                    (double)ends);
    if (ends > layers)
        return want(c, false, RULE("6.layers", "first_layers"), RK_BAD_PIPELINE,
                    "first_layers + last_layers", (double)ends, (double)layers);
    const uint64_t dealt = layers_of_splits(c);
    return want(c, dealt == layers,
                rk_plan_layout(p)->splits ? RULE("6.layers", "split")
                                          : RULE("2.stages", "first_layers"),
                RK_BAD_PIPELINE, "blocks of all stages", (double)dealt, (double)layers);
}

/* Whole matrices are made orthogonal: what shards them by bytes excludes it. */
static bool check_optimizer(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    if (p->optimizer == RK_ADAM) return true;
    return want(c, p->framework == RK_MEGATRON, RULE("12.needs", "optimizer"), RK_BAD_OPTION,
                "framework of a plan with optimizer muon: megatron", RK_MEGATRON, p->framework) &&
           want(c, p->zero <= 1, RULE("12.excludes", "optimizer"), RK_BAD_OPTION,
                "zero of a plan with optimizer muon, which deals whole matrices to ranks: 0 or 1",
                1, p->zero) &&
           want(c, rk_plan_layout(p)->segments == 0, RULE("12.excludes", "optimizer"),
                RK_BAD_OPTION, "runs of layers of their own with optimizer muon", 0,
                rk_plan_layout(p)->segments);
}

static bool check_sharding(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const uint64_t all = rk_plan_data(p) * p->context;
    const bool refused = p->framework == RK_DEEPSPEED && p->zero >= 2 && p->pipeline > 1;
    return want(c, p->zero >= 0 && p->zero <= 3, RULE("1.value", "zero"), RK_BAD_OPTION,
                "zero, 0 to 3", 3, p->zero) &&
           want(c, !p->shard_ranks || divides(p->shard_ranks, all), RULE("6.shards", "shard_ranks"),
                RK_BAD_OPTION, "data * context by shard_ranks", (double)p->shard_ranks,
                (double)all) &&
           want(c, !refused, RULE("12.excludes", "zero"), RK_BAD_OPTION,
                "DeepSpeed's pipeline, which shards the optimizer only (zero 1)", 1, p->zero) &&
           check_optimizer(c);
}

static bool share(double value)
{
    return value >= 0 && value <= 1;
}

/* The lowest tier that has something. */
static int tiers_used(const struct rk_plan *p)
{
    int used = p->recompute_rest || p->sequence_chunks > 1;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        for (int i = 0; i < RK_SHARES; i++)
            if (p->share[i][tier] > 0) used = tier + 1;
    return used;
}

static bool check_swap(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    if (!p->recompute_rest) return true;
    return want(c, p->attention != RK_UNFUSED, RULE("12.needs", "recompute_rest"), RK_BAD_OPTION,
                "attention of a plan with recompute_rest: a fused kernel", RK_FLASH,
                p->attention) &&
           want(c, rk_plan_layout(p)->segments == 0, RULE("12.excludes", "recompute_rest"),
                RK_BAD_OPTION, "runs of layers of their own with recompute_rest", 0,
                rk_plan_layout(p)->segments);
}

static bool check_offload(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const int used = tiers_used(p);
    bool shares = true;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        for (int i = 0; i <= RK_SHARE_ATTENTION; i++)
            shares &= share(p->share[i][tier]);
    const bool lower = used > 1; /* 1.5 means a half in tier 2: more than all where there is none */
    return want(c,
                shares && share(rk_plan_activations_away(p)) &&
                    share(share_away(p, RK_SHARE_OPTIMIZER)) &&
                    share(share_away(p, RK_SHARE_WEIGHTS)),
                RULE("1.value", "activation_offload"), RK_BAD_OPTION,
                "offload, a share from 0 to 1", 1, 0) &&
           want(c, c->system->memories > used,
                lower ? RULE("1.value", "activation_offload")
                      : RULE("12.needs", "activation_offload"),
                RK_BAD_MEMORY, lower ? "as many memory tiers" : "a second memory tier", used + 1,
                c->system->memories) &&
           check_swap(c);
}

/* Two buffers say themselves what is computed again, and in whose order. */
static bool check_swapped(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    if (!p->recompute_rest) return true;
    return want(c, p->recompute == RK_KEEP, RULE("12.excludes", "recompute_rest"), RK_BAD_OPTION,
                "recompute of a plan with recompute_rest, which says it itself: none", RK_KEEP,
                p->recompute) &&
           want(c, p->schedule != RK_DUALPIPE, RULE("12.excludes", "recompute_rest"), RK_BAD_OPTION,
                "schedule of a plan with recompute_rest: not dualpipe", RK_1F1B, p->schedule) &&
           want(c, !rk_schedule_folds(p->schedule), RULE("12.excludes", "recompute_rest"),
                RK_BAD_OPTION, "schedule of a plan with recompute_rest: no V", RK_1F1B,
                p->schedule);
}

/* In chunks of the sequence layers are computed again whole, each alike. */
static bool check_again(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const bool all = p->recompute == RK_WHOLE && !p->recompute_layers && p->recompute_every <= 1 &&
                     p->recompute_stride <= 1;
    if (p->sequence_chunks <= 1) return check_swapped(c);
    return want(c, all, RULE("12.needs", "sequence_chunks"), RK_BAD_OPTION,
                "recompute of a plan with sequence_chunks: full, of all layers, each alone",
                RK_WHOLE, p->recompute) &&
           check_swapped(c);
}

static bool check_precision(const struct check *c)
{
    const enum operand operand = operand_of(c->plan->precision, true);
    return want(c, operand_peak(c->system, operand) > 0, RULE("12.datatype", "precision"),
                RK_BAD_DATATYPE, rk_precision_name(c->plan->precision), 1, 0);
}

/* As plan_lacks(), which names them. */
static bool check_kernels(const struct check *c)
{
    const struct rk_plan *p = c->plan;
    const struct rk_kernels *k = &c->system->kernels;
    const struct rk_layout *layout = rk_plan_layout(p);
    for (int i = -1; i < layout->others; i++) {
        const struct rk_local *l = i < 0 ? &p->local : &layout->other[i];
        const bool travels = l->expert > 1 && k->dispatchers;
        if (!want(c, rk_attends(k->attention_kernels, l->attention), RULE("12.needs", "attention"),
                  RK_BAD_OPTION, "attention, a kernel that the device has",
                  rk_usual_attention(p->framework, k->attention_kernels), l->attention) ||
            !want(c, !travels || k->dispatchers >> l->dispatcher & 1,
                  RULE("12.needs", "dispatcher"), RK_BAD_OPTION,
                  "dispatcher, one that the device has", RK_ALL_TO_ALL, l->dispatcher))
            return false;
    }
    return true;
}

static bool check_networks(const struct check *c)
{
    const struct rk_network *last = &c->system->network[c->system->networks - 1];
    return want(c, c->plan->ranks <= last->size, RULE("", "gpus"), RK_NETWORK_TOO_SMALL, "ranks",
                (double)c->plan->ranks, (double)last->size);
}

static bool (*const checks[PLAN_CHECKS])(const struct check *) = {
    [CHECK_MODEL] = check_model,       [CHECK_MEMBERS] = check_members,
    [CHECK_DEGREES] = check_degrees,   [CHECK_BATCH] = check_batch,
    [CHECK_TENSOR] = check_tensor,     [CHECK_SEQUENCE] = check_sequence,
    [CHECK_EXPERTS] = check_experts,   [CHECK_STAGES] = check_stages,
    [CHECK_SCHEDULE] = check_schedule, [CHECK_START] = check_start,
    [CHECK_SHARDING] = check_sharding, [CHECK_OFFLOAD] = check_offload,
    [CHECK_AGAIN] = check_again,       [CHECK_PRECISION] = check_precision,
    [CHECK_KERNELS] = check_kernels,   [CHECK_NETWORKS] = check_networks,
    [CHECK_PAIRS] = check_pairs,
};

int plan_check_parts(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_plan *plan, unsigned parts, struct rk_reason *reason)
{
    const struct check check = {model, system, plan, reason, NULL};
    for (int i = 0; i < PLAN_CHECKS; i++)
        if (parts >> i & 1 && !checks[i](&check)) return i;
    return PLAN_CHECKS;
}

void plan_check(const struct rk_model *model, const struct rk_system *system,
                const struct rk_plan *plan, struct rk_reason *reason)
{
    *reason = (struct rk_reason){.verdict = RK_FITS, .tier = -1};
    const unsigned all =
        ((1u << PLAN_CHECKS) - 1) & ~(unsigned)PLAN_STARTS & ~(1u << CHECK_KERNELS);
    if (plan_check_parts(model, system, plan, all, reason) == PLAN_CHECKS &&
        rk_plan_layout(plan)->segments)
        runs_check(model, system, plan, reason);
}

bool rk_plan_starts(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, struct rk_reason *reason)
{
    plan_check(model, system, plan, reason);
    return reason->verdict == RK_FITS &&
           plan_check_parts(model, system, plan, PLAN_STARTS | 1u << CHECK_KERNELS, reason) ==
               PLAN_CHECKS;
}

void plan_check_all(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, struct plan_faults *faults)
{
    static const unsigned of_data = 1u << CHECK_BATCH | 1u << CHECK_SCHEDULE | 1u << CHECK_SHARDING;
    static const unsigned of_system =
        1u << CHECK_OFFLOAD | 1u << CHECK_PRECISION | 1u << CHECK_NETWORKS;
    const unsigned asked =
        (system ? ~0u : ~of_system) & ~(unsigned)PLAN_STARTS & ~(1u << CHECK_KERNELS);
    const struct check check = {model, system, plan, NULL, faults};
    faults->count = 0;
    const bool whole = plan->tensor && plan->context && plan->pipeline && plan->expert &&
                       plan->chunks && plan->batch && plan->microbatch;
    const bool divided = whole && rk_plan_data(plan);
    for (int i = 0; i < PLAN_CHECKS; i++)
        if (asked >> i & 1 &&
            (i == CHECK_MODEL || i == CHECK_DEGREES || (whole && (divided || !(of_data >> i & 1)))))
            checks[i](&check);
}
