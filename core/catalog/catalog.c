#include "catalog/catalog.h"

#include "base/memory.h"
#include "base/text.h"
#include "catalog/folder.h"
#include "catalog/names.h"
#include "catalog/readers.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum rk_status fail_memory(struct rk_error *error)
{
    return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to read the catalog");
}

/* ---- listing ---- */

static int compare_ids(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static bool list_add(struct catalog_list *list, const char *file)
{
    char **id = realloc(list->id, (list->count + 2) * sizeof *id);
    if (!id) return false;
    list->id = id;
    id[list->count] = strndup(file, strlen(file) - strlen(".json"));
    id[list->count + 1] = NULL;
    return id[list->count++] != NULL;
}

static enum rk_status list_fill(struct catalog_list *list, DIR *folder, struct rk_error *error)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.' && text_ends_in(entry->d_name, ".json"))
            if (!list_add(list, entry->d_name)) return fail_memory(error);
    if (!list->id) list->id = calloc(1, sizeof *list->id);
    if (!list->id) return fail_memory(error);
    qsort(list->id, list->count, sizeof *list->id, compare_ids);
    return RK_OK;
}

enum rk_status catalog_list(enum catalog_kind kind, struct catalog_list *list,
                            struct rk_error *error)
{
    char path[FOLDER_PATH];
    enum rk_status status = catalog_folder_of_kind(kind, path, sizeof path, error);
    *list = (struct catalog_list){0};
    if (status != RK_OK) return status;
    DIR *folder = opendir(path);
    if (!folder) return rk_fail(error, RK_IO, path, 0, 0, "cannot list: %s", strerror(errno));
    status = list_fill(list, folder, error);
    closedir(folder);
    list->museum = calloc(list->count + 1, sizeof *list->museum);
    if (status == RK_OK && !list->museum) status = fail_memory(error);
    if (status == RK_OK) names_mark_museum(kind, list);
    if (status != RK_OK) catalog_list_release(list);
    return status;
}

void catalog_list_release(struct catalog_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->id[i]);
    free(list->id);
    free(list->museum);
    *list = (struct catalog_list){0};
}

/* ---- names ---- */

enum catalog_form catalog_form(enum catalog_kind kind, const char *name)
{
    if (strcmp(name, "-") == 0) return CATALOG_STDIN;
    if (kind == CATALOG_SYSTEMS && strpbrk(name, " =\t\n") && access(name, F_OK) != 0)
        return CATALOG_SYNTHETIC;
    if (strpbrk(name, "/ =") || text_ends_in(name, ".json") || text_ends_in(name, ".json.gz"))
        return CATALOG_PATH;
    return CATALOG_ID;
}

static void id_of_path(const char *path, char *id, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (text_ends_in(name, ".gz")) length -= strlen(".gz");
    if (length > 5 && strncmp(name + length - 5, ".json", 5) == 0) length -= 5;
    snprintf(id, size, "%.*s", (int)(length < size ? length : size - 1), name);
    text_make_name(id);
}

static bool is_id(enum catalog_kind kind, const char *name, char path[FOLDER_PATH + 256])
{
    struct rk_error error;
    if (!*name || *name == '.' || strlen(name) >= 200) return false;
    if (catalog_folder_of_kind(kind, path, FOLDER_PATH, &error) != RK_OK) return false;
    sprintf(path + strlen(path), "/%s.json", name);
    return access(path, F_OK) == 0;
}

bool catalog_has(enum catalog_kind kind, const char *name)
{
    char path[FOLDER_PATH + 256], id[256];
    snprintf(id, sizeof id, "%.200s", name);
    if (is_id(kind, id, path)) return true;
    names_lengthen(kind, id, sizeof id);
    return is_id(kind, id, path);
}

/* The end of a part in the rest of an id, numbers as a whole: "7b" is not in "1.7b". */
static const char *after_part(const char *id, const char *rest, const char *part)
{
    const size_t length = strlen(part);
    for (; (rest = strcasestr(rest, part)); rest++) {
        const bool begins = !isdigit((unsigned char)*part) || rest == id ||
                            !(isdigit((unsigned char)rest[-1]) || rest[-1] == '.');
        const bool ends = !length || !isdigit((unsigned char)part[length - 1]) ||
                          !isdigit((unsigned char)rest[length]);
        if (begins && ends) return rest + length;
    }
    return NULL;
}

/* Has the id the parts of a name, in its order? "llama-70b" is in llama3.1-70b. */
static bool has_parts(const char *id, const char *name)
{
    char part[64];
    for (const char *end, *rest = id; *name; name = *end ? end + 1 : end) {
        end = name + strcspn(name, "-");
        if (end >= name + sizeof part) return false;
        snprintf(part, sizeof part, "%.*s", (int)(end - name), name);
        rest = after_part(id, rest, part);
        if (!rest) return false;
    }
    return true;
}

/* The first few entries with the parts of `name` in them, "a, b or c"; "" where there is none. Of
 * models those of earlier years only where there are no others. */
