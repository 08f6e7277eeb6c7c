/* fold_parts.h - parts of a fold with files of their own. */
#ifndef RECKON_ESTIMATE_FOLD_PARTS_H
#define RECKON_ESTIMATE_FOLD_PARTS_H

#include "estimate/fold.h"

static inline bool is_block(enum layer_kind kind)
{
    return kind != LAYER_EMBEDDING && kind != LAYER_HEAD;
}

static inline void fold_spend(struct layer_fold *fold, enum fold_pass pass, enum spending spending,
                              double time_s)
{
    fold->spent_s[pass][spending] += time_s;
    fold->pass_s[pass] += time_s;
}

/* What the device waits for the host, which starts `starts` kernels while it runs `device_s`. */
double host_wait_s(const struct rk_system *system, const struct rk_plan *plan, double starts,
                   double device_s);

/* What passes of an operation wait for and send, once all of the layer have their times
 * (fold_waits.c). */
void fold_waits(struct timed_layer *timed, const struct bench *bench, int at);

/* What the optimizer's step does beyond its states: Muon's matrices (fold_step.c). */
void fold_step(struct layer_fold *fold, const struct bench *bench, const struct rk_model *model,
               const struct layer *layer);

#endif
