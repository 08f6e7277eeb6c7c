#include "search/clusters_where.h"

#include "base/memory.h"
#include "clusters/predict.h"
#include "search/conjuncts.h"

#include <math.h>
#include <stdlib.h>

/* What has to be known for a part of the condition. */
enum known { KNOWS_PLAN, KNOWS_MEMORY, KNOWS_ALL };

struct clusters_where {
    const struct rk_plans_problem *problem;
    struct conjuncts all;
    enum known needs[MOST_CONJUNCTS];
    struct clusters_filter filter;
    struct told {
        struct rk_plan plan;
        struct clusters_judged judged;
        struct rk_prediction prediction;
    } told; /* the plan at hand */
};

static bool holds(const struct clusters_where *w, int part, const struct rk_plan *plan,
                  const struct rk_outcome *o)
{
    struct outcome figures;
    outcome_of(o, &figures);
    return expression_value(&w->all.part[part], plan, figures.figure) != 0;
}

/* ---- restricted axes ---- */

bool clusters_axis_is_of_stages(enum rk_plan_axis axis)
{
    static const enum rk_plan_axis axes[] = {RK_PLAN_TENSOR,
                                             RK_PLAN_CONTEXT,
                                             RK_PLAN_EXPERT,
                                             RK_PLAN_DATA,
                                             RK_PLAN_MICROBATCH,
                                             RK_PLAN_RECOMPUTE,
                                             RK_PLAN_ACTIVATION_OFFLOAD,
                                             RK_PLAN_OPTIMIZER_OFFLOAD};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (axes[i] == axis) return true;
    return false;
}

bool clusters_pins_one(const struct rk_plans_problem *problem, enum rk_plan_axis axis)
{
    return problem->pinned[axis].count == 1 &&
           problem->pinned[axis].to[0] <= problem->pinned[axis].value[0];
}

static bool allows(const struct rk_plans_problem *p, enum rk_plan_axis axis, uint64_t value)
{
    bool allowed = !p->pinned[axis].count;
    for (int i = 0; i < p->pinned[axis].count && !allowed; i++) {
        const uint64_t from = p->pinned[axis].value[i], to = p->pinned[axis].to[i];
        allowed = value == from || (value > from && value <= to);
    }
    return allowed;
}

/* ... in a way that is no word of the question. */
static bool restricts_stages(const struct rk_plans_problem *p, enum rk_plan_axis axis)
{
    const bool word =
        clusters_pins_one(p, axis) && axis != RK_PLAN_DATA && axis != RK_PLAN_MICROBATCH;
    return p->pinned[axis].count && clusters_axis_is_of_stages(axis) && !word;
}

static bool keeps_to_axes(const struct rk_plans_problem *p, const struct rk_plan *plan)
{
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        if (restricts_stages(p, axis) && !allows(p, axis, rk_plan_axis_get(plan, axis)))
            return false;
    }
    return true;
}

/* ---- stages and plans ---- */

static bool holds_of_stage(void *context, const struct rk_plan *plan, double hbm_bytes)
{
    const struct clusters_where *w = context;
    const enum known known = isnan(hbm_bytes) ? KNOWS_PLAN : KNOWS_MEMORY;
    const struct rk_outcome outcome = {.hbm_bytes = hbm_bytes};
    if (known == KNOWS_PLAN && !keeps_to_axes(w->problem, plan)) return false;
    for (int i = 0; i < w->all.count; i++)
        if (w->needs[i] == known && !holds(w, i, plan, &outcome)) return false;
    return true;
}

/* The stages like a part, in the whole's batch. */
static struct rk_plan part_plan(const struct told *t, int stage, int part)
{
    struct rk_plan plan = plan_like_part(&t->plan, &t->judged.given, stage, part);
    plan.batch = t->plan.batch;
    return plan;
}

static bool holds_of_plan(void *context, const struct clusters_question *question,
                          const struct clusters_plan *plan)
{
    struct clusters_where *w = context;
    struct told *t = &w->told;
    const struct rk_system system = clusters_system(question->machine);
    given_of(question, plan, &t->judged.given);
    if (!plan_of_given(&question->words, &t->judged.given, &t->plan)) return false;
    predict_clusters(question->model, &system, &t->plan, &t->prediction, &t->judged);
    struct rk_outcome outcome = t->prediction.outcome;
    for (int i = 0; i < t->prediction.stages; i++) {
        const struct rk_stage *stage = &t->prediction.stage[i];
        outcome.hbm_bytes = stage->total_bytes;
        outcome.offload_bytes = stage->offloaded_bytes;
        for (int k = 0; k < t->judged.given.stage[i].parts; k++) {
            const struct rk_plan own = part_plan(t, i, k);
            if (!keeps_to_axes(w->problem, &own)) return false;
            for (int c = 0; c < w->all.count; c++)
                if (!holds(w, c, &own, &outcome)) return false;
        }
    }
    return true;
}

/* One comparison of memory that nothing satisfies: less of it does, too. Others are no threshold,
 * as the search wants it for microbatches in flight. */
static bool wants_less(const struct clusters_where *w, int part)
{
    static const char *const memory[] = {"hbm_bytes", NULL}, *const none[] = {NULL};
    const struct expression *e = &w->all.part[part];
    const struct rk_outcome nothing = {.hbm_bytes = 0};
    const char *name;
    return !(e->reads & READS_PLAN) && expression_names(e) == 1 &&
           expression_keeps_to(e, memory, none, &name) && holds(w, part, NULL, &nothing);
}

static enum rk_status settle_needs(struct clusters_where *w, struct rk_error *error)
{
    static const char *const none[] = {NULL};
    /* of the whole plan, not of a stage */
    static const char *const of_plans[] = {"pipeline", "chunks", "split", NULL};
    static const char *const of_none[] = {"split", NULL};
    const char *all[MAX_FIGURES + 1] = {NULL};
    const struct rk_figure *f = NULL;
    for (int i = 0; (f = rk_figure_next(f, RK_BY_RECKON)) && i < MAX_FIGURES; i++)
        all[i] = f->name;
    for (int i = 0; i < w->all.count; i++) {
        const struct expression *e = &w->all.part[i];
        const char *name;
        w->needs[i] = expression_keeps_to(e, none, of_plans, &name) ? KNOWS_PLAN
                      : wants_less(w, i)                            ? KNOWS_MEMORY
                                                                    : KNOWS_ALL;
        if (!expression_keeps_to(e, all, of_none, &name))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "`where`: %s is not known over several clusters", name);
    }
    return RK_OK;
}

enum rk_status clusters_where_open(struct clusters_where **where,
                                   struct clusters_question *question,
                                   const struct rk_plans_problem *problem, const char *text,
                                   struct rk_error *error)
{
    struct clusters_where *w = *where = calloc(1, sizeof *w);
    if (!w) return no_memory(error);
    w->problem = problem;
    enum rk_status status = RK_OK;
    if (text) status = conjuncts_open(&w->all, &clusters_predictor, text, error);
    if (status == RK_OK) status = settle_needs(w, error);
    if (status != RK_OK) return status;
    bool some = text != NULL;
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        some |= restricts_stages(problem, (enum rk_plan_axis)axis);
    w->filter = (struct clusters_filter){w, holds_of_stage, holds_of_plan};
    if (some) question->filter = &w->filter;
    return RK_OK;
}

bool clusters_where_is_late(const struct clusters_where *w)
{
    for (int i = 0; i < w->all.count; i++)
        if (w->needs[i] == KNOWS_ALL) return true;
    return false;
}

void clusters_where_close(struct clusters_where *w)
{
    if (w) conjuncts_close(&w->all);
    free(w);
}
