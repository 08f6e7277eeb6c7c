#include "study/entries.h"

#include "base/limits.h"
#include "base/lists.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/readers.h"
#include "study/digest.h"
#include "study/numbers.h"
#include "text/fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool indices_add(struct indices *indices, size_t index)
{
    if (!ARRAY_ROOM(indices->index, indices->count)) return false;
    indices->index[indices->count++] = (int)index;
    return true;
}

/* A fault inside what an entry names, told at the entry. */
static enum rk_status fail_inside(const struct place *place, const struct rk_error *inner,
                                  struct rk_error *error)
{
    char text[1024];
    struct rk_error copy = *inner;
    if (inner->status == RK_IO || inner->status == RK_NO_MEMORY) {
        if (error) *error = copy;
        return inner->status;
    }
    rk_error_format(&copy, text, sizeof text);
    return place_fail(place, error, "%.480s", text);
}

/* "./x" and "../x" start at the folder of the study file. */
static void resolve(const struct study *study, const char *text, char *buffer, size_t size)
{
    const char *slash = strrchr(study->path, '/');
    const bool relative = strncmp(text, "./", 2) == 0 || strncmp(text, "../", 3) == 0;
    if (relative && slash)
        snprintf(buffer, size, "%.*s%s", (int)(slash + 1 - study->path), study->path, text);
    else
        snprintf(buffer, size, "%s", text);
}

static enum rk_status need_text(const struct place *place, size_t most, struct rk_error *error)
{
    char got[PLACE_TEXT];
    const size_t length = json_string_length(place->value);
    if (!json_is_string(place->value) || !length)
        return place_fail(place, error, "must be a text, got %s", place_describe(got, place));
    if (length > most)
        return place_fail(place, error, "is %zu bytes long: at most %zu", length, most);
    if (strcmp(json_string_value(place->value), "-") == 0)
        return place_fail(place, error, "a study cannot read standard input: name a file");
    return RK_OK;
}

/* Appends printf text to the buffer; cut when it is full. */
static void append(char *buffer, size_t size, const char *format, ...) RK_PRINTF(3, 4);

static void append(char *buffer, size_t size, const char *format, ...)
{
    const size_t used = strlen(buffer);
    va_list values;
    va_start(values, format);
    vsnprintf(buffer + used, size - used, format, values);
    va_end(values);
}

/* Whatever is in the list makes so many. */
static enum rk_status check_count(const struct place *place, const struct indices *indices,
                                  struct rk_error *error)
{
    if (indices->count < MOST_PRODUCT) return RK_OK;
    return place_fail(place, error, "the list makes more than %d: shorten it", MOST_PRODUCT);
}

static enum rk_status check_name(const struct place *place, const char *name, bool exists,
                                 bool same, struct rk_error *error)
{
    if (strlen(name) >= STUDY_NAME - 1)
        return place_fail(place, error, "its name is too long: give it a shorter \"name\"");
    if (exists && !same)
        return place_fail(place, error,
                          "\"%s\" already stands for another one: give this one its own \"name\"",
                          name);
    return RK_OK;
}

/* ---- models ---- */

/* The dimensions that a study may change. */
static const struct dimension {
    const char *key;
    size_t offset;
} dimensions[] = {
    {"layers", offsetof(struct rk_model, layers)},
    {"hidden", offsetof(struct rk_model, hidden)},
    {"feedforward", offsetof(struct rk_model, feedforward)},
    {"heads", offsetof(struct rk_model, heads)},
    {"head_dim", offsetof(struct rk_model, head_dim)},
    {"sequence", offsetof(struct rk_model, sequence)},
};

enum { DIMENSIONS = sizeof dimensions / sizeof dimensions[0], HEAD_DIM = 4 };

static uint64_t *dimension_of(struct rk_model *model, int dimension)
{
    return (uint64_t *)(void *)((char *)model + dimensions[dimension].offset);
}

