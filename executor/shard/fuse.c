#include "shard/fuse.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 3, MOST_NAME = 512 };

/* Names after "layers.N."; a row with one part is only renamed. */
static const struct fusing {
    const char *whole, *part[MOST_PARTS];
    int parts;
} fusings[] = {
    {"self_attention.linear_qkv", {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}, 3},
    {"self_attention.linear_proj", {"self_attn.o_proj"}, 1},
    {"mlp.linear_fc1", {"mlp.gate_proj", "mlp.up_proj"}, 2},
    {"mlp.linear_fc2", {"mlp.down_proj"}, 1},
};
enum { FUSINGS = sizeof fusings / sizeof *fusings };

/* A tensor of the old list: "PREFIX MIDDLE . LEAF". */
struct member {
    const struct fusing *fusing; /* NULL: stays */
    int part;                    /* of separate ones */
    char prefix[MOST_NAME], leaf[64];
};

static struct member member_of(const char *name, bool fused)
{
    struct member m = {.fusing = NULL};
    for (int f = 0; f < FUSINGS && !m.fusing; f++)
        for (int p = 0; p < (fused ? fusings[f].parts : 1) && !m.fusing; p++) {
            const char *middle = fused ? fusings[f].part[p] : fusings[f].whole;
            const char *at = strstr(name, middle);
            const size_t n = strlen(middle);
            if (!at || at == name || at[-1] != '.' || at[n] != '.') continue;
            m.fusing = &fusings[f];
            m.part = p;
            snprintf(m.prefix, sizeof m.prefix, "%.*s", (int)(at - name), name);
            snprintf(m.leaf, sizeof m.leaf, "%.60s", at + n);
        }
    return m;
}

static void name_of(char text[static MOST_NAME], const struct member *m, const char *middle)
{
    snprintf(text, MOST_NAME, "%.300s%s%s", m->prefix, middle, m->leaf);
}

/* ---- rows ---- */

/* The whole tensor is `units` times the parts' rows, one part after another. */
struct rows {
    uint64_t units, all;
    uint64_t of[MOST_PARTS], from[MOST_PARTS];
};

static struct rows rows_of(const struct fusing *f, const struct rk_model *model, uint64_t whole)
{
    struct rows r = {.units = 1};
    if (f->parts == 3) {
        const uint64_t groups = model->kv_heads ? model->kv_heads : model->heads;
        r.units = groups ? groups : 1;
        r.of[0] = model->heads / r.units * model->head_dim;
        r.of[1] = r.of[2] = model->head_dim;
    } else {
        for (int p = 0; p < f->parts; p++)
            r.of[p] = whole / (uint64_t)f->parts;
    }
    for (int p = 0; p < f->parts; p++) {
        r.from[p] = r.all;
        r.all += r.of[p];
    }
    return r;
}

static enum rk_status fail(const struct layout *l, const struct tensor *t, const char *why,
                           struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, l->folder, 0, 0, "%.200s: %s", t->name, why);
}

/* ---- the tensors of the new list ---- */

struct fuser {
    const struct layout *from;
    const struct rk_model *model;
    bool fused;
    struct member *member; /* (tensors of `from`) */
    struct tensor *tensor; /* new ones */
    size_t tensors;
};

static bool add_tensor(struct fuser *f, const struct tensor *like, const char *name, uint64_t rows)
{
    struct tensor *t = &f->tensor[f->tensors];
    *t = *like;
    t->name = strdup(name);
    if (rows) t->shape[0] = rows;
    f->tensors += t->name != NULL;
    return t->name != NULL;
}

/* All parts are there, alike; else the tensor stays. */
static enum rk_status check_parts(struct fuser *f, size_t i, struct rk_error *error)
{
    struct member *m = &f->member[i];
    const struct tensor *t = &f->from->tensor[i];
    char name[MOST_NAME];
    uint64_t rows = 0;
    for (int p = 0; p < m->fusing->parts; p++) {
        name_of(name, m, m->fusing->part[p]);
        const struct tensor *other = layout_find(f->from, name);
        if (!other) {
            m->fusing = NULL;
            return RK_OK;
        }
        if (other->type != t->type || other->rank != t->rank || t->rank < 1)
            return fail(f->from, other, "is of another type than what it is fused with", error);
        rows += other->shape[0];
    }
    const struct rows r = rows_of(m->fusing, f->model, rows);
    if (m->fusing->parts > 1 && rows != r.units * r.all)
        return fail(f->from, t, "has not the rows of the model's heads", error);
    if (m->fusing->parts > 1 && t->shape[0] != r.units * r.of[m->part])
        return fail(f->from, t, "has not the rows of the model's heads", error);
    return RK_OK;
}

static enum rk_status take_tensor(struct fuser *f, size_t i, struct rk_error *error)
{
    struct member *m = &f->member[i];
    const struct tensor *t = &f->from->tensor[i];
    char name[MOST_NAME];
    bool ok = true;
    *m = member_of(t->name, f->fused);
    if (m->fusing && m->fusing->parts > 1 && strstr(m->leaf, "scale"))
        return fail(f->from, t, "scales of blocks cannot follow a fusion", error);
    if (m->fusing && f->fused) {
        const enum rk_status status = check_parts(f, i, error);
        if (status != RK_OK) return status;
    }
    if (!m->fusing) {
        ok = add_tensor(f, t, t->name, 0);
    } else if (f->fused) {
        uint64_t rows = 0;
        for (int p = 0; p < m->fusing->parts; p++) {
            name_of(name, m, m->fusing->part[p]);
            rows += t->rank ? layout_find(f->from, name)->shape[0] : 0;
        }
        name_of(name, m, m->fusing->whole);
        if (m->part == 0) ok = add_tensor(f, t, name, rows);
    } else {
        const struct rows r = rows_of(m->fusing, f->model, t->rank ? t->shape[0] : 1);
        if (m->fusing->parts > 1 && (t->rank < 1 || t->shape[0] != r.units * r.all))
            return fail(f->from, t, "has not the rows of the model's heads", error);
        for (int p = 0; p < m->fusing->parts && ok; p++) {
            name_of(name, m, m->fusing->part[p]);
            ok = add_tensor(f, t, name, m->fusing->parts > 1 ? r.units * r.of[p] : 0);
        }
    }
    return ok ? RK_OK : no_memory(error);
}

