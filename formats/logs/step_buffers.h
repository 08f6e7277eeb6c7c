/* step_buffers.h - what a rank's step allocates, as buffers to place.
 *
 * A program (reckon/program.h) allocates and frees each tensor at an instruction; time is counted
 * in those. What lasts (weights, gradients, optimizer) lives through the whole step; what is in a
 * lower memory tier is left out. A tensor that is made and gone within forward, or within
 * backward, of one layer and microbatch is of that pass. Keys and values that go around a ring take
 * two messages while attention runs, where the program has one tensor of all ranks'
 * (step_buffers.c).
 */
#ifndef RECKON_LOGS_STEP_BUFFERS_H
#define RECKON_LOGS_STEP_BUFFERS_H

#include "logs/buffers.h"
#include <reckon/program.h>

/* Sizes in bytes, rounded up. `lasting`: what lasts, too. RK_NO_MEMORY without memory; release in
 * any case. */
enum rk_status step_buffers(struct buffers *buffers, const struct rk_program *program, bool lasting,
                            struct rk_error *error);

/* What each tensor asks memory for, (program->tensors) in their order; free it. NULL: no memory. */
struct rk_buffer *tensor_buffers(const struct rk_program *program);

#endif
