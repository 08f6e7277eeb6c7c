/* layers_attention.c - attention in its kinds: per head, grouped, of one key head, latent
 * [deepseek2024]; over all tokens or a window; fused [dao2023] or with its scores in memory
 * [korthikanti2022]; over a sequence that context parallelism cuts.
 */
#include "plan/habits.h"
#include "workload/attention_pairs.h"
#include "workload/layers_build.h"

#include <math.h>

static const struct place_in attention = {RK_HOLD_attention, NOT_A_PART};
static const struct place_in core = {RK_HOLD_attention, RK_PART_CORE_ATTENTION};
static const struct place_in up = {RK_HOLD_attention, RK_PART_UP_PROJECTION};

/* ---- context parallelism ---- */

/* Heads that go to another rank when tokens come: keys that are fewer than ranks are copied. */
static double keys_across(const struct heads *heads)
{
    return fmax(heads->keys, heads->across);
}

static double query_bytes(const struct build *build, const struct heads *heads)
{
    return build->tokens * heads->queries * heads->width * build->element;
}

static double key_value_bytes(const struct build *build, const struct heads *heads, double count)
{
    return attention_keys_of_rank(build) * count * (heads->width + heads->value) * build->element;
}

static double output_bytes(const struct build *build, const struct heads *heads)
{
    return build->tokens * heads->queries * heads->value * build->element;
}

/* Bytes kept of an output that only the linear layer after attention reads: that layer keeps a
 * narrow one itself. */
static double output_kept(const struct build *build, const struct heads *heads)
{
    if (!keeps_input(build, TARGETS_O)) return 0;
    return build->kept < build->element ? 0 : output_bytes(build, heads);
}

/* Each of `tensors` is copied before the exchange, grouped by rank, and after it, tokens in their
 * order (Transformer Engine's flash_attn_a2a_communicate; DeepSpeed's single_all_to_all). */
static void rearrange(struct operation *op, double tensors)
{
    op->rearranged_bytes = 2 * 2 * op->comm_bytes[RK_FORWARD];
    op->kernels[RK_FORWARD] += 2 * tensors;
    op->kernels[RK_AGRAD] += 2 * tensors;
}

/* All-to-all that brings all tokens of fewer heads, and back; forward and backward alike
 * [jacobs2023]. */
static void add_across(struct build *build, const struct heads *heads)
{
    if (heads->across <= 1) return;
    const double bytes =
        query_bytes(build, heads) + key_value_bytes(build, heads, keys_across(heads));
    rearrange(add_comm(build, OP_QKV_ACROSS, attention, OVER_ULYSSES, COMM_ALL_TO_ALL,
                       COMM_ALL_TO_ALL, bytes),
              3);
}

static void add_back_across(struct build *build, const struct heads *heads)
{
    if (heads->across <= 1) return;
    struct operation *op = add_comm(build, OP_ATTENTION_BACK, attention, OVER_ULYSSES,
                                    COMM_ALL_TO_ALL, COMM_ALL_TO_ALL, output_bytes(build, heads));
    rearrange(op, 1);
    op->saved_bytes = op->saved_recomputed_bytes = output_kept(build, heads);
}

/* Keys and values of all ranks before attention; once more in backward, for they are not kept
 * [dubey2024]. */
static void add_kv_gather(struct build *build, double bytes)
{
    struct operation *op = add_comm(build, OP_KV_ALL_GATHER, core, OVER_RING, COMM_ALL_GATHER,
                                    COMM_REDUCE_SCATTER, bytes * build->context);
    op->what[RK_WGRAD] = COMM_ALL_GATHER;
    op->comm_bytes[RK_WGRAD] = bytes * build->context;
    op->kernels[RK_WGRAD] = 1;
    op->working_bytes = 2 * bytes * build->context;
}

/* Keys and values of one rank after another, each step during attention over the previous ones
 * [liu2023]. Forward has n - 1 steps; backward has these and n of their gradients, which must
 * return to their ranks. */
