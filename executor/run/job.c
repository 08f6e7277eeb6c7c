/* job.c - what the executor does not do, by name; what all ranks share. */
#include "run/job.h"

#include "base/memory.h"
#include "plan/layers.h"
#include "rules/rules.h"
#include "run/device.h"
#include "workload/pattern.h"

#include <math.h>
#include <stdlib.h>

struct rk_train rk_train_default(void)
{
    return (struct rk_train){
        .steps = 100,
        .seed = 1,
        .threads = 1,
        .limit_s = 60,
        .rate = 3e-4,
        .least_rate = 3e-5,
        .warmup = 10,
        .rate_kind = RK_RATE_COSINE,
        .beta1 = 0.9,
        .beta2 = 0.95,
        .momentum = 0.95,
        .eps = 1e-8,
        .decay = 0.1,
        .clip = 1,
        .loss_scale = 65536,
        .scale_growth = 2,
        .scale_backoff = 0.5,
        .scale_interval = 2000,
        .norm_eps = 1e-5,
        .rotary_base = 10000,
        .rotary_stretch = {.factor = 1},
        .renormalise = true,
        .route_scale = 1,
        .bias_rate = 1e-3,
        .ahead_weight = 0.1, /* of Megatron-LM; DeepSeek-V3 begins with 0.3 [deepseek2024v3] */
        .block_tokens = 0,
        .block_local = 8,
        .block_global = 1,
        .block_patterns = 1,
    };
}

static enum rk_status check_scale(const struct rk_train *t, struct rk_error *error)
{
    if (isfinite(t->loss_scale) && t->loss_scale >= 1 && t->scale_growth > 1 &&
        isfinite(t->scale_growth) && t->scale_backoff > 0 && t->scale_backoff < 1)
        return RK_OK;
    return rk_fail(
        error, RK_BAD_ARGUMENT, NULL, 0, 0,
        "a loss scale of %g that grows by %g and falls by %g: the first must be at least "
        "1, the second more than 1, the third between 0 and 1",
        t->loss_scale, t->scale_growth, t->scale_backoff);
}

/* What the executor does not do, and degrees without which there are no groups of ranks. */
static enum rk_status check_rules(const struct rk_model *model, const struct rk_plan *plan,
                                  struct rk_error *error)
{
    static const unsigned degrees = 1u << CHECK_DEGREES | 1u << CHECK_BATCH | 1u << CHECK_EXPERTS;
    struct rule_case c = rule_case_of(model, NULL, plan);
    enum rule broken[RULES];
    c.who |= BY_EXECUTOR;
    if (!rules_broken(&c, 1u << CHECK_TOOL, broken) && !rules_broken(&c, degrees, broken))
        return RK_OK;
    return rule_refuse(broken[0], &c, RK_UNSUPPORTED, error);
}

/* What a model of the catalog does not say of its arithmetic. */
static enum rk_status check_said(const struct job *job, struct rk_error *error)
{
    const struct rk_model *m = &job->model;
    const struct rk_arithmetic *a = &job->settings.arithmetic;
    const bool other =
        m->parallel_block || m->block_norms == 4 || m->qk_norm_wide || m->attention_sinks;
    const bool caps =
        m->attention_cap != (a->attention_cap > 0) || m->logit_cap != (a->logit_cap > 0);
    if (!caps && !(other && a->naming == RK_NAMES_OF_MODEL)) return RK_OK;
    return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                   "%s has arithmetic that its shape does not say (%s): give a config.json of "
                   "Hugging Face",
                   m->id,
                   caps                  ? "the height of its caps"
                   : m->parallel_block   ? "what its parallel blocks turn and read"
                   : m->block_norms == 4 ? "what its four norms multiply with"
                   : m->attention_sinks  ? "what its experts do with sinks and limits"
                                         : "what its norms of heads are over");
}

/* What RoPE turns of a head. */
static int turned_of(const struct rk_model *m, const struct rk_arithmetic *a)
{
    const double width = m->kv_rank ? (double)m->rope_dim : head_shape_of(m, false).width;
    return (int)(a->rotary_part > 0 ? width * a->rotary_part + 1e-6 : width);
}

