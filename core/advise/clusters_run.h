/* clusters_run.h - a whole run of a plan over several clusters: one campaign for all of it, and
 * what each cluster has of it. */
#ifndef RECKON_ADVISE_CLUSTERS_RUN_H
#define RECKON_ADVISE_CLUSTERS_RUN_H

#include "clusters/predict.h"

#include <reckon/campaign.h>

struct clusters_run {
    /* Failures of all GPUs in use; the mean of their prices; what bytes over links cost of a step;
     * the mean of their power. 0: the price, or power, of some kind is not known. */
    struct rk_campaign campaign;
    double gpus[RK_MAX_CLUSTERS], all;   /* that the plan uses */
    double price_USDph[RK_MAX_CLUSTERS]; /* of a GPU; 0: not known */
    double power_W[RK_MAX_CLUSTERS];     /* of a GPU at work, in the mean; 0: not known */
    bool listed[RK_MAX_CLUSTERS];        /* the price is that of the list */
    double links_usd;                    /* of a step, for bytes over links */
};

/* Of a plan that fits, over so many tokens. `assumed` (NULL: nobody reads it) says what was not
 * said. Errors are those of rk_run_campaign. */
enum rk_status clusters_run_of(const struct rk_campaign_facts *facts, const struct rk_run *run,
                               const struct rk_model *model, const struct rk_system *system,
                               const struct rk_plan *plan, double tokens,
                               struct clusters_run *whole, char *assumed, size_t size,
                               struct rk_error *error);

#endif
