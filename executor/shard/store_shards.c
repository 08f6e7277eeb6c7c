/* store_shards.c - a store of shards: its index and boxes. */
#include "base/hash.h"
#include "base/memory.h"
#include "catalog/readers.h"
#include "shard/store.h"
#include "shard/store_list.h"
#include "text/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS_INDEX "reckon.index.json"

bool store_is_shards(const char *folder)
{
    return store_has_file(folder, SHARDS_INDEX);
}

static bool read_numbers(const json_t *list, int rank, uint64_t *to)
{
    if (!json_is_array(list) || json_array_size(list) != (size_t)rank) return false;
    for (int i = 0; i < rank; i++) {
        const json_t *n = json_array_get(list, (size_t)i);
        if (!json_is_integer(n) || json_integer_value(n) < 0) return false;
        to[i] = (uint64_t)json_integer_value(n);
    }
    return true;
}

/* Within the tensor, and within the slice. */
static bool read_box(const json_t *value, int rank, const uint64_t *shape, const uint64_t *local,
                     struct box *box)
{
    *box = (struct box){.begin = {0}};
    if (!read_numbers(json_object_get(value, "begin"), rank, box->begin) ||
        !read_numbers(json_object_get(value, "end"), rank, box->size) ||
        !read_numbers(json_object_get(value, "at"), rank, box->at))
        return false;
    for (int d = 0; d < rank; d++) {
        if (box->begin[d] >= box->size[d] || box->size[d] > shape[d]) return false;
        box->size[d] -= box->begin[d];
        if (box->at[d] > local[d] || box->size[d] > local[d] - box->at[d]) return false;
    }
    return true;
}

struct shard_reading {
    struct store *store;
    struct list list;
    const char *path;
    struct box *box; /* (room) */
    size_t room;
    struct rk_error *error;
};

static enum rk_status fail_box(const struct shard_reading *r, const char *name)
{
    return rk_fail(r->error, RK_BAD_INPUT, r->path, 0, 0,
                   "reckon.boxes of %.160s is not what its header has", name);
}

/* Flat slices: within what the boxes of the slice make in C order. */
static bool read_flat(const json_t *flat, const struct tensor *stored, int rank,
                      const uint64_t *local, struct slice *slice)
{
    uint64_t numbers[2], elements;
    if (!tensor_elements(rank, local, &elements)) return false;
    slice->count = elements;
    if (!flat) {
        return stored->rank == rank &&
               memcmp(stored->shape, local, (size_t)rank * sizeof *local) == 0;
    }
    if (!read_numbers(flat, 2, numbers)) return false;
    slice->flat = true;
    slice->first = numbers[0];
    slice->count = numbers[1];
    return numbers[0] <= elements && numbers[1] <= elements - numbers[0] && stored->rank == 1 &&
           stored->shape[0] == numbers[1];
}

/* Corners of a box of a flat slice are in the slice. */
static bool in_flat(const struct slice *slice, int rank, const struct box *box)
{
    uint64_t first = 0, last = 0;
    for (int d = 0; d < rank; d++) {
        first = first * slice->shape[d] + box->at[d];
        last = last * slice->shape[d] + box->at[d] + box->size[d] - 1;
    }
    return !slice->flat || (first >= slice->first && last - slice->first < slice->count);
}

static enum rk_status read_slice(struct shard_reading *r, const struct tensor *stored,
                                 const json_t *value)
{
    const json_t *shape = json_object_get(value, "shape"), *boxes = json_object_get(value, "boxes");
    const int rank = (int)json_array_size(shape);
    const size_t count = json_array_size(boxes);
    struct tensor whole = {.name = stored->name, .type = stored->type, .rank = rank};
    struct slice slice = {.tensor = (uint32_t)r->list.count,
                          .file = (uint32_t)r->store->layout.files - 1,
                          .offset = stored->begin};
    uint64_t bytes;
    if (rank > TENSOR_MAX_RANK || !read_numbers(shape, rank, whole.shape) ||
        !read_numbers(json_object_get(value, "local"), rank, slice.shape) ||
        !tensor_bytes(whole.type, rank, whole.shape, &bytes) || !json_is_array(boxes) ||
        !read_flat(json_object_get(value, "flat"), stored, rank, slice.shape, &slice))
        return fail_box(r, stored->name);
    if (count > r->room) {
        free(r->box);
        r->room = count;
        if (!(r->box = malloc(count * sizeof *r->box))) return no_memory(r->error);
    }
    for (size_t i = 0; i < count; i++)
        if (!read_box(json_array_get(boxes, i), rank, whole.shape, slice.shape, &r->box[i]) ||
            !in_flat(&slice, rank, &r->box[i]))
            return fail_box(r, stored->name);
    const enum rk_status status = store_list_add(&r->list, &whole, r->error);
    if (status != RK_OK) return status;
    return layout_add_slice(&r->store->layout, &slice, count, r->box, r->error);
}

