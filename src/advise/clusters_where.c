#include "advise/clusters_where.h"

#include "advise/clusters_figures.h"
#include "base/memory.h"
#include "search/conjuncts.h"

#include <math.h>
#include <stdlib.h>

/* What has to be known for a part of the condition. */
enum known { KNOWS_PLAN, KNOWS_MEMORY, KNOWS_ALL };

struct clusters_where {
    struct conjuncts all;
    enum known needs[MOST_CONJUNCTS];
    struct clusters_filter filter;
    struct given_plan given;
    double needed_flop;
};

static bool holds(const struct clusters_where *w, int part, const struct rk_plan *plan,
                  const struct rk_outcome *o)
{
    struct outcome figures;
    outcome_of(o, &figures);
    return expression_value(&w->all.part[part], plan, figures.figure) != 0;
}

static bool holds_of_stage(void *context, const struct rk_plan *plan, double hbm_bytes)
{
    const struct clusters_where *w = context;
    const enum known known = isnan(hbm_bytes) ? KNOWS_PLAN : KNOWS_MEMORY;
    const struct rk_outcome outcome = {.hbm_bytes = hbm_bytes};
    for (int i = 0; i < w->all.count; i++)
        if (w->needs[i] == known && !holds(w, i, plan, &outcome)) return false;
    return true;
}

static bool holds_of_plan(void *context, const struct clusters_question *question,
                          const struct clusters_plan *plan)
{
    struct clusters_where *w = context;
    struct rk_outcome outcome;
    given_of(question, plan, &w->given);
    clusters_outcome(question, &w->given, plan, w->needed_flop, &outcome);
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        outcome.hbm_bytes = s->bytes;
        outcome.offload_bytes = 0;
        for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
            outcome.offload_bytes += s->memory.away_bytes[tier];
        for (int k = 0; k < w->given.stage[i].parts; k++) {
            struct given_part *part = &w->given.stage[i].part[k];
            part->most = s->microbatch;
            const struct rk_plan own = clusters_part_plan(question, &w->given, part);
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
    for (int i = 0; i < w->all.count; i++) {
        const struct expression *e = &w->all.part[i];
        const char *name;
        w->needs[i] = expression_keeps_to(e, none, of_plans, &name) ? KNOWS_PLAN
                      : wants_less(w, i)                            ? KNOWS_MEMORY
                                                                    : KNOWS_ALL;
        if (!expression_keeps_to(e, clusters_figures, of_none, &name))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "`where`: %s is not known over several clusters: step, rate, "
                           "tokens_per_s, mfu, hbm, mem2 and the degrees and choices of stages are",
                           name);
    }
    return RK_OK;
}

enum rk_status clusters_where_open(struct clusters_where **where, struct clusters_input *input,
                                   const char *text, struct rk_error *error)
{
    struct clusters_where *w = *where = calloc(1, sizeof *w);
    if (!w) return no_memory(error);
    enum rk_status status =
        conjuncts_open(&w->all, predictor_of(input->question.words.framework), text, error);
    if (status == RK_OK) status = settle_needs(w, error);
    if (status == RK_OK) status = clusters_needed_flop(&input->question, &w->needed_flop, error);
    if (status != RK_OK) return status;
    w->filter = (struct clusters_filter){w, holds_of_stage, holds_of_plan};
    input->question.filter = &w->filter;
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
