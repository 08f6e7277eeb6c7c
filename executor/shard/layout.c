#include "shard/layout.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

enum rk_status layout_add_file(struct layout *layout, const char *name, struct rk_error *error)
{
    char *copy = strdup(name);
    if (!copy || !ARRAY_ROOM(layout->file, layout->files)) {
        free(copy);
        return no_memory(error);
    }
    layout->file[layout->files++] = (struct layout_file){copy, 0};
    return RK_OK;
}

enum rk_status layout_add_slice(struct layout *layout, const struct slice *slice, size_t boxes,
                                const struct box *box, struct rk_error *error)
{
    if (!ARRAY_ROOM(layout->slice, layout->slices) ||
        !ARRAY_RESERVE(layout->box, layout->box_room, layout->boxes + boxes))
        return no_memory(error);
    struct slice *added = &layout->slice[layout->slices++];
    *added = *slice;
    added->box = layout->boxes;
    added->boxes = (uint32_t)boxes;
    if (boxes) memcpy(layout->box + layout->boxes, box, boxes * sizeof *box);
    layout->boxes += boxes;
    return RK_OK;
}

enum rk_status layout_add_whole(struct layout *layout, size_t tensor, uint32_t file,
                                struct rk_error *error)
{
    const struct tensor *t = &layout->tensor[tensor];
    struct slice slice = {.tensor = (uint32_t)tensor, .file = file, .offset = t->begin};
    struct box box = {.begin = {0}};
    tensor_elements(t->rank, t->shape, &slice.count);
    memcpy(slice.shape, t->shape, sizeof slice.shape);
    memcpy(box.size, t->shape, sizeof box.size);
    return layout_add_slice(layout, &slice, slice.count > 0, &box, error);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tensor *)a)->name, ((const struct tensor *)b)->name);
}

void layout_take_tensors(struct layout *layout, struct tensor *tensor, size_t count)
{
    if (count > 1) qsort(tensor, count, sizeof *tensor, by_name);
    layout->tensor = tensor;
    layout->tensors = count;
}

enum rk_status layout_copy_tensors(struct layout *layout, const struct layout *from,
                                   struct rk_error *error)
{
    layout->tensor = calloc(from->tensors + 1, sizeof *layout->tensor);
    for (; layout->tensor && layout->tensors < from->tensors; layout->tensors++) {
        struct tensor *t = &layout->tensor[layout->tensors];
        *t = from->tensor[layout->tensors];
        t->name = strdup(t->name);
        if (!t->name) return no_memory(error);
    }
    return layout->tensor ? RK_OK : no_memory(error);
}

const struct tensor *layout_find(const struct layout *layout, const char *name)
{
    const struct tensor key = {.name = (char *)name};
    if (!layout->tensors) return NULL;
    return bsearch(&key, layout->tensor, layout->tensors, sizeof *layout->tensor, by_name);
}

void layout_release(struct layout *layout)
{
    for (size_t i = 0; i < layout->tensors; i++)
        free(layout->tensor[i].name);
    for (size_t i = 0; i < layout->files; i++)
        free(layout->file[i].name);
    free(layout->tensor);
    free(layout->file);
    free(layout->slice);
    free(layout->box);
    free(layout->of_tensor);
    *layout = (struct layout){.tensors = 0};
}

/* ---- does it cover? ---- */

struct cover {
    const struct tensor *tensor;
    size_t count;
    const struct box **box; /* (count) distinct ones, sorted */
};

static int compare_boxes(const struct box *x, const struct box *y)
{
    for (int d = 0; d < TENSOR_MAX_RANK; d++)
        if (x->begin[d] != y->begin[d]) return x->begin[d] < y->begin[d] ? -1 : 1;
    for (int d = 0; d < TENSOR_MAX_RANK; d++)
        if (x->size[d] != y->size[d]) return x->size[d] < y->size[d] ? -1 : 1;
    return 0;
}

static int by_box(const void *a, const void *b)
{
    return compare_boxes(*(const struct box *const *)a, *(const struct box *const *)b);
}

static bool meet(const struct box *a, const struct box *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (a->begin[d] >= b->begin[d] + b->size[d] || b->begin[d] >= a->begin[d] + a->size[d])
            return false;
    return true;
}

static uint64_t volume(const struct box *box, int rank)
{
    uint64_t product = 1;
    for (int d = 0; d < rank; d++)
        product *= box->size[d];
    return product;
}

/* Boxes that meet without being the same: of small tensors (scales, whose blocks a cut may go
 * through) every element is looked at. */
enum { MOST_MARKS = 1 << 24 };

