#include "search/question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked ---- */

static enum rk_status compile(struct question *q, struct expression *e, const char *text,
                              size_t length, size_t first, struct rk_error *error)
{
    const enum rk_status status =
        expression_compile(e, q->space->predictor, text, length, first, error);
    if (status == RK_OK) q->reads |= e->reads;
    return status;
}

static enum rk_status compile_objective(struct question *q, const char *text, size_t length,
                                        size_t first, struct rk_error *error)
{
    if (q->objectives == OBJECTIVES)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, (int)first + 1,
                       "a frontier has at most %d objectives", OBJECTIVES);
    return compile(q, &q->objective[q->objectives++], text, length, first, error);
}

static enum rk_status compile_where(struct question *q, const char *text, struct rk_error *error)
{
    struct expression whole;
    enum rk_status status = expression_compile_condition(&whole, q->space->predictor, text, error);
    if (status == RK_OK) status = conjuncts_open(&q->where, q->space->predictor, text, error);
    if (status != RK_OK) return status;
    q->reads |= whole.reads;
    q->limits = conjuncts_limits(&q->where);
    return RK_OK;
}

enum rk_status question_open(struct question *q, const struct rk_space *space,
                             const struct rk_query *query, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    *q = (struct question){.space = space,
                           .plain = !query->where && !query->sort && !query->pareto,
                           .best_only = query->best_only && !query->sort && !query->pareto,
                           .least = query->least_samples_per_s,
                           .has_where = query->where != NULL,
                           .limits = NO_LIMITS,
                           .has_frontier = query->pareto != NULL};
    quick_places(space->predictor, q->place);
    if (q->has_where) status = compile_where(q, query->where, error);
    if (!q->has_frontier && status == RK_OK) {
        const char *sort = query->sort ? query->sort : "samples_per_s";
        return compile_objective(q, sort, strlen(sort), 0, error);
    }
    const char *start = query->pareto;
    while (status == RK_OK && start) {
        const char *comma = strchr(start, ',');
        const size_t length = comma ? (size_t)(comma - start) : strlen(start);
        status = compile_objective(q, start, length, (size_t)(start - query->pareto), error);
        start = comma ? comma + 1 : NULL;
    }
    return status;
}

void question_close(struct question *q)
{
    conjuncts_close(&q->where);
}

/* ---- what was found ---- */

bool finds_open(struct finds *f, const struct question *question, uint64_t room)
{
    *f = (struct finds){.question = question};
    return topk_init(&f->best, room);
}

void finds_close(struct finds *f)
{
    topk_release(&f->best);
    frontier_release(&f->frontier);
}

/* Less is better. */
static double objective_value(const struct finds *f, int i, const struct rk_plan *plan)
{
    const struct expression *e = &f->question->objective[i];
    const double value = expression_value(e, plan, f->outcome.figure);
    return e->more_is_better ? -value : value;
}

static void take_point(struct finds *f, const struct rk_candidate *found,
                       const struct rk_plan *plan)
{
    struct point point = {
        .index = found->index, .step_s = found->step_s, .samples_per_s = found->samples_per_s};
    for (int i = 0; i < f->question->objectives; i++)
        point.objective[i] = objective_value(f, i, plan);
    frontier_offer(&f->frontier, &point);
}

/* Does a part of the condition not hold, of those that read nothing that is missing? */
static bool fails(const struct finds *f, const struct rk_plan *plan, unsigned missing)
{
    const struct conjuncts *where = &f->question->where;
    for (int i = 0; i < where->count; i++)
        if (!(where->part[i].reads & missing) &&
            expression_value(&where->part[i], plan, f->outcome.figure) == 0)
            return true;
    return false;
}

