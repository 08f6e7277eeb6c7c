#include "cli/train_exact.h"

#include "huggingface/hf_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types whose arithmetic is the executor's apart from the keys below, which a file leaves to the
 * configuration classes of transformers 4.57 (minicpm: to the code in its checkpoints). `said`:
 * defaults of keys that the file does not have. */
static const struct exact_type {
    const char *name;
    double eps, base;
    const char *said;
} types[] = {
    {"gpt2", 1e-5, 1e4, NULL},
    {"llama", 1e-6, 1e4, NULL},
    {"mistral", 1e-6, 1e4, NULL},
    {"mixtral", 1e-5, 1e6, NULL},
    {"qwen2", 1e-6, 1e4, NULL},
    {"qwen2_moe", 1e-6, 1e4, NULL},
    {"qwen3", 1e-6, 1e4, NULL},
    {"qwen3_moe", 1e-6, 1e4, NULL},
    {"deepseek_v2", 1e-6, 1e4, NULL},
    {"deepseek_v3", 1e-6, 1e4, NULL},
    {"granite", 1e-6, 1e4, "{\"attention_multiplier\": 1}"},
    {"granitemoe", 1e-6, 1e4, "{\"attention_multiplier\": 1}"},
    {"smollm3", 1e-6, 2e6, "{\"no_rope_layer_interval\": 4}"},
    {"minicpm", 1e-6, 1e4, "{\"scale_emb\": 1, \"scale_depth\": 1, \"dim_model_base\": 1}"},
    {"phi3", 1e-5, 1e4, NULL},
    {"starcoder2", 1e-5, 1e4, NULL},
    {"olmo", 1e-5, 1e4, NULL},
    {"olmoe", 1e-5, 1e4, NULL},
    {"arcee", 1e-5, 1e4, NULL},
};

enum { TYPES = sizeof types / sizeof *types };

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
    "scale_attention_softmax_in_fp32", "ep_size", "moe_implementation",
    /* dropout and the losses of routers */
    "attention_dropout", "attn_pdrop", "embd_pdrop", "embedding_dropout", "hidden_dropout",
    "resid_pdrop", "residual_dropout", "aux_loss_alpha", "router_aux_loss_coef", "seq_aux",
    /* followed: train_model.c */
    "rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor", "rms_norm_eps",
    "layer_norm_epsilon", "layer_norm_eps", "layernorm_epsilon", "norm_epsilon", "scoring_func",
    "norm_topk_prob", "routed_scaling_factor", "n_group", "topk_group", "max_position_embeddings",
    NULL};

/* Keys of values that leave the arithmetic as it is; with another one it is another. */
enum value { ONE, OFF, ON, ROOT_OF_WIDTH, WIDTH, HIDDEN, ROOT_OF_LAYERS, ALL_ON, SILU, LAYER_NORM };

