/* deepspeed.h - ds_config.json of DeepSpeed, as far as it decides a plan.
 *
 * The file says stage, offload, batch and precision; pipeline, experts, recomputation and kernels
 * are the training code's, which no file shows. Keys and defaults: [deepspeed-config].
 */
#ifndef RECKON_INTEROP_DEEPSPEED_H
#define RECKON_INTEROP_DEEPSPEED_H

#include "catalog/document.h"
#include "interop/notes.h"
#include <reckon/model.h>
#include <reckon/plan.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What the file says; presets are DeepSpeed's. */
struct deepspeed_choices {
    uint64_t batch, microbatch, accumulation; /* 0: not said */
    uint64_t stage, mics, prefetch, autotp, sequence;
    bool overlap;
    bool bf16, fp16, cpu_checkpointing;
    bool optimizer_cpu, param_cpu;
    double ratio;
    int accumulate; /* bytes of the type that gradients are summed in; 0: not said */
};

enum rk_status deepspeed_choices(const struct document *document, struct deepspeed_choices *choices,
                                 struct notes *notes, struct rk_error *error);

/* Sharding, overlap and offload of a plan; its batch, degrees and precision stay. */
void deepspeed_choose(const struct deepspeed_choices *choices, struct rk_plan *plan);

/* `gpus` 0: as batch, microbatch and accumulation say, one data-parallel rank if they do not. */
enum rk_status deepspeed_read(const struct document *document, const struct rk_model *model,
                              uint64_t gpus, struct rk_plan *plan, struct notes *notes,
                              struct rk_error *error);

/* What the file cannot say is in `notes` (NOTE_WARNING); RK_NOTHING_FITS with NOTE_REFUSED when the
 * plan needs the training code to be another one (pipeline parallelism). */
enum rk_status deepspeed_write(FILE *file, const struct rk_model *model, const struct rk_plan *plan,
                               struct notes *notes, struct rk_error *error);

#endif
