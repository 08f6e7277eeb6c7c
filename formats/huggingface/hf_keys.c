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
#define UPTO_64(member)     { .type = FIELD_COUNT, AT(member), .max = 64 }
#define NORMS(member)       { .type = FIELD_COUNT, AT(member), .min = 1, .max = 2 }
#define FLAG(member)        { .type = FIELD_BOOL, AT(member) }
#define RATE(member)        { .type = FIELD_NUMBER, AT(member), .max = 1 }
#define NUMBER(member)      { .type = FIELD_NUMBER, AT(member), .max = 1e9 }
#define TEXT(member)        { .type = FIELD_TEXT, AT(member), .size = sizeof ((struct hf_keys *)0)->member }
#define NOTHING(member)     { .type = FIELD_OTHER }

static const struct key {
    const char *spelling[8];
    const char *variant;
    enum how how;
    struct field field;
    const char *instead; /* what is taken for 0, when it is missing */
} keys_table[] = {
#define ROW(kind, member, how, variant, instead, a, b, c, d, e, f, g) \
    {{a, OR_NULL(b), OR_NULL(c), OR_NULL(d), OR_NULL(e), OR_NULL(f), OR_NULL(g)}, OR_NULL(variant), how, kind(member), OR_NULL(instead)},
#include "tables/hf-keys.h"
#undef ROW
};

/* Said by files, but nothing about shape or cost. Ended by "*": all that begin so, which a note names. */
static const char *const harmless[] = {
#define FORMAT_KEY(name, ...) name,
#include "tables/hf.h"
#undef FORMAT_KEY
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

/* Names, parted by commas; those that find no room are counted. */
struct names {
    char *text;
    size_t size, used;
    int left_out;
};

enum { NAMES_END = 32, NAME_MOST = 60 }; /* characters of "and 12 more", and of a name */

static void name_add(struct names *names, const char *name)
{
    if (names->left_out || names->used + NAME_MOST + NAMES_END > names->size)
        names->left_out++;
    else
        names->used += (size_t)snprintf(names->text + names->used, names->size - names->used,
                                        "%s%.*s", names->used ? ", " : "", NAME_MOST, name);
}

static void names_end(struct names *names)
{
    if (names->left_out)
        snprintf(names->text + names->used, names->size - names->used, ", and %d more",
                 names->left_out);
}

/* Is it known, by its own name, to say nothing here? */
static bool is_harmless(const char *key)
{
    for (const char *const *name = harmless; *name; name++)
        if (strcmp(*name, key) == 0) return true;
    return false;
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
    char more[300] = "", got[PLACE_TEXT];
    struct names rest = {unknown, size, 0, 0}, refused = {more, sizeof more, 0, 0};
    struct place member;
    json_object_foreach(object->value, key, value)
    {
        if (json_is_null(value) || hf_type_has(type, key) || leads_on(type, key)) continue;
        if (is_a_key(key) ? is_off(value) : is_harmless(key)) continue;
        if (is_off(value) || (!is_a_key(key) && text_matches_any(key, harmless)) ||
            !may_cost(key, value, layers))
            name_add(&rest, key);
        else if (first)
            name_add(&refused, key);
        else
            first = key;
    }
    names_end(&rest);
    names_end(&refused);
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
