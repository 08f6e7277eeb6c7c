/* launch.h - inputs of a launch other than the plan: environment, checkpoint. */
#ifndef RECKON_CHECK_LAUNCH_H
#define RECKON_CHECK_LAUNCH_H

#include <reckon/check.h>

/* Rule 12.environment. */
void check_environment(const struct rk_system *system, const struct rk_plan *plan,
                       const struct rk_launch *launch, struct rk_findings *findings);

/* Rules 13.reshard and 13.model. */
void check_checkpoint(const struct rk_model *model, const struct rk_plan *plan,
                      const struct rk_checkpoint *checkpoint, struct rk_findings *findings);

#endif
