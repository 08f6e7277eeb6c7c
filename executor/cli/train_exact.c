#include "cli/train_exact.h"
#include "base/text.h"

#include "huggingface/hf_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types whose arithmetic is the executor's apart from the keys below, which a file leaves to the
 * configuration classes of transformers 4.57 (minicpm: to the code in its checkpoints). */
const struct exact_type train_exact_types[] = {
    {"gpt2", 1e-5, 1e4, RK_NAMES_OF_MODEL, SAVED, NULL},
    {"llama", 1e-6, 1e4, RK_NAMES_OF_MODEL, SAVED, NULL},
    {"mistral", 1e-6, 1e4, RK_NAMES_OF_MODEL, SAVED, NULL},
    {"mixtral", 1e-5, 1e6, RK_NAMES_OF_MODEL, NAMED_OTHERWISE, NULL},
    {"qwen2", 1e-6, 1e4, RK_NAMES_OF_MODEL, SAVED, NULL},
    {"qwen2_moe", 1e-6, 1e4, RK_NAMES_OF_MODEL, UNNORMALISED | SAVED, NULL},
    {"qwen3", 1e-6, 1e4, RK_NAMES_OF_MODEL, SAVED, NULL},
    {"qwen3_moe", 1e-6, 1e4, RK_NAMES_OF_MODEL, UNNORMALISED | SAVED, NULL},
    {"deepseek_v2", 1e-6, 1e4, RK_NAMES_OF_MODEL, UNNORMALISED | STRETCHES_SCORES | SAVED, NULL},
    {"deepseek_v3", 1e-6, 1e4, RK_NAMES_OF_MODEL, STRETCHES_SCORES | SAVED, NULL},
    {"kimi_k2", 1e-6, 1e4, RK_NAMES_OF_MODEL, STRETCHES_SCORES, NULL},
    {"dots1", 1e-6, 1e4, RK_NAMES_LLAMA, UNNORMALISED, NULL},
    {"glm", 1.5625e-7, 1e4, RK_NAMES_GLM, NEIGHBOURS | TURNS_PARTS,
     "{\"partial_rotary_factor\": 0.5}"},
    {"glm4", 1.5625e-7, 1e4, RK_NAMES_GLM, NEIGHBOURS | TURNS_PARTS,
     "{\"partial_rotary_factor\": 0.5}"},
    {"glm4_moe", 1e-5, 1e4, RK_NAMES_LLAMA, TURNS_PARTS, "{\"partial_rotary_factor\": 0.5}"},
    {"exaone", 1e-5, 1e4, RK_NAMES_EXAONE, 0, NULL},
    {"exaone4", 1e-5, 1e4, RK_NAMES_LLAMA, NORMS_AFTER | TURNS_LOCAL_IF_ANY, NULL},
    {"ernie4_5", 1e-5, 5e5, RK_NAMES_LLAMA, NEIGHBOURS, NULL},
    {"seed_oss", 1e-6, 1e4, RK_NAMES_LLAMA, 0, NULL},
    {"nemotron", 1e-5, 1e4, RK_NAMES_LLAMA, NORMS_ADD_ONE | TURNS_PARTS,
     "{\"partial_rotary_factor\": 0.5}"},
    {"gemma", 1e-6, 1e4, RK_NAMES_LLAMA, GEMMA, NULL},
    {"gemma2", 1e-6, 1e4, RK_NAMES_LLAMA, GEMMA,
     "{\"attn_logit_softcapping\": 50, \"final_logit_softcapping\": 30, "
     "\"query_pre_attn_scalar\": 256}"},
    {"gemma3_text", 1e-6, 1e6, RK_NAMES_LLAMA, GEMMA,
     "{\"query_pre_attn_scalar\": 256, \"rope_local_base_freq\": 10000}"},
    {"gpt_oss", 1e-5, 15e4, RK_NAMES_GPT_OSS, ROUTERS_ADD,
     "{\"swiglu_limit\": 7, \"max_position_embeddings\": 131072, \"rope_scaling\": {\"rope_type\": "
     "\"yarn\", \"factor\": 32, "
     "\"beta_fast\": 32, "
     "\"beta_slow\": 1, \"truncate\": false, \"original_max_position_embeddings\": 4096}}"},
    {"minimax_m2", 1e-6, 5e6, RK_NAMES_MINIMAX, WIDE_NORMS | TURNS_PARTS, NULL},
    {"granite", 1e-6, 1e4, RK_NAMES_LLAMA, 0, "{\"attention_multiplier\": 1}"},
    {"granitemoe", 1e-6, 1e4, RK_NAMES_GRANITE_MOE, 0, "{\"attention_multiplier\": 1}"},
    {"smollm3", 1e-6, 2e6, RK_NAMES_LLAMA, 0, "{\"no_rope_layer_interval\": 4}"},
    {"minicpm", 1e-6, 1e4, RK_NAMES_LLAMA, 0,
     "{\"scale_emb\": 1, \"scale_depth\": 1, \"dim_model_base\": 1}"},
    {"phi3", 1e-5, 1e4, RK_NAMES_PHI3, TURNS_PARTS, NULL},
    {"phi", 1e-5, 1e4, RK_NAMES_PHI, TURNS_PARTS, "{\"partial_rotary_factor\": 0.5}"},
    {"starcoder2", 1e-5, 1e4, RK_NAMES_STARCODER2, 0, NULL},
    {"stablelm", 1e-5, 1e4, RK_NAMES_LLAMA, TURNS_PARTS, "{\"partial_rotary_factor\": 0.25}"},
    {"olmo", 1e-5, 1e4, RK_NAMES_LLAMA, 0, NULL},
    {"olmo2", 1e-5, 1e4, RK_NAMES_LLAMA, NORMS_AFTER | WIDE_NORMS, NULL},
    {"olmo3", 1e-5, 1e4, RK_NAMES_LLAMA, NORMS_AFTER | WIDE_NORMS | STRETCHES_WHOLE, NULL},
    {"olmoe", 1e-5, 1e4, RK_NAMES_LLAMA, WIDE_NORMS | UNNORMALISED, NULL},
    {"arcee", 1e-5, 1e4, RK_NAMES_LLAMA, 0, NULL},
    {"cohere", 1e-5, 1e4, RK_NAMES_LLAMA, NEIGHBOURS, "{\"logit_scale\": 0.0625}"},
    {"cohere2", 1e-5, 1e4, RK_NAMES_LLAMA, NEIGHBOURS | TURNS_LOCAL, "{\"logit_scale\": 0.0625}"},
    {"gpt_neox", 1e-5, 1e4, RK_NAMES_NEOX, EXACT_GELU | TURNS_PARTS,
     "{\"rotary_pct\": 0.25, \"rotary_emb_base\": 10000}"},
    {"gptj", 1e-5, 1e4, RK_NAMES_GPTJ, NEIGHBOURS | TURNS_PARTS, "{\"rotary_dim\": 64}"},
    {"opt", 1e-5, 1e4, RK_NAMES_OPT, SECOND_ROW, NULL},
    {"bloom", 1e-5, 1e4, RK_NAMES_BLOOM, 0, NULL},
    {"mpt", 1e-5, 1e4, RK_NAMES_MPT, EXACT_GELU, NULL},
    {"falcon", 1e-5, 1e4, RK_NAMES_FALCON, EXACT_GELU, NULL},
    {.name = NULL},
};

