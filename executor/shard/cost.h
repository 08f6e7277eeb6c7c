/* cost.h - which dimension of each matrix to split so that tensor ranks send the least: exact, by
 * dynamic programming over the chain of layers.
 *
 * Between two steps a vector of n numbers a token is whole on each of t ranks, split over them, or
 * there as partial sums. A matrix that is split by its outputs (OUT) reads whole vectors and brings
 * split ones, by its inputs (IN) reads split ones and brings partial sums, not split (WHOLE) keeps
 * them whole. Going from one state to another sends, in units of n (t - 1)/t numbers,
 *
 *     all-gather (split -> whole) 1    reduce-scatter (partial -> split) 1    all-reduce 2
 *
 * and a slice (whole -> split) nothing; the gradient goes the other way: what OUT reads whole comes
 * back as partial sums, what IN reads split comes back split. A matrix that can be split is: else
 * no rank would send anything, and each have all of it. Volumes of rings: [thakur2005].
 */
#ifndef RECKON_SHARD_COST_H
#define RECKON_SHARD_COST_H

#include <stdbool.h>
#include <stddef.h>

enum cost_choice { COST_OUT, COST_IN, COST_WHOLE, COST_CHOICES };
enum cost_state { COST_IS_WHOLE, COST_IS_SPLIT, COST_IS_PARTIAL, COST_STATES };

/* The operation after the matrices of a step. */
enum cost_behind {
    COST_NOTHING,   /* any state continues */
    COST_POINTWISE, /* activations, aligned heads: whole or split, alike for all matrices */
    COST_NORM       /* norms, sums with the residual stream, heads that a cut goes through: whole */
};

struct cost_matrix {
    double in, out;       /* numbers a token */
    bool can_out, can_in; /* the ranks divide them */
};

enum { COST_MOST_MATRICES = 4 };

/* Matrices that read the same vector. */
struct cost_step {
    int matrices;
    struct cost_matrix matrix[COST_MOST_MATRICES];
    enum cost_behind behind;
};

struct cost_choices {
    enum cost_choice of[COST_MOST_MATRICES];
};

/* Numbers that a rank sends for each token, forward and backward, over t ranks, from a whole vector
 * to a whole one; infinite when a choice is not possible. The states in between are the best. */
double cost_of(const struct cost_step *steps, size_t count, const struct cost_choices *choices,
               double t);

/* The choices that send the least, the first of equals; returns what they send. `choices` (count).
 */
double cost_best(const struct cost_step *steps, size_t count, double t,
                 struct cost_choices *choices);

#endif
