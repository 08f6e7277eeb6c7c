/* layerwise_climb.h - from a mix of ways to better ones, each judged by the predictor itself.
 *
 * Sums over layers say which mixes are near the best one; which of them is the best, and which fit,
 * only rk_predict can say. From a mix the neighbours are tried that the sums, corrected by what
 * they are off of the mix at hand, promise most of: a run of layers, or some at its ends, run in
 * another way; all layers that are run in one way in another; embedding and head; a stage's border;
 * and, where none of these helps, two of them together, one that saves time and one that saves
 * memory.
 */
#ifndef RECKON_SEARCH_LAYERWISE_CLIMB_H
#define RECKON_SEARCH_LAYERWISE_CLIMB_H

#include "search/layerwise_shape.h"

struct mix {
    int end; /* the way that embedding and head are run in */
    int first[LAYERWISE_MOST_STAGES + 1];
    int choice[LAYERWISE_MOST_LAYERS + 2]; /* of the shape's layers, ends and all */
};

/* What the predictor says of a mix; of what it refuses, or nobody could launch, all is INFINITY. */
struct mix_judged {
    double step_s, excess_bytes; /* 0: it fits */
    double stage_bytes[LAYERWISE_MOST_STAGES];
};
typedef void mix_judge(void *context, const struct mix *mix, struct mix_judged *judged);

struct climb {
    struct shape *shape;
    mix_judge *judge;
    void *context;
    long left;     /* number of mixes that are still judged */
    double weight; /* of memory that is too little */
};
#define CLIMB_WEIGHT 4

/* The less, the better: the step, longer by `weight` times the share of the memory that it has too
 * much. */
double mix_worth(const struct shape *s, const struct mix_judged *judged, double weight);

struct mix mix_of(const struct shape *s, const struct stages_answer *answer, int end);

/* The mix as an answer of the surrogate, whose arrays are the mix's. */
struct stages_answer mix_answer(struct mix *mix);

/* All layers run in a way, stages as even as it goes. */
struct mix mix_alike(const struct shape *s, int way);

/* Goes on from a mix for as long as a neighbour is better. False when there is no memory. */
bool climb_from(struct climb *climb, struct mix *mix, struct mix_judged *judged);

#endif
