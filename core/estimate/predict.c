#include "estimate/predict.h"

#include "estimate/fold.h"
#include "estimate/plan_check.h"
#include "estimate/runs.h"
#include "estimate/stages.h"
#include "machine/part.h"

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

void work_add(struct rk_outcome *p, const struct stage_sum *sum, double times,
              const struct rk_plan *plan)
{
    const double passes = rk_plan_freezes(plan) ? 2 : 3;
    p->model_flop += times * passes * sum->useful_flop;
    p->kernel_flop += times * sum->kernel_flop;
    p->executed_flop += times * (passes * sum->useful_flop + sum->again_flop);
    p->model_flop_full += times * passes * (sum->useful_flop + sum->masked_flop);
    p->executed_flop_full += times * (passes * (sum->useful_flop + sum->masked_flop) +
                                      sum->again_flop + sum->again_masked_flop);
    p->model_flop_as_megatron += times * passes * (sum->useful_flop + sum->megatron_flop);
    p->tensor_sent_bytes += times * sum->link_bytes[LINK_TENSOR];
    p->expert_sent_bytes += times * sum->link_bytes[LINK_EXPERT];
    p->context_sent_bytes += times * sum->link_bytes[LINK_CONTEXT];
}

/* FLOP and bytes of all ranks: each stage's on every tensor, context and data rank. */
double work_times(const struct rk_plan *plan)
{
    const double ranks = (double)(plan->tensor * plan->context * rk_plan_data(plan));
    return ranks * microbatches_of(plan);
}

double plan_peak_flops(const struct rk_system *system, const struct rk_plan *plan)
{
    return operand_peak(system, operand_of(plan->precision, true)) * (double)plan->ranks;
}

void work_rates(struct rk_outcome *p, double peak_flops)
{
    const double possible = peak_flops * p->step_s;
    p->mfu = p->model_flop / possible;
    p->hfu = p->executed_flop / possible;
    p->mfu_full = p->model_flop_full / possible;
    p->mfu_as_megatron = p->model_flop_as_megatron / possible;
}

static void rates(struct rk_prediction *p, const struct rk_model *model,
                  const struct rk_system *system, const struct rk_plan *plan)
{
    p->hbm_bytes = p->stage[p->tightest].total_bytes;
    memcpy(p->holds, p->stage[p->tightest].holds, sizeof p->holds);
    p->samples_per_s = (double)plan->batch / p->step_s;
    p->tokens_per_s = p->samples_per_s * rk_tokens_trained(model, plan);
    work_rates(&p->outcome, plan_peak_flops(system, plan));
    p->parameters = (double)rk_model_parameters(model);
}

/* ---- stages ---- */

static void note_stage(struct rk_prediction *p, int i)
{
    const struct rk_stage *stage = &p->stage[i];
    if (stage->total_bytes > p->stage[p->tightest].total_bytes) p->tightest = i;
    if (stage->offloaded_bytes > p->offload_bytes) p->offload_bytes = stage->offloaded_bytes;
}

/* `other` is the stage at the same distance from the far end. */
static void fill_stage(struct rk_prediction *p, int i, const struct stage_sum *sum,
                       const struct stage_sum *other, const struct layer_folds *fold,
                       const struct rk_system *system, const struct sharing *sharing,
                       const struct rk_plan *plan)
{
    struct rk_stage *stage = &p->stage[i];
    struct stage_sum pair;
    const bool dual = plan->schedule == RK_DUALPIPE;
    if (dual) stage_pair(&pair, sum, other, plan, (uint64_t)i);
    stage_memory(stage, dual ? &pair : sum, fold, system, sharing, plan, (uint64_t)i);
    stage->blocks = (uint64_t)sum->blocks;
    stage->parameters = sum->parameters + sum->expert_parameters;
    stage->forward_s = sum->pass_s[FOLD_FORWARD] + sum->data_s[FOLD_FORWARD];
    stage->backward_s = backward_s(sum) + sum->data_s[FOLD_AGRAD];
    note_stage(p, i);
}

