/* hf_keys.h - the keys of config.json files, each once: the member for its value, and its range.
 *
 * Which of them a model type has, and what their absence means there, are words of its row in
 * hf_types.c. A key with several meanings has a row for each, told apart after a colon
 * ("attention_bias:qkv"); a dot leads into an object ("ffn_config.moe_top_k").
 */
#ifndef RECKON_HUGGINGFACE_HF_KEYS_H
#define RECKON_HUGGINGFACE_HF_KEYS_H

#include "huggingface/hf_types.h"
#include "text/fields.h"

/* What the shape needs of a file. 0, or false, also stands for what it does not say; hf.c fills
 * that in where it follows from the rest. */
struct hf_keys {
    uint64_t hidden, layers, heads, kv_heads, head_dim, feedforward, vocabulary;
    uint64_t half_feedforward;   /* both matrices into a gated MLP together */
    uint64_t expansion;          /* feedforward over hidden */
    uint64_t positions;          /* the longest sample that the model is made for */
    uint64_t original_positions; /* of pre-training, before the context was stretched */
    bool tied_embeddings;
    bool attention_bias, qkv_bias, out_bias, mlp_bias, bias, linear_bias, head_bias, no_bias;
    bool parallel_residual, alibi, learned_positions, multi_query, new_decoder, qk_norm;
    uint64_t parallel_norms;
    double dropout[3];
    double score_cap, logit_cap;
    uint64_t embedding_dim;
    bool norm_first;
    char activation[32];

    uint64_t experts, active_experts, shared_experts, expert_feedforward, shared_feedforward;
    uint64_t expert_hidden;
    bool expert_bias, residual_mlp;
    char topk_method[32];
    /* layer i is a mixture: from ... to, i % step == offset */
    uint64_t dense_first, sparse_from, sparse_step, sparse_offset;
    uint64_t sparse_every; /* ... i % every == every - 1 */

    uint64_t q_rank, kv_rank, nope_dim, rope_dim, value_dim, index_heads, index_dim;

    uint64_t window; /* of attention */
    bool use_window;
    uint64_t window_from; /* the layers before see all tokens */
    uint64_t chunk;
    uint64_t pattern;        /* every Nth layer sees all tokens */
    uint64_t attention_step; /* layer i has attention: i % step == offset; the others recur */
    uint64_t attention_offset;
    uint64_t attention_every; /* ... i % every == every - 1 */
    uint64_t local_heads, local_kv_heads, local_head_dim, local_value_dim;
    uint64_t global_kv_heads, global_head_dim; /* of layers that see all (Gemma 4) */
    bool shared_values;                        /* their keys are their values, too */
    bool head_gate;                            /* one value a head weighs what attention brings */
    bool mixture_beside;                       /* experts in addition to a dense MLP */
    uint64_t zero_experts;                     /* that bring their input */
    uint64_t double_layers; /* two blocks with experts in parallel to them (LongCat) */

    uint64_t recurrent_heads, recurrent_dim, groups, state, convolution, time_rank, expand, inner;
    bool recurrent_norm;

    char datatype[16];
    uint64_t predict_layers; /* for multi-token prediction */
};

/* The file, and within it the part about the language model, where it has one. */
struct hf_place {
    struct place root, text; /* text.value NULL: the root itself is the model */
    struct place wrapper;    /* around the text, within the root; `outer`: it, or NULL */
    const struct place *outer;
};

enum { HF_ROWS = 96 };

/* What of the type's words was not in the file, or null. */
struct hf_missing {
    int count;
    struct {
        const char *key;
        const struct field *field;
        const char *instead; /* what is taken instead; NULL: the default of the library */
        double preset;
        bool null;
    } row[HF_ROWS];
};

/* Reads the keys of `type`; those missing get its presets. Keys of the file that the type has not,
 * and that would change shape or cost, are refused; others that nobody knows are listed in
 * `unknown`, with commas. */
enum rk_status hf_keys_load(const struct hf_place *at, const struct hf_type *type,
                            struct hf_keys *keys, struct hf_missing *missing, char *unknown,
                            size_t size, struct rk_error *error);

/* A member by a key in which dots lead into objects; false where it is missing. It keeps its
 * parents in `chain`. */
struct hf_chain {
    struct place place[3];
};
bool hf_find(const struct place *object, const char *key, struct hf_chain *chain,
             struct place *found);

/* May files of the type have the key; is it read, and not only let pass? */
bool hf_type_has(const struct hf_type *type, const char *key);
bool hf_type_reads(const struct hf_type *type, const char *key);

/* Is it read, or refused unless it is as all files of the type have it? */
bool hf_type_follows(const struct hf_type *type, const char *key);

#endif