void finds_take(struct finds *f, uint64_t index, const struct rk_plan *plan)
{
    const struct question *q = f->question;
    const double *figure = f->outcome.figure;
    if (figure[q->place[QUICK_SAMPLES]] < q->least) return;
    if (fails(f, plan, 0)) return;
    struct rk_candidate found = {.samples_per_s = figure[q->place[QUICK_SAMPLES]],
                                 .step_s = figure[q->place[QUICK_STEP]],
                                 .index = index};
    f->matches++;
    if (q->has_frontier) {
        take_point(f, &found, plan);
        return;
    }
    const double key = objective_value(f, 0, plan);
    found.key = isnan(key) ? -INFINITY : -key;
    topk_offer(&f->best, found);
}

static void fill_work(struct finds *f, const struct rk_outcome *work)
{
    const int *place = f->question->place;
    double *figure = f->outcome.figure;
    figure[place[QUICK_MFU]] = work->mfu;
    figure[place[QUICK_HFU]] = work->hfu;
    figure[place[QUICK_MFU_FULL]] = work->mfu_full;
    figure[place[QUICK_MFU_AS_MEGATRON]] = work->mfu_as_megatron;
}

/* What a search knows without a prediction; returns what of that is missing for this plan. */
static unsigned fill_quick(struct finds *f, const struct batch *batch, int lane)
{
    const struct question *q = f->question;
    double *figure = f->outcome.figure;
    const double samples_per_s = batch->samples / batch->step_s[lane];
    figure[q->place[QUICK_STEP]] = batch->step_s[lane];
    figure[q->place[QUICK_SAMPLES]] = samples_per_s;
    figure[q->place[QUICK_TOKENS]] = samples_per_s * (double)q->space->sequence;
    figure[q->place[QUICK_HBM]] = batch->hbm_bytes[lane];
    figure[q->place[QUICK_LOWER]] = batch->lower_bytes[lane];
    if (batch->work) fill_work(f, &batch->work[lane]);
    return (isnan(batch->lower_bytes[lane]) ? READS_LOWER : 0) | (batch->work ? 0 : READS_WORK);
}

/* What is known first decides first: most plans that a condition excludes are not predicted. */
bool finds_look(struct finds *f, const struct batch *batch, int lane)
{
    const struct question *q = f->question;
    const struct predictor *predictor = q->space->predictor;
    const uint64_t index = batch->index(batch, lane);
    const unsigned missing = READS_SLOW | fill_quick(f, batch, lane);
    const bool predict = q->reads & missing;
    struct rk_plan plan;
    if (fails(f, NULL, READS_PLAN | missing)) return false;
    if (predict || q->reads & READS_PLAN) {
        predictor->plan_at(q->space, index, &plan);
        if (fails(f, &plan, missing)) return false;
    }
    if (predict) predictor->predict(q->space, &plan, &f->outcome);
    finds_take(f, index, &plan);
    return f->best.count == f->best.room;
}

/* ---- the answer ---- */

static bool finish_frontier(struct finds *f, struct rk_answer *answer)
{
    const bool more_is_better = f->question->objective[0].more_is_better;
    frontier_sort(&f->frontier);
    answer->found = f->frontier.count;
    answer->best = calloc(f->frontier.count + 1, sizeof *answer->best);
    if (!answer->best || f->frontier.failed) return false;
    for (size_t i = 0; i < f->frontier.count; i++) {
        const struct point *p = &f->frontier.point[i];
        const double key = more_is_better ? -p->objective[0] : p->objective[0];
        answer->best[i] = (struct rk_candidate){key, p->samples_per_s, p->step_s, p->index};
    }
    return true;
}

bool finds_finish(struct finds *f, struct rk_answer *answer)
{
    const struct question *q = f->question;
    answer->matches = q->has_where ? f->matches : rk_search_count(&answer->counts, RK_FITS);
    if (f->question->has_frontier) return finish_frontier(f, answer);
    topk_sort(&f->best);
    answer->found = f->best.count;
    if (q->best_only) answer->matches = answer->found;
    answer->best = f->best.heap;
    f->best.heap = NULL;
    for (uint64_t i = 0; i < answer->found && !f->question->objective[0].more_is_better; i++)
        answer->best[i].key = -answer->best[i].key;
    return true;
}
