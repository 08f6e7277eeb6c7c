/* layers.h - what it is worth to run some layers of a plan as another plan runs them.
 *
 * Layers that the two plans run differently are taken run by run within a stage, and choice by
 * choice: recomputation, ZeRO, precision; degrees together. `alone` is the first plan with these
 * layers as the second has them; `without` the second with them as the first has them.
 */
#ifndef RECKON_ADVISE_LAYERS_H
#define RECKON_ADVISE_LAYERS_H

#include "advise/worth.h"

enum { LAYERS_MOST = 64, LAYERS_TEXT = 200 };

struct layers_worth {
    uint64_t stage, first, layers; /* stage of the second plan; 0 layers: of all stages */
    char change[LAYERS_TEXT];      /* "recompute none -> full" */
    struct plan_judgement alone, without;
};

struct layers_worths {
    int count;
    bool more; /* than LAYERS_MOST */
    struct layers_worth worth[LAYERS_MOST];
};

/* Over several clusters a worth is a stage's replicas, the layers of all stages, or the samples of
 * a round; of one cluster: both plans in canonical form. None where the plans differ in stages,
 * chunks or the recompute stride, or where both run all their layers alike. */
void layers_worths(const struct rk_model *model, const struct rk_system *system,
                   const struct rk_plan *a, const struct rk_plan *b, struct layers_worths *worths,
                   struct rk_prediction *scratch);

#endif
