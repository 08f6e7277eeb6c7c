/* model.c - model files, reckon-model(5). */
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/model_fields.h"
#include "catalog/readers.h"
#include "workload/pattern.h"

#include <stdio.h>
#include <string.h>

static const char *const attentions[] = {
    [RK_ATTENTION_MULTIHEAD] = "multihead", [RK_ATTENTION_MULTIQUERY] = "multiquery", NULL};
static const char *const positions[] = {
    [RK_POSITION_LEARNED] = "learned",   [RK_POSITION_ROPE] = "rope", [RK_POSITION_ALIBI] = "alibi",
    [RK_POSITION_RELATIVE] = "relative", [RK_POSITION_NONE] = "none", NULL};
static const char *const activations[] = {
    [RK_GELU] = "gelu", [RK_SILU] = "silu",   [RK_SQUARED_RELU] = "squared_relu",
    [RK_RELU] = "relu", [RK_XIELU] = "xielu", NULL};
static const char *const norms[] = {[RK_LAYER_NORM] = "layernorm",
                                    [RK_RMS_NORM] = "rmsnorm",
                                    [RK_LAYER_NORM_UNBIASED] = "layernorm_unbiased",
                                    [RK_LAYER_NORM_PLAIN] = "layernorm_plain",
                                    NULL};
static const char *const recurrences[] = {[RK_RECURRENCE_NONE] = "none",
                                          [RK_MAMBA] = "mamba",
                                          [RK_MAMBA_2] = "mamba2",
                                          [RK_GATED_DELTA] = "gated_delta",
                                          [RK_KIMI_DELTA] = "kimi_delta",
                                          [RK_LIGHTNING] = "lightning",
                                          NULL};

/* Whoever needs more than a shape reads it from the file: the executor. */
static enum rk_status leave_config(const struct place *place, void *target, struct rk_error *error)
{
    (void)target;
    return place_need_object(place, error);
}

