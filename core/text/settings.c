#include "text/settings.h"
#include "base/hash.h"
#include "base/memory.h"
#include "text/toml.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* ---- memory ---- */

struct settings_memory {
    struct settings_memory *next;
    char bytes[];
};

static const char *copy(struct settings *s, const char *text, size_t length)
{
    struct settings_memory *block = malloc(sizeof *block + length + 1);
    if (!block) return NULL;
    block->next = s->memory;
    s->memory = block;
    memcpy(block->bytes, text, length);
    block->bytes[length] = '\0';
    return block->bytes;
}

void settings_release(struct settings *settings)
{
    while (settings->memory) {
        struct settings_memory *next = settings->memory->next;
        free(settings->memory);
        settings->memory = next;
    }
    free(settings->setting);
    free(settings->place);
    *settings = (struct settings){.count = 0};
}

/* ---- the list ---- */

/* Where a key is noted, or would be. */
static uint32_t *place_of(const struct settings *s, const char *key)
{
    size_t at = hash_bytes(key, strlen(key)) & (s->places - 1);
    while (s->place[at] && strcmp(s->setting[s->place[at] - 1].key, key) != 0)
        at = (at + 1) & (s->places - 1);
    return &s->place[at];
}

/* Notes the places of all settings; of equal keys, the first. */
static void note_places(struct settings *s)
{
    for (size_t i = 0; i < s->places; i++)
        s->place[i] = 0;
    for (size_t i = 0; i < s->count; i++) {
        uint32_t *place = place_of(s, s->setting[i].key);
        if (!*place) *place = (uint32_t)i + 1;
    }
}

/* At least half of the places are free afterwards. */
static bool places_for(struct settings *s, size_t count)
{
    size_t places = s->places ? s->places : 64;
    while (places < 2 * count)
        places *= 2;
    if (places == s->places) return true;
    uint32_t *place = realloc(s->place, places * sizeof *place);
    if (!place) return false;
    s->place = place;
    s->places = places;
    note_places(s);
    return true;
}

const struct setting *settings_find(const struct settings *settings, const char *key)
{
    const uint32_t found = settings->places ? *place_of(settings, key) : 0;
    return found ? &settings->setting[found - 1] : NULL;
}

bool settings_has(const struct settings *settings, const char *prefix)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strncmp(settings->setting[i].key, prefix, strlen(prefix)) == 0) return true;
    return false;
}

const char *settings_keep(struct settings *settings, const char *text)
{
    return copy(settings, text, strlen(text));
}

void settings_underscore(struct settings *settings)
{
    for (size_t i = 0; i < settings->count; i++)
        for (char *p = (char *)(uintptr_t)settings->setting[i].key; *p; p++) /* of our memory */
            if (*p == '-') *p = '_';
    note_places(settings);
}

enum rk_status settings_fail(const struct settings *settings, const struct setting *setting,
                             struct rk_error *error, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!setting) return rk_fail(error, RK_BAD_INPUT, settings->path, 0, 0, "%s", text);
    if (setting->given)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "`set` %.100s: %s", setting->key, text);
    return rk_fail(error, RK_BAD_INPUT, settings->path, setting->line, setting->column,
                   "%.100s: %s", setting->key, text);
}

enum rk_status settings_fail_key(const struct settings *settings, const char *key,
                                 struct rk_error *error, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const struct setting *at = settings_find(settings, key);
    return at ? settings_fail(settings, at, error, "%s", text)
              : rk_fail(error, RK_BAD_INPUT, settings->path, 0, 0, "%.100s: %s", key, text);
}

static enum rk_status add(struct settings *s, const struct setting *setting, struct rk_error *error)
{
    const struct setting *before = settings_find(s, setting->key);
    if (before && before->given) return RK_OK; /* --set wins */
    if (before)
        return settings_fail(s, setting, error, "is given twice, in line %d too", before->line);
    if (s->count == SETTINGS_MAX) return settings_fail(s, setting, error, "one key too many");
    if (!ARRAY_ROOM(s->setting, s->count) || !places_for(s, s->count + 1)) return no_memory(error);
    *place_of(s, setting->key) = (uint32_t)s->count + 1;
    s->setting[s->count++] = *setting;
    return RK_OK;
}

