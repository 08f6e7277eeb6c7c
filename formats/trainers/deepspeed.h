/* deepspeed.h - ds_config.json of DeepSpeed, as far as it decides a plan.
 *
 * The file says stage, offload, batch and precision; pipeline, experts, recomputation and kernels
 * are the training code's, which no file shows. Keys and defaults: [deepspeed-config].
 */
#ifndef RECKON_TRAINERS_DEEPSPEED_H
#define RECKON_TRAINERS_DEEPSPEED_H

#include "keys/reader.h"
#include <stdio.h>

enum deepspeed_device { DEEPSPEED_NONE, DEEPSPEED_CPU, DEEPSPEED_NVME };

/* What the file says; presets are DeepSpeed's. */
struct deepspeed_choices {
    uint64_t batch, microbatch, accumulation; /* 0: not said */
    uint64_t stages;                          /* of its pipeline, where the file says them; 0 */
    uint64_t stage, mics, prefetch, autotp, sequence;
    int overlap; /* -1: as the stage has it */
    bool bf16, fp16, cpu_checkpointing, partition;
    int optimizer_device, param_device; /* enum deepspeed_device */
    int optimizer;                      /* of optimizers[] in deepspeed.c; -1: not said */
    bool narrow_master, narrow_moments; /* 16 bits, where they are usually fp32 */
    double ratio, loss_scale;           /* of fp16: 0 follows the gradients */
    double momentum;
    int accumulate; /* "fp32|fp16|bf16": the type that gradients are summed in; -1: not said */
    bool implied;   /* the stage is that of its bf16 optimizer, the file says 0 */
    bool auto_precision, auto_batch; /* "auto": the trainer fills it in */
};

/* The choices of a text; values "auto" are left as if nothing were said. */
enum rk_status deepspeed_choices(const struct config_source *source,
                                 struct deepspeed_choices *choices, struct notes *notes,
                                 struct rk_error *error);

/* Stage 0 with bf16 in a program that brings its own optimizer: shards as stage 1 does. */
void deepspeed_bf16_optimizer(struct deepspeed_choices *choices, struct notes *notes);

/* How many GPUs the batch is for; 0: the file does not tell. */
uint64_t deepspeed_gpus(const struct deepspeed_choices *choices);

/* Sharding, overlap and offload of a plan; its batch, degrees and precision stay. */
void deepspeed_choose(const struct deepspeed_choices *choices, struct rk_plan *plan);

#endif
