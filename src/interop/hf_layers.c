/* hf_layers.c - which layers are mixtures of experts, and which see a window of the sample. */
#include "base/text.h"
#include "interop/hf_reading.h"

#include <string.h>

/* ---- mixtures ---- */

enum { MOST_LISTED = 4096 };

/* Layers in mlp_only_layers that would be mixtures by the step. */
struct listed {
    uint64_t count;
    uint64_t leading; /* the list begins with layers 0 ... leading - 1 */
    bool first;       /* ... and names no other one that counts */
};

static enum rk_status count_listed(struct reading *r, struct listed *listed)
{
    const struct place *object = hf_model_object(r);
    struct place list;
    *listed = (struct listed){.first = true};
    if (!place_member(object, "mlp_only_layers", &list) || json_is_null(list.value)) return RK_OK;
    enum rk_status status = place_need_array(&list, 0, MOST_LISTED, r->error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(list.value); i++) {
        static const struct field field = {.type = FIELD_COUNT, .max = 1e9};
        const struct place element = place_element(&list, i);
        uint64_t layer;
        bool before = false;
        status = field_load(&element, &field, &layer, r->error);
        for (size_t k = 0; status == RK_OK && k < i; k++)
            before |= json_equal(json_array_get(list.value, k), element.value);
        if (status != RK_OK || before || layer >= r->keys.layers) continue;
        const bool mixture = (layer + 1) % r->keys.sparse_step == 0;
        listed->count += mixture;
        if (layer == listed->leading)
            listed->leading++;
        else if (mixture)
            listed->first = false;
    }
    return status;
}

/* Which layers are mixtures, as a file and as model files say it. */
struct sparse {
    uint64_t mixtures; /* how many */
    uint64_t first;    /* one, of which each step-th follows */
    bool regular;
};

/* Every n-th layer, counted from the n-th, but for those listed; of deepseek, counted from the
 * first one, and none before `dense_first`. */
static enum rk_status find_sparse(struct reading *r, uint64_t step, struct sparse *sparse)
{
    const struct hf_keys *k = &r->keys;
    struct listed listed = {.first = true};
    enum rk_status status = RK_OK;
    if (r->type == HF_QWEN3_MOE) {
        status = count_listed(r, &listed);
        sparse->mixtures = k->layers / step - listed.count;
        sparse->first = (listed.leading / step + 1) * step - 1;
    } else {
        const uint64_t from = k->dense_first < k->layers ? k->dense_first : k->layers;
        sparse->mixtures = (k->layers + step - 1) / step - (from + step - 1) / step;
        sparse->first = (from + step - 1) / step * step;
    }
    sparse->regular = listed.first && sparse->first + 1 >= step;
    return status;
}

/* Model files count from the layer behind the dense ones: each n-th of those. */
static enum rk_status set_mixtures(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    struct rk_model *m = &r->import->model;
    const uint64_t step = k->sparse_step ? k->sparse_step : 1;
    struct sparse sparse;
    char value[VALUE];
    const enum rk_status status = find_sparse(r, step, &sparse);
    if (status != RK_OK || sparse.mixtures == 0) {
        m->dense_layers = k->layers;
        return status;
    }
    if (sparse.regular) {
        m->dense_layers = sparse.first + 1 - step;
        m->expert_every = step > 1 ? step : 0;
        return RK_OK;
    }
    m->dense_layers = k->layers - sparse.mixtures;
    if (m->dense_layers)
        hf_note_add(r, HF_IGNORED, "dense_layers", hf_count_text(value, m->dense_layers),
                    "these layers stand between those with experts; here they are the first ones");
    return RK_OK;
}

enum rk_status hf_set_experts(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    struct rk_model *m = &r->import->model;
    const enum rk_status status = k->experts ? set_mixtures(r) : RK_OK;
    if (status != RK_OK || !k->experts) return status;
    if (m->dense_layers == k->layers) {
        m->dense_layers = 0;
        return RK_OK;
    }
    m->experts = k->experts;
    m->active_experts = k->active_experts;
    m->shared_experts = k->shared_experts;
    m->expert_feedforward = k->expert_feedforward ? k->expert_feedforward : k->feedforward;
    m->router_biases =
        *k->topk_method ? strcmp(k->topk_method, "noaux_tc") == 0 : r->type == HF_DEEPSEEK_V3;
    if (r->type == HF_DEEPSEEK_V3 && !*k->topk_method)
        hf_note_add(r, HF_ASSUMED, "topk_method", "noaux_tc", "not in the file: of every %s model",
                    r->import->type);
    return RK_OK;
}

/* ---- windows of attention ---- */

/* Which layers are local: from `from` on, or, where the file lists them, as the list says. */
struct pattern {
    uint64_t from;   /* the first local one */
    uint64_t period; /* of the listed ones, each so many-th sees all tokens; 0: none, 1: all */
    bool listed, regular;
};

/* A layer of the list; its place in the period of those before it. */
static void follow(struct pattern *pattern, uint64_t i, bool local)
{
    if (!local && !pattern->period) pattern->period = i + 1;
    const bool whole = pattern->period && (i + 1) % pattern->period == 0;
    if (local == whole) pattern->regular = false;
}

static enum rk_status read_layer_types(struct reading *r, struct pattern *pattern)
{
    const struct place *object = hf_model_object(r);
    struct place list;
    char got[PLACE_TEXT], quoted[TEXT_QUOTE];
    const char *other = NULL;
    if (!place_member(object, "layer_types", &list) || json_is_null(list.value)) return RK_OK;
    enum rk_status status = place_need_array(&list, 0, (size_t)-1, r->error);
    pattern->listed = true;
    for (size_t i = 0; status == RK_OK && i < json_array_size(list.value); i++) {
        const struct place element = place_element(&list, i);
        const char *type = json_string_value(element.value);
        if (!type)
            return place_fail(&element, r->error, "must be a text, got %s",
                              place_describe(got, &element));
        const bool local = strcmp(type, "sliding_attention") == 0;
        follow(pattern, i, local);
        if (!local && !other && strcmp(type, "full_attention") != 0) other = type;
    }
    if (other)
        hf_note_add(r, HF_IGNORED, "layer_types", "",
                    "some layers are %s: all are taken for full_attention",
                    text_quote(quoted, other, strlen(other)));
    return status;
}

static bool uses_window(const struct reading *r)
{
    const bool optional = r->type == HF_QWEN2 || r->type == HF_QWEN3 || r->type == HF_QWEN3_MOE;
    return r->keys.window && (r->keys.use_window || !optional);
}

/* Layers behind the first `from` are local in qwen's files, all of them in others', unless each has
 * its type. */
enum rk_status hf_set_window(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    struct rk_model *m = &r->import->model;
    struct pattern pattern = {.from = k->window_from, .regular = true};
    char value[VALUE];
    const enum rk_status status = read_layer_types(r, &pattern);
    if (status != RK_OK || !uses_window(r)) return status;
    if (!pattern.listed && pattern.from >= k->layers) return RK_OK;
    if (pattern.listed && pattern.regular && pattern.period == 1) return RK_OK;
    if (pattern.listed ? !pattern.regular : pattern.from > 0) {
        hf_note_add(
            r, HF_IGNORED, "sliding_window", hf_count_text(value, k->window),
            "attention is taken to reach over the whole sample in every layer: model files cannot "
            "say which are local");
        return RK_OK;
    }
    m->window = k->window;
    m->window_every = pattern.listed && pattern.period < k->layers ? pattern.period : 0;
    return RK_OK;
}
