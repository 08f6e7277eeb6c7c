/* engine.h - one question over one space, shared by threads and by processes: what rk_ask does with
 * a team of one.
 *
 * Units run in rounds. All units of a round begin with the limit that the rounds before found, so
 * what is timed and what a bound skips depends on the problem alone.
 */
#ifndef RECKON_SEARCH_ENGINE_H
#define RECKON_SEARCH_ENGINE_H

#include <reckon/search.h>

/* Processes that search together, each going through the same rounds. */
struct search_team {
    void *context;
    int rank;
    /* A new round of `units` units begins; everybody calls it. */
    void (*begin)(void *context, int units);
    /* The next unit of the round that nobody has, or `units` when none is left. One thread at a
     * time. */
    int (*claim)(void *context);
    /* This process is through with the round, in which it decided so many plans. */
    void (*end)(void *context, uint64_t decided);
    /* The sums over all processes, to everybody. */
    void (*sum)(void *context, uint64_t *number, int count);
    /* Everybody's items, `size` bytes each, to everybody: take() gets those of the others. */
    void (*share)(void *context, const void *items, uint64_t count, size_t size,
                  void (*take)(void *receiver, const void *item), void *receiver);
};

/* As rk_ask, with `team` or NULL. */
enum rk_status ask_with(const struct rk_space *space, const struct rk_query *query,
                        const struct search_team *team, struct rk_answer *answer,
                        struct rk_error *error);

/* Everything that its answer depends on, which a state (state.h) says. */
uint64_t state_fingerprint(const struct rk_space *space, const struct rk_query *query);

#endif
