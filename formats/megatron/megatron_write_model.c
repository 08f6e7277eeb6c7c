/* megatron_write_model.c - a model as arguments of Megatron-LM. */
#include "megatron/megatron_writer.h"
#include "workload/pattern.h"

#include <string.h>

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
    if (!has_linear_layers(m)) return;
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
static void put_numbers(struct writer *w)
{
    const struct rk_model *m = w->m;
    if (m->rotary_base > 0) megatron_put(w, FLAG(ROTARY_BASE), "%.0f", m->rotary_base);
    if (m->rope_factor > 0) {
        megatron_put(w, FLAG(ROPE_SCALING), "%s", "");
        megatron_put(w, FLAG(ROPE_SCALING_FACTOR), "%g", m->rope_factor);
    }
    if (m->norm_epsilon > 0) megatron_put(w, FLAG(NORM_EPSILON), "%g", m->norm_epsilon);
    if (m->active_groups) {
        megatron_put_count(w, FLAG(ROUTER_GROUPS), m->expert_groups);
        megatron_put_count(w, FLAG(ROUTER_GROUP_TOPK), m->active_groups);
    }
    if (m->router_scaling > 0) megatron_put(w, FLAG(ROUTER_SCALING), "%g", m->router_scaling);
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