/* The file is the layout's last one. */
static enum rk_status add_shard(struct shard_reading *r, const struct safetensors *file,
                                const char *path)
{
    json_error_t json;
    enum rk_status status = RK_OK;
    r->path = path;
    const char *text = safetensors_value(file, "reckon.boxes");
    json_t *root = text ? json_loads(text, JSON_REJECT_DUPLICATES, &json) : NULL;
    if (!json_is_object(root))
        status = rk_fail(r->error, RK_BAD_INPUT, path, 0, 0,
                         "does not say in its metadata (reckon.boxes) what it has");
    for (size_t i = 0; i < file->count && status == RK_OK; i++)
        status = read_slice(r, &file->tensor[i], json_object_get(root, file->tensor[i].name));
    json_decref(root);
    return status;
}

static enum rk_status read_shard(struct shard_reading *r, const char *name)
{
    struct safetensors file;
    char path[MOST_PATH];
    enum rk_status status = store_read_file(r->store, name, &file, r->error);
    if (status != RK_OK) return status;
    snprintf(path, sizeof path, "%s/%s", r->store->layout.folder, name);
    status = add_shard(r, &file, path);
    safetensors_release(&file);
    return status;
}

static enum rk_status read_ranks(struct store *store, const struct place *root,
                                 struct rk_error *error)
{
    struct place list;
    const size_t files = json_array_size(json_object_get(root->value, "files"));
    if (!place_member(root, "file_of_rank", &list)) return RK_OK;
    const size_t ranks = json_array_size(list.value);
    store->file_of_rank = calloc(ranks + 1, sizeof *store->file_of_rank);
    if (!store->file_of_rank) return no_memory(error);
    for (; store->ranks < ranks; store->ranks++) {
        const struct place place = place_element(&list, store->ranks);
        const json_int_t file = json_is_integer(place.value) ? json_integer_value(place.value) : -1;
        if (file < 0 || (size_t)file >= files)
            return place_fail(&place, error, "must be the number of a file, 0 to %zu", files - 1);
        store->file_of_rank[store->ranks] = (uint32_t)file;
    }
    return RK_OK;
}

static enum rk_status read_pairs(struct store *store, const struct place *root,
                                 struct rk_error *error)
{
    struct place metadata, value;
    struct document model;
    if (!place_member(root, "metadata", &metadata)) return RK_OK;
    if (place_member(&metadata, "reckon.plan", &value) && json_is_string(value.value) &&
        !(store->plan = strdup(json_string_value(value.value))))
        return no_memory(error);
    if (place_member(&metadata, "reckon.type", &value) && json_is_string(value.value))
        snprintf(store->type, sizeof store->type, "%s", json_string_value(value.value));
    if (!place_member(&metadata, "reckon.model", &value) || !json_is_string(value.value))
        return RK_OK;
    const char *text = json_string_value(value.value);
    enum rk_status status = document_parse("reckon.model", text, strlen(text), &model, error);
    if (status == RK_OK) status = model_read(&model, "checkpoint", &store->model, error);
    store->has_model = status == RK_OK;
    document_release(&model);
    return status;
}

enum rk_status store_open_shards(const char *folder, struct store *store, struct rk_error *error)
{
    struct shard_reading r = {.store = store, .error = error};
    struct document document = {.root = NULL};
    char path[MOST_PATH];
    *store = (struct store){.has_model = false};
    if (strlen(folder) + 256 > sizeof store->layout.folder)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "the name is too long");
    strcpy(store->layout.folder, folder);
    snprintf(path, sizeof path, "%s/" SHARDS_INDEX, folder);
    store_mark_file(store, path);
    enum rk_status status = document_load(path, &document, error);
    const struct place root = place_root(&document);
    struct place files;
    if (status == RK_OK && (!place_member(&root, "files", &files) || !json_is_array(files.value)))
        status = place_fail(&root, error, "files, a list, is missing");
    if (status == RK_OK) status = read_pairs(store, &root, error);
    if (status == RK_OK) status = read_ranks(store, &root, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(files.value); i++) {
        const struct place place = place_element(&files, i);
        const char *name = json_string_value(place.value);
        status = store_check_name(&place, name, error);
        if (status == RK_OK) status = read_shard(&r, name);
    }
    document_release(&document);
    if (status == RK_OK) status = store_take_list(store, &r.list, true, error);
    free(r.box);
    store_list_release(&r.list);
    return status;
}

enum rk_status store_of_headers(const struct safetensors *files, const char *const *names,
                                size_t count, struct store *store, struct rk_error *error)
{
    struct shard_reading r = {.store = store, .error = error};
    enum rk_status status = RK_OK;
    *store = (struct store){.has_model = false};
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        status = layout_add_file(&store->layout, names[i], error);
        if (status == RK_OK) status = add_shard(&r, &files[i], names[i]);
    }
    if (status == RK_OK) status = store_take_list(store, &r.list, true, error);
    free(r.box);
    store_list_release(&r.list);
    return status;
}
