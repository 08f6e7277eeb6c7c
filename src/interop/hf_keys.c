#include "interop/hf_keys.h"

#include <string.h>

/* clang-format off */
#define OF(type)   (1u << HF_##type)
#define DEEPSEEK   (OF(DEEPSEEK_V2) | OF(DEEPSEEK_V3))
#define QWEN       (OF(QWEN2) | OF(QWEN3) | OF(QWEN3_MOE))
#define GROUPED    (OF(LLAMA) | OF(MISTRAL) | OF(MIXTRAL) | QWEN) /* descend from Llama */
#define LLAMAS     (GROUPED | DEEPSEEK)
#define GPTS       (OF(GPT2) | OF(GPT_NEOX) | OF(FALCON) | OF(BLOOM))
#define ALL        (LLAMAS | GPTS)

#define AT(member) .offset = offsetof(struct hf_keys, member)
#define COUNT(member)     { .type = FIELD_COUNT, AT(member), .min = 1, .max = 1e9 }
#define ZERO(member)      { .type = FIELD_COUNT, AT(member), .max = 1e9 }
#define COUNT_OR(member, value) { .type = FIELD_COUNT, AT(member), .max = 1e9, .preset = value }
#define NORMS(member)     { .type = FIELD_COUNT, AT(member), .min = 1, .max = 2 }
#define STEP(member, value)     { .type = FIELD_COUNT, AT(member), .min = 1, .max = 1e9, .preset = value }
#define FLAG(member, value)     { .type = FIELD_BOOL, AT(member), .preset = value }
#define RATE(member, value)     { .type = FIELD_NUMBER, AT(member), .max = 1, .preset = value }
#define TEXT(member)      { .type = FIELD_TEXT, AT(member), .size = sizeof ((struct hf_keys *)0)->member }

enum need {
    NEEDED,  /* missing is an error */
    NULLED,  /* so it is, but null means the preset */
    PRESET,  /* else the preset, which is noted */
    SILENT   /* else the preset, which says nothing about the shape */
};

/* Keys, their spellings and what their absence means: the configuration classes of transformers
 * 4 and 5. A key with several rows has them for different types. */
