#include "corpus/shuffle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A bucket is held in memory while it is sorted. */
enum { BUCKET_BYTES = 64 << 20, MOST_BUCKETS = 400 };

struct head {
    uint64_t key, number;
    uint32_t size;
};

struct shuffle {
    char folder[3840];
    int buckets;
    FILE **file; /* (SHUFFLE_GROUPS, buckets), opened when needed */
    uint64_t number;
};

static enum rk_status fail(const struct shuffle *s, struct rk_error *error)
{
    return rk_fail(error, RK_IO, s->folder, 0, 0, "cannot shuffle there: %s",
                   errno ? strerror(errno) : "the data could not be written");
}

static FILE **file_of(struct shuffle *s, int group, int bucket)
{
    return &s->file[group * s->buckets + bucket];
}

static void name_of(const struct shuffle *s, int index, char path[static 4096])
{
    snprintf(path, 4096, "%s/bucket-%d", s->folder, index);
}

enum rk_status shuffle_open(const char *folder, uint64_t bytes, struct shuffle **shuffle,
                            struct rk_error *error)
{
    struct shuffle *s = *shuffle = calloc(1, sizeof *s);
    if (!s) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to shuffle");
    const uint64_t wanted = bytes / BUCKET_BYTES + 1;
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    s->buckets = wanted < MOST_BUCKETS ? (int)wanted : MOST_BUCKETS;
    s->file = calloc((size_t)(SHUFFLE_GROUPS * s->buckets), sizeof(FILE *));
    if (s->file) return RK_OK;
    shuffle_close(s);
    *shuffle = NULL;
    return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to shuffle");
}

static void remove_bucket(struct shuffle *s, int index)
{
    char path[4096];
    if (!s->file[index]) return;
    fclose(s->file[index]);
    s->file[index] = NULL;
    name_of(s, index, path);
    unlink(path);
}

void shuffle_close(struct shuffle *s)
{
    if (!s) return;
    for (int i = 0; s->file && i < SHUFFLE_GROUPS * s->buckets; i++)
        remove_bucket(s, i);
    free(s->file);
    free(s);
}

enum rk_status shuffle_add(struct shuffle *s, int group, uint64_t key, const char *data,
                           size_t size, struct rk_error *error)
{
    const int bucket = (int)((key >> 32) * (uint64_t)s->buckets >> 32);
    FILE **file = file_of(s, group, bucket);
    const struct head head = {key, s->number++, (uint32_t)size};
    char path[4096];
    errno = 0;
    if (!*file) {
        name_of(s, (int)(file - s->file), path);
        *file = fopen(path, "w+b");
        if (!*file) return fail(s, error);
    }
    if (fwrite(&head, sizeof head, 1, *file) != 1 || fwrite(data, 1, size, *file) != size)
        return fail(s, error);
    return RK_OK;
}

/* ---- a bucket ---- */

struct entry {
    struct head head;
    size_t from; /* in the bucket's data */
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->head.key != y->head.key) return x->head.key < y->head.key ? -1 : 1;
    return (x->head.number > y->head.number) - (x->head.number < y->head.number);
}

static bool load(FILE *file, struct bytes *data, struct bytes *entries)
{
    struct entry entry;
    rewind(file);
    while (fread(&entry.head, sizeof entry.head, 1, file) == 1) {
        entry.from = data->size;
        if (!bytes_reserve(data, entry.head.size) || !bytes_add(entries, &entry, sizeof entry) ||
            fread(data->data + data->size, 1, entry.head.size, file) != entry.head.size)
            return false;
        data->size += entry.head.size;
    }
    return !ferror(file);
}

static enum rk_status hand_over(struct shuffle *s, FILE *file, shuffle_taker take, void *context,
                                struct rk_error *error)
{
    struct bytes data = {.data = NULL}, entries = {.data = NULL};
    errno = 0;
    bool done = fflush(file) == 0 && load(file, &data, &entries);
    struct entry *entry = (struct entry *)(void *)entries.data;
    const size_t count = entries.size / sizeof *entry;
    if (done && count) qsort(entry, count, sizeof *entry, by_key);
    for (size_t i = 0; done && i < count; i++)
        done = take(context, data.data + entry[i].from, entry[i].head.size);
    bytes_release(&data);
    bytes_release(&entries);
    return done ? RK_OK : fail(s, error);
}

enum rk_status shuffle_group(struct shuffle *s, int group, shuffle_taker take, void *context,
                             struct rk_error *error)
{
    for (int bucket = 0; bucket < s->buckets; bucket++) {
        FILE *file = *file_of(s, group, bucket);
        const enum rk_status status = file ? hand_over(s, file, take, context, error) : RK_OK;
        if (status != RK_OK) return status;
        remove_bucket(s, group * s->buckets + bucket);
    }
    return RK_OK;
}
