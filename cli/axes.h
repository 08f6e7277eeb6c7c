/* axes.h - the axes of the strategy space (rk_axis) as options.
 *
 * `--tensor 8`, `--tensor 8,16`, `--tensor 1..64`, `--recompute none,attention`,
 * `--optimizer-sharding [yes|no|both]`, `--weight-offload [yes|no|TIER]`. An estimate takes one
 * value of each, a search any number.
 */
#ifndef RECKON_CLI_AXES_H
#define RECKON_CLI_AXES_H

#include "cli/options.h"
#include <reckon/search.h>

struct axis_values {
    struct option_values axis[RK_AXES];
};

/* One row per axis; the offsets are in struct axis_values. Empty before axes_prepare(), which
 * main() calls first of all and which prepares the rows of plan_axes.h, too. */
extern struct option axes_options[RK_AXES + 1];
void axes_prepare(void);

/* The axis' name with '_' for '-': the key in JSON and CSV. */
const char *axis_key(enum rk_axis axis);

static inline bool axis_given(const struct axis_values *values, enum rk_axis axis)
{
    return values->axis[axis].count > 0;
}

/* Restricts the problem to the values given. RK_USAGE when a tier is not there. */
enum rk_status axes_restrict(const struct axis_values *values, struct rk_problem *problem,
                             struct rk_error *error);

/* A strategy's value as people write it: "8", "yes", "rs_ag". Numbers go to `buffer`. */
const char *axis_text(const struct rk_strategy *strategy, enum rk_axis axis, char buffer[24]);

#endif