static const struct key {
    const char *spelling[4]; /* messages use the first */
    unsigned types;
    enum need need;
    struct field field;
    const char *instead;
} keys_table[] = {
    {{"hidden_size", "n_embd", "n_embed"},     ALL,      NEEDED, COUNT(hidden),      NULL},
    {{"num_hidden_layers", "n_layer"},         ALL,      NEEDED, COUNT(layers),      NULL},
    {{"num_attention_heads", "n_head"},        ALL,      NEEDED, COUNT(heads),       NULL},
    {{"vocab_size"},                           ALL,      NEEDED, COUNT(vocabulary),  NULL},
    {{"intermediate_size"}, LLAMAS | OF(GPT_NEOX),       NEEDED, COUNT(feedforward), NULL},
    {{"n_inner"},           OF(GPT2) | OF(BLOOM),        PRESET, COUNT(feedforward), "4 * hidden"},
    {{"ffn_hidden_size"},   OF(FALCON),                  PRESET, COUNT(feedforward), "4 * hidden"},
    {{"num_key_value_heads"}, GROUPED,                   PRESET, COUNT(kv_heads), "as many as heads"},
    {{"num_kv_heads", "n_head_kv"}, OF(FALCON),          PRESET, COUNT(kv_heads), "as many as heads, with multi_query one"},
    {{"head_dim"}, GROUPED & ~OF(QWEN3),                 PRESET, COUNT(head_dim), "hidden / heads"},
    {{"head_dim"}, OF(QWEN3),                            PRESET, STEP(head_dim, 128), NULL},
    {{"max_position_embeddings", "n_positions", "n_ctx", "seq_length"}, ALL, SILENT, COUNT(positions), NULL},
    {{"tie_word_embeddings"}, LLAMAS | OF(GPT_NEOX),     PRESET, FLAG(tied_embeddings, false), NULL},
    {{"tie_word_embeddings"}, GPTS & ~OF(GPT_NEOX),      PRESET, FLAG(tied_embeddings, true), NULL},

    {{"attention_bias"}, OF(LLAMA) | OF(QWEN3) | OF(QWEN3_MOE) | DEEPSEEK, PRESET, FLAG(attention_bias, false), NULL},
    {{"attention_bias"}, OF(GPT_NEOX),                   PRESET, FLAG(attention_bias, true), NULL},
    {{"mlp_bias"},       OF(LLAMA),                      PRESET, FLAG(mlp_bias, false), NULL},
    {{"bias"},           OF(FALCON),                     PRESET, FLAG(bias, false), NULL},
    {{"use_parallel_residual"}, OF(GPT_NEOX),            PRESET, FLAG(parallel_residual, true), NULL},
    {{"parallel_attn"},  OF(FALCON),                     PRESET, FLAG(parallel_residual, true), NULL},
    {{"alibi"},          OF(FALCON),                     PRESET, FLAG(alibi, false), NULL},
    {{"multi_query"},    OF(FALCON),                     PRESET, FLAG(multi_query, true), NULL},
    {{"new_decoder_architecture"}, OF(FALCON),           PRESET, FLAG(new_decoder, false), NULL},
    {{"num_ln_in_parallel_attn"}, OF(FALCON),            PRESET, NORMS(parallel_norms), "2 in the new architecture, else 1"},

    {{"attention_dropout"}, ALL & ~OF(GPT2),             PRESET, RATE(dropout[0], 0), NULL},
    {{"hidden_dropout"}, GPTS & ~OF(GPT2),               PRESET, RATE(dropout[1], 0), NULL},
    {{"attn_pdrop"},     OF(GPT2),                       PRESET, RATE(dropout[0], 0.1), NULL},
    {{"resid_pdrop"},    OF(GPT2),                       PRESET, RATE(dropout[1], 0.1), NULL},
    {{"embd_pdrop"},     OF(GPT2),                       PRESET, RATE(dropout[2], 0.1), NULL},

    {{"num_local_experts"}, OF(MIXTRAL),                 NEEDED, COUNT(experts), NULL},
    {{"num_experts", "num_local_experts"}, OF(QWEN3_MOE), NEEDED, ZERO(experts), NULL},
    {{"n_routed_experts", "num_local_experts"}, DEEPSEEK, NULLED, ZERO(experts), "a dense model"},
    {{"num_experts_per_tok"}, OF(MIXTRAL) | OF(QWEN3_MOE), NEEDED, COUNT(active_experts), NULL},
    {{"num_experts_per_tok"}, DEEPSEEK,                  NULLED, ZERO(active_experts), NULL},
    {{"n_shared_experts"},    DEEPSEEK,                  PRESET, ZERO(shared_experts), "none"},
    {{"moe_intermediate_size"}, OF(QWEN3_MOE) | DEEPSEEK, NEEDED, COUNT(expert_feedforward), NULL},
    {{"first_k_dense_replace"}, OF(DEEPSEEK_V2),         PRESET, COUNT_OR(dense_first, 0), NULL},
    {{"first_k_dense_replace"}, OF(DEEPSEEK_V3),         PRESET, COUNT_OR(dense_first, 3), NULL},
    {{"decoder_sparse_step"}, OF(QWEN3_MOE),             PRESET, STEP(sparse_step, 1), NULL},
    {{"moe_layer_freq"},    DEEPSEEK,                    PRESET, STEP(sparse_step, 1), NULL},
    {{"topk_method"},       DEEPSEEK,                    SILENT, TEXT(topk_method), NULL},

    {{"q_lora_rank"},       DEEPSEEK,                    NULLED, ZERO(q_rank), "queries are not compressed"},
    {{"kv_lora_rank"},      DEEPSEEK,                    NEEDED, COUNT(kv_rank), NULL},
    {{"qk_nope_head_dim"},  DEEPSEEK,                    NEEDED, COUNT(nope_dim), NULL},
    {{"qk_rope_head_dim"},  DEEPSEEK,                    NEEDED, COUNT(rope_dim), NULL},
    {{"v_head_dim"},        DEEPSEEK,                    NEEDED, COUNT(value_dim), NULL},

    {{"dtype", "torch_dtype"}, ALL,                      SILENT, TEXT(datatype), NULL},
    {{"sliding_window"},    GROUPED,                     SILENT, ZERO(window), NULL},
    {{"use_sliding_window"}, QWEN,                       SILENT, FLAG(use_window, false), NULL},
    {{"max_window_layers"}, QWEN,                        SILENT, COUNT_OR(window_from, 28), NULL},
    {{"hidden_act"},        LLAMAS | OF(GPT_NEOX),       SILENT, TEXT(activation), NULL},
    {{"activation_function"}, OF(GPT2),                  SILENT, TEXT(activation), NULL},
    {{"activation"},        OF(FALCON),                  SILENT, TEXT(activation), NULL},
    {{"num_nextn_predict_layers"}, DEEPSEEK,             SILENT, { .type = FIELD_COUNT, AT(predict_layers), .max = 64 }, NULL},
};
/* clang-format on */

