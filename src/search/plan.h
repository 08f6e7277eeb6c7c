/* plan.h - a search cut into units, in an order that does not depend on threads or ranks.
 *
 * The layer tables (folios) that units read are folded part by part, so that they stay within a
 * budget whatever the problem; nearly all problems have one part.
 */
#ifndef RECKON_SEARCH_PLAN_H
#define RECKON_SEARCH_PLAN_H

#include "search/unit.h"

/* One tensor degree: groups [first, end) of the space, and their microbatch sizes. */
struct degree {
    int first, end;
    int microbatches;
    uint64_t *microbatch; /* (microbatches) ascending */
};

/* Sizes [first, first + count) of a degree, folded together. */
struct portion {
    const struct degree *degree;
    int first, count;
    int part; /* portions with the same part are held at the same time */
};

struct plan {
    const struct rk_space *space;
    struct rows rows[2]; /* without and with tensor parallelism */
    int degrees, portions, parts;
    struct degree *degree;
    struct portion *portion;
    int part; /* the one at hand: */
    int folios, units, units_room;
    struct folio *folio;
    struct unit *unit; /* (units) the most promising first */
};

/* False when there is no memory; plan_close is needed all the same. */
bool plan_open(struct plan *plan, const struct rk_space *space);
void plan_close(struct plan *plan);

/* A part is prepared in steps, those with a job or a unit by any number of threads: begin; fold
 * every job; list_units; bound every unit; sort. False when there is no memory. */
bool plan_begin_part(struct plan *plan, int part);
int plan_fold_jobs(const struct plan *plan);
void plan_fold(struct plan *plan, int job);
bool plan_list_units(struct plan *plan);
void plan_bound(struct plan *plan, int unit);
void plan_sort(struct plan *plan);

/* Within a round the large units come first, so that threads end it together. */
void plan_sort_round(struct plan *plan, int first, int units);

#endif
