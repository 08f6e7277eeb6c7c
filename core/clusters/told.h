/* told.h - one stage of a plan over clusters, and all that its prediction is made of. */
#ifndef RECKON_CLUSTERS_TOLD_H
#define RECKON_CLUSTERS_TOLD_H

#include "clusters/question.h"
#include "estimate/stages.h"

/* Stage `index` of `stages`, which has `chunks` runs of layers; one without interleaving. */
struct stage_asked {
    int cluster, index, stages, chunks;
    const struct stage_run *run; /* (chunks) */
    uint64_t microbatches;
    const struct rk_plan *plan; /* of a pipeline of two such stages */
};
struct stage_told {
    struct chain_cost cost; /* its in_flight is not filled */
    struct stage_work work;
    double weights_s, again_s; /* of the backward pass: weight gradients; recomputation */
    double data_link_s; /* of the step's collectives of gradients and weights, overlapped or not */
    double gradient_bytes;  /* of a GPU, as they are sent, whole */
    struct rk_stage memory; /* of a GPU: what it holds under the schedule of the question's words */
    struct stage_sum sum;   /* of a microbatch, as estimate/stages.h has it */
};

/* False: no memory. */
bool clusters_stage_cost(const struct clusters_question *question, struct fold_shelf *shelf,
                         const struct stage_asked *asked, struct stage_told *told);

#endif
