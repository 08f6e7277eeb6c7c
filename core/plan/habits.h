/* habits.h - what the framework of a plan does by itself: habits.def. */
#ifndef RECKON_PLAN_HABITS_H
#define RECKON_PLAN_HABITS_H

#include <reckon/plan.h>

struct habits {
#define HABIT(type, name, megatron, fsdp, deepspeed, what) type name;
#include "plan/habits.def"
};
extern const struct habits habits_of_framework[RK_FRAMEWORKS];

static inline const struct habits *habits_of(const struct rk_plan *plan)
{
    return &habits_of_framework[plan->framework];
}

/* Are its layers Transformer Engine's, or the framework's own although they might be? */
static inline bool plan_has_engine(const struct rk_plan *plan)
{
    return habits_of(plan)->engine && plan->transformer_engine;
}

static inline bool plan_lacks_engine(const struct rk_plan *plan)
{
    return habits_of(plan)->engine && !plan->transformer_engine;
}

#endif