static void add_ring(struct build *build, const struct heads *heads, double bytes)
{
    const double n = heads->around;
    struct operation *op =
        add_comm(build, OP_KV_RING, core, OVER_RING, COMM_SEND, COMM_SEND, bytes);
    op->comm_times[RK_FORWARD] = n - 1;
    op->comm_times[RK_AGRAD] = n;
    op->comm_bytes[RK_AGRAD] = bytes * (2 * n - 1) / n;
    op->kernels[RK_FORWARD] = n - 1;
    op->kernels[RK_AGRAD] = n;
    op->beside_attention = true;
    op->working_bytes = 4 * bytes; /* one pair at hand, one on its way, and their gradients */
}

static void add_around(struct build *build, const struct heads *heads)
{
    const double keys = heads->across > 1 ? keys_across(heads) : heads->keys;
    const double bytes = key_value_bytes(build, heads, keys);
    if (heads->around <= 1) return;
    if (build->plan->context_kind == RK_GATHER)
        add_kv_gather(build, bytes);
    else
        add_ring(build, heads, bytes);
}

/* ---- the core ---- */

enum { LOG_SUM_BYTES = 4 }; /* one float a row of scores */

/* Megatron-LM's stream has the sequence before the samples, FlashAttention's own kernels the
 * samples first. Of more than one sample, their output is kept as it was written, for backward, and
 * turned over, as the projection's input (rearrange(..., 'b s h d -> s b (h d)').contiguous() in
 * its attention.py, and in Transformer Engine's FlashAttention); cuDNN's kernels take either order.
 */
static double flash_outputs(const struct build *build)
{
    const bool cudnn = build->plan->attention == RK_FLASH_3;
    return habits_of(build->plan)->turns_outputs && !cudnn && build->batch > 1 ? 2 : 1;
}

/* Transformer Engine's attention in 8 bits casts queries, keys and values, and in backward the
 * output's gradient; what comes out of its kernels in 8 bits is cast back
 * (dot_product_attention/backends.py, FusedAttnFunc). */
static void add_attention_casts(struct build *build, double inputs, double output)
{
    const double each = build->element + 1, narrowed = inputs + output;
    if (!build->plan->attention_fp8 || build->served) return;
    struct operation *op = add_operation(build, OP_CAST, core);
    op->elements = inputs / build->element;
    op->bytes[RK_FORWARD] = op->bytes[RK_AGRAD] = narrowed / build->element * each;
    op->kernels[RK_FORWARD] = op->kernels[RK_AGRAD] = 2;
}

/* Of the output backward reads 8 bits with delayed scaling, with the others 16
 * (NVTE_DPA_FP8CS_O_in_F16). */
static double output_read_back(const struct build *build, double output)
{
    const bool narrow =
        build->plan->attention_fp8 && build->plan->precision == RK_FP8_DELAYED && !build->served;
    return narrow ? output / build->element : output * flash_outputs(build);
}

/* Two products forward, five backward: scores are recomputed [dao2023]. Reads queries, keys,
 * values, writes the output; backward reads these and the output's gradient, writes three. */
