/* layers_recurrence.c - layers that carry a state from token to token in place of keys and values.
 *
 * All of them project the stream to what is mixed, convolve it over a few tokens, and run the
 * recurrence in chunks of c tokens, in which it is a product of matrices like attention's, while a
 * state of s x v numbers a head goes from chunk to chunk [dao2024], [yang2024gated]. Products of
 * one chunk and head, after the papers (T the inverse that the delta rule needs):
 *
 *                      state space (SSD)     delta rule                   lightning
 *     scores           C B'    c x c x s     Q K'    c x c x s            Q K'   c x c x s
 *     outputs          S X     c x v x c     S U     c x v x c            S V    c x v x c
 *     states           B' X    s x v x c     K' U    s x v x c            K' V   s x v x c
 *     from states      C H     c x v x s     Q H     c x v x s            Q H    c x v x s
 *     correction                             K K', T: c x c x s, c x c x c
 *                                            T K, T V, (T K) H: c x s x c, c x v x c, c x v x s
 *
 * Scores of a state space are shared by the heads of a group. What the mask hides of a chunk is
 * computed, as the kernels do. Forward keeps what the projection brought and what the recurrence
 * brings; backward computes scores, states and corrections again (the kernels of mamba_ssm and of
 * flash-linear-attention).
 */
#include "workload/layers_build.h"

#include <math.h>

static const struct place_in mixing = {RK_HOLD_attention, NOT_A_PART};
static const struct place_in core = {RK_HOLD_attention, RK_PART_CORE_ATTENTION};

/* Kernels of the recurrence, written in Triton, over what products and memory alone take; fitted to
 * three published runs of one model of Mamba-2 layers alone (1.3 billion parameters, 16,384 tokens
 * a GPU, 6 N FLOP a token), which want 1.84 on an A100, 1.89 on an H200, 2.17 on a GB200
 * [tolley2026]. */
#define TRITON_SLOWER 1.95

/* Tokens of a chunk: Megatron-LM's MambaMixer and mamba_ssm's default in the models trained with it
 * (Nemotron-H: 128); flash-linear-attention's kernels of the delta rule (64); MiniMax-01's blocks
 * (256). */
static const double chunk_tokens[] = {
    [RK_MAMBA_2] = 128, [RK_GATED_DELTA] = 64, [RK_KIMI_DELTA] = 64, [RK_LIGHTNING] = 256};

static bool is_delta(const struct rk_model *model)
{
    return model->recurrence == RK_GATED_DELTA || model->recurrence == RK_KIMI_DELTA;
}

/* What one rank has of it: heads and groups are split. */
struct chunks {
    struct recurrence_shape shape; /* heads, groups of this rank */
    double tokens;                 /* c */
    double heads, groups;          /* times chunks of this rank's tokens */
};

static struct chunks chunks_of(const struct build *build)
{
    struct recurrence_shape shape = recurrence_shape_of(build->model);
    const double c = fmin(chunk_tokens[build->model->recurrence], build->sequence);
    const double count = build->batch * ceil(build->sequence / c);
    shape.heads /= build->tensor;
    shape.groups /= build->tensor;
    return (struct chunks){shape, c, count * shape.heads, count * shape.groups};
}

/* ---- around the recurrence ---- */

static void add_in(struct build *build, const struct chunks *chunks)
{
    const struct recurrence_shape *s = &chunks->shape;
    const double columns = s->projected / build->tensor, rows = build->tokens;
    struct operation *op =
        add_narrow_linear(build, OP_RECURRENCE_IN, mixing,
                          &(struct product){1, rows, columns, build->hidden}, build->shard);
    op->saved_bytes = op->saved_recomputed_bytes = rows * columns * build->element;
    op->parameters += s->vectors / build->tensor;
    if (!(s->low_rank > 0)) return;
    /* gates through a narrow vector: the first half is whole on each rank */
    const double rank = (double)build->model->time_rank,
                 wide = s->low_rank / rank - 2 * build->hidden;
    op = add_linear(build, OP_GATES_DOWN, mixing,
                    &(struct product){1, rows, 2 * rank, build->hidden});
    op->useful_flop /= build->tensor;
    op = add_linear(build, OP_GATES_UP, mixing,
                    &(struct product){1, rows, wide / build->tensor, rank});
    op->saved_bytes = op->saved_recomputed_bytes = rows * wide / build->tensor * build->element;
}

/* Reads and writes each channel once; recomputed in backward, which reads the gradient and writes
 * one. */
static void add_convolution(struct build *build, const struct chunks *chunks)
{
    const double channels = chunks->shape.channels / build->tensor, e = build->element;
    const double taps = (double)build->model->convolution;
    if (!(taps > 0)) return;
    struct operation *op = add_memory(build, OP_CONVOLUTION, core, build->tokens * channels,
                                      (struct traffic){2 * e, 5 * e, 1, 2});
    op->slower = TRITON_SLOWER;
    op->parameters = channels * (taps + (chunks->shape.conv_biases ? 1 : 0));
}

