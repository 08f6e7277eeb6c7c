/* megatron_check.c - what Megatron-LM refuses at its start: validate_args and the checks of its
 * configuration classes, as of core 0.9 to 0.19 [megatron-lm]. */
#include "megatron/megatron_args.h"
#include <reckon/check.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLAG(name)          MEGATRON_##name##_FLAG
#define HAS(name)           megatron_has(args, FLAG(name))
#define COUNT(name, preset) megatron_count(args, FLAG(name), preset)
#define IS(name, text)      megatron_is(args, FLAG(name), text)

struct check {
    const struct megatron_args *args;
    const struct rk_model *m;
    const struct rk_plan *p;
};

/* One line of a table: when it holds, the flag is refused. */
struct rule {
    bool broken;
    enum megatron_flag flag;
    const char *id, *why;
};

static void apply(const struct megatron_args *args, const struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rules[i].broken) megatron_refuse(args, rules[i].id, rules[i].flag, "%s", rules[i].why);
}

#define APPLY(rules) apply(c->args, rules, sizeof(rules) / sizeof *(rules))

static void not_divisible(const struct check *c, const char *rule, enum megatron_flag flag,
                          const char *what, uint64_t whole, const char *by, uint64_t part)
{
    if (part && whole % part == 0) return;
    megatron_refuse(c->args, rule, flag, "%s %" PRIu64 " is not divisible by %s %" PRIu64, what,
                    whole, by, part);
}

/* ---- divisions ---- */

/* What no tool divides: rules of plans, asked for all of them in one place (reckon/check.h). */
static const char *const divisions[] = {
    "2.product",     "2.expert",  "3.divide",   "4.heads",   "4.kv_heads",
    "4.feedforward", "4.context", "4.sequence", "4.experts", NULL};

static void check_divisions(const struct check *c)
{
    const struct rk_launch launch = {.pads = true, .lone_ends = true};
    struct rk_findings *findings = calloc(1, sizeof *findings);
    if (findings) rk_check_plan(c->m, NULL, c->p, &launch, findings);
    for (int i = 0; findings && i < findings->count; i++) {
        struct rk_finding *f = &findings->finding[i];
        const char *const *rule = divisions;
        while (*rule && strcmp(*rule, f->rule) != 0)
            rule++;
        if (!*rule) continue;
        megatron_blame(c->args, f);
        notes_add_rule(c->args->notes, *rule, NOTE_REFUSED, f->line, f->column, f->what, f->have,
                       f->fix, "%s", f->need);
    }
    free(findings);
}

static void check_instances(const struct check *c)
{
    const struct megatron_args *args = c->args;
    const uint64_t copies = COUNT(DIST_OPT_INSTANCES, 1), data = rk_plan_data(c->p);
    if (!copies) megatron_refuse(args, "1.value", FLAG(DIST_OPT_INSTANCES), "must be above 0");
    if (copies > 1 && data)
        not_divisible(c, "6.shards", FLAG(DIST_OPT_INSTANCES), "data * context parallelism",
                      data * c->p->context, "--num-distributed-optimizer-instances", copies);
}

static void check_positions(const struct check *c)
{
    const struct rk_model *m = c->m;
    const struct megatron_args *args = c->args;
    if (HAS(MAX_POSITIONS) && COUNT(MAX_POSITIONS, 0) < m->sequence)
        megatron_refuse(args, "12.needs", FLAG(MAX_POSITIONS),
                        "must be at least the sequence of %" PRIu64 " tokens", m->sequence);
    if (!HAS(MAX_POSITIONS) && !args->foreign &&
        (!megatron_is_old(args) || m->position == RK_POSITION_LEARNED))
        megatron_refuse(args, "1.missing", FLAG(MAX_POSITIONS),
                        "is missing: Megatron-LM needs it, at least %" PRIu64, m->sequence);
}

/* ---- pipeline ---- */

