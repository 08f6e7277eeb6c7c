/* state.h - a search's progress as bytes, so that it can be stopped at any time and continue.
 *
 * They hold what was decided up to the end of a round, a fingerprint of the problem, and a
 * checksum. The layout is that of this build's structs: another build refuses it.
 */
#ifndef RECKON_SEARCH_STATE_H
#define RECKON_SEARCH_STATE_H

#include "search/question.h"

struct search_state {
    int part, first, size; /* the next round: its part, first unit and number of units */
    uint64_t matches;
    struct rk_search_counts counts;
    struct rk_search_explain explain;
};

/* How many bytes state_write needs. */
size_t state_size(const struct finds *finds);
void state_write(void *bytes, uint64_t fingerprint, const struct search_state *state,
                 const struct finds *finds);

/* The other way round; `finds` must have the writer's room, and `plans` are those of the space.
 * RK_BAD_INPUT when the bytes are not a whole state, belong to another search, or say what no
 * search does. */
enum rk_status state_read(const void *bytes, size_t size, uint64_t fingerprint, uint64_t plans,
                          struct search_state *state, struct finds *finds, struct rk_error *error);

#endif
