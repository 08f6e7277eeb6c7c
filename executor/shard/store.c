#include "shard/store.h"
#include "shard/store_list.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/open.h"
#include "base/text.h"
#include "huggingface/hf.h"
#include "text/document.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX "model.safetensors.index.json"

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool store_has_file(const char *folder, const char *name)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

enum rk_status store_check_name(const struct place *place, const char *name, struct rk_error *error)
{
    char quoted[TEXT_QUOTE];
    if (name && !strchr(name, '/') && name[0] != '.' && text_ends_in(name, ".safetensors") &&
        strlen(name) < 200)
        return RK_OK;
    return place_fail(place, error,
                      "%s is not a name of a .safetensors file in the folder of the index: files "
                      "elsewhere are not read",
                      name ? text_quote(quoted, name, strlen(name)) : "this");
}

/* ---- lists of tensors ---- */

enum rk_status store_list_add(struct list *list, const struct tensor *t, struct rk_error *error)
{
    if (!ARRAY_ROOM(list->tensor, list->count)) return no_memory(error);
    struct tensor *added = &list->tensor[list->count];
    *added = *t;
    added->name = strdup(t->name);
    if (!added->name) return no_memory(error);
    list->count++;
    return RK_OK;
}

void store_list_release(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->tensor[i].name);
    free(list->tensor);
    *list = (struct list){.count = 0};
}

/* ---- files ---- */

void store_mark_file(struct store *store, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return;
    const uint64_t words[] = {(uint64_t)info.st_size, (uint64_t)info.st_mtim.tv_sec,
                              (uint64_t)info.st_mtim.tv_nsec, hash_bytes(path, strlen(path))};
    for (int i = 0; i < 4; i++)
        store->fingerprint = hash_pair(store->fingerprint, words[i]);
}

static enum rk_status keep_pair(struct store *store, const struct safetensors *file,
                                struct rk_error *error)
{
    const char *format = safetensors_value(file, "format");
    if (!format || store->source.key) return RK_OK;
    store->source = (struct pair){strdup("format"), strdup(format)};
    return store->source.key && store->source.value ? RK_OK : no_memory(error);
}

enum rk_status store_read_file(struct store *store, const char *name, struct safetensors *file,
                               struct rk_error *error)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/%s", store->layout.folder, name);
    store_mark_file(store, path);
    enum rk_status status = safetensors_read(path, file, error);
    if (status != RK_OK) return status;
    status = keep_pair(store, file, error);
    if (status == RK_OK) status = layout_add_file(&store->layout, name, error);
    if (status == RK_OK) {
        struct stat info;
        store->layout.file[store->layout.files - 1].bytes =
            stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
        return RK_OK;
    }
    safetensors_release(file);
    return status;
}

/* ---- checkpoints ---- */

/* Every tensor of a file belongs to the list, `file` in its member rank's place: slices follow when
 * the list is sorted. */
static enum rk_status add_file(struct store *store, const char *name, struct list *list,
                               struct rk_error *error)
{
    struct safetensors file;
    enum rk_status status = store_read_file(store, name, &file, error);
    if (status != RK_OK) return status;
    const uint32_t number = (uint32_t)store->layout.files - 1;
    for (size_t i = 0; i < file.count && status == RK_OK; i++) {
        struct slice slice = {.file = number, .offset = file.tensor[i].begin};
        struct box box = {.begin = {0}};
        tensor_elements(file.tensor[i].rank, file.tensor[i].shape, &slice.count);
        memcpy(slice.shape, file.tensor[i].shape, sizeof slice.shape);
        memcpy(box.size, file.tensor[i].shape, sizeof box.size);
        slice.tensor = (uint32_t)list->count;
        status = store_list_add(list, &file.tensor[i], error);
        if (status == RK_OK)
            status = layout_add_slice(&store->layout, &slice, slice.count > 0, &box, error);
    }
    safetensors_release(&file);
    return status;
}

static int by_named(const void *a, const void *b, void *context)
{
    const struct tensor *tensors = context;
    return strcmp(tensors[*(const uint32_t *)a].name, tensors[*(const uint32_t *)b].name);
}

