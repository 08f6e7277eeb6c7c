/* layerwise_shape.h - what the files of layerwise.h share: the ways to run a layer under one number
 * of stages and of samples in flight, what each costs, and plans made of answers.
 */
#ifndef RECKON_SEARCH_LAYERWISE_SHAPE_H
#define RECKON_SEARCH_LAYERWISE_SHAPE_H

#include "estimate/runs.h"
#include "optimize/stages.h"

#include <reckon/plans.h>

enum { LAYERWISE_MOST_LAYERS = 256, LAYERWISE_MOST_STAGES = 64 };

/* One way to run a layer: all else is as in the shape's plan. */
struct way {
    struct rk_local local;
    bool end;   /* without recomputation and offloading: may run embedding and head */
    int layout; /* equal: activations lie alike */
    int uses;   /* of an answer, see shape_forbid_rare */
};

/* Layers, ways and prices of one number of stages and of samples in flight. */
struct shape {
    const struct rk_model *model;
    const struct rk_system *system;
    struct rk_plan base;
    uint64_t samples; /* in one microbatch, of all data ranks */
    int ways;
    struct way *way; /* (ways) */
    int kinds;       /* of blocks, then embedding and head */
    enum layer_kind kind_of[LAYER_KINDS];
    int layers;                                /* with embedding and head */
    int *kind;                                 /* (layers) */
    bool *cut;                                 /* (layers + 1) */
    struct stage_choice *price;                /* (kinds, ways) as they are */
    struct stage_choice *choice;               /* ... of those that may be used */
    struct stage_lower *lower;                 /* (kinds, ways) of the memories that are watched */
    int watched;                               /* lower memories that some mix overfilled */
    int tier[STAGES_TIERS];                    /* (watched) from 0, as shares count them */
    double lower_constant_bytes[STAGES_TIERS]; /* of a stage, whatever its layers */
    const struct rk_plans_problem *problem;
    double *change_s; /* (ways, ways) */
    struct stage_place place[RK_MAX_STAGES];
    double constant_bytes; /* of a stage, whatever its layers */
    double send_s;
    double floor_s; /* no plan is predicted to take less: layerwise_floor.h */
    bool failed;    /* no memory */
};

uint64_t shape_microbatches(const struct shape *s);

/* The shape's plan with all layers run in a way. */
struct rk_plan shape_plan(const struct shape *s, int way);

/* NULL when there is no memory; no ways: nothing can be run so. */
struct shape *shape_open(const struct rk_plans_problem *problem, const struct rk_plan *base,
                         uint64_t samples);
void shape_close(struct shape *s);

/* Watches a lower memory more from now on: all ways are found again, also those that only its size
 * speaks for. False when there is no memory for that, or two are watched already. */
bool shape_watch(struct shape *s, int tier);

/* What the layers of a stage may fill. */
struct capacity {
    double bytes, lower[STAGES_TIERS];
};

struct capacity shape_capacity(const struct shape *s);
void shape_set_capacity(struct shape *s, const struct capacity *capacity);

/* ... all that its ways could fill. False when there is no memory. */
bool shape_watch_all(struct shape *s);

/* Embedding and head in way `end` alone; -1: in any. */
void shape_allow(struct shape *s, int end);

/* The surrogate. Slower ways than enough_s are not looked for; 0: all are. */
struct stages_problem shape_problem(const struct shape *s, double enough_s);

/* The same with memories without an end; `place` holds its places. */
void shape_unlimited(struct stages_problem *problem,
                     struct stage_place place[LAYERWISE_MOST_STAGES]);

/* Adjacent layers of one kind whose activations have the same layout may change places. Groups
 * layers that are run alike, those that are recomputed whole first, as in Megatron-LM. */
void shape_tidy(const struct shape *s, struct stages_answer *answer);

/* The plan of an answer whose ends are run in way `end`; it refers to `layout`. False when a plan
 * cannot say so many runs and ways. */
bool shape_answer(const struct shape *s, const struct stages_answer *answer, int end,
                  struct rk_plan *plan, struct rk_layout *layout);

/* Where a plan cannot say so many: ways that the answer uses least are allowed no more. */
void shape_forbid_rare(struct shape *s, const struct stages_answer *answer, int end);

/* ---- layerwise_ways.c ---- */

/* Every way that the problem offers; the shape's ways, layouts side by side. */
void shape_find_ways(struct shape *s, const struct rk_plans_problem *problem);

/* ---- layerwise_prices.c ---- */

/* Prices of all ways, of which those that another is in no way worse than are left out, and of
 * changes between layouts. False when there is no memory. */
bool shape_price(struct shape *s);

#endif
