/* memory.h - rules 5.states and 5.stage, and what another plan would be predicted to do. */
#ifndef RECKON_CHECK_MEMORY_H
#define RECKON_CHECK_MEMORY_H

#include <reckon/check.h>

/* Of a host that the system does not tell of, where a file offloads. */
#define CHECK_HOST_BYTES 0x1p50

/* 5.stage with the verdict that reckon predict gives of what a tier of memory is to hold: a remark
 * where it is unsure that it fits, a warning where it does not, an error where it is certain not to
 * (`exact`: from a byte too much on). NULL: it fits. The caller says what needs it. */
struct rk_finding *memory_blame(const struct rk_model *model, const struct rk_plan *plan,
                                bool exact, int tier, double need, double capacity,
                                struct rk_findings *findings);

void check_memory(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, const struct rk_launch *launch,
                  struct rk_findings *findings);

/* Says in the finding's fix how much faster tensor degree `inside` is, the rest of it as
 * pipeline stages. */
void memory_compare(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, uint64_t inside, struct rk_finding *finding);

#endif