static enum rk_status give(struct settings *s, const char *const *sets, size_t count,
                           struct rk_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(sets[i], '=');
        if (!equals || equals == sets[i])
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "`set`: \"%.60s\" is not an assignment: give KEY=VALUE", sets[i]);
        struct setting setting = {.key = copy(s, sets[i], (size_t)(equals - sets[i])),
                                  .text = copy(s, equals + 1, strlen(equals + 1)),
                                  .null = !equals[1],
                                  .given = true};
        if (!setting.key || !setting.text)
            return rk_fail(error, RK_NO_MEMORY, s->path, 0, 0, "out of memory");
        const enum rk_status status = add(s, &setting, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

/* ---- YAML and JSON ---- */

enum { YAML_DEPTH = 32, YAML_KEY = 512, YAML_MERGED = 32 };

struct walk {
    struct settings *s;
    struct rk_error *error;
    yaml_document_t *document;
    char key[YAML_KEY];    /* of the node at hand */
    size_t visited, nodes; /* so far; of the document */
};

static enum rk_status fail_at(const struct walk *w, const yaml_node_t *node, const char *text)
{
    return rk_fail(w->error, RK_BAD_INPUT, w->s->path, (int)node->start_mark.line + 1,
                   (int)node->start_mark.column + 1, "%s", text);
}

static enum rk_status fail_aliases(const struct walk *w, const yaml_node_t *node)
{
    char text[80];
    snprintf(text, sizeof text, "aliases repeat more than %d values", SETTINGS_MAX_REPEATED);
    return fail_at(w, node, text);
}

static bool is_null(const yaml_node_t *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL", "None"};
    if (node->type != YAML_SCALAR_NODE) return true; /* an empty map or list */
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp((const char *)node->data.scalar.value, words[i]) == 0) return true;
    return false;
}

static enum rk_status add_node(struct walk *w, const yaml_node_t *node)
{
    const bool scalar = node->type == YAML_SCALAR_NODE, null = is_null(node);
    const char *text = scalar && !null ? (const char *)node->data.scalar.value : "";
    struct setting setting = {
        .key = copy(w->s, w->key, strlen(w->key)),
        .text = copy(w->s, text, strlen(text)),
        .quoted = scalar && node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE,
        .null = null,
        .line = (int)node->start_mark.line + 1,
        .column = (int)node->start_mark.column + 1,
    };
    if (!setting.key || !setting.text)
        return rk_fail(w->error, RK_NO_MEMORY, w->s->path, 0, 0, "out of memory");
    return add(w->s, &setting, w->error);
}

static enum rk_status walk_node(struct walk *w, int index, int depth);

/* Goes into a value under `name`. */
static enum rk_status walk_member(struct walk *w, const char *name, int index, int depth,
                                  const yaml_node_t *at)
{
    const size_t length = strlen(w->key);
    const int n =
        snprintf(w->key + length, sizeof w->key - length, "%s%s", length ? "." : "", name);
    if (n < 0 || (size_t)n >= sizeof w->key - length) return fail_at(w, at, "the key is too long");
    const enum rk_status status = walk_node(w, index, depth + 1);
    w->key[length] = '\0';
    return status;
}

static const char *key_text(const struct walk *w, const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(w->document, pair->key);
    return key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : NULL;
}

static bool map_has(const struct walk *w, const yaml_node_t *map, const char *name)
{
    for (const yaml_node_pair_t *pair = map->data.mapping.pairs.start;
         pair < map->data.mapping.pairs.top; pair++) {
        const char *key = key_text(w, pair);
        if (key && strcmp(key, name) == 0) return true;
    }
    return false;
}

/* The members of a map by their names, those of one name in the order of the file. */
struct member {
    const char *name;
    const yaml_node_pair_t *pair;
    int line;
};

static int by_name(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const int names = strcmp(x->name, y->name);
    return names ? names : x->pair < y->pair ? -1 : x->pair > y->pair;
}

static struct member *sort_members(const struct walk *w, const yaml_node_t *map, size_t *count)
{
    const yaml_node_pair_t *start = map->data.mapping.pairs.start,
                           *top = map->data.mapping.pairs.top;
    struct member *members = malloc((size_t)(top - start + 1) * sizeof *members);
    *count = 0;
    for (const yaml_node_pair_t *pair = start; members && pair < top; pair++) {
        const char *name = key_text(w, pair);
        const yaml_node_t *key = yaml_document_get_node(w->document, pair->key);
        if (name) members[(*count)++] = (struct member){name, pair, (int)key->start_mark.line + 1};
    }
    if (members) qsort(members, *count, sizeof *members, by_name);
    return members;
}

/* Is it the last of its name? *earlier: the line of the first, 0 where that is this one. */
static bool counts(const struct member *members, size_t count, const char *name,
                   const yaml_node_pair_t *pair, int *earlier)
{
    const struct member wanted = {name, pair, 0};
    const struct member *found = bsearch(&wanted, members, count, sizeof *members, by_name);
    const struct member *first = found;
    while (first && first > members && strcmp(first[-1].name, name) == 0)
        first--;
    *earlier = first && first < found ? first->line : 0;
    return !found || found + 1 == members + count || strcmp(found[1].name, name) != 0;
}

