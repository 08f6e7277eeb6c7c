/* placement.h - what a plan takes for granted of where its ranks are. */
#ifndef RECKON_CLI_PLACEMENT_H
#define RECKON_CLI_PLACEMENT_H

#include "report/report.h"
#include <reckon/plan.h>
#include <reckon/system.h>

/* GPUs of a domain of fast links that whole groups of experts fill; 0: all of them. */
uint64_t placement_used(const struct rk_system *system, const struct rk_plan *plan);

/* Says which ranks of a domain of fast links are used, where groups of experts do not fill it, and
 * that nodes are not whole. One machine; no system: nothing. */
void placement_say(struct report *report, const struct rk_system *system,
                   const struct rk_plan *plan);

#endif
