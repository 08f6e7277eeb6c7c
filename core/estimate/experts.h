/* experts.h - the exchange of experts during the computation of another microbatch
 * (`expert_overlap`): forward of one microbatch runs together with backward of another, as in
 * DualPipe [deepseek2024v3] and in combined_1f1b.py of Megatron Core 0.14. Seconds.
 */
#ifndef RECKON_ESTIMATE_EXPERTS_H
#define RECKON_ESTIMATE_EXPERTS_H

#include "estimate/stages.h"

/* Adds the exchange of an operation, by pass, as a fold counts passes. */
void experts_add(double exchange_s[FOLD_PASSES], const struct timed_layer *timed, int at,
                 bool redone, int bare);

struct experts_beside {
    bool hidden;
    double alone_s;  /* what the layer takes with nothing to hide its exchange */
    double slower_s; /* what computing takes more meanwhile */
};

/* Of a fold that has the times of its operations; `starts`: kernels that the host starts. */
struct experts_beside experts_begin(struct layer_fold *fold, const struct bench *bench,
                                    const double exchange_s[FOLD_PASSES],
                                    const double starts[FOLD_PASSES]);

/* ... and when it has the waits for the host, too. */
void experts_end(struct layer_fold *fold, const struct experts_beside *beside);

/* The share of microbatches whose exchange has nothing to hide it. Passes of warm-up and cool-down
 * run alone: with v interleaved stages on a rank these are 2 (p - 1 - i) + (v - 1) p + 1 of stage
 * i, each of 1 / v of a microbatch, which is p microbatches on the average of stages; without a
 * pipeline the first forward and the last backward, which is one. */
double experts_share(double stages, double microbatches);

/* Adds what that share takes, on the average of microbatches, half of it in each pass. */
void experts_alone(struct stage_sum *sum, const struct sharing *sharing);

#endif
