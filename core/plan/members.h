/* members.h - which member of a plan means something to which predictor. */
#ifndef RECKON_PLAN_MEMBERS_H
#define RECKON_PLAN_MEMBERS_H

#include <reckon/plan.h>

/* The key of the first member that is not as rk_plan_default() has it although it means nothing to
 * this predictor; NULL: there is none. */
const char *plan_beyond(const struct rk_plan *plan, enum rk_by by);

/* rk_plan_default() of a framework, with what is usual there. */
struct rk_plan plan_of_framework(enum rk_framework framework);

/* The share of a class of tensors that is in any lower tier. */
static inline double share_away(const struct rk_plan *plan, enum rk_share share)
{
    return rk_plan_away(plan, share);
}

#endif
