/* checkpoint.h - bytes of a checkpoint: of what is trained, the weights and the optimizer's state.
 */
#ifndef RECKON_ESTIMATE_CHECKPOINT_H
#define RECKON_ESTIMATE_CHECKPOINT_H

#include <reckon/model.h>
#include <reckon/plan.h>

/* Of adapters alone where they are what is trained: the base is that of another checkpoint (PEFT's
 * save_pretrained). */
double checkpoint_bytes_of(const struct rk_model *model, const struct rk_plan *plan);

#endif
