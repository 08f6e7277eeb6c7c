/* megatron_write_model.c - a model as arguments of Megatron-LM. */
#include "interop/megatron_writer.h"
#include "interop/model_numbers.h"
#include "workload/pattern.h"

#include <string.h>

/* Layers of the gated delta rule among those that attend to all. */
static bool is_linear(const struct rk_model *m)
{
    return m->recurrence == RK_GATED_DELTA && *m->mixers && !m->mixers[strspn(m->mixers, "ra")];
}

void megatron_refuse_model(struct writer *w)
{
    const struct rk_model *m = w->m;
    const struct {
        bool has;
        const char *key, *why;
    } features[] = {
        {m->position == RK_POSITION_ALIBI, "position alibi", "Megatron-LM has no ALiBi"},
        {m->parallel_block, "parallel_block", "Megatron-LM has no parallel blocks"},
        {m->embedding_norm, "embedding_norm", "Megatron-LM has no norm behind the embedding"},
        {m->activation == RK_RELU, "activation relu", "Megatron-LM has no ReLU"},
        {m->gated_mlp && m->activation == RK_SQUARED_RELU, "activation",
         "Megatron-LM has no gate of squared ReLU"},
        {m->gated_mlp && m->activation == RK_GELU && w->version < 15, "activation gelu",
         "gates of GELU came with core 0.15"},
        {m->expert_hidden && m->expert_hidden != m->hidden, "expert_hidden",
         "plans of Megatron-LM cannot narrow what travels to the experts"},
        {m->vocabulary == 0, "vocabulary", "is not known: give a model that has it"},
        {m->window && w->version < 15, "window", "came with core 0.15"},
        {m->kv_rank && w->version < 10, "kv_rank", "latent attention came with core 0.10"},
        {m->predict_layers && w->version < 12, "predict_layers",
         "multi-token prediction came with core 0.12"},
        {(m->shared_experts || m->dense_layers || m->expert_every > 1 ||
          (m->experts && m->expert_feedforward != m->feedforward)) &&
             w->version < 10,
         "experts",
         "shared experts, dense layers among mixtures and experts' own width came with "
         "core 0.10"},
        {m->router_biases && w->version < 11, "router_biases", "came with core 0.11"},
        {m->recurrence != RK_RECURRENCE_NONE && !is_linear(m), "recurrence",
         "of layers that keep a state the gated delta rule, beside attention, is written"},
        {is_linear(m) && w->version < 16, "recurrence", "the gated delta rule came with core 0.16"},
        {*m->mixers && !is_linear(m), "mixers",
         "a pattern of layers other than window_every is not written yet"},
        {*m->mlps, "mlps",
         "a pattern of layers other than dense_layers and expert_every is not written yet"},
        {m->block_norms > 2, "block_norms", "Megatron-LM has two norms a block"},
        {m->norm > RK_RMS_NORM, "norm", "Megatron-LM's LayerNorm has weights and biases"},
        {m->position == RK_POSITION_NONE, "position none",
         "models without positions are not written yet"},
        {m->activation == RK_XIELU, "activation xielu", "Megatron-LM has no xIELU"},
        {!m->biases && (m->out_biases || m->mlp_biases), "out_biases, mlp_biases",
         "Megatron-LM has biases in all linear layers, or in query, key and value"},
        {m->head_biases, "head_biases", "Megatron-LM's head has none"},
        {m->encoder_sequence, "encoder_sequence", "pretrain_t5.py takes arguments of its own"},
        {m->bidirectional || m->head_matrices, "bidirectional",
         "pretrain_bert.py takes arguments of its own"},
        {m->qk_norm_wide, "qk_norm_wide", "Megatron-LM's norms of heads share their weights"},
        {m->attention_sinks || m->attention_cap, "attention",
         "sinks and caps of attention are not written yet"},
        {m->attention_gate && w->version < 16, "attention_gate", "came with core 0.16"},
        {m->logit_cap, "logit_cap", "Megatron-LM has no capped logits"},
        {m->window_chunks, "window_chunks", "Megatron-LM's windows slide"},
        {m->local_heads || m->local_kv_heads || m->local_head_dim, "local_heads",
         "Megatron-LM's layers all have the same heads"},
        {!m->kv_rank && m->value_dim, "value_dim", "Megatron-LM's value heads are as wide as keys"},
        {m->shared_gate && w->version < 16, "shared_gate", "came with core 0.16"},
        {m->index_heads, "index_heads", "attention to chosen tokens is not written yet"},
    };
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (features[i].has) megatron_writer_refuse(w, features[i].key, "", "%s", features[i].why);
}