static uint64_t mark(unsigned char *marks, const struct tensor *t, const struct box *box)
{
    uint64_t index[TENSOR_MAX_RANK] = {0}, marked = 0;
    for (int d = t->rank; d >= 0;) {
        uint64_t at = 0;
        for (int i = 0; i < t->rank; i++)
            at = at * t->shape[i] + box->begin[i] + index[i];
        marked += !marks[at];
        marks[at] = 1;
        for (d = t->rank - 1; d >= 0 && ++index[d] == box->size[d]; d--)
            index[d] = 0;
    }
    return marked;
}

static bool covers_by_marks(const struct cover *c, uint64_t elements)
{
    unsigned char *marks = elements <= MOST_MARKS ? calloc(elements, 1) : NULL;
    uint64_t marked = 0;
    for (size_t i = 0; marks && i < c->count; i++)
        marked += mark(marks, c->tensor, c->box[i]);
    free(marks);
    return marked == elements;
}

static bool overlaps(const struct cover *c)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = i + 1; j < c->count; j++) {
            if (c->tensor->rank && c->box[j]->begin[0] >= c->box[i]->begin[0] + c->box[i]->size[0])
                break;
            if (meet(c->box[i], c->box[j], c->tensor->rank)) return true;
        }
    return false;
}

static enum rk_status check_cover(const struct cover *c, bool partial, struct rk_error *error)
{
    uint64_t elements, sum = 0;
    tensor_elements(c->tensor->rank, c->tensor->shape, &elements);
    for (size_t i = 0; i < c->count; i++)
        sum += volume(c->box[i], c->tensor->rank);
    const bool overlapping = overlaps(c);
    if (!overlapping && (sum == elements || partial)) return RK_OK;
    if (overlapping && (partial || covers_by_marks(c, elements))) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                   overlapping ? "%.200s: its shards overlap and do not cover its %" PRIu64
                                 " elements (they have %" PRIu64 ")"
                               : "%.200s: the shards do not cover its %" PRIu64
                                 " elements: they have %" PRIu64,
                   c->tensor->name, elements, sum);
}

/* ---- copies ---- */

static bool has_box(const struct cover *c, const struct box *box)
{
    return c->count && bsearch(&box, c->box, c->count, sizeof *c->box, by_box);
}

static bool is_copy(const struct layout *l, const struct cover *c, const struct slice *s)
{
    for (uint32_t i = 0; i < s->boxes; i++)
        if (!has_box(c, &l->box[s->box + i])) return false;
    return true;
}

static void add_boxes(const struct layout *l, struct cover *c, const struct slice *s)
{
    for (uint32_t i = 0; i < s->boxes; i++)
        if (!has_box(c, &l->box[s->box + i])) {
            const struct box *box = &l->box[s->box + i];
            size_t at = c->count++;
            for (; at > 0 && compare_boxes(c->box[at - 1], box) > 0; at--)
                c->box[at] = c->box[at - 1];
            c->box[at] = box;
        }
}

static enum rk_status finish_tensor(struct layout *l, size_t tensor, struct cover *c, bool partial,
                                    struct rk_error *error)
{
    c->tensor = &l->tensor[tensor];
    c->count = 0;
    for (size_t i = l->of_tensor[tensor]; i < l->of_tensor[tensor + 1]; i++) {
        struct slice *s = &l->slice[i];
        s->copy = is_copy(l, c, s);
        if (!s->copy) add_boxes(l, c, s);
    }
    return check_cover(c, partial, error);
}

static int by_tensor(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    if (x->tensor != y->tensor) return x->tensor < y->tensor ? -1 : 1;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return 0;
}

enum rk_status layout_finish(struct layout *l, bool partial, struct rk_error *error)
{
    size_t most = 0, at = 0;
    enum rk_status status = RK_OK;
    if (l->slices > 1) qsort(l->slice, l->slices, sizeof *l->slice, by_tensor);
    free(l->of_tensor);
    l->of_tensor = malloc((l->tensors + 1) * sizeof *l->of_tensor);
    if (!l->of_tensor) return no_memory(error);
    for (size_t i = 0; i <= l->tensors; i++) {
        size_t boxes = 0;
        l->of_tensor[i] = at;
        for (; at < l->slices && l->slice[at].tensor == i; at++)
            boxes += l->slice[at].boxes;
        if (boxes > most) most = boxes;
    }
    struct cover cover = {.box = malloc((most + 1) * sizeof(*cover.box))};
    if (!cover.box) return no_memory(error);
    for (size_t i = 0; i < l->tensors && status == RK_OK; i++)
        status = finish_tensor(l, i, &cover, partial, error);
    free(cover.box);
    return status;
}