static void add_flash(struct build *build, const struct heads *heads, bool local)
{
    const double keys = fmax(heads->keys / heads->across, 1), around = heads->around;
    const double each = build->batch * heads->queries / heads->across;
    const double pairs =
        attention_fused_pairs(build, local) / around * attention_crowding_of(build, local, around);
    const double product = 2 * each * pairs, output = output_bytes(build, heads);
    const double logs = build->tokens * heads->queries * LOG_SUM_BYTES;
    const double inputs =
        query_bytes(build, heads) + key_value_bytes(build, heads, keys * heads->across) * around;
    add_attention_casts(build, inputs / around, output);
    struct operation *op = add_operation(build, OP_ATTENTION, core);
    op->flop[RK_FORWARD] = product * (heads->width + heads->value);
    op->flop[RK_AGRAD] = product * (3 * heads->width + 2 * heads->value);
    attention_count_pairs(op, build, local, 2 * each / around * (heads->width + heads->value));
    op->bytes[RK_FORWARD] = inputs + output + logs;
    op->bytes[RK_AGRAD] = 2 * inputs + 2 * output + logs;
    op->kernels[RK_FORWARD] = around;
    op->kernels[RK_AGRAD] = 3 * around; /* row sums, gradients, and their conversion */
    op->parameters = build->model->attention_sinks ? heads->queries : 0;
    op->batch = build->batch;
    op->heads = heads->queries / heads->across;
    op->kv_heads = keys;
    op->queries = build->sequence / around;
    op->keys = attention_keys_of_sample(build);
    op->head_dim = heads->width;
    op->value_dim = heads->value;
    op->pairs = pairs;
    op->window = attention_window_of(build, local);
    op->slides = local && !build->model->window_chunks;
    if (around > 1) op->packed_bytes = key_value_bytes(build, heads, keys * heads->across);
    op->saved_recomputed_bytes = output;
    op->saved_bytes = output_read_back(build, output) + logs;
    /* gradients, the queries' among them summed in fp32 */
    op->working_bytes = inputs / around + output + 2 * query_bytes(build, heads);
}

/* Elements touched for each score: forward, backward. Fused, scale, mask and softmax are one
 * kernel; torch runs them one by one, the softmax in fp32. */
static struct traffic softmax_traffic(const struct build *build)
{
    const double e = build->element;
    if (build->plan->fused) return (struct traffic){2 * e, 3 * e, 1, 1};
    return (struct traffic){7 * e + 8, 4 * e + 16, 4, 3};
}

/* Scores in memory: each softmax value, mask bit (in a byte) and what dropout leaves of them is
 * held [korthikanti2022], torch's softmax in fp32 besides. */
static void add_unfused(struct build *build, const struct heads *heads, bool local)
{
    const double e = build->element, around = heads->around;
    const double each = build->batch * heads->queries / heads->across;
    const double rows = build->sequence / around;
    const double columns = attention_keys_of_sample(build);
    const double scores = each * rows * columns;
    const bool drops = !build->model->no_dropout;
    struct operation *op =
        add_product(build, OP_SCORES, core, &(struct product){each, rows, columns, heads->width});
    attention_count_pairs(op, build, local, 2 * each / around * heads->width);
    op->parameters = build->model->attention_sinks ? heads->queries : 0;
    if (plan_lacks_engine(build->plan))
        op->buffer_bytes = scores * e; /* what the product is added to */
    op = add_memory(build, OP_SOFTMAX, core, scores, softmax_traffic(build));
    op->memory = MEMORY_LOSS; /* exponentials of rows, and their sums */
    op->saved_bytes = scores * (build->plan->fused ? e : e + 4);
    if (drops) {
        op = add_memory(build, OP_ATTENTION_DROPOUT, core, scores,
                        (struct traffic){2 * e + 1, 2 * e + 1, 1, 1});
        op->saved_bytes = scores * (e + 1);
    }
    op = add_product(build, OP_VALUES_SUM, core,
                     &(struct product){each, rows, heads->value, columns});
    attention_count_pairs(op, build, local, 2 * each / around * heads->value);
    op->saved_bytes = op->saved_recomputed_bytes =
        heads->across > 1 ? 0 : output_kept(build, heads);
}

/* Queries and outputs of latent attention are turned into the width of the latent vectors, which
 * all heads share as key and value: the projections that would bring keys and values up are run on
 * the one token's queries and outputs instead [deepseek2024, 2.1.2]. */
