/* stages_engine.h - what the files of stages.h share: labels of stages, the relaxation, bounds. */
#ifndef RECKON_OPTIMIZE_STAGES_ENGINE_H
#define RECKON_OPTIMIZE_STAGES_ENGINE_H

#include "optimize/chain.h"
#include "optimize/stages_problem.h"

/* ---- labels of one stage ---- */

enum { LEVELS = 5 }; /* of how full lower memories are */

struct label {
    double bytes, time_s, end_s; /* without what is there for a moment */
    double lower[STAGES_TIERS];  /* bytes in lower memories */
    double hope_s;               /* see keep_hopeful */
    int moment;                  /* which of the problem's, by size */
    int choice, parent;          /* of the last layer; in the labels of one layer less */
};

struct set {
    bool known;
    int count;
    struct label *label; /* (count) */
};

struct point { /* what an interval can be run with: no other is better for every pace */
    double time_s, end_s;
    int label;
};

struct front {
    bool known;
    int count;
    struct point *point;     /* (count) */
    struct chain_cost *cost; /* (count) the same for the pipeline */
};

/* Of labels what a pace of 1 and one of m microbatches make of them, where no other is as good at
 * both: rising, falling. */
struct stair {
    int count;
    struct step {
        double fast, slow;
    } * step; /* (count) */
};

struct engine {
    const struct stages_problem *problem;
    int *same; /* (layers, layers + 1) [i][n]: the first start with the kinds of i ... i + n - 1 */
    double *least_s; /* (layers + 1) of the layers from here on, each at its fastest */
    double *moment;  /* (moments) sizes of what is there for a moment, rising */
    int moments;
    int *group;          /* (stages, choices) choices that change to and from others alike */
    struct set *set;     /* (stages, layers, layers + 1) */
    struct front *front; /* likewise */
    int longest;         /* layers of a stage that are looked at */
    double enough_s;     /* a value that is reached: what is above is left out */
    size_t limit;        /* of labels in a set; 0: none */
    bool spread;         /* labels of all sizes are kept, not those that promise most */
    bool cut;            /* a set was cut at it */
    bool failed;         /* no memory */
    uint64_t labels;
    struct label *room; /* candidates */
    size_t room_size;
    /* (choices, levels, moments): what is kept, by group, how full lower memories are
     * (level_above), and what is there for a moment */
    struct stair *stair;
    int levels;
    int *steep; /* (steeps) stairs that have steps */
    int steeps;

    /* the relaxation, over layers of kinds that there are several of */
    bool *single;     /* (kinds) there is one layer of it at most */
    int plural;       /* layers of the others */
    int *plural_from; /* (layers + 1) of these from here on */
    struct hull {
        int count;
        double moment;              /* the least that is there for a moment */
        double lower[STAGES_TIERS]; /* the least that a choice has in lower memories */
        double *bytes, *time_s;     /* (count) rising, falling; convex */
    } * hull;                       /* (stages) */
    struct hull *mixed;  /* (stages) of the sum of all memories' bytes, those of lower ones times
                            how much smaller they are; where there are tiers */
    int *least;          /* (stages) plural layers that a stage has at least */
    bool *usable;        /* (stages, kinds, choices) may be part of what is enough */
    double bound_pace_s; /* no way has a faster pace */
    double pace_s;       /* no stage takes longer in a step that is enough */
};

static inline const struct stage_choice *choice_of(const struct engine *e, int stage, int kind,
                                                   int choice)
{
    return &e->problem->place[stage].choice[kind * e->problem->choices + choice];
}

/* Time of a layer. On a single stage each layer has a share of the work after the last
 * microbatch. */
static inline double time_of(const struct engine *e, const struct stage_choice *choice)
{
    return choice->time_s +
           (e->problem->stages == 1 ? choice->end_s / e->problem->microbatches : 0);
}

static inline double change_s(const struct engine *e, int stage, int from, int to)
{
    return e->problem->place[stage].change_s[from * e->problem->choices + to];
}

static inline size_t at(const struct engine *e, int stage, int first, int count)
{
    const size_t layers = (size_t)e->problem->layers;
    return ((size_t)stage * layers + (size_t)first) * (layers + 1) + (size_t)count;
}

static inline int same_of(const struct engine *e, int first, int count)
{
    return e->same[(size_t)first * (size_t)(e->problem->layers + 1) + (size_t)count];
}

static inline double value_of(const struct engine *e, double sum_s, double most_s)
{
    return sum_s + (e->problem->microbatches - 1) * most_s;
}

static inline double lower_of(const struct engine *e, int stage, int kind, int choice, int tier)
{
    const struct stage_place *place = &e->problem->place[stage];
    const struct stage_lower *lower = &place->lower[kind * e->problem->choices + choice];
    return lower->fixed_bytes[tier] + place->in_flight * lower->flight_bytes[tier];
}

static inline bool may_cut(const struct stages_problem *p, int before)
{
    return before == 0 || before == p->layers || !p->cut || p->cut[before];
}

/* ---- stages_open.c ---- */

/* False when there is no memory; close it in any case. */
bool engine_open(struct engine *e, const struct stages_problem *problem);
void engine_close(struct engine *e);

/* Sets and fronts begin again. */
void engine_forget(struct engine *e);

/* Of a layer on any stage. */
double engine_fastest_s(const struct engine *e, int kind);

bool stages_answer_open(struct stages_answer *answer, const struct stages_problem *problem);

/* ---- stages_relax.c ---- */

/* Hulls and bounds. False when there is no memory. */
bool engine_relax(struct engine *e);

/* A value that is enough: from it follow the pace, the fewest layers of each stage, and the choices
 * that can be part of it. */
void engine_enough(struct engine *e, double enough_s);

/* What of the memories of a stage is left. */
struct room {
    double bytes, lower[STAGES_TIERS];
};

/* The least time of `layers` plural layers in it; INFINITY: it is too little. */
double engine_rest_s(const struct engine *e, int stage, double layers, const struct room *left);

/* The longest run of layers that may be one stage of a step that is enough. */
int engine_longest(const struct engine *e);

/* No way takes less. */
double engine_bound(const struct engine *e);

int stage_points_compare(const void *a, const void *b);

/* ---- stages_labels.c ---- */

/* The labels of layers first ... first + count - 1. e->failed: no memory. */
const struct set *engine_set(struct engine *e, int stage, int first, int count);

/* Of the labels those that no other is better than at every pace. */
const struct front *engine_front(struct engine *e, int stage, int first, int count);

/* The choices (end - first) of a label of one stage. */
void engine_choices(const struct engine *e, int stage, int first, int end, int label, int *choice);

/* ... of a point of its front, into choice[first] and on. */
void engine_trace(const struct engine *e, int stage, int first, int end, int point, int *choice);

#endif
