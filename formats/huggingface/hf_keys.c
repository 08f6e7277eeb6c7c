#include "huggingface/hf_keys.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the keys ---- */

enum how {
    READ,   /* into its member; missing is noted */
    SILENT, /* ... not noted: says nothing about the shape, or another key does */
    LISTED  /* read by whoever follows the pattern of layers */
};

/* clang-format off */
#define AT(member) .offset = offsetof(struct hf_keys, member)
#define COUNT(member)       { .type = FIELD_COUNT, AT(member), .min = 1, .max = 1e9 }
#define ZERO(member)        { .type = FIELD_COUNT, AT(member), .max = 1e9 }
#define UPTO(member, most)  { .type = FIELD_COUNT, AT(member), .max = most }
#define NORMS(member)       { .type = FIELD_COUNT, AT(member), .min = 1, .max = 2 }
#define FLAG(member)        { .type = FIELD_BOOL, AT(member) }
#define RATE(member)        { .type = FIELD_NUMBER, AT(member), .max = 1 }
#define NUMBER(member)      { .type = FIELD_NUMBER, AT(member), .max = 1e9 }
#define TEXT(member)        { .type = FIELD_TEXT, AT(member), .size = sizeof ((struct hf_keys *)0)->member }
#define NOTHING             { .type = FIELD_OTHER }

