#include "shard/manifest.h"

#include "base/memory.h"
#include "workload/pattern.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct manifest {
    const struct rk_model *model;
    enum tensor_type type;
    size_t count;
    struct tensor *tensor;
    bool failed;
};

/* A size of 0 ends the shape. */
static void add(struct manifest *m, uint64_t rows, uint64_t columns, const char *format, ...)
    RK_PRINTF(4, 5);

static void add(struct manifest *m, uint64_t rows, uint64_t columns, const char *format, ...)
{
    char name[128];
    va_list values;
    va_start(values, format);
    vsnprintf(name, sizeof name, format, values);
    va_end(values);
    if (!ARRAY_ROOM(m->tensor, m->count)) {
        m->failed = true;
        return;
    }
    struct tensor *t = &m->tensor[m->count];
    *t = (struct tensor){
        .name = strdup(name), .type = m->type, .rank = columns ? 2 : 1, .shape = {rows, columns}};
    m->failed |= !t->name;
    m->count += t->name != NULL;
}

static void add_linear(struct manifest *m, double outputs, double inputs, bool bias,
                       const char *name)
{
    add(m, (uint64_t)outputs, (uint64_t)inputs, "%s.weight", name);
    if (bias) add(m, (uint64_t)outputs, 0, "%s.bias", name);
}

static void add_norm(struct manifest *m, double width, const char *name)
{
    const double vectors = norm_parameters(m->model, 1);
    if (vectors >= 1) add(m, (uint64_t)width, 0, "%s.weight", name);
    if (vectors >= 2) add(m, (uint64_t)width, 0, "%s.bias", name);
}

/* "PREFIX.NAME" in a buffer of the caller. */
enum { NAME = 112 };

static const char *named(char buffer[static NAME], const char *prefix, const char *name)
{
    snprintf(buffer, NAME, "%s.%s", prefix, name);
    return buffer;
}

/* ---- attention ---- */

static void add_heads(struct manifest *m, const char *layer, const struct head_shape *s)
{
    const struct rk_model *model = m->model;
    const double h = (double)model->hidden, a = s->heads, g = s->kv_heads;
    const double gate = model->attention_gate ? a * s->value : 0;
    const bool biases = has_qkv_biases(model);
    const double wide = model->qk_norm_wide ? s->width : 1;
    char name[NAME];
    add_linear(m, a * s->width + gate, h, biases, named(name, layer, "self_attn.q_proj"));
    add_linear(m, g * s->width, h, biases, named(name, layer, "self_attn.k_proj"));
    add_linear(m, g * s->value, h, biases, named(name, layer, "self_attn.v_proj"));
    if (model->attention_sinks) add(m, (uint64_t)a, 0, "%s.self_attn.sinks", layer);
    if (!model->qk_norm) return;
    const double query = wide > 1 ? a * s->width : s->width;
    const double key = wide > 1 ? g * s->width : s->width;
    add_norm(m, query, named(name, layer, "self_attn.q_norm"));
    add_norm(m, key, named(name, layer, "self_attn.k_norm"));
}

static void add_latent(struct manifest *m, const char *layer, const struct head_shape *s)
{
    const struct rk_model *model = m->model;
    const double h = (double)model->hidden, a = s->heads, rank = (double)model->q_rank;
    const double kv = (double)model->kv_rank, rope = (double)model->rope_dim;
    const bool down = has_qkv_biases(model), biases = model->biases;
    char name[NAME];
    if (rank > 0) {
        add_linear(m, rank, h, down, named(name, layer, "self_attn.q_a_proj"));
        add_norm(m, rank, named(name, layer, "self_attn.q_a_layernorm"));
        add_linear(m, a * s->width, rank, biases, named(name, layer, "self_attn.q_b_proj"));
    } else {
        add_linear(m, a * s->width, h, biases, named(name, layer, "self_attn.q_proj"));
    }
    add_linear(m, kv + rope, h, down, named(name, layer, "self_attn.kv_a_proj_with_mqa"));
    add_norm(m, kv, named(name, layer, "self_attn.kv_a_layernorm"));
    add_linear(m, a * ((double)model->head_dim + s->value), kv, biases,
               named(name, layer, "self_attn.kv_b_proj"));
}

