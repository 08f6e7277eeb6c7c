/* parameters.c - how many parameters a transformer has.
 *
 *     block     = attention + MLP + norms
 *     attention = h*(queries + keys + values) + a*d*h
 *     MLP       = 2*h*f, gated 3*h*f [shazeer2020]; in a mixture one an expert, and h*experts
 *     norm      = 2 * width, or of RMSNorm [zhang2019] its width
 *
 * and a linear layer with n outputs has n biases. Latent attention projects twice, through
 * vectors of widths q_rank and kv_rank that have a norm each [deepseek2024].
 *
 * Doubles are exact up to 2^53; what is beyond does not wrap around, so that the loaders see it.
 */
#include <reckon/model.h>

static double linear(double inputs, double outputs, bool biases)
{
    return inputs * outputs + (biases ? outputs : 0);
}

static double norm(const struct rk_model *model, double width)
{
    return (model->norm == RK_RMS_NORM ? 1 : 2) * width;
}

static double kv_heads(const struct rk_model *model)
{
    if (model->attention == RK_ATTENTION_MULTIQUERY) return 1;
    return (double)(model->kv_heads ? model->kv_heads : model->heads);
}

static double attention(const struct rk_model *model)
{
    const double h = (double)model->hidden, d = (double)model->head_dim;
    const double queries = (double)model->heads * d, shared = kv_heads(model) * d;
    const bool biases = model->biases || model->qkv_biases;
    return linear(h, queries, biases) + 2 * linear(h, shared, biases) +
           linear(queries, h, model->biases) + (model->qk_norm ? 2 * norm(model, d) : 0);
}

static double latent_attention(const struct rk_model *model)
{
    const double h = (double)model->hidden, a = (double)model->heads;
    const double d = (double)model->head_dim, v = (double)model->value_dim;
    const double rope = (double)model->rope_dim;
    const double q_rank = (double)model->q_rank, kv_rank = (double)model->kv_rank;
    const bool biases = model->biases;
    const double queries = q_rank > 0 ? linear(h, q_rank, biases) + norm(model, q_rank) +
                                            linear(q_rank, a * (d + rope), biases)
                                      : linear(h, a * (d + rope), biases);
    return queries + linear(h, kv_rank + rope, biases) + norm(model, kv_rank) +
           linear(kv_rank, a * (d + v), biases) + linear(a * v, h, biases);
}

/* From and to vectors of width h. */
static double mlp(const struct rk_model *model, double h, double width)
{
    return (model->gated_mlp ? 2 : 1) * linear(h, width, model->biases) +
           linear(width, h, model->biases);
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
    const double shared = (double)model->shared_experts;
    const double experts = (double)model->experts;
    return linear(h, experts, false) + (model->router_biases ? experts : 0) + narrowing(model) +
           routed * mlp(model, travels, width) + (shared > 0 ? mlp(model, h, shared * width) : 0);
}

static double embeddings(const struct rk_model *model)
{
    const double h = (double)model->hidden;
    double sum = (model->tied_embeddings ? 1 : 2) * (double)model->vocabulary * h;
    if (model->position == RK_POSITION_LEARNED) sum += (double)model->sequence * h;
    return model->count_embeddings ? sum : 0;
}

/* Of those behind the first, dense ones, every so many-th. */
static double mixture_layers(const struct rk_model *model)
{
    const uint64_t every = model->expert_every ? model->expert_every : 1;
    if (!model->experts || model->dense_layers >= model->layers) return 0;
    return (double)((model->layers - model->dense_layers) / every);
}

static double parameters(const struct rk_model *model, double routed)
{
    const double h = (double)model->hidden, layers = (double)model->layers;
    const double norms = (double)(model->block_norms ? model->block_norms : 2);
    const double dense = layers - mixture_layers(model);
    const double block =
        norms * norm(model, h) + (model->kv_rank ? latent_attention(model) : attention(model));
    double sum = layers * block + norm(model, h) + embeddings(model);
    if (model->embedding_norm) sum += norm(model, h);
    if (dense > 0) sum += dense * mlp(model, h, (double)model->feedforward);
    if (dense < layers) sum += (layers - dense) * mixture(model, routed);
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
