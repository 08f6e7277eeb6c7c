/* transfer_tiles.h - where the bytes of a tensor's tile lie in a slice of a file. Pure.
 *
 * A view is a tensor of elements of whole bytes; of less than a byte its last axis counts bytes.
 */
#ifndef RECKON_SHARD_TRANSFER_TILES_H
#define RECKON_SHARD_TRANSFER_TILES_H

#include "shard/layout.h"

struct view {
    int rank; /* at least 1 */
    uint64_t shape[TENSOR_MAX_RANK];
    uint64_t element;   /* bytes */
    uint64_t pack, per; /* of less than a byte: `pack` elements are `per` bytes; else 1, 1 */
};

struct tile {
    struct box box; /* of the tensor; `at` is not used */
    uint64_t first; /* element of the tensor */
    uint64_t bytes;
    char *data; /* (bytes) in C order */
};

/* A part of a tile that is a part of a slice: runs of `run` bytes. */
struct piece {
    uint64_t size[TENSOR_MAX_RANK];
    uint64_t tile_step[TENSOR_MAX_RANK], slice_step[TENSOR_MAX_RANK]; /* bytes */
    int outer; /* dimensions in front of a run */
    uint64_t run;
    uint64_t in_tile, in_slice; /* bytes of the first */
    uint64_t end;               /* after the last one, in the slice */
    uint64_t bytes;
};

/* Shape of the slice in bytes' elements. */
struct target {
    const struct slice *slice;
    uint64_t shape[TENSOR_MAX_RANK];
    uint64_t first;
};

/* Tiles of a tensor are whole units of dimension `cut`, as many as a chunk holds, within one index
 * of the dimensions in front. */
struct tiling {
    struct view view;
    int cut;
    uint64_t unit;      /* elements */
    uint64_t units;     /* at most, in one tile */
    uint64_t next, all; /* elements */
};

/* False: the box, or the slice, is cut within a byte. */
bool view_box(const struct view *v, struct box *box);
bool target_of(const struct view *v, const struct slice *slice, struct target *t);

/* What a box of the slice has of a tile; false: nothing. */
bool piece_of(const struct view *v, const struct tile *tile, const struct target *t,
              const struct box *box, struct piece *p);

/* Calls for each run. */
typedef void on_run(void *context, uint64_t in_tile, uint64_t in_slice, uint64_t bytes);
void piece_runs(const struct piece *p, on_run *call, void *context);

bool boxes_meet(const struct box *a, const struct box *b, int rank);

/* Tiles of at most `chunk` bytes; `whole` is false where the last axis is no whole number of
 * bytes. */
struct tiling tiling_of(const struct tensor *t, size_t chunk, bool *whole);
bool tiling_next(struct tiling *g, struct tile *tile);

#endif