/* One name, twice: of shards parts of one tensor, of a checkpoint a mistake. */
static enum rk_status check_again(const struct layout *l, const struct tensor *first,
                                  const struct tensor *again, uint32_t slice, bool shards,
                                  struct rk_error *error)
{
    if (!shards)
        return rk_fail(error, RK_BAD_INPUT, l->folder, 0, 0, "tensor %.200s is in two files",
                       again->name);
    if (first->type == again->type && first->rank == again->rank &&
        memcmp(first->shape, again->shape, sizeof again->shape) == 0)
        return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, l->folder, 0, 0,
                   "tensor %.160s has another type or shape in %.80s", again->name,
                   l->file[l->slice[slice].file].name);
}

enum rk_status store_take_list(struct store *store, struct list *list, bool shards,
                               struct rk_error *error)
{
    struct layout *l = &store->layout;
    uint32_t *order = malloc((list->count + 1) * sizeof *order);
    uint32_t *place = malloc((list->count + 1) * sizeof *place);
    struct tensor *joined = calloc(list->count + 1, sizeof *joined);
    enum rk_status status = order && place && joined ? RK_OK : no_memory(error);
    size_t count = 0;
    for (uint32_t i = 0; i < list->count && status == RK_OK; i++)
        order[i] = i;
    if (status == RK_OK) qsort_r(order, list->count, sizeof *order, by_named, list->tensor);
    for (uint32_t i = 0; i < list->count && status == RK_OK; i++) {
        struct tensor *t = &list->tensor[order[i]];
        if (count && strcmp(joined[count - 1].name, t->name) == 0) {
            status = check_again(l, &joined[count - 1], t, order[i], shards, error);
        } else {
            joined[count++] = *t;
            t->name = NULL; /* the layout's now; its copy is found by `joined` */
        }
        place[order[i]] = (uint32_t)count - 1;
    }
    for (size_t i = 0; i < l->slices && status == RK_OK; i++)
        l->slice[i].tensor = place[i];
    free(order);
    free(place);
    l->tensor = joined;
    l->tensors = joined ? count : 0;
    return status == RK_OK ? layout_finish(l, false, error) : status;
}

/* The files that an index names, once each, in the order of their names. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum rk_status files_of_index(const struct place *map, const char ***names, size_t *count,
                                     struct rk_error *error)
{
    const char *tensor;
    json_t *value;
    size_t all = 0;
    *names = malloc((json_object_size(map->value) + 1) * sizeof(**names));
    if (!*names) return no_memory(error);
    json_object_foreach(map->value, tensor, value)
    {
        struct place place;
        place_member(map, tensor, &place);
        const enum rk_status status = store_check_name(&place, json_string_value(value), error);
        if (status != RK_OK) return status;
        (*names)[all++] = json_string_value(value);
    }
    if (all > 1) qsort(*names, all, sizeof(**names), by_text);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (!*count || strcmp((*names)[*count - 1], (*names)[i]) != 0)
            (*names)[(*count)++] = (*names)[i];
    return RK_OK;
}

/* Names and files agree with what the files have, and the sum of bytes. */
static enum rk_status check_index(const struct store *store, const struct place *root,
                                  const struct place *map, struct rk_error *error)
{
    const struct layout *l = &store->layout;
    struct place metadata, total;
    uint64_t sum = 0;
    for (size_t i = 0; i < l->tensors; i++) {
        const struct tensor *t = &l->tensor[i];
        const char *file = l->file[l->slice[l->of_tensor[i]].file].name;
        const char *said = json_string_value(json_object_get(map->value, t->name));
        if (!said || strcmp(said, file) != 0)
            return place_fail(map, error, "tensor %.160s is in %.80s, the index has it %s%.80s",
                              t->name, file, said ? "in " : "nowhere", said ? said : "");
        sum += t->end - t->begin;
    }
    const char *name;
    json_t *value;
    json_object_foreach(map->value, name, value)
    {
        struct place place;
        place_member(map, name, &place);
        if (!layout_find(l, name))
            return place_fail(&place, error, "tensor %.160s is not in %.80s", name,
                              json_string_value(value));
    }
    if (!place_member(root, "metadata", &metadata) ||
        !place_member(&metadata, "total_size", &total))
        return RK_OK;
    const double said = json_number_value(total.value);
    if (json_is_number(total.value) && said == (double)sum) return RK_OK;
    return place_fail(&total, error, "the tensors have %" PRIu64 " bytes, it says %.0f", sum, said);
}