static enum rk_status add_model(const struct place *place, const char *name,
                                const struct rk_model *model, struct study *study,
                                struct indices *indices, struct rk_error *error)
{
    char key[STUDY_KEY];
    size_t i = 0;
    enum rk_status status = check_count(place, indices, error);
    if (status != RK_OK) return status;
    digest_model(model, key);
    while (i < study->models && strcmp(study->model[i].name, name) != 0)
        i++;
    const bool exists = i < study->models;
    status =
        check_name(place, name, exists, exists && strcmp(study->model[i].key, key) == 0, error);
    if (status != RK_OK) return status;
    if (!exists) {
        if (!ARRAY_ROOM(study->model, i)) return no_memory(error);
        struct study_model *added = &study->model[study->models++];
        added->model = *model;
        memcpy(added->key, key, sizeof key);
        snprintf(added->name, sizeof added->name, "%s", name);
    }
    return indices_add(indices, i) ? RK_OK : no_memory(error);
}

static enum rk_status load_base_model(const struct place *place, const struct study *study,
                                      struct rk_model *model, struct rk_error *error)
{
    char name[MOST_LINE];
    struct rk_error inner;
    enum rk_status status = need_text(place, 1024, error);
    if (status != RK_OK) return status;
    resolve(study, json_string_value(place->value), name, sizeof name);
    status = study->model_of(name, model, &inner);
    return status == RK_OK ? RK_OK : fail_inside(place, &inner, error);
}

struct model_entry {
    struct place place;
    bool has_base, has_name;
    struct rk_model base;
    char name[STUDY_NAME];
    struct numbers values[DIMENSIONS]; /* count 0: not changed */
};

/* The checks of a model file, on the numbers of this one. */
static enum rk_status check_model(const struct model_entry *entry, struct rk_model *model,
                                  struct rk_error *error)
{
    char text[512] = "{";
    struct document document;
    struct rk_model read;
    struct rk_error inner;
    for (int i = 0; i < DIMENSIONS; i++)
        append(text, sizeof text, "\"%s\": %llu, ", dimensions[i].key,
               (unsigned long long)*dimension_of(model, i));
    append(text, sizeof text, "\"vocabulary\": %llu}", (unsigned long long)model->vocabulary);
    enum rk_status status = document_parse(model->id, text, strlen(text), &document, &inner);
    if (status == RK_OK) status = model_read(&document, model->id, &read, &inner);
    document_release(&document);
    if (status != RK_OK)
        return place_fail(&entry->place, error, "%s: %.400s", model->id, inner.text);
    if (!entry->has_base) *model = read;
    return RK_OK;
}

/* One model of the product: at[i] is the position in values[i]. */
static enum rk_status make_model(const struct model_entry *entry, const size_t at[DIMENSIONS],
                                 struct study *study, struct indices *indices,
                                 struct rk_error *error)
{
    struct rk_model model = entry->base;
    char name[2 * STUDY_NAME];
    bool reshaped = !entry->has_base;
    snprintf(name, sizeof name, "%s", entry->name);
    for (int i = 0; i < DIMENSIONS; i++) {
        const struct numbers *values = &entry->values[i];
        if (!values->count) continue;
        *dimension_of(&model, i) = values->value[at[i]];
        if (!strcmp(dimensions[i].key, "hidden") || !strcmp(dimensions[i].key, "heads"))
            reshaped = true;
        if (values->count > 1 || !entry->has_name)
            append(name, sizeof name, "%s%s=%llu", *name ? " " : "", dimensions[i].key,
                   (unsigned long long)values->value[at[i]]);
    }
    if (reshaped && !entry->values[HEAD_DIM].count) model.head_dim = model.hidden / model.heads;
    snprintf(model.id, sizeof model.id, "%.63s", name);
    text_make_name(model.id);
    if (model.head_dim == 0)
        return place_fail(&entry->place, error, "%s: more heads than its width: give \"head_dim\"",
                          name);
    const enum rk_status status = check_model(entry, &model, error);
    return status == RK_OK ? add_model(&entry->place, name, &model, study, indices, error) : status;
}

/* Counts up like an odometer, the last position fastest; false after the last combination. */
static bool next(size_t *at, const size_t *counts, size_t digits)
{
    for (size_t i = digits; i-- > 0;) {
        if (++at[i] < (counts[i] ? counts[i] : 1)) return true;
        at[i] = 0;
    }
    return false;
}

