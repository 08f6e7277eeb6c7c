#include <reckon/predict.h>

#include "estimate/fold.h"
#include "estimate/plan_check.h"
#include "estimate/stages.h"

#include <string.h>

const char *rk_holding_name(enum rk_holding holding)
{
    static const char *const names[] = {
#define NAME(name, help) #name,
        RK_HOLDINGS(NAME)
#undef NAME
    };
    return (unsigned)holding < RK_HOLDING_COUNT ? names[holding] : NULL;
}

const char *rk_holding_help(enum rk_holding holding)
{
    static const char *const texts[] = {
#define HELP(name, help) help,
        RK_HOLDINGS(HELP)
#undef HELP
    };
    return (unsigned)holding < RK_HOLDING_COUNT ? texts[holding] : NULL;
}

/* ---- rates ---- */

/* FLOP of all ranks: each stage's on every tensor, context and data rank. */
static void add_flop(struct rk_prediction *p, const struct stage_sum *sum,
                     const struct rk_plan *plan)
{
    const double ranks = (double)(plan->tensor * plan->context * rk_plan_data(plan));
    const double times = ranks * microbatches_of(plan);
    p->model_flop += 3 * times * sum->useful_flop;
    p->executed_flop += times * sum->executed_flop;
}

static void rates(struct rk_prediction *p, const struct rk_model *model,
                  const struct rk_system *system, const struct rk_plan *plan)
{
    const uint64_t sequence = plan->sequence ? plan->sequence : model->sequence;
    const double peak = operand_peak(system, operand_of(plan->precision, true));
    const double possible = peak * (double)plan->ranks * p->step_s;
    p->samples_per_s = (double)plan->batch / p->step_s;
    p->tokens_per_s = p->samples_per_s * (double)sequence;
    p->mfu = p->model_flop / possible;
    p->hfu = p->executed_flop / possible;
    p->parameters = (double)rk_model_parameters(model);
}

/* ---- stages ---- */

/* Are stages i - 1 and i the same layers? Then their sums are, too. */
static bool same_as_before(const struct rk_model *model, const struct rk_plan *plan, uint64_t i)
{
    const uint64_t p = plan->pipeline;
    const bool plain = !model->experts && !model->window;
    if (i < 2 || i == p - 1 || !plain) return false;
    for (uint64_t chunk = 0; chunk < plan->chunks; chunk++)
        if (rk_plan_split(plan, model, chunk * p + i) !=
            rk_plan_split(plan, model, chunk * p + i - 1))
            return false;
    return true;
}

static void sum_stages(struct stage_sum *sums, const struct layer_folds *fold,
                       const struct rk_model *model, const struct rk_system *system,
                       const struct rk_plan *plan)
{
    for (uint64_t i = 0; i < plan->pipeline; i++) {
        if (same_as_before(model, plan, i)) {
            sums[i] = sums[i - 1];
            continue;
        }
        stage_sum(&sums[i], fold, model, plan, i);
        stage_moves(&sums[i], system, plan);
    }
}

static void fill_stage(struct rk_prediction *p, int i, const struct stage_sum *sum,
                       const struct layer_folds *fold, const struct rk_system *system,
                       const struct rk_plan *plan)
{
    struct rk_stage *stage = &p->stage[i];
    stage_memory(stage, sum, fold, system, plan, (uint64_t)i);
    stage->forward_s = sum->pass_s[FOLD_FORWARD] + sum->data_s[FOLD_FORWARD];
    stage->backward_s = sum->pass_s[FOLD_AGRAD] + sum->pass_s[FOLD_WGRAD] +
                        sum->pass_s[FOLD_RECOMPUTE] + sum->data_s[FOLD_AGRAD];
    if (stage->total_bytes > p->stage[p->tightest].total_bytes) p->tightest = i;
}

static void judge_memory(struct rk_prediction *p, const struct rk_system *system)
{
    const struct rk_stage *stage = &p->stage[p->tightest];
    const double have = system->memory[0].capacity_bytes;
    if (stage->total_bytes > have)
        p->reason = (struct rk_reason){.verdict = RK_MEMORY_EXCEEDED,
                                       .tier = 0,
                                       .need = stage->total_bytes,
                                       .have = have,
                                       .what = "memory"};
    p->verdict = p->reason.verdict;
}

enum rk_verdict rk_predict(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, struct rk_prediction *p)
{
    struct layer_folds fold;
    struct stage_sum sums[RK_MAX_STAGES];
    memset(p, 0, sizeof *p);
    plan_check(model, system, plan, &p->reason);
    p->verdict = p->reason.verdict;
    if (p->verdict != RK_FITS) return p->verdict;
    fold_layers(&fold, model, system, plan);
    sum_stages(sums, &fold, model, system, plan);
    p->timed = true;
    p->stages = (int)plan->pipeline;
    for (int i = 0; i < p->stages; i++) {
        add_flop(p, &sums[i], plan);
        fill_stage(p, i, &sums[i], &fold, system, plan);
    }
    step_time(p, sums, &fold, system, plan);
    rates(p, model, system, plan);
    judge_memory(p, system);
    return p->verdict;
}
