/* train_memory.h - what a rank has alive at once of a step's tensors, by its program. */
#ifndef RECKON_CLI_TRAIN_MEMORY_H
#define RECKON_CLI_TRAIN_MEMORY_H

#include <reckon/program.h>

/* The most bytes at once, less what lasts, as the executor has them: the logits turn into their
 * gradient in place. Of 16 bits (emulated) what is at work is in 32: the weights of a layer while a
 * pass reads them, its tensors up to the end of forward and again from the begin of backward, all
 * gradients of activations. Gathered weights are there for a pass alone, unless the plan
 * keeps them: what is on its way takes no room here. -1: no memory. */
double train_live_bytes(const struct rk_program *program, const struct rk_plan *plan);

#endif
