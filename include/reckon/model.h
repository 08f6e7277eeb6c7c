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
enum rk_position { RK_POSITION_LEARNED, RK_POSITION_ROPE, RK_POSITION_ALIBI, RK_POSITION_RELATIVE };
enum rk_norm { RK_LAYER_NORM, RK_RMS_NORM };
enum rk_activation { RK_GELU, RK_SILU, RK_SQUARED_RELU, RK_RELU }; /* gated_mlp: of the gate */

/* Zero is right for GPT-3-like models in every member behind `attention`. */
struct rk_model {
    char id[64];
    uint64_t layers;      /* transformer blocks; L in [isaev2023] */
    uint64_t hidden;      /* width of the residual stream; h */
    uint64_t feedforward; /* width inside the MLP; f */
    uint64_t heads;       /* attention heads; a */
    uint64_t head_dim;    /* width of one head; d. heads * head_dim need not be hidden */
    uint64_t sequence;    /* tokens of one sample; s */
    uint64_t vocabulary;  /* entries of the embedding table; 0: not known */
    enum rk_attention attention;
    enum rk_position position;
    bool tied_embeddings;  /* the head shares the embedding's weights */
    bool biases;           /* linear layers have biases */
    bool embedding_norm;   /* a normalisation behind the embedding (BLOOM) */
    bool count_embeddings; /* false: the published count leaves them out ([isaev2023] Table III) */

    uint64_t kv_heads;    /* key and value heads, shared by groups of heads; 0: as many as heads */
    enum rk_norm norm;    /* of blocks and the last one */
    bool gated_mlp;       /* two matrices into the MLP, one of them a gate (SwiGLU, GeGLU) */
    bool qkv_biases;      /* biases of query, key and value alone (Qwen2) */
    bool qk_norm;         /* norms of width head_dim on query and key (Qwen3) */
    bool parallel_block;  /* attention and MLP read the same input (PaLM, Falcon, GPT-NeoX) */
    uint64_t block_norms; /* norms of a block; 0: two */
    bool no_dropout;      /* trained without dropout */
    bool flash_attention; /* scores are never written to memory [dao2023]; else three operations */
    bool causal_skip;     /* flash attention leaves out what the causal mask hides */

    /* mixture of experts; experts 0: dense */
    uint64_t experts;            /* routed experts of a layer */
    uint64_t active_experts;     /* that a token goes to */
    uint64_t shared_experts;     /* that every token goes through, of expert_feedforward each */
    uint64_t expert_feedforward; /* width inside an expert */
    uint64_t dense_layers;       /* the first layers have a dense MLP */
    uint64_t expert_every;       /* behind those, every so many-th layer is a mixture; 0: each */
    uint64_t expert_hidden; /* width in which tokens travel to the experts and back, which BigMac
                               narrows [jin2025]; 0: hidden */
    bool router_biases;     /* one value an expert, for balancing without loss (DeepSeek-V3) */

    /* multi-head latent attention [deepseek2024]; kv_rank 0: none. head_dim is then the part of a
     * head without position */
    uint64_t q_rank,
        kv_rank;        /* widths of the latent vectors; q_rank 0: queries are not compressed */
    uint64_t rope_dim;  /* part of a query or key head with position */
    uint64_t value_dim; /* width of a value head */

    enum rk_activation activation;
    uint64_t window; /* tokens that a token of a local layer sees, itself too; 0: no local layers */
    uint64_t
        window_every; /* every so many-th layer sees all tokens, the others are local: 2 is GPT-3's
                         alternation of dense and banded layers [brown2020]; 0: all are local */
    uint64_t predict_layers; /* multi-token prediction: further blocks behind the last one, with a
                                projection each [deepseek2024v3]; outside the published counts */
};

/* Trainable parameters: blocks (linear layers with their biases, two LayerNorms), final norm,
 * embedding, learned positions, untied head. Exact for the models whose checkpoints are public. */
RK_API uint64_t rk_model_parameters(const struct rk_model *model);

/* Those that one token meets: all of a dense model, the active and shared experts of a mixture.
 * Both embedding tables count, as in the published figures. */
RK_API uint64_t rk_model_active_parameters(const struct rk_model *model);

#ifdef __cplusplus
}
#endif
#endif
