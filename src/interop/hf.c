#include "interop/hf.h"
#include "base/text.h"
#include "catalog/model_fields.h"
#include "interop/hf_reading.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const hf_type_names[] = {
    [HF_LLAMA] = "llama",
    [HF_MISTRAL] = "mistral",
    [HF_MIXTRAL] = "mixtral",
    [HF_QWEN2] = "qwen2",
    [HF_QWEN3] = "qwen3",
    [HF_QWEN3_MOE] = "qwen3_moe",
    [HF_DEEPSEEK_V2] = "deepseek_v2",
    [HF_DEEPSEEK_V3] = "deepseek_v3",
    [HF_GPT2] = "gpt2",
    [HF_GPT_NEOX] = "gpt_neox",
    [HF_FALCON] = "falcon",
    [HF_BLOOM] = "bloom",
    [HF_TYPES] = NULL,
};

/* What every model of a type has and no key says: the model classes of transformers. Biases: of
 * all layers but attention's, which has a key in gpt_neox. */
/* clang-format off */
static const struct facts {
    const char *architecture; /* begins the class names */
    enum rk_norm norm;
    enum rk_position position;
    bool gated_mlp, biases, qkv_biases, qk_norm, embedding_norm;
} facts[HF_TYPES] = {
    /*                   class         norm           position             gated  biases qkv    qk     embedding */
    [HF_LLAMA]       = { "Llama",      RK_RMS_NORM,   RK_POSITION_ROPE,    true,  false, false, false, false },
    [HF_MISTRAL]     = { "Mistral",    RK_RMS_NORM,   RK_POSITION_ROPE,    true,  false, false, false, false },
    [HF_MIXTRAL]     = { "Mixtral",    RK_RMS_NORM,   RK_POSITION_ROPE,    true,  false, false, false, false },
    [HF_QWEN2]       = { "Qwen2",      RK_RMS_NORM,   RK_POSITION_ROPE,    true,  false, true,  false, false },
    [HF_QWEN3]       = { "Qwen3",      RK_RMS_NORM,   RK_POSITION_ROPE,    true,  false, false, true,  false },
    [HF_QWEN3_MOE]   = { "Qwen3Moe",   RK_RMS_NORM,   RK_POSITION_ROPE,    true,  false, false, true,  false },
    [HF_DEEPSEEK_V2] = { "DeepseekV2", RK_RMS_NORM,   RK_POSITION_ROPE,    true,  false, false, false, false },
    [HF_DEEPSEEK_V3] = { "DeepseekV3", RK_RMS_NORM,   RK_POSITION_ROPE,    true,  false, false, false, false },
    [HF_GPT2]        = { "GPT2",       RK_LAYER_NORM, RK_POSITION_LEARNED, false, true,  true,  false, false },
    [HF_GPT_NEOX]    = { "GPTNeoX",    RK_LAYER_NORM, RK_POSITION_ROPE,    false, true,  false, false, false },
    [HF_FALCON]      = { "Falcon",     RK_LAYER_NORM, RK_POSITION_ROPE,    false, false, false, false, false },
    [HF_BLOOM]       = { "Bloom",      RK_LAYER_NORM, RK_POSITION_ALIBI,   false, true,  true,  false, true  },
};
/* clang-format on */

enum { FALLBACK_SEQUENCE = 2048 }; /* what Falcon and BLOOM, whose files lack it, trained with */

const struct place *hf_model_object(const struct reading *r)
{
    return r->at.text.value ? &r->at.text : &r->at.root;
}

/* The member, where there is one, so that messages point at it. */
static struct place place_of(const struct place *object, const char *key)
{
    struct place member;
    return place_member(object, key, &member) ? member : *object;
}

/* ---- notes ---- */

void hf_note_add(struct reading *r, enum hf_note_kind kind, const char *what, const char *value,
                 const char *why, ...)
{
    va_list values;
    if (r->import->notes == HF_MAX_NOTES) return;
    struct hf_note *to = &r->import->note[r->import->notes++];
    to->kind = kind;
    snprintf(to->what, sizeof to->what, "%s", what);
    snprintf(to->value, sizeof to->value, "%s", value);
    va_start(values, why);
    vsnprintf(to->why, sizeof to->why, why, values);
    va_end(values);
}

const char *hf_count_text(char buffer[static VALUE], uint64_t count)
{
    snprintf(buffer, VALUE, "%" PRIu64, count);
    return buffer;
}

