/* expression.h - conditions and keys over the figures and axes of a strategy.
 *
 *     or := and { "or" and }         and := not { "and" not }       not := ["not"] comparison
 *     comparison := sum [ ("<" | "<=" | ">" | ">=" | "==" | "=" | "!=") sum ]
 *     sum := product { ("+" | "-") product }       product := unary { ("*" | "/") unary }
 *     unary := ["-"] ( number [unit] | name | "(" or ")" )
 *
 * Compiled once into a list for a stack machine; evaluation is pure and does not allocate.
 */
#ifndef RECKON_SEARCH_EXPRESSION_H
#define RECKON_SEARCH_EXPRESSION_H

#include <reckon/estimate.h>
#include <reckon/search.h>

enum { EXPRESSION_TERMS = 128 };

struct expression {
    int terms;
    struct term {
        int kind; /* enum term_kind in expression.c */
        double number;
        size_t offset;     /* of a figure */
        enum rk_axis axis; /* of an axis */
    } term[EXPRESSION_TERMS];
    bool needs_estimate; /* reads a figure beyond those of expression_is_quick */
    bool more_is_better; /* a single figure of which more is better */
};

/* step_s, hbm_bytes, offload_bytes, samples_per_s, tokens_per_s: known without an estimate. */
bool expression_is_quick(size_t offset);

/* Compiles `length` characters; `first` is what column 1 of messages stands for. RK_USAGE with
 * the column when it is wrong. */
enum rk_status expression_compile(struct expression *expression, const char *text, size_t length,
                                  size_t first, struct rk_error *error);

double expression_value(const struct expression *expression, const struct rk_strategy *strategy,
                        const struct rk_estimate *estimate);

#endif
