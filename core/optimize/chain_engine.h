/* chain_engine.h - what the files of chain.h share: ways of stages below a limit, the least sums in
 * front of them, labels. */
#ifndef RECKON_OPTIMIZE_CHAIN_ENGINE_H
#define RECKON_OPTIMIZE_CHAIN_ENGINE_H

#include "optimize/chain_problem.h"

struct entry {
    int choice, layers, units, width;
    int level; /* of what it can have in flight */
    double time_s, backward_s, sync_s;
};

/* Ways of a cluster, by row: those of row i are entry[from[i]] ... entry[from[i + 1] - 1]. */
struct entries {
    int count;
    size_t room;
    struct entry *entry; /* (room) */
    int *from;           /* (rows + 1) */
};

/* Of which stages a row is. */
struct row {
    int layers; /* 0: of none */
    bool first, last;
};

struct label {
    double sum_s, wait_s; /* S, W */
    double time_s;        /* c of the foremost stage */
    int parent, next;     /* labels; -1: none. `next` of the same place */
    int cluster, choice, layers, width;
    int placed, left; /* layers so far, units of the cluster that are left */
    int ahead;        /* stages that there may be in front of it; CHAIN_ANY: as many as wanted */
    bool dropped;
};

enum { CHAIN_KINDS = 64 }; /* different counts of units that the bound can tell apart */
enum { CHAIN_ANY = 1 << 20 };

struct engine {
    const struct chain_problem *problem;
    struct entries *entries; /* (clusters) */
    int rows;
    int *row_of;         /* (layers + 1, layers + 1) [end][count]: of the stage that ends there */
    struct row *row;     /* (rows) */
    int *widest;         /* (largest units + 1) most layers by units, scratch */
    int *reach;          /* (largest units + 1) scratch */
    double **rest_s;     /* (clusters) (units + 1, layers + 1) least sum in front */
    double *cheapest;    /* (largest units + 1, rows) least c by units and row, scratch */
    double *ahead;       /* (CHAIN_KINDS, layers + 1) the same of stages that end at one layer */
    double *least_out_s; /* (widths) the cheapest boundary */
    int *fewest; /* (clusters, layers + 1) fewest stages in front; CHAIN_ANY: there are none */
    struct label *label;
    int labels;
    int generation; /* the first label of as many stages as those that are being made */
    int *bucket;    /* (clusters, layers + 1, largest units + 1, widths) head of labels, or -1 */
    int units;      /* largest of a cluster */
    int levels;     /* different counts of microbatches in flight */
    double *flight; /* (levels) rising */
    int *places;    /* (most_stages + 1, levels) [k][level] stages that there may be in front of the
                       k-th from the last that has memory for so much; -1: it cannot stand there */
    double floor_s; /* plans that are looked for have no smaller largest c */
    double best_s;
    struct chain_answer *answer;
    bool failed; /* no memory */
    bool stopped;
};

static inline bool is_over(const struct engine *e)
{
    return e->failed || e->stopped;
}

static inline const struct chain_cost *cost_of(const struct chain_problem *p, int cluster,
                                               int choice, int row)
{
    return &p->cluster[cluster].choice[choice].cost[row];
}

static inline double boundary_of(const struct chain_problem *p, int from, int to)
{
    return p->boundary_s[from * p->widths + to];
}

/* The row of the `count` layers in front of layer `end`. */
static inline int row_of(const struct engine *e, int end, int count)
{
    return e->row_of[end * (e->problem->layers + 1) + count];
}

/* Microbatches in flight of the k-th stage from the last one of `stages`. */
static inline double flight_of(const struct chain_problem *p, int stages, int k)
{
    if (p->in_flight) return p->in_flight[stages * (p->most_stages + 1) + k];
    return k < p->microbatches ? k : p->microbatches;
}

/* The highest level that there is memory for; -1: none. */
static inline int level_of(const struct engine *e, double in_flight)
{
    int low = 0, high = e->levels;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (e->flight[middle] <= in_flight)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* fmin() is a call. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline int lower(int a, int b)
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

/* What may stand in front of a stage, by what it can have in flight. False: no memory. */
bool chain_open_flights(struct engine *e);

/* No plan has a largest c below; INFINITY: there is none. */
double chain_find_pace(struct engine *e);

/* Ways and sums for a limit. Returns a bound on the sum of c of all plans below it. */
double chain_prepare(struct engine *e, double limit_s);

#endif
