/* attention.c - blocks of 64 queries against all the keys they see, scores in cache, exact softmax
 * with a running maximum where keys come in several runs [milakov2018], [dao2023]. */
#include "run/blocks.h"
#include "run/real/kernels.h"
#include "run/real/lanes.h"

#include <cblas.h>
#include <stdlib.h>

#ifdef RUN_F64
#define gemm cblas_dgemm
#else
#define gemm cblas_sgemm
#endif

enum { ROWS = 64, PANEL = 1024, RANGES = 512 };

/* ---- which keys a block of queries sees ---- */

/* Keys lo ... hi - 1 of a span, counted from its first. */
struct range {
    uint32_t lo, hi;
};

static uint32_t oldest_seen(const struct run_mask *mask, uint32_t position)
{
    const uint32_t w = mask->window;
    if (!w) return 0;
    if (mask->chunks) return position / w * w;
    return position + 1 > w ? position + 1 - w : 0;
}

/* The end of the keys that are processed: with `full` as far ahead as queries may see back. */
static uint64_t end_worked(const struct run_mask *mask, uint32_t position)
{
    const uint64_t w = mask->window;
    if (!mask->full) return (uint64_t)position + 1;
    if (!w) return UINT32_MAX;
    return mask->chunks ? (position / w + 1) * w : position + w;
}

/* Of query positions first ... last. */
static struct range seen_range(const struct run_mask *mask, uint32_t first, uint32_t last,
                               const struct run_span *k)
{
    const uint32_t oldest = oldest_seen(mask, first);
    const uint64_t end = end_worked(mask, last);
    const uint32_t lo = oldest > k->position ? oldest - k->position : 0;
    const uint64_t hi = end > k->position ? end - k->position : 0;
    return (struct range){lo < k->rows ? lo : k->rows, hi < k->rows ? (uint32_t)hi : k->rows};
}

static bool any_row_sees(const struct run_blocks *b, uint32_t head, uint32_t first, uint32_t last,
                         uint32_t column)
{
    for (uint32_t r = first / b->size; r <= last / b->size; r++)
        if (blocks_see(b, head, r, column)) return true;
    return false;
}

/* The runs of keys that any query of the block sees, at most `PANEL` keys each and `RANGES` runs.
 */
static int seen_ranges(const struct run_mask *mask, uint32_t head, uint32_t first, uint32_t last,
                       const struct run_span *k, struct range *ranges)
{
    const struct range all = seen_range(mask, first, last, k);
    const struct run_blocks *b = mask->blocks;
    int count = 0;
    if (!b) {
        for (uint32_t lo = all.lo; lo < all.hi; lo += PANEL)
            ranges[count++] = (struct range){lo, lo + PANEL < all.hi ? lo + PANEL : all.hi};
        return count;
    }
    for (uint32_t lo = all.lo; lo < all.hi;) {
        const uint32_t column = (k->position + lo) / b->size;
        const uint32_t end = (column + 1) * b->size - k->position;
        const uint32_t hi = end < all.hi ? end : all.hi;
        if (any_row_sees(b, head, first, last, column)) {
            if (count && ranges[count - 1].hi == lo && hi - ranges[count - 1].lo <= PANEL)
                ranges[count - 1].hi = hi;
            else
                ranges[count++] = (struct range){lo, hi};
        }
        lo = hi;
    }
    return count;
}

/* ---- a panel: keys that are multiplied at once ---- */

struct panel {
    uint32_t keys;
    const real *k, *v; /* rows `ld` apart */
    size_t ld, ldv;
    uint32_t position; /* of the first key, where they follow each other */
    struct range part[RANGES];
    int parts; /* runs of the span that it holds, gathered; 1: in place */
};

struct scratch {
    real scores[ROWS * PANEL], slopes[ROWS * PANEL];
    struct range range[RANGES];
    struct panel panel;
    real *k, *v, *dk, *dv; /* (PANEL, d), (PANEL, value): gathered keys, where masks leave gaps */
};

static struct scratch *scratch_open(size_t d, size_t value)
{
    struct scratch *s = malloc(sizeof *s + 2 * PANEL * (d + value) * sizeof(real));
    if (!s) abort();
    s->k = (real *)(s + 1);
    s->v = s->k + PANEL * d;
    s->dk = s->v + PANEL * value;
    s->dv = s->dk + PANEL * d;
    return s;
}