static void list_containing(const struct catalog_list *list, const char *name, char *text,
                            size_t size)
{
    enum { FEW = 6 };
    size_t used = 0, found = 0;
    bool current = false;
    text[0] = '\0';
    for (size_t i = 0; i < list->count; i++)
        current |= has_parts(list->id[i], name) && !list->museum[i];
    for (size_t i = 0; strlen(name) > 1 && i < list->count && found < FEW && used < size; i++)
        if (has_parts(list->id[i], name) && !(current && list->museum[i]))
            used += (size_t)snprintf(text + used, size - used, "%s%s", found++ ? ", " : "",
                                     list->id[i]);
}

/* "h100x8": a machine and its number without the blank between them; NULL: it is not. */
static const char *glued_number(enum catalog_kind kind, const char *name)
{
    char machine[64];
    const char *x = strrchr(name, 'x');
    const size_t length = x ? (size_t)(x - name) : 0;
    if (kind != CATALOG_SYSTEMS || !length || length >= sizeof machine || !x[1] ||
        x[1 + strspn(x + 1, "0123456789")])
        return NULL;
    memcpy(machine, name, length);
    machine[length] = '\0';
    return catalog_has(kind, machine) ? x : NULL;
}

static enum rk_status fail_unknown(enum catalog_kind kind, const char *name, struct rk_error *error)
{
    const char *glued = glued_number(kind, name);
    if (glued)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "unknown system \"%s\": did you mean \"%.*s %s\"?", name,
                       (int)(glued - name), name, glued);
    /* A model given for a system, or the other way round. */
    const enum catalog_kind other = kind == CATALOG_MODELS ? CATALOG_SYSTEMS : CATALOG_MODELS;
    char quoted[TEXT_QUOTE], with[256];
    struct catalog_list list;
    const enum rk_status status = catalog_list(kind, &list, error);
    if (status != RK_OK) return status;
    list_containing(&list, name, with, sizeof with);
    const bool several = strchr(with, ',') != NULL;
    const char *nearest = with[0] && !several ? with : names_nearest(kind, name, &list);
    text_quote(quoted, name, strlen(name));
    if (kind <= CATALOG_SYSTEMS && catalog_has(other, name))
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s is a %s, a %s is wanted here (%s)", quoted,
                catalog_kind_name(other), catalog_kind_name(kind), catalog_kind_hint(kind));
    else if (several)
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "unknown %s %s: there are %s (%s; a file's name ends in .json)",
                catalog_kind_name(kind), quoted, with, catalog_kind_hint(kind));
    else
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "unknown %s %s%s%s%s (%s; a file's name ends in .json)", catalog_kind_name(kind),
                quoted, nearest ? ": did you mean \"" : "", nearest ? nearest : "",
                nearest ? "\"?" : "", catalog_kind_hint(kind));
    catalog_list_release(&list);
    return RK_BAD_ARGUMENT;
}

static enum rk_status open_id(enum catalog_kind kind, const char *name, struct document *document,
                              struct rk_error *error)
{
    char path[FOLDER_PATH + 256];
    const enum rk_status status = catalog_folder_of_kind(kind, path, FOLDER_PATH, error);
    if (status != RK_OK) return status;
    return is_id(kind, name, path) ? document_load(path, document, error)
                                   : fail_unknown(kind, name, error);
}

/* `id` is the line, cut where it is too long. */
static enum rk_status open_line(const char *line, struct document *document, char *id,
                                size_t id_size, struct rk_error *error)
{
    char base[MODEL_LINE_BASE];
    enum rk_status status = model_line_base(line, base, error);
    if (status == RK_OK) status = catalog_open(CATALOG_MODELS, base, document, id, id_size, error);
    if (status != RK_OK) return status;
    status = model_line_change(line, base, document, error);
    snprintf(id, id_size, "%s", line);
    return status;
}

enum rk_status catalog_open(enum catalog_kind kind, const char *name, struct document *document,
                            char *id, size_t id_size, struct rk_error *error)
{
    if (kind == CATALOG_MODELS && model_line_is(name))
        return open_line(name, document, id, id_size, error);
    const enum catalog_form form = catalog_form(kind, name);
    if (form == CATALOG_STDIN)
        snprintf(id, id_size, "stdin");
    else
        id_of_path(name, id, id_size);
    char path[FOLDER_PATH + 256];
    if (form == CATALOG_PATH && access(name, F_OK) != 0 && catalog_has(kind, name))
        path[0] = '\0'; /* a name of the hub, "meta-llama/Llama-3.3-70B" */
    else if (form != CATALOG_ID)
        return document_load(name, document, error);
    snprintf(id, id_size, "%s", name);
    if (form == CATALOG_PATH || !is_id(kind, name, path)) names_lengthen(kind, id, id_size);
    return open_id(kind, id, document, error);
}

/* ---- describing ---- */

