/* store_write.c - headers, indexes and what else belongs to a folder of weights. */
#include "base/memory.h"
#include "shard/store.h"

#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PATH = 4096 + 256, MOST_REST = 64 << 20 };

/* ---- text ---- */

struct text {
    struct bytes bytes;
    bool failed;
};

static void put(struct text *t, const char *format, ...) RK_PRINTF(2, 3);

static void put(struct text *t, const char *format, ...)
{
    char buffer[256];
    va_list values;
    va_start(values, format);
    const int size = vsnprintf(buffer, sizeof buffer, format, values);
    va_end(values);
    t->failed |= !bytes_add(&t->bytes, buffer, (size_t)size);
}

static void put_quoted(struct text *t, const char *text)
{
    json_t *value = json_string(text);
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    t->failed |= !dumped || !bytes_add(&t->bytes, dumped, strlen(dumped));
    free(dumped);
    json_decref(value);
}

static void put_numbers(struct text *t, const char *key, int count, const uint64_t *number)
{
    put(t, "\"%s\":[", key);
    for (int i = 0; i < count; i++)
        put(t, i ? ",%" PRIu64 : "%" PRIu64, number[i]);
    put(t, "]");
}

/* Writes NAME.part, then renames it; a stopped run leaves NAME.part, which the next run
 * overwrites. */
static enum rk_status save_text(const char *folder, const char *name, struct text *t,
                                struct rk_error *error)
{
    char path[MOST_PATH], part[MOST_PATH + 8];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(part, sizeof part, "%s.part", path);
    if (t->failed) return no_memory(error);
    FILE *file = fopen(part, "wb");
    bool ok = file && fwrite(t->bytes.data, 1, t->bytes.size, file) == t->bytes.size;
    if (file) ok &= fclose(file) == 0;
    if (ok && rename(part, path) == 0) return RK_OK;
    return rk_fail(error, RK_IO, path, 0, 0, "cannot write: %s", strerror(errno));
}

/* ---- headers ---- */

static void put_box(struct text *t, const struct box *box, int rank)
{
    uint64_t end[TENSOR_MAX_RANK];
    for (int d = 0; d < rank; d++)
        end[d] = box->begin[d] + box->size[d];
    put(t, "{");
    put_numbers(t, "begin", rank, box->begin);
    put(t, ",");
    put_numbers(t, "end", rank, end);
    put(t, ",");
    put_numbers(t, "at", rank, box->at);
    put(t, "}");
}

/* "name":{"shape":[..],"local":[..],"boxes":[{"begin":[..],"end":[..],"at":[..]}]} */
static void put_slice(struct text *t, const struct layout *l, const struct slice *s)
{
    const struct tensor *tensor = &l->tensor[s->tensor];
    put_quoted(t, tensor->name);
    put(t, ":{");
    put_numbers(t, "shape", tensor->rank, tensor->shape);
    put(t, ",");
    put_numbers(t, "local", tensor->rank, s->shape);
    put(t, ",\"boxes\":[");
    for (uint32_t i = 0; i < s->boxes; i++) {
        if (i) put(t, ",");
        put_box(t, &l->box[s->box + i], tensor->rank);
    }
    put(t, "]");
    if (s->flat) {
        put(t, ",");
        put_numbers(t, "flat", 2, (const uint64_t[]){s->first, s->count});
    }
    put(t, "}");
}

static bool sort_by_file(struct store_headers *h)
{
    const struct layout *l = h->layout;
    h->of = calloc(l->files + 2, sizeof *h->of);
    h->slice = malloc((l->slices + 1) * sizeof *h->slice);
    if (!h->of || !h->slice) return false;
    for (size_t i = 0; i < l->slices; i++)
        h->of[l->slice[i].file + 2]++;
    for (size_t f = 2; f <= l->files; f++)
        h->of[f] += h->of[f - 1];
    for (size_t i = 0; i < l->slices; i++)
        h->slice[h->of[l->slice[i].file + 1]++] = i;
    return true;
}

static int by_tensor_name(const void *a, const void *b)
{
    return strcmp(((const struct tensor *)a)->name, ((const struct tensor *)b)->name);
}