static void put_attention(struct writer *w)
{
    const struct rk_model *m = w->m;
    megatron_put_count(w, FLAG(NUM_ATTENTION_HEADS), m->heads);
    if (m->kv_rank) {
        megatron_put(w, FLAG(MLA), "%s", "");
        if (m->q_rank) megatron_put_count(w, FLAG(Q_LORA_RANK), m->q_rank);
        megatron_put_count(w, FLAG(KV_LORA_RANK), m->kv_rank);
        megatron_put_count(w, FLAG(QK_HEAD_DIM), m->head_dim);
        megatron_put_count(w, FLAG(QK_POS_HEAD_DIM), m->rope_dim);
        megatron_put_count(w, FLAG(V_HEAD_DIM), m->value_dim);
        megatron_put(w, FLAG(QK_LAYERNORM), "%s", "");
        return;
    }
    const uint64_t groups = m->attention == RK_ATTENTION_MULTIQUERY ? 1 : m->kv_heads;
    if (m->head_dim * m->heads != m->hidden) megatron_put_count(w, FLAG(KV_CHANNELS), m->head_dim);
    if (groups && groups != m->heads) {
        megatron_put(w, FLAG(GROUP_QUERY_ATTENTION), "%s", "");
        megatron_put_count(w, FLAG(NUM_QUERY_GROUPS), groups);
    }
    megatron_put_if(w, m->qk_norm, FLAG(QK_LAYERNORM));
    megatron_put_if(w, m->qkv_biases && !m->biases, FLAG(ADD_QKV_BIAS));
    if (m->window) megatron_put(w, FLAG(WINDOW_SIZE), "%" PRIu64 ",0", m->window - 1);
    if (m->window && m->window_every) megatron_put_count(w, FLAG(WINDOW_SKIP), m->window_every);
}

static void put_linear(struct writer *w)
{
    const struct rk_model *m = w->m;
    const size_t period = strlen(m->mixers), linear = strspn(m->mixers, "r");
    char pattern[8 * sizeof m->mixers] = "[";
    size_t used = 1;
    if (!is_linear(m)) return;
    megatron_put(w, FLAG(ATTENTION_VARIANT), "%s", "gated_delta_net");
    for (uint64_t i = 0; i < m->layers && used + 4 < sizeof pattern; i++)
        used += (size_t)snprintf(pattern + used, sizeof pattern - used, "%s%d", i ? "," : "",
                                 m->mixers[i % period] == 'r');
    if (linear + 1 == period)
        megatron_put_count(w, FLAG(LINEAR_FREQ), period);
    else
        megatron_put(w, FLAG(LINEAR_FREQ), "%s]", pattern);
    megatron_put_count(w, FLAG(LINEAR_CONV), m->convolution);
    megatron_put_count(w, FLAG(LINEAR_KEY_DIM), m->state);
    megatron_put_count(w, FLAG(LINEAR_VALUE_DIM), m->recurrent_dim);
    megatron_put_count(w, FLAG(LINEAR_KEY_HEADS), m->recurrent_groups);
    megatron_put_count(w, FLAG(LINEAR_VALUE_HEADS), m->recurrent_heads);
}