/* Takes as many of the ranges from `at` on as a panel holds; returns how many. */
static int take_panel(const struct REAL(attend) * a, struct scratch *s, size_t kv,
                      const struct run_span *span, const struct range *range, int at, int count)
{
    struct panel *p = &s->panel;
    const real *k = a->k + span->at * a->ldk + kv * a->d;
    const real *v = a->v + span->at * a->ldk + kv * a->value;
    p->keys = 0;
    for (p->parts = 0; at + p->parts < count; p->parts++) {
        const struct range r = range[at + p->parts];
        if (p->keys + r.hi - r.lo > PANEL) break;
        p->part[p->parts] = r;
        p->keys += r.hi - r.lo;
    }
    p->position = span->position + p->part[0].lo;
    if (p->parts == 1) {
        p->k = k + p->part[0].lo * a->ldk;
        p->v = v + p->part[0].lo * a->ldk;
        p->ld = p->ldv = a->ldk;
        return 1;
    }
    size_t row = 0;
    for (int i = 0; i < p->parts; i++)
        for (uint32_t j = p->part[i].lo; j < p->part[i].hi; j++, row++) {
            memcpy(s->k + row * a->d, k + j * a->ldk, a->d * sizeof(real));
            memcpy(s->v + row * a->value, v + j * a->ldk, a->value * sizeof(real));
        }
    p->k = s->k;
    p->v = s->v;
    p->ld = a->d;
    p->ldv = a->value;
    return p->parts;
}

void mask_keys(const struct REAL(attend) * a, uint32_t head, uint32_t position, uint32_t first,
               uint32_t keys, real *row)
{
    const uint32_t oldest = oldest_seen(&a->mask, position);
    const struct run_blocks *b = a->mask.blocks;
    for (uint32_t j = 0; j < keys && first + j < oldest; j++)
        row[j] = (real)-HUGE_VAL;
    for (uint32_t j = position + 1 > first ? position + 1 - first : 0; j < keys; j++)
        row[j] = (real)-HUGE_VAL;
    for (uint32_t j = 0; b && j < keys;) {
        const uint32_t column = (first + j) / b->size, end = (column + 1) * b->size - first;
        const uint32_t stop = end < keys ? end : keys;
        if (!blocks_see(b, head, position / b->size, column))
            for (uint32_t l = j; l < stop; l++)
                row[l] = (real)-HUGE_VAL;
        j = stop;
    }
}

/* The slope of tanh's cap at a score, from what it became. */
static inline real cap_slope(real score, real cap)
{
    return 1 - (score / cap) * (score / cap);
}

void shape_scores(const struct REAL(attend) * a, size_t head, uint32_t position, uint32_t first,
                  uint32_t keys, real *row)
{
    const real cap = (real)a->cap, slope = a->slopes ? a->slopes[head] : 0;
    for (uint32_t j = 0; a->cap > 0 && j < keys; j++)
        row[j] = cap * real_tanh(row[j] / cap);
    for (uint32_t j = 0; a->slopes && j < keys; j++)
        row[j] -= slope * (real)((double)position - (double)(first + j));
}

static void mask_row(const struct REAL(attend) * a, const struct panel *p,
                     const struct run_span *span, size_t head, uint32_t position, real *row)
{
    for (int i = 0; i < p->parts; i++) {
        const struct range r = p->part[i];
        shape_scores(a, head, position, span->position + r.lo, r.hi - r.lo, row);
        mask_keys(a, a->first_head + (uint32_t)head, position, span->position + r.lo, r.hi - r.lo,
                  row);
        row += r.hi - r.lo;
    }
}

static void scores_of(const struct REAL(attend) * a, struct scratch *s, struct run_span q,
                      uint32_t i, uint32_t rows, size_t head, const struct run_span *span)
{
    const struct panel *p = &s->panel;
    gemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)p->keys, (int)a->d,
         (real)a->scale, a->q + (q.at + i) * a->ldq + head * a->d, (int)a->ldq, p->k, (int)p->ld, 0,
         s->scores, (int)p->keys);
    for (uint32_t r = 0; r < rows; r++)
        mask_row(a, p, span, head, q.position + i + r, s->scores + (size_t)r * p->keys);
}

/* ---- forward ---- */

CLONES static void soften_row(size_t n, real *restrict row, real *most, real *sum, real *rescale)
{
    const real here = lanes_most(n, row), top = here > *most ? here : *most;
    if (!(top > (real)-HUGE_VAL)) { /* nothing seen yet */
        for (size_t j = 0; j < n; j++)
            row[j] = 0;
        *rescale = 1;
        return;
    }
    const real added = lanes_exp(n, row, top);
    *rescale = *most > (real)-HUGE_VAL ? real_exp(*most - top) : 0;
    *sum = *sum * *rescale + added;
    *most = top;
}

CLONES static void scale_row(size_t n, real factor, real *x)
{
    for (size_t j = 0; j < n; j++)
        x[j] *= factor;
}