static void check_uneven(const struct check *c)
{
    const struct rk_plan *p = c->p;
    const uint64_t given = p->first_layers + p->last_layers;
    const uint64_t ends = (p->first_layers ? 1 : 0) + (p->last_layers ? 1u : 0u);
    const enum megatron_flag flag = p->first_layers ? FLAG(FIRST_LAYERS) : FLAG(LAST_LAYERS);
    if (p->first_layers % p->chunks || p->last_layers % p->chunks)
        megatron_refuse(c->args, "2.stages", flag,
                        "the layers of a stage must be divisible by its %" PRIu64 " virtual stages",
                        p->chunks);
    if (given > c->m->layers) {
        megatron_refuse(c->args, "6.layers", flag,
                        "first and last stage have %" PRIu64 " layers of %" PRIu64, given,
                        c->m->layers);
        return;
    }
    if (ends > p->pipeline) {
        megatron_refuse(c->args, "2.stages", flag, "one stage cannot be the first and the last");
        return;
    }
    const uint64_t rest = c->m->layers - given, middle = p->pipeline - ends;
    if ((rest > 0) != (middle > 0))
        megatron_refuse(c->args, "2.stages", flag,
                        "%" PRIu64 " layers are left for %" PRIu64 " stages in the middle", rest,
                        middle);
    else if (middle)
        not_divisible(c, "2.stages", flag, "what is left for the stages in the middle,", rest,
                      "these and their virtual stages,", middle * p->chunks);
}

/* "give first and last 11 and 11": as many layers in the middle as are near the mean, the rest on
 * the two ends. */
static void fix_uneven(const struct check *c)
{
    struct notes *notes = c->args->notes;
    const uint64_t p = c->p->pipeline, v = c->p->chunks, layers = c->m->layers;
    if (p < 3 || !notes->count || layers % v) return;
    const uint64_t units = layers / v; /* each chunk of a stage has the same */
    for (uint64_t each = units / p + 1; each > 0; each--) {
        const uint64_t middle = (p - 2) * each;
        if (middle + 2 > units) continue;
        const uint64_t first = (units - middle) / 2, last = units - middle - first;
        struct rk_finding *f = &notes->note[notes->count - 1];
        snprintf(f->fix, sizeof f->fix, "give first and last %" PRIu64 " and %" PRIu64, first * v,
                 last * v);
        return;
    }
}

static void check_even(const struct check *c)
{
    const struct rk_plan *p = c->p;
    const uint64_t slots = c->m->layers + p->embedding_counts + p->head_counts;
    const uint64_t parts = p->pipeline * p->chunks;
    not_divisible(c, "2.stages", FLAG(PP), "the number of layers (and what counts as one)", slots,
                  p->chunks > 1 ? "pipeline parallelism * virtual stages" : "pipeline parallelism",
                  parts);
    if (parts && slots % parts) fix_uneven(c);
}

static void check_interleaving(const struct check *c)
{
    const struct rk_plan *p = c->p;
    const struct megatron_args *args = c->args;
    const uint64_t data = rk_plan_data(p);
    if (p->chunks == 1 || !data || p->batch % (p->microbatch * data)) return;
    const uint64_t microbatches = p->batch / (p->microbatch * data);
    const uint64_t group = COUNT(VP_GROUP, p->pipeline);
    if (p->pipeline < 2 || (p->pipeline < 3 && p->pipeline_blocking))
        megatron_refuse(args, "12.needs", FLAG(PP),
                        "virtual stages need at least 2 pipeline ranks, 3 with "
                        "--no-overlap-p2p-communication");
    if (HAS(VP_GROUP) && group < p->pipeline)
        megatron_refuse(args, "3.interleave", FLAG(VP_GROUP),
                        "must be at least the %" PRIu64 " pipeline ranks", p->pipeline);
    const uint64_t left = group ? microbatches % group : 0;
    if (microbatches < p->pipeline || (left && left < p->pipeline))
        megatron_refuse(args, "3.interleave", FLAG(GLOBAL_BATCH),
                        "%" PRIu64 " microbatches cannot be interleaved over %" PRIu64
                        " pipeline ranks in groups of %" PRIu64
                        ": the last group must have none or at least %" PRIu64,
                        microbatches, p->pipeline, group, p->pipeline);
}