/* A map, and those that it takes in by "<<", in the order in which they win. */
struct merged {
    int count;
    const yaml_node_t *map[YAML_MERGED];
};

static bool is_taken(const struct walk *w, const struct merged *merged, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (map_has(w, merged->map[i], name)) return true;
    return false;
}

static enum rk_status walk_merge(struct walk *w, struct merged *merged, const yaml_node_t *value,
                                 int depth);

/* The members that no map before this one has. */
static enum rk_status walk_members(struct walk *w, struct merged *merged, const yaml_node_t *node,
                                   const struct member *members, size_t count, int depth)
{
    enum rk_status status = RK_OK;
    const int before = merged->count - 1;
    int earlier = 0;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         status == RK_OK && pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(w->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(w->document, pair->value);
        const char *name = key_text(w, pair);
        if (!name) return fail_at(w, key, "a key must be a word: fill in what a template left");
        const bool merge = strcmp(name, "<<") == 0;
        if ((merge || before) && ++w->visited > w->nodes + SETTINGS_MAX_REPEATED)
            return fail_aliases(w, value);
        if (merge)
            status = walk_merge(w, merged, value, depth);
        else if (!is_taken(w, merged, before, name) &&
                 counts(members, count, name, pair, &earlier)) {
            const size_t had = w->s->count;
            status = walk_member(w, name, pair->value, depth, key);
            if (w->s->count > had) w->s->setting[had].earlier = earlier; /* the last counts */
        }
    }
    return status;
}

static enum rk_status walk_map(struct walk *w, struct merged *merged, const yaml_node_t *node,
                               int depth)
{
    size_t count;
    if (depth > YAML_DEPTH || merged->count == YAML_MERGED)
        return fail_at(w, node, "nested too deeply");
    struct member *members = sort_members(w, node, &count);
    if (!members) return rk_fail(w->error, RK_NO_MEMORY, w->s->path, 0, 0, "out of memory");
    merged->map[merged->count++] = node;
    const enum rk_status status = walk_members(w, merged, node, members, count, depth);
    free(members);
    return status;
}

/* What follows "<<": a map, or a list of maps. */
static enum rk_status walk_merge(struct walk *w, struct merged *merged, const yaml_node_t *value,
                                 int depth)
{
    if (value->type == YAML_MAPPING_NODE) return walk_map(w, merged, value, depth + 1);
    enum rk_status status =
        value->type == YAML_SEQUENCE_NODE
            ? RK_OK
            : fail_at(w, value, "a map, or a list of maps, is expected after <<");
    for (const yaml_node_item_t *item = value->data.sequence.items.start;
         status == RK_OK && item < value->data.sequence.items.top; item++) {
        const yaml_node_t *map = yaml_document_get_node(w->document, *item);
        status = map->type == YAML_MAPPING_NODE
                     ? walk_map(w, merged, map, depth + 1)
                     : fail_at(w, map, "maps are expected in the list after <<");
    }
    return status;
}

static enum rk_status walk_whole(struct walk *w, const yaml_node_t *node, int depth)
{
    struct merged merged = {.count = 0};
    return walk_map(w, &merged, node, depth);
}

static enum rk_status walk_node(struct walk *w, int index, int depth)
{
    const yaml_node_t *node = yaml_document_get_node(w->document, index);
    if (depth > YAML_DEPTH) /* aliases may go round */
        return fail_at(w, node, "nested too deeply");
    if (++w->visited > w->nodes + SETTINGS_MAX_REPEATED) return fail_aliases(w, node);
    if (node->type == YAML_MAPPING_NODE &&
        node->data.mapping.pairs.top > node->data.mapping.pairs.start)
        return walk_whole(w, node, depth);
    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top == node->data.sequence.items.start)
        return add_node(w, node);
    enum rk_status status = RK_OK;
    int i = 0;
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         status == RK_OK && item < node->data.sequence.items.top; item++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i++);
        status = walk_member(w, name, *item, depth, node);
    }
    return status;
}

static enum rk_status walk_document(struct settings *s, yaml_document_t *document,
                                    struct rk_error *error)
{
    struct walk w = {.s = s,
                     .error = error,
                     .document = document,
                     .nodes = (size_t)(document->nodes.top - document->nodes.start)};
    const yaml_node_t *root = yaml_document_get_root_node(document);
    if (!root) return rk_fail(error, RK_BAD_INPUT, s->path, 0, 0, "is empty");
    if (root->type == YAML_SEQUENCE_NODE)
        return fail_at(&w, root,
                       "keys and values are expected here, not a list: give one of its elements");
    if (root->type != YAML_MAPPING_NODE)
        return fail_at(&w, root, "keys and values are expected here");
    return walk_whole(&w, root, 0);
}

