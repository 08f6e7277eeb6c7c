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

/* Has it what trainers around Hugging Face's have, and torchtitan and DeepSpeed's file do not?
 * Activations go away in those on data-parallel ranks alone. */
static inline bool plan_of_trainers(const struct rk_plan *plan)
{
    const bool data = plan->tensor == 1 && plan->context == 1 && plan->pipeline == 1;
    return habits_of(plan)->libraries && plan->sequence_chunks <= 1 &&
           (rk_plan_is_torchs(plan) || plan->loss_in_chunks || plan->autocast ||
            plan->loss != RK_LOSS_USUAL || plan->optimizer != RK_ADAM ||
            plan->weight_element_bytes == 2 || (data && rk_plan_activations_away(plan) > 0));
}

#endif