static void check_pipeline(const struct check *c)
{
    const struct megatron_args *args = c->args;
    const bool ends = HAS(FIRST_LAYERS) || HAS(LAST_LAYERS);
    const bool counts = HAS(COUNT_EMBEDDING) || HAS(COUNT_LOSS);
    const struct rule rules[] = {
        {HAS(LAYERS_PER_VP) + HAS(VP_STAGES) + HAS(LAYOUT) > 1,
         HAS(LAYOUT) ? FLAG(LAYOUT) : FLAG(VP_STAGES), "12.excludes",
         "only one of --num-layers-per-virtual-pipeline-stage, "
         "--num-virtual-stages-per-pipeline-rank and --pipeline-model-parallel-layout may be "
         "given"},
        {ends && HAS(LAYERS_PER_VP), FLAG(LAYERS_PER_VP), "12.excludes",
         "with uneven first or last stages, give --num-virtual-stages-per-pipeline-rank"},
        {ends && counts, HAS(COUNT_LOSS) ? FLAG(COUNT_LOSS) : FLAG(COUNT_EMBEDDING), "12.excludes",
         "cannot be given with --decoder-first- or --decoder-last-pipeline-num-layers"},
        {HAS(LAYOUT) && (ends || counts), FLAG(LAYOUT), "12.excludes",
         "cannot be given with other arguments that split the layers"},
        {HAS(FIRST_LAYERS) && !COUNT(FIRST_LAYERS, 1), FLAG(FIRST_LAYERS), "1.value",
         "must be above 0"},
        {HAS(LAST_LAYERS) && !COUNT(LAST_LAYERS, 1), FLAG(LAST_LAYERS), "1.value",
         "must be above 0"},
    };
    APPLY(rules);
    if (HAS(LAYER_LIST)) return;
    if (!HAS(LAYOUT) && (c->p->first_layers || c->p->last_layers))
        check_uneven(c);
    else if (!HAS(LAYOUT))
        check_even(c);
    check_interleaving(c);
}

/* ---- options that exclude or need each other ---- */

static void check_tensor_and_context(const struct check *c)
{
    const struct megatron_args *args = c->args;
    uint64_t product = 1;
    for (int i = 0; HAS(CP_SIZES) && i < args->value[FLAG(CP_SIZES)].words; i++)
        product *= strtoull(args->value[FLAG(CP_SIZES)].word[i].text, NULL, 10);
    const struct rule rules[] = {
        {HAS(TP_OVERLAP) && !c->p->sequence_parallel, FLAG(TP_OVERLAP), "12.needs",
         "needs --sequence-parallel and tensor parallelism above 1"},
        {c->m->experts && c->p->tensor > 1 && !c->p->sequence_parallel, FLAG(NUM_EXPERTS),
         "12.needs", "experts with tensor parallelism need --sequence-parallel in training"},
        {megatron_lists(args, FLAG(CP_COMM), "a2a+p2p") && !HAS(CP_SIZES), FLAG(CP_COMM),
         "12.needs", "a2a+p2p needs --hierarchical-context-parallel-sizes"},
        {HAS(CP_SIZES) && product != c->p->context, FLAG(CP_SIZES), "12.excludes",
         "the product of the sizes must be the context parallelism"},
        {c->p->context_kind == RK_ULYSSES && c->p->context > 1 &&
             c->m->heads / c->p->tensor % c->p->context,
         FLAG(CP_COMM), "4.ulysses",
         "a2a needs heads per tensor rank divisible by context parallelism"},
        {HAS(FP16) && HAS(BF16), FLAG(FP16), "12.excludes", "cannot be given with --bf16"},
        {HAS(FP16) && args->loop[LOOP_LOSS_SCALE].number == 1, FLAG(FP16), "12.datatype",
         "needs loss scaling: --loss-scale 1 is none"},
        {HAS(FP8_FORMAT) && HAS(FP4_FORMAT), FLAG(FP4_FORMAT), "12.excludes",
         "cannot be given with --fp8-format"},
        {HAS(FP8_PARAM_GATHER) && !HAS(FP8_FORMAT), FLAG(FP8_PARAM_GATHER), "12.needs",
         "needs --fp8-format"},
        {HAS(FP4_PARAM_GATHER) && !HAS(FP4_FORMAT), FLAG(FP4_PARAM_GATHER), "12.needs",
         "needs --fp4-format"},
        {HAS(SQUARED_RELU) && HAS(SWIGLU), FLAG(SQUARED_RELU), "12.excludes",
         "cannot be given with --swiglu"},
        {HAS(QUICK_GEGLU) && HAS(SWIGLU), FLAG(QUICK_GEGLU), "12.excludes",
         "cannot be given with --swiglu"},
        {HAS(MLA) && HAS(GROUP_QUERY_ATTENTION), FLAG(GROUP_QUERY_ATTENTION), "12.excludes",
         "cannot be given with --multi-latent-attention"},
        {HAS(MTP_NUM_LAYERS) && c->m->position != RK_POSITION_ROPE, FLAG(MTP_NUM_LAYERS),
         "12.needs", "needs --position-embedding-type rope"},
    };
    APPLY(rules);
}

