/* weight_names.c - what checkpoints call the tensors of a model (weights.h). */
#include "run/weight_names.h"

#include "workload/pattern.h"

#include <stdio.h>
#include <string.h>

/* The model has GPT-2's shape, and its names. */
static bool has_gpt2_shape(const struct rk_model *m)
{
    return m->position == RK_POSITION_LEARNED && m->norm == RK_LAYER_NORM && m->biases &&
           !m->gated_mlp && !m->experts && m->tied_embeddings && !m->qk_norm &&
           !m->embedding_norm && head_shape_of(m, false).kv_heads == (double)m->heads &&
           !m->head_biases;
}

/* How checkpoints call a tensor: GPT-2's, or those of Llama and what followed it. */
static const struct names {
    const char *gpt2, *llama;
} names[WEIGHT_ROLES] = {
    [WEIGHT_TABLE] = {"wte.weight", "model.embed_tokens.weight"},
    [WEIGHT_POSITIONS] = {"wpe.weight", "model.embed_positions.weight"},
    [WEIGHT_EMBEDDING_NORM] = {"", "model.embed_norm.weight"},
    [WEIGHT_EMBEDDING_NORM_BIAS] = {"", "model.embed_norm.bias"},
    [WEIGHT_NORM_1] = {"ln_1.weight", "input_layernorm.weight"},
    [WEIGHT_NORM_1_BIAS] = {"ln_1.bias", "input_layernorm.bias"},
    [WEIGHT_Q] = {"attn.c_attn.weight", "self_attn.q_proj.weight"},
    [WEIGHT_K] = {"attn.c_attn.weight", "self_attn.k_proj.weight"},
    [WEIGHT_V] = {"attn.c_attn.weight", "self_attn.v_proj.weight"},
    [WEIGHT_Q_BIAS] = {"attn.c_attn.bias", "self_attn.q_proj.bias"},
    [WEIGHT_K_BIAS] = {"attn.c_attn.bias", "self_attn.k_proj.bias"},
    [WEIGHT_V_BIAS] = {"attn.c_attn.bias", "self_attn.v_proj.bias"},
    [WEIGHT_Q_NORM] = {"", "self_attn.q_norm.weight"},
    [WEIGHT_Q_NORM_BIAS] = {"", "self_attn.q_norm.bias"},
    [WEIGHT_K_NORM] = {"", "self_attn.k_norm.weight"},
    [WEIGHT_K_NORM_BIAS] = {"", "self_attn.k_norm.bias"},
    [WEIGHT_Q_DOWN] = {"", "self_attn.q_a_proj.weight"},
    [WEIGHT_Q_DOWN_NORM] = {"", "self_attn.q_a_layernorm.weight"},
    [WEIGHT_Q_DOWN_NORM_BIAS] = {"", "self_attn.q_a_layernorm.bias"},
    [WEIGHT_Q_UP] = {"", "self_attn.q_b_proj.weight"},
    [WEIGHT_KV_DOWN] = {"", "self_attn.kv_a_proj_with_mqa.weight"},
    [WEIGHT_KV_DOWN_NORM] = {"", "self_attn.kv_a_layernorm.weight"},
    [WEIGHT_KV_DOWN_NORM_BIAS] = {"", "self_attn.kv_a_layernorm.bias"},
    [WEIGHT_KV_UP] = {"", "self_attn.kv_b_proj.weight"},
    [WEIGHT_OUT] = {"attn.c_proj.weight", "self_attn.o_proj.weight"},
    [WEIGHT_OUT_BIAS] = {"attn.c_proj.bias", "self_attn.o_proj.bias"},
    [WEIGHT_NORM_1_POST] = {"", "post_attention_layernorm.weight"},
    [WEIGHT_NORM_2_POST] = {"", "post_feedforward_layernorm.weight"},
    [WEIGHT_SINKS] = {"", "self_attn.sinks"},
    [WEIGHT_NORM_2] = {"ln_2.weight", "post_attention_layernorm.weight"},
    [WEIGHT_NORM_2_BIAS] = {"ln_2.bias", "post_attention_layernorm.bias"},
    [WEIGHT_GATE] = {"", "mlp.gate_proj.weight"},
    [WEIGHT_UP] = {"mlp.c_fc.weight", "mlp.up_proj.weight"},
    [WEIGHT_GATE_BIAS] = {"", "mlp.gate_proj.bias"},
    [WEIGHT_UP_BIAS] = {"mlp.c_fc.bias", "mlp.up_proj.bias"},
    [WEIGHT_DOWN] = {"mlp.c_proj.weight", "mlp.down_proj.weight"},
    [WEIGHT_DOWN_BIAS] = {"mlp.c_proj.bias", "mlp.down_proj.bias"},
    [WEIGHT_ROUTER] = {"", "mlp.gate.weight"},
    [WEIGHT_ROUTER_BIAS] = {"", "mlp.gate.e_score_correction_bias"},
    [WEIGHT_ROUTER_ADD] = {"", "mlp.gate.bias"},
    [WEIGHT_DESCEND] = {"", "mlp.descend.weight"},
    [WEIGHT_DESCEND_BIAS] = {"", "mlp.descend.bias"},
    [WEIGHT_ASCEND] = {"", "mlp.ascend.weight"},
    [WEIGHT_ASCEND_BIAS] = {"", "mlp.ascend.bias"},
    [WEIGHT_SHARED_GATE] = {"", "mlp.shared_expert.gate_proj.weight"},
    [WEIGHT_SHARED_UP] = {"", "mlp.shared_expert.up_proj.weight"},
    [WEIGHT_SHARED_DOWN] = {"", "mlp.shared_expert.down_proj.weight"},
    [WEIGHT_SHARED_WEIGH] = {"", "mlp.shared_expert_gate.weight"},
    [WEIGHT_EXPERT_GATE] = {"", "gate_proj.weight"},
    [WEIGHT_EXPERT_UP] = {"", "up_proj.weight"},
    [WEIGHT_EXPERT_GATE_BIAS] = {"", "gate_proj.bias"},
    [WEIGHT_EXPERT_UP_BIAS] = {"", "up_proj.bias"},
    [WEIGHT_EXPERT_DOWN] = {"", "down_proj.weight"},
    [WEIGHT_EXPERT_DOWN_BIAS] = {"", "down_proj.bias"},
    [WEIGHT_FINAL_NORM] = {"ln_f.weight", "model.norm.weight"},
    [WEIGHT_FINAL_NORM_BIAS] = {"ln_f.bias", "model.norm.bias"},
    [WEIGHT_HEAD] = {"lm_head.weight", "lm_head.weight"},
    [WEIGHT_HEAD_BIAS] = {"lm_head.bias", "lm_head.bias"},
    [WEIGHT_NEXT_NORM] = {"enorm.weight", "enorm.weight"},
    [WEIGHT_NEXT_NORM_BIAS] = {"enorm.bias", "enorm.bias"},
    [WEIGHT_STREAM_NORM] = {"hnorm.weight", "hnorm.weight"},
    [WEIGHT_STREAM_NORM_BIAS] = {"hnorm.bias", "hnorm.bias"},
    [WEIGHT_PREDICT_IN] = {"eh_proj.weight", "eh_proj.weight"},
};

