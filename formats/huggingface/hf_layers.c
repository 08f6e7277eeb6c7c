/* hf_layers.c - the pattern of layers: which attend, to what, which recur, which are mixtures.
 *
 * Files say it in a dozen ways: a list of names or numbers, a text of letters, a period and an
 * offset, the first or every Nth. Each way writes the letters of pattern.h, one a layer, and the
 * letters are then said as shortly as model files can.
 */
#include "base/limits.h"
#include "huggingface/hf_reading.h"
#include "keys/model_period.h"
#include "workload/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct letters {
    uint64_t layers;
    char mixer[MOST_LAYERS], mlp[MOST_LAYERS];
};

/* ---- lists ---- */

/* Of one element a layer: what it stands for. */
struct meaning {
    const char *name; /* of a text; NULL: any other */
    int number;       /* of a number, when there is no name */
    char letter;
};

static enum rk_status fail_element(const struct place *place, struct rk_error *error)
{
    char got[PLACE_TEXT];
    return place_fail(place, error, "%s is not a kind of layer that is known here",
                      place_describe(got, place));
}

static enum rk_status read_list(struct reading *r, const struct place *list,
                                const struct meaning *meanings, char *to, uint64_t layers)
{
    enum rk_status status = place_need_array(list, 0, MOST_LAYERS, r->error);
    const size_t size = status == RK_OK ? json_array_size(list->value) : 0;
    if (status == RK_OK && size < layers)
        return place_fail(list, r->error, "has %zu elements for %" PRIu64 " layers", size, layers);
    for (size_t i = 0; status == RK_OK && i < layers; i++) {
        const struct place element = place_element(list, i);
        const char *text = json_string_value(element.value);
        const struct meaning *m = meanings;
        if (!text && !json_is_integer(element.value)) return fail_element(&element, r->error);
        while (m->letter && (text ? !m->name || strcmp(text, m->name) != 0
                                  : m->name || json_integer_value(element.value) != m->number))
            m++;
        if (!m->letter) return fail_element(&element, r->error);
        to[i] = m->letter;
    }
    return status;
}

/* Layers that a list names by their numbers, from `base` on. */
static enum rk_status read_numbers(struct reading *r, const struct place *list, uint64_t base,
                                   char letter, char *to, uint64_t layers)
{
    static const struct field field = {.type = FIELD_COUNT, .max = 1e9};
    enum rk_status status = place_need_array(list, 0, MOST_LAYERS, r->error);
    const size_t size = status == RK_OK ? json_array_size(list->value) : 0;
    for (size_t i = 0; status == RK_OK && i < size; i++) {
        const struct place element = place_element(list, i);
        uint64_t layer;
        status = field_load(&element, &field, &layer, r->error);
        if (status == RK_OK && layer >= base && layer - base < layers) to[layer - base] = letter;
    }
    return status;
}

/* The same as a text: "3,4,5". */
static enum rk_status read_number_text(const struct place *place, char letter, char *to,
                                       uint64_t layers, struct rk_error *error)
{
    char got[PLACE_TEXT];
    const char *text = json_string_value(place->value);
    for (const char *p = text; *p;) {
        char *end;
        const unsigned long long layer = strtoull(p, &end, 10);
        if (end == p || (*end && *end != ','))
            return place_fail(place, error, "must be numbers of layers (\"3,4,5\"), got %s",
                              place_describe(got, place));
        if (layer < layers) to[layer] = letter;
        p = *end ? end + 1 : end;
    }
    return RK_OK;
}

/* ---- mixers ---- */

static const struct meaning layer_names[] = {{"full_attention", 0, 'a'},
                                             {"attention", 0, 'a'},
                                             {"sliding_attention", 0, 'l'},
                                             {"chunked_attention", 0, 'l'},
                                             {"linear_attention", 0, 'r'},
                                             {"mamba", 0, 'r'},
                                             {"mamba2", 0, 'r'},
                                             {"hybrid", 0, 'b'},
                                             {NULL, 0, '\0'}};
static const struct meaning linear_or_whole[] = {{NULL, 0, 'r'}, {NULL, 1, 'a'}, {NULL, 0, '\0'}};
static const struct meaning whole_or_local[] = {{NULL, 0, 'a'}, {NULL, 1, 'l'}, {NULL, 0, '\0'}};