/* Keys that change no arithmetic of a step, or that train_model_details() follows or refuses
 * itself. Ended by "*": all that begin so. There is no dropout, which docs/train.md says; losses of
 * routers are --balance's. */
static const char *const followed[] = {
    /* names, storage, generation */
    "_*", "adapter*", "architectures", "attn_implementation", "auto_map", "bad_words_ids",
    "begin_suppress_tokens", "bf16", "bos_token*", "chunk_size_feed_forward", "cls_token*",
    "decoder_start_token*", "diversity_penalty", "do_sample", "dtype", "early_stopping",
    "encoder_no_repeat*", "eod_token*", "eos_token*", "exponential_decay*", "finetuning_task",
    "forced_*", "fp16", "gradient_checkpointing", "id2label", "is_decoder", "is_encoder_decoder",
    "is_llama_config", "keys_to_ignore*", "label2id", "length_penalty", "license", "max_length",
    "max_new_tokens", "min_length", "model_type", "name_or_path", "no_repeat_ngram*", "num_beam*",
    "num_labels", "num_logits_to_keep", "num_return*", "onnx*", "output_attentions",
    "output_hidden_states", "output_past", "output_router_logits", "output_scores", "pad_token*",
    "prefix", "pretraining_tp", "problem_type", "pruned_heads", "quantization_config",
    "remove_invalid_values", "repetition_penalty", "return_dict*", "sep_token*", "summary_*",
    "suppress_tokens", "task_specific_params", "temperature", "tf_legacy*", "tokenizer_class",
    "top_k", "top_p", "torch_dtype", "torchscript", "transformers*", "transformers.js_config",
    "typical_p", "unk_token*", "unsloth*", "use_bfloat16", "use_cache", "use_flash*", "version",
    /* how weights start, and how sums are rounded */
    "initializer*", "init_*", "reorder_and_upcast_attn", "attention_softmax_in_fp32",
    "scale_attention_softmax_in_fp32", "ep_size", "moe_implementation", "activation_dropout",
    "layerdrop", "bias_dropout_fusion", "masked_softmax_fusion", "skip_bias_add*", "offset_alibi",
    "slow_but_exact", "emb_pdrop", "classifier_dropout", "verbose", "tokenizer_name", "attn_config",
    "cache_implementation", "original_max_position_embeddings", "sliding_window_pattern",
    /* dropout and the losses of routers */
    "attention_dropout", "attn_pdrop", "embd_pdrop", "embedding_dropout", "hidden_dropout",
    "resid_pdrop", "residual_dropout", "aux_loss_alpha", "router_aux_loss_coef", "seq_aux",
    /* followed: train_model.c */
    "rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor", "rms_norm_eps",
    "layer_norm_epsilon", "layer_norm_eps", "layernorm_epsilon", "norm_epsilon", "norm_eps",
    "scoring_func", "norm_topk_prob", "routed_scaling_factor", "n_group", "topk_group",
    "max_position_embeddings",
    /* followed: train_arithmetic.c */
    "embedding_multiplier", "residual_multiplier", "logits_scaling", "logit_scale", "scale_emb",
    "attention_multiplier", "query_pre_attn_scalar", "dim_model_base", "scale_depth", "rotary_pct",
    "rope_percent", "rope_percentage", "rotary_dim", "rotary_emb_base", "rope_local_base_freq",
    "no_rope_layers", "no_rope_layer_interval", "swiglu_limit", "initial_context_length",
    /* MiniMax-M2's file: of dense MLPs and a shared expert, which it has not; of prediction layers,
     * which are as DeepSeek-V3's */
    "mlp_intermediate_size", "shared_moe_mode", "use_mtp", "mtp_transformer_layers", NULL};

