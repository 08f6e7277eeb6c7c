/* fsdp_units.h - the layers of a plan as units of PyTorch's FSDP2, a Python module for training
 * code.
 *
 * fully_shard() is called block by block, so that each block may free its weights after forward
 * (ZeRO-3) or keep them until backward (ZeRO-2), and be wrapped to be recomputed, as a whole or in
 * the submodules of torchtitan's blocks. Job files of torchtitan and configurations of DeepSpeed
 * have one value for all layers; this is called in place of torchtitan's apply_fsdp and apply_ac.
 * Tensor, context and pipeline degrees are the training code's and one for all layers.
 *
 * Names: torch.distributed.fsdp.fully_shard; torchtitan/models/llama3/model.
 */
#ifndef RECKON_TRAINERS_FSDP_UNITS_H
#define RECKON_TRAINERS_FSDP_UNITS_H

#include "keys/notes.h"

#include <reckon/model.h>
#include <reckon/plan.h>

#include <stdio.h>

/* What FSDP units cannot say is in `notes`, layers by layers. */
enum rk_status fsdp_units_write(FILE *file, const struct rk_model *model,
                                const struct rk_plan *plan, struct notes *notes,
                                struct rk_error *error);

#endif