static void fill_every(char *to, uint64_t layers, uint64_t every, char at, char others)
{
    for (uint64_t i = 0; i < layers; i++)
        to[i] = (i + 1) % every == 0 ? at : others;
}

/* "M-M*E": Mamba, an MLP alone, attention alone, a mixture alone (Nemotron-H); "LLLG": local and
 * global, repeated (EXAONE 4). */
static enum rk_status read_letters(struct reading *r, const struct place *place, bool repeated,
                                   struct letters *letters)
{
    static const char known[] = "M*-ELG", mixers[] = "ra--la", mlps[] = "--dedd";
    const char *text = json_string_value(place->value);
    const size_t length = text ? strlen(text) : 0;
    char got[PLACE_TEXT];
    if (length == 0 || (!repeated && length < letters->layers))
        return place_fail(place, r->error, "must be a letter for each layer, got %s",
                          place_describe(got, place));
    for (uint64_t i = 0; i < letters->layers; i++) {
        const char *at = strchr(known, text[i % length]);
        if (!at) return fail_element(place, r->error);
        letters->mixer[i] = mixers[at - known];
        if (!repeated) letters->mlp[i] = mlps[at - known];
    }
    return RK_OK;
}

/* The same as a list of names, one part of a block each. */
static enum rk_status read_parts(struct reading *r, const struct place *list,
                                 struct letters *letters)
{
    static const struct meaning mixers[] = {{"mamba", 0, 'r'},
                                            {"attention", 0, 'a'},
                                            {"mlp", 0, '-'},
                                            {"moe", 0, '-'},
                                            {NULL, 0, '\0'}};
    static const struct meaning mlps[] = {{"mamba", 0, '-'},
                                          {"attention", 0, '-'},
                                          {"mlp", 0, 'd'},
                                          {"moe", 0, 'e'},
                                          {NULL, 0, '\0'}};
    const enum rk_status status = read_list(r, list, mixers, letters->mixer, letters->layers);
    return status == RK_OK ? read_list(r, list, mlps, letters->mlp, letters->layers) : status;
}

/* Each way that files of the type may say it; the first that is there holds. */
static enum rk_status said_mixers(struct reading *r, struct letters *l, bool *said)
{
    const struct hf_keys *k = &r->keys;
    struct place list;
    char *to = l->mixer;
    *said = true;
#define SAID(key) (hf_type_has(r->type, key) && hf_member(r, key, &list))
    if (SAID("hybrid_override_pattern")) return read_letters(r, &list, false, l);
    if (hf_type_has(r->type, "hybrid_override_pattern")) {
        if (SAID("layers_block_type")) return read_parts(r, &list, l);
        return place_fail(hf_model_object(r), r->error,
                          "missing key \"hybrid_override_pattern\" (or \"layers_block_type\"): "
                          "add it");
    }
    if (SAID("layer_types")) return read_list(r, &list, layer_names, to, l->layers);
    if (SAID("attn_type_list")) return read_list(r, &list, linear_or_whole, to, l->layers);
    if (SAID("hybrid_layer_pattern")) return read_list(r, &list, whole_or_local, to, l->layers);
    if (SAID("attn_layer_indices") && json_is_array(list.value) &&
        json_array_size(list.value) > 0) {
        memset(to, 'r', l->layers);
        return read_numbers(r, &list, 0, 'a', to, l->layers);
    }
    if (SAID("linear_attn_config")) {
        struct hf_chain chain;
        struct place layers;
        if (!hf_find(&list, "kda_layers", &chain, &layers))
            return place_fail(&list, r->error, "missing key \"kda_layers\": add it");
        return read_numbers(r, &layers, 1, 'r', to, l->layers);
    }
    if (SAID("sliding_window_pattern") && json_is_string(list.value))
        return read_letters(r, &list, true, l);
#undef SAID
    *said = false;
    for (uint64_t i = 0; k->attention_step && i < l->layers; i++)
        to[i] = i % k->attention_step == k->attention_offset ? 'a' : 'r';
    if (k->attention_every && r->import->model.recurrence)
        fill_every(to, l->layers, k->attention_every, 'a', 'r');
    if (k->pattern) fill_every(to, l->layers, k->pattern, 'a', 'l');
    if (k->chunk) fill_every(to, l->layers, k->attention_every ? k->attention_every : 4, 'a', 'l');
    return RK_OK;
}

