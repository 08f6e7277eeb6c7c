/* twin.h - the search, one strategy at a time through rk_estimate: the oracle of the fast ones. */
#ifndef RECKON_SEARCH_TWIN_H
#define RECKON_SEARCH_TWIN_H

#include <reckon/search.h>

/* RK_OK, or RK_IO when there is no memory. One thread; result->seconds stays 0. */
enum rk_status search_twin(const struct rk_space *space, const struct rk_search_options *options,
                           struct rk_search_result *result, struct rk_error *error);

#endif