/* The tensors of a file with borrowed names, and (boxes) what they are parts of. */
static enum rk_status list_file(const struct store_headers *h, uint32_t f, struct safetensors *file,
                                struct text *text, struct rk_error *error)
{
    const struct layout *l = h->layout;
    const size_t first = h->of[f], tensors = h->of[f + 1] - first;
    file->tensor = calloc(tensors + 1, sizeof *file->tensor);
    file->pair = calloc(h->count + 1, sizeof *file->pair);
    if (!file->tensor || !file->pair) return no_memory(error);
    for (size_t i = 0; i < h->count; i++)
        file->pair[file->pairs++] = h->pairs[i];
    put(text, "{");
    for (size_t i = 0; i < tensors; i++) {
        const struct slice *s = &l->slice[h->slice[first + i]];
        struct tensor *t = &file->tensor[file->count++];
        *t = l->tensor[s->tensor];
        if (s->flat) {
            t->rank = 1;
            t->shape[0] = s->count;
        } else {
            memcpy(t->shape, s->shape, sizeof t->shape);
        }
        if (h->boxes && i) put(text, ",");
        if (h->boxes) put_slice(text, l, s);
    }
    put(text, "}%c", '\0');
    if (text->failed) return no_memory(error);
    if (h->boxes) file->pair[file->pairs++] = (struct pair){"reckon.boxes", text->bytes.data};
    return RK_OK;
}

static void set_offsets(struct store_headers *h, uint32_t f, struct safetensors *file)
{
    qsort(file->tensor, file->count, sizeof *file->tensor, by_tensor_name);
    for (size_t i = h->of[f]; i < h->of[f + 1]; i++) {
        struct slice *s = &h->layout->slice[h->slice[i]];
        const struct tensor *t = bsearch(&h->layout->tensor[s->tensor], file->tensor, file->count,
                                         sizeof *file->tensor, by_tensor_name);
        s->offset = t->begin;
    }
}

enum rk_status store_header(struct store_headers *h, uint32_t f, struct bytes *header,
                            struct rk_error *error)
{
    struct safetensors file = {.count = 0};
    struct text text = {.failed = false};
    enum rk_status status = list_file(h, f, &file, &text, error);
    if (status == RK_OK) status = safetensors_write(h->layout->file[f].name, &file, header, error);
    if (status == RK_OK) {
        h->layout->file[f].bytes = file.count ? file.tensor[file.count - 1].end : header->size;
        set_offsets(h, f, &file);
    }
    bytes_release(&text.bytes);
    free(file.tensor);
    free(file.pair);
    return status;
}

enum rk_status store_headers_open(struct layout *layout, const struct pair *pairs, size_t count,
                                  bool boxes, struct store_headers *h, struct rk_error *error)
{
    struct bytes header = {.data = NULL};
    *h = (struct store_headers){layout, pairs, count, boxes, NULL, NULL, 0};
    enum rk_status status = sort_by_file(h) ? RK_OK : no_memory(error);
    for (uint32_t f = 0; f < layout->files && status == RK_OK; f++) {
        status = store_header(h, f, &header, error);
        if (status == RK_OK) h->hash = hash_pair(h->hash, hash_bytes(header.data, header.size));
    }
    bytes_release(&header);
    return status;
}

void store_headers_release(struct store_headers *h)
{
    free(h->of);
    free(h->slice);
    *h = (struct store_headers){.layout = NULL};
}

/* ---- indexes ---- */

static uint64_t total_bytes(const struct layout *l)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < l->tensors; i++) {
        uint64_t bytes;
        tensor_bytes(l->tensor[i].type, l->tensor[i].rank, l->tensor[i].shape, &bytes);
        sum += bytes;
    }
    return sum;
}

static void put_files_of(struct text *t, const struct layout *l, size_t tensor, bool list)
{
    put_quoted(t, l->tensor[tensor].name);
    put(t, list ? ": [" : ": ");
    for (size_t i = l->of_tensor[tensor]; i < l->of_tensor[tensor + 1]; i++) {
        if (i > l->of_tensor[tensor]) put(t, ", ");
        put_quoted(t, l->file[l->slice[i].file].name);
    }
    put(t, list ? "]" : "");
}