/* Is attention of some layers limited? qwen's files have a window even where they do not use it. */
static bool uses_window(const struct reading *r)
{
    return r->keys.window && (r->keys.use_window || !hf_type_has(r->type, "use_sliding_window"));
}

/* Layers of llama4 without positions see all, the others their chunk. */
static enum rk_status read_chunks(struct reading *r, struct letters *l)
{
    static const struct meaning meanings[] = {{NULL, 1, 'l'}, {NULL, 0, 'a'}, {NULL, 0, '\0'}};
    struct place list;
    if (!r->keys.chunk || !hf_member(r, "no_rope_layers", &list)) return RK_OK;
    if (!json_is_array(list.value) || json_array_size(list.value) == 0) return RK_OK;
    return read_list(r, &list, meanings, l->mixer, l->layers);
}

static enum rk_status set_mixers(struct reading *r, struct letters *l)
{
    const struct hf_keys *k = &r->keys;
    struct rk_model *m = &r->import->model;
    const char all = *m->mixers ? *m->mixers : 'a';
    bool said;
    memset(l->mixer, all, l->layers);
    for (uint64_t i = 2; k->double_layers && i < l->layers; i += 3)
        l->mixer[i] = '-';
    if (k->double_layers) return RK_OK;
    enum rk_status status = said_mixers(r, l, &said);
    if (status == RK_OK && !said) status = read_chunks(r, l);
    if (status != RK_OK) return status;
    m->window = k->chunk ? k->chunk : uses_window(r) ? k->window : 0;
    /* without a list: all layers, or in qwen's files those after the first few */
    const bool periodic = k->pattern || k->chunk || k->attention_every || k->attention_step;
    if (m->window && !said && !periodic && all == 'a')
        for (uint64_t i = 0; i < l->layers; i++)
            l->mixer[i] = i >= k->window_from ? 'l' : 'a';
    for (uint64_t i = 0; i < l->layers && !m->window; i++)
        if (l->mixer[i] == 'l') l->mixer[i] = 'a';
    return RK_OK;
}

/* ---- MLPs ---- */

static const struct meaning dense_or_sparse[] = {
    {"dense", 0, 'd'}, {"sparse", 0, 'e'}, {NULL, 0, 'd'}, {NULL, 1, 'e'}, {NULL, 0, '\0'}};

static enum rk_status set_mlps(struct reading *r, struct letters *l)
{
    const struct hf_keys *k = &r->keys;
    struct place list;
    const uint64_t step = k->sparse_step ? k->sparse_step : 1;
    const uint64_t every = k->sparse_every ? k->sparse_every : 1;
    if (hf_type_has(r->type, "hybrid_override_pattern")) return RK_OK; /* the mixers' */
    for (uint64_t i = 0; i < l->layers; i++) {
        const bool sparse = k->experts && i >= k->dense_first && i >= k->sparse_from &&
                            i % step == k->sparse_offset && (i + 1) % every == 0;
        l->mlp[i] = *r->import->model.mlps ? *r->import->model.mlps : sparse ? 'e' : 'd';
    }
    for (uint64_t i = 0; k->double_layers && i < l->layers; i++)
        l->mlp[i] = i % 3 == 2 ? 'e' : 'd';
    if (!k->experts || k->double_layers) return RK_OK;
#define SAID(key) (hf_type_has(r->type, key) && hf_member(r, key, &list))
    if (SAID("mlp_layer_types")) return read_list(r, &list, dense_or_sparse, l->mlp, l->layers);
    if (SAID("moe_layer_freq") && json_is_array(list.value))
        return read_list(r, &list, dense_or_sparse, l->mlp, l->layers);
    if (SAID("moe_layers_enum") && json_is_string(list.value)) {
        memset(l->mlp, 'd', l->layers);
        return read_number_text(&list, 'e', l->mlp, l->layers, r->error);
    }
    if (SAID("moe_layers")) {
        memset(l->mlp, 'd', l->layers);
        return read_numbers(r, &list, 0, 'e', l->mlp, l->layers);
    }
    if (SAID("moe_layer_end_index")) {
        static const struct field field = {.type = FIELD_TIER, .min = -1, .max = 1e9};
        int end = -1;
        const enum rk_status status = field_load(&list, &field, &end, r->error);
        for (uint64_t i = 0; status == RK_OK && end >= 0 && i < l->layers; i++)
            if (i > (uint64_t)end) l->mlp[i] = 'd';
        return status;
    }
    if (SAID("mlp_only_layers")) return read_numbers(r, &list, 0, 'd', l->mlp, l->layers);
#undef SAID
    return RK_OK;
}

