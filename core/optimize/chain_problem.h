/* chain_problem.h - what the chain of stages is asked, and what it answers. */
#ifndef RECKON_OPTIMIZE_CHAIN_PROBLEM_H
#define RECKON_OPTIMIZE_CHAIN_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

/* A stage with this number of layers. */
struct chain_cost {
    double time_s;     /* of a microbatch, without messages; INFINITY: not possible */
    double backward_s; /* ... of it */
    double sync_s;     /* after the last microbatch */
    double in_flight;  /* microbatches that it has memory for; 0: none */
};

/* Embedding and head make first and last stage others than those between. */
enum chain_place { CHAIN_INNER, CHAIN_FIRST, CHAIN_LAST, CHAIN_ALONE, CHAIN_PLACES };

/* The ways to run layers first ... last - 1 on a cluster, and how many; -1: stages of that cluster
 * that end there cannot be so long, nor longer. Valid until the problem is solved. */
typedef const struct chain_cost *chain_ways(void *context, int cluster, int first, int last,
                                            int *count);

/* One way to run a stage. */
struct chain_choice {
    int units;                     /* of its cluster that it takes: nodes */
    int width;                     /* a row and column of boundary_s */
    const struct chain_cost *cost; /* (rows) */
};

struct chain_cluster {
    int units, choices;
    const struct chain_choice *choice; /* (choices) */
};

struct chain_problem {
    int layers, clusters, widths;
    int most_stages; /* no pipeline is longer */
    /* (most_stages + 1, most_stages + 1) [stages][k]: microbatches in flight of a stage with k - 1
     * stages after it; a longer pipeline has no fewer. NULL: min(k, all of them), as in 1F1B */
    const double *in_flight;
    double microbatches;
    const struct chain_cluster *cluster; /* (clusters) in the order of stages, each has at least
                                            one; some of its units may be idle */
    const double *boundary_s; /* (widths, widths) [from][to]: messages of a microbatch, both ways */
    double closing_s;         /* added to the first stage, after everything else */
    double enough_s; /* INFINITY: none; a value that others reach: only less is looked for */
    bool narrow;     /* some good plan will do: few labels of a place are kept, nothing is proved */

    /* Stages that cost the same are one row of their choices' costs; of one row are as many layers,
     * at the same ends of the model. row[first * (layers + 1) + count] is that of layers first ...
     * first + count - 1. NULL where layers are all alike: place * (layers + 1) + count, of
     * CHAIN_PLACES * (layers + 1) rows. */
    int rows;
    const int *row; /* (layers + 1, layers + 1) */

    /* Where it depends on which layers a stage has: clusters are stages, of one unit and no
     * choices, widths is 1. NULL: as the clusters' choices say. */
    chain_ways *ways;
    void *context;
    double pace_s;                  /* with `ways`: no plan has a largest c below */
    bool (*stopped)(void *stopper); /* asked now and then; true: the answer is the best so far */
    void *stopper;                  /* ... and proves nothing. NULL: never */
};

struct chain_stage {
    int cluster, choice, layers; /* choice: of the cluster, or of `ways` */
};

struct chain_answer {
    bool found;
    double value_s, slowest_s, sum_s; /* the step, the largest c, their sum */
    uint64_t labels;                  /* kept in all */
    int limits;                       /* that were tried */
    int stages;
    struct chain_stage *stage; /* (stages) the first one first */
};

#endif