static void attend_block(const struct REAL(attend) * a, struct scratch *s, struct run_span q,
                         uint32_t i, uint32_t rows, size_t head, const struct run_span *k,
                         size_t spans, bool fresh)
{
    const size_t kv = head / (a->heads / a->kv_heads), ldo = a->heads * a->value;
    const size_t row0 = q.at + i;
    real *out = a->out + row0 * ldo + head * a->value;
    const uint32_t first = q.position + i, last = first + rows - 1;
    for (uint32_t r = 0; r < rows && fresh; r++) {
        a->most[(row0 + r) * a->heads + head] = (real)-HUGE_VAL;
        a->sum[(row0 + r) * a->heads + head] = 0;
    }
    bool empty = fresh;
    for (size_t n = 0; n < spans; n++) {
        const int count =
            seen_ranges(&a->mask, a->first_head + (uint32_t)head, first, last, k + n, s->range);
        for (int at = 0; at < count;) {
            at += take_panel(a, s, kv, k + n, s->range, at, count);
            scores_of(a, s, q, i, rows, head, k + n);
            const struct panel *p = &s->panel;
            for (uint32_t r = 0; r < rows; r++) {
                const size_t state = (row0 + r) * a->heads + head;
                real rescale;
                soften_row(p->keys, s->scores + (size_t)r * p->keys, a->most + state,
                           a->sum + state, &rescale);
                if (!empty && rescale != 1) scale_row(a->value, rescale, out + r * ldo);
            }
            gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)a->value, (int)p->keys,
                 1, s->scores, (int)p->keys, p->v, (int)p->ldv, empty ? 0 : 1, out, (int)ldo);
            empty = false;
        }
    }
    for (uint32_t r = 0; r < rows && empty; r++)
        memset(out + r * ldo, 0, a->value * sizeof(real));
}

/* Blocks of rows do not cross a block of a layout's window more than they must. */
static uint32_t block_rows(const struct REAL(attend) * a)
{
    const struct run_blocks *b = a->mask.blocks;
    return b && b->size < ROWS ? ROWS / b->size * b->size : ROWS;
}

void attention_forward(int threads, const struct REAL(attend) * a, struct run_span q,
                       const struct run_span *k, size_t spans, bool fresh)
{
    const uint32_t step = block_rows(a), blocks = (q.rows + step - 1) / step;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        struct scratch *s = scratch_open(a->d, a->value);
#pragma omp for collapse(2) schedule(static)
        for (size_t head = 0; head < a->heads; head++)
            for (uint32_t n = 0; n < blocks; n++) {
                const uint32_t i = n * step, rows = q.rows - i < step ? q.rows - i : step;
                attend_block(a, s, q, i, rows, head, k, spans, fresh);
            }
        free(s);
    }
}

/* A sink takes part in the sum, and has no value. */
static void add_sink(real sink, size_t value, real *most, real *sum, real *out)
{
    const real top = sink > *most ? sink : *most, rescale = real_exp(*most - top);
    if (rescale != 1) scale_row(value, rescale, out);
    *sum = *sum * rescale + real_exp(sink - top);
    *most = top;
}

void attention_finish(const struct REAL(attend) * a, struct run_span q)
{
    for (uint32_t i = 0; i < q.rows; i++)
        for (size_t h = 0; h < a->heads; h++) {
            const size_t state = (q.at + i) * a->heads + h;
            if (a->sinks)
                add_sink(a->sinks[h], a->value, a->most + state, a->sum + state,
                         a->out + state * a->value);
            scale_row(a->value, 1 / a->sum[state], a->out + state * a->value);
            a->most[state] += (real)log((double)a->sum[state]);
        }
}

/* ---- backward ---- */

CLONES void attention_deltas(const struct REAL(attend) * a, struct run_span q, real *delta)
{
    for (uint32_t i = 0; i < q.rows; i++)
        for (size_t h = 0; h < a->heads; h++) {
            const size_t state = (q.at + i) * a->heads + h;
            delta[state] =
                lanes_dot(a->value, a->dout + state * a->value, a->out + state * a->value);
            if (a->dsinks) a->dsinks[h] -= real_exp(a->sinks[h] - a->most[state]) * delta[state];
        }
}

/* Gradients of probabilities are multiplied by what the cap does to their scores, once those are
 * known: slopes - delta is of both. */
CLONES static void slope_capped_row(size_t n, real log_sum, real delta, real scale, real cap,
                                    real *restrict scores, real *restrict slopes)
{
    for (size_t j = 0; j < n; j++) {
        const real x = scores[j], seen = x < (real)-1e30 ? 0 : 1;
        scores[j] = seen > 0 ? real_exp(x - log_sum) : 0;
        slopes[j] = scores[j] * (slopes[j] - delta) * scale * (seen > 0 ? cap_slope(x, cap) : 0);
    }
}

