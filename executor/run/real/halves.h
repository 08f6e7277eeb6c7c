/* halves.h - what the kernels of a block's halves share: ops.c, heads.c, mlp.c. */
#ifndef RECKON_RUN_REAL_HALVES_H
#define RECKON_RUN_REAL_HALVES_H

#include "run/real/engine.h"

/* ---- blocks of other forms than two halves that add their output to the stream as it is ---- */

static inline bool is_parallel(const struct engine *e)
{
    return e->job->model.parallel_block;
}

/* Attention and MLP read the output of one norm. */
static inline bool shares_norm(const struct engine *e)
{
    return is_parallel(e) && e->job->model.block_norms == 1;
}

static inline bool has_norms_after(const struct engine *e)
{
    return e->job->model.block_norms == 4;
}

/* ---- ops.c ---- */

struct REAL(norm) REAL(norm_of)(struct engine *e, struct store *s, enum weight_role role);
/* Of a norm's biases; NULL: it has none. */
real *REAL(bias_gradient)(struct engine *e, struct store *s, enum weight_role norm);
/* The input of a product over tensor ranks, which may begin with what is here. */
const real *REAL(tiled_input)(struct engine *e, struct frame *f, enum slot shard, enum slot whole,
                              const char *what);
/* The slot of an output's gradient. */
enum slot REAL(gradient_slot)(const struct engine *e, enum slot shard, enum slot whole);
/* What a half brings is added to the stream, and its bias; and what it gets back: `copied`,
 * products read copies of it. */
void REAL(join)(struct engine *e, struct store *s, enum weight_role bias, struct frame *f,
                enum slot stream, enum slot out);
void REAL(join_back)(struct engine *e, struct frame *f, enum slot dout, bool copied);
#define norm_of       REAL(norm_of)
#define bias_gradient REAL(bias_gradient)
#define tiled_input   REAL(tiled_input)
#define gradient_slot REAL(gradient_slot)
#define join          REAL(join)
#define join_back     REAL(join_back)

/* ---- heads.c ---- */

kernel REAL(qkv), REAL(qkv_input), REAL(qkv_weight), REAL(head_norms), REAL(head_norms_input),
    REAL(rotary_forward), REAL(rotary_input);
/* Gradients of weights have read a norm's output: of two matrices the first or the second. */
void REAL(read_normed)(struct engine *e, struct frame *f, enum slot normed);
#define read_normed REAL(read_normed)

/* ---- mlp.c ---- */

kernel REAL(mlp_in), REAL(mlp_in_input), REAL(mlp_in_weight), REAL(activate), REAL(activate_input),
    REAL(mlp_out), REAL(mlp_out_input), REAL(mlp_out_weight), REAL(residual_2),
    REAL(residual_2_input), REAL(residual_both), REAL(residual_both_input);

#endif
