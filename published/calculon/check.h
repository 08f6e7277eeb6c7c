/* check.h - can a strategy run at all? Everything but memory, which needs the layer costs. */
#ifndef RECKON_CALCULON_CHECK_H
#define RECKON_CALCULON_CHECK_H

#include "calculon/result.h"
#include "calculon/strategy.h"

enum soundness {
    SENSELESS, /* something is zero, or not there: nothing can be computed */
    UNSOUND, /* degrees do not divide, options exclude each other or a network is not there: memory
                can still be judged */
    SOUND
};

/* Appends every reason but memory for which the plan cannot run to estimate->reason. */
enum soundness check_strategy(const struct rk_model *model, const struct rk_system *system,
                              const struct rk_strategy *strategy, struct rk_estimate *estimate);

/* Appends one reason. */
void check_add(struct rk_estimate *estimate, enum rk_verdict verdict, const char *what, int tier,
               double need, double have);

/* What the parallelisms put on one network tier; 1 when none uses it. */
double check_network_load(const struct rk_strategy *strategy, int tier);

/* RK_FITS, RK_NETWORK_TOO_SMALL or RK_NETWORK_NOT_FILLED. */
static inline enum rk_verdict check_network(const struct rk_network *network, double load)
{
    if (load == 1) return RK_FITS;
    if (load > (double)network->size) return RK_NETWORK_TOO_SMALL;
    if (network->must_be_filled && network->size % (uint64_t)load != 0)
        return RK_NETWORK_NOT_FILLED;
    return RK_FITS;
}

enum { OFFLOAD_MIN_BLOCKS = 3 }; /* one computing, one arriving, one leaving */

static inline bool check_offloads(const struct rk_strategy *s)
{
    return s->weight_offload > 0 || s->activation_offload > 0 || s->optimizer_offload > 0;
}

#endif