static enum rk_status open_index(struct store *store, struct list *list, struct rk_error *error)
{
    struct document document = {.root = NULL};
    char path[MOST_PATH];
    const char **names = NULL;
    size_t count = 0;
    snprintf(path, sizeof path, "%s/" INDEX, store->layout.folder);
    store_mark_file(store, path);
    enum rk_status status = document_load(path, &document, error);
    if (status != RK_OK) return status;
    const struct place root = place_root(&document);
    struct place map;
    if (!place_member(&root, "weight_map", &map) || !json_is_object(map.value))
        status = place_fail(&root, error, "weight_map, an object, is missing");
    if (status == RK_OK) status = files_of_index(&map, &names, &count, error);
    for (size_t i = 0; i < count && status == RK_OK; i++)
        status = add_file(store, names[i], list, error);
    if (status == RK_OK) status = store_take_list(store, list, false, error);
    if (status == RK_OK) status = check_index(store, &root, &map, error);
    free(names);
    document_release(&document);
    return status;
}

/* model.safetensors, else the only .safetensors file of a folder. */
static enum rk_status find_single(const char *folder, char name[static 256], struct rk_error *error)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;
    int found = 0;
    if (!files) return fail_to_open(folder, error);
    while ((entry = readdir(files)) && strcmp(name, "model.safetensors") != 0)
        if (text_ends_in(entry->d_name, ".safetensors") && entry->d_name[0] != '.') {
            snprintf(name, 256, "%s", entry->d_name);
            found++;
        }
    if (entry) strcpy(name, "model.safetensors");
    closedir(files);
    if (found == 1 || entry) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, folder, 0, 0,
                   found ? "has %d .safetensors files and no " INDEX ": which tensors belong to it?"
                         : "has no .safetensors file: name a folder with weights or a config.json, "
                           "or a model's file",
                   found);
}

static enum rk_status split_path(const char *path, struct store *store, char name[static 256],
                                 struct rk_error *error)
{
    char *folder = store->layout.folder;
    const char *slash = strrchr(path, '/');
    if (strlen(path) + 256 > sizeof store->layout.folder)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "the name is too long");
    name[0] = '\0';
    strcpy(folder, path);
    if (is_folder(path)) return RK_OK;
    snprintf(name, 256, "%s", slash ? slash + 1 : path);
    if (!slash)
        strcpy(folder, ".");
    else
        folder[slash == path ? 1 : slash - path] = '\0';
    return RK_OK;
}

static void open_config(struct store *store)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/config.json", store->layout.folder);
    if (access(path, F_OK) == 0) store_read_config(path, store, &store->config);
}

enum rk_status store_open_checkpoint(const char *path, struct store *store, struct rk_error *error)
{
    struct list list = {.count = 0};
    char name[256];
    *store = (struct store){.has_model = false};
    enum rk_status status = split_path(path, store, name, error);
    if (status != RK_OK) return status;
    if (!*name && store_is_shards(path))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "holds shards of a plan: merge or reshard them");
    if (!*name && store_has_file(path, INDEX)) {
        status = open_index(store, &list, error);
    } else {
        if (!*name) status = find_single(path, name, error);
        if (status == RK_OK) status = add_file(store, name, &list, error);
        if (status == RK_OK) status = store_take_list(store, &list, false, error);
    }
    store_list_release(&list);
    if (status == RK_OK) open_config(store);
    return status;
}

enum rk_status store_read_config(const char *path, struct store *store, struct rk_error *error)
{
    const struct hf_options options = {.type = -1};
    struct document document = {.root = NULL};
    struct hf_import *import = malloc(sizeof *import);
    if (!import) return no_memory(error);
    enum rk_status status = hf_document_load(path, &document, error);
    if (status == RK_OK) status = hf_read(&document, "checkpoint", &options, import, error);
    if (status == RK_OK) {
        store->model = import->model;
        store->has_model = true;
        snprintf(store->type, sizeof store->type, "%s", import->type);
    }
    document_release(&document);
    free(import);
    return status;
}

void store_release(struct store *store)
{
    layout_release(&store->layout);
    free(store->plan);
    free(store->file_of_rank);
    free(store->source.key);
    free(store->source.value);
    *store = (struct store){.has_model = false};
}