/* Keys of values that leave the arithmetic as it is; with another one it is another. */
enum value { ONE, ON, OFF, EIGHT, HIDDEN, SILU, LAYER_NORM, MULTIHEAD, PER_LAYER };

static const struct valued {
    const char *key;
    enum value value;
} valued[] = {
    {"scale_attn_weights", ON},
    {"use_rmsnorm", ON},
    {"mlp_type", SILU},
    {"norm_type", LAYER_NORM},
    {"embedding_fraction", ONE},
    {"do_layer_norm_before", ON},
    {"enable_bias", ON},
    {"layer_norm_elementwise_affine", ON},
    {"word_embed_proj_dim", HIDDEN},
    {"qk_layernorm", OFF},
    {"apply_residual_connection_post_layernorm", OFF},
    {"qk_norm_type", PER_LAYER}, /* MiniMax-M2's, over all heads of a layer */
    {"layernorm_full_attention_beta", ONE},
    {"layernorm_linear_attention_beta", ONE},
    {"layernorm_mlp_beta", ONE},
    {"attn_config.alibi", ON},
    {"attn_config.alibi_bias_max", EIGHT},
    {"attn_config.attn_type", MULTIHEAD},
    {"attn_config.qk_ln", OFF},
    {"attn_config.clip_qkv", OFF},
    {"attn_config.softmax_scale", OFF},
    {"attn_config.prefix_lm", OFF},
    {"attn_config.attn_uses_sequence_id", OFF},
};

struct exact {
    const struct document *document;
    const json_t *root;
    const struct hf_type *type;
    char names[300]; /* of what is refused */
    size_t used;
};

static double number_of(const struct exact *e, const char *const *keys)
{
    for (; *keys; keys++) {
        const json_t *value = json_object_get(e->root, *keys);
        if (json_is_number(value)) return json_number_value(value);
    }
    return NAN;
}

static double hidden_of(const struct exact *e)
{
    static const char *const keys[] = {"hidden_size", "n_embd", NULL};
    return number_of(e, keys);
}

static bool is_off(const json_t *value)
{
    if (json_is_null(value) || json_is_false(value)) return true;
    if (json_is_number(value)) return json_number_value(value) == 0;
    if (json_is_array(value)) return json_array_size(value) == 0;
    return json_is_object(value) && json_object_size(value) == 0;
}

/* Files round what they write. */
static bool is_number(const json_t *value, double number)
{
    return json_is_number(value) && fabs(json_number_value(value) - number) <= 1e-5 * fabs(number);
}