/* What it brings, times its own gate, and normed: keeps both, and the input of the last matrix. */
static void add_out_norm(struct build *build, const struct chunks *chunks)
{
    const double inner = chunks->shape.inner / build->tensor, e = build->element;
    struct operation *op = add_memory(build, OP_RECURRENCE_GATE, mixing, build->tokens * inner,
                                      build->plan->fused ? (struct traffic){3 * e, 5 * e, 1, 1}
                                                         : (struct traffic){9 * e, 16 * e, 4, 6});
    const double share = chunks->shape.norm == chunks->shape.inner ? build->tensor : 1;
    op->parameters = chunks->shape.norm / share;
    op->saved_bytes = op->saved_recomputed_bytes = build->tokens * inner * e;
}

/* ---- the recurrence ---- */

/* `again`: once more in backward. */
static void add_step(struct build *build, enum op id, const struct product *product, bool again)
{
    struct operation *op = add_product(build, id, core, product);
    op->slower = TRITON_SLOWER;
    if (!again) return;
    op->again = 1;
    op->flop[RK_AGRAD] += op->flop[RK_FORWARD];
    op->bytes[RK_AGRAD] += op->bytes[RK_FORWARD];
}

/* States of all chunks go through memory in fp32, summed with their decays. */
static void add_state_passing(struct build *build, const struct chunks *chunks)
{
    const double numbers = chunks->heads * chunks->shape.key * chunks->shape.value;
    struct operation *op =
        add_memory(build, OP_STATE_PASSING, core, numbers, (struct traffic){8, 8 + 12, 1, 2});
    op->slower = TRITON_SLOWER;
    op->working_bytes = 2 * numbers * 4; /* states, and their gradients */
}

static void add_correction(struct build *build, const struct chunks *chunks)
{
    const double n = chunks->heads, c = chunks->tokens;
    const double s = chunks->shape.key, v = chunks->shape.value;
    add_step(build, OP_CHUNK_KEYS, &(struct product){n, c, c, s}, true);
    add_step(build, OP_CHUNK_INVERSE, &(struct product){n, c, c, c}, true);
    add_step(build, OP_CORRECTED_KEYS, &(struct product){n, c, s, c}, true);
    add_step(build, OP_CORRECTED_VALUES, &(struct product){n, c, v, c}, true);
    add_step(build, OP_STATE_CORRECTIONS, &(struct product){n, c, v, s}, true);
}

static void add_recurrence(struct build *build, const struct chunks *chunks)
{
    const double n = chunks->heads, c = chunks->tokens;
    const double s = chunks->shape.key, v = chunks->shape.value;
    const bool shares = build->model->recurrence == RK_MAMBA_2;
    if (is_decoding(build)) { /* one kernel reads the state, adds a token to it, and writes it */
        add_state_passing(build, chunks);
        build->layer->operation[build->layer->operations - 1].slower = 1;
        return;
    }
    if (is_delta(build->model)) add_correction(build, chunks);
    add_step(build, OP_CHUNK_SCORES, &(struct product){shares ? chunks->groups : n, c, c, s}, true);
    add_step(build, OP_CHUNK_STATES, &(struct product){n, s, v, c}, true);
    add_state_passing(build, chunks);
    add_step(build, OP_OUTPUTS_FROM_STATES, &(struct product){n, c, v, s}, false);
    add_step(build, OP_CHUNK_OUTPUTS, &(struct product){n, c, v, c}, false);
    struct operation *op = &build->layer->operation[build->layer->operations - 1];
    op->saved_bytes = op->saved_recomputed_bytes =
        build->tokens * chunks->shape.inner / build->tensor * build->element;
}

/* ---- all of it ---- */

void build_recurrence(struct build *build, bool beside)
{
    const struct chunks chunks = chunks_of(build);
    const double h = build->hidden, inner = chunks.shape.inner / build->tensor;
    if (!beside) add_gather(build, OP_RECURRENCE_GATHER, mixing, h, build->gathered);
    add_in(build, &chunks);
    add_convolution(build, &chunks);
    add_recurrence(build, &chunks);
    add_out_norm(build, &chunks);
    struct operation *op =
        add_narrow_linear(build, OP_RECURRENCE_OUT, mixing,
                          &(struct product){1, build->tokens, h, inner}, build->tokens);
    if (build->kept < build->element)
        op->saved_bytes = op->saved_recomputed_bytes = build->tokens * inner * build->kept;
    if (!beside) add_reduce(build, OP_RECURRENCE_REDUCE, mixing, h);
}
