/* parameters.c - how many parameters a transformer has.
 *
 *     block     = attention + MLP + norms
 *     attention = h*(queries + keys + values) + a*d*h
 *     MLP       = 2*h*f, gated 3*h*f [shazeer2020]; in a mixture one an expert, and h*experts
 *     norm      = 2 * width, or of RMSNorm [zhang2019] its width
 *
 * and a linear layer with n outputs has n biases. A recurrence has what pattern.h says. Latent
 * attention projects twice, through vectors of widths q_rank and kv_rank that have a norm each
 * [deepseek2024].
 *
 * Doubles are exact up to 2^53; what is beyond does not wrap around, so that the loaders see it.
 */
#include "workload/pattern.h"

static double linear(double inputs, double outputs, bool biases)
{
    return inputs * outputs + (biases ? outputs : 0);
}

/* Norms on the heads of query and key: one for all heads, or weights of each head. */
static double head_norms(const struct rk_model *model, const struct head_shape *shape)
{
    if (!model->qk_norm) return 0;
    const double heads = model->qk_norm_wide ? shape->heads + shape->kv_heads : 2;
    return heads * norm_parameters(model, shape->width);
}

/* A gate is as wide as what it multiplies, and the query's matrix brings it. */
static double head_attention(const struct rk_model *model, bool local)
{
    const struct head_shape shape = head_shape_of(model, local);
    const double h = (double)model->hidden, a = shape.heads;
    const double queries = a * shape.width + (model->attention_gate ? a * shape.value : 0);
    const bool biases = has_qkv_biases(model);
    return linear(h, queries, biases) + linear(h, shape.kv_heads * shape.width, biases) +
           linear(h, shape.kv_heads * shape.value, biases) +
           linear(a * shape.value, h, has_out_biases(model)) + head_norms(model, &shape) +
           (model->attention_sinks ? a : 0);
}

/* Chooses the tokens to read: queries of several heads, one key with a LayerNorm, and a weight of
 * each head [deepseek2025v32]. */
static double indexer(const struct rk_model *model)
{
    const double heads = (double)model->index_heads, d = (double)model->index_dim;
    const double h = (double)model->hidden;
    return heads > 0 ? (double)model->q_rank * heads * d + h * d + 2 * d + h * heads : 0;
}

static double latent_attention(const struct rk_model *model)
{
    const double h = (double)model->hidden, a = (double)model->heads;
    const double d = (double)model->head_dim, v = (double)model->value_dim;
    const double rope = (double)model->rope_dim;
    const double q_rank = (double)model->q_rank, kv_rank = (double)model->kv_rank;
    const bool biases = model->biases, down = has_qkv_biases(model);
    const double queries = q_rank > 0 ? linear(h, q_rank, down) + norm_parameters(model, q_rank) +
                                            linear(q_rank, a * (d + rope), biases)
                                      : linear(h, a * (d + rope), biases);
    return queries + linear(h, kv_rank + rope, down) + norm_parameters(model, kv_rank) +
           linear(kv_rank, a * (d + v), biases) + linear(a * v, h, has_out_biases(model)) +
           indexer(model);
}

static double attention(const struct rk_model *model, bool local)
{
    return model->kv_rank ? latent_attention(model) : head_attention(model, local);
}

static double recurrence(const struct rk_model *model)
{
    const struct recurrence_shape s = recurrence_shape_of(model);
    const double h = (double)model->hidden, taps = (double)model->convolution;
    const double conv = taps > 0 ? s.channels * (taps + (s.conv_biases ? 1 : 0)) : 0;
    return h * s.projected + s.low_rank + conv + s.vectors + s.norm + s.inner * h;
}

/* From and to vectors of width h. */
static double mlp(const struct rk_model *model, double h, double width)
{
    const bool biases = has_mlp_biases(model);
    return (model->gated_mlp ? 2 : 1) * linear(h, width, biases) + linear(width, h, biases) +
           activation_parameters(model);
}