static void check_data(const struct check *c)
{
    const struct megatron_args *args = c->args;
    const bool fsdp = HAS(MEGATRON_FSDP) || HAS(CUSTOM_FSDP);
    const bool torch = HAS(TORCH_FSDP2);
    const struct rule rules[] = {
        {HAS(PARAM_OVERLAP) && !HAS(DIST_OPT) && !fsdp, FLAG(PARAM_OVERLAP), "12.needs",
         "needs --use-distributed-optimizer or --use-megatron-fsdp"},
        {HAS(PARAM_OVERLAP) && !HAS(GRAD_OVERLAP), FLAG(PARAM_OVERLAP), "12.needs",
         "needs --overlap-grad-reduce"},
        {torch && c->p->pipeline > 1, FLAG(TORCH_FSDP2), "12.excludes",
         "cannot run with pipeline parallelism"},
        {torch && c->p->expert > 1, FLAG(TORCH_FSDP2), "12.excludes",
         "cannot run with expert parallelism"},
        {torch && HAS(DIST_OPT), FLAG(TORCH_FSDP2), "12.excludes",
         "excludes --use-distributed-optimizer"},
        {torch && !HAS(NO_GRAD_FUSION), FLAG(TORCH_FSDP2), "12.needs",
         "needs --no-gradient-accumulation-fusion"},
        {torch && !HAS(UNTIE), FLAG(TORCH_FSDP2), "6.tied",
         "needs --untie-embeddings-and-output-weights"},
        {torch && HAS(FP16), FLAG(TORCH_FSDP2), "12.excludes", "cannot run with --fp16"},
        {torch && HAS(CKPT_FORMAT) && !IS(CKPT_FORMAT, "torch_dist") &&
             !IS(CKPT_FORMAT, "torch_dcp"),
         FLAG(CKPT_FORMAT), "12.needs", "--use-torch-fsdp2 needs torch_dist or torch_dcp"},
        {HAS(MEGATRON_FSDP) && !IS(CKPT_FORMAT, "fsdp_dtensor"), FLAG(MEGATRON_FSDP), "12.needs",
         "needs --ckpt-format fsdp_dtensor"},
        {HAS(GRADS_FP32) && IS(MAIN_GRADS, "bf16"), FLAG(MAIN_GRADS), "12.excludes",
         "must be fp32 with --accumulate-allreduce-grads-in-fp32"},
        {HAS(FP8_PARAM_GATHER) && !HAS(DIST_OPT) && !fsdp && !torch, FLAG(FP8_PARAM_GATHER),
         "12.needs", "needs --use-distributed-optimizer or FSDP"},
        {HAS(PRECISION_AWARE) && !HAS(DIST_OPT), FLAG(PRECISION_AWARE), "12.needs",
         "needs --use-distributed-optimizer"},
        {HAS(PRECISION_AWARE) && HAS(OPTIMIZER) && !IS(OPTIMIZER, "adam"), FLAG(PRECISION_AWARE),
         "12.needs", "needs --optimizer adam"},
        {!HAS(PRECISION_AWARE) && (IS(MAIN_GRADS, "bf16") || IS(MAIN_PARAMS, "fp16") ||
                                   (HAS(EXP_AVG) && !IS(EXP_AVG, "fp32")) ||
                                   (HAS(EXP_AVG_SQ) && !IS(EXP_AVG_SQ, "fp32"))),
         FLAG(PRECISION_AWARE), "12.needs", "is missing: narrow types of the optimizer need it"},
        {HAS(OPT_OFFLOAD) && !HAS(PRECISION_AWARE), FLAG(OPT_OFFLOAD), "12.needs",
         "needs --use-precision-aware-optimizer"},
        {HAS(DIST_OPT_INSTANCES) && COUNT(DIST_OPT_INSTANCES, 1) > 1 && !HAS(DIST_OPT) && !fsdp,
         FLAG(DIST_OPT_INSTANCES), "12.needs", "needs --use-distributed-optimizer"},
        {IS(OPTIMIZER, "muon") && (torch || fsdp), FLAG(OPTIMIZER), "12.excludes",
         "muon excludes FSDP"},
        {HAS(DEFER_WGRAD) && c->p->pipeline < 2, FLAG(DEFER_WGRAD), "12.needs",
         "cannot be put off without a pipeline (ModelParallelConfig)"},
        {HAS(DEFER_WGRAD) && HAS(NO_GRAD_FUSION), FLAG(DEFER_WGRAD), "12.needs",
         "needs gradient accumulation fusion (ModelParallelConfig)"},
    };
    APPLY(rules);
}

