#include "catalog/names.h"
#include "base/text.h"
#include "text/document.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PATH_SIZE = 4096, NAME_SIZE = 256 };

/* data/short-names.json; nothing where there is none. */
static bool open_short_names(struct document *document)
{
    char path[PATH_SIZE + 32];
    struct rk_error error;
    if (catalog_folder(path, PATH_SIZE, &error) != RK_OK) return false;
    strcat(path, "/short-names.json");
    return document_load(path, document, &error) == RK_OK;
}

/* "Llama-3.3-70B" of "unsloth/Llama-3.3-70B"; the name itself where it has no organisation. */
static const char *without_organisation(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash && slash != name && slash[1] && !strchr(slash + 1, '/') ? slash + 1 : name;
}

static bool same(const char *key, const char *name, bool whole)
{
    if (whole) return strcasecmp(key, name) == 0;
    return strchr(key, '/') && strcasecmp(without_organisation(key), name) == 0;
}

/* Checkpoints whose names end so have the shape of the one that they are made from: AutoGPTQ's and
 * AutoAWQ's are in groups of 128, Unsloth's by bitsandbytes with double quantisation. */
/* clang-format off */
static const struct format {
    const char *ending;
    enum rk_base base;
} formats[] = {
    {"-unsloth-bnb-4bit", RK_BASE_NF4_DQ}, {"-bnb-4bit",  RK_BASE_NF4_DQ}, {"-bnb-8bit", RK_BASE_INT8},
    {"-GPTQ",             RK_BASE_GPTQ4},  {"-GPTQ-Int4", RK_BASE_GPTQ4},  {"-GPTQ-Int8", RK_BASE_INT8},
    {"-AWQ",              RK_BASE_GPTQ4},  {"-FP8",       RK_BASE_PLAIN},  {"-BF16",     RK_BASE_PLAIN},
};
/* clang-format on */

static const struct format *format_of(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const size_t end = strlen(formats[i].ending);
        if (length > end && strcasecmp(name + length - end, formats[i].ending) == 0)
            return &formats[i];
    }
    return NULL;
}

enum rk_base names_base(const char *name)
{
    const struct format *format = format_of(name);
    return format ? format->base : RK_BASE_PLAIN;
}

static bool cut_format(char *name)
{
    const struct format *format = format_of(name);
    if (format) name[strlen(name) - strlen(format->ending)] = '\0';
    return format != NULL;
}

static bool lengthen(const struct document *document, enum catalog_kind kind, char *name,
                     size_t size)
{
    const char *key;
    json_t *id;
    const bool of_hub = without_organisation(name) != name;
    for (int whole = 1; whole >= !of_hub; whole--) {
        char wanted[NAME_SIZE];
        snprintf(wanted, sizeof wanted, "%.250s", whole ? name : without_organisation(name));
        json_object_foreach(json_object_get(document->root, catalog_kind_folder(kind)), key, id)
        {
            if (!same(key, wanted, whole) || !json_is_string(id)) continue;
            snprintf(name, size, "%s", json_string_value(id));
            return true;
        }
    }
    return false;
}

void names_lengthen(enum catalog_kind kind, char *name, size_t size)
{
    struct document document;
    char cut[NAME_SIZE];
    if (!open_short_names(&document)) return;
    snprintf(cut, sizeof cut, "%.250s", name);
    if (!lengthen(&document, kind, name, size) && kind == CATALOG_MODELS && cut_format(cut) &&
        lengthen(&document, kind, cut, sizeof cut))
        snprintf(name, size, "%s", cut);
    document_release(&document);
}

void names_mark_museum(enum catalog_kind kind, struct catalog_list *list)
{
    struct document document;
    size_t at;
    json_t *id;
    if (kind != CATALOG_MODELS || !open_short_names(&document)) return;
    json_array_foreach(json_object_get(document.root, "museum"), at, id)
    {
        for (size_t i = 0; json_is_string(id) && i < list->count; i++)
            if (strcmp(list->id[i], json_string_value(id)) == 0) list->museum[i] = true;
    }
    document_release(&document);
}

static bool add(struct catalog_list *list, const char *name)
{
    char **grown = realloc(list->id, (list->count + 2) * sizeof *grown);
    if (!grown) return false;
    list->id = grown;
    grown[list->count] = strdup(name);
    grown[list->count + 1] = NULL;
    if (!grown[list->count]) return false;
    bool *museum = realloc(list->museum, (list->count + 2) * sizeof *museum);
    if (museum) list->museum = museum;
    if (!museum) free(grown[list->count]);
    if (!museum) grown[list->count] = NULL;
    if (museum) museum[list->count++] = false;
    return museum != NULL;
}

static void add_short_names(enum catalog_kind kind, struct catalog_list *list)
{
    struct document document;
    const char *key;
    json_t *id;
    if (!open_short_names(&document)) return;
    json_object_foreach(json_object_get(document.root, catalog_kind_folder(kind)), key, id)
    {
        if (!strchr(key, '/') && !add(list, key)) break;
    }
    document_release(&document);
}

/* As ids are written: small letters, without the organisation and what the tuning is called. */
static void plain(const char *name, char *to, size_t size)
{
    static const char *const endings[] = {"-instruct", "-base", "-chat", "-it", "-pt", "-hf"};
    snprintf(to, size, "%s", without_organisation(name));
    for (char *p = to; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_ends_in(to, endings[i])) to[strlen(to) - strlen(endings[i])] = '\0';
}

/* The size in a name, "qwen3-7b": 7, after a family of `*length` letters; 0: not such a name. */
static double size_of(const char *name, size_t *length)
{
    const char *dash = strchr(name, '-');
    char *end;
    if (!dash || !isdigit((unsigned char)dash[1])) return 0;
    const double size = strtod(dash + 1, &end);
    *length = (size_t)(dash - name);
    return *end == 'b' ? size : *end == 'm' ? size / 1000 : 0;
}

/* Of the same family the one whose size is nearest; NULL: the name is none of a family that is
 * here. */
static const char *nearest_size(const char *name, const char *const *names)
{
    const char *found = NULL;
    double smallest = HUGE_VAL;
    size_t length, other;
    const double size = size_of(name, &length);
    for (; size > 0 && *names; names++) {
        const double its = size_of(*names, &other);
        if (!(its > 0) || other != length || strncmp(*names, name, length) != 0) continue;
        const double off = fabs(log(its / size));
        if (off < smallest) found = *names;
        smallest = fmin(smallest, off);
    }
    return found;
}

const char *names_nearest(enum catalog_kind kind, const char *name, struct catalog_list *list)
{
    char wanted[NAME_SIZE];
    add_short_names(kind, list);
    plain(name, wanted, sizeof wanted);
    const char **current = calloc(list->count + 1, sizeof *current);
    size_t count = 0;
    for (size_t i = 0; current && i < list->count; i++)
        if (!list->museum[i]) current[count++] = list->id[i];
    const char *found = current ? nearest_size(wanted, current) : NULL;
    if (!found && current) found = text_nearest(wanted, current);
    free(current);
    return found ? found : text_nearest(wanted, (const char *const *)list->id);
}