/* That nothing follows but documents of nothing; what is no YAML is not judged. */
static enum rk_status check_last(struct settings *s, yaml_parser_t *parser, struct rk_error *error)
{
    yaml_document_t document;
    while (yaml_parser_load(parser, &document)) {
        const yaml_node_t *root = yaml_document_get_root_node(&document);
        const bool empty = root && root->type == YAML_SCALAR_NODE && is_null(root);
        const int line = root ? (int)root->start_mark.line + 1 : 0;
        yaml_document_delete(&document);
        if (!line) return RK_OK;
        if (!empty)
            return rk_fail(error, RK_BAD_INPUT, s->path, line, 1,
                           "another document begins here: give one of them as a file");
    }
    return RK_OK;
}

static enum rk_status read_yaml(struct settings *s, const char *text, struct rk_error *error)
{
    yaml_parser_t parser;
    yaml_document_t document;
    if (!yaml_parser_initialize(&parser))
        return rk_fail(error, RK_NO_MEMORY, s->path, 0, 0, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    enum rk_status status = RK_OK;
    if (!yaml_parser_load(&parser, &document)) {
        const yaml_mark_t at = parser.problem_mark;
        status = rk_fail(error, RK_BAD_INPUT, s->path, (int)at.line + 1, (int)at.column + 1,
                         "is neither YAML nor JSON: %s",
                         parser.problem ? parser.problem : "it ends too early");
    } else {
        status = walk_document(s, &document, error);
        yaml_document_delete(&document);
        if (status == RK_OK) status = check_last(s, &parser, error);
    }
    yaml_parser_delete(&parser);
    return status;
}

/* ---- TOML ---- */

static enum rk_status add_entry(struct settings *s, const struct toml_entry *entry,
                                struct rk_error *error)
{
    char key[YAML_KEY];
    const char *item = entry->text;
    for (int i = 0; *item || !i; i++) { /* the elements of an array, or the one value */
        const size_t n = entry->type == TOML_ARRAY ? strcspn(item, "\n") : strlen(item);
        if (entry->type == TOML_ARRAY && n)
            snprintf(key, sizeof key, "%s.%d", entry->key, i);
        else
            snprintf(key, sizeof key, "%s", entry->key);
        struct setting setting = {.key = copy(s, key, strlen(key)),
                                  .text = copy(s, item, n),
                                  .quoted = entry->type == TOML_STRING,
                                  .null = entry->type == TOML_ARRAY && !n,
                                  .line = entry->line,
                                  .column = entry->column};
        if (!setting.key || !setting.text)
            return rk_fail(error, RK_NO_MEMORY, s->path, 0, 0, "out of memory");
        const enum rk_status status = add(s, &setting, error);
        if (status != RK_OK) return status;
        item += n + (item[n] == '\n');
    }
    return RK_OK;
}

static enum rk_status read_toml(struct settings *s, const char *text, struct rk_error *error)
{
    struct toml toml;
    enum rk_status status = toml_read(&toml, s->path, text, error);
    for (size_t i = 0; status == RK_OK && i < toml.count; i++)
        status = add_entry(s, &toml.entry[i], error);
    toml_release(&toml);
    return status;
}

enum rk_status settings_begin(struct settings *settings, const char *path, const char *const *sets,
                              size_t set_count, struct rk_error *error)
{
    *settings = (struct settings){.count = 0};
    snprintf(settings->path, sizeof settings->path, "%s", path);
    return give(settings, sets, set_count, error);
}

enum rk_status settings_put(struct settings *settings, const char *key, const char *text,
                            bool quoted, bool null, int line, struct rk_error *error)
{
    const struct setting setting = {.key = copy(settings, key, strlen(key)),
                                    .text = copy(settings, text, strlen(text)),
                                    .quoted = quoted,
                                    .null = null,
                                    .line = line,
                                    .column = 1};
    if (!setting.key || !setting.text)
        return rk_fail(error, RK_NO_MEMORY, settings->path, 0, 0, "out of memory");
    return add(settings, &setting, error);
}

enum rk_status settings_read(struct settings *settings, const char *path, const char *text,
                             const char *const *sets, size_t set_count, struct rk_error *error)
{
    const size_t n = strlen(path);
    const enum rk_status status = settings_begin(settings, path, sets, set_count, error);
    if (status != RK_OK) return status;
    const bool toml = n > 5 && strcmp(path + n - 5, ".toml") == 0;
    const enum rk_status read =
        toml ? read_toml(settings, text, error) : read_yaml(settings, text, error);
    return read == RK_OK && !toml ? settings_refer(settings, error) : read;
}