static void add_lookup(struct build *build, const struct heads *heads, bool local)
{
    const struct rk_model *model = build->model;
    const double rank = (double)model->kv_rank;
    const bool latent = model->kv_rank > 0;
    build_lookup(
        build, &(struct looked_up){.heads = heads->queries,
                                   .kv_heads = latent ? 1 : heads->keys,
                                   .width = latent ? rank + (double)model->rope_dim : heads->width,
                                   .value = latent ? rank : heads->value,
                                   .pairs = attention_served_pairs(build, local),
                                   .sharers = lookup_sharers(build, local)});
}

static void add_core(struct build *build, const struct heads *heads, bool local)
{
    if (is_decoding(build)) {
        add_lookup(build, heads, local);
        return;
    }
    add_across(build, heads);
    add_around(build, heads);
    if (build->plan->attention == RK_UNFUSED)
        add_unfused(build, heads, local);
    else
        add_flash(build, heads, local);
    add_back_across(build, heads);
}

/* ---- queries, keys and values of their own ---- */

/* Fused, one kernel reads and writes; torch multiplies with sines and cosines one by one, turns
 * halves, and adds. */
static struct traffic rotary_traffic(const struct build *build)
{
    const double e = build->element;
    if (build->plan->fused) return (struct traffic){2 * e, 2 * e, 1, 1};
    return (struct traffic){11 * e, 11 * e, 5, 5};
}

static void add_rotary(struct build *build, struct place_in in, double elements)
{
    if (build->model->position != RK_POSITION_ROPE) return;
    struct operation *op = add_memory(build, OP_ROTARY, in, elements, rotary_traffic(build));
    op->memory = MEMORY_ROTARY;
    if (build->served) op->kernels[RK_FORWARD] = 0; /* within attention, or with the projection */
}

/* Norms of the heads of queries and keys, weights shared by all heads [dehghani2023]: they keep
 * their inputs, what they bring out turns into what attention keeps. */
static void add_head_norms(struct build *build, const struct heads *heads)
{
    if (!build->model->qk_norm) return;
    const double rows = build->tokens * (heads->queries + heads->keys);
    struct operation *op = add_norm(build, OP_QK_NORM, attention, rows, heads->width, 0);
    const double own = build->model->qk_norm_wide ? heads->queries + heads->keys : 2;
    op->parameters = own * norm_parameters(build->model, heads->width);
    op->saved_recomputed_bytes = op->saved_bytes;
}

/* What attention keeps of its inputs belongs to what brings them. */
static double inputs_kept(const struct build *build, const struct heads *heads)
{
    const double keys = heads->across > 1 ? keys_across(heads) : heads->keys;
    const double all = query_bytes(build, heads) + key_value_bytes(build, heads, keys);
    return build->plan->attention_fp8 ? all / build->element : all;
}

