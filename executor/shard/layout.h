/* layout.h - where the bytes of tensors are: a list of slices, each a list of boxes of a tensor, in
 * files. A checkpoint, the shards of a plan and what they are merged to are all layouts over one
 * list of tensors; moving from one to another is box intersections (transfer.h).
 */
#ifndef RECKON_SHARD_LAYOUT_H
#define RECKON_SHARD_LAYOUT_H

#include "shard/safetensors.h"

/* Part of a tensor: `size` elements from `begin` on are at `at` of the slice. */
struct box {
    uint64_t begin[TENSOR_MAX_RANK], size[TENSOR_MAX_RANK], at[TENSOR_MAX_RANK];
};

/* What one file has of one tensor. A flat slice is a row of `count` elements, those from `first` on
 * of an array of `shape` in C order. */
struct slice {
    uint32_t tensor, file;
    uint64_t offset; /* of its first byte in the file */
    uint64_t shape[TENSOR_MAX_RANK];
    bool flat;
    bool copy;             /* all that it has is in slices before it */
    bool predicted;        /* parameters that the predictor counts on the rank */
    uint64_t first, count; /* elements; count: padding too */
    size_t box;            /* the first of its boxes */
    uint32_t boxes;
};

struct layout_file {
    char *name; /* within the folder */
    uint64_t bytes;
};

struct layout {
    char folder[4096];
    size_t tensors;
    struct tensor *tensor; /* (tensors) sorted by name; begin and end mean nothing */
    size_t files, slices, boxes;
    struct layout_file *file;
    struct slice *slice; /* (slices) sorted by tensor, then file */
    struct box *box;
    size_t *of_tensor; /* (tensors + 1) its slices */
    size_t box_room;
};

/* Adds; `name` is copied. RK_NO_MEMORY without memory. */
enum rk_status layout_add_file(struct layout *layout, const char *name, struct rk_error *error);
enum rk_status layout_add_slice(struct layout *layout, const struct slice *slice, size_t boxes,
                                const struct box *box, struct rk_error *error);

/* A list of tensors, unsorted, becomes the layout's; names and array are its own from then on. */
void layout_take_tensors(struct layout *layout, struct tensor *tensor, size_t count);

/* Copies the tensors of another one. */
enum rk_status layout_copy_tensors(struct layout *layout, const struct layout *from,
                                   struct rk_error *error);

/* NULL when there is none. */
const struct tensor *layout_find(const struct layout *layout, const char *name);

/* To be called when all slices are there: sorts them, marks copies, and checks that every element
 * of every tensor is in one slice that is no copy; RK_BAD_INPUT names the first that is missing or
 * in two different boxes. With `partial`, missing ones are fine. */
enum rk_status layout_finish(struct layout *layout, bool partial, struct rk_error *error);

/* All of a tensor as one slice of a file. */
enum rk_status layout_add_whole(struct layout *layout, size_t tensor, uint32_t file,
                                struct rk_error *error);

void layout_release(struct layout *layout); /* a zeroed layout is fine */

#endif