/* ---- what files have of them ---- */

/* Boxes of rows of the one as rows of the other: of unit u, `from` + u * `step` on there are
 * `rows`, which are `to` + u * `stride` on. */
struct map {
    uint64_t units, rows, from, step, to, stride;
};

static size_t map_box(const struct map *m, const struct box *box, struct box *out)
{
    size_t count = 0;
    for (uint64_t u = 0; u < m->units; u++) {
        const uint64_t first = m->from + u * m->step, end = first + m->rows;
        const uint64_t a = box->begin[0] > first ? box->begin[0] : first;
        const uint64_t mine = box->begin[0] + box->size[0], b = mine < end ? mine : end;
        if (a >= b) continue;
        if (out) {
            out[count] = *box;
            out[count].begin[0] = m->to + u * m->stride + (a - first);
            out[count].size[0] = b - a;
            out[count].at[0] = box->at[0] + (a - box->begin[0]);
        }
        count++;
    }
    return count;
}

static enum rk_status add_mapped(struct layout *to, const struct layout *from,
                                 const struct slice *slice, const char *name, const struct map *map,
                                 struct rk_error *error)
{
    struct slice mapped = *slice;
    size_t count = 0;
    const struct tensor *t = layout_find(to, name);
    for (uint32_t i = 0; i < slice->boxes; i++)
        count += map_box(map, &from->box[slice->box + i], NULL);
    if (!t || !count) return RK_OK; /* nothing of it is in the file */
    struct box *boxes = malloc(count * sizeof *boxes);
    if (!boxes) return no_memory(error);
    count = 0;
    for (uint32_t i = 0; i < slice->boxes; i++)
        count += map_box(map, &from->box[slice->box + i], boxes + count);
    mapped.tensor = (uint32_t)(t - to->tensor);
    mapped.copy = false;
    const enum rk_status status = layout_add_slice(to, &mapped, count, boxes, error);
    free(boxes);
    return status;
}

static enum rk_status take_slice(const struct fuser *f, struct layout *to,
                                 const struct slice *slice, struct rk_error *error)
{
    const struct member *m = &f->member[slice->tensor];
    const struct tensor *t = &f->from->tensor[slice->tensor];
    const uint64_t all = t->rank ? t->shape[0] : 1;
    char name[MOST_NAME];
    enum rk_status status = RK_OK;
    if (!m->fusing || m->fusing->parts == 1) {
        const struct map same = {1, all, 0, 0, 0, 0};
        if (m->fusing) name_of(name, m, f->fused ? m->fusing->whole : m->fusing->part[0]);
        return add_mapped(to, f->from, slice, m->fusing ? name : t->name, &same, error);
    }
    const struct rows r =
        rows_of(m->fusing, f->model, f->fused ? all * (uint64_t)m->fusing->parts : all);
    for (int p = 0; p < m->fusing->parts && status == RK_OK; p++) {
        const struct map map = f->fused
                                   ? (struct map){r.units, r.of[p], 0, r.of[p], r.from[p], r.all}
                                   : (struct map){r.units, r.of[p], r.from[p], r.all, 0, r.of[p]};
        if (f->fused && p != m->part) continue;
        name_of(name, m, f->fused ? m->fusing->whole : m->fusing->part[p]);
        status = add_mapped(to, f->from, slice, name, &map, error);
    }
    return status;
}

static enum rk_status take_files(struct layout *to, const struct layout *from,
                                 struct rk_error *error)
{
    enum rk_status status = RK_OK;
    memcpy(to->folder, from->folder, sizeof to->folder);
    for (size_t i = 0; i < from->files && status == RK_OK; i++) {
        status = layout_add_file(to, from->file[i].name, error);
        if (status == RK_OK) to->file[i].bytes = from->file[i].bytes;
    }
    return status;
}

enum rk_status fuse_layout(struct layout *layout, const struct rk_model *model, bool fused,
                           struct rk_error *error)
{
    struct layout to = {.tensors = 0};
    struct fuser f = {.from = layout,
                      .model = model,
                      .fused = fused,
                      .member = calloc(layout->tensors + 1, sizeof *f.member),
                      .tensor = calloc(MOST_PARTS * layout->tensors + 1, sizeof *f.tensor)};
    enum rk_status status =
        f.member && f.tensor ? take_files(&to, layout, error) : no_memory(error);
    for (size_t i = 0; i < layout->tensors && status == RK_OK; i++)
        status = take_tensor(&f, i, error);
    layout_take_tensors(&to, f.tensor, f.tensor ? f.tensors : 0);
    for (size_t i = 0; i < layout->slices && status == RK_OK; i++)
        status = take_slice(&f, &to, &layout->slice[i], error);
    if (status == RK_OK && layout->slices) status = layout_finish(&to, false, error);
    free(f.member);
    if (status == RK_OK) {
        layout_release(layout);
        *layout = to;
    } else {
        layout_release(&to);
    }
    return status;
}
