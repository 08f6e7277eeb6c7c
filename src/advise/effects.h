/* effects.h - how a best time depends on each number of a machine, whoever finds that time. */
#ifndef RECKON_ADVISE_EFFECTS_H
#define RECKON_ADVISE_EFFECTS_H

#include <reckon/advise.h>

struct effects_question {
    const struct rk_system *system;
    const struct rk_plan *plan; /* whose framework and precision say which numbers count */
    double now_s;
    /* The best time on a machine with one number changed; INFINITY: nothing fits. */
    double (*best_s)(void *context, const struct rk_system *changed);
    bool (*stopped)(void *context); /* NULL: never */
    void *context;
};

/* Adds the effects of all numbers, in their order. RK_NO_MEMORY without memory. */
enum rk_status effects_add(const struct effects_question *question, struct rk_effects *effects,
                           struct rk_error *error);

/* One more; NULL: no memory. */
struct rk_effect *effects_room(struct rk_effects *effects);

/* The relative change of the time per that of the number, which was once 1 + `step` times, once
 * 1 - `step` times as much; a side that is not finite is left out. */
enum { EFFECTS_PERCENT = 10 };
double effects_sensitivity(double now_s, double more_s, double more, double less_s, double less);

#endif