static const char *key_text(char buffer[static VALUE], const struct hf_keys *keys,
                            const struct field *field)
{
    const char *at = (const char *)keys + field->offset;
    uint64_t count;
    double number;
    if (field->type == FIELD_BOOL) {
        snprintf(buffer, VALUE, "%s", *(const bool *)at ? "yes" : "no");
    } else if (field->type == FIELD_NUMBER) {
        memcpy(&number, at, sizeof number);
        snprintf(buffer, VALUE, "%g", number);
    } else {
        memcpy(&count, at, sizeof count);
        snprintf(buffer, VALUE, "%" PRIu64, count);
    }
    return buffer;
}

/* Keys that the file lacks, with the values that took their place. */
static void note_missing(struct reading *r)
{
    char value[VALUE];
    for (int i = 0; i < r->missing.count; i++) {
        const char *instead = r->missing.row[i].instead;
        hf_note_add(r, HF_ASSUMED, r->missing.row[i].key,
                    key_text(value, &r->keys, r->missing.row[i].field), "%s in the file: %s",
                    r->missing.row[i].null ? "null" : "not",
                    instead ? instead : "the library's default");
    }
}

/* ---- the type ---- */

static int type_named(const char *name)
{
    for (int i = 0; i < HF_TYPES; i++)
        if (strcmp(name, hf_type_names[i]) == 0) return i;
    return -1;
}

/* "LlamaForCausalLM", "GPT2LMHeadModel", "BloomModel" */
static int type_of_class(const char *name)
{
    static const char *const endings[] = {"For", "Model", "LMHead"};
    for (int i = 0; i < HF_TYPES; i++) {
        const size_t length = strlen(facts[i].architecture);
        if (strncmp(name, facts[i].architecture, length) != 0) continue;
        for (int k = 0; k < 3; k++)
            if (strncmp(name + length, endings[k], strlen(endings[k])) == 0) return i;
    }
    return -1;
}

static const char *class_name(const struct place *object)
{
    struct place list;
    if (!object->value || !place_member(object, "architectures", &list)) return NULL;
    return json_string_value(json_array_get(list.value, 0));
}

static enum rk_status fail_type(const struct place *place, const char *name, struct rk_error *error)
{
    char known[200] = "", quoted[TEXT_QUOTE];
    for (int i = 0; i < HF_TYPES; i++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", hf_type_names[i]);
    }
    if (!name)
        return place_fail(place, error,
                          "missing key \"model_type\", one of %s: add it, or give --as TYPE",
                          known);
    const char *nearest = text_nearest(name, hf_type_names);
    text_quote(quoted, name, strlen(name));
    return place_fail(place, error,
                      "%s is not known%s%s%s; known: %s. If its blocks are like Llama's, give "
                      "--as llama",
                      quoted, nearest ? " (did you mean \"" : "", nearest ? nearest : "",
                      nearest ? "\"?)" : "", known);
}

/* By model_type; else by the first of the architectures; --as before both. */
static enum rk_status find_type(struct reading *r)
{
    const struct place *object = hf_model_object(r);
    struct place said = {.value = NULL};
    char got[PLACE_TEXT];
    const bool there = place_member(object, "model_type", &said) && !json_is_null(said.value);
    if (there && !json_is_string(said.value))
        return place_fail(&said, r->error, "must be a text, got %s", place_describe(got, &said));
    const char *name = there ? json_string_value(said.value) : NULL;
    int type = r->options->type >= 0 ? r->options->type : name ? type_named(name) : -1;
    if (type < 0) {
        const char *class = class_name(object);
        if (!class && object != &r->at.root) class = class_name(&r->at.root);
        type = class ? type_of_class(class) : -1;
        if (type < 0) return fail_type(there ? &said : object, name, r->error);
        hf_note_add(r, HF_ASSUMED, "model_type", hf_type_names[type],
                    "after architectures[0], %.60s", class);
    } else if (!name || type != type_named(name)) {
        hf_note_add(r, HF_ASSUMED, "model_type", hf_type_names[type], "by --as");
    }
    r->type = (enum hf_type)type;
    r->import->type = hf_type_names[type];
    return RK_OK;
}

