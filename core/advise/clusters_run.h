/* clusters_run.h - a whole run of a plan over several clusters: one campaign for all of it, and
 * what each cluster has of it. */
#ifndef RECKON_ADVISE_CLUSTERS_RUN_H
#define RECKON_ADVISE_CLUSTERS_RUN_H

#include "catalog/clusters_plan.h"
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

/* Is a price that is said of the run that of each cluster which has one of its own? */
enum rk_status clusters_run_check(const struct rk_campaign_facts *facts, const struct rk_run *run,
                                  const struct rk_machine *machine, struct rk_error *error);

/* Of a plan that fits, over so many tokens. `assumed` (NULL: nobody reads it) says what was not
 * said. Errors are those of rk_run_campaign. */
enum rk_status clusters_run_of(const struct rk_campaign_facts *facts, const struct rk_run *run,
                               const struct rk_model *model, const struct rk_system *system,
                               const struct rk_plan *plan, double tokens,
                               struct clusters_run *whole, char *assumed, size_t size,
                               struct rk_error *error);

/* ---- a plan file of stages over clusters (catalog/clusters_plan.h) as any plan: clusters_file.c
 * ---- */

/* `draft` holds the file's members for all stages and the words of a line, which override them;
 * then the whole plan. RK_BAD_ARGUMENT when a word sets a member that each stage has of its own. */
enum rk_status clusters_file_settle(struct clusters_file *file, const struct rk_model *model,
                                    const struct rk_system *system, struct plan_draft *draft,
                                    struct rk_error *error);

#endif
