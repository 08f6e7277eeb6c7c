/* target.h - what a plan loses when it is written for another tool: read back and compared. */
#ifndef RECKON_INTEROP_TARGET_H
#define RECKON_INTEROP_TARGET_H

#include "interop/notes.h"
#include "advise/compare.h"

/* A warning for each key in which the run differs from the plan. `outside`, ended by NULL, are keys
 * that the tool's file does not decide at all; `tool` is its name in the messages. */
enum rk_status target_compare(const struct rk_model *model, const struct rk_plan *plan,
                              const struct rk_plan *run, const char *tool,
                              const char *const *outside, struct notes *notes,
                              struct rk_error *error);

#endif
