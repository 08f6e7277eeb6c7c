/* stages.h - a plan's pipeline stages as sums of layers, and what they make of time and memory.
 *
 * A stage is a count of each kind of layer; its cost is their sum. From stages on there are numbers
 * alone: the time of a step is the pace of the slowest stage, the others' at start and end, and
 * what data parallelism and optimizer add; memory is judged stage by stage. Pure; of one rank.
 */
#ifndef RECKON_ESTIMATE_STAGES_H
#define RECKON_ESTIMATE_STAGES_H

#include "estimate/fold.h"

struct stage_sum {
    double blocks;
    double spent_s[FOLD_PASSES][SPENDINGS]; /* of all chunks, one microbatch */
    double pass_s[FOLD_PASSES];
    double
        data_s[FOLD_PASSES]; /* ZeRO-2 and 3: gathering and reducing that a microbatch waits for */
    double link_s[LINKS], data_link_s; /* of one microbatch */
    double useful_flop, executed_flop;
    double parameters, expert_parameters, narrow_parameters;
    double ends_parameters;    /* embedding and head among them */
    double largest_parameters; /* of its largest block, experts among them */
    double saved_bytes[RK_HOLDING_COUNT];
    double saved_total_bytes;
    double working_bytes;
};

/* Stage `index` of plan->pipeline: its virtual stages index, index + p, ... */
void stage_sum(struct stage_sum *sum, const struct layer_folds *fold, const struct rk_model *model,
               const struct rk_plan *plan, uint64_t index);

/* Adds what offload and ZeRO-2 and 3 move for each microbatch. */
void stage_moves(struct stage_sum *sum, const struct rk_system *system, const struct rk_plan *plan);

/* ---- bytes of one parameter ---- */

struct element_bytes {
    double weight, gradient, optimizer; /* as they are kept; optimizer: master copy and moments */
    double gathered;                    /* of weights in the precision of the products */
    double sent_weight, sent_gradient;  /* by data parallelism */
    double narrow_copies; /* of weights that are multiplied in 8 or 4 bits, beside the kept ones */
};

struct element_bytes element_bytes_of(const struct rk_plan *plan);

/* ---- memory ---- */

/* Microbatches whose activations stage `index` holds at most, in whole stages. */
double in_flight_of_plan(const struct rk_plan *plan, double microbatches, uint64_t index);

/* Fills holds, sums and in_flight of `stage`. */
void stage_memory(struct rk_stage *stage, const struct stage_sum *sum,
                  const struct layer_folds *fold, const struct rk_system *system,
                  const struct rk_plan *plan, uint64_t index);

/* ---- time ---- */

/* What comes behind the last backward pass of a stage. */
struct stage_end {
    double data_s;      /* waited for */
    double data_link_s; /* sent */
    double optimizer_s;
};

struct stage_end stage_end_of(const struct stage_sum *sum, const struct rk_system *system,
                              const struct rk_plan *plan);

/* Time of a step from its stages (of plan->pipeline), every term of RK_TIMES apart. */
void step_time(struct rk_prediction *prediction, const struct stage_sum *stages,
               const struct layer_folds *fold, const struct rk_system *system,
               const struct rk_plan *plan);

double microbatches_of(const struct rk_plan *plan);

#endif
