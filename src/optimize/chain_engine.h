/* chain_engine.h - what the files of chain.h share: ways of stages below a limit, the least sums in
 * front of them, labels. */
#ifndef RECKON_OPTIMIZE_CHAIN_ENGINE_H
#define RECKON_OPTIMIZE_CHAIN_ENGINE_H

#include "optimize/chain.h"

struct entry {
    int choice, layers, units, width;
    double time_s, backward_s, sync_s, in_flight;
};

struct entries {
    int count, room;
    struct entry *entry; /* (room) by rising layers */
};

struct label {
    double sum_s, wait_s; /* S, W */
    double time_s;        /* c of the foremost stage */
    int parent, next;     /* labels; -1: none. `next` of the same place */
    int cluster, choice, layers, width;
    int placed, left; /* layers so far, units of the cluster that are left */
    bool dropped;
};

struct engine {
    const struct chain_problem *problem;
    struct entries *entries; /* (clusters, lists): by place, or with `ways` by where they end */
    int lists;
    int *widest;         /* (largest units + 1) most layers by units, scratch */
    int *reach;          /* (largest units + 1) scratch */
    double **rest_s;     /* (clusters) (units + 1, layers + 1) least sum in front */
    double *cheapest;    /* (largest units + 1, layers + 1) least c by units and layers, scratch */
    double *least_out_s; /* (widths) the cheapest boundary */
    struct label *label;
    int labels, room;
    int generation; /* the first label of as many stages as those that are being made */
    int *bucket;    /* (clusters, layers + 1, largest units + 1, widths) head of labels, or -1 */
    int units;      /* largest of a cluster */
    double floor_s; /* plans that are looked for have no smaller largest c */
    double best_s;
    struct chain_answer *answer;
    bool failed;
};

static inline const struct chain_cost *cost_of(const struct chain_problem *p, int cluster,
                                               int choice, enum chain_place place, int layers)
{
    return &p->cluster[cluster].choice[choice].cost[(int)place * (p->layers + 1) + layers];
}

static inline double boundary_of(const struct chain_problem *p, int from, int to)
{
    return p->boundary_s[from * p->widths + to];
}

/* Those that a stage of `cluster` can be behind which `end` layers lie in front. */
static inline struct entries *entries_of(const struct engine *e, int cluster,
                                         enum chain_place place, int end)
{
    return &e->entries[cluster * e->lists + (e->problem->ways ? end : (int)place)];
}

/* fmin() is a call. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double *rest_at(const struct engine *e, int cluster, int units, int layers)
{
    return &e->rest_s[cluster][units * (e->problem->layers + 1) + layers];
}

/* No plan has a largest c below; INFINITY: there is none. */
double chain_find_pace(struct engine *e);

/* Ways and sums for a limit. Returns a bound on the sum of c of all plans below it. */
double chain_prepare(struct engine *e, double limit_s);

#endif
