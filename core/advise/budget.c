#include <reckon/budget.h>
#include <reckon/predict.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { DAY_S = 86400, SEQUENCE = 8192 };

/* Blocks and hidden size: the ratio of Llama 3's, 102 to 130. */
static const struct size {
    uint64_t layers, hidden;
} sizes[RK_BUDGET_SIZES] = {{16, 2048},   {24, 2560},   {28, 3072},   {32, 4096},  {40, 5120},
                            {48, 6144},   {60, 7168},   {80, 8192},   {88, 10240}, {96, 12288},
                            {110, 14336}, {126, 16384}, {140, 18432}, {150, 22528}};

struct rk_model rk_budget_model(int size)
{
    const struct size *s = &sizes[size];
    struct rk_model model = {.layers = s->layers,
                             .hidden = s->hidden,
                             .feedforward = s->hidden * 7 / 2,
                             .heads = s->hidden / 128,
                             .kv_heads = 8,
                             .head_dim = 128,
                             .sequence = SEQUENCE,
                             .vocabulary = 128256,
                             .position = RK_POSITION_ROPE,
                             .norm = RK_RMS_NORM,
                             .gated_mlp = true,
                             .activation = RK_SILU,
                             .no_dropout = true,
                             .flash_attention = true,
                             .causal_skip = true};
    snprintf(model.id, sizeof model.id, "%" PRIu64 "x%" PRIu64, s->layers, s->hidden);
    return model;
}

bool rk_budget_affords(const struct rk_budgeted *w)
{
    return w->fits && w->tokens >= w->asked;
}

/* Samples of RK_BUDGET_STEP_TOKENS, in whole samples of every GPU. */
static uint64_t batch_of(const struct rk_budget *b, const struct rk_model *model)
{
    const uint64_t samples = RK_BUDGET_STEP_TOKENS / model->sequence;
    if (b->batch) return b->batch;
    return samples <= b->gpus ? b->gpus : samples / b->gpus * b->gpus;
}

static enum rk_status find_plan(const struct rk_budget *b, struct rk_budgeted *w,
                                struct rk_error *error)
{
    struct rk_plans_problem problem;
    struct rk_aim aim = {.threads = b->threads, .stop = b->stop, .context = b->context};
    rk_plans_problem_init(&problem, &w->model, w->system, rk_usual_framework(w->system), b->gpus,
                          batch_of(b, &w->model), 0);
    const enum rk_status status = b->leave(b->context, &problem, &aim, error);
    w->fits = status == RK_OK && rk_offer(&problem, &aim, &w->offer);
    return status;
}

static void take_tokens(const struct rk_budget *b, struct rk_budgeted *w)
{
    rk_campaign_expect(&w->campaign, &w->outcome);
    w->tokens = INFINITY;
    if (b->days > 0) w->tokens = RK_BUDGET_TOKENS * b->days * DAY_S / w->outcome.total_s;
    if (b->cost > 0) w->tokens = fmin(w->tokens, RK_BUDGET_TOKENS * b->cost / w->outcome.cost);
}

/* Days and money are as many times as much as the tokens. */
enum rk_status rk_budget_weigh(const struct rk_budget *b, struct rk_budgeted *w,
                               struct rk_error *error)
{
    struct rk_prediction prediction;
    w->system = b->system;
    enum rk_status status = find_plan(b, w, error);
    if (status == RK_OK && !w->fits && b->hosted) {
        w->system = b->hosted;
        status = find_plan(b, w, error);
    }
    if (status != RK_OK || !w->fits) return status;
    rk_predict(&w->model, w->system, &w->offer.found.plan, &prediction);
    status = b->run(b->context, w, &prediction, &w->campaign, error);
    if (status != RK_OK) return status;
    take_tokens(b, w);
    struct rk_campaign afforded = w->campaign;
    afforded.tokens = w->tokens;
    if (!b->spares_said && !rk_campaign_spares(&afforded)) { /* it is too short for any */
        w->campaign.recovery.spares = 0;
        take_tokens(b, w);
    }
    w->asked = rk_optimal_tokens(b->law, (double)rk_model_active_parameters(&w->model));
    return RK_OK;
}

enum rk_status rk_budget_enough(const struct rk_budget *budget, struct rk_budgeted *w,
                                uint64_t *gpus, struct rk_error *error)
{
    const uint64_t most = budget->system->devices ? budget->system->devices : UINT64_MAX;
    struct rk_budget more = *budget;
    enum rk_status status = RK_OK;
    *gpus = 0;
    for (int i = 0; i < RK_BUDGET_DOUBLINGS && !*gpus && status == RK_OK; i++) {
        more.gpus *= 2;
        if (more.gpus > most || (more.stop && more.stop(more.context))) break;
        status = rk_budget_weigh(&more, w, error);
        if (rk_budget_affords(w)) *gpus = more.gpus;
    }
    return status;
}
