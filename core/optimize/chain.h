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

#include "optimize/chain_problem.h"
#include <stdbool.h>
#include <stdint.h>

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
