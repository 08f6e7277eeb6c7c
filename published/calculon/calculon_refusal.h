/* calculon_refusal.h - why an execution cannot run, in the words of Calculon [isaev2023].
 *
 * That tool looks at networks first, then at the interleaving, at the blocks that offloading needs,
 * at what tensor parallelism has to divide, and at the memories; the first that fails is its
 * answer. Users' scripts look for its texts.
 */
#ifndef RECKON_CALCULON_CALCULON_REFUSAL_H
#define RECKON_CALCULON_CALCULON_REFUSAL_H

#include "calculon/calculon.h"

#include <reckon/system.h>
#include <stdbool.h>

struct calculon_refusal {
    bool infeasible; /* that tool's error; else it is no valid execution, and fails an assertion */
    char text[256];  /* "Mem tier1 needs 2.132 TiB but only has 80.000 GiB" */
};

/* Requires an estimate of the strategy whose verdict is not RK_FITS. */
void calculon_refuse(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_strategy *strategy, const struct rk_estimate *estimate,
                     struct calculon_refusal *refusal);

#endif