static bool is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static bool leaves(const struct exact *e, enum value as, const json_t *value)
{
    switch (as) {
    case ONE:
        return is_number(value, 1);
    case OFF:
        return is_off(value);
    case ON:
        return json_is_true(value);
    case EIGHT:
        return is_number(value, 8);
    case HIDDEN:
        return is_number(value, hidden_of(e));
    case SILU:
        return is_text(value, "default");
    case LAYER_NORM:
        return is_text(value, "layer_norm") || is_text(value, "low_precision_layernorm");
    case MULTIHEAD:
        return is_text(value, "multihead_attention");
    case PER_LAYER:
        return is_text(value, "per_layer");
    }
    return false;
}

static bool is_exact(const struct exact *e, const char *key, const json_t *value)
{
    if (json_is_null(value) || text_matches_any(key, followed)) return true;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
        if (strcmp(valued[i].key, key) == 0) return leaves(e, valued[i].value, value);
    if (strcmp(key, "use_qk_norm") == 0 && !hf_type_follows(e->type, key))
        return json_is_true(value); /* types that always have it */
    return hf_type_follows(e->type, key) || is_off(value);
}

static void refuse_key(struct exact *e, const char *key, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
    if (e->used < sizeof e->names)
        e->used += (size_t)snprintf(e->names + e->used, sizeof e->names - e->used, "%s%.40s %.24s",
                                    e->used ? ", " : "", key, text ? text : "");
    free(text);
}

/* Keys of MPT's attention, as its file has them in an object of their own. */
static void check_nested(struct exact *e, const char *parent)
{
    const char *key;
    json_t *value;
    char name[80];
    json_object_foreach(json_object_get(e->root, parent), key, value)
    {
        snprintf(name, sizeof name, "%.30s.%.40s", parent, key);
        if (!is_exact(e, key, value) && !is_exact(e, name, value)) refuse_key(e, name, value);
    }
}

/* Of blocks that are no copies of each other in a file: what is not computed of Falcon's. */
static void check_falcon(struct exact *e)
{
    static const char *const on[] = {"parallel_attn", "multi_query"};
    const json_t *root = e->root, *fresh = json_object_get(root, "new_decoder_architecture");
    const json_t *alibi = json_object_get(root, "alibi");
    const json_t *norms = json_object_get(root, "num_ln_in_parallel_attn");
    if (!is_text(json_object_get(root, "model_type"), "falcon")) return;
    if (json_is_true(alibi)) refuse_key(e, "alibi", alibi);
    if (is_number(norms, 1) && json_is_true(fresh)) refuse_key(e, "num_ln_in_parallel_attn", norms);
    for (size_t i = 0; i < sizeof on / sizeof *on && !json_is_true(fresh); i++)
        if (json_is_false(json_object_get(root, on[i])))
            refuse_key(e, on[i], json_object_get(root, on[i]));
}

static void check_keys(struct exact *e)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)e->root, key, value) if (!is_exact(e, key, value))
        refuse_key(e, key, value);
    check_nested(e, "attn_config");
    check_falcon(e);
}

static const struct hf_type *type_of(const char *name)
{
    for (const struct hf_type *type = hf_types; name && type->name; type++)
        if (strcmp(type->name, name) == 0) return type;
    return NULL;
}

static enum rk_status refuse_type(const struct document *document, const char *name,
                                  struct rk_error *error)
{
    char list[400];
    size_t used = 0;
    for (const struct exact_type *t = train_exact_types; t->name && used < sizeof list; t++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", t->name);
    return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                   "the executor has not the arithmetic of %.40s models: take one of %s", name,
                   list);
}

const struct exact_type *train_exact_type(const char *name)
{
    for (const struct exact_type *type = train_exact_types; name && type->name; type++)
        if (strcmp(type->name, name) == 0) return type;
    return NULL;
}

json_t *train_exact_said(const json_t *root)
{
    const struct exact_type *type =
        train_exact_type(json_string_value(json_object_get(root, "model_type")));
    json_t *said = type && type->said ? json_loads(type->said, 0, NULL) : json_object();
    if (json_object_get(root, "rope_parameters")) json_object_del(said, "rope_scaling");
    json_object_update(said, (json_t *)root);
    return said;
}

enum rk_status train_exact(const struct document *document, struct rk_train *train,
                           struct rk_error *error)
{
    const char *name = json_string_value(json_object_get(document->root, "model_type"));
    struct exact e = {.document = document, .root = document->root, .type = type_of(name)};
    const struct exact_type *type = train_exact_type(name);
    if (!type || !e.type) return refuse_type(document, name ? name : "", error);
    train->norm_eps = type->eps;
    train->rotary_base = type->base;
    check_keys(&e);
    if (!e.used) return RK_OK;
    return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                   "the executor has nothing for what %s%s say%s: take another model, or leave out "
                   "what changes no arithmetic",
                   e.names, e.used >= sizeof e.names ? "..." : "", strchr(e.names, ',') ? "" : "s");
}
