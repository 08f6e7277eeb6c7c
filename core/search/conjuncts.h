/* conjuncts.h - a condition as what has to hold together: "hbm <= 60GiB and (tp == 1 or tp == 2)"
 * is two. Where a search knows a part of a plan, those that read nothing else are decided. */
#ifndef RECKON_SEARCH_CONJUNCTS_H
#define RECKON_SEARCH_CONJUNCTS_H

#include "search/expression.h"

enum { MOST_CONJUNCTS = 16 };

struct conjuncts {
    int count;
    struct expression *part; /* (count) */
};

/* RK_BAD_ARGUMENT with the column when the condition is wrong. Close in any case. */
enum rk_status conjuncts_open(struct conjuncts *conjuncts, const struct predictor *predictor,
                              const char *text, struct rk_error *error);
void conjuncts_close(struct conjuncts *conjuncts); /* a zeroed one is fine */

#endif
