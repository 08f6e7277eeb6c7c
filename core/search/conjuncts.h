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

/* What a condition says of a figure alone, as "hbm <= 60GiB"; of a wrong one nothing. */
struct limits conjuncts_limits(const struct conjuncts *conjuncts);
struct limits condition_limits(const char *text, enum rk_framework framework);

/* Has it an `or` outside parentheses? Then it has no parts. */
bool condition_has_or(const char *text);

/* Where the part that begins at `at` ends: at an `and` outside parentheses, or with the text. */
size_t conjunct_end(const char *text, size_t at);

void conjuncts_close(struct conjuncts *conjuncts); /* a zeroed one is fine */

#endif
