/* search.h - a search shared with others: what rk_search does with a team of one. */
#ifndef RECKON_SEARCH_SEARCH_H
#define RECKON_SEARCH_SEARCH_H

#include "search/topk.h"

/* Processes that search together, each going through the same rounds. */
struct search_team {
    void *context;
    int rank;
    /* A new round of `units` units begins; everybody calls it. */
    void (*begin)(void *context, int units);
    /* The next unit of the round that nobody has, or `units` when none is left. One thread at a
     * time. */
    int (*claim)(void *context);
    /* Everybody's sums and best ones, to everybody, at the end of a round; whether anybody was
     * stopped. */
    bool (*merge)(void *context, struct rk_search_counts *counts, struct rk_search_explain *explain,
                  struct topk *best, bool stopped);
};

/* As rk_search, with `team` or NULL. */
enum rk_status search_with(const struct rk_space *space, const struct rk_search_options *options,
                           const struct search_team *team, struct rk_search_result *result,
                           struct rk_error *error);

#endif
