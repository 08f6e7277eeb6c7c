/* chain.h - layers dealt to the stages of a pipeline, each stage run in one of several ways: the
 * least time of a step, exactly.
 *
 * The one engine for two questions. Stages on clusters of unequal machines take units of their
 * cluster, and what they cost depends on how many layers they have. Stages whose layers are run
 * each in its own way (stages.h) cost what the labels of their very layers say: `ways`, where each
 * stage is a cluster of one unit.
 *
 *     step = sum of c_i + (m - 1) max of c_i + max(0, max over i of (s_i - sum over j < i of b_j))
 *
 * c_i is what stage i takes for one of m microbatches, with the messages to the next stage and
 * back; b_j of it the backward pass without messages; s_i its work after its last microbatch, while
 * earlier stages still drain. For 1F1B without s the formula never underestimates where b = 2 f
 * (20,000 random pipelines).
 *
 * For a limit on c, labels go from the last stage to the first: stages, layers and units so far,
 * the kind of the foremost stage, and (S, W) = (sum of c, that sum plus the wait that is left). A
 * stage put before them has S' = S + c, W' = max(S' + s, W + c - b); the step without its middle
 * term is max(S, W). The number of microbatches in flight depends on a stage's position and, with
 * some schedules, on the length of the pipeline, so a label also has the number of stages that may
 * still come before it. A label is dominated, and dropped, when another one at the same place has
 * no more stages, no larger sums, and no fewer stages to come. It is pruned when S, plus the least
 * sum of c before it (by the same recursion without memory and s), plus (m - 1) times a floor
 * exceeds the best step known. Plans are searched in intervals of their largest c: the lower end is
 * that floor, the upper end the limit. With V the least max(S, W) below a limit and t the largest c
 * of its plan, no plan with a largest c from t to the limit is better, and none above (best - V) /
 * (m - 1). When no interval is left, the best is proved. Pure but for the memory that it takes;
 * seconds.
 */
#ifndef RECKON_OPTIMIZE_CHAIN_H
#define RECKON_OPTIMIZE_CHAIN_H

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
    double pace_s; /* with `ways`: no plan has a largest c below */
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

/* Called for every plan that is the best under some limit. */
typedef void chain_visit(void *context, const struct chain_answer *answer);

/* False when there is no memory. Not found: nothing fits, or nothing is below enough_s. Release in
 * every case. `visit` may be NULL. */
bool chain_solve(const struct chain_problem *problem, struct chain_answer *answer,
                 chain_visit *visit, void *context);
void chain_answer_release(struct chain_answer *answer);

/* The row of layers first ... first + count - 1. */
int chain_row(const struct chain_problem *problem, int first, int count);

/* The step of these stages; INFINITY when one is not possible or does not fit. */
double chain_value(const struct chain_problem *problem, const struct chain_stage *stage,
                   int stages);

/* No plan has a largest c below; INFINITY: there is none at all. */
double chain_pace(const struct chain_problem *problem);

#endif