static bool add_source(struct catalog_entry *entry, const char *group, const char *text)
{
    if (!ARRAY_ROOM(entry->source, entry->sources)) return false;
    struct catalog_source *source = &entry->source[entry->sources++];
    *source = (struct catalog_source){strdup(group), strdup(text)};
    return source->group && source->text;
}

static bool add_sources(struct catalog_entry *entry, const char *group, json_t *value)
{
    if (json_is_string(value)) return add_source(entry, group, json_string_value(value));
    bool added = true;
    for (size_t i = 0; added && i < json_array_size(value); i++)
        added = add_sources(entry, group, json_array_get(value, i));
    return added;
}

/* Every "source" in the order of the file, with the path of the object it stands in. */
static bool collect(struct catalog_entry *entry, const char *group, json_t *value, int depth)
{
    char inside[256];
    const char *key;
    json_t *member;
    bool added = true;
    if (depth > 8) return true;
    for (size_t i = 0; added && i < json_array_size(value); i++) {
        snprintf(inside, sizeof inside, "%s[%zu]", group, i);
        added = collect(entry, inside, json_array_get(value, i), depth + 1);
    }
    json_object_foreach(value, key, member)
    {
        snprintf(inside, sizeof inside, "%s%s%s", group, *group ? "." : "", key);
        if (strcmp(key, "source") == 0)
            added = added && add_sources(entry, group, member);
        else
            added = added && collect(entry, inside, member, depth + 1);
    }
    return added;
}

static char *copy_text(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return strdup(text ? text : "");
}

static enum rk_status describe_file(enum catalog_kind kind, const char *name,
                                    struct catalog_entry *entry, struct rk_error *error)
{
    struct document document = {0};
    char id[64];
    enum rk_status status = catalog_open(kind, name, &document, id, sizeof id, error);
    if (status != RK_OK) return status;
    entry->id = strdup(id);
    entry->path = strdup(document.path);
    entry->name = copy_text(document.root, "name");
    entry->description = copy_text(document.root, "description");
    entry->synthetic = copy_text(document.root, "synthetic");
    if (!entry->id || !entry->path || !entry->name || !entry->description || !entry->synthetic ||
        !collect(entry, "", document.root, 0))
        status = fail_memory(error);
    document_release(&document);
    return status;
}

/* The entry that a one-line form starts from; empty when it starts from nothing. */
static enum rk_status describe_base(const char *synthetic, struct catalog_entry *base,
                                    struct rk_error *error)
{
    const size_t length = synthetic_base(synthetic);
    *base = (struct catalog_entry){0};
    if (!length) return RK_OK;
    char *name = strndup(synthetic, length);
    if (!name) return fail_memory(error);
    const enum rk_status status = describe_file(CATALOG_SYSTEMS, name, base, error);
    free(name);
    return status;
}

/* Appends the base's members, and those of its base, after the entry's own. */
static enum rk_status append_bases(const char *synthetic, struct catalog_entry *entry,
                                   struct rk_error *error)
{
    struct catalog_entry base = {0};
    enum rk_status status = RK_OK;
    for (int depth = 0; synthetic && *synthetic && depth < SYSTEM_MAX_DEPTH; depth++) {
        struct catalog_entry next;
        status = describe_base(synthetic, &next, error);
        for (size_t i = 0; status == RK_OK && i < next.sources; i++)
            if (!add_source(entry, next.source[i].group, next.source[i].text))
                status = fail_memory(error);
        catalog_entry_release(&base);
        base = next;
        synthetic = status == RK_OK ? base.synthetic : NULL;
    }
    catalog_entry_release(&base);
    return status;
}

static enum rk_status describe_synthetic(const char *name, struct catalog_entry *entry,
                                         struct rk_error *error)
{
    entry->id = strdup(name);
    entry->path = strdup("");
    entry->name = strdup("");
    entry->description = strdup("");
    entry->synthetic = strdup(name);
    if (!entry->id || !entry->path || !entry->name || !entry->description || !entry->synthetic)
        return fail_memory(error);
    return RK_OK;
}

enum rk_status catalog_describe(enum catalog_kind kind, const char *name,
                                struct catalog_entry *entry, struct rk_error *error)
{
    *entry = (struct catalog_entry){0};
    enum rk_status status = catalog_form(kind, name) == CATALOG_SYNTHETIC
                                ? describe_synthetic(name, entry, error)
                                : describe_file(kind, name, entry, error);
    if (status == RK_OK && kind == CATALOG_SYSTEMS && *entry->synthetic)
        status = append_bases(entry->synthetic, entry, error);
    if (status != RK_OK) catalog_entry_release(entry);
    return status;
}

void catalog_entry_release(struct catalog_entry *entry)
{
    for (size_t i = 0; i < entry->sources; i++) {
        free(entry->source[i].group);
        free(entry->source[i].text);
    }
    free(entry->source);
    free(entry->id);
    free(entry->path);
    free(entry->name);
    free(entry->description);
    free(entry->synthetic);
    *entry = (struct catalog_entry){0};
}