static enum rk_status check_product(const struct place *place, const size_t *counts, size_t digits,
                                    struct rk_error *error)
{
    size_t product = 1;
    for (size_t i = 0; i < digits; i++)
        if (counts[i] && (product *= counts[i]) > MOST_PRODUCT)
            return place_fail(place, error,
                              "the lists make more than %d combinations: shorten them",
                              MOST_PRODUCT);
    return RK_OK;
}

static enum rk_status read_model_entry(struct model_entry *entry, const struct study *study,
                                       struct rk_error *error)
{
    static const char *const keys[] = {"name",  "base",     "layers",   "hidden", "feedforward",
                                       "heads", "head_dim", "sequence", NULL};
    struct place member;
    enum rk_status status = place_need_keys(&entry->place, keys, error);
    if (status == RK_OK && place_member(&entry->place, "base", &member)) {
        entry->has_base = true;
        status = load_base_model(&member, study, &entry->base, error);
        if (status == RK_OK)
            snprintf(entry->name, sizeof entry->name, "%s", json_string_value(member.value));
    }
    if (status == RK_OK && place_member(&entry->place, "name", &member)) {
        entry->has_name = true;
        status = need_text(&member, STUDY_NAME - 2, error);
        if (status == RK_OK)
            snprintf(entry->name, sizeof entry->name, "%s", json_string_value(member.value));
    }
    for (int i = 0; i < DIMENSIONS && status == RK_OK; i++) {
        if (place_member(&entry->place, dimensions[i].key, &member))
            status = numbers_load(&member, 1, 1000000000, false, &entry->values[i], error);
        else if (!entry->has_base && i != HEAD_DIM)
            status = place_fail(&entry->place, error,
                                "missing key \"%s\": add it, or a \"base\" that has it",
                                dimensions[i].key);
    }
    return status;
}

static enum rk_status load_model_object(const struct place *place, struct study *study,
                                        struct indices *indices, struct rk_error *error)
{
    struct model_entry *entry = calloc(1, sizeof *entry);
    size_t at[DIMENSIONS] = {0}, counts[DIMENSIONS];
    if (!entry) return no_memory(error);
    entry->place = *place;
    enum rk_status status = read_model_entry(entry, study, error);
    for (int i = 0; i < DIMENSIONS; i++)
        counts[i] = entry->values[i].count;
    if (status == RK_OK) status = check_product(place, counts, DIMENSIONS, error);
    if (status == RK_OK) do
            status = make_model(entry, at, study, indices, error);
        while (status == RK_OK && next(at, counts, DIMENSIONS));
    for (int i = 0; i < DIMENSIONS; i++)
        numbers_release(&entry->values[i]);
    free(entry);
    return status;
}

static enum rk_status load_model(const struct place *place, struct study *study,
                                 struct indices *indices, struct rk_error *error)
{
    struct rk_model model;
    if (json_is_object(place->value)) return load_model_object(place, study, indices, error);
    const enum rk_status status = load_base_model(place, study, &model, error);
    if (status != RK_OK) return status;
    return add_model(place, json_string_value(place->value), &model, study, indices, error);
}

/* ---- systems ---- */

static void release_system(struct study_system *system)
{
    rk_system_release(&system->system);
    free(system->description);
}

void entries_release_systems(struct study *study)
{
    for (size_t i = 0; i < study->systems; i++)
        release_system(&study->system[i]);
    free(study->system);
}

/* One cluster, or several. Release in every case. */
static enum rk_status open_system(const char *line, struct study_system *system,
                                  struct rk_error *error)
{
    const enum rk_status status = rk_system_load_several(line, &system->system, error);
    if (status != RK_OK) return status;
    system->machine = system->system.machine;
    if (system->machine)
        digest_machine(system->machine, system->key);
    else
        digest_system(&system->system, system->key);
    return RK_OK;
}

/* Takes the system over. */
static enum rk_status push_system(const char *name, const char *description,
                                  struct study_system *system, struct study *study,
                                  struct rk_error *error)
{
    system->description = strdup(description);
    if (!system->description || !ARRAY_ROOM(study->system, study->systems)) return no_memory(error);
    snprintf(system->name, sizeof system->name, "%s", name);
    study->system[study->systems++] = *system;
    *system = (struct study_system){.machine = NULL};
    return RK_OK;
}