static void check_experts(const struct check *c)
{
    const struct megatron_args *args = c->args;
    const struct rk_plan *p = c->p;
    const bool mixture = c->m->experts > 0;
    const struct rule rules[] = {
        {p->expert > 1 && !mixture, FLAG(EP), "12.needs", "needs --num-experts"},
        {p->expert > 1 && HAS(FP16), FLAG(EP), "12.excludes", "cannot run with --fp16"},
        {HAS(GROUPED_GEMM) && mixture && !HAS(BF16), FLAG(GROUPED_GEMM), "12.needs",
         "needs --bf16"},
        {HAS(PAD_CAPACITY) && !HAS(CAPACITY_FACTOR), FLAG(PAD_CAPACITY), "12.needs",
         "needs --moe-expert-capacity-factor"},
        {HAS(EXPERT_BIAS) && args->tool != MEGATRON_MINDSPEED &&
             (!HAS(SCORE_FUNCTION) || IS(SCORE_FUNCTION, "softmax")),
         FLAG(EXPERT_BIAS), "12.needs", "needs --moe-router-score-function sigmoid"},
        {HAS(ROUTER_GROUPS) && COUNT(ROUTER_GROUPS, 1) &&
             c->m->experts % COUNT(ROUTER_GROUPS, 1) != 0,
         FLAG(ROUTER_GROUPS), "1.value", "must divide the experts"},
        {HAS(DEEPEP) && !IS(DISPATCHER, "flex"), FLAG(DEEPEP), "12.needs",
         "needs --moe-token-dispatcher-type flex"},
        {HAS(DEEPEP) && IS(FLEX_BACKEND, "hybridep"), FLAG(FLEX_BACKEND), "12.excludes",
         "cannot be hybridep with --moe-enable-deepep"},
        {HAS(PAD_CAPACITY) && IS(DISPATCHER, "flex") && !IS(FLEX_BACKEND, "hybridep"),
         FLAG(PAD_CAPACITY), "12.excludes", "cannot be given with the flex dispatcher"},
        {HAS(SHARED_OVERLAP) && HAS(MOE_SHARED) && !IS(DISPATCHER, "alltoall"),
         FLAG(SHARED_OVERLAP), "12.needs", "needs --moe-token-dispatcher-type alltoall"},
        {HAS(EP_OVERLAP) && p->expert < 2, FLAG(EP_OVERLAP), "12.needs",
         "needs expert parallelism"},
        {HAS(EP_OVERLAP) && p->pipeline > 1 && p->chunks < 2, FLAG(EP_OVERLAP), "12.needs",
         "needs virtual pipeline stages"},
        {HAS(EP_OVERLAP) && mixture && p->dispatcher == RK_ALL_GATHER_TOKENS, FLAG(EP_OVERLAP),
         "12.needs", "needs --moe-token-dispatcher-type alltoall or flex"},
        {HAS(EP_OVERLAP) && p->recompute == RK_WHOLE, FLAG(EP_OVERLAP), "12.excludes",
         "cannot run with --recompute-granularity full"},
        {HAS(EP_OVERLAP) && HAS(SHARED_OVERLAP), FLAG(EP_OVERLAP), "12.excludes",
         "excludes --moe-shared-expert-overlap"},
        {HAS(EP_OVERLAP) && COUNT(MTP_NUM_LAYERS, 0) > 1, FLAG(EP_OVERLAP), "12.excludes",
         "takes at most one layer of --mtp-num-layers"},
    };
    APPLY(rules);
}

