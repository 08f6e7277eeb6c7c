/* nearest.h - the measured runs that are most like a plan (likeness.h).
 *
 * They come from the catalog's table measured/steps.csv, which reckon validate --steps writes: each
 * run whose step was measured, with what is predicted of it as of a source that nobody has seen
 * (rules.h). Of each source the nearest: runs of a sweep are alike.
 */
#ifndef RECKON_FACTS_NEAREST_H
#define RECKON_FACTS_NEAREST_H

#include "facts/results.h"
#include "text/csv.h"

struct measured_step {
    const char *id, *group, *source, *system; /* point into the table, as all texts here */
    const char *published;                    /* "benchmark", "ordinary" */
    const char *words;                        /* of its plan: most are never looked at */
    uint64_t gpus, layers, hidden;
    double measured_s, predicted_s;
};

struct measured_steps {
    size_t count;
    struct measured_step *step; /* (count) */
    struct csv table;
};

/* RK_BAD_INPUT: the file cannot be read, or a line's times are wrong; RK_NO_MEMORY: no memory. */
enum rk_status steps_load(const char *path, struct measured_steps *steps, struct rk_error *error);
void steps_release(struct measured_steps *steps); /* a zeroed list is fine */

/* RK_BAD_INPUT: the line has no words of a plan. */
enum rk_status measured_step_plan(const struct measured_steps *steps, size_t i,
                                  struct rk_plan *plan, struct rk_error *error);

/* Is it a run that the table has? One on several kinds of GPU has no plan of words. */
bool is_measured_step(const struct result *result);

enum { NEAREST_RUNS = 3 };

struct nearest {
    int count;
    double likeness[NEAREST_RUNS]; /* 1: the same plan, 0: nothing in common; falling */
    const struct measured_step *step[NEAREST_RUNS]; /* point into the list */
    struct rk_plan plan[NEAREST_RUNS];
};

/* RK_NO_MEMORY: no memory; RK_BAD_INPUT: a line that comes near has no words of a plan. */
enum rk_status nearest_among(const struct measured_steps *steps, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             struct nearest *nearest, struct rk_error *error);

/* The catalog's table, read once; empty where it has none. Not safe to call first from two threads.
 */
const struct measured_steps *measured_steps_own(void);

/* Of the catalog's, which are read once; none where it has none. Not safe to call first from two
 * threads. */
enum rk_status nearest_runs(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_plan *plan, struct nearest *nearest,
                            struct rk_error *error);

#endif
