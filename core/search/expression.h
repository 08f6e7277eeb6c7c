/* expression.h - conditions and keys over the figures and axes of a predictor's plans.
 *
 *     or := and { "or" and }         and := not { "and" not }       not := ["not"] comparison
 *     comparison := sum [ ("<" | "<=" | ">" | ">=" | "==" | "=" | "!=") sum ]
 *     sum := product { ("+" | "-") product }       product := unary { ("*" | "/") unary }
 *     unary := ["-"] ( number [unit | "%"] | name | "(" or ")" )
 *
 * Compiled once into a list for a stack machine; evaluation is pure and does not allocate. Both
 * sides of a comparison or a sum have one unit: seconds are not compared with bytes. A plain number
 * goes with seconds, counts and shares; with bytes where they are given by the full name,
 * hbm_bytes, or scaled by a thousand or more, hbm / 1e9. A percentage goes with shares.
 */
#ifndef RECKON_SEARCH_EXPRESSION_H
#define RECKON_SEARCH_EXPRESSION_H

#include "search/expression_terms.h"
#include "search/predictor.h"

/* Figures that a search has without a prediction of the plan. */
enum quick_figure {
    QUICK_STEP,
    QUICK_SAMPLES,
    QUICK_TOKENS,
    QUICK_HBM,
    QUICK_LOWER, /* of some plans */
    QUICK_MFU,   /* likewise, as those that follow */
    QUICK_HFU,
    QUICK_MFU_FULL,
    QUICK_MFU_AS_MEGATRON,
    QUICK_FIGURES
};

/* Where they are among the figures of a predictor; -1: it has none. */
void quick_places(const struct predictor *predictor, int place[QUICK_FIGURES]);

/* Compiles `length` characters; `first` is what column 1 of messages stands for. RK_BAD_ARGUMENT
 * with the column when it is wrong. */
enum rk_status expression_compile(struct expression *expression, const struct predictor *predictor,
                                  const char *text, size_t length, size_t first,
                                  struct rk_error *error);

/* The same for what holds or does not: RK_BAD_ARGUMENT also for a mere figure, as "hbm". */
enum rk_status expression_compile_condition(struct expression *expression,
                                            const struct predictor *predictor, const char *text,
                                            struct rk_error *error);

/* `plan` may be NULL without READS_PLAN; of `figure` only what is read counts. */
double expression_value(const struct expression *expression, const struct rk_plan *plan,
                        const double *figure);

/* Does it read no figures but these, and none of these axes? Lists end with NULL. If not, `name` is
 * the first one that it reads. */
bool expression_keeps_to(const struct expression *expression, const char *const *figures,
                         const char *const *no_axes, const char **name);

/* How often it reads a figure or an axis. */
int expression_names(const struct expression *expression);

/* The figure that a name or a short name stands for; NULL: there is none. */
const struct rk_figure *expression_figure(const struct predictor *predictor, const char *name);

#endif