/* Of what a family has, what does not go with a plan. */
static enum rk_status check_arithmetic(const struct job *job, struct rk_error *error)
{
    const struct rk_model *m = &job->model;
    const struct rk_arithmetic *a = &job->settings.arithmetic;
    const bool after = m->block_norms == 4;
    uint64_t tensor = 1;
    for (int i = 0; i < job->locals; i++)
        if (job->local[i].plan.tensor > tensor) tensor = job->local[i].plan.tensor;
    const struct {
        bool is;
        const char *what;
    } rows[] = {
        {a->wide_norms && tensor > 1,
         "norms over all heads whose heads are on several ranks: leave tensor out"},
        {after && (has_out_biases(m) || has_mlp_biases(m) || m->norm == RK_LAYER_NORM),
         "norms after halves with biases: take another model"},
        {after && a->residual_scale > 0, "norms after halves that are scaled: take another model"},
        {a->gate_limit > 0 && (!m->gated_mlp || m->activation != RK_SILU || !m->experts),
         "limits of gates but those of SiLU in experts: take another model"},
        {m->kv_rank && (a->norm_offset > 0 || a->rotary_part > 0 || a->neighbours),
         "latent attention with norms that have an offset, or heads that turn in part: take "
         "another model"},
        {job->settings.rotary_stretch.factors &&
             job->settings.rotary_stretch.factors != turned_of(m, a) / 2,
         "RoPE whose lists of factors have another length than half of what a head turns: correct "
         "short_factor and long_factor"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is)
            return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, "the executor has no %s",
                           rows[i].what);
    return RK_OK;
}

static enum rk_status check_operations(const struct job *job, struct rk_error *error)
{
    const struct engine_kind *kind = job->kind;
    for (int k = 0; k < LAYER_KINDS; k++)
        for (int i = 0; job->used[k] && i < job->layer[k].operations; i++)
            if (!kind->knows(job->layer[k].operation[i].op))
                return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                               "the executor has no kernel for the operation \"%s\" of %s",
                               op_name(job->layer[k].operation[i].op), job->model.id);
    return RK_OK;
}

/* A model that has sparse layers says itself what they see: blocks are its global tokens. */
static void take_blocks(struct job *job)
{
    const struct rk_model *m = &job->model;
    struct rk_train *t = &job->settings;
    if (!m->window_globals) return;
    t->block_tokens = (uint32_t)m->window_globals;
    t->block_local = (uint32_t)(m->window / m->window_globals);
    t->block_global = t->block_patterns = 1;
}

bool job_is_sparse(const struct job *job, uint64_t layer)
{
    if (!job->blocks.sees) return false;
    return job->model.window_globals ? mixer_of(&job->model, layer) == MIXER_LOCAL : layer % 2 == 1;
}

static enum rk_status open_blocks(struct job *job, struct rk_error *error)
{
    const struct rk_train *t = &job->settings;
    if (t->block_tokens && job->model.window)
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                       "%s has local layers of its own: leave `block_tokens` out", job->model.id);
    take_blocks(job);
    if (!t->block_tokens) return RK_OK;
    if (job->plan.full_attention)
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                       "the executor has no hidden pairs of sparse layers: leave full-attention "
                       "out");
    if (!t->block_local || !t->block_global || t->block_local % t->block_global ||
        !t->block_patterns || t->block_patterns > t->block_local / t->block_global ||
        job->sequence / t->block_tokens > 512)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "blocks of %u tokens, %u of a window, %u of them global, %u patterns: the second "
            "must be a multiple of the third, no more patterns than their quotient, and a "
            "sequence of 512 blocks at most",
            t->block_tokens, t->block_local, t->block_global, t->block_patterns);
    return blocks_fixed(&job->blocks, (uint32_t)job->sequence, t->block_tokens, t->block_local,
                        t->block_global, t->block_patterns)
               ? RK_OK
               : no_memory(error);
}

/* What no run has meant: AdamW moves each weight by about the rate in a step, and takes rate times
 * decay of it away. */
static enum rk_status check_learning(const struct rk_train *t, struct rk_error *error)
{
    /* clang-format off */
    const struct { const char *name; double value, least, most; const char *what; } values[] = {
        {"learning rate",      t->rate,        0, 1,    "each weight moves by about that in a step"},
        {"least rate",         t->least_rate,  0, 1,    "each weight moves by about that in a step"},
        {"rate times decay",   t->rate * t->decay, 0, 1, "that part of each weight goes in a step"},
        {"momentum",           t->momentum,    0, 0.999999, "Muon's mean is over 1 / (1 - momentum) steps"},
        {"balance of experts", t->balance,     0, 10,   "it is added to a loss of some units, and is about 0.01"},
        {"weight of prediction layers", t->ahead_weight, 0, 10, "their mean loss times it is added to the loss; 0.1 and 0.3 are common"},
        {"rate of routers' biases", t->bias_rate, 0, 1, "they are added to scores between 0 and 1"},
        {"scale of routes",    t->route_scale, 1e-3, 1e3, "the weights of a token's experts are multiplied with it"},
        {"eps of norms",       t->norm_eps,    0, 1,    "it is added to variances of about 1"},
        {"base of RoPE",       t->rotary_base, 1, 1e12, "the slowest angle turns once in 6.3 times this number of tokens"},
        {"factor of RoPE",     t->rotary_stretch.factor, 1, 1e6, "frequencies are divided by it"},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!(values[i].value >= values[i].least && values[i].value <= values[i].most))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s %g: %s; give one from %g to %g",
                           values[i].name, values[i].value, values[i].what, values[i].least,
                           values[i].most);
    const struct rk_rotary_stretch *s = &t->rotary_stretch;
    if (s->context > 0 && !s->factors &&
        !(s->low > 0 && (s->yarn ? s->low <= s->high : s->low < s->high)))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "a stretch of RoPE between %g and %g turns: give two numbers above 0, the "
                       "smaller one first",
                       s->low, s->high);
    return RK_OK;
}