static void put_map(struct text *t, const struct layout *l, bool list)
{
    put(t, "  \"weight_map\": {\n");
    for (size_t i = 0; i < l->tensors; i++) {
        put(t, "    ");
        put_files_of(t, l, i, list);
        put(t, i + 1 < l->tensors ? ",\n" : "\n");
    }
    put(t, "  }");
}

enum rk_status store_write_index(const struct layout *layout, struct rk_error *error)
{
    struct text t = {.failed = false};
    put(&t, "{\n  \"metadata\": {\n    \"total_size\": %" PRIu64 "\n  },\n", total_bytes(layout));
    put_map(&t, layout, false);
    put(&t, "\n}\n");
    const enum rk_status status =
        save_text(layout->folder, "model.safetensors.index.json", &t, error);
    bytes_release(&t.bytes);
    return status;
}

enum rk_status store_write_shards_index(const struct layout *layout, const struct placed *placed,
                                        const struct pair *pairs, size_t count,
                                        struct rk_error *error)
{
    struct text t = {.failed = false};
    put(&t, "{\n  \"metadata\": {\n");
    for (size_t i = 0; i < count; i++) {
        put(&t, "    ");
        put_quoted(&t, pairs[i].key);
        put(&t, ": ");
        put_quoted(&t, pairs[i].value);
        put(&t, ",\n");
    }
    put(&t, "    \"total_size\": %" PRIu64 "\n  },\n  \"files\": [\n", total_bytes(layout));
    for (size_t i = 0; i < layout->files; i++) {
        put(&t, "    ");
        put_quoted(&t, layout->file[i].name);
        put(&t, i + 1 < layout->files ? ",\n" : "\n");
    }
    put(&t, "  ],\n  \"file_of_rank\": [");
    for (uint64_t i = 0; placed && i < placed->ranks; i++)
        put(&t, i ? ", %u" : "%u", placed->file_of_rank[i]);
    put(&t, "],\n");
    put_map(&t, layout, true);
    put(&t, "\n}\n");
    const enum rk_status status = save_text(layout->folder, "reckon.index.json", &t, error);
    bytes_release(&t.bytes);
    return status;
}

/* ---- what else is in the folder ---- */

static bool belongs(const char *name)
{
    static const char *const ends[] = {".json", ".txt", ".model", ".py", ".jinja", ".md", NULL};
    if (name[0] == '.' || strncmp(name, "reckon.", 7) == 0) return false;
    if (strstr(name, ".safetensors") || strcmp(name, "pytorch_model.bin.index.json") == 0)
        return false;
    if (strcmp(name, "train.json") == 0) return false; /* of weights and moments together */
    for (const char *const *end = ends; *end; end++)
        if (strlen(name) > strlen(*end) && strcmp(name + strlen(name) - strlen(*end), *end) == 0)
            return true;
    return false;
}

static enum rk_status copy_file(const char *folder, const char *to, const char *name,
                                struct rk_error *error)
{
    char path[MOST_PATH];
    struct text t = {.failed = false};
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MOST_REST) return RK_OK;
    FILE *file = fopen(path, "rb");
    if (!file) return rk_fail(error, RK_IO, path, 0, 0, "cannot read: %s", strerror(errno));
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        t.failed |= !bytes_add(&t.bytes, buffer, got);
    fclose(file);
    const enum rk_status status = save_text(to, name, &t, error);
    bytes_release(&t.bytes);
    return status;
}

enum rk_status store_copy_rest(const char *from, const char *to, struct rk_error *error)
{
    DIR *files = opendir(from);
    const struct dirent *entry;
    enum rk_status status = RK_OK;
    if (!files) return RK_OK; /* the weights were read from elsewhere */
    while (status == RK_OK && (entry = readdir(files)))
        if (belongs(entry->d_name)) status = copy_file(from, to, entry->d_name, error);
    closedir(files);
    return status;
}
