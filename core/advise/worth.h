/* worth.h - what each difference between two plans is worth, by predicting them one at a time.
 *
 * `alone` is the first plan with one key as the second has it; `without` the second with one key as
 * the first has it. A path goes from the first plan to the second, at each step by the key that
 * makes the step shortest among those that can run: its changes sum up to the whole difference.
 */
#ifndef RECKON_ADVISE_WORTH_H
#define RECKON_ADVISE_WORTH_H

#include "catalog/plan_compare.h"
#include <reckon/predict.h>
#include <reckon/system.h>

/* What one prediction says; step_s counts only when it is timed. What cannot be launched is
 * RK_BAD_OPTION, and not timed. */
struct plan_judgement {
    enum rk_verdict verdict;
    bool timed;
    double step_s;
    double need_bytes; /* of the tightest stage */
};

struct plan_judgement plan_judge(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *plan, struct rk_prediction *scratch);

struct plan_worth {
    struct plan_difference difference;
    struct plan_judgement alone, without;
};

struct plan_path_step {
    uint64_t
        keys; /* bits of the worths that change together; several where no single one can run */
    struct plan_judgement after;
};

/* Can a plan on the way be launched? NULL: any. */
struct plan_launch {
    bool (*may)(const void *context, const struct rk_plan *plan);
    const void *context;
};

struct plan_worths {
    struct plan_judgement a, b;
    int count;
    struct plan_worth worth[PLAN_MAX_FIELDS];
    int steps;
    struct plan_path_step step[PLAN_MAX_FIELDS];
};

/* `scratch` is room for predictions, which are large. Both plans in canonical form. */
void plan_worths(const struct rk_model *model, const struct rk_system *system,
                 const struct rk_plan *a, const struct rk_plan *b, const struct plan_launch *launch,
                 struct plan_worths *worths, struct rk_prediction *scratch);

#endif
