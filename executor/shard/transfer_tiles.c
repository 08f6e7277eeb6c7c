#include "shard/transfer_tiles.h"

#include <string.h>

/* ---- a tensor in bytes ---- */

static struct view view_of(const struct tensor *t)
{
    const unsigned bits = tensor_type_bits(t->type);
    struct view v = {.rank = t->rank, .element = bits / 8, .pack = 1, .per = 1};
    memcpy(v.shape, t->shape, sizeof v.shape);
    if (v.rank == 0) v.shape[v.rank++] = 1;
    if (bits >= 8) return v;
    v.element = 1;
    v.pack = bits == 4 ? 2 : 4;
    v.per = bits == 4 ? 1 : 3;
    return v;
}

/* The last axis counts bytes, where elements are less than one. */
static bool in_bytes(const struct view *v, uint64_t *count)
{
    const bool whole = *count % v->pack == 0;
    *count = *count / v->pack * v->per;
    return whole;
}

bool view_box(const struct view *v, struct box *box)
{
    const int last = v->rank - 1;
    if (v->pack == 1) return true;
    return in_bytes(v, &box->begin[last]) && in_bytes(v, &box->size[last]) &&
           in_bytes(v, &box->at[last]);
}

static uint64_t flat_index(const struct view *v, const uint64_t *shape, const uint64_t *at)
{
    uint64_t index = 0;
    for (int d = 0; d < v->rank; d++)
        index = index * shape[d] + at[d];
    return index;
}

/* ---- tiles ---- */

bool target_of(const struct view *v, const struct slice *slice, struct target *t)
{
    t->slice = slice;
    t->first = slice->flat ? slice->first : 0;
    memcpy(t->shape, slice->shape, sizeof t->shape);
    if (slice->shape[0] == 0 || v->rank > TENSOR_MAX_RANK) t->shape[0] = 1;
    if (v->pack == 1) return true;
    return in_bytes(v, &t->shape[v->rank - 1]) && in_bytes(v, &t->first);
}

bool piece_of(const struct view *v, const struct tile *tile, const struct target *t,
              const struct box *box, struct piece *p)
{
    uint64_t at[TENSOR_MAX_RANK], local[TENSOR_MAX_RANK], whole = v->element, own = v->element;
    for (int d = 0; d < v->rank; d++) {
        const uint64_t a = tile->box.begin[d], b = a + tile->box.size[d];
        const uint64_t x = box->begin[d], y = x + box->size[d];
        at[d] = a > x ? a : x;
        const uint64_t end = b < y ? b : y;
        if (at[d] >= end) return false;
        p->size[d] = end - at[d];
        local[d] = box->at[d] + at[d] - x;
    }
    p->run = v->element;
    p->outer = v->rank;
    bool joined = true;
    for (int d = v->rank - 1; d >= 0; d--) {
        p->tile_step[d] = whole;
        p->slice_step[d] = own;
        if (joined) {
            p->run *= p->size[d];
            p->outer = d;
            joined = p->size[d] == v->shape[d] && p->size[d] == t->shape[d];
        }
        whole *= v->shape[d];
        own *= t->shape[d];
    }
    p->in_tile = (flat_index(v, v->shape, at) - tile->first) * v->element;
    p->in_slice = (flat_index(v, t->shape, local) - t->first) * v->element;
    p->bytes = p->run;
    p->end = p->in_slice + p->run;
    for (int d = 0; d < p->outer; d++) {
        p->bytes *= p->size[d];
        p->end += (p->size[d] - 1) * p->slice_step[d];
    }
    return true;
}

void piece_runs(const struct piece *p, on_run *call, void *context)
{
    uint64_t index[TENSOR_MAX_RANK] = {0}, tile = p->in_tile, slice = p->in_slice;
    for (int d = p->outer; d >= 0;) {
        call(context, tile, slice, p->run);
        for (d = p->outer - 1; d >= 0; d--) {
            tile += p->tile_step[d];
            slice += p->slice_step[d];
            if (++index[d] < p->size[d]) break;
            tile -= index[d] * p->tile_step[d];
            slice -= index[d] * p->slice_step[d];
            index[d] = 0;
        }
    }
}

bool boxes_meet(const struct box *a, const struct box *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (a->begin[d] >= b->begin[d] + b->size[d] || b->begin[d] >= a->begin[d] + a->size[d])
            return false;
    return true;
}

struct tiling tiling_of(const struct tensor *t, size_t chunk, bool *whole)
{
    struct tiling g = {.view = view_of(t), .unit = 1};
    struct view *v = &g.view;
    *whole = v->pack == 1 || in_bytes(v, &v->shape[v->rank - 1]);
    g.all = 1;
    for (int d = 0; d < v->rank; d++)
        g.all *= v->shape[d];
    g.cut = v->rank - 1;
    while (g.cut > 0 && g.unit * v->shape[g.cut] * v->element <= chunk)
        g.unit *= v->shape[g.cut--];
    g.units = chunk / (g.unit * v->element);
    return g;
}

bool tiling_next(struct tiling *g, struct tile *tile)
{
    const struct view *v = &g->view;
    if (g->next >= g->all) return false;
    uint64_t rest = g->next / g->unit;
    const uint64_t row = rest % v->shape[g->cut], left = v->shape[g->cut] - row;
    const uint64_t units = left < g->units ? left : g->units;
    for (int d = g->cut; d >= 0; d--) {
        tile->box.begin[d] = rest % v->shape[d];
        tile->box.size[d] = 1;
        rest /= v->shape[d];
    }
    tile->box.size[g->cut] = units;
    for (int d = g->cut + 1; d < v->rank; d++) {
        tile->box.begin[d] = 0;
        tile->box.size[d] = v->shape[d];
    }
    tile->first = g->next;
    tile->bytes = units * g->unit * v->element;
    g->next += units * g->unit;
    return true;
}
