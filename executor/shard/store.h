/* store.h - folders of checkpoints and of shards: from files to layouts and back.
 *
 * A checkpoint is one safetensors file, or a folder with model.safetensors, or with an index
 * (model.safetensors.index.json) as Hugging Face writes it. Shards are the files of a plan with
 * reckon.index.json; each says in its metadata which part of which tensor it has, so that merging
 * needs neither plan nor model.
 */
#ifndef RECKON_SHARD_STORE_H
#define RECKON_SHARD_STORE_H

#include "shard/layout.h"
#include "shard/placing.h"

#include <reckon/model.h>

struct store {
    struct layout layout;
    char type[48];  /* model_type of config.json; "" */
    bool has_model; /* of config.json, or of the index of shards */
    struct rk_model model;
    struct rk_error config; /* why config.json gives none, where it is there */
    char *plan;             /* of shards: its words; NULL */
    uint32_t *file_of_rank; /* (ranks) of shards */
    uint64_t ranks;
    uint64_t fingerprint; /* of names, sizes and times of the files */
    struct pair source;   /* "format": "pt", where the checkpoint says it */
};

/* RK_BAD_INPUT: headers that are wrong, an index that names other folders or tensors that are not
 * there, sums that do not agree. A config.json that cannot be read is no error yet: Redco's rules
 * need none. Release the store in any case. */
enum rk_status store_open_checkpoint(const char *path, struct store *store, struct rk_error *error);
enum rk_status store_open_shards(const char *folder, struct store *store, struct rk_error *error);
void store_release(struct store *store);

/* The same of headers that are read already: `files` of the store's folder, in the order of
 * `names`. */
enum rk_status store_of_headers(const struct safetensors *files, const char *const *names,
                                size_t count, struct store *store, struct rk_error *error);

/* Is there an index of shards in the folder? */
bool store_is_shards(const char *folder);

/* Model and type of a config.json; nothing when there is none. */
enum rk_status store_read_config(const char *path, struct store *store, struct rk_error *error);

/* Headers of the files of a layout, made one at a time. `pairs` go into every header; with `boxes`
 * which part of what a file has, too. store_headers_open sets sizes of files and offsets of slices,
 * and a hash of all headers. Layout and pairs live as long as the headers; release them in any
 * case. */
struct store_headers {
    struct layout *layout;
    const struct pair *pairs;
    size_t count;
    bool boxes;
    size_t *of, *slice; /* of file f: slice[of[f]] ... slice[of[f + 1] - 1] */
    uint64_t hash;
};
enum rk_status store_headers_open(struct layout *layout, const struct pair *pairs, size_t count,
                                  bool boxes, struct store_headers *headers,
                                  struct rk_error *error);
enum rk_status store_header(struct store_headers *headers, uint32_t file, struct bytes *header,
                            struct rk_error *error);
void store_headers_release(struct store_headers *headers);

/* reckon.index.json: `pairs`, tensors by file, the file of every rank (placed may be NULL). */
enum rk_status store_write_shards_index(const struct layout *layout, const struct placed *placed,
                                        const struct pair *pairs, size_t count,
                                        struct rk_error *error);

/* model.safetensors.index.json */
enum rk_status store_write_index(const struct layout *layout, struct rk_error *error);

/* Copies the configuration, tokenizer and other files of `from` that are not weights. */
enum rk_status store_copy_rest(const char *from, const char *to, struct rk_error *error);

#endif
