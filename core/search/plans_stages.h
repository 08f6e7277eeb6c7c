/* plans_stages.h - the choices of BUNDLE_STAGES, before any layer is folded.
 *
 * A tuple of BUNDLE_STAGES is recompute, chunks, recompute_layers, split, blocking, schedule.
 * Tuples that differ in the schedule alone are a division: the same blocks on the same stages; each
 * V-shaped schedule is one of its own. Divisions that differ only in recomputation have the same
 * blocks, so they share a shape. Which blocks a stage has depends on the pipeline degree and the
 * shape, so it is computed once for each of the few degrees.
 */
#ifndef RECKON_SEARCH_PLANS_STAGES_H
#define RECKON_SEARCH_PLANS_STAGES_H

#include "estimate/stages.h"
#include "search/plans_space.h"

/* Schedules to choose from. */
struct timetable {
    uint64_t chunks;
    bool whole; /* layers are recomputed whole; of interest where the exchange of experts may
                   overlap */
    int schedules;
    enum rk_schedule schedule[RK_SCHEDULES];
};

/* Recomputations that keep a layer's inputs alone hold more while they work than those that keep
 * some of its tensors: extremes of the two are apart. */
enum family { KEEPS_TENSORS, KEEPS_INPUTS, FAMILIES };

static inline enum family family_of(uint64_t recompute)
{
    return (recompute & 3) == RK_WHOLE ? KEEPS_INPUTS : KEEPS_TENSORS;
}

struct division {
    uint64_t tuple;     /* the first one: as many as the timetable has schedules */
    uint32_t recompute; /* index into stage_sets.recompute */
};

struct shape {
    uint64_t first, end; /* divisions */
    uint32_t timetable;
    bool refused; /* by CHECK_STAGES */
    enum rk_verdict verdict;
    bool balanced;    /* by time: stages are dealt when layers are folded */
    bool some_layers; /* of a stage are recomputed, the others are not */
    bool as_it_is;    /* without recomputation */
    uint32_t lighter; /* another shape whose stages have the same blocks and recompute all of them;
                         itself: none */
    int parts;        /* virtual stages */
    uint64_t divisions[FAMILIES]; /* by family of recomputation */
    /* Unless refused or balanced. Where a shape has divisions with and without recomputation,
     * blocks count as recomputed: without recomputation they cost the same as other blocks. */
    struct stage_map map;
};

struct stage_set {
    const struct stage_sets *all;
    const struct choices *choices;
    const struct layout *layout; /* one that has it */
    uint64_t pipeline;
    bool failed; /* there was no memory to fill it */
    uint64_t divisions, shapes, timetables;
    struct division *division;   /* (divisions) by shape */
    struct shape *shape;         /* (shapes) */
    struct timetable *timetable; /* (timetables) */
    struct stage_blocks *blocks; /* of all maps */
};

/* One set for each layout of the space that differs. */
struct stage_sets {
    uint64_t count;
    struct stage_set *set;
    uint32_t *of_layout; /* (layouts) index into set */
    uint64_t recomputes;
    uint64_t *recompute; /* (recomputes) values of RK_PLAN_RECOMPUTE */
};

/* How many values of RK_PLAN_RECOMPUTE the space has. */
uint64_t stages_recomputes(const struct rk_plans *plans);

/* Lists the sets; each is then filled, by any thread. NULL when there is no memory. */
struct stage_sets *stage_sets_open(const struct rk_plans *plans);
void stage_set_fill(struct stage_set *set, const struct rk_plans *plans);

/* False when there was no memory for one of them. */
bool stage_sets_filled(const struct stage_sets *sets);
void stage_sets_close(struct stage_sets *sets);

#endif
