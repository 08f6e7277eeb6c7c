/* store_list.h - lists of tensors and their files while they are read. */
#ifndef RECKON_SHARD_STORE_LIST_H
#define RECKON_SHARD_STORE_LIST_H

#include "shard/layout.h"

struct place;
struct store;

struct list {
    size_t count;
    struct tensor *tensor;
};

bool store_has_file(const char *folder, const char *name);

/* The name of a file in the folder itself, and of weights. */
enum rk_status store_check_name(const struct place *place, const char *name,
                                struct rk_error *error);

enum rk_status store_list_add(struct list *list, const struct tensor *t, struct rk_error *error);

void store_list_release(struct list *list);

/* Hashes what tells a file from another one. */
void store_mark_file(struct store *store, const char *path);

enum rk_status store_read_file(struct store *store, const char *name, struct safetensors *file,
                               struct rk_error *error);

/* The list, an entry a slice, sorted by name and each name once, becomes the layout's. */
enum rk_status store_take_list(struct store *store, struct list *list, bool shards,
                               struct rk_error *error);

enum { MOST_PATH = 4096 + 256 };

#endif