/* Where it is not as Llama's do. */
static const struct own_name {
    enum rk_naming naming; /* RK_NAMES_OF_MODEL: any, in blocks of four norms */
    enum weight_role role; /* and its biases */
    const char *name;
    bool whole; /* nothing is after it */
} own_names[] = {
#define ROW(naming, role, name, whole) {RK_NAMES_##naming, WEIGHT_##role, name, whole},
#include "tables/weight-names.h"
#undef ROW
};

static const struct {
    enum rk_naming naming;
    const char *prefix;
} layer_prefixes[] = {
#define ROW(naming, prefix) {RK_NAMES_##naming, prefix},
#include "tables/weight-prefixes.h"
#undef ROW
};

/* The role of a bias's weight. */
static enum weight_role weight_of(enum weight_role role)
{
    static const struct {
        enum weight_role bias, weight;
    } pairs[] = {{WEIGHT_Q_BIAS, WEIGHT_Q},       {WEIGHT_K_BIAS, WEIGHT_K},
                 {WEIGHT_V_BIAS, WEIGHT_V},       {WEIGHT_OUT_BIAS, WEIGHT_OUT},
                 {WEIGHT_UP_BIAS, WEIGHT_UP},     {WEIGHT_DOWN_BIAS, WEIGHT_DOWN},
                 {WEIGHT_HEAD_BIAS, WEIGHT_HEAD}, {WEIGHT_ROUTER_ADD, WEIGHT_ROUTER}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].bias == role) return pairs[i].weight;
    const bool norm = strstr(names[role].llama, "norm.bias") != NULL;
    return norm ? (enum weight_role)(role - 1) : role;
}

struct weight_names weight_names_of(const struct rk_model *model, enum rk_naming naming)
{
    return (struct weight_names){.naming = naming,
                                 .gpt2 = naming == RK_NAMES_OF_MODEL && has_gpt2_shape(model),
                                 .four = model->block_norms == 4};
}

/* Its name with ".weight" or ".bias", in `text` if it is not the usual one. */
const char *weight_name(const struct weight_names *n, enum weight_role role, char text[static 64])
{
    const char *usual = n->gpt2 ? names[role].gpt2 : names[role].llama;
    const enum weight_role of = weight_of(role);
    for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++) {
        const struct own_name *own = &own_names[i];
        const bool here = own->naming == RK_NAMES_OF_MODEL ? n->four : own->naming == n->naming;
        if (own->role != (own->whole ? role : of) || !here || n->gpt2) continue;
        snprintf(text, 64, "%s%s", own->name, own->whole ? "" : strrchr(usual, '.'));
        return text;
    }
    return usual;
}

const char *weight_prefix(const struct weight_names *n)
{
    for (size_t i = 0; i < sizeof layer_prefixes / sizeof *layer_prefixes; i++)
        if (layer_prefixes[i].naming == n->naming) return layer_prefixes[i].prefix;
    return n->gpt2 ? "h." : "model.layers.";
}

bool weight_is_matrix(enum weight_role role)
{
    return strstr(names[role].llama, ".weight") && !strstr(names[role].llama, "norm");
}

bool weight_is_norm(enum weight_role role)
{
    return strstr(names[role].llama, "norm.weight") != NULL;
}
