#include "cli/train_exact.h"
#include "base/text.h"

#include "huggingface/hf_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct exact_type train_exact_types[] = {
#define ROW(...) {__VA_ARGS__},
#include "tables/exact-types.h"
#undef ROW
    {.name = NULL},
};

/* Keys that leave the arithmetic as it is, whatever they say, or that are looked at elsewhere. */
static const char *const followed[] = {
#define ROW(key, about) key,
#include "tables/exact-keys.h"
#undef ROW
    NULL};

/* Keys of values that leave the arithmetic as it is; with another one it is another. */
enum value { ONE, ON, OFF, EIGHT, HIDDEN, SILU, LAYER_NORM, MULTIHEAD, PER_LAYER };

static const struct valued {
    const char *key;
    enum value value;
} valued[] = {
#define ROW(...) {__VA_ARGS__},
#include "tables/exact-values.h"
#undef ROW
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
    json_t *said = type && *type->said ? json_loads(type->said, 0, NULL) : json_object();
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
