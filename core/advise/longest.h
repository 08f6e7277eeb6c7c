/* longest.h - candidates for the longest sequence over several clusters; require p->over. */
#ifndef RECKON_ADVISE_LONGEST_H
#define RECKON_ADVISE_LONGEST_H

#include <reckon/longest.h>

bool longest_fits_over(struct rk_longest *p, const struct rk_longest_candidate *c, uint64_t tokens,
                       struct rk_plan *plan);
const char *longest_limit_over(struct rk_longest *p, uint64_t tokens, enum rk_longest_kind kind);

#endif