/* No dimension is larger than model.def allows; that keeps every product below 2^53 * 2^53. */
const struct field model_fields[] = {
    {"name", FIELD_TEXT, .help = "what people call it"},
    {"description", FIELD_TEXT, .help = "a sentence or two"},
#define AT(key) .offset = offsetof(struct rk_model, key)
#define MODEL_COUNT(key, need, least, most, text)                                                  \
    {#key, FIELD_COUNT, FIELD_##need, AT(key), .min = least, .max = most, .help = text},
#define MODEL_FLAG(key, value, text)                                                               \
    {#key, FIELD_BOOL, FIELD_OPTIONAL, AT(key), .preset = value, .help = text},
#define MODEL_CHOICE(key, type, names, text)                                                       \
    {#key, FIELD_CHOICE, FIELD_OPTIONAL, AT(key), .choices = names, .help = text},
#define MODEL_TEXT(key, bytes, text)                                                               \
    {#key, FIELD_TEXT, FIELD_OPTIONAL, AT(key), .size = bytes, .help = text},
#define MODEL_NUMBER(key, largest, text)                                                           \
    {#key, FIELD_NUMBER, FIELD_OPTIONAL, AT(key), .max = largest, .help = text},
#include <reckon/model.def>
    {"config", FIELD_OTHER, .load = leave_config, .help = "the config.json it was imported from"},
    {"source", FIELD_SOURCE, .help = "where the numbers come from"},
    {.key = NULL},
};

/* What a file leaves out follows from the rest. */
static enum rk_status complete(const struct place *root, struct rk_model *model,
                               struct rk_error *error)
{
    if (model->experts && !model->expert_feedforward)
        model->expert_feedforward = model->feedforward;
    if (model->head_dim) return RK_OK;
    if (model->kv_rank)
        return place_fail(root, error,
                          "missing key \"head_dim\" (with kv_rank, the part of a head without "
                          "position): add it");
    if (model->hidden % model->heads)
        return place_fail(root, error,
                          "hidden %llu is not divisible by heads %llu: give \"head_dim\"",
                          (unsigned long long)model->hidden, (unsigned long long)model->heads);
    model->head_dim = model->hidden / model->heads;
    return RK_OK;
}

struct rule { /* the last one has no key */
    bool broken;
    const char *key, *text;
};

/* Fails at the first broken one. */
static enum rk_status check_each(const struct place *root, const struct rule *rule,
                                 struct rk_error *error)
{
    struct place member;
    while (rule->key && !rule->broken)
        rule++;
    if (!rule->key) return RK_OK;
    if (place_member(root, rule->key, &member)) return place_fail(&member, error, "%s", rule->text);
    return place_fail(root, error, "%s: %s", rule->key, rule->text);
}

/* Of the letters of a pattern, those that are none. */
static bool has_other_letters(const char *pattern, const char *letters)
{
    return pattern[strspn(pattern, letters)] != '\0';
}

/* A layer of neither half. */
static bool has_empty_layer(const struct rk_model *m)
{
    const size_t period = strlen(m->mixers) * strlen(m->mlps);
    for (uint64_t i = 0; i < m->layers && i < period; i++)
        if (mixer_of(m, i) == MIXER_NONE && mlp_of(m, i) == MLP_NONE) return true;
    return false;
}

/* Keys of a pattern that say the same differently, or name what the model has not. */
static enum rk_status check_pattern(const struct place *root, const struct rk_model *m,
                                    struct rk_error *error)
{
    const bool bad_mixers = has_other_letters(m->mixers, mixer_letters);
    const bool bad_mlps = has_other_letters(m->mlps, mlp_letters);
    const struct pattern_counts none = {.mixers = {0}};
    const struct pattern_counts counts = bad_mixers || bad_mlps ? none : pattern_count(m);
    const double recurrent = counts.mixers[MIXER_RECURRENT] + counts.mixers[MIXER_BOTH];
    const double local = counts.mixers[MIXER_LOCAL];
    const bool halves = counts.mixers[MIXER_NONE] + counts.mlps[MLP_NONE] > 0;
    const double encoder = counts.mixers[MIXER_ENCODER], crossed = counts.mixers[MIXER_CROSS];
    const bool other = m->kv_rank || m->parallel_block || m->predict_layers || m->recurrence;
    return check_each(
        root,
        (const struct rule[]){
            {bad_mixers, "mixers", "must be of the letters a, l, r, b, e, x and -"},
            {bad_mlps, "mlps", "must be of the letters d, e and -"},
            {*m->mixers && m->window_every, "window_every", "says what mixers say: leave one out"},
            {*m->mlps && (m->dense_layers || m->expert_every), "mlps",
             "says what dense_layers and expert_every say: leave these out"},
            {*m->mlps && m->experts && counts.mlps[MLP_EXPERTS] == 0, "mlps",
             "leaves no layer with experts"},
            {!m->experts && counts.mlps[MLP_EXPERTS] > 0, "mlps", "needs experts"},
            {!m->feedforward && counts.mlps[MLP_DENSE] > 0, "feedforward",
             "must be at least 1: some layer has a dense MLP"},
            {*m->mixers && local > 0 && !m->window, "mixers",
             "needs window: what local layers see"},
            {*m->mixers && m->window && local == 0, "window", "no layer of mixers is local"},
            {m->window_chunks && !m->window, "window_chunks", "needs window"},
            {m->window_globals && !m->window_chunks, "window_globals", "needs window_chunks"},
            {m->window_globals && m->window % m->window_globals, "window_globals",
             "must divide window"},
            {(m->local_heads || m->local_kv_heads || m->local_head_dim) && !m->window, "window",
             "missing, but other keys speak of local layers: add it"},
            {halves && m->parallel_block, "parallel_block", "needs both halves in every layer"},
            {!bad_mixers && !bad_mlps && has_empty_layer(m), "mlps",
             "a layer has neither a mixer nor an MLP"},
            {(encoder > 0) != (crossed > 0), "mixers",
             "an encoder (e) and layers that attend to it (x) need each other"},
            {(encoder > 0) != (m->encoder_sequence > 0), "encoder_sequence",
             "goes with layers of an encoder, e in mixers"},
            {encoder > 0 && other, "mixers",
             "an encoder's layers are of plain attention: no latent one, parallel blocks, "
             "recurrence or multi-token prediction"},
            {recurrent > 0 && !m->recurrence, "mixers", "needs recurrence: of which kind"},
            {m->recurrence && recurrent == 0, "recurrence", "no layer of mixers is recurrent"},
            {m->recurrence && !(m->recurrent_heads && m->recurrent_dim && m->state), "recurrence",
             "needs recurrent_heads, recurrent_dim and state"},
            {!m->recurrence && (m->recurrent_heads || m->recurrent_dim || m->state ||
                                m->recurrent_groups || m->convolution || m->time_rank),
             "recurrence", "missing, but other keys speak of it: add it"},
            {m->recurrence && m->recurrent_groups && m->recurrent_heads % m->recurrent_groups,
             "recurrent_groups", "must divide recurrent_heads"},
            {.key = NULL},
        },
        error);
}

/* Keys that contradict each other. */
static enum rk_status check_rules(const struct place *root, const struct rk_model *m,
                                  struct rk_error *error)
{
    const bool mixture = m->experts > 0, latent = m->kv_rank > 0;
    const bool multiquery = m->attention == RK_ATTENTION_MULTIQUERY;
    const bool of_mixture = m->active_experts || m->shared_experts || m->expert_feedforward ||
                            m->dense_layers || m->router_biases || m->expert_every ||
                            m->expert_hidden || m->shared_feedforward || m->expert_groups ||
                            m->active_groups;
    const struct rule rules[] = {
        {m->kv_heads && m->heads % m->kv_heads, "kv_heads", "must divide heads"},
        {m->local_kv_heads && (m->local_heads ? m->local_heads : m->heads) % m->local_kv_heads,
         "local_kv_heads", "must divide the heads of local layers"},
        {multiquery && m->kv_heads > 1, "kv_heads", "must be 1 for multiquery attention"},
        {m->block_norms == 1 && !m->parallel_block, "block_norms",
         "must be at least 2 unless parallel_block is true"},
        {m->block_norms > 2 && m->parallel_block, "block_norms",
         "must be 1 or 2 with parallel_block"},
        {m->qk_norm_wide && !m->qk_norm, "qk_norm_wide", "needs qk_norm"},
        {m->causal_skip && !m->flash_attention, "causal_skip", "needs flash_attention"},
        {mixture && !m->active_experts, "experts",
         "needs active_experts: how many a token goes to"},
        {!mixture && of_mixture, "experts", "missing, but other keys speak of experts: add it"},
        {mixture && m->active_experts > m->experts, "active_experts", "must be at most experts"},
        {mixture && m->dense_layers >= m->layers, "dense_layers", "must be less than layers"},
        {mixture && m->expert_every > m->layers - m->dense_layers, "expert_every",
         "leaves no layer with experts: must be at most layers - dense_layers"},
        {m->shared_gate && !(m->shared_experts || m->shared_feedforward), "shared_gate",
         "needs shared_experts or shared_feedforward"},
        {m->expert_groups && m->experts % m->expert_groups, "expert_groups", "must divide experts"},
        {m->active_groups > m->expert_groups, "active_groups", "must be at most expert_groups"},
        {m->active_groups && m->expert_groups &&
             m->active_groups * (m->experts / m->expert_groups) < m->active_experts,
         "active_groups", "have fewer experts than a token goes to"},
        {m->expert_hidden > m->hidden, "expert_hidden", "must be at most hidden"},
        {m->window_every == 1, "window_every",
         "leaves no local layer: must be 0 or at least 2, or leave window out"},
        {m->window_every && !m->window, "window_every", "needs window: what local layers see"},
        {latent && !(m->rope_dim && m->value_dim), "kv_rank", "needs rope_dim and value_dim"},
        {latent && (m->kv_heads || multiquery), "kv_rank",
         "latent attention has no kv_heads: leave them out"},
        {latent && (m->qk_norm || m->attention_gate || m->attention_sinks), "kv_rank",
         "latent attention has norms of its own, and no gate or sinks: leave these out"},
        {!latent && (m->q_rank || m->rope_dim), "kv_rank",
         "missing, but other keys speak of latent attention: add it"},
        {m->index_heads && !(latent && m->index_dim), "index_heads",
         "needs latent attention and index_dim"},
        {.key = NULL},
    };
    return check_each(root, rules, error);
}

/* The counts that are made of products must stay exact in a double. Doubles tell: they do not
 * wrap around. */
static enum rk_status check_products(const struct place *root, const struct rk_model *model,
                                     struct rk_error *error)
{
    const double h = (double)model->hidden, s = (double)model->sequence;
    const double wide = (double)model->feedforward * (model->gated_mlp ? 2 : 1);
    const struct {
        const char *what;
        double value;
    } products[] = {
        {"parameters", (double)rk_model_parameters(model)},
        {"tokens times width of a sample", s * (h > wide ? h : wide)},
        {"attention scores of a sample", (double)model->heads * s * s},
    };
    for (unsigned i = 0; i < sizeof products / sizeof products[0]; i++)
        if (products[i].value > 0x1p53)
            return place_fail(root, error, "%.3g %s: more than 2^53, check the dimensions",
                              products[i].value, products[i].what);
    return RK_OK;
}

enum rk_status model_check(const struct place *root, struct rk_model *model, struct rk_error *error)
{
    enum rk_status status = complete(root, model, error);
    if (status == RK_OK) status = check_rules(root, model, error);
    if (status == RK_OK) status = check_pattern(root, model, error);
    if (status == RK_OK) status = check_products(root, model, error);
    return status;
}

enum rk_status model_read(const struct document *document, const char *id, struct rk_model *model,
                          struct rk_error *error)
{
    const struct place root = place_root(document);
    struct rk_model read = {0};
    enum rk_status status = fields_load(&root, model_fields, &read, error);
    if (status == RK_OK) status = model_check(&root, &read, error);
    if (status != RK_OK) return status;
    snprintf(read.id, sizeof read.id, "%s", id);
    text_make_name(read.id);
    *model = read;
    return RK_OK;
}

enum rk_status rk_model_load(const char *name, struct rk_model *model, struct rk_error *error)
{
    struct document document = {0};
    char id[sizeof model->id];
    enum rk_status status = catalog_open(CATALOG_MODELS, name, &document, id, sizeof id, error);
    if (status == RK_OK) status = model_read(&document, id, model, error);
    document_release(&document);
    return status;
}
