/* run_buffers.h - what a rank of Megatron-LM asks the allocator for, from the model's start to its
 * second step.
 *
 * Which segments a caching allocator has depends on what came before. In this order:
 *
 *     1. the weights of each operation, as the model is built
 *     2. one buffer of all weights, one of all gradients; the weights move there, their own memory
 *        is free (param_and_grad_buffer.py)
 *     3. the master copy of each (distrib_optimizer.py)
 *     4. the first step. The first gradient of a shape of weights leaves a tensor of that shape for
 *        good, where Transformer Engine adds gradients to the buffer itself (get_dummy_wgrad of
 *        its module/base.py); the embedding's gradient is a tensor of its own, which is added
 *     5. both moments of each, which the first step of the optimizer makes
 *     6. the second step; later ones are like it
 *
 * Experts' weights have buffers of their own. Of the optimizer's bytes a third are the master copy.
 */
#ifndef RECKON_LOGS_RUN_BUFFERS_H
#define RECKON_LOGS_RUN_BUFFERS_H

#include "logs/buffers.h"

#include <reckon/plan.h>
#include <reckon/program.h>

/* Does it know how a run of this plan begins? Megatron-LM's, whose weights are whole and here. */
bool run_buffers_known(const struct rk_plan *plan);

/* Sizes in bytes, rounded up, without names and passes. RK_NO_MEMORY without memory; release in any
 * case.
 */
enum rk_status run_buffers(struct buffers *buffers, const struct rk_program *program,
                           const struct rk_plan *plan, struct rk_error *error);

#endif