/* `line` is what the catalog understands, `told` the same as the study writes it. */
static enum rk_status add_system(const struct place *place, const char *name, const char *line,
                                 const char *told, struct study *study, struct indices *indices,
                                 struct rk_error *error)
{
    struct study_system system = {.machine = NULL};
    struct rk_error inner;
    size_t i = 0;
    enum rk_status status = check_count(place, indices, error);
    if (status != RK_OK) return status;
    status = open_system(line, &system, &inner);
    if (status != RK_OK) {
        release_system(&system);
        return fail_inside(place, &inner, error);
    }
    while (i < study->systems && strcmp(study->system[i].name, name) != 0)
        i++;
    const bool exists = i < study->systems;
    status = check_name(place, name, exists,
                        exists && strcmp(study->system[i].key, system.key) == 0, error);
    if (status == RK_OK && !exists) status = push_system(name, told, &system, study, error);
    release_system(&system);
    if (status != RK_OK) return status;
    return indices_add(indices, i) ? RK_OK : no_memory(error);
}

struct system_entry {
    struct place place;
    char base[1024], name[STUDY_NAME];
    bool has_name;
    size_t keys;
    const char *key[MOST_SYSTEM_FIELDS];
    struct place value[MOST_SYSTEM_FIELDS];
    size_t counts[MOST_SYSTEM_FIELDS];
};

/* "hbm" and "80GiB" become "hbm=80GiB", "nvl" and 8 "nvl8". */
static enum rk_status append_word(const char *key, const struct place *value, char *line,
                                  size_t size, struct rk_error *error)
{
    char got[PLACE_TEXT];
    const bool joined = strcmp(key, "nvl") == 0 || strcmp(key, "x") == 0;
    append(line, size, " %s%s", key, joined ? "" : "=");
    if (json_is_string(value->value) && !strpbrk(json_string_value(value->value), " \t\n"))
        append(line, size, "%s", json_string_value(value->value));
    else if (json_is_integer(value->value))
        append(line, size, "%lld", (long long)json_integer_value(value->value));
    else if (json_is_real(value->value))
        append(line, size, "%.17g", json_real_value(value->value));
    else if (json_is_boolean(value->value))
        append(line, size, "%s", json_is_true(value->value) ? "yes" : "no");
    else
        return place_fail(value, error,
                          "must be a number, truth value or text without spaces, got %s",
                          place_describe(got, value));
    return RK_OK;
}

static enum rk_status make_system(const struct system_entry *entry,
                                  const size_t at[MOST_SYSTEM_FIELDS], struct study *study,
                                  struct indices *indices, struct rk_error *error)
{
    char words[MOST_LINE] = "", name[MOST_LINE], base[MOST_LINE], line[2 * MOST_LINE],
         told[2 * MOST_LINE];
    enum rk_status status = RK_OK;
    struct place place = entry->place;
    snprintf(name, sizeof name, "%s", entry->name);
    for (size_t i = 0; i < entry->keys && status == RK_OK; i++) {
        const struct place *list = &entry->value[i];
        const struct place value = entry->counts[i] ? place_element(list, at[i]) : *list;
        const size_t before = strlen(words);
        status = append_word(entry->key[i], &value, words, sizeof words, error);
        if (entry->counts[i] > 1 && entry->has_name)
            append(name, sizeof name, "%s", words + before);
        if (entry->keys == 1) place = value; /* there is but one to blame */
    }
    if (status != RK_OK) return status;
    snprintf(told, sizeof told, "%s%s", entry->base, words);
    resolve(study, entry->base, base, sizeof base);
    if (!synthetic_join(line, sizeof line, base, words + strspn(words, " ")))
        return place_fail(&place, error, "the line of a system is too long");
    return add_system(entry->keys == 1 ? &place : &entry->place, entry->has_name ? name : told,
                      line, told, study, indices, error);
}