static void judge_lower(struct rk_prediction *p, const struct rk_system *system,
                        const struct rk_plan *plan)
{
    for (int tier = 0; tier < RK_SHARE_TIERS && tier + 1 < system->memories; tier++) {
        const double have = memory_part_bytes(&system->memory[tier + 1], plan->ranks);
        double need = 0;
        for (int i = 0; i < p->stages; i++)
            if (p->stage[i].away_bytes[tier] > need) need = p->stage[i].away_bytes[tier];
        if (need > have)
            p->reason[p->reasons++] = (struct rk_reason){.verdict = RK_MEMORY_EXCEEDED,
                                                         .tier = tier + 1,
                                                         .need = need,
                                                         .have = have,
                                                         .what = "memory"};
    }
}

static void judge_memory(struct rk_prediction *p, const struct rk_system *system,
                         const struct rk_plan *plan)
{
    const struct rk_stage *stage = &p->stage[p->tightest];
    const double have = system->memory[0].capacity_bytes;
    if (stage->total_bytes > have)
        p->reason[p->reasons++] = (struct rk_reason){.verdict = RK_MEMORY_EXCEEDED,
                                                     .tier = 0,
                                                     .need = stage->total_bytes,
                                                     .have = have,
                                                     .what = "memory"};
    judge_lower(p, system, plan);
    p->verdict = p->reasons ? p->reason[0].verdict : RK_FITS;
}

static void predict_stages(struct rk_prediction *p, const struct layer_folds *fold,
                           const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan)
{
    struct stage_blocks blocks[RK_MAX_STAGES];
    struct stage_map map = {.blocks = blocks};
    struct class_sums sums;
    const struct sharing sharing = sharing_of(plan);
    stage_map_of(&map, model, plan);
    stage_sums(&sums, &map, fold, model, system, &sharing, plan);
    p->stages = map.stages;
    for (int i = 0; i < map.stages; i++) {
        const struct stage_sum *sum = &sums.sum[map.class_of[i]];
        work_add(&p->outcome, sum, work_times(plan), plan);
        const struct stage_sum *other = &sums.sum[map.class_of[map.stages - 1 - i]];
        fill_stage(p, i, sum, other, fold, system, &sharing, plan);
    }
    const struct staged staged = {.map = &map,
                                  .sums = sums.sum,
                                  .ends = sums.end,
                                  .send_s = send_s_of(fold, system, plan),
                                  .microbatches = sharing.microbatches};
    step_time(p, &staged, plan);
}

/* The same of stages whose layers are not all run alike: each is a class of its own. */
static void predict_runs(struct rk_prediction *p, const struct rk_model *model,
                         const struct rk_system *system, const struct rk_plan *plan)
{
    struct stage_map map = {.stages = (int)plan->pipeline, .classes = (int)plan->pipeline};
    struct class_sums sums;
    struct runs runs;
    runs_of(&runs, model, system, plan);
    p->stages = map.stages;
    for (int i = 0; i < map.stages; i++) {
        struct run_stage stage;
        run_stage_of(&stage, &p->stage[i], &runs, model, system, plan, (uint64_t)i);
        map.class_of[i] = map.first_of[i] = (uint16_t)i;
        sums.sum[i] = stage.sum;
        sums.end[i] = stage.end;
        work_add(&p->outcome, &stage.sum, work_times(plan), plan);
        note_stage(p, i);
    }
    const struct staged staged = {.map = &map,
                                  .sums = sums.sum,
                                  .ends = sums.end,
                                  .send_s = runs_send_s(&runs, system),
                                  .microbatches = microbatches_of(plan)};
    step_time(p, &staged, plan);
}

enum rk_verdict predict_layers(const struct rk_model *model, const struct rk_system *system,
                               const struct rk_plan *plan, struct rk_prediction *p)
{
    struct layer_folds fold;
    memset(p, 0, sizeof *p);
    plan_check(model, system, plan, &p->reason[0]);
    p->verdict = p->reason[0].verdict;
    p->reasons = p->verdict != RK_FITS;
    if (p->reasons) return p->verdict;
    p->timed = true;
    if (!plan_is_alike(plan)) {
        predict_runs(p, model, system, plan);
    } else {
        fold_layers(&fold, model, system, plan);
        predict_stages(p, &fold, model, system, plan);
    }
    rates(p, model, system, plan);
    judge_memory(p, system, plan);
    return p->verdict;
}