/* scores -> probabilities; slopes -> gradient of the scores */
CLONES static void slope_row(size_t n, real log_sum, real delta, real scale, real *restrict scores,
                             real *restrict slopes)
{
    for (size_t j = 0; j < n; j++) {
        const real x = scores[j] - log_sum, e = real_exp(x);
        scores[j] = x < (real)-1e30 ? 0 : e;
        slopes[j] = scores[j] * (slopes[j] - delta) * scale;
    }
}

static void spread_panel(const struct REAL(attend) * a, const struct scratch *s, size_t kv,
                         const struct run_span *span)
{
    const struct panel *p = &s->panel;
    size_t row = 0;
    for (int i = 0; i < p->parts; i++)
        for (uint32_t j = p->part[i].lo; j < p->part[i].hi; j++, row++) {
            add_to(a->d, s->dk + row * a->d, a->dk + (span->at + j) * a->ldk + kv * a->d);
            add_to(a->value, s->dv + row * a->value,
                   a->dv + (span->at + j) * a->ldk + kv * a->value);
        }
}

static void attend_block_back(const struct REAL(attend) * a, struct scratch *s, struct run_span q,
                              uint32_t i, uint32_t rows, size_t head, const struct run_span *span)
{
    const size_t kv = head / (a->heads / a->kv_heads), ldo = a->heads * a->value, row0 = q.at + i;
    const real *dout = a->dout + row0 * ldo + head * a->value;
    const real *queries = a->q + row0 * a->ldq + head * a->d;
    real *dq = a->dq + row0 * a->ldq + head * a->d;
    const struct panel *p = &s->panel;
    const uint32_t first = q.position + i;
    const int count = seen_ranges(&a->mask, a->first_head + (uint32_t)head, first, first + rows - 1,
                                  span, s->range);
    for (int at = 0; at < count;) {
        at += take_panel(a, s, kv, span, s->range, at, count);
        const int keys = (int)p->keys, d = (int)a->d, value = (int)a->value, n = (int)rows;
        const bool apart = p->parts > 1;
        const size_t key0 = (span->at + p->part[0].lo) * a->ldk;
        real *dk = apart ? s->dk : a->dk + key0 + kv * a->d;
        real *dv = apart ? s->dv : a->dv + key0 + kv * a->value;
        scores_of(a, s, q, i, rows, head, span);
        gemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, keys, value, 1, dout, (int)ldo, p->v,
             (int)p->ldv, 0, s->slopes, keys);
        for (uint32_t r = 0; r < rows; r++) {
            const size_t state = (row0 + r) * a->heads + head, row = (size_t)r * p->keys;
            if (a->cap > 0)
                slope_capped_row(p->keys, a->most[state], a->delta[state], (real)a->scale,
                                 (real)a->cap, s->scores + row, s->slopes + row);
            else
                slope_row(p->keys, a->most[state], a->delta[state], (real)a->scale, s->scores + row,
                          s->slopes + row);
        }
        gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, d, keys, 1, s->slopes, keys, p->k,
             (int)p->ld, 1, dq, (int)a->ldq);
        gemm(CblasRowMajor, CblasTrans, CblasNoTrans, keys, d, n, 1, s->slopes, keys, queries,
             (int)a->ldq, apart ? 0 : 1, dk, apart ? d : (int)a->ldk);
        gemm(CblasRowMajor, CblasTrans, CblasNoTrans, keys, value, n, 1, s->scores, keys, dout,
             (int)ldo, apart ? 0 : 1, dv, apart ? value : (int)a->ldk);
        if (apart) spread_panel(a, s, kv, span);
    }
}

/* A thread has whole heads of keys, so that their gradients are summed in one order. */
void attention_backward(int threads, const struct REAL(attend) * a, struct run_span q,
                        const struct run_span *k, size_t spans)
{
    const size_t group = a->heads / a->kv_heads;
    const uint32_t step = block_rows(a);
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        struct scratch *s = scratch_open(a->d, a->value);
#pragma omp for schedule(static)
        for (size_t kv = 0; kv < a->kv_heads; kv++)
            for (size_t head = kv * group; head < (kv + 1) * group; head++)
                for (uint32_t i = 0; i < q.rows; i += step)
                    for (size_t n = 0; n < spans; n++)
                        attend_block_back(a, s, q, i, q.rows - i < step ? q.rows - i : step, head,
                                          k + n);
        free(s);
    }
}