static void add_indexer(struct manifest *m, const char *layer)
{
    const double heads = (double)m->model->index_heads, d = (double)m->model->index_dim;
    const double h = (double)m->model->hidden;
    char name[NAME];
    if (!(heads > 0)) return;
    add_linear(m, heads * d, (double)m->model->q_rank, false,
               named(name, layer, "self_attn.indexer.wq_b"));
    add_linear(m, d, h, false, named(name, layer, "self_attn.indexer.wk"));
    add(m, (uint64_t)d, 0, "%s.self_attn.indexer.k_norm.weight", layer);
    add(m, (uint64_t)d, 0, "%s.self_attn.indexer.k_norm.bias", layer);
    add_linear(m, heads, h, false, named(name, layer, "self_attn.indexer.weights_proj"));
}

static void add_attention(struct manifest *m, const char *layer, bool local)
{
    const struct head_shape s = head_shape_of(m->model, local);
    char name[NAME];
    if (m->model->kv_rank)
        add_latent(m, layer, &s);
    else
        add_heads(m, layer, &s);
    add_linear(m, (double)m->model->hidden, s.heads * s.value, has_out_biases(m->model),
               named(name, layer, "self_attn.o_proj"));
    if (m->model->kv_rank) add_indexer(m, layer);
}

/* ---- recurrences ---- */

/* Mamba-2 as Nemotron-H has it: [z; x; B; C; steps], convolution, decays, skip, norm [dao2024]. */
static void add_recurrence(struct manifest *m, const char *layer)
{
    const struct rk_model *model = m->model;
    const struct recurrence_shape s = recurrence_shape_of(model);
    const double h = (double)model->hidden;
    const uint64_t channels = (uint64_t)s.channels, heads = (uint64_t)s.heads;
    char name[NAME];
    add_linear(m, s.projected, h, false, named(name, layer, "mixer.in_proj"));
    if (model->convolution) {
        add(m, channels, model->convolution, "%s.mixer.conv1d.weight", layer);
        add(m, channels, 0, "%s.mixer.conv1d.bias", layer);
    }
    add(m, heads, 0, "%s.mixer.A_log", layer);
    add(m, heads, 0, "%s.mixer.D", layer);
    add(m, heads, 0, "%s.mixer.dt_bias", layer);
    if (s.norm > 0) add(m, (uint64_t)s.norm, 0, "%s.mixer.norm.weight", layer);
    add_linear(m, h, s.inner, false, named(name, layer, "mixer.out_proj"));
}

/* ---- MLPs ---- */

static void add_mlp(struct manifest *m, const char *prefix, double h, double width)
{
    const bool biases = has_mlp_biases(m->model);
    char name[NAME];
    if (m->model->gated_mlp) add_linear(m, width, h, biases, named(name, prefix, "gate_proj"));
    add_linear(m, width, h, biases, named(name, prefix, "up_proj"));
    add_linear(m, h, width, biases, named(name, prefix, "down_proj"));
    if (activation_parameters(m->model) > 0) {
        add(m, 1, 0, "%s.act_fn.alpha_p", prefix);
        add(m, 1, 0, "%s.act_fn.alpha_n", prefix);
    }
}

static void add_experts(struct manifest *m, const char *layer)
{
    const struct rk_model *model = m->model;
    const double h = (double)model->hidden, narrow = (double)model->expert_hidden;
    const bool narrows = narrow > 0 && narrow != h;
    char name[NAME], expert[NAME];
    add_linear(m, (double)model->experts, h, false, named(name, layer, "mlp.gate"));
    if (model->router_biases)
        add(m, model->experts, 0, "%s.mlp.gate.e_score_correction_bias", layer);
    if (narrows) add_linear(m, narrow, h, model->biases, named(name, layer, "mlp.descend"));
    for (uint64_t j = 0; j < model->experts; j++) {
        snprintf(expert, sizeof expert, "%s.mlp.experts.%" PRIu64, layer, j);
        add_mlp(m, expert, narrows ? narrow : h, (double)model->expert_feedforward);
    }
    if (narrows) add_linear(m, h, narrow, model->biases, named(name, layer, "mlp.ascend"));
    if (shared_width(model) > 0)
        add_mlp(m, named(name, layer, "mlp.shared_experts"), h, shared_width(model));
    if (model->shared_gate)
        add_linear(m, 1, h, false, named(name, layer, "mlp.shared_expert_gate"));
}

