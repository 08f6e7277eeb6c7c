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

#include "optimize/stages_problem.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
