/* stages_problem.h - what the stages of layers are asked, and what they answer. */
#ifndef RECKON_OPTIMIZE_STAGES_PROBLEM_H
#define RECKON_OPTIMIZE_STAGES_PROBLEM_H

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

/* A point of a stage's Pareto frontier: the least time of a microbatch that its layers take within
 * these bytes, with a share of the first stage's work after the last microbatch. */
struct stage_point {
    double bytes, time_s;
};

#endif
