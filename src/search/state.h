/* state.h - a search's progress in a file, so that it can be stopped at any time and go on.
 *
 * The file holds what was decided up to the end of a round, and a fingerprint of the problem. It
 * is written beside and renamed: a reader finds the old state or the new one, whole.
 */
#ifndef RECKON_SEARCH_STATE_H
#define RECKON_SEARCH_STATE_H

#include "search/topk.h"

struct search_state {
    int part, first, size; /* the next round: its part, first unit and number of units */
    struct rk_search_counts counts;
    struct rk_search_explain explain;
};

/* Everything that the result depends on. */
uint64_t state_fingerprint(const struct rk_problem *problem,
                           const struct rk_search_options *options);

/* Reads the state into `state` and `best` (whose room must be that of the writer). A missing file
 * is RK_OK with *found false; another search's file is RK_BAD_INPUT. */
enum rk_status state_load(const char *path, uint64_t fingerprint, struct search_state *state,
                          struct topk *best, bool *found, struct rk_error *error);

enum rk_status state_save(const char *path, uint64_t fingerprint, const struct search_state *state,
                          const struct topk *best, struct rk_error *error);

#endif
