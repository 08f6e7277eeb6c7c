#include "schedule/order.h"

struct order_cursor order_open(const struct pipeline *p, uint64_t rank)
{
    const uint64_t total = pipeline_total(p), warmup = pipeline_warmup(p, rank);
    const bool far = p->schedule == RK_DUALPIPE && rank >= p->stages / 2;
    return (struct order_cursor){
        .pipeline = *p,
        .total = total,
        .warmup = warmup < total ? warmup : total,
        .delay = pipeline_delay(p, rank),
        .half = far ? p->stages - 1 - rank : rank,
        .far = far,
        .rank = (int64_t)rank,
        .time = INT64_MIN,
        .splits = pipeline_splits(p),
    };
}

/* ---- dualpipe ---- */

/* What a rank does, `half` ranks from the nearer end of p, with m/2 microbatches from either end
 * [dualpipe2025]. Capitals are of the microbatches that enter at the nearer end, small letters of
 * the others: forward, backward, input gradient, weight gradient. Of the pairs in the sixth row the
 * second half are input gradients; the weight gradients they leave come first in, first out. */
enum { PAIRS = 5, DUAL_ROWS = 8 };
/* clang-format off */
static const struct dual_row {
    int once, half_stages, half, half_microbatches; /* how often: the sum of these times ... */
    const char *passes;
} dual_rows[DUAL_ROWS] = {
    /* 1   p/2 half m/2 */
    { -2,  2,  -2,  0,  "F" },
    {  1,  0,   1,  0,  "Ff" },
    { -1,  1,  -1,  0,  "iwf" },
    {  1, -2,   1,  1,  "FbfB" },
    { -1,  1,  -1,  0,  "bfB" },
    {  1,  0,   1,  0,  "bB" },
    { -1,  1,  -1,  0,  "*I" },
    {  1,  0,   1,  0,  "*" },
};
/* clang-format on */

static uint64_t times_of(const struct dual_row *row, const struct order_cursor *c)
{
    const int64_t p = (int64_t)c->pipeline.stages, m = (int64_t)c->pipeline.microbatches;
    return (uint64_t)(row->once + row->half_stages * (p / 2) + row->half * (int64_t)c->half +
                      row->half_microbatches * (m / 2));
}

/* From the middle of the pairs on backward is split. */
static bool splits_pair(const struct order_cursor *c)
{
    const uint64_t middle = (c->half + 1) / 2;
    return c->repeat > middle || (c->repeat == middle && (c->half % 2 == 1 || c->letter == 1));
}

/* Of the half + 1 that the pairs leave, the last one is from the nearer end, the one before from
 * the other, and so on; then all are from the nearer end. What is left of an end is of its last
 * microbatches. */
static struct order_pass take_left(struct order_cursor *c)
{
    const uint64_t done = c->left[0] + c->left[1], of_other = (c->half + 1) / 2;
    const bool other = done <= c->half && (c->half - done) % 2 == 1;
    const uint64_t of_end = other ? of_other : c->pipeline.stages / 2 - of_other;
    const uint64_t each = c->pipeline.microbatches / 2;
    const uint32_t chunk = other != c->far;
    return (struct order_pass){PASS_WEIGHT_GRAD, chunk,
                               (uint32_t)(chunk * each + each - of_end + c->left[other]++)};
}

static struct order_pass take(struct order_cursor *c, bool other, enum pass pass)
{
    static const int walks[PASSES] = {0, 1, 1, 2};
    const uint32_t chunk = other != c->far;
    const uint64_t first = chunk * (c->pipeline.microbatches / 2);
    return (struct order_pass){pass, chunk, (uint32_t)(first + c->done[other][walks[pass]]++)};
}

static struct order_pass read_letter(struct order_cursor *c, char letter)
{
    switch (letter) {
    case '*':
        return take_left(c);
    case 'F':
    case 'f':
        return take(c, letter == 'f', PASS_FORWARD);
    case 'w':
        return take(c, true, PASS_WEIGHT_GRAD);
    case 'I':
    case 'i':
        return take(c, letter == 'i', PASS_INPUT_GRAD);
    default:
        return take(c, letter == 'b',
                    c->row == PAIRS && splits_pair(c) ? PASS_INPUT_GRAD : PASS_BACKWARD);
    }
}

bool order_next_dual(struct order_cursor *c, struct order_pass *pass)
{
    while (c->row < DUAL_ROWS && c->repeat >= times_of(&dual_rows[c->row], c)) {
        c->row++;
        c->repeat = 0;
    }
    if (c->row == DUAL_ROWS) return false;
    const char *passes = dual_rows[c->row].passes;
    *pass = read_letter(c, passes[c->letter]);
    if (!passes[++c->letter]) {
        c->letter = 0;
        c->repeat++;
    }
    return true;
}