static enum rk_status read_system_entry(struct system_entry *entry, struct rk_error *error)
{
    struct place member;
    const char *key;
    json_t *value;
    if (!place_member(&entry->place, "base", &member))
        return place_fail(&entry->place, error, "missing key \"base\": name the system to change");
    enum rk_status status = need_text(&member, sizeof entry->base - 1, error);
    if (status != RK_OK) return status;
    snprintf(entry->base, sizeof entry->base, "%s", json_string_value(member.value));
    if (place_member(&entry->place, "name", &member)) {
        entry->has_name = true;
        status = need_text(&member, STUDY_NAME - 2, error);
        if (status != RK_OK) return status;
        snprintf(entry->name, sizeof entry->name, "%s", json_string_value(member.value));
    }
    json_object_foreach(entry->place.value, key, value)
    {
        if (!strcmp(key, "base") || !strcmp(key, "name")) continue;
        place_member(&entry->place, key, &member);
        if (entry->keys == MOST_SYSTEM_FIELDS)
            return place_fail_key(&member, error, "more than %d fields: write them into the base",
                                  MOST_SYSTEM_FIELDS);
        if (!*key || strlen(key) > 64 || strpbrk(key, " \t\n="))
            return place_fail_key(&member, error, "is not a word of a system's one-line form");
        if (json_is_array(value)) status = place_need_array(&member, 1, MOST_PRODUCT, error);
        if (status != RK_OK) return status;
        entry->key[entry->keys] = key;
        entry->counts[entry->keys] = json_array_size(value); /* 0 for what is no list */
        entry->value[entry->keys++] = member;
    }
    return RK_OK;
}

static enum rk_status load_system_object(const struct place *place, struct study *study,
                                         struct indices *indices, struct rk_error *error)
{
    struct system_entry *entry = calloc(1, sizeof *entry);
    size_t at[MOST_SYSTEM_FIELDS] = {0};
    if (!entry) return no_memory(error);
    entry->place = *place;
    enum rk_status status = read_system_entry(entry, error);
    if (status == RK_OK) status = check_product(place, entry->counts, entry->keys, error);
    if (status == RK_OK) do
            status = make_system(entry, at, study, indices, error);
        while (status == RK_OK && next(at, entry->counts, entry->keys));
    free(entry);
    return status;
}

/* A line with lists in braces: each of its systems, by its own line. */
static enum rk_status load_systems_line(const struct place *place, const char *text,
                                        struct study *study, struct indices *indices,
                                        struct rk_error *error)
{
    char told[BRACES_LINE], choice[BRACES_LINE], line[2 * BRACES_LINE];
    struct braces braces;
    const char *at, *fault = braces_find(&braces, text, &at);
    enum rk_status status = RK_OK;
    if (fault) return place_fail(place, error, "%s, at \"%.20s\"", fault, at);
    for (int i = 0; i < braces.lines && status == RK_OK; i++) {
        if (!braces_write(&braces, i, told, choice))
            return place_fail(place, error, "the line of a system is too long");
        resolve(study, told, line, sizeof line);
        status = add_system(place, told, line, told, study, indices, error);
    }
    return status;
}

static enum rk_status load_system(const struct place *place, struct study *study,
                                  struct indices *indices, struct rk_error *error)
{
    if (json_is_object(place->value)) return load_system_object(place, study, indices, error);
    const enum rk_status status = need_text(place, MOST_LINE, error);
    if (status != RK_OK) return status;
    return load_systems_line(place, json_string_value(place->value), study, indices, error);
}

/* ---- lists ---- */

typedef enum rk_status load_fn(const struct place *place, struct study *study,
                               struct indices *indices, struct rk_error *error);

static enum rk_status load_list(const struct place *list, struct study *study,
                                struct indices *indices, load_fn *load, struct rk_error *error)
{
    enum rk_status status = place_need_array(list, 1, MOST_PRODUCT, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(list->value); i++) {
        const struct place element = place_element(list, i);
        status = load(&element, study, indices, error);
    }
    return status;
}

enum rk_status entries_load_models(const struct place *list, struct study *study,
                                   struct indices *indices, struct rk_error *error)
{
    return load_list(list, study, indices, load_model, error);
}

enum rk_status entries_load_systems(const struct place *list, struct study *study,
                                    struct indices *indices, struct rk_error *error)
{
    return load_list(list, study, indices, load_system, error);
}
