/* offload_plans.h - what each rule makes of one plan: how much it keeps, moves and recomputes, and
 * what that means to the memories below an accelerator's. Tiers count from the first lower
 * one, 0. What simulates stores keeps its arrays from call to call: one thread at a time. */
#ifndef RECKON_OFFLOAD_PLANS_H
#define RECKON_OFFLOAD_PLANS_H

#include <reckon/offload.h>
#include <reckon/predict.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_offload_job {
    const struct rk_model *model;
    const struct rk_system *system; /* with a second memory */
    struct rk_plan plan;
    double lifetime_years; /* drives must last so long; 0: they need not */

    /* Over several clusters the replicas of a stage that are on one of them, each as a plan all of
     * whose stages are like these; a rule's share is the least that one of them may have. */
    int parts; /* 0: one cluster */
    struct rk_offload_job *part;
    int stage; /* of a part */
    const char *cluster;
    struct part_machine *machine;
};

/* Finds the parts of a job over several clusters, else none. RK_NOTHING_FITS when the plan cannot
 * run. Release in any case. */
RK_API enum rk_status rk_offload_open(struct rk_offload_job *job, struct rk_error *error);
RK_API void rk_offload_release(struct rk_offload_job *job);

/* The job, or the part that the prediction of a stage is of. */
RK_API const struct rk_offload_job *rk_offload_at(const struct rk_offload_job *job,
                                                  const struct rk_prediction *p, int stage);

/* ---- plans ---- */

/* All that layers hold, and their checkpoints, in these shares; and what is recomputed. On all
 * clusters. */
RK_API void rk_offload_set_shares(struct rk_plan *plan, const double share[RK_SHARE_TIERS]);
RK_API void rk_offload_recompute(struct rk_plan *plan, enum rk_recompute_mode how);

/* The job's plan with a share of its activations on a tier; `rest`: recompute the others. */
RK_API struct rk_plan rk_offload_with_share(const struct rk_offload_job *job, int tier,
                                            double share, bool rest);

/* MEMO's share and the best one of a plan with recompute_rest; -1: the host is too small. */
RK_API double rk_offload_share(const struct rk_offload_job *job, bool best);

/* The share of its layers' bytes that SSDTrain's rule stores on a tier; its last layer it never
 * does. */
RK_API double rk_offload_adaptive_share(const struct rk_offload_job *job, int tier);

/* One microbatch of the first stage, event by event, under SSDTrain's rule, on a tier whose rates
 * are `slower` times as slow, and a run that keeps all, for comparison. False: too many layers, or
 * no times. */
struct rk_offload_stored {
    int modules, stored; /* attention and MLP of each layer */
    double write_Bps, read_Bps;
    struct rk_store_run kept, run;
    struct rk_store_run early; /* with reads from the turn on, not two modules ahead */
};
RK_API bool rk_offload_simulate(const struct rk_offload_job *job, int tier, double slower,
                                struct rk_offload_stored *stored);

/* The fastest plan of all shares, tiers and both ways to treat the rest that fits; false: none. */
RK_API bool rk_offload_optimum(const struct rk_offload_job *job, struct rk_plan *plan,
                               struct rk_prediction *prediction);

/* ---- what a plan means to lower memories ---- */

RK_API int
rk_offload_tiers(const struct rk_system *system); /* of several clusters, that all have */

/* What the run's ranks have of a tier. */
RK_API struct rk_memory rk_offload_memory(const struct rk_offload_job *job, int tier);

/* The most that any stage writes to a tier in a step, and has there; bytes. */
RK_API double rk_offload_written(const struct rk_prediction *p, int tier);
RK_API double rk_offload_held(const struct rk_prediction *p, int tier);

/* The first memory that is too small, of the system's, for the stage that has most of it there; -1:
 * none is. */
RK_API int rk_offload_small_tier(const struct rk_offload_job *job, const struct rk_prediction *p,
                                 int *stage);

/* Until the first drives are worn out; and of drives that are bought again as they wear out. */
RK_API double rk_offload_life_years(const struct rk_offload_job *job,
                                    const struct rk_prediction *p);
/* The same without what drives bear more when data last a day. */
RK_API double rk_offload_rated_life_years(const struct rk_offload_job *job,
                                          const struct rk_prediction *p);
RK_API double rk_offload_cost_USD_a_year(const struct rk_offload_job *job,
                                         const struct rk_prediction *p);

/* Does it fit everywhere, and do drives last? */
RK_API bool rk_offload_counts(const struct rk_offload_job *job, const struct rk_prediction *p);

/* ---- by tensor instead of by token ---- */

enum { RK_OFFLOAD_TENSORS = 4096 };

/* What the layers of a mean block keep, but for attention's, each with the time that it takes to
 * bring it again: its operation's and those before it that keep nothing. Returns how many;
 * `tensor` has room for RK_OFFLOAD_TENSORS. */
RK_API int rk_offload_tensors(const struct rk_offload_job *job, struct rk_swap_tensor *tensor);

/* Of the time to compute again by token, how much by tensor takes for the same bytes. */
RK_API double rk_offload_by_tensor(const struct rk_offload_job *job, double share);

/* ---- by tensor and layer ---- */

/* A tensor of the first stage's layers, of one microbatch. */
struct rk_offload_tensor {
    const char *name;          /* NULL: what is always swapped, input and attention */
    double bytes, again_s;     /* of a layer */
    double to[RK_SHARE_TIERS]; /* shares that go to each tier */
    double again;              /* ... that are recomputed */
    int all, some;             /* layers that offload all of it, some of it */
};

struct rk_offload_dealt {
    int tensors, layers, tiers;
    struct rk_offload_tensor *tensor; /* (tensors) */
};

/* The first stage's layers and tensors over all tiers, hidden, as much as arrives in time; of one
 * cluster. The plan and its prediction; false: too many layers, or not even what must go does.
 * Release in any case. */
RK_API bool rk_offload_deal(const struct rk_offload_job *job, struct rk_plan *plan,
                            struct rk_prediction *prediction, struct rk_offload_dealt *dealt);
RK_API void rk_offload_dealt_release(struct rk_offload_dealt *dealt);

#ifdef __cplusplus
}
#endif

#endif