/* Models of several senses keep the language model inside. */
static enum rk_status find_text(struct reading *r)
{
    enum rk_status status = place_need_object(&r->at.root, r->error);
    if (status != RK_OK) return status;
    if (!place_member(&r->at.root, "text_config", &r->at.text) || json_is_null(r->at.text.value)) {
        r->at.text.value = NULL;
        return RK_OK;
    }
    status = place_need_object(&r->at.text, r->error);
    if (status == RK_OK)
        hf_note_add(r, HF_IGNORED, "text_config", "",
                    "only the language model inside is read and counted, nothing around it");
    return status;
}

/* ---- what follows from the keys ---- */

/* The new architecture is parallel and heeds the keys for heads and norms; the old one does not. */
static void derive_falcon(struct hf_keys *k)
{
    if (k->new_decoder) {
        k->parallel_residual = true;
        if (!k->kv_heads) k->kv_heads = k->heads;
        if (!k->parallel_norms) k->parallel_norms = 2;
    } else {
        k->kv_heads = k->multi_query ? 1 : k->heads;
        k->parallel_norms = k->parallel_residual ? 1 : 2;
    }
}

static void derive(struct reading *r)
{
    struct hf_keys *k = &r->keys;
    if (!k->head_dim) k->head_dim = k->kv_rank ? k->nope_dim : k->hidden / k->heads;
    if (!k->feedforward) k->feedforward = 4 * k->hidden;
    if (r->type == HF_FALCON) derive_falcon(k);
    if (!k->kv_heads) k->kv_heads = k->heads;
}

static enum rk_status check_keys(const struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    const struct place *object = hf_model_object(r);
    if (!k->head_dim && !k->kv_rank && k->hidden % k->heads) {
        const struct place place = place_of(object, "num_attention_heads");
        return place_fail(&place, r->error,
                          "%" PRIu64 " heads do not divide the hidden size %" PRIu64
                          ", and no head_dim is given: correct one of them",
                          k->heads, k->hidden);
    }
    if (k->kv_heads && k->heads % k->kv_heads && (r->type != HF_FALCON || k->new_decoder)) {
        const struct place place =
            place_of(object, r->type == HF_FALCON ? "num_kv_heads" : "num_key_value_heads");
        return place_fail(&place, r->error, "must divide the %" PRIu64 " heads, got %" PRIu64,
                          k->heads, k->kv_heads);
    }
    if (k->experts && (k->active_experts < 1 || k->active_experts > k->experts)) {
        const struct place place = place_of(object, "num_experts_per_tok");
        return place_fail(&place, r->error, "must be 1 to %" PRIu64 " experts, got %" PRIu64,
                          k->experts, k->active_experts);
    }
    return RK_OK;
}

/* ---- sequence ---- */

/* The context before it was stretched: rope_scaling in version 4, rope_parameters in 5. */
static enum rk_status load_rope(struct reading *r)
{
    static const char *const names[] = {"rope_parameters", "rope_scaling"};
    static const struct field theta = {.type = FIELD_NUMBER};
    static const struct field original = {.type = FIELD_COUNT,
                                          .offset = offsetof(struct hf_keys, original_positions),
                                          .min = 1,
                                          .max = 1e9};
    const struct place *object = hf_model_object(r);
    struct place rope, value;
    double number;
    enum rk_status status = RK_OK;
    if (place_member(object, "rope_theta", &value) && !json_is_null(value.value))
        status = field_load(&value, &theta, &number, r->error);
    for (int i = 0; status == RK_OK && i < 2; i++) {
        if (!place_member(object, names[i], &rope) || json_is_null(rope.value)) continue;
        status = place_need_object(&rope, r->error);
        if (status == RK_OK && place_member(&rope, "original_max_position_embeddings", &value) &&
            !json_is_null(value.value))
            status = field_load(&value, &original, &r->keys, r->error);
    }
    return status;
}

static enum rk_status choose_sequence(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    const struct place *object = hf_model_object(r);
    uint64_t *sequence = &r->import->model.sequence;
    char value[VALUE], positions[VALUE];
    if (r->options->sequence) {
        *sequence = r->options->sequence;
        if (r->type == HF_GPT2 && k->positions && k->positions != *sequence)
            hf_note_add(r, HF_IGNORED, "n_positions", hf_count_text(positions, k->positions),
                        "the table of positions is counted for samples of %" PRIu64 " tokens",
                        *sequence);
        return RK_OK;
    }
    if (k->original_positions) {
        *sequence = k->original_positions;
        hf_note_add(r, HF_ASSUMED, "sequence", hf_count_text(value, *sequence),
                    "original_max_position_embeddings, before the context was stretched to %" PRIu64
                    "; --sequence sets another",
                    k->positions);
    } else if (k->positions) {
        *sequence = k->positions;
        hf_note_add(r, HF_ASSUMED, "sequence", hf_count_text(value, *sequence),
                    "the longest that the file allows; --sequence sets another");
    } else if (r->type == HF_FALCON || r->type == HF_BLOOM) {
        *sequence = FALLBACK_SEQUENCE;
        hf_note_add(r, HF_ASSUMED, "sequence", hf_count_text(value, *sequence),
                    "not in the file: what %s trained with; --sequence sets another",
                    r->import->type);
    } else {
        return place_fail(object, r->error,
                          "missing key \"max_position_embeddings\": add it, or give --sequence N");
    }
    return RK_OK;
}

