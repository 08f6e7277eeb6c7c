/* costs.h - what a stage costs on a cluster, for every way to run it: the input of
 * optimize/chain.h.
 *
 * A way is a tensor degree, a data degree, a recompute mode and what is offloaded. All stages share
 * the samples of a round; one with d replicas runs microbatches of round / d of them. Layers are
 * folded, summed and checked against memory like those of any plan (estimate/stages.h), so that a
 * stage costs here what it costs there. Pure but for its memory.
 */
#ifndef RECKON_CLUSTERS_COSTS_H
#define RECKON_CLUSTERS_COSTS_H

#include "clusters/question.h"
#include "optimize/chain_problem.h"

#include <reckon/machine.h>
#include <reckon/plan.h>
#include <reckon/predict.h>

struct stage_way {
    struct rk_plan plan; /* of a pipeline of two such stages */
    uint64_t gpus;
    int width;
};

struct cluster_costs {
    int ways;
    struct rk_reason refused;    /* why the first of those that are none is none, memory apart */
    bool barred;                 /* some could run that are not asked for */
    struct stage_way *way;       /* (ways) */
    struct chain_choice *choice; /* (ways) */
    struct chain_cost *cost;     /* (ways, rows) */
};

/* Stages with equal numbers of GPUs of a cluster exchange messages alike. */
struct stage_width {
    int cluster;
    uint64_t gpus, copies; /* copies: of each message, where tensor ranks all send it */
};

struct clusters_costs {
    const struct clusters_question *question;
    uint64_t round, microbatches;
    int most_stages;
    int rows;
    struct stage_run *run; /* (rows) */
    int *row;              /* as chain.h has it; NULL: layers are all alike */
    double *in_flight;     /* as chain.h has it; NULL: of 1F1B */
    struct cluster_costs cluster[RK_MAX_CLUSTERS];
    int widths;
    struct stage_width *width; /* (widths) */
    double *boundary_s;        /* (widths, widths) */
};

/* `round` divides the batch. False: no memory. Release in every case. */
bool clusters_costs_open(struct clusters_costs *costs, const struct clusters_question *question,
                         uint64_t round, struct fold_shelf *shelf);
void clusters_costs_release(struct clusters_costs *costs);

/* What the mode computes again: what the words say, else core attention. */
static inline unsigned clusters_parts(const struct rk_plan *words, enum rk_recompute_mode mode)
{
    if (mode != RK_SELECTIVE) return 0;
    return words->recompute_parts ? words->recompute_parts : 1u << RK_PART_CORE_ATTENTION;
}

/* Shares of the activations and of the optimizer's state in memory tier 1. */
static inline void plan_offload(struct rk_plan *plan, double activations, double optimizer)
{
    for (int share = RK_SHARE_ATTENTION; share <= RK_SHARE_CHECKPOINTS; share++)
        plan->share[share][0] = activations;
    plan->share[RK_SHARE_OPTIMIZER][0] = optimizer;
}

static inline enum chain_place clusters_stage_place(int i, int stages)
{
    if (stages == 1) return CHAIN_ALONE;
    return i == 0 ? CHAIN_FIRST : i + 1 == stages ? CHAIN_LAST : CHAIN_INNER;
}

/* A cluster as a stage on so many of its GPUs sees it: stages begin at nodes of their own, so that
 * one on fewer GPUs than share a lower memory has it to itself (machine/part.h). Returns the
 * cluster's own system where that changes nothing, else `own`, whose other arrays are that one's.
 */
struct stage_machine {
    struct rk_system system;
    struct rk_memory memory[RK_SHARE_TIERS + 1];
};
const struct rk_system *clusters_machine(const struct rk_machine *machine, int cluster,
                                         uint64_t gpus, struct stage_machine *own);

/* The first memory tier of which a GPU of a stage needs more than it may fill; false: none. */
bool clusters_overfull(const struct clusters_question *question, int cluster, uint64_t gpus,
                       const struct rk_stage *memory, struct rk_reason *reason);

/* Can it be run at all, memory apart? Its machine is as large as it takes. */
bool clusters_can_run(const struct clusters_question *question, int cluster,
                      const struct rk_plan *plan, struct rk_reason *reason);

/* Leaves out of a stage's words what only several tensor ranks have. */
static inline void clusters_fit_width(struct rk_plan *plan)
{
    if (plan->tensor > 1) return;
    plan->sequence_parallel = plan->messages_sharded = false;
    plan->tensor_overlap = RK_OVERLAP_NONE;
}

/* The words of a stage with degrees and a mode of its own. */
static inline struct rk_plan clusters_stage_words(const struct rk_plan *words, uint64_t tensor,
                                                  uint64_t context, uint64_t expert,
                                                  enum rk_recompute_mode mode)
{
    struct rk_plan own = *words;
    own.tensor = tensor;
    own.context = context;
    own.expert = expert;
    own.recompute = mode;
    own.recompute_parts = clusters_parts(words, mode);
    clusters_fit_width(&own);
    return own;
}

/* Can the exchange of experts be overlapped in a stage like that? */
bool clusters_overlaps(const struct clusters_question *question, const struct rk_plan *plan);

/* May one that is the whole model choose ZeRO 2 and 3? */
bool clusters_shards(const struct clusters_question *question, const struct rk_plan *plan);

/* Messages of a microbatch between two widths, both ways. */
double clusters_boundary_s(const struct clusters_costs *costs, const struct stage_width *from,
                           const struct stage_width *to);

/* The all-reduce of tied embeddings across a link; 0: they are not tied, or in one cluster. */
double clusters_tie_s(const struct clusters_question *question, int first, int last);

/* Bytes of a round that cross from stage to stage each way. */
double clusters_message_bytes(const struct clusters_costs *costs);

#endif
