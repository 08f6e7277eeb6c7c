/* predict.h - plans whose stages have replicas on several clusters, predicted like any other plan.
 *
 * A plan's layout holds the replicas (rk_stage_part), the system holds the clusters
 * (rk_system.machine). rk_predict() calls this for such plans; the event simulation gives the step
 * time, and the idle time of the slowest stage is the bubble.
 */
#ifndef RECKON_CLUSTERS_PREDICT_H
#define RECKON_CLUSTERS_PREDICT_H

#include "clusters/given.h"
#include "clusters/plan.h"
#include "clusters/price.h"
#include "timeline/timeline.h"

/* A plan's stages as given.h has them, and back: a plan with the choices of `words` that are none
 * of a layer's. False: more ways to run a layer, or kinds of replicas, than a layout has room for.
 */
void given_of_plan(const struct rk_plan *plan, struct given_plan *given);
bool plan_of_given(const struct rk_plan *words, const struct given_plan *given,
                   struct rk_plan *plan);

/* A plan of stages that are all like a part of one, judged; its batch is what such stages take. */
struct rk_plan plan_like_part(const struct rk_plan *plan, const struct given_plan *given, int stage,
                              int part);

/* A cluster as `gpus` of it see it that are part of so many ranks: its networks reach all of them.
 * Returns `own`, whose other arrays are the cluster's. */
struct part_machine {
    struct stage_machine stage;
    struct rk_system system;
    struct rk_network network[RK_MAX_NETWORKS];
};
const struct rk_system *part_system(const struct rk_machine *machine, int cluster, uint64_t gpus,
                                    uint64_t ranks, struct part_machine *own);

/* The plan that a launcher runs as one job: all stages are alike but for their layers and clusters.
 * False: they are not. */
bool plan_plain(const struct rk_plan *plan, struct rk_plan *plain);

/* A machine as a system of several clusters, which borrows it: not to be released. */
struct rk_system clusters_system(const struct rk_machine *machine);

/* What a plan asks of its machine. */
struct clusters_question clusters_question_of(const struct rk_model *model,
                                              const struct rk_system *system,
                                              const struct rk_plan *plan);

/* Is it a plan of a machine of several clusters? A plan without replicas of its own, or a system of
 * one cluster with such a plan, is refused by its verdict. */
static inline bool plan_has_parts(const struct rk_system *system, const struct rk_plan *plan)
{
    return system->machine || rk_plan_layout(plan)->parts;
}

/* What the simulation is about, and the replicas with their samples. */
struct clusters_judged {
    struct clusters_plan plan;
    struct given_plan given;
};

/* As rk_predict(), for those. `judged`, unless NULL, is filled where the plan is timed. */
enum rk_verdict predict_clusters(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *plan, struct rk_prediction *prediction,
                                 struct clusters_judged *judged);

/* The timeline of any plan: timeline_plan_of_plan(), or that of its stages over clusters, which
 * `judged` has of predict_clusters(); NULL: they are judged here. */
enum rk_status step_timeline(struct timeline_plan *timeline, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             const struct rk_prediction *prediction,
                             const struct clusters_judged *judged, int messages,
                             struct rk_error *error);

#endif
