#include "huggingface/hf.h"
#include "base/text.h"
#include "catalog/model_fields.h"
#include "huggingface/hf_reading.h"
#include "keys/model_numbers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tokens of a sample where the file says the longest alone: what Llama 2, Qwen2.5, Qwen3 and
 * DeepSeek-V3 were pre-trained with, before their contexts were stretched (arXiv 2307.09288,
 * 2412.15115, 2505.09388, 2412.19437). */
enum { USUAL_SEQUENCE = 4096 };

enum { FALLBACK_SEQUENCE = 2048 }; /* what Falcon and BLOOM, whose files lack it, trained with */

const struct place *hf_model_object(const struct reading *r)
{
    return r->at.text.value ? &r->at.text : &r->at.root;
}

bool hf_member(const struct reading *r, const char *key, struct place *found)
{
    return place_member(hf_model_object(r), key, found) && !json_is_null(found->value);
}

static bool is_type(const struct reading *r, const char *name)
{
    return strcmp(r->type->name, name) == 0;
}

/* ---- notes ---- */

void hf_note_add(struct reading *r, enum hf_note_kind kind, const char *what, const char *value,
                 const char *why, ...)
{
    va_list values;
    if (r->import->notes == HF_MAX_NOTES) {
        r->import->dropped++;
        return;
    }
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

static const char *missing_text(char buffer[static VALUE], const struct field *field, double preset)
{
    if (field->type == FIELD_BOOL)
        snprintf(buffer, VALUE, "%s", preset != 0 ? "yes" : "no");
    else
        snprintf(buffer, VALUE, "%.15g", preset);
    return buffer;
}

/* What took its place, after it was derived. */
static double taken(const struct reading *r, int i)
{
    const double preset = r->missing.row[i].preset;
    return preset != 0 ? preset : field_value(r->missing.row[i].field, &r->keys);
}

/* Keys that the file lacks, with the values that took their place. */
static void note_missing(struct reading *r)
{
    char value[VALUE];
    for (int i = 0; i < r->missing.count; i++) {
        const size_t at = r->missing.row[i].field->offset;
        const bool of_experts =
            at >= offsetof(struct hf_keys, experts) && at < offsetof(struct hf_keys, q_rank);
        if (of_experts && !r->keys.experts) continue; /* a dense model */
        const char *instead = r->missing.row[i].instead;
        hf_note_add(r, HF_ASSUMED, r->missing.row[i].key,
                    missing_text(value, r->missing.row[i].field, taken(r, i)), "%s in the file: %s",
                    r->missing.row[i].null ? "null" : "not",
                    instead ? instead : "the library's default");
    }
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

/* Step sizes of Mamba go through a sixteenth of the stream [gu2023]; Kimi's gates through a head.
 */
static uint64_t time_rank_of(const struct hf_keys *k, enum rk_recurrence kind)
{
    if (kind == RK_KIMI_DELTA) return k->recurrent_dim;
    if (kind != RK_MAMBA) return 0;
    return k->time_rank ? k->time_rank : (k->hidden + 15) / 16;
}

static void derive_recurrence(struct hf_keys *k, struct rk_model *m)
{
    const uint64_t expand = k->expand ? k->expand : 2;
    if (!k->inner) k->inner = expand * k->hidden;
    if (m->recurrence == RK_MAMBA) {
        k->recurrent_heads = 1;
        k->recurrent_dim = k->inner;
    }
    if (m->recurrence == RK_LIGHTNING) {
        k->recurrent_heads = k->heads;
        k->recurrent_dim = k->state = k->head_dim;
    }
    if (m->recurrence == RK_KIMI_DELTA) k->state = k->recurrent_dim;
    if (!k->recurrent_dim && k->recurrent_heads) k->recurrent_dim = k->inner / k->recurrent_heads;
    m->recurrent_heads = k->recurrent_heads;
    m->recurrent_dim = k->recurrent_dim;
    m->recurrent_groups = k->groups;
    m->state = k->state;
    m->convolution = k->convolution;
    m->time_rank = time_rank_of(k, m->recurrence);
    m->recurrent_norm = m->recurrent_norm || k->recurrent_norm;
}

/* Heads of layers that see all are wider than those of the others (Gemma 4). */
static void derive_globals(struct hf_keys *k)
{
    k->local_head_dim = k->head_dim;
    k->local_kv_heads = k->kv_heads;
    k->head_dim = k->global_head_dim;
    if (k->shared_values && k->global_kv_heads) k->kv_heads = k->global_kv_heads;
}

/* A layer of LongCat-Flash: two of attention and a dense MLP, and experts that read the first one's
 * MLP input and are added after the second: three blocks, the last without attention. Some experts
 * return a token's input unchanged. */
static void derive_longcat(struct reading *r)
{
    struct hf_keys *k = &r->keys;
    char value[VALUE];
    const uint64_t real = k->active_experts * k->experts / (k->experts + k->zero_experts);
    hf_note_add(r, HF_IGNORED, "zero_expert_num", hf_count_text(value, k->zero_experts),
                "a token's %" PRIu64 " experts are taken for the %" PRIu64
                " that compute on average; experts are timed after the dense MLPs, not in parallel",
                k->active_experts, real ? real : 1);
    k->layers = 3 * k->double_layers;
    k->active_experts = real ? real : 1;
}

static void derive(struct reading *r)
{
    struct hf_keys *k = &r->keys;
    if (k->double_layers) derive_longcat(r);
    if (k->global_head_dim) derive_globals(k);
    if (!k->heads) k->heads = k->recurrent_heads ? k->recurrent_heads : 1; /* no attention */
    if (!k->head_dim) k->head_dim = k->kv_rank ? k->nope_dim : k->hidden / k->heads;
    if (!k->head_dim) k->head_dim = 1;
    if (k->half_feedforward) k->feedforward = k->half_feedforward / 2;
    if (!k->feedforward) k->feedforward = (k->expansion ? k->expansion : 4) * k->hidden;
    if (*r->import->model.mlps == '-') k->feedforward = 0;
    if (is_type(r, "falcon")) derive_falcon(k);
    if (!k->kv_heads) k->kv_heads = k->heads;
    if (r->import->model.recurrence) derive_recurrence(k, &r->import->model);
}

static enum rk_status check_keys(const struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    struct place place;
    if (k->heads && !k->head_dim && !k->kv_rank && k->hidden % k->heads) {
        if (!hf_member(r, "num_attention_heads", &place)) place = *hf_model_object(r);
        return place_fail(&place, r->error,
                          "%" PRIu64 " heads do not divide the hidden size %" PRIu64
                          ", and no head_dim is given: correct one of them",
                          k->heads, k->hidden);
    }
    if (k->kv_heads && k->heads % k->kv_heads && (!is_type(r, "falcon") || k->new_decoder)) {
        if (!hf_member(r, is_type(r, "falcon") ? "num_kv_heads" : "num_key_value_heads", &place))
            place = *hf_model_object(r);
        return place_fail(&place, r->error, "must divide the %" PRIu64 " heads, got %" PRIu64,
                          k->heads, k->kv_heads);
    }
    if (k->experts && (k->active_experts < 1 || k->active_experts > k->experts)) {
        if (!hf_member(r, "num_experts_per_tok", &place)) place = *hf_model_object(r);
        return place_fail(&place, r->error, "must be 1 to %" PRIu64 " experts, got %" PRIu64,
                          k->experts, k->active_experts);
    }
    if (k->embedding_dim && k->embedding_dim != k->hidden) {
        hf_member(r, "word_embed_proj_dim", &place);
        return place_fail(&place, r->error,
                          "embeddings of another width than hidden are not known here");
    }
    if (hf_type_has(r->type, "do_layer_norm_before") && !k->norm_first &&
        hf_member(r, "do_layer_norm_before", &place))
        return place_fail(&place, r->error, "norms after each half are not known here");
    if (k->local_value_dim && k->local_value_dim != (k->value_dim ? k->value_dim : k->head_dim)) {
        hf_member(r, "swa_v_head_dim", &place);
        return place_fail(&place, r->error,
                          "value heads of local layers of another width are not known here");
    }
    return RK_OK;
}

/* ---- sequence ---- */

/* A number of one for all layers; one for each (Step 3.5), or for kinds of layers, is left. */
static enum rk_status load_number(struct reading *r, const struct place *object, const char *key,
                                  double *number)
{
    static const struct field any = {.type = FIELD_NUMBER};
    struct place value;
    if (!place_member(object, key, &value) || json_is_null(value.value) ||
        json_is_array(value.value) || json_is_object(value.value))
        return RK_OK;
    return field_load(&value, &any, number, r->error);
}

/* What Megatron-LM's --use-rope-scaling does. */
static bool is_rope_of_llama(const struct place *rope)
{
    static const char *const keys[] = {"rope_type", "type"};
    struct place value;
    for (int i = 0; i < 2; i++)
        if (place_member(rope, keys[i], &value) && json_is_string(value.value))
            return strcmp(json_string_value(value.value), "llama3") == 0;
    return false;
}

/* Numbers that change what is learned, no time. */
static enum rk_status load_numbers(struct reading *r)
{
    static const char *const epsilons[] = {"rms_norm_eps",       "layer_norm_eps",
                                           "layer_norm_epsilon", "layernorm_epsilon",
                                           "norm_eps",           "norm_epsilon"};
    struct rk_model *model = &r->import->model;
    const struct place *object = hf_model_object(r);
    enum rk_status status = load_number(r, object, "routed_scaling_factor", &model->router_scaling);
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons && status == RK_OK; i++)
        if (!(model->norm_epsilon > 0))
            status = load_number(r, object, epsilons[i], &model->norm_epsilon);
    return status;
}

/* Positions, and the context before it was stretched: rope_scaling in version 4, rope_parameters
 * in 5. */
static enum rk_status load_rope(struct reading *r)
{
    static const char *const names[] = {"rope_parameters", "rope_scaling"};
    struct rk_model *model = &r->import->model;
    static const struct field original = {.type = FIELD_COUNT,
                                          .offset = offsetof(struct hf_keys, original_positions),
                                          .min = 1,
                                          .max = 1e9};
    const struct place *object = hf_model_object(r);
    struct place rope, value;
    enum rk_status status = load_number(r, object, "rope_theta", &model->rotary_base);
    for (int i = 0; status == RK_OK && i < 2; i++) {
        if (!place_member(object, names[i], &rope) || json_is_null(rope.value)) continue;
        status = place_need_object(&rope, r->error);
        if (status == RK_OK && !(model->rotary_base > 0))
            status = load_number(r, &rope, "rope_theta", &model->rotary_base);
        if (status == RK_OK && is_rope_of_llama(&rope))
            status = load_number(r, &rope, "factor", &model->rope_factor);
        if (status == RK_OK && place_member(&rope, "original_max_position_embeddings", &value) &&
            !json_is_null(value.value))
            status = field_load(&value, &original, &r->keys, r->error);
    }
    return status;
}

static enum rk_status choose_sequence(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    uint64_t *sequence = &r->import->model.sequence;
    char value[VALUE];
    if (r->options->sequence) {
        *sequence = r->options->sequence;
    } else if (k->original_positions) {
        *sequence = k->original_positions;
        hf_note_add(r, HF_ASSUMED, "sequence", hf_count_text(value, *sequence),
                    "original_max_position_embeddings, before the context was stretched to %" PRIu64
                    "; --sequence sets another",
                    k->positions);
    } else if (k->positions > USUAL_SEQUENCE) {
        *sequence = USUAL_SEQUENCE;
        hf_note_add(r, HF_ASSUMED, "sequence", hf_count_text(value, *sequence),
                    "usual in pre-training; the file allows up to %" PRIu64
                    " and does not say; --sequence sets another",
                    k->positions);
    } else if (k->positions) {
        *sequence = k->positions;
        hf_note_add(r, HF_ASSUMED, "sequence", hf_count_text(value, *sequence),
                    "the longest that the file allows; --sequence sets another");
    } else if (is_type(r, "falcon") || is_type(r, "bloom")) {
        *sequence = FALLBACK_SEQUENCE;
        hf_note_add(r, HF_ASSUMED, "sequence", hf_count_text(value, *sequence),
                    "not in the file: what %s trained with; --sequence sets another",
                    r->import->type);
    } else if (r->import->model.position != RK_POSITION_LEARNED) {
        *sequence = USUAL_SEQUENCE;
        hf_note_add(r, HF_ASSUMED, "sequence", hf_count_text(value, *sequence),
                    "not in the file, and usual in pre-training; --sequence sets another");
    } else {
        return place_fail(hf_model_object(r), r->error,
                          "missing key \"max_position_embeddings\": add it, or give --sequence N");
    }
    return RK_OK;
}

/* Rows of learned positions: OPT's table begins with two extra rows (its modelling class). */
static void set_positions(struct reading *r)
{
    struct rk_model *m = &r->import->model;
    const uint64_t rows = r->keys.positions + (is_type(r, "opt") ? 2 : 0);
    if (m->position == RK_POSITION_LEARNED && r->keys.positions && rows != m->sequence)
        m->position_rows = rows;
}

/* ---- activation ---- */

/* After the names of transformers' functions; without one, what every model of the type has. */
static void set_activation(struct reading *r)
{
    static const struct {
        const char *name;
        enum rk_activation activation;
    } known[] = {
        {"silu", RK_SILU},          {"swish", RK_SILU},      {"gelu", RK_GELU},
        {"gelu_new", RK_GELU},      {"gelu_fast", RK_GELU},  {"gelu_pytorch_tanh", RK_GELU},
        {"gelu_10", RK_GELU},       {"quick_gelu", RK_GELU}, {"relu", RK_RELU},
        {"relu2", RK_SQUARED_RELU}, {"xielu", RK_XIELU}};
    const char *name = r->keys.activation;
    struct rk_model *m = &r->import->model;
    if (!strstr(r->type->facts, "activation=")) m->activation = m->gated_mlp ? RK_SILU : RK_GELU;
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

/* Of the type and of keys together; all of them are said by one member. */
static void set_biases(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    struct rk_model *m = &r->import->model;
    const bool all = m->biases || k->bias;
    const bool linear = k->linear_bias || (hf_type_has(r->type, "no_bias") && !k->no_bias);
    const bool qkv =
        all || m->qkv_biases || k->attention_bias || k->qkv_bias || (linear && is_type(r, "mpt"));
    const bool out = all || k->attention_bias || k->out_bias || linear;
    const bool mlp = all || m->mlp_biases || k->mlp_bias || linear;
    m->biases = qkv && out && mlp;
    m->qkv_biases = !m->biases && qkv;
    m->out_biases = !m->biases && out;
    m->mlp_biases = !m->biases && mlp;
    if (k->head_bias) m->head_biases = true;
    /* MPT leaves them out of norms, too */
    if (is_type(r, "mpt") && k->no_bias) m->norm = RK_LAYER_NORM_UNBIASED;
}

/* ---- what the type says ---- */

/* The value of the last word "key=value" of the type's facts. */
static bool fact_of(const struct hf_type *type, const char *key, char value[static VALUE])
{
    const size_t length = strlen(key);
    bool found = false;
    for (const char *at = type->facts; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (strncmp(at, key, length) != 0 || at[length] != '=') continue;
        const char *text = at + length + 1;
        snprintf(value, VALUE, "%.*s", (int)strcspn(text, " "), text);
        found = true;
    }
    return found;
}

static double fact_number(const struct field *field, const char *value)
{
    for (int i = 0; field->type == FIELD_CHOICE && field->choices[i]; i++)
        if (strcmp(field->choices[i], value) == 0) return i;
    return field->type == FIELD_BOOL ? strcmp(value, "yes") == 0 : strtod(value, NULL);
}

static void set_facts(struct reading *r)
{
    struct rk_model *m = &r->import->model;
    char value[VALUE];
    for (const struct field *field = model_fields; field->key; field++) {
        if (!fact_of(r->type, field->key, value)) continue;
        if (field->type == FIELD_TEXT)
            snprintf((char *)m + field->offset, field->size, "%s", value);
        else
            field_store(field, m, fact_number(field, value));
    }
}

/* A fact that some key of its files can change is none. */
static bool is_changed(const struct hf_type *type, const char *key)
{
    static const struct {
        const char *key, *by[8];
    } changes[] = {
        {"biases",
         {"attention_bias", "mlp_bias", "bias", "use_bias", "no_bias", "add_bias_linear"}},
        {"position", {"alibi", "learned_pos_emb"}},
        {"qk_norm_wide", {"use_qk_norm"}},
        {"router_biases", {"topk_method", "use_routing_bias", "moe_router_enable_expert_bias"}},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (int k = 0; strcmp(changes[i].key, key) == 0 && changes[i].by[k]; k++)
            if (hf_type_has(type, changes[i].by[k])) return true;
    return false;
}

static void note_facts(struct reading *r)
{
    const struct rk_model *m = &r->import->model;
    char text[VALUE];
    for (const struct field *field = model_fields; field->key; field++) {
        if (!fact_of(r->type, field->key, text) || is_changed(r->type, field->key)) continue;
        if (!model_field_counts(field) && !model_field_text(m, field)) continue;
        const bool flag = field->type == FIELD_BOOL;
        if (flag && (strcmp(text, "yes") == 0) != (model_field_value(m, field) != 0)) continue;
        if (flag && strcmp(text, "no") == 0 && field->preset == 0) continue;
        hf_note_add(r, HF_ASSUMED, field->key, text, "of every %s model; no key says so",
                    r->import->type);
    }
    hf_note_add(r, HF_ASSUMED, "flash_attention", "yes",
                "as models are trained now; no key says so");
    hf_note_add(r, HF_ASSUMED, "causal_skip", "yes", "as models are trained now; no key says so");
}

/* ---- the model ---- */

static void set_shape(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    struct rk_model *m = &r->import->model;
    m->layers = k->layers;
    m->hidden = k->hidden;
    m->feedforward = k->feedforward;
    m->heads = k->heads;
    m->head_dim = k->head_dim;
    m->kv_heads = k->kv_rank || k->kv_heads == k->heads ? 0 : k->kv_heads;
    if (k->multi_query && !is_type(r, "falcon")) m->attention = RK_ATTENTION_MULTIQUERY;
    if (k->multi_query && !is_type(r, "falcon")) m->kv_heads = 0;
    m->vocabulary = k->vocabulary;
    m->tied_embeddings = k->tied_embeddings;
    m->count_embeddings = true;
    if (k->alibi) m->position = RK_POSITION_ALIBI;
    if (is_type(r, "mpt") && !k->alibi && !k->learned_positions) m->position = RK_POSITION_NONE;
    if (hf_type_reads(r->type, "use_qk_norm") || hf_type_reads(r->type, "qk_layernorm"))
        m->qk_norm = k->qk_norm;
    if (!m->qk_norm) m->qk_norm_wide = false;
    m->parallel_block = m->parallel_block || k->parallel_residual;
    if (k->parallel_norms == 1) m->block_norms = 1;
    if (is_type(r, "stablelm") && k->parallel_residual) m->block_norms = 1;
    m->no_dropout = !(k->dropout[0] > 0 || k->dropout[1] > 0 || k->dropout[2] > 0);
    m->flash_attention = m->causal_skip = true;
    m->attention_cap = k->score_cap > 0;
    m->logit_cap = k->logit_cap > 0;
    m->q_rank = k->q_rank;
    m->kv_rank = k->kv_rank;
    m->rope_dim = k->rope_dim;
    m->value_dim = k->value_dim;
    if (k->kv_rank && !m->value_dim) m->value_dim = k->hidden / k->heads; /* MiniCPM3 */
    if (!k->kv_rank && m->value_dim == m->head_dim) m->value_dim = 0;
    m->index_heads = k->index_heads;
    m->index_dim = k->index_dim;
    m->local_heads = k->local_heads == k->heads ? 0 : k->local_heads;
    m->local_kv_heads = k->local_kv_heads == k->kv_heads ? 0 : k->local_kv_heads;
    m->local_head_dim = k->local_head_dim == k->head_dim ? 0 : k->local_head_dim;
    m->predict_layers = k->predict_layers;
}

/* A dense MLP in addition to the experts counts as a shared expert; Arctic's is as wide as the
 * stream and has a norm of its own. */
static void set_residual_mlp(struct reading *r)
{
    struct rk_model *m = &r->import->model;
    const bool arctic = is_type(r, "arctic");
    if (!r->keys.residual_mlp || !r->keys.experts) return;
    m->shared_experts = 1;
    m->shared_feedforward = arctic ? r->keys.hidden : r->keys.feedforward;
    if (arctic) m->block_norms = 3;
}

/* A count that files of any type may have; 0: none, or no count. */
static uint64_t harmless_count(const struct reading *r, const char *key)
{
    struct place place;
    const json_int_t count = hf_member(r, key, &place) ? json_integer_value(place.value) : 0;
    return count > 0 ? (uint64_t)count : 0;
}

static void set_experts(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    struct rk_model *m = &r->import->model;
    if (!k->experts) {
        m->router_biases = m->shared_gate = false;
        m->shared_experts = 0;
        if (k->shared_feedforward && hf_type_has(r->type, "shared_intermediate_size"))
            m->feedforward = k->shared_feedforward; /* Granite's hybrids without experts */
        return;
    }
    if (k->mixture_beside) { /* the dense MLP is one that every token goes through */
        m->shared_experts = 1;
        m->shared_feedforward = k->feedforward;
    }
    const uint64_t wide = k->expert_feedforward ? k->expert_feedforward : k->feedforward;
    m->experts = k->experts;
    m->active_experts = k->active_experts;
    m->expert_feedforward = wide;
    m->expert_hidden = k->expert_hidden;
    model_limit_groups(m, harmless_count(r, "n_group"), harmless_count(r, "topk_group"));
    if (k->shared_experts) m->shared_experts = k->shared_experts;
    if (k->shared_feedforward) {
        if (!m->shared_experts) m->shared_experts = 1;
        const uint64_t all = k->shared_feedforward * m->shared_experts;
        m->shared_feedforward = all == m->shared_experts * wide ? 0 : all;
    }
    if (*k->topk_method) m->router_biases = strcmp(k->topk_method, "noaux_tc") == 0;
    if (k->expert_bias) m->router_biases = true;
    if (m->router_biases && !*k->topk_method && hf_type_has(r->type, "topk_method"))
        hf_note_add(r, HF_ASSUMED, "topk_method", "noaux_tc", "not in the file: of every %s model",
                    r->import->type);
    set_residual_mlp(r);
}

/* ---- all of it ---- */

static enum rk_status read_all(struct reading *r)
{
    enum rk_status status = hf_find_text(r);
    if (status == RK_OK) status = hf_find_type(r);
    if (status == RK_OK)
        status = hf_keys_load(&r->at, r->type, &r->keys, &r->missing, r->unknown, sizeof r->unknown,
                              r->error);
    if (status == RK_OK) status = load_rope(r);
    if (status == RK_OK) status = load_numbers(r);
    if (status == RK_OK) status = check_keys(r);
    if (status != RK_OK) return status;
    set_facts(r);
    derive(r);
    set_shape(r);
    note_missing(r);
    status = choose_sequence(r);
    if (status != RK_OK) return status;
    set_positions(r);
    set_experts(r);
    set_activation(r);
    set_biases(r);
    status = hf_set_pattern(r);
    if (status == RK_OK) status = hf_note_ignored(r);
    if (status != RK_OK) return status;
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
    text_make_name(read.model.id);
    snprintf(read.datatype, sizeof read.datatype, "%s", r.keys.datatype);
    *import = read;
    return RK_OK;
}

/* ---- Python's JSON ---- */

/* NaN, Infinity and -Infinity outside of texts become texts, padded with blanks so that all other
 * columns stay. */
static void quote_numbers(char *text)
{
    static const char *const words[][2] = {
        {"-Infinity", "\"-inf\"   "}, {"Infinity", "\"inf\"   "}, {"NaN", "\"N\""}};
    bool inside = false;
    for (; *text; text++) {
        if (inside && *text == '\\' && text[1])
            text++;
        else if (*text == '"')
            inside = !inside;
        for (int i = 0; !inside && i < 3; i++) {
            const size_t length = strlen(words[i][0]);
            if (strncmp(text, words[i][0], length) != 0) continue;
            memcpy(text, words[i][1], length);
            text += length - 1;
            break;
        }
    }
}

enum rk_status hf_document_load(const char *path, struct document *document, struct rk_error *error)
{
    char *text = NULL;
    size_t size = 0;
    enum rk_status status = document_text(path, &text, &size, error);
    if (status != RK_OK) return status;
    quote_numbers(text);
    status = document_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, text, size, document, error);
    free(text);
    return status;
}
