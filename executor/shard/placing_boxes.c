#include "shard/placing_boxes.h"

#include "base/memory.h"
#include "base/number.h"

#include <string.h>

static bool boxes_add(struct boxes *to, const struct box *box)
{
    if (!ARRAY_ROOM(to->box, to->count)) return false;
    to->box[to->count++] = *box;
    return true;
}

static bool box_is_empty(const struct box *box, int rank)
{
    for (int d = 0; d < rank; d++)
        if (box->size[d] == 0) return true;
    return false;
}

bool boxes_of_cut(const struct tensor *t, const struct part *part, const struct cut *cut,
                  struct boxes *to)
{
    struct box box = {.begin = {0}};
    uint64_t at = 0;
    const int ranges = cut->axis < 0 ? 1 : cut->ranges;
    bool ok = true;
    to->count = 0;
    memcpy(to->shape, t->shape, sizeof to->shape);
    memcpy(box.size, t->shape, sizeof box.size);
    if (part->stacked && t->rank) {
        box.begin[0] = cut->experts.begin;
        box.size[0] = to->shape[0] = cut->experts.end - cut->experts.begin;
    }
    for (int i = 0; i < ranges && ok; i++) {
        if (cut->axis >= 0) {
            box.begin[cut->axis] = cut->range[i].begin;
            box.size[cut->axis] = cut->range[i].end - cut->range[i].begin;
            box.at[cut->axis] = at;
            at += box.size[cut->axis];
        }
        ok = box_is_empty(&box, t->rank) || boxes_add(to, &box);
    }
    if (cut->axis >= 0) to->shape[cut->axis] = at + cut->padding;
    tensor_elements(t->rank, to->shape, &to->elements);
    return ok;
}

/* What of a box is within [begin, end) of the slice's coordinates; false: nothing. */
static bool clip(struct box *box, int rank, const uint64_t *begin, const uint64_t *end)
{
    for (int d = 0; d < rank; d++) {
        const uint64_t from = box->at[d] > begin[d] ? box->at[d] : begin[d];
        const uint64_t last = box->at[d] + box->size[d];
        const uint64_t to = last < end[d] ? last : end[d];
        if (from >= to) return false;
        box->begin[d] += from - box->at[d];
        box->size[d] = to - from;
        box->at[d] = from;
    }
    return true;
}

bool boxes_clip(const struct boxes *from, int rank, const uint64_t *begin, const uint64_t *end,
                struct boxes *to)
{
    for (size_t i = 0; i < from->count; i++) {
        struct box box = from->box[i];
        if (clip(&box, rank, begin, end) && !boxes_add(to, &box)) return false;
    }
    return true;
}

bool boxes_clip_flat(const struct boxes *from, int rank, uint64_t first, uint64_t end,
                     struct boxes *to)
{
    uint64_t begin[TENSOR_MAX_RANK] = {0}, stop[TENSOR_MAX_RANK];
    bool ok = true;
    while (first < end && ok) {
        /* the longest run of whole `unit`s from `first` on, within one index of what is above */
        uint64_t unit = 1, rest = first;
        int d = rank - 1;
        while (d > 0 && first % (unit * from->shape[d]) == 0 &&
               first + unit * from->shape[d] <= end)
            unit *= from->shape[d--];
        for (int i = rank - 1; i >= 0; i--) {
            begin[i] = rest % from->shape[i];
            stop[i] = begin[i] + 1;
            rest /= from->shape[i];
            if (i > d) stop[i] = from->shape[i];
        }
        uint64_t units = (end - first) / unit;
        if (d >= 0 && units > from->shape[d] - begin[d]) units = from->shape[d] - begin[d];
        if (d >= 0) stop[d] = begin[d] + units;
        ok = boxes_clip(from, rank, begin, stop, to);
        first += d >= 0 ? units * unit : 1;
    }
    return ok;
}
