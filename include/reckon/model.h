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
};

/* Trainable parameters: blocks (linear layers with their biases, two LayerNorms), final norm,
 * embedding, learned positions, untied head. Exact for the models whose checkpoints are public. */
RK_API uint64_t rk_model_parameters(const struct rk_model *model);

#ifdef __cplusplus
}
#endif
#endif