static void check_recompute(const struct check *c)
{
    const struct megatron_args *args = c->args;
    const bool full = IS(RECOMPUTE_GRANULARITY, "full") && !HAS(RECOMPUTE_ACTIVATIONS);
    const bool selective = IS(RECOMPUTE_GRANULARITY, "selective") || HAS(RECOMPUTE_ACTIVATIONS);
    const unsigned parts = selective ? c->p->recompute_parts : 0;
    const unsigned outputs = 1u << RK_PART_ACTIVATION | 1u << RK_PART_NORM;
    const unsigned dropped =
        1u << RK_PART_MLP | 1u << RK_PART_EXPERTS | 1u << RK_PART_CORE_ATTENTION;
    const struct rule rules[] = {
        {full && !HAS(RECOMPUTE_METHOD), FLAG(RECOMPUTE_METHOD), "12.needs",
         "is missing: full recomputation needs it, uniform or block"},
        {full && !COUNT(RECOMPUTE_NUM_LAYERS, args->tool != MEGATRON_CORE) &&
             !(HAS(RECOMPUTE_NUM_LAYERS) && IS(RECOMPUTE_METHOD, "block")), /* of 0: a warning */
         FLAG(RECOMPUTE_NUM_LAYERS), "12.needs",
         "is missing: full recomputation needs it, at least 1"},
        {selective && HAS(RECOMPUTE_METHOD), FLAG(RECOMPUTE_METHOD), "12.excludes",
         "cannot be given with selective recomputation"},
        {selective && HAS(RECOMPUTE_NUM_LAYERS), FLAG(RECOMPUTE_NUM_LAYERS), "12.excludes",
         "cannot be given with selective recomputation"},
        {HAS(DISTRIBUTE_SAVED) && (c->p->tensor == 1 || !full), FLAG(DISTRIBUTE_SAVED), "12.needs",
         "needs tensor parallelism and full recomputation"},
        {HAS(DISTRIBUTE_SAVED) && c->p->sequence_parallel, FLAG(DISTRIBUTE_SAVED), "12.excludes",
         "cannot be given with --sequence-parallel"},
        {parts & 1u << RK_PART_ACTIVATION && !HAS(GROUPED_GEMM), FLAG(RECOMPUTE_MODULES),
         "12.needs", "moe_act needs --moe-grouped-gemm"},
        {parts & 1u << RK_PART_UP_PROJECTION && !HAS(MLA), FLAG(RECOMPUTE_MODULES), "12.needs",
         "mla_up_proj needs --multi-latent-attention"},
        {parts & 1u << RK_PART_SHARED_EXPERTS && HAS(MOE_SHARED) && HAS(SHARED_OVERLAP),
         FLAG(RECOMPUTE_MODULES), "12.excludes",
         "shared_experts excludes --moe-shared-expert-overlap"},
        {parts & outputs && c->p->precision == RK_FP8_DELAYED, FLAG(RECOMPUTE_MODULES),
         "12.excludes", "moe_act and layernorm cannot be recomputed with --fp8-recipe delayed"},
        {parts & dropped && HAS(CUDA_GRAPH_IMPL) && c->p->cuda_graphs && !c->m->no_dropout,
         FLAG(CUDA_GRAPH_IMPL), "12.excludes", "cannot hold what is recomputed with dropout"},
        {full && c->p->cuda_graphs, FLAG(RECOMPUTE_GRANULARITY), "12.excludes",
         "full recomputation and CUDA graphs exclude each other"},
        {HAS(MOE_LAYER_RECOMPUTE) && full, FLAG(MOE_LAYER_RECOMPUTE), "12.excludes",
         "cannot be given with full recomputation"},
        {HAS(RECOMPUTE_MODULES) && !selective && !HAS(MOE_LAYER_RECOMPUTE), FLAG(RECOMPUTE_MODULES),
         "12.needs", ""},
    };
    apply(args, rules, sizeof rules / sizeof *rules - 1);
    if (rules[sizeof rules / sizeof *rules - 1].broken)
        megatron_note(args, NOTE_WARNING, FLAG(RECOMPUTE_MODULES), "",
                      "is not followed by Megatron-LM without --recompute-granularity selective");
    if (parts & 1u << RK_PART_CORE_ATTENTION && c->p->attention != RK_UNFUSED)
        megatron_note(args, NOTE_WARNING,
                      HAS(RECOMPUTE_ACTIVATIONS) ? FLAG(RECOMPUTE_ACTIVATIONS)
                      : HAS(RECOMPUTE_MODULES)   ? FLAG(RECOMPUTE_MODULES)
                                                 : FLAG(RECOMPUTE_GRANULARITY),
                      "core_attn",
                      "is recomputed by fused attention kernels anyway: it costs time here and "
                      "saves little");
}

