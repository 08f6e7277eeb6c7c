/* plan_axes.h - the axes of the space of plans (rk_plan_axis_info) as options of a search.
 *
 * An axis of the published space that means the same is one option for both: --tensor, --pipeline,
 * --microbatch, --recompute, ... The others have rows of their own.
 */
#ifndef RECKON_CLI_PLAN_AXES_H
#define RECKON_CLI_PLAN_AXES_H

#include "cli/axes.h"
#include <reckon/plans.h>

struct plan_axis_values {
    struct option_values axis[RK_PLAN_AXES];
    const char *parts; /* --recompute-parts: "core_attn+layernorm,mlp"; NULL: not given */
    bool uneven;       /* --uneven: --split balanced */
};

/* Rows of the axes that the published space lacks; offsets are in struct plan_axis_values. Empty
 * before axes_prepare(). */
enum { PLAN_AXES_ROWS = RK_PLAN_AXES + 3 };
extern struct option plan_axes_options[PLAN_AXES_ROWS];
void plan_axes_prepare(void);

/* The axis' name with '_' for '-': the key in JSON and CSV. */
const char *plan_axis_key(enum rk_plan_axis axis);

/* Is anything given that the published space does not know? */
bool plan_axes_given(const struct plan_axis_values *values);

/* Restricts the problem to what was given, for both spaces or this one. RK_USAGE when an axis has
 * no counterpart here. */
enum rk_status plan_axes_restrict(const struct plan_axis_values *values,
                                  const struct axis_values *published,
                                  struct rk_plans_problem *problem, struct rk_error *error);

#endif