/* ---- a job ---- */

/* A ring of rings of one is a ring. */
static void plain_ring(struct rk_plan *plan)
{
    if (plan->context_kind == RK_RING_ULYSSES && plan->ulysses <= 1) plan->context_kind = RK_RING;
}

static enum rk_status open_locals(struct job *job, struct rk_error *error)
{
    job->local = calloc((size_t)rk_plan_layout(&job->plan)->others + 1, sizeof *job->local);
    if (!job->local) return no_memory(error);
    job->locals = rk_plan_layout(&job->plan)->others + 1;
    for (int i = 0; i < job->locals; i++) {
        struct local_part *l = &job->local[i];
        l->plan = plan_of_local(&job->plan, i);
        plain_ring(&l->plan);
        const enum rk_status status = check_rules(&job->model, &l->plan, error);
        if (status != RK_OK) return status;
        l->map = rank_map_of(&l->plan);
    }
    return RK_OK;
}

/* What recompute-rest sends away in any case goes where its share does. */
static int tier_of_rest(const struct rk_plan *plan)
{
    int tier = 0;
    while (tier < RK_SHARE_TIERS && !(plan->share[RK_SHARE_ATTENTION][tier] > 0))
        tier++;
    return tier < RK_SHARE_TIERS ? tier : 0;
}

bool job_uses_tier(const struct job *job, int tier)
{
    if (job->plan.recompute_rest && tier == tier_of_rest(&job->plan)) return true;
    for (int l = 0; l < job->locals; l++)
        for (int i = 0; i < RK_SHARES; i++)
            if (job->local[l].plan.share[i][tier] > 0) return true;
    return false;
}

bool job_tier_is_drive(const struct job *job, int tier)
{
    const struct rk_memory *m = &job->system->memory[tier + 1];
    return m->read_Bps > 0 || m->write_Bps > 0 || m->endurance_bytes > 0;
}

void job_close(struct job *job)
{
    free(job->local);
    job->local = NULL;
    free(job->layer);
    blocks_release(&job->blocks);
    job->layer = NULL;
}

enum rk_status job_open(struct job *job, const struct rk_model *model, const struct rk_plan *plan,
                        const struct rk_train *train, struct rk_error *error)
{
    *job = (struct job){.model = *model, .plan = *plan, .settings = *train};
    enum rk_status status = check_rules(model, plan, error);
    if (status == RK_OK) status = check_scale(train, error);
    if (status == RK_OK && !(job->kind = device_engine(train, error))) status = RK_BAD_ARGUMENT;
    if (status != RK_OK) return status;
    plain_ring(&job->plan);
    if (job->model.expert_feedforward == 0) job->model.expert_feedforward = model->feedforward;
    job->sequence = plan->sequence ? plan->sequence : model->sequence;
    job->data_ranks = rk_plan_data(plan);
    job->microbatches = plan->batch / (job->data_ranks * plan->microbatch);
    job->map = rank_map_of(&job->plan);
    job->pipeline = (struct pipeline){.schedule = plan->schedule,
                                      .stages = (uint32_t)plan->pipeline,
                                      .chunks = (uint32_t)plan->chunks,
                                      .microbatches = job->microbatches,
                                      .group = (uint32_t)plan->microbatch_group};
    if (train->arithmetic.norms_after) job->model.block_norms = 4;
    status = open_locals(job, error);
    if (status == RK_OK) status = check_said(job, error);
    if (status == RK_OK) status = check_arithmetic(job, error);
    if (status != RK_OK) return status;
    job->layer = calloc(LAYER_KINDS, sizeof *job->layer);
    if (!job->layer) return no_memory(error);
    job->used[LAYER_EMBEDDING] = job->used[LAYER_HEAD] = true;
    for (uint64_t i = 0; i < model->layers; i++)
        job->used[layer_kind_of(model, i)] = true;
    job->used[LAYER_PREDICT] = model->predict_layers > 0;
    for (int k = 0; k < LAYER_KINDS; k++)
        if (job->used[k]) layer_build(&job->layer[k], (enum layer_kind)k, &job->model, &job->plan);
    status = check_operations(job, error);
    if (status == RK_OK) status = check_learning(&job->settings, error);
    return status == RK_OK ? open_blocks(job, error) : status;
}

enum rk_status rk_train_check(const struct rk_model *model, const struct rk_plan *plan,
                              const struct rk_train *train, struct rk_error *error)
{
    struct job job;
    const enum rk_status status = job_open(&job, model, plan, train, error);
    job_close(&job);
    return status;
}
