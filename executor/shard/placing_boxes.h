/* placing_boxes.h - the boxes of a tensor that a rank holds. */
#ifndef RECKON_SHARD_PLACING_BOXES_H
#define RECKON_SHARD_PLACING_BOXES_H

#include "shard/cut.h"
#include "shard/layout.h"

struct boxes {
    uint64_t shape[TENSOR_MAX_RANK]; /* of the slice */
    uint64_t elements;
    size_t count;
    struct box *box;
};

/* The cut, one box for each range. */
bool boxes_of_cut(const struct tensor *t, const struct part *part, const struct cut *cut,
                  struct boxes *to);

bool boxes_clip(const struct boxes *from, int rank, const uint64_t *begin, const uint64_t *end,
                struct boxes *to);

/* Elements [first, end) in C order are at most 2 rank - 1 boxes: rows that are cut off at either
 * end, and whole ones between them. */
bool boxes_clip_flat(const struct boxes *from, int rank, uint64_t first, uint64_t end,
                     struct boxes *to);

#endif