static void check_offload(const struct check *c)
{
    const struct megatron_args *args = c->args;
    const uint64_t layers = COUNT(CPU_OFFLOAD_LAYERS, 0);
    const struct rule rules[] = {
        {layers && layers >= c->m->layers, FLAG(CPU_OFFLOAD_LAYERS), "12.excludes",
         "must be less than the layers"},
        {layers && c->p->pipeline > 1, FLAG(CPU_OFFLOAD_LAYERS), "12.excludes",
         "cannot run with pipeline parallelism"},
        {layers && c->p->recompute != RK_KEEP, FLAG(CPU_OFFLOAD_LAYERS), "12.excludes",
         "cannot run with recomputation"},
        {layers && HAS(FINE_OFFLOAD), FLAG(FINE_OFFLOAD), "12.excludes",
         "cannot be given with --cpu-offloading-num-layers"},
        {HAS(FINE_OFFLOAD) && !HAS(OFFLOAD_MODULES), FLAG(FINE_OFFLOAD), "12.needs",
         "needs --offload-modules"},
        {HAS(FINE_OFFLOAD) && HAS(TRANSFORMER_IMPL) && !IS(TRANSFORMER_IMPL, "transformer_engine"),
         FLAG(FINE_OFFLOAD), "12.needs", "needs --transformer-impl transformer_engine"},
        {megatron_lists(args, FLAG(OFFLOAD_MODULES), "attn_proj") &&
             !megatron_lists(args, FLAG(OFFLOAD_MODULES), "core_attn"),
         FLAG(OFFLOAD_MODULES), "12.needs", "attn_proj needs core_attn too"},
    };
    APPLY(rules);
}

void megatron_check(const struct megatron_args *args, const struct rk_model *model,
                    const struct rk_plan *plan)
{
    const struct check c = {args, model, plan};
    if (!args->options->collect) check_divisions(&c); /* reckon check asks for them itself */
    check_instances(&c);
    check_positions(&c);
    if (args->foreign || args->tool == MEGATRON_DEEPSPEED)
        return; /* its pipeline deals any number of layers */
    check_pipeline(&c);
    if (megatron_is_old(args)) return;
    check_tensor_and_context(&c);
    check_data(&c);
    check_experts(&c);
    check_recompute(&c);
    check_offload(&c);
}
