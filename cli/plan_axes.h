/* plan_axes.h - the axes of the space of plans (rk_plan_axis_info) as options of a search:
 * `--tensor 8`, `--tensor 8,16`, `--tensor 1..64`, `--recompute none,full`, `--weight-offload yes`.
 */
#ifndef RECKON_CLI_PLAN_AXES_H
#define RECKON_CLI_PLAN_AXES_H

#include "catalog/plan_fields.h"
#include "cli/options.h"
#include "report/report.h"
#include <reckon/plans.h>

struct plan_axis_values {
    struct option_values axis[RK_PLAN_AXES]; /* RK_PLAN_RECOMPUTE: of enum rk_recompute_mode */
    const char *parts;  /* --recompute-parts: "core_attn+layernorm,mlp"; NULL: not given */
    const char *shares; /* --activation-shares: "0,0.5,1", "all"; NULL: not given */
    bool uneven;        /* --uneven: --split balanced */
};

/* A row for each axis; offsets are in struct plan_axis_values. Empty before plan_axes_prepare(). */
enum { PLAN_AXES_ROWS = RK_PLAN_AXES + 4 };
extern struct option plan_axes_options[PLAN_AXES_ROWS];
void plan_axes_prepare(void);

/* The axis' name with '_' for '-': the key in JSON and CSV. */
const char *plan_axis_key(enum rk_plan_axis axis);

/* The axis as a column, and a plan's value on it; words go to `buffer`. */
struct report_column plan_axis_column(enum rk_plan_axis axis);
struct report_cell plan_axis_cell(const struct rk_plan *plan, enum rk_plan_axis axis,
                                  char buffer[RK_PLAN_AXIS_TEXT]);

/* The name of something given that only one predictor has; NULL when there is none. */
const char *plan_axes_only(const struct plan_axis_values *values, enum rk_by by);

/* Restricts the problem to what was given. RK_BAD_ARGUMENT when a tier is not there. */
enum rk_status plan_axes_restrict(const struct plan_axis_values *values,
                                  struct rk_plans_problem *problem, struct rk_error *error);

/* Restricts each axis whose value the words of a plan say. RK_BAD_ARGUMENT when the axis is
 * restricted already. An axis that the predictor of the problem's framework has not, but whose
 * member it gives a meaning to, is said by problem->base alone. */
enum rk_status plan_axes_take(const struct plan_draft *draft, struct rk_plans_problem *problem,
                              struct rk_error *error);

/* RK_BAD_ARGUMENT where no plan of the framework has the objective: whatever its degrees are. */
enum rk_status plan_objective_check(const struct rk_plan *plan, struct rk_error *error);

/* What a draft says as what all plans have: an axis is restricted to its word, everything else
 * stands in problem->base, whose ranks, batch and sequence stay. */
enum rk_status plan_problem_take(const struct plan_draft *draft, struct rk_plans_problem *problem,
                                 struct rk_error *error);

/* RK_BAD_ARGUMENT where a model without experts is asked for what only such have. */
enum rk_status plan_axes_check(const struct rk_plans_problem *problem, struct rk_error *error);

/* Does the axis apply to the plan (NULL: to any plan) of the model on the machine? */
bool plan_axis_says(enum rk_plan_axis axis, const struct rk_model *model,
                    const struct rk_system *system, const struct rk_plan *plan);

#endif