/* ---- said shortly ---- */

static bool is_every(const char *letters, uint64_t layers, uint64_t from, uint64_t every, char at,
                     char others)
{
    for (uint64_t i = 0; i < layers; i++)
        if (letters[i] != (i >= from && (i - from + 1) % every == 0 ? at : others)) return false;
    return true;
}

/* All layers local, or all but every Nth: `window` with `window_every`. */
static bool write_mixers(struct rk_model *m, const struct letters *l)
{
    const char *first = memchr(l->mixer, 'a', l->layers);
    const uint64_t every = first ? (uint64_t)(first - l->mixer) + 1 : 0;
    m->mixers[0] = '\0';
    if (is_every(l->mixer, l->layers, 0, 1, 'a', 'a')) return true;
    if (is_every(l->mixer, l->layers, 0, 1, 'l', 'l')) return true;
    if (every > 1 && is_every(l->mixer, l->layers, 0, every, 'a', 'l')) {
        m->window_every = every;
        return true;
    }
    return model_period(m->mixers, sizeof m->mixers, l->mixer, l->layers);
}

/* A few dense layers, then a mixture every Nth: `dense_layers` with `expert_every`. */
static bool write_mlps(struct rk_model *m, const struct letters *l)
{
    const char *first = memchr(l->mlp, 'e', l->layers);
    m->mlps[0] = '\0';
    if (is_every(l->mlp, l->layers, 0, 1, 'd', 'd')) return true;
    if (!first) return model_period(m->mlps, sizeof m->mlps, l->mlp, l->layers);
    const uint64_t at = (uint64_t)(first - l->mlp), left = l->layers - at - 1;
    const char *second = left ? memchr(first + 1, 'e', left) : NULL;
    const uint64_t every = second ? (uint64_t)(second - first) : left + 1;
    if (at + 1 >= every && is_every(l->mlp, l->layers, at + 1 - every, every, 'e', 'd')) {
        m->dense_layers = at + 1 - every;
        m->expert_every = every > 1 ? every : 0;
        return true;
    }
    return model_period(m->mlps, sizeof m->mlps, l->mlp, l->layers);
}

static void forget_experts(struct rk_model *m)
{
    m->experts = m->active_experts = m->shared_experts = m->expert_feedforward = 0;
    m->shared_feedforward = m->expert_hidden = m->dense_layers = m->expert_every = 0;
    m->expert_groups = m->active_groups = 0;
    m->router_biases = m->shared_gate = false;
}

static void forget_recurrence(struct rk_model *m)
{
    m->recurrence = RK_RECURRENCE_NONE;
    m->recurrent_heads = m->recurrent_dim = m->recurrent_groups = m->state = 0;
    m->convolution = m->time_rank = 0;
    m->recurrent_norm = false;
}

static bool has_letter(const char *letters, uint64_t layers, char letter)
{
    return memchr(letters, letter, layers) != NULL;
}

enum rk_status hf_set_pattern(struct reading *r)
{
    struct rk_model *m = &r->import->model;
    struct letters letters = {.layers = m->layers};
    const struct place *object = hf_model_object(r);
    if (m->layers > MOST_LAYERS)
        return place_fail(object, r->error, "%" PRIu64 " layers: at most %d are read", m->layers,
                          MOST_LAYERS);
    enum rk_status status = set_mixers(r, &letters);
    if (status == RK_OK) status = set_mlps(r, &letters);
    if (status != RK_OK) return status;
    const bool recurs =
        has_letter(letters.mixer, m->layers, 'r') || has_letter(letters.mixer, m->layers, 'b');
    if (!has_letter(letters.mlp, m->layers, 'e')) forget_experts(m); /* the file's are in none */
    if (!recurs) forget_recurrence(m);
    if (!has_letter(letters.mixer, m->layers, 'l'))
        m->window = m->local_heads = m->local_kv_heads = m->local_head_dim = 0;
    if (!write_mixers(m, &letters) || !write_mlps(m, &letters))
        return place_fail(object, r->error,
                          "a pattern of %" PRIu64 " layers that does not repeat within %zu: model "
                          "files cannot say it",
                          m->layers, sizeof m->mixers - 1);
    if (!m->window) m->window_chunks = false;
    return RK_OK;
}
