/* memory.h - rules 5.states and 5.stage, and what another plan would be predicted to do. */
#ifndef RECKON_CHECK_MEMORY_H
#define RECKON_CHECK_MEMORY_H

#include <reckon/check.h>

void check_memory(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, const struct rk_launch *launch,
                  struct rk_findings *findings);

/* Says in the finding's fix how much faster tensor degree `inside` is, the rest of it as
 * pipeline stages. */
void memory_compare(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, uint64_t inside, struct rk_finding *finding);

#endif
