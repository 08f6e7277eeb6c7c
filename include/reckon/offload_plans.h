/* offload_plans.h - what each rule makes of one plan: how much it keeps, moves and recomputes, and
 * what that means to the memories below an accelerator's. Tiers count from the first lower
 * one, 0. */
#ifndef RECKON_CLI_OFFLOAD_PLANS_H
#define RECKON_CLI_OFFLOAD_PLANS_H

#include "base/limits.h"
#include "clusters/predict.h"

#include <reckon/offload.h>
#include <reckon/reckon.h>

struct offload_job {
    const struct rk_model *model;
    const struct rk_system *system; /* with a second memory */
    struct rk_plan plan;
    double lifetime_years; /* drives must last so long; 0: they need not */

    /* Over several clusters the replicas of a stage that are on one of them, each as a plan all of
     * whose stages are like these; a rule's share is the least that one of them may have. */
    int parts; /* 0: one cluster */
    struct offload_job *part;
    int stage; /* of a part */
    const char *cluster;
    struct part_machine *machine;
};

/* Finds the parts of a job over several clusters, else none. RK_NOTHING_FITS when the plan cannot
 * run. Release in any case. */
enum rk_status offload_open(struct offload_job *job, struct rk_error *error);
void offload_release(struct offload_job *job);

/* The job, or the part that the prediction of a stage is of. */
const struct offload_job *offload_at(const struct offload_job *job, const struct rk_prediction *p,
                                     int stage);

/* ---- plans ---- */

/* All that layers hold, and their checkpoints, in these shares; and what is recomputed. On all
 * clusters. */
void offload_set_shares(struct rk_plan *plan, const double share[RK_SHARE_TIERS]);
void offload_recompute(struct rk_plan *plan, enum rk_recompute_mode how);

/* The job's plan with a share of its activations on a tier; `rest`: recompute the others. */
struct rk_plan offload_with_share(const struct offload_job *job, int tier, double share, bool rest);

/* MEMO's share and the best one of a plan with recompute_rest; -1: the host is too small. */
double offload_share(const struct offload_job *job, bool best);

/* The share of its layers' bytes that SSDTrain's rule stores on a tier; its last layer it never
 * does. */
double offload_adaptive_share(const struct offload_job *job, int tier);

/* One microbatch of the first stage, event by event, under SSDTrain's rule, on a tier whose rates
 * are `slower` times as slow, and a run that keeps all, for comparison. False: too many layers, or
 * no times. */
struct offload_stored {
    int modules, stored; /* attention and MLP of each layer */
    double write_Bps, read_Bps;
    struct rk_store_run kept, run;
    struct rk_store_run early; /* with reads from the turn on, not two modules ahead */
};
bool offload_simulate(const struct offload_job *job, int tier, double slower,
                      struct offload_stored *stored);

/* The fastest plan of all shares, tiers and both ways to treat the rest that fits; false: none. */
bool offload_optimum(const struct offload_job *job, struct rk_plan *plan,
                     struct rk_prediction *prediction);

/* ---- what a plan means to lower memories ---- */

int offload_tiers(const struct rk_system *system); /* of several clusters, that all have */

/* What the run's ranks have of a tier. */
struct rk_memory offload_memory(const struct offload_job *job, int tier);

/* The most that any stage writes to a tier in a step, and has there; bytes. */
double offload_written(const struct rk_prediction *p, int tier);
double offload_held(const struct rk_prediction *p, int tier);

/* The first memory that is too small, of the system's, for the stage that has most of it there; -1:
 * none is. */
int offload_small_tier(const struct offload_job *job, const struct rk_prediction *p, int *stage);

/* Until the first drives are worn out; and of drives that are bought again as they wear out. */
double offload_life_years(const struct offload_job *job, const struct rk_prediction *p);
/* The same without what drives bear more when data last a day. */
double offload_rated_life_years(const struct offload_job *job, const struct rk_prediction *p);
double offload_cost_USD_a_year(const struct offload_job *job, const struct rk_prediction *p);

/* Does it fit everywhere, and do drives last? */
bool offload_counts(const struct offload_job *job, const struct rk_prediction *p);

/* ---- by tensor instead of by token ---- */

/* What the layers of a mean block keep, but for attention's, each with the time that it takes to
 * bring it again: its operation's and those before it that keep nothing. Returns how many. */
int offload_tensors(const struct offload_job *job, struct rk_swap_tensor tensor[MOST_OPERATIONS]);

/* Of the time to compute again by token, how much by tensor takes for the same bytes. */
double offload_by_tensor(const struct offload_job *job, double share);

#endif