/* One for each of the three, or one for all. */
static void add_projection_adapters(struct build *build, const struct heads *heads, double queries)
{
    const double keys = heads->keys * heads->width, values = heads->keys * heads->value;
    const struct {
        enum rk_target target;
        double out;
    } each[] = {{RK_TARGET_Q, queries},
                {RK_TARGET_K, keys},
                {RK_TARGET_V, values},
                {RK_TARGET_QKV, queries + keys + values}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        add_adapter(
            build, attention,
            &(struct adapted){each[i].target, 1, build->tokens, build->hidden, each[i].out, false});
}

static void add_projections(struct build *build, const struct heads *heads)
{
    const struct rk_model *model = build->model;
    const double d = heads->width, both = d + heads->value; /* of a key and its value */
    const double gate = model->attention_gate ? heads->queries * heads->value : 0;
    const double queries = heads->queries * d + gate;
    const double columns = queries + heads->keys * both;
    const double useful = (queries + heads->shared * both) / columns;
    struct operation *op = add_narrow_linear(
        build, OP_QKV, attention, &(struct product){1, build->tokens, columns, build->hidden},
        build->shard);
    if (!build->plan->qkv_joined) /* one after the other */
        op->working_bytes -= dequantized_bytes(build, (columns - queries) * build->hidden);
    op->parameters += has_qkv_biases(model) ? columns : 0;
    op->useful_flop *= useful;
    op->saved_bytes = op->saved_recomputed_bytes =
        inputs_kept(build, heads) + build->tokens * gate * build->element;
    op->released_bytes = fmin(op->saved_bytes, build->tokens * columns * build->element);
    if (build->plan->cache_kept) op->cache_kept_bytes = key_value_bytes(build, heads, heads->keys);
    op->stays = build->plan->qkv_kept;
    if (op->stays) op->cache_kept_bytes = inputs_kept(build, heads);
    if (build->plan->qkv_joined) /* the product, in addition to queries and keys with positions */
        op->saved_bytes += build->tokens * (heads->queries + heads->keys) * d * build->element;
    add_projection_adapters(build, heads, queries);
    add_head_norms(build, heads);
    add_rotary(build, attention, build->tokens * (heads->queries + heads->keys) * d);
}

/* ---- latent queries, keys and values ---- */

/* Down to a latent vector: on shards of the sequence, weights whole on each rank. */
static void add_down(struct build *build, enum op id, enum rk_target target, double width)
{
    struct operation *op =
        add_narrow_linear(build, id, attention,
                          &(struct product){1, build->shard, width, build->hidden}, build->shard);
    op->parameters += has_qkv_biases(build->model) ? width : 0;
    if (!build->plan->sequence_parallel) op->useful_flop /= build->tensor;
    add_adapter(build, attention,
                &(struct adapted){target, 1, build->shard, build->hidden, width, false});
}

static void add_up(struct build *build, enum op id, enum rk_target target, double columns,
                   double rank)
{
    struct operation *op = add_narrow_linear(
        build, id, up, &(struct product){1, build->tokens, columns, rank}, build->shard);
    op->parameters += build->model->biases ? columns : 0;
    if (build->served && !is_decoding(build) && id == OP_KV_UP) /* those that are cached, too */
        op->m += build->batch * build->served->cached;
    add_adapter(build, up, &(struct adapted){target, 1, build->tokens, rank, columns, false});
}

/* The output is kept in front of the up projection, which gathers it from its shards. */
static void add_latent_norm(struct build *build, enum op id, enum op gather, double rank,
                            double beside)
{
    add_norm(build, id, up, build->shard, rank, build->kept);
    add_gather(build, gather, up, rank + beside, build->gathered);
}

static void add_latent_queries(struct build *build, const struct heads *heads)
{
    const double rank = (double)build->model->q_rank, columns = heads->queries * heads->width;
    if (!(rank > 0)) {
        struct operation *op = add_narrow_linear(
            build, OP_QUERY, attention, &(struct product){1, build->tokens, columns, build->hidden},
            build->shard);
        op->parameters += build->model->biases ? columns : 0;
        add_adapter(
            build, attention,
            &(struct adapted){RK_TARGET_Q, 1, build->tokens, build->hidden, columns, false});
        return;
    }
    add_down(build, OP_QUERY_DOWN, RK_TARGET_Q, rank);
    add_latent_norm(build, OP_QUERY_NORM, OP_QUERY_GATHER, rank, 0);
    add_up(build, OP_QUERY_UP, RK_TARGET_Q, columns, rank);
}

/* Keys are put together of a part of each head and one with position for all; the values' part of
 * the projection is copied. */
static void add_latent(struct build *build, const struct heads *heads)
{
    const struct rk_model *model = build->model;
    const double rope = (double)model->rope_dim, rank = (double)model->kv_rank;
    const double e = build->element, a = heads->queries;
    add_latent_queries(build, heads);
    add_down(build, OP_KV_DOWN, RK_TARGET_K, rank + rope);
    add_latent_norm(build, OP_KV_NORM, OP_KV_GATHER, rank, rope);
    add_up(build, OP_KV_UP, RK_TARGET_V, a * ((double)model->head_dim + heads->value), rank);
    struct operation *op = add_memory(build, OP_ROTARY_LATENT, up,
                                      build->tokens * a * (2 * heads->width + heads->value),
                                      build->plan->fused ? (struct traffic){2 * e, 2 * e, 2, 2}
                                                         : (struct traffic){6 * e, 6 * e, 12, 12});
    op->saved_bytes = inputs_kept(build, heads);
    op->saved_recomputed_bytes = build->tokens * rope * e; /* what the down projection brought */
}

/* ---- all of it ---- */

/* A sigmoid of the gate times the output [qiu2025]; backward reads gate, output and gradient, and
 * writes two. */
static void add_gate(struct build *build, const struct heads *heads)
{
    const double e = build->element;
    if (!build->model->attention_gate) return;
    struct operation *op = add_memory(build, OP_ATTENTION_GATE, attention,
                                      build->tokens * heads->queries * heads->value,
                                      build->plan->fused ? (struct traffic){3 * e, 5 * e, 1, 1}
                                                         : (struct traffic){5 * e, 8 * e, 2, 3});
    op->saved_bytes = op->saved_recomputed_bytes = output_kept(build, heads);
}

/* Each layer of the decoder brings keys and values of all that the encoder's final norm brought,
 * which is kept once, with that norm [raffel2020]. */
static void add_cross_projections(struct build *build, const struct heads *heads)
{
    const double columns = heads->queries * heads->width;
    const double both = heads->keys * (heads->width + heads->value), h = build->hidden;
    struct build encoder = *build;
    encoder.tokens = encoder_tokens(build);
    encoder.shard = encoder_shard(build);
    add_gather(build, OP_CROSS_GATHER, attention, h, build->gathered);
    struct operation *op =
        add_narrow_linear(build, OP_CROSS_QUERY, attention,
                          &(struct product){1, build->tokens, columns, h}, build->shard);
    op->parameters += has_qkv_biases(build->model) ? columns : 0;
    op->saved_bytes = op->saved_recomputed_bytes = query_bytes(build, heads);
    add_gather(&encoder, OP_ENCODER_GATHER, attention, h, build->gathered);
    op = add_narrow_linear(&encoder, OP_CROSS_KV, attention,
                           &(struct product){1, encoder.tokens, both, h}, encoder.shard);
    op->parameters += has_qkv_biases(build->model) ? both : 0;
    op->useful_flop *= heads->shared / heads->keys;
    op->saved_bytes = op->saved_recomputed_bytes = key_value_bytes(build, heads, heads->keys);
}

static void add_out(struct build *build, const struct heads *heads)
{
    const double width = heads->queries * heads->value;
    struct operation *op =
        add_narrow_linear(build, OP_ATTENTION_OUT, attention,
                          &(struct product){1, build->tokens, build->hidden, width}, build->tokens);
    op->parameters += has_out_biases(build->model) ? build->hidden : 0;
    if (build->kept < build->element) /* fused, in addition to the output that attention keeps */
        op->saved_bytes = op->saved_recomputed_bytes = build->tokens * width * build->kept;
    add_adapter(build, attention,
                &(struct adapted){RK_TARGET_O, 1, build->tokens, width, build->hidden, false});
}

void build_cross_attention(struct build *build)
{
    const struct heads heads = attention_heads_of(build, false);
    build->crossing = true;
    add_cross_projections(build, &heads);
    add_core(build, &heads, false);
    build->crossing = false;
    add_out(build, &heads);
    add_reduce(build, OP_CROSS_REDUCE, attention, build->hidden);
}

void build_attention(struct build *build, bool local, bool reduces)
{
    const struct rk_model *model = build->model;
    const struct heads heads = attention_heads_of(build, local);
    if (model->kv_rank)
        add_latent(build, &heads);
    else
        add_projections(build, &heads);
    add_core(build, &heads, local);
    add_gate(build, &heads);
    add_out(build, &heads);
    if (reduces) add_reduce(build, OP_ATTENTION_REDUCE, attention, build->hidden);
}