/* Wrappers keep some keys of the language model outside, such as whether embeddings are tied. */
static bool find(const struct hf_place *at, const struct key *key, struct place *found)
{
    const struct place *places[] = {&at->text, &at->root};
    bool there = false;
    for (int i = 0; i < 2; i++)
        for (int k = 0; places[i]->value && k < 4 && key->spelling[k]; k++) {
            struct place member;
            if (!place_member(places[i], key->spelling[k], &member)) continue;
            if (!there || json_is_null(found->value)) *found = member;
            there = true;
            if (!json_is_null(member.value)) return true;
        }
    return there;
}

static enum rk_status fail_missing(const struct hf_place *at, const struct key *key,
                                   struct rk_error *error)
{
    const struct place *place = at->text.value ? &at->text : &at->root;
    const char *other = key->spelling[1];
    return place_fail(place, error, "missing key \"%s\"%s%s%s: add it", key->spelling[0],
                      other ? " (or \"" : "", other ? other : "", other ? "\")" : "");
}

static void miss(struct hf_missing *missing, const struct key *key, bool null)
{
    const int i = missing->count++;
    missing->row[i].key = key->spelling[0];
    missing->row[i].field = &key->field;
    missing->row[i].instead = key->instead;
    missing->row[i].null = null;
}

static enum rk_status load(const struct hf_place *at, const struct key *key, struct hf_keys *keys,
                           struct hf_missing *missing, struct rk_error *error)
{
    struct place place;
    const bool there = find(at, key, &place);
    const bool null = there && json_is_null(place.value);
    if (!there && (key->need == NEEDED || key->need == NULLED)) return fail_missing(at, key, error);
    if (there && (!null || key->need == NEEDED))
        return field_load(&place, &key->field, keys, error);
    fields_preset((const struct field[]){{.key = "",
                                          .type = key->field.type,
                                          .offset = key->field.offset,
                                          .preset = key->field.preset},
                                         {.key = NULL}},
                  keys);
    if (key->need != SILENT) miss(missing, key, null);
    return RK_OK;
}

enum rk_status hf_keys_load(const struct hf_place *at, enum hf_type type, struct hf_keys *keys,
                            struct hf_missing *missing, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    _Static_assert(sizeof keys_table / sizeof *keys_table <= HF_ROWS, "room for all");
    *keys = (struct hf_keys){0};
    missing->count = 0;
    for (size_t i = 0; status == RK_OK && i < sizeof keys_table / sizeof *keys_table; i++)
        if (keys_table[i].types & 1u << type)
            status = load(at, &keys_table[i], keys, missing, error);
    return status;
}