/* ---- activation ---- */

/* After the names of transformers' functions; without one, what every model of the type has. */
static void set_activation(struct reading *r)
{
    static const struct {
        const char *name;
        enum rk_activation activation;
    } known[] = {{"silu", RK_SILU},         {"swish", RK_SILU},      {"gelu", RK_GELU},
                 {"gelu_new", RK_GELU},     {"gelu_fast", RK_GELU},  {"gelu_pytorch_tanh", RK_GELU},
                 {"gelu_10", RK_GELU},      {"quick_gelu", RK_GELU}, {"relu", RK_RELU},
                 {"relu2", RK_SQUARED_RELU}};
    const char *name = r->keys.activation;
    struct rk_model *m = &r->import->model;
    m->activation = m->gated_mlp ? RK_SILU : RK_GELU;
    if (!*name) return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            m->activation = known[i].activation;
            return;
        }
    hf_note_add(r, HF_IGNORED, "hidden_act", name, "not known: taken for %s",
                m->gated_mlp ? "silu" : "gelu");
}

/* ---- biases ---- */

/* What biases on query, key and value add; on all linear layers. */
static uint64_t bias_parameters(const struct rk_model *model, bool everywhere)
{
    struct rk_model with = *model, bare = *model;
    bare.biases = bare.qkv_biases = false;
    with.biases = everywhere;
    with.qkv_biases = true;
    return rk_model_parameters(&with) - rk_model_parameters(&bare);
}

/* A model has biases everywhere, or on query, key and value alone; some files ask for others. What
 * the count then lacks is said. */
static void set_biases(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    const struct facts *f = &facts[r->type];
    struct rk_model *m = &r->import->model;
    const bool attention = k->attention_bias || k->bias || (f->biases && f->qkv_biases);
    const bool mlp = k->mlp_bias || k->bias || f->biases;
    const uint64_t projections = k->layers * k->hidden;
    const uint64_t latent = k->layers * (k->q_rank + k->kv_rank + k->rope_dim) + projections;
    uint64_t lacking = 0;
    m->biases = mlp && attention;
    m->qkv_biases = !m->biases && !k->kv_rank && (attention || f->qkv_biases);
    if (mlp && !attention)
        lacking = bias_parameters(m, true) - bias_parameters(m, false) - projections;
    if (!mlp && attention) lacking = k->kv_rank ? latent : projections;
    if (lacking)
        hf_note_add(r, HF_IGNORED, mlp && !f->biases ? "mlp_bias" : "attention_bias",
                    mlp && f->biases ? "no" : "yes",
                    "the count lacks %" PRIu64 " biases: model files cannot say where they are",
                    lacking);
}

/* ---- the model ---- */

static void set_shape(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    const struct facts *f = &facts[r->type];
    struct rk_model *m = &r->import->model;
    m->layers = k->layers;
    m->hidden = k->hidden;
    m->feedforward = k->feedforward;
    m->heads = k->heads;
    m->head_dim = k->head_dim;
    m->kv_heads = k->kv_rank || k->kv_heads == k->heads ? 0 : k->kv_heads;
    m->vocabulary = k->vocabulary;
    m->tied_embeddings = k->tied_embeddings;
    m->count_embeddings = true;
    m->norm = f->norm;
    m->position = k->alibi ? RK_POSITION_ALIBI : f->position;
    m->gated_mlp = f->gated_mlp;
    m->qk_norm = f->qk_norm;
    m->embedding_norm = f->embedding_norm;
    m->parallel_block = k->parallel_residual;
    m->block_norms = k->parallel_norms == 1 ? 1 : 0;
    m->no_dropout = !(k->dropout[0] > 0 || k->dropout[1] > 0 || k->dropout[2] > 0);
    m->flash_attention = m->causal_skip = true;
    m->q_rank = k->q_rank;
    m->kv_rank = k->kv_rank;
    m->rope_dim = k->rope_dim;
    m->value_dim = k->value_dim;
    m->predict_layers = k->predict_layers;
}