static void put_mixture(struct writer *w)
{
    const struct rk_model *m = w->m;
    if (!m->experts) return;
    megatron_put_count(w, FLAG(NUM_EXPERTS), m->experts);
    megatron_put_count(w, FLAG(TOPK), m->active_experts);
    if (m->expert_feedforward != m->feedforward)
        megatron_put_count(w, FLAG(MOE_FFN), m->expert_feedforward);
    if (shared_width(m) > 0) megatron_put_count(w, FLAG(MOE_SHARED), (uint64_t)shared_width(m));
    megatron_put_if(w, m->shared_gate, FLAG(SHARED_GATE));
    const uint64_t every = m->expert_every > 1 ? m->expert_every : 1;
    const uint64_t rest = m->layers - m->dense_layers;
    if (every > 1 && rest % every)
        megatron_put(w, FLAG(MOE_LAYER_FREQ),
                     "([0]*%" PRIu64 "+([0]*%" PRIu64 "+[1])*%" PRIu64 "+[0]*%" PRIu64 ")",
                     m->dense_layers, every - 1, rest / every, rest % every);
    else if (every > 1)
        megatron_put(w, FLAG(MOE_LAYER_FREQ), "([0]*%" PRIu64 "+([0]*%" PRIu64 "+[1])*%" PRIu64 ")",
                     m->dense_layers, every - 1, rest / every);
    else if (m->dense_layers)
        megatron_put(w, FLAG(MOE_LAYER_FREQ), "([0]*%" PRIu64 "+[1]*%" PRIu64 ")", m->dense_layers,
                     rest);
    megatron_put_if(w, m->router_biases, FLAG(EXPERT_BIAS));
    if (m->router_biases)
        megatron_put(w, FLAG(SCORE_FUNCTION), "%s", "sigmoid"); /* biases need it */
}

/* Numbers that change no time, but what is learned. */
static void put_rotary(struct writer *w, const struct model_numbers *n)
{
    if (n->rotary_base > 0) megatron_put(w, FLAG(ROTARY_BASE), "%.0f", n->rotary_base);
    if (n->rope_factor > 0) {
        megatron_put(w, FLAG(ROPE_SCALING), "%s", "");
        megatron_put(w, FLAG(ROPE_SCALING_FACTOR), "%g", n->rope_factor);
    }
    megatron_put(w, FLAG(NORM_EPSILON), "%g", n->norm_epsilon);
}

static void put_numbers(struct writer *w)
{
    const struct model_numbers *n = model_numbers(w->m);
    if (n) put_rotary(w, n);
    if (w->m->active_groups) {
        megatron_put_count(w, FLAG(ROUTER_GROUPS), w->m->expert_groups);
        megatron_put_count(w, FLAG(ROUTER_GROUP_TOPK), w->m->active_groups);
    }
    if (n && n->router_scaling > 0) megatron_put(w, FLAG(ROUTER_SCALING), "%g", n->router_scaling);
}

void megatron_put_model(struct writer *w)
{
    const struct rk_model *m = w->m;
    const uint64_t sequence = w->p->sequence ? w->p->sequence : m->sequence;
    w->at = MODEL;
    megatron_put_count(w, FLAG(NUM_LAYERS), m->layers);
    megatron_put_count(w, FLAG(HIDDEN_SIZE), m->hidden);
    megatron_put_count(w, FLAG(FFN_HIDDEN_SIZE), m->feedforward);
    put_attention(w);
    megatron_put_count(w, FLAG(SEQ_LENGTH), sequence);
    megatron_put_count(w, FLAG(MAX_POSITIONS),
                       m->position == RK_POSITION_LEARNED ? rk_model_positions(m, sequence)
                                                          : sequence);
    megatron_put(w, FLAG(POSITION_TYPE), "%s",
                 m->position == RK_POSITION_LEARNED    ? "learned_absolute"
                 : m->position == RK_POSITION_RELATIVE ? "relative"
                                                       : "rope");
    megatron_put_if(w, m->gated_mlp && m->activation == RK_SILU, FLAG(SWIGLU));
    megatron_put_if(w, m->gated_mlp && m->activation == RK_GELU, FLAG(QUICK_GEGLU));
    megatron_put_if(w, m->activation == RK_SQUARED_RELU, FLAG(SQUARED_RELU));
    megatron_put(w, FLAG(NORMALIZATION), "%s", m->norm == RK_RMS_NORM ? "RMSNorm" : "LayerNorm");
    megatron_put_if(w, !m->biases, FLAG(DISABLE_BIAS_LINEAR));
    megatron_put_if(w, !m->tied_embeddings, FLAG(UNTIE));
    if (m->no_dropout) {
        megatron_put(w, FLAG(ATTENTION_DROPOUT), "%s", "0.0");
        megatron_put(w, FLAG(HIDDEN_DROPOUT), "%s", "0.0");
    }
    megatron_put_if(w, m->attention_gate, FLAG(ATTENTION_GATE));
    put_linear(w);
    put_mixture(w);
    put_numbers(w);
    if (m->predict_layers) megatron_put_count(w, FLAG(MTP_NUM_LAYERS), m->predict_layers);
}
