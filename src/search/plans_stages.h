/* plans_stages.h - what the choices of stages mean before any layer is folded.
 *
 * A tuple of BUNDLE_STAGES is recompute, chunks, recompute_layers, split, blocking, schedule.
 * Tuples that differ in the schedule alone are a division: the same blocks on the same stages.
 * Divisions with the same recompute share a fold. Which blocks a stage has depends on the pipeline
 * degree and the tuple, so it is worked out once for each of the few degrees there are.
 */
#ifndef RECKON_SEARCH_PLANS_STAGES_H
#define RECKON_SEARCH_PLANS_STAGES_H

#include "estimate/stages.h"
#include "search/plans_space.h"

struct division {
    uint64_t first, end; /* tuples */
    bool refused;        /* by CHECK_STAGES */
    enum rk_verdict verdict;
    bool balanced;
    struct stage_map map; /* unless refused or balanced */
};

struct stage_set {
    const struct choices *choices;
    const struct layout *layout; /* one that has it */
    uint64_t pipeline;
    bool failed; /* there was no memory to fill it */
    uint64_t divisions;
    struct division *division;   /* (divisions) */
    struct stage_blocks *blocks; /* of all their maps */
};

/* One set for each layout of the space that differs. NULL when there is no memory. */
struct stage_sets {
    uint64_t count;
    struct stage_set *set;
    uint32_t *of_layout; /* (layouts) index into set */
};

/* Lists the sets; each is then filled, by any thread. */
struct stage_sets *stage_sets_open(const struct rk_plans *plans);
void stage_set_fill(struct stage_set *set, const struct rk_plans *plans);

/* False when there was no memory for one of them. */
bool stage_sets_filled(const struct stage_sets *sets);
void stage_sets_close(struct stage_sets *sets);

#endif