/* Down to the width in which tokens travel to the experts, and up again [jin2025]. */
static double narrowing(const struct rk_model *model)
{
    const double h = (double)model->hidden, narrow = (double)model->expert_hidden;
    if (narrow == 0 || narrow == h) return 0;
    return linear(h, narrow, model->biases) + linear(narrow, h, model->biases);
}

/* The MLP of a layer with `routed` of its experts. Shared experts are one wide MLP. */
static double mixture(const struct rk_model *model, double routed)
{
    const double width = (double)model->expert_feedforward, h = (double)model->hidden;
    const double travels = model->expert_hidden ? (double)model->expert_hidden : h;
    const double shared = shared_width(model);
    const double experts = (double)model->experts;
    return linear(h, experts, false) + (model->router_biases ? experts : 0) + narrowing(model) +
           routed * mlp(model, travels, width) + (shared > 0 ? mlp(model, h, shared) : 0) +
           (model->shared_gate ? h : 0);
}

uint64_t rk_model_positions(const struct rk_model *model, uint64_t tokens)
{
    const uint64_t rows = model->position_rows ? model->position_rows : model->sequence;
    return tokens > rows ? tokens : rows;
}

static double embeddings(const struct rk_model *model)
{
    const double h = (double)model->hidden;
    const double rows = (double)rk_model_positions(model, 0);
    double sum = (model->tied_embeddings ? 1 : 2) * (double)model->vocabulary * h;
    if (model->position == RK_POSITION_LEARNED) sum += rows * h;
    if (model->head_biases) sum += (double)model->vocabulary;
    return (model->count_embeddings ? sum : 0) +
           (double)model->head_matrices * linear(h, h, model->biases);
}

/* Half of a block's norms belong to each of its halves; of three, two to an MLP of experts
 * (Arctic). A parallel block with one norm has both halves. */
static double norms(const struct rk_model *model, const struct pattern_counts *counts)
{
    const double layers = (double)model->layers, of_block = (double)model->block_norms;
    if (of_block == 1) return layers;
    const double mixer = of_block == 4 ? 2 : 1, dense = mixer;
    return (layers - counts->mixers[MIXER_NONE] + counts->mixers[MIXER_CROSS]) * mixer +
           counts->mlps[MLP_DENSE] * dense +
           counts->mlps[MLP_EXPERTS] * (of_block == 3 ? 2 : dense);
}

static double parameters(const struct rk_model *model, double routed)
{
    const double h = (double)model->hidden;
    const struct pattern_counts counts = pattern_count(model);
    const double *mixers = counts.mixers, *mlps = counts.mlps;
    const double whole = mixers[MIXER_ATTENTION] + mixers[MIXER_BOTH] + mixers[MIXER_ENCODER] +
                         2 * mixers[MIXER_CROSS];
    const double recurrent = mixers[MIXER_RECURRENT] + mixers[MIXER_BOTH];
    double sum = (norms(model, &counts) + 1) * norm_parameters(model, h) + embeddings(model);
    if (model->encoder_sequence) sum += norm_parameters(model, h);
    if (model->embedding_norm) sum += norm_parameters(model, h);
    if (whole > 0) sum += whole * attention(model, false);
    if (mixers[MIXER_LOCAL] > 0) sum += mixers[MIXER_LOCAL] * attention(model, true);
    if (recurrent > 0) sum += recurrent * recurrence(model);
    if (mlps[MLP_DENSE] > 0) sum += mlps[MLP_DENSE] * mlp(model, h, (double)model->feedforward);
    if (mlps[MLP_EXPERTS] > 0) sum += mlps[MLP_EXPERTS] * mixture(model, routed);
    return sum;
}

static uint64_t whole(double count)
{
    return count < 0x1p64 ? (uint64_t)count : UINT64_MAX;
}

uint64_t rk_model_parameters(const struct rk_model *model)
{
    return whole(parameters(model, (double)model->experts));
}

uint64_t rk_model_active_parameters(const struct rk_model *model)
{
    return whole(parameters(model, (double)model->active_experts));
}
