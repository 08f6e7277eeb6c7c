/* nearest.h - the measured runs of the catalog that are most like a plan (likeness.h).
 *
 * Of each source the nearest: runs of a sweep are alike. Runs are read as those of sources that
 * nobody has seen (rules.h), with the systems as they are, and only the nearest are predicted:
 * reading the table takes a second or two.
 */
#ifndef RECKON_FACTS_NEAREST_H
#define RECKON_FACTS_NEAREST_H

#include "facts/results.h"

enum { NEAREST_RUNS = 3 };

struct nearest {
    int count;
    double likeness[NEAREST_RUNS];      /* 1: the same plan, 0: nothing in common; falling */
    struct result result[NEAREST_RUNS]; /* with its step, measured and predicted */
};

/* Errors: those of reading the catalog's table and rules; RK_IO: no memory. */
enum rk_status nearest_runs(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_plan *plan, struct nearest *nearest,
                            struct rk_error *error);

/* Of facts that were read. */
enum rk_status nearest_among(const struct facts *facts, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             struct nearest *nearest, struct rk_error *error);

#endif