static const struct valued {
    const char *key;
    enum value value;
} valued[] = {
    {"embedding_multiplier", ONE},
    {"residual_multiplier", ONE},
    {"logits_scaling", ONE},
    {"logit_scale", ONE},
    {"scale_emb", ONE},
    {"rotary_pct", ONE},
    {"attention_multiplier", ROOT_OF_WIDTH},
    {"softmax_scale", ROOT_OF_WIDTH},
    {"query_pre_attn_scalar", WIDTH},
    {"dim_model_base", HIDDEN},
    {"scale_depth", ROOT_OF_LAYERS},
    {"scale_attn_weights", ON},
    {"use_rmsnorm", ON},
    {"use_qk_norm", ON}, /* of types that have it */
    {"no_rope_layers", ALL_ON},
    {"no_rope_layer_interval", OFF},
    {"mlp_type", SILU},
    {"norm_type", LAYER_NORM},
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

static double layers_of(const struct exact *e)
{
    static const char *const keys[] = {"num_hidden_layers", "n_layer", NULL};
    return number_of(e, keys);
}

static double width_of(const struct exact *e)
{
    static const char *const widths[] = {"head_dim", NULL};
    static const char *const heads[] = {"num_attention_heads", "n_head", NULL};
    const double width = number_of(e, widths);
    return isnan(width) ? hidden_of(e) / number_of(e, heads) : width;
}

static bool is_off(const json_t *value)
{
    if (json_is_null(value) || json_is_false(value)) return true;
    if (json_is_number(value)) return json_number_value(value) == 0;
    if (json_is_array(value)) return json_array_size(value) == 0;
    return json_is_object(value) && json_object_size(value) == 0;
}

static bool are_on(const json_t *value)
{
    for (size_t i = 0; i < json_array_size(value); i++)
        if (is_off(json_array_get(value, i))) return false;
    return json_is_array(value) && json_array_size(value);
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
    case OFF: /* in none of the layers; SmolLM3's list of layers overrides it */
        return is_off(value) || are_on(json_object_get(e->root, "no_rope_layers")) ||
               json_number_value(value) > layers_of(e);
    case ON:
        return json_is_true(value);
    case ROOT_OF_WIDTH:
        return is_number(value, 1 / sqrt(width_of(e)));
    case WIDTH:
        return is_number(value, width_of(e));
    case HIDDEN:
        return is_number(value, hidden_of(e));
    case ROOT_OF_LAYERS:
        return is_number(value, sqrt(layers_of(e)));
    case ALL_ON:
        return are_on(value);
    case SILU:
        return is_text(value, "default");
    case LAYER_NORM:
        return is_text(value, "layer_norm");
    }
    return false;
}

static bool is_followed(const char *key)
{
    for (int i = 0; followed[i]; i++) {
        const size_t length = strlen(followed[i]);
        const bool begins = followed[i][length - 1] == '*';
        if (begins ? strncmp(key, followed[i], length - 1) == 0 : strcmp(key, followed[i]) == 0)
            return true;
    }
    return false;
}

static bool is_exact(const struct exact *e, const char *key, const json_t *value)
{
    if (json_is_null(value) || is_followed(key)) return true;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
        if (strcmp(valued[i].key, key) == 0) return leaves(e, valued[i].value, value);
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

/* What the file says, and then what it leaves to the type. */
static void check_keys(struct exact *e, const char *said)
{
    const char *key;
    json_t *value, *defaults = said ? json_loads(said, 0, NULL) : NULL;
    json_object_foreach((json_t *)e->root, key, value) if (!is_exact(e, key, value))
        refuse_key(e, key, value);
    json_object_foreach(defaults, key, value)
    {
        const json_t *there = json_object_get(e->root, key);
        if ((!there || json_is_null(there)) && !is_exact(e, key, value)) refuse_key(e, key, value);
    }
    json_decref(defaults);
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
    char list[300];
    size_t used = 0;
    for (int i = 0; i < TYPES && used < sizeof list; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", types[i].name);
    return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                   "the executor has not the arithmetic of %.40s models: take one of %s", name,
                   list);
}

enum rk_status train_exact(const struct document *document, struct rk_train *train,
                           struct rk_error *error)
{
    const char *name = json_string_value(json_object_get(document->root, "model_type"));
    struct exact e = {.document = document, .root = document->root, .type = type_of(name)};
    const struct exact_type *type = types;
    while (type < types + TYPES && (!name || strcmp(type->name, name) != 0))
        type++;
    if (type == types + TYPES || !e.type) return refuse_type(document, name ? name : "", error);
    train->norm_eps = type->eps;
    train->rotary_base = type->base;
    check_keys(&e, type->said);
    if (!e.used) return RK_OK;
    return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                   "the executor has nothing for what %s%s say%s: take another model, or leave out "
                   "what changes no arithmetic",
                   e.names, e.used >= sizeof e.names ? "..." : "", strchr(e.names, ',') ? "" : "s");
}