static const struct key {
    const char *spelling[8];
    const char *variant;
    enum how how;
    struct field field;
    const char *instead; /* what is taken for 0, when it is missing */
} keys_table[] = {
    {{"hidden_size", "n_embd", "n_embed", "d_model"},            NULL, READ, COUNT(hidden), NULL},
    {{"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, NULL, READ, COUNT(layers), NULL},
    {{"num_attention_heads", "n_head", "n_heads"},               NULL, READ, COUNT(heads), NULL},
    {{"num_layers"}, "double", READ, COUNT(double_layers), NULL},
    {{"vocab_size"},                      NULL, READ, COUNT(vocabulary), NULL},
    {{"padded_vocab_size", "vocab_size"}, "padded", READ, COUNT(vocabulary), NULL},
    {{"intermediate_size"},  NULL,    READ, COUNT(feedforward), NULL},
    {{"intermediate_size"},  "both",  READ, COUNT(half_feedforward), NULL},
    {{"intermediate_size"},  "inner", READ, COUNT(inner), "expand * hidden"},
    {{"intermediate_size"},  "experts", READ, COUNT(expert_feedforward), NULL},
    {{"intermediate_size_mlp"}, NULL, READ, COUNT(feedforward), NULL},
    {{"n_inner"},            NULL, READ, COUNT(feedforward), "4 * hidden"},
    {{"ffn_hidden_size"},    NULL, READ, COUNT(feedforward), "4 * hidden"},
    {{"expert_ffn_hidden_size"}, NULL, READ, COUNT(expert_feedforward), NULL},
    {{"ffn_dim"},            NULL, READ, COUNT(feedforward), NULL},
    {{"expansion_ratio"},    NULL, READ, COUNT(expansion), NULL},
    {{"num_key_value_heads"}, NULL, READ, COUNT(kv_heads), "as many as heads"},
    {{"num_kv_heads", "n_head_kv"}, NULL, READ, COUNT(kv_heads), "as many as heads, with multi_query one"},
    {{"num_attention_groups"}, NULL, READ, COUNT(kv_heads), NULL},
    {{"multi_query_group_num"}, NULL, READ, COUNT(kv_heads), "as many as heads"},
    {{"attn_config.kv_n_heads"}, NULL, READ, COUNT(kv_heads), "as many as heads"},
    {{"head_dim"},           NULL, READ, COUNT(head_dim), "hidden / heads"},
    {{"head_dim"},           "recurrent", READ, COUNT(recurrent_dim), NULL},
    {{"global_head_dim"},    NULL, READ, COUNT(global_head_dim), NULL},
    {{"num_global_key_value_heads"}, NULL, SILENT, COUNT(global_kv_heads), NULL},
    {{"attention_k_eq_v"},   NULL, SILENT, FLAG(shared_values), NULL},
    {{"use_head_wise_attn_gate"}, NULL, SILENT, FLAG(head_gate), NULL},
    {{"kv_channels"},        NULL, READ, COUNT(head_dim), "hidden / heads"},
    {{"attention_head_dim"}, NULL, SILENT, COUNT(head_dim), NULL},
    {{"max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len", "model_max_length", "max_sequence_length"}, NULL, SILENT, COUNT(positions), NULL},
    {{"tie_word_embeddings", "weight_tying"}, NULL, READ, FLAG(tied_embeddings), NULL},
    {{"dtype", "torch_dtype"}, NULL, SILENT, TEXT(datatype), NULL},
    {{"hidden_activation", "hidden_act", "mlp_hidden_act"}, NULL, SILENT, TEXT(activation), NULL},
    {{"activation_function"}, NULL, SILENT, TEXT(activation), NULL},
    {{"activation"},         NULL, SILENT, TEXT(activation), NULL},

    {{"attention_bias"},     NULL,        READ, FLAG(attention_bias), NULL},
    {{"attention_bias"},     "qkv",       READ, FLAG(qkv_bias), NULL},
    {{"attention_out_bias"}, NULL,        READ, FLAG(out_bias), NULL},
    {{"qkv_bias", "use_qkv_bias", "add_qkv_bias"}, NULL, READ, FLAG(qkv_bias), NULL},
    {{"mlp_bias"},           NULL,        READ, FLAG(mlp_bias), NULL},
    {{"bias", "add_bias_linear"}, NULL,   READ, FLAG(bias), NULL},
    {{"bias"},               "attention", READ, FLAG(attention_bias), NULL},
    {{"bias"},               "out",       READ, FLAG(linear_bias), NULL},
    {{"use_bias"},           "all",       READ, FLAG(bias), NULL},
    {{"no_bias"},            NULL,        READ, FLAG(no_bias), NULL},
    {{"lm_head_bias"},       NULL,        READ, FLAG(head_bias), NULL},

    {{"use_qk_norm", "qk_layernorm"},   NULL, READ, FLAG(qk_norm), NULL},
    {{"use_parallel_residual"},         NULL, READ, FLAG(parallel_residual), NULL},
    {{"parallel_attn"},                 NULL, READ, FLAG(parallel_residual), NULL},
    {{"alibi", "attn_config.alibi"},    NULL, READ, FLAG(alibi), NULL},
    {{"learned_pos_emb"},               NULL, READ, FLAG(learned_positions), NULL},
    {{"multi_query"},                   NULL, READ, FLAG(multi_query), NULL},
    {{"new_decoder_architecture"},      NULL, READ, FLAG(new_decoder), NULL},
    {{"num_ln_in_parallel_attn"},       NULL, READ, NORMS(parallel_norms), "2 in the new architecture, else 1"},
    {{"word_embed_proj_dim"},           NULL, SILENT, COUNT(embedding_dim), NULL},
    {{"do_layer_norm_before"},          NULL, READ, FLAG(norm_first), NULL},
    {{"attn_logit_softcapping"},        NULL, SILENT, NUMBER(score_cap), NULL},
    {{"max_attn_value"},               "cap", SILENT, NUMBER(score_cap), NULL},
    {{"final_logit_softcapping"},       NULL, SILENT, NUMBER(logit_cap), NULL},

    {{"attention_dropout"},  NULL, READ,   RATE(dropout[0]), NULL},
    {{"attn_dropout_prob"},  NULL, SILENT, RATE(dropout[0]), NULL},
    {{"attn_pdrop"},         NULL, READ,   RATE(dropout[0]), NULL},
    {{"hidden_dropout"},     NULL, READ,   RATE(dropout[1]), NULL},
    {{"resid_pdrop"},        NULL, READ,   RATE(dropout[1]), NULL},
    {{"resid_pdrop"},        "second", SILENT, RATE(dropout[1]), NULL},
    {{"dropout", "residual_dropout", "output_dropout"}, NULL, SILENT, RATE(dropout[1]), NULL},
    {{"embd_pdrop"},         NULL, READ,   RATE(dropout[2]), NULL},
    {{"emb_pdrop", "embedding_dropout", "embed_dropout", "emb_dropout_prob"}, NULL, SILENT, RATE(dropout[2]), NULL},

    {{"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "ffn_config.moe_num_experts"}, NULL, READ, ZERO(experts), "a dense model"},
    {{"num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "experts_per_token", "top_k_experts", "ffn_config.moe_top_k"}, NULL, READ, ZERO(active_experts), NULL},
    {{"n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"}, NULL, READ, ZERO(shared_experts), "none"},
    {{"moe_intermediate_size", "ffn_config.ffn_hidden_size"}, NULL, READ, COUNT(expert_feedforward), NULL},
    {{"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size"}, NULL, SILENT, ZERO(shared_feedforward), NULL},
    {{"moe_num_experts"},     "first", READ, ZERO(experts), NULL},
    {{"moe_top_k"},           NULL, READ, ZERO(active_experts), NULL},
    {{"moe_intermediate_size"}, "first", READ, COUNT(expert_feedforward), NULL},
    {{"moe_layer_start_index"}, "first", READ, ZERO(sparse_from), NULL},
    {{"share_expert_dim"},    NULL, SILENT, ZERO(shared_feedforward), NULL},
    {{"zero_expert_num"},     NULL, READ, ZERO(zero_experts), NULL},
    {{"enable_moe_block"},    NULL, SILENT, FLAG(mixture_beside), NULL},
    {{"moe_layers_enum"},     NULL, LISTED, NOTHING, NULL},
    {{"moe_latent_size"},     NULL, SILENT, ZERO(expert_hidden), NULL},
    {{"first_k_dense_replace"}, NULL, READ, ZERO(dense_first), NULL},
    {{"moe_layer_num_skipped"}, NULL, SILENT, ZERO(dense_first), NULL},
    {{"moe_layer_freq"},      NULL, READ, COUNT(sparse_step), NULL},
    {{"moe_layer_freq"},     "list", LISTED, NOTHING, NULL},
    {{"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_frequency", "moe_layer_interval"}, NULL, READ, COUNT(sparse_every), NULL},
    {{"expert_layer_period"}, NULL, READ, COUNT(sparse_step), NULL},
    {{"expert_layer_offset"}, NULL, READ, ZERO(sparse_offset), NULL},
    {{"moe_layer_start_index"}, NULL, READ, ZERO(sparse_from), NULL},
    {{"moe_layer_end_index"}, NULL, LISTED, NOTHING, NULL},
    {{"mlp_only_layers"},     NULL, LISTED, NOTHING, NULL},
    {{"moe_layers"},          NULL, LISTED, NOTHING, NULL},
    {{"mlp_layer_types"},     NULL, LISTED, NOTHING, NULL},
    {{"topk_method"},         NULL, SILENT, TEXT(topk_method), NULL},
    {{"moe_router_enable_expert_bias", "use_routing_bias"}, NULL, READ, FLAG(expert_bias), NULL},
    {{"residual_moe", "parallel_attn_mlp_res"}, NULL, READ, FLAG(residual_mlp), NULL},

    {{"q_lora_rank"},         NULL, READ, ZERO(q_rank), "queries are not compressed"},
    {{"kv_lora_rank"},        NULL, READ, COUNT(kv_rank), NULL},
    {{"qk_nope_head_dim"},    NULL, READ, COUNT(nope_dim), NULL},
    {{"qk_rope_head_dim"},    NULL, READ, COUNT(rope_dim), NULL},
    {{"v_head_dim"},          NULL, READ, COUNT(value_dim), "as wide as the others"},
    {{"index_n_heads"},       NULL, READ, COUNT(index_heads), NULL},
    {{"index_head_dim"},      NULL, READ, COUNT(index_dim), NULL},
    {{"index_topk"},          NULL, LISTED, NOTHING, NULL},

    {{"sliding_window", "sliding_window_size"}, NULL, SILENT, ZERO(window), NULL},
    {{"use_sliding_window"},  NULL, SILENT, FLAG(use_window), NULL},
    {{"max_window_layers"},   NULL, SILENT, ZERO(window_from), NULL},
    {{"attention_chunk_size"}, NULL, SILENT, ZERO(chunk), NULL},
    {{"sliding_window_pattern", "layer_switch"}, NULL, LISTED, ZERO(pattern), NULL},
    {{"layer_types"},         NULL, LISTED, NOTHING, NULL},
    {{"no_rope_layers"},      NULL, LISTED, NOTHING, NULL},
    {{"no_rope_layer_interval"}, NULL, SILENT, ZERO(attention_every), NULL},
    {{"hybrid_layer_pattern"}, NULL, LISTED, NOTHING, NULL},
    {{"swa_num_attention_heads", "attention_other_setting.num_attention_heads"}, NULL, SILENT, COUNT(local_heads), NULL},
    {{"swa_num_key_value_heads", "attention_other_setting.num_attention_groups"}, NULL, SILENT, COUNT(local_kv_heads), NULL},
    {{"swa_head_dim", "attention_other_setting.head_dim"}, NULL, SILENT, COUNT(local_head_dim), NULL},
    {{"swa_v_head_dim"},      NULL, SILENT, COUNT(local_value_dim), NULL},

    {{"hybrid_override_pattern"}, NULL, LISTED, NOTHING, NULL},
    {{"layers_block_type"}, NULL, LISTED, NOTHING, NULL},
    {{"attn_type_list"},      NULL, LISTED, NOTHING, NULL},
    {{"attn_layer_indices"},  NULL, LISTED, NOTHING, NULL},
    {{"linear_attn_config"},  "kda", LISTED, NOTHING, NULL},
    {{"full_attention_interval"}, NULL, READ, COUNT(attention_every), NULL},
    {{"attn_layer_period"},   NULL, READ, COUNT(attention_step), NULL},
    {{"attn_layer_offset"},   NULL, READ, ZERO(attention_offset), NULL},
    {{"num_heads", "mamba_num_heads", "mamba_n_heads", "linear_num_value_heads", "linear_attn_config.num_heads"}, NULL, READ, COUNT(recurrent_heads), NULL},
    {{"mamba_head_dim", "mamba_d_head", "linear_value_head_dim", "linear_attn_config.head_dim"}, NULL, READ, COUNT(recurrent_dim), "the inner width / heads"},
    {{"n_groups", "mamba_n_groups"}, NULL, READ, COUNT(groups), NULL},
    {{"linear_num_key_heads"}, NULL, READ, COUNT(groups), NULL},
    {{"state_size", "ssm_state_size", "mamba_d_state", "linear_key_head_dim"}, NULL, READ, COUNT(state), NULL},
    {{"conv_kernel", "mamba_d_conv", "linear_conv_kernel_dim", "linear_attn_config.short_conv_kernel_size"}, NULL, READ, UPTO(convolution, 64), NULL},
    {{"expand", "mamba_expand"}, NULL, READ, COUNT(expand), NULL},
    {{"time_step_rank", "mamba_dt_rank"}, NULL, SILENT, COUNT(time_rank), NULL},
    {{"mamba_d_ssm"},         NULL, SILENT, COUNT(inner), NULL},
    {{"mamba_rms_norm"},      NULL, READ, FLAG(recurrent_norm), NULL},
    {{"position_embedding_type"}, NULL, LISTED, NOTHING, NULL},
    {{"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"}, NULL, SILENT, UPTO(predict_layers, 64), NULL},
};

/* Said by files, but nothing about shape or cost: how text is made, weights are started and stored,
 * positions turn, losses are weighed, and what surrounds the model. Ended by "*": all that begin so. */
static const char *const harmless[] = {
    "_*", "adapter*", "add_cross_attention", "architectures", "attention_multiplier", "attention_window_size", "attn_implementation", "attn_softmax_bf16",
    "attn_temperature*", "auto_map", "aux_loss*", "bad_words*", "begin_suppress*", "beta_fast", "beta_slow", "block_auto_adjust_ff_dim", "bos_token*", "chunk_size*",
    "classifier*", "cross_attention*", "decoder_start*", "dim_model_base", "diversity*", "do_sample", "early_stopping", "embedding_multiplier*",
    "emb_init*", "encoder_no*", "eod_token*", "eos_token*", "ep_size", "expert_parallel*", "exponential_decay*", "finetuning_task", "floor", "for_attn*", "fp16", "bf16", "fp32*", "forced_*",
    "global_aux*", "hidden_size_scale", "id2label", "initializer*", "init_*", "is_decoder", "is_encoder*", "is_causal", "keys_to_ignore*", "label2id", "layer_norm_eps*", "layernorm_*", "layer_norm_epsilon*",
    "length_penalty", "logit_scale", "logits_scaling", "logits_to*", "lm_head_multiplier", "mamba_chunk_size", "max_length", "max_new_tokens", "max_window*", "min_length", "mixer_rms*", "mlp_multipliers", "model_type", "moe_layer_use*",
    "moe_router*", "moe_seq*", "moe_aux*", "moe_*_alpha*", "moe_*_factor*", "mup_*", "n_group", "name_or_path", "no_repeat*", "norm_eps*", "norm_epsilon", "norm_topk*", "num_assistant*", "num_beam*", "num_labels", "num_logits*", "num_return*", "n_embd_scale", "output_*", "pad_token*", "partial_rotary*",
    "prefix", "pretraining*", "problem_type", "pruned_heads", "quantization*", "query_pre_attn*", "remove_invalid*", "reorder*", "repetition*", "rescale*", "residual_in_fp32", "residual_multiplier", "return_dict*", "rms_norm*", "rope_*", "rotary*", "rope*", "router_*", "routed_*", "scale_*", "scaling_*", "score_func*", "scoring_*", "sep_token*", "seq_aux", "seq_length", "shared_expert_gate*", "softmax_scale", "ssm_multipliers", "summary_*", "suppress*", "swiglu_limit", "tf_legacy*", "tie_encoder*", "tie_word*", "time_step_*", "task_specific*",
    "temperature", "tokenizer_*", "top_k", "top_p", "topk_group", "topk_method", "torchscript", "torch_dtype", "dtype", "transformers*", "typical_p", "unk_token*", "unsloth*", "use_bfloat16", "use_cache*", "use_cache_quant*", "use_dynamic_ntk", "use_flash*", "use_logn*", "use_mamba_kernels", "mamba_ssm_cache_dtype", "original_rope", "offset_alibi", "pad_key_length", "validate_runner_input", "interpolate_factor", "im_*", "text_end_id", "text_start_id", "ignored_index", "mask_init_id", "pool_type", "order_of_interleaved*", "shared_moe_mode", "normalization_function", "context_window_size", "prefill_chunk_size", "dense_list", "mamba_ssm_dtype", "indexer_rope_interleave", "initial_context_length", "use_mambapy", "use_memory*", "use_rotary*", "use_rmsnorm", "using_*", "vision*", "z_loss*", "long_*", "mscale*", "sliding_window_context*", "original_max*", "key_multiplier", "layernorm", "quantization_bit", "pre_seq_len", "prefix_projection", "interleaved_rope", "torch*", "attention_in_multiplier", "attention_out_multiplier", "ssm_in_multiplier", "ssm_out_multiplier", "linear_num_*_per*", "cache_*", "gpu*", "kv_cache*", "onnx*", "version", "license*", "image_*", "audio_*", "video_*", "spatial*", "num_hidden_layers_sp*", "special_*", "use_return*", 
    "xielu*", "mla_scale*", "nextn*", "num_nextn_train*", "skip_*", "default_*", "num_logits_to_keep", "moe_shared_expert_overlap", "scale_attn*", "scale_attention*", "use_cache", "inference*", "runner_type", "gradient_checkpointing", "enable_*", "speculative*", "mtp_loss*", "mtp_use_ded*", "expert_selection*", "moe_loss*", "router_aux*", "router_z*", "router_jitter*", "input_jitter*", "jitter*", "bias_dropout*", "masked_softmax*", "apply_query_key*", "attention_softmax*", "fused*", "fuse_norm", "fuse_swiglu", "fuse_cross_entropy", "fuse_linear_cross_entropy", "use_l2warp", "use_fused*", "rotary_*", "n_positions", "use_mcore*", "tensor_parallel*", "pipeline*", "multimodal*", "mm_*", "hybrid_attention*", "tokens_per*", "eagle*", "interleave", "attention_type", "cls_*", "mask_token*", "linear_attn_alpha*", "layernorm_full*", "layernorm_linear*", "layernorm_mlp*", "full_attn_alpha*", "full_attn_beta*", "linear_attn_beta*", "mlp_alpha*", "mlp_beta*", "linear_full*", "swa_rope*", "moe_z_loss*", "expert_type",
    NULL};

/* Words of keys that speak of shape or cost. */
static const char *const telling[] = {
    "size", "dim", "layer", "head", "expert", "rank", "width", "expan", "kernel", "window", "bias", "norm", "share", "latent", "mlp", "ffn", "moe", "attn", "attention", "conv", "state", "pattern", "interval", "period", "freq", "memory", "embed", "proj", "cap", "gate", "residual", "sparse", "depth", "block", "inner", "group", "hidden", "mem_", "mtp", "mixer", "ssm", "mamba", "linear", "chunk", "cla", "tie", "num_", "n_", NULL};
/* clang-format on */

/* ---- words of a type ---- */

enum { WORD = 64 };

struct word {
    char spelling[WORD], variant[WORD], preset[WORD];
    bool needed, nullable; /* missing is an error; null is not */
};

/* The next word of the text, from `*at` on. */
static bool next_word(const char **at, struct word *word)
{
    char text[2 * WORD];
    size_t length = 0;
    *at += strspn(*at, " ");
    while ((*at)[length] && (*at)[length] != ' ' && length + 1 < sizeof text)
        length++;
    memcpy(text, *at, length);
    text[length] = '\0';
    *at += length;
    *word = (struct word){.needed = false};
    char *equal = strchr(text, '=');
    if (equal) {
        snprintf(word->preset, WORD, "%.60s", equal + 1);
        *equal = '\0';
    }
    char *mark = strchr(text, '!');
    if (mark) {
        word->needed = true;
        word->nullable = mark[1] == '?';
        *mark = '\0';
    }
    char *colon = strchr(text, ':');
    if (colon) {
        snprintf(word->variant, WORD, "%.60s", colon + 1);
        *colon = '\0';
    }
    snprintf(word->spelling, WORD, "%.60s", text);
    return length > 0;
}

static const struct key *key_of(const char *spelling, const char *variant)
{
    for (size_t i = 0; i < sizeof keys_table / sizeof *keys_table; i++) {
        const struct key *key = &keys_table[i];
        if (strcmp(key->variant ? key->variant : "", variant) != 0) continue;
        for (int k = 0; k < 8 && key->spelling[k]; k++)
            if (strcmp(key->spelling[k], spelling) == 0) return key;
    }
    return NULL;
}

/* The last of the type's words about the same key: it holds. */
static bool is_last(const char *rest, const struct word *word)
{
    const struct key *key = key_of(word->spelling, word->variant);
    struct word other;
    while (next_word(&rest, &other))
        if (strcmp(other.spelling, word->spelling) == 0 ||
            (key && key == key_of(other.spelling, other.variant)))
            return false;
    return true;
}

static bool has_spelling(const struct key *key, const char *spelling)
{
    for (int k = 0; k < 8 && key->spelling[k]; k++)
        if (strcmp(key->spelling[k], spelling) == 0) return true;
    return false;
}

bool hf_type_has(const struct hf_type *type, const char *key)
{
    const char *at = type->keys;
    struct word word;
    while (next_word(&at, &word)) {
        const struct key *row = key_of(word.spelling, word.variant);
        if (strcmp(word.spelling, key) == 0 || (row && has_spelling(row, key))) return true;
    }
    return false;
}

bool hf_type_reads(const struct hf_type *type, const char *key)
{
    const char *at = type->keys;
    struct word word;
    while (next_word(&at, &word))
        if (strcmp(word.spelling, key) == 0 && key_of(word.spelling, word.variant)) return true;
    return false;
}

bool hf_type_follows(const struct hf_type *type, const char *key)
{
    const char *at = type->keys;
    struct word word;
    while (next_word(&at, &word))
        if (strcmp(word.spelling, key) == 0 && strcmp(word.variant, "any") == 0) return false;
    return hf_type_has(type, key);
}

/* ---- where a key stands ---- */

bool hf_find(const struct place *object, const char *key, struct hf_chain *chain,
             struct place *found)
{
    char name[WORD];
    const char *dot = strchr(key, '.');
    if (!dot) return place_member(object, key, found);
    snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
    /* keys of the chain are borrowed from the document, which names them itself */
    if (!place_member(object, name, &chain->place[0])) return false;
    if (!json_is_object(chain->place[0].value)) return false;
    static const char *const parents[] = {"ffn_config", "attn_config", "linear_attn_config",
                                          "attention_other_setting"};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
        if (strcmp(name, parents[i]) == 0) chain->place[0].key = parents[i];
    return place_member(&chain->place[0], dot + 1, found);
}

/* Wrappers keep some keys of the language model outside, such as whether embeddings are tied. */
static bool find(const struct hf_place *at, const struct key *key, struct hf_chain *chain,
                 struct place *found)
{
    const struct place *places[] = {&at->text, &at->root};
    bool there = false;
    for (int i = 0; i < 2; i++)
        for (int k = 0; places[i]->value && k < 8 && key->spelling[k]; k++) {
            struct place member;
            struct hf_chain parents;
            if (!hf_find(places[i], key->spelling[k], &parents, &member)) continue;
            if (!there || json_is_null(found->value)) {
                *chain = parents;
                *found = member;
                if (strchr(key->spelling[k], '.')) found->parent = &chain->place[0];
            }
            there = true;
            if (!json_is_null(member.value)) return true;
        }
    return there;
}

/* ---- reading ---- */

static enum rk_status fail_missing(const struct hf_place *at, const struct key *key,
                                   const char *spelling, struct rk_error *error)
{
    const struct place *place = at->text.value ? &at->text : &at->root;
    const char *other = key->spelling[strcmp(key->spelling[0], spelling) == 0];
    return place_fail(place, error, "missing key \"%s\"%s%s%s: add it", spelling,
                      other ? " (or \"" : "", other ? other : "", other ? "\")" : "");
}

static double preset_of(const struct word *word)
{
    if (strcmp(word->preset, "yes") == 0) return 1;
    return *word->preset ? strtod(word->preset, NULL) : 0;
}

static void miss(struct hf_missing *missing, const struct key *key, const struct word *word,
                 bool null)
{
    if (missing->count == HF_ROWS) return;
    const int i = missing->count++;
    missing->row[i].key = key->spelling[0];
    for (int k = 0; k < 8 && key->spelling[k]; k++)
        if (strcmp(key->spelling[k], word->spelling) == 0) missing->row[i].key = key->spelling[k];
    missing->row[i].field = &key->field;
    missing->row[i].instead = *word->preset ? NULL : key->instead;
    missing->row[i].preset = preset_of(word);
    missing->row[i].null = null;
}

static bool is_set(const struct field *field, const struct hf_keys *keys)
{
    if (field->type == FIELD_TEXT) return *((const char *)keys + field->offset) != '\0';
    return field_value(field, keys) != 0;
}

/* A list of equal values, one a layer, is that value; "auto" is what its absence is. */
static void settle(struct place *place)
{
    const char *text = json_string_value(place->value);
    if (text && strcmp(text, "auto") == 0) place->value = json_null();
    if (!json_is_array(place->value) || json_array_size(place->value) == 0) return;
    json_t *first = json_array_get(place->value, 0);
    for (size_t i = 1; i < json_array_size(place->value); i++)
        if (!json_equal(json_array_get(place->value, i), first)) return;
    place->value = first;
}

/* Newer files may leave the number of layers to their list of kinds. */
static bool count_layers(const struct hf_place *at, const struct word *word, struct hf_keys *keys)
{
    static const char *const lists[] = {"layers_block_type", "layer_types"};
    struct place list;
    const struct place *object = at->text.value ? &at->text : &at->root;
    for (int i = 0; i < 2 && strcmp(word->spelling, "num_hidden_layers") == 0; i++)
        if (place_member(object, lists[i], &list) && json_array_size(list.value) > 0) {
            keys->layers = json_array_size(list.value);
            return true;
        }
    return false;
}

static enum rk_status load(const struct hf_place *at, const struct word *word, struct hf_keys *keys,
                           struct hf_missing *missing, struct rk_error *error)
{
    const struct key *key = key_of(word->spelling, word->variant);
    struct hf_chain chain;
    struct place place;
    if (!key || key->field.type == FIELD_OTHER) return RK_OK;
    const bool there = find(at, key, &chain, &place);
    if (there && strcmp(word->variant, "first") == 0 && json_array_size(place.value) > 0)
        place.value = json_array_get(place.value, 0); /* of text; the others are of images */
    if (there) settle(&place);
    const bool null = there && json_is_null(place.value);
    const bool pattern = key->how == LISTED; /* may be a text, which hf_layers.c reads */
    if (!there && count_layers(at, word, keys)) return RK_OK;
    if (!there && word->needed && !*word->preset)
        return fail_missing(at, key, word->spelling, error);
    if (there && pattern && !json_is_integer(place.value)) return RK_OK;
    if (there && (!null || (word->needed && !word->nullable)))
        return field_load(&place, &key->field, keys, error);
    if (is_set(&key->field, keys)) return RK_OK; /* by another spelling of the same */
    if (key->field.type != FIELD_TEXT) field_store(&key->field, keys, preset_of(word));
    if (key->how == READ) miss(missing, key, word, null);
    return RK_OK;
}

/* ---- what must be as it always is ---- */

static bool is_off(const json_t *value)
{
    if (json_is_null(value) || json_is_false(value)) return true;
    if (json_is_number(value)) /* -1: of windows, none */
        return json_number_value(value) == 0 || json_number_value(value) == -1;
    if (json_is_string(value)) return json_string_length(value) == 0;
    return (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}

/* Words that a key of one value has, by the variant of its row. */
static const struct {
    const char *variant, *value;
} only_words[] = {{"identity", "identity"}, {"latent", "mla"}, {"part", "vision"}};

static enum rk_status check_fixed(const struct hf_place *at, const struct hf_type *type,
                                  const struct word *word, struct rk_error *error)
{
    const struct place *object = at->text.value ? &at->text : &at->root;
    const bool on = strcmp(word->variant, "on") == 0, off = strcmp(word->variant, "off") == 0;
    struct hf_chain chain;
    struct place place;
    char got[PLACE_TEXT];
    if (!hf_find(object, word->spelling, &chain, &place) || json_is_null(place.value))
        return off && word->needed ? place_fail(object, error,
                                                "missing key \"%s\": add it, with 0 "
                                                "if the model is without",
                                                word->spelling)
                                   : RK_OK;
    if ((on && is_off(place.value)) || (off && !is_off(place.value)))
        return place_fail(&place, error, "%s models with %s are not known here: only those %s it",
                          type->name, place_describe(got, &place), on ? "with" : "without");
    if (strcmp(word->variant, "unit") == 0 && json_number_value(place.value) != 1)
        return place_fail(&place, error, "%s models with %s are not known here: only those with 1",
                          type->name, place_describe(got, &place));
    const char *text = json_string_value(place.value);
    const char *only = NULL;
    for (size_t i = 0; i < sizeof only_words / sizeof *only_words; i++)
        if (strcmp(only_words[i].variant, word->variant) == 0) only = only_words[i].value;
    if (only && text && strcasecmp(text, only) != 0)
        return place_fail(&place, error, "%s is not known here: only %s is",
                          place_describe(got, &place), only);
    if (strcmp(word->variant, "multihead") == 0 && text &&
        strcmp(text, "multihead_attention") != 0 && strcmp(text, "grouped_query_attention") != 0)
        return place_fail(&place, error,
                          "%s is not known here: multihead_attention and "
                          "grouped_query_attention are",
                          place_describe(got, &place));
    return RK_OK;
}

/* ---- keys that the type has not ---- */

static bool is_a_key(const char *key)
{
    for (size_t i = 0; i < sizeof keys_table / sizeof *keys_table; i++)
        if (has_spelling(&keys_table[i], key)) return true;
    return false;
}

static bool tells(const char *key)
{
    for (int i = 0; telling[i]; i++)
        if (strstr(key, telling[i])) return true;
    return false;
}

static bool leads_on(const struct hf_type *type, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = type->keys; length && (at = strstr(at, key)) != NULL; at += length)
        if ((at == type->keys || at[-1] == ' ') && at[length] == '.') return true;
    return false;
}

/* A list with something for each layer, and not the same for all. */
static bool tells_layers(const json_t *value, uint64_t layers)
{
    if (!json_is_array(value) || layers < 2 || json_array_size(value) != layers) return false;
    for (size_t i = 1; i < layers; i++)
        if (!json_equal(json_array_get(value, i), json_array_get(value, 0))) return true;
    return false;
}

/* Names, parted by commas; those that find no room are left out. */
struct names {
    char *text;
    size_t size, used;
};

static void name_add(struct names *names, const char *name)
{
    if (names->used + strlen(name) + 3 > names->size) return;
    names->used += (size_t)snprintf(names->text + names->used, names->size - names->used, "%s%.60s",
                                    names->used ? ", " : "", name);
}

static bool may_cost(const char *key, const json_t *value, uint64_t layers)
{
    return is_a_key(key) || (tells(key) && !json_is_string(value)) || tells_layers(value, layers);
}

/* All that may change what a layer costs are refused at once; the rest is named in `unknown`. */
static enum rk_status check_unknown(const struct place *object, const struct hf_type *type,
                                    uint64_t layers, char *unknown, size_t size,
                                    struct rk_error *error)
{
    const char *key, *first = NULL;
    json_t *value;
    char more[200] = "", got[PLACE_TEXT];
    struct names rest = {unknown, size, 0}, refused = {more, sizeof more, 0};
    struct place member;
    json_object_foreach(object->value, key, value)
    {
        if (is_off(value) || hf_type_has(type, key) || leads_on(type, key)) continue;
        if (!is_a_key(key) && text_matches_any(key, harmless)) continue;
        if (!may_cost(key, value, layers))
            name_add(&rest, key);
        else if (first)
            name_add(&refused, key);
        else
            first = key;
    }
    if (!first) return RK_OK;
    place_member(object, first, &member);
    return place_fail(&member, error,
                      "%s%s%s: not a key of %s models, and it may change shape or cost: give the "
                      "right --as TYPE, or remove what changes nothing",
                      place_describe(got, &member), *more ? ", and " : "", more, type->name);
}

enum rk_status hf_keys_load(const struct hf_place *at, const struct hf_type *type,
                            struct hf_keys *keys, struct hf_missing *missing, char *unknown,
                            size_t size, struct rk_error *error)
{
    const struct place *object = at->text.value ? &at->text : &at->root;
    enum rk_status status = RK_OK;
    const char *rest = type->keys;
    struct word word;
    *keys = (struct hf_keys){0};
    missing->count = 0;
    unknown[0] = '\0';
    while (status == RK_OK && next_word(&rest, &word)) {
        if (!is_last(rest, &word)) continue;
        status = load(at, &word, keys, missing, error);
        if (status == RK_OK) status = check_fixed(at, type, &word, error);
    }
    if (status == RK_OK) status = check_unknown(object, type, keys->layers, unknown, size, error);
    return status;
}
