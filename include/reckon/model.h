/* model.h - the shape of a transformer: what is trained, nothing about where or how. */
#ifndef RECKON_MODEL_H
#define RECKON_MODEL_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rk_attention { RK_ATTENTION_MULTIHEAD, RK_ATTENTION_MULTIQUERY };
enum rk_position {
    RK_POSITION_LEARNED,
    RK_POSITION_ROPE,
    RK_POSITION_ALIBI,
    RK_POSITION_RELATIVE,
    RK_POSITION_NONE
};
enum rk_norm {
    RK_LAYER_NORM,
    RK_RMS_NORM,
    RK_LAYER_NORM_UNBIASED, /* weights alone */
    RK_LAYER_NORM_PLAIN     /* neither weights nor biases (OLMo) */
};
enum rk_activation {
    RK_GELU,
    RK_SILU,
    RK_SQUARED_RELU,
    RK_RELU,
    RK_XIELU
}; /* gated: of the gate */
enum rk_recurrence {
    RK_RECURRENCE_NONE,
    RK_MAMBA,       /* selective state space [gu2023] */
    RK_MAMBA_2,     /* state space duality [dao2024] */
    RK_GATED_DELTA, /* gated delta rule, one decay a head [yang2024gated] (Qwen3-Next) */
    RK_KIMI_DELTA,  /* ... one decay a channel [kimi2025linear] */
    RK_LIGHTNING    /* linear attention of fixed decays [qin2024], [minimax2025] */
};

/* A model is a pattern of layers, each of what mixes its tokens and of an MLP. Zero is right for
 * GPT-3-like models in every member but the first ones; model.def says what each means. */
struct rk_model {
    char id[64];
#define MODEL_COUNT(key, need, least, most, help) uint64_t key;
#define MODEL_FLAG(key, preset, help)             bool key;
#define MODEL_CHOICE(key, type, names, help)      type key;
#define MODEL_TEXT(key, size, help)               char key[size];
#define MODEL_NUMBER(key, most, help)             double key;
#include <reckon/model.def>
};

/* Rows of a table of learned positions where samples have `tokens` (0: the model's): at least one
 * for each. */
RK_API uint64_t rk_model_positions(const struct rk_model *model, uint64_t tokens);

/* Trainable parameters: blocks (linear layers with their biases, two LayerNorms), final norm,
 * embedding, learned positions, untied head. Exact for the models whose checkpoints are public. */
RK_API uint64_t rk_model_parameters(const struct rk_model *model);

/* Those that one token meets: all of a dense model, the active and shared experts of a mixture.
 * Both embedding tables count, as in the published figures. */
RK_API uint64_t rk_model_active_parameters(const struct rk_model *model);

/* Why no operations stand for what the model does: the first such feature by name, as it is trained
 * on samples of `sequence` tokens. It is counted, but not predicted. NULL when there is none. */
RK_API const char *rk_model_unmodelled(const struct rk_model *model, uint64_t sequence);

/* Tokens of the busiest expert over the mean, where a plan pads to it and has no imbalance. */
RK_API double rk_busiest_expert(const struct rk_model *model);

#ifdef __cplusplus
}
#endif
#endif
