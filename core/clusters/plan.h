/* plan.h - a plan over clusters, stage by stage. */
#ifndef RECKON_CLUSTERS_PLAN_H
#define RECKON_CLUSTERS_PLAN_H

#include "clusters/costs.h"

/* A run of layers of a stage; without interleaving it has one. */
struct clusters_chunk {
    uint64_t layers;
    double forward_s, backward_s; /* of a microbatch */
    double weights_s, again_s;    /* of backward: weight gradients, recomputation */
    double message_s;             /* to the next chunk and back */
    double wait_s; /* for messages of the chunk in front, where the pipeline blocks; else 0 */
};

/* Where replicas of a stage are that has some on several clusters. */
enum { CLUSTERS_HOMES = RK_MAX_STAGE_PARTS };

struct clusters_home {
    int cluster;
    uint64_t gpus, nodes;
    struct stage_work work;
};

struct clusters_stage {
    int homes; /* 0: all of it is on `cluster`; else replicas, in this order */
    struct clusters_home home[CLUSTERS_HOMES];
    bool even, regular; /* replicas have as many samples each; the same tensor and context degree */
    int cluster;
    uint64_t layers, gpus, nodes, tensor, context, expert, data, microbatch;
    uint64_t expert_tensor; /* 0: as tensor */
    enum rk_recompute_mode recompute;
    int zero;
    bool expert_overlap;
    double activations_away, optimizer_away; /* shares of them in memory tier 1 */
    double forward_s, backward_s;            /* of a microbatch, all chunks */
    double message_s;       /* ... to the next and previous stage; with wait_s of chunks */
    double sync_s;          /* after the last microbatch */
    double data_link_s;     /* collectives of gradients and weights of a step, hidden or not */
    double gradient_bytes;  /* of a GPU, as they are sent, whole */
    struct stage_work work; /* of replicas on several clusters, that of the first home */
    double in_flight, bytes, capacity_bytes;
    int fullest;               /* the cluster of the replicas that hold these */
    struct rk_reason overfull; /* verdict RK_FITS: no memory tier is */
    struct rk_stage memory;    /* of a GPU: what `bytes` is made of */
    double price_USDph;        /* of all its GPUs for an hour */
};

struct clusters_plan {
    double value_s;     /* of the objective of chain.h; INFINITY: there is none */
    double simulated_s; /* the event simulation */
    uint64_t round, microbatches;
    double message_bytes; /* of a round, one way */
    enum rk_schedule schedule;
    int stages, chunks;
    struct clusters_stage stage[RK_MAX_STAGES];
    struct clusters_chunk chunk[RK_MAX_CHUNKS]; /* (chunks, stages): in the model's order */
};

static inline bool clusters_counts(const struct clusters_question *question,
                                   const struct clusters_plan *plan)
{
    return !question->filter || question->filter->whole(question->filter->context, question, plan);
}

/* Do stages wait until their messages are sent, as estimate/step_time.c has it? */
static inline bool clusters_waits(const struct clusters_plan *plan)
{
    return plan->chunks == 1 || plan->chunk[1].wait_s > 0;
}

/* The next stage, and the number of messages that a microbatch sends there: with interleaving one
 * for each chunk, and the last stage's go to the first; 0: none. */
static inline int clusters_behind(const struct clusters_plan *plan, int stage, double *messages)
{
    *messages = plan->chunks - (stage + 1 == plan->stages);
    return stage + 1 == plan->stages ? 0 : stage + 1;
}

/* Bytes of a step to the next stage, each way. */
static inline double clusters_sent_bytes(const struct clusters_plan *plan, int stage)
{
    double messages;
    clusters_behind(plan, stage, &messages);
    return messages * (double)plan->microbatches * plan->message_bytes;
}

#endif