/* ---- layers ---- */

/* Of the mixer: one, or two of four; of the MLP likewise, of experts two of three (Arctic). */
static void add_norms(struct manifest *m, const char *layer, bool mixes, enum mlp_kind mlp)
{
    const uint64_t norms = m->model->block_norms;
    const double h = (double)m->model->hidden;
    char name[NAME];
    if (norms == 1 || mixes) add_norm(m, h, named(name, layer, "input_layernorm"));
    if (norms == 1) return;
    if (norms == 4 && mixes) add_norm(m, h, named(name, layer, "post_mixer_layernorm"));
    if (mlp == MLP_NONE) return;
    add_norm(m, h, named(name, layer, "post_attention_layernorm"));
    if (norms == 4 || (norms == 3 && mlp == MLP_EXPERTS))
        add_norm(m, h, named(name, layer, "post_feedforward_layernorm"));
}

static void add_block(struct manifest *m, const char *layer, uint64_t like)
{
    const enum mixer mixer = mixer_of(m->model, like);
    const enum mlp_kind mlp = mlp_of(m->model, like);
    char name[NAME];
    add_norms(m, layer, mixer != MIXER_NONE, mlp);
    if (mixer_attends(mixer)) add_attention(m, layer, mixer == MIXER_LOCAL);
    if (mixer == MIXER_RECURRENT || mixer == MIXER_BOTH) add_recurrence(m, layer);
    if (mlp == MLP_EXPERTS) add_experts(m, layer);
    if (mlp == MLP_DENSE)
        add_mlp(m, named(name, layer, "mlp"), (double)m->model->hidden,
                (double)m->model->feedforward);
}

static void add_predict(struct manifest *m, uint64_t layer)
{
    const double h = (double)m->model->hidden;
    char prefix[64], name[NAME];
    snprintf(prefix, sizeof prefix, "model.layers.%" PRIu64, layer);
    add_norm(m, h, named(name, prefix, "enorm"));
    add_norm(m, h, named(name, prefix, "hnorm"));
    add_linear(m, h, 2 * h, false, named(name, prefix, "eh_proj"));
    add_block(m, prefix, m->model->layers - 1);
    add_norm(m, h, named(name, prefix, "shared_head.norm"));
}

static void add_ends(struct manifest *m)
{
    const struct rk_model *model = m->model;
    const double h = (double)model->hidden, v = (double)model->vocabulary;
    if (v > 0) add_linear(m, v, h, false, "model.embed_tokens");
    if (model->position == RK_POSITION_LEARNED)
        add_linear(m, (double)rk_model_positions(model, 0), h, false, "model.embed_positions");
    if (model->embedding_norm) add_norm(m, h, "model.word_embeddings_layernorm");
    add_norm(m, h, "model.norm");
    if (!model->tied_embeddings && v > 0) add_linear(m, v, h, false, "lm_head");
    if (model->head_biases) add(m, model->vocabulary, 0, "lm_head.bias");
}

static enum rk_status check(const struct rk_model *model, struct rk_error *error)
{
    if (model->recurrence && model->recurrence != RK_MAMBA_2)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "the tensors of its recurrent layers have no usual names: give a "
                       "checkpoint");
    if (model->encoder_sequence)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "an encoder-decoder has no names here: give another model");
    if (model->experts && model->experts * model->layers > 10000000)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "a list of more than 10,000,000 experts: give a smaller model");
    return RK_OK;
}

enum rk_status manifest_of(const struct rk_model *model, enum tensor_type type,
                           struct layout *layout, struct rk_error *error)
{
    struct manifest m = {.model = model, .type = type};
    const enum rk_status status = check(model, error);
    if (status != RK_OK) return status;
    add_ends(&m);
    for (uint64_t i = 0; i < model->layers && !m.failed; i++) {
        char layer[64];
        snprintf(layer, sizeof layer, "model.layers.%" PRIu64, i);
        add_block(&m, layer, i);
    }
    for (uint64_t i = 0; i < model->predict_layers && !m.failed; i++)
        add_predict(&m, model->layers + i);
    layout_take_tensors(layout, m.tensor, m.count);
    if (m.failed) return no_memory(error);
    return RK_OK;
}
