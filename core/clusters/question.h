/* question.h - what is asked of plans over clusters, and what a stage does in a step. */
#ifndef RECKON_CLUSTERS_QUESTION_H
#define RECKON_CLUSTERS_QUESTION_H

#include "optimize/chain_problem.h"
#include <reckon/machine.h>
#include <reckon/plan.h>
#include <reckon/predict.h>

struct clusters_plan;

struct clusters_question;

/* Which plans count. */
struct clusters_filter {
    void *context;
    /* May a stage be so? hbm_bytes of a GPU; NAN: not known yet. */
    bool (*stage)(void *context, const struct rk_plan *plan, double hbm_bytes);
    /* ... and a plan that was simulated for this question? */
    bool (*whole)(void *context, const struct clusters_question *question,
                  const struct clusters_plan *plan);
};

/* Whether to search for plans whose stages differ only in their layers and offload no activations,
 * which Megatron-LM launches as one job. ALSO: in addition to the best plan, as
 * clusters_answer.alike. */
enum clusters_alike { CLUSTERS_ANY, CLUSTERS_ALIKE_ALSO, CLUSTERS_ALIKE_ONLY };

struct clusters_question {
    const struct rk_model *model;
    const struct rk_machine *machine;
    struct rk_plan words; /* what all stages have in common; its batch */
    /* the words' degrees, mode, samples of a round are taken */
    bool tensor, context, expert, recompute, offload, round, zero, expert_overlap;
    bool apart; /* no stage has replicas on several clusters */
    enum clusters_alike alike;
    double usable_bytes[RK_MAX_CLUSTERS]; /* of a GPU's memory that plans may fill; 0: all */
    const struct clusters_filter *filter; /* NULL: all plans count */
    bool (*stopped)(void *stopper); /* asked now and then; true ends the search. NULL: never */
    void *stopper;
    /* Gets between problems how far the search is; a later one continues from there. NULL: nobody.
     * False ends the search as `stopped` does. */
    bool (*keep)(void *keeper, const void *progress, size_t bytes);
    void *keeper;
    const void *progress; /* what was kept of this search; NULL: it begins */
};

/* Layers of which a row of costs is, or others that are alike; 0 layers: of none. */
struct stage_run {
    int first, layers;
    enum chain_place place;
};

/* Folds of layers, kept from one round to the next. */
struct fold_shelf {
    int count;
    struct kept_fold *kept;
};

void fold_shelf_release(struct fold_shelf *shelf);

/* What limits a stage while it works, as rk_prediction has it: of a microbatch, what is computed
 * again apart; the optimizer's step. */
struct stage_work {
    double matrix_s, attention_s, memory_s, again_s, optimizer_s;
};

#endif
