/* stages.h - layers dealt to the stages of a pipeline, and for each layer one of several ways to
 * run it: the least time of a step within the memory of every stage, exactly.
 *
 *     step = sum of B_k + (m - 1) max of B_k + E_0
 *
 * B_k is what stage k takes for one of m microbatches: its layers and the changes between
 * neighbours that are not run alike; E_0 the first stage's work after its last microbatch (other
 * stages do theirs while earlier ones drain). For 1F1B this is exact where the last stage is the
 * slowest, and never too little [narayanan2021]. A stage holds fixed + in flight * flight bytes of
 * all its layers, plus the largest of their momentary bytes; lower memory tiers are counted the
 * same way.
 *
 * For each stage and interval of layers the search keeps labels: a way to run the layers so far, by
 * its last layer, with bytes and times. One that another with the same last layer is nowhere worse
 * than is dropped; so is one that cannot get into the memory, or whose stage would take too long at
 * the least number of layers that the others leave it. Intervals of the same kinds of layers
 * share their labels. What is left at the end of an interval are the ways that the best pipeline is
 * made of, again by labels: (sum, largest) over stages. Bytes are not rounded, nothing is sampled.
 * Pure but for the memory that it takes; seconds, bytes.
 */
#ifndef RECKON_OPTIMIZE_STAGES_H
#define RECKON_OPTIMIZE_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One way to run a layer of one kind. */
struct stage_choice {
    double fixed_bytes;
    double flight_bytes; /* for each microbatch in flight */
    double moment_bytes; /* of which only the largest of a stage counts */
    double time_s;       /* of a microbatch; INFINITY: not possible */
    double first_s;      /* more where it is the first layer of its stage */
    double end_s;        /* after the last microbatch */
};

enum { STAGES_TIERS = 2 };

/* What one way to run a layer has in lower memories. */
struct stage_lower {
    double fixed_bytes[STAGES_TIERS], flight_bytes[STAGES_TIERS];
};

/* Where a stage runs: stages of several clusters differ in it. */
struct stage_place {
    double in_flight, capacity_bytes;
    const struct stage_choice *choice; /* (kinds, choices) */
    const double *change_s;            /* (choices, choices) [from][to], within a stage */
    const struct stage_lower *lower;   /* (kinds, choices); NULL where the problem has no tiers */
    double lower_capacity_bytes[STAGES_TIERS]; /* (tiers) */
};

struct stages_problem {
    int layers, kinds, choices, stages;
    int tiers;       /* lower memories that stages may fill; 0: they hold all that there can be */
    const int *kind; /* (layers) */
    const bool *cut; /* (layers + 1) may a stage end before this layer? NULL: everywhere */
    double microbatches;
    const struct stage_place *place; /* (stages) */
    double enough_s;                 /* 0: none; slower ways are not looked for */
    bool any;           /* whatever fits will do: where labels are cut, those of all sizes stay */
    size_t label_limit; /* of one set of labels; 0: none. Where it is reached the answer may not be
                           the best, and its bound says by how much */
};

struct stages_answer {
    bool found;
    double value_s;
    double bound_s;  /* no way takes less: value_s where the answer is proved to be the best */
    uint64_t labels; /* kept in all */
    int *first;      /* (stages + 1) first layer of each stage */
    int *choice;     /* (layers) */
    double *stage_s, *stage_bytes; /* (stages) */
    double end_s;
};

/* No way takes less: each stage runs any share of a layer in the mix of ways that its memory
 * allows, the lower hull of (bytes, time), and changes are free. INFINITY: nothing fits. NAN: no
 * memory. */
double stages_bound(const struct stages_problem *problem);

/* Lower bounds, by the same relaxation, of the sum over stages and of the slowest stage; a single
 * stage includes its share of the work after the last microbatch. INFINITY: nothing fits. Costs of
 * changes are ignored. False when memory runs out. */
struct stages_least {
    double sum_s, most_s;
};
bool stages_least(const struct stages_problem *problem, struct stages_least *least);

/* False when there is no memory; found is false when nothing fits. Release in every case. */
bool stages_solve(const struct stages_problem *problem, struct stages_answer *answer);
void stages_answer_release(struct stages_answer *answer);

/* What the choices of layers and stages take, filled into stage_s, stage_bytes, end_s; the step.
 * INFINITY when a stage does not fit. */
double stages_value(const struct stages_problem *problem, struct stages_answer *answer);

/* A point of a stage's Pareto frontier: the least time of a microbatch that its layers take within
 * these bytes, with a share of the first stage's work after the last microbatch. */
struct stage_point {
    double bytes, time_s;
};

/* The front of layers first ... last - 1 on stage `stage`, by rising bytes; how many points there
 * are, of which `room` are written, with the choices that they are made of: choice (room, last -
 * first), or NULL. 0 as well when there is no memory. Where the label limit is reached some points
 * may be missing, none is wrong. */
size_t stages_front(const struct stages_problem *problem, int stage, int first, int last,
                    struct stage_point *point, int *choice, size_t room);

/* The moves of one boundary layer at a time between the split that balances time and the one that
 * balances memory [wang2024], section 4: a heuristic to compare with the search. */
bool stages_walk(const struct stages_problem *problem, struct stages_answer *answer);

#endif
