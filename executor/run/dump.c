#include "run/dump.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "shard/safetensors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct named {
    char *name, *line;
};

struct box {
    char *name;
    uint64_t rows, cols, at; /* in the data, as it came */
};

struct dump {
    char path[600], part[620];
    FILE *data;
    size_t real_bytes;
    uint64_t written, step;
    int rank;
    struct named *named;
    size_t names, now;
    struct box *box;
    size_t boxes;
    bool failed;
};

static enum rk_status fail_file(const char *path, struct rk_error *error)
{
    return rk_fail(error, RK_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
}

struct dump *dump_open(const char *folder, uint64_t step, int rank, size_t real_bytes,
                       struct rk_error *error)
{
    struct dump *d = calloc(1, sizeof *d);
    if (!d) {
        no_memory(error);
        return NULL;
    }
    d->real_bytes = real_bytes;
    d->rank = rank;
    d->step = step;
    mkdir(folder, 0777);
    snprintf(d->path, sizeof d->path, "%s/step-%08llu", folder, (unsigned long long)step);
    mkdir(d->path, 0777);
    snprintf(d->path, sizeof d->path, "%s/step-%08llu/rank-%05d.safetensors", folder,
             (unsigned long long)step, rank);
    snprintf(d->part, sizeof d->part, "%s.part", d->path);
    d->data = fopen(d->part, "w+");
    if (d->data) return d;
    fail_file(d->part, error);
    dump_drop(d);
    return NULL;
}

void dump_drop(struct dump *d)
{
    if (!d) return;
    if (d->data) {
        fclose(d->data);
        unlink(d->part);
    }
    for (size_t i = 0; i < d->names; i++) {
        free(d->named[i].name);
        free(d->named[i].line);
    }
    for (size_t i = 0; i < d->boxes; i++)
        free(d->box[i].name);
    free(d->named);
    free(d->box);
    free(d);
}

void dump_name(struct dump *d, const char *order, const char *name, uint64_t rows, uint64_t cols,
               bool part)
{
    struct named one;
    for (d->now = d->names; d->now-- > 0;)
        if (strcmp(d->named[d->now].name, name) == 0) return;
    one.name = strdup(name);
    if (asprintf(&one.line, "%s|%llu|%llu|%s|%s\n", order, (unsigned long long)rows,
                 (unsigned long long)cols, part ? "part" : "whole", name) < 0)
        one.line = NULL;
    if (!one.name || !one.line || !ARRAY_ROOM(d->named, d->names)) {
        free(one.name);
        free(one.line);
        d->failed = true;
        d->now = d->names;
        return;
    }
    d->now = d->names;
    d->named[d->names++] = one;
}

void dump_box(struct dump *d, uint64_t row, uint64_t col, uint64_t rows, uint64_t cols,
              const void *data, size_t ld)
{
    char *name = NULL;
    if (d->failed || d->now >= d->names || !rows || !cols) return;
    if (asprintf(&name, "%s@%llu,%llu", d->named[d->now].name, (unsigned long long)row,
                 (unsigned long long)col) < 0 ||
        !ARRAY_ROOM(d->box, d->boxes)) {
        free(name);
        d->failed = true;
        return;
    }
    d->box[d->boxes++] = (struct box){name, rows, cols, d->written};
    for (uint64_t i = 0; i < rows; i++)
        if (fwrite((const char *)data + i * ld * d->real_bytes, d->real_bytes, cols, d->data) !=
            cols)
            d->failed = true;
    d->written += rows * cols * d->real_bytes;
}

/* ---- the file ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct box *)a)->name, ((const struct box *)b)->name);
}

static bool add_pair(struct safetensors *file, const char *key, char *value)
{
    file->pair[file->pairs].key = strdup(key);
    file->pair[file->pairs].value = value;
    return file->pair[file->pairs++].key && value;
}

static char *lines_of(const struct dump *d)
{
    size_t length = 1;
    for (size_t i = 0; i < d->names; i++)
        length += strlen(d->named[i].line);
    char *text = malloc(length), *at = text;
    for (size_t i = 0; text && i < d->names; i++)
        at = stpcpy(at, d->named[i].line);
    if (text) *at = 0;
    return text;
}

static bool describe(const struct dump *d, struct safetensors *file)
{
    char step[24], rank[24];
    snprintf(step, sizeof step, "%llu", (unsigned long long)d->step);
    snprintf(rank, sizeof rank, "%d", d->rank);
    file->tensor = calloc(d->boxes + 1, sizeof *file->tensor);
    file->pair = calloc(4, sizeof *file->pair);
    if (!file->tensor || !file->pair) return false;
    for (size_t i = 0; i < d->boxes; i++) {
        struct tensor *t = &file->tensor[file->count++];
        *t = (struct tensor){.name = strdup(d->box[i].name),
                             .type = d->real_bytes == 8 ? TENSOR_F64 : TENSOR_F32,
                             .rank = 2,
                             .shape = {d->box[i].rows, d->box[i].cols}};
        if (!t->name) return false;
    }
    return add_pair(file, "format", strdup("reckon-dump")) &&
           add_pair(file, "step", strdup(step)) && add_pair(file, "rank", strdup(rank)) &&
           add_pair(file, "tensors", lines_of(d));
}

static bool copy_box(const struct dump *d, const struct box *box, FILE *out)
{
    char buffer[1 << 16];
    uint64_t left = box->rows * box->cols * d->real_bytes;
    if (fseeko(d->data, (off_t)box->at, SEEK_SET) != 0) return false;
    while (left) {
        const size_t n = left < sizeof buffer ? (size_t)left : sizeof buffer;
        if (fread(buffer, 1, n, d->data) != n || fwrite(buffer, 1, n, out) != n) return false;
        left -= n;
    }
    return true;
}

static bool write_file(const struct dump *d, const struct safetensors *file,
                       const struct bytes *header)
{
    FILE *out = fopen(d->path, "w");
    if (!out) return false;
    bool ok = fwrite(header->data, 1, header->size, out) == header->size;
    for (size_t i = 0; i < file->count && ok; i++) {
        struct box key = {.name = file->tensor[i].name};
        const struct box *box = bsearch(&key, d->box, d->boxes, sizeof *d->box, by_name);
        ok = box && copy_box(d, box, out);
    }
    return (fclose(out) == 0) && ok;
}

enum rk_status dump_close(struct dump *d, struct rk_error *error)
{
    struct safetensors file = {.count = 0};
    struct bytes header = {.data = NULL};
    enum rk_status status = RK_OK;
    if (d->failed)
        status = fail_file(d->part, error);
    else if (!describe(d, &file))
        status = no_memory(error);
    if (status == RK_OK) status = safetensors_write(d->path, &file, &header, error);
    if (status == RK_OK) qsort(d->box, d->boxes, sizeof *d->box, by_name);
    if (status == RK_OK && !write_file(d, &file, &header)) {
        status = fail_file(d->path, error);
        unlink(d->path);
    }
    bytes_release(&header);
    safetensors_release(&file);
    dump_drop(d);
    return status;
}
