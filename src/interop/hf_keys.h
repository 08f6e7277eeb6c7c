/* hf_keys.h - the keys of config.json files, by model type, as they stand there. */
#ifndef RECKON_INTEROP_HF_KEYS_H
#define RECKON_INTEROP_HF_KEYS_H

#include "catalog/fields.h"

enum hf_type {
    HF_LLAMA,
    HF_MISTRAL,
    HF_MIXTRAL,
    HF_QWEN2,
    HF_QWEN3,
    HF_QWEN3_MOE,
    HF_DEEPSEEK_V2,
    HF_DEEPSEEK_V3,
    HF_GPT2,
    HF_GPT_NEOX,
    HF_FALCON,
    HF_BLOOM,
    HF_TYPES
};

/* What the shape needs of a file. 0, or false, also stands for what it does not say; hf.c fills
 * that in where it follows from the rest. */
struct hf_keys {
    uint64_t hidden, layers, heads, kv_heads, head_dim, feedforward, vocabulary;
    uint64_t positions;          /* the longest sample that the model is made for */
    uint64_t original_positions; /* of pre-training, before the context was stretched */
    bool tied_embeddings;
    bool attention_bias, mlp_bias, bias;
    bool parallel_residual, alibi, multi_query, new_decoder;
    uint64_t parallel_norms;
    double dropout[3];

    uint64_t experts, active_experts, shared_experts, expert_feedforward;
    uint64_t dense_first,
        sparse_step; /* the first layers are dense; of the others each n-th is not */
    char topk_method[32];

    uint64_t q_rank, kv_rank, nope_dim, rope_dim, value_dim;

    char datatype[16];
    uint64_t window; /* of attention */
    bool use_window;
    uint64_t window_from; /* the layers before see all tokens */
    char activation[32];
    uint64_t predict_layers; /* for multi-token prediction */
};

/* The file, and within it the part about the language model, where it has one. */
struct hf_place {
    struct place root, text; /* text.value NULL: the root itself is the model */
};

enum { HF_ROWS = 64 };

/* What of the table was not in the file, or null. */
struct hf_missing {
    int count;
    struct {
        const char *key;
        const struct field *field;
        const char *instead; /* what is taken instead; NULL: the default of the library */
        bool null;
    } row[HF_ROWS];
};

/* Reads the keys of `type` by the table; those missing get their presets. */
enum rk_status hf_keys_load(const struct hf_place *at, enum hf_type type, struct hf_keys *keys,
                            struct hf_missing *missing, struct rk_error *error);

#endif
