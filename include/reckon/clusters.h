/* clusters.h - the best plan over several clusters, and what a plan over them takes.
 *
 * A pipeline runs through clusters of unequal accelerators and networks (machine.h): each stage has its
 * cluster, layers, degrees, recomputation and offload. The search is exact for its objective,
 * sum of c + (m - 1) max c + what is waited for at the end; the event simulation then decides
 * between the plans that were the best for some pace. docs/clusters.md. Thread-safe.
 */
#ifndef RECKON_CLUSTERS_H
#define RECKON_CLUSTERS_H

#include <reckon/machine.h>
#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_clusters_stage {
    int cluster; /* of the machine; of the first replicas, where it has some on several */
    uint64_t layers, nodes, accelerators;
    uint64_t tensor, context, expert, data;
    uint64_t microbatch; /* samples that a replica takes at a time */
    enum rk_recompute_mode recompute;
    double activations_away, optimizer_away; /* shares of them in memory tier 1 */
    double forward_s, backward_s;            /* of a microbatch */
    double message_s;                        /* of a microbatch to the stage behind, and back */
    double sync_s;                           /* gradients, weights, optimizer: behind the last one */
    double bytes, capacity_bytes;            /* of the fullest accelerator */
};

struct rk_clusters_plan {
    double step_s;      /* event simulation */
    double objective_s; /* of this plan */
    double bound_s;     /* no plan has a lower objective: proved. A plan that is given: its own */
    uint64_t round;     /* samples that all replicas of a stage take at a time */
    uint64_t microbatches;
    int stages;
    struct rk_clusters_stage stage[RK_MAX_STAGES];
};

/* The best plan. `machine` as rk_machine_load() has it; `words` hold for all stages and name the
 * batch: "gbs512 tp8 precision=bf16", reckon-clusters(1). RK_NOTHING_FITS: `error` says why. */
RK_API enum rk_status rk_clusters_search(const struct rk_model *model, const char *machine,
                                         const char *words, struct rk_clusters_plan *plan,
                                         struct rk_error *error);

/* What the plan in the file `path` takes, whose stages may have replicas on several clusters, as
 * reckon-clusters(1) has such files; `words` outdo it. */
RK_API enum rk_status rk_clusters_predict(const struct rk_model *model, const char *machine,
                                          const char *path, const char *words,
                                          struct rk_clusters_plan *plan, struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