/* Is the key of model files decided by the type alone? */
static bool is_fact(enum hf_type type, const char *key)
{
    static const char *const by_type[] = {"norm",    "gated_mlp",      "qkv_biases",
                                          "qk_norm", "embedding_norm", NULL};
    static const unsigned bias_types =
        1u << HF_MISTRAL | 1u << HF_MIXTRAL | 1u << HF_QWEN2 | 1u << HF_GPT2 | 1u << HF_BLOOM;
    if (strcmp(key, "biases") == 0) return bias_types >> type & 1;
    if (strcmp(key, "position") == 0) return type != HF_FALCON;
    const char *const *known = by_type;
    while (*known && strcmp(*known, key) != 0)
        known++;
    return *known != NULL;
}

static void note_facts(struct reading *r)
{
    const struct rk_model *m = &r->import->model;
    for (const struct field *field = model_fields; field->key; field++) {
        if (!model_field_counts(field) || !is_fact(r->type, field->key)) continue;
        const uint64_t value = model_field_value(m, field);
        const bool flag = field->type == FIELD_BOOL;
        if (flag && value == (uint64_t)field->preset && !value) continue;
        hf_note_add(r, HF_ASSUMED, field->key, flag ? value ? "yes" : "no" : field->choices[value],
                    "of every %s model; no key says so", r->import->type);
    }
    hf_note_add(r, HF_ASSUMED, "flash_attention", "yes",
                "as models are trained now; no key says so");
    hf_note_add(r, HF_ASSUMED, "causal_skip", "yes", "as models are trained now; no key says so");
}

/* ---- what is not followed ---- */

static enum rk_status note_quantization(struct reading *r)
{
    const struct place *object = hf_model_object(r);
    struct place place, method;
    if (!place_member(object, "quantization_config", &place) || json_is_null(place.value))
        return RK_OK;
    const enum rk_status status = place_need_object(&place, r->error);
    if (status != RK_OK) return status;
    const char *name =
        place_member(&place, "quant_method", &method) ? json_string_value(method.value) : NULL;
    hf_note_add(
        r, HF_IGNORED, "quantization_config", name ? name : "",
        "how the weights are stored; what training computes with is the strategy's datatype");
    return RK_OK;
}

static enum rk_status note_ignored(struct reading *r)
{
    char value[VALUE];
    if (r->keys.predict_layers)
        hf_note_add(r, HF_IGNORED, "num_nextn_predict_layers",
                    hf_count_text(value, r->keys.predict_layers),
                    "layers for multi-token prediction are trained, but not counted as parameters");
    return note_quantization(r);
}

/* ---- all of it ---- */

static enum rk_status read_all(struct reading *r)
{
    enum rk_status status = find_text(r);
    if (status == RK_OK) status = find_type(r);
    if (status == RK_OK) status = hf_keys_load(&r->at, r->type, &r->keys, &r->missing, r->error);
    if (status == RK_OK) status = load_rope(r);
    if (status == RK_OK) status = check_keys(r);
    if (status != RK_OK) return status;
    derive(r);
    set_shape(r);
    note_missing(r);
    status = choose_sequence(r);
    if (status == RK_OK) status = hf_set_experts(r);
    if (status == RK_OK) status = hf_set_window(r);
    if (status == RK_OK) status = note_ignored(r);
    if (status != RK_OK) return status;
    set_activation(r);
    set_biases(r);
    note_facts(r);
    return model_check(hf_model_object(r), &r->import->model, r->error);
}

enum rk_status hf_read(const struct document *document, const char *id,
                       const struct hf_options *options, struct hf_import *import,
                       struct rk_error *error)
{
    struct hf_import read = {.notes = 0};
    struct reading r = {
        .at = {.root = place_root(document)}, .options = options, .import = &read, .error = error};
    const enum rk_status status = read_all(&r);
    if (status != RK_OK) return status;
    snprintf(read.model.id, sizeof read.model.id, "%s", id);
    snprintf(read.datatype, sizeof read.datatype, "%s", r.keys.datatype);
    *import = read;
    return RK_OK;
}
