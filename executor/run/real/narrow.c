/* narrow.c - numbers of 16 bits (bf16, fp16), emulated: what an operation brings is rounded to
 * them, and what is kept or sent takes two bytes each. Products, sums, statistics and the optimizer
 * stay in 32 bits.
 */
#include "run/real/engine.h"
#include "run/real/sixteen.h"

/* ---- numbers ---- */

#define ROUND(name, narrow, widen)                                                                 \
    CLONES static void round_##name(size_t n, real *x)                                             \
    {                                                                                              \
        for (size_t i = 0; !COUNTS && i < n; i++)                                                  \
            x[i] = (real)widen(narrow((float)x[i]));                                               \
    }                                                                                              \
    CLONES static void pack_##name(size_t n, const real *x, uint16_t *y)                           \
    {                                                                                              \
        for (size_t i = 0; !COUNTS && i < n; i++)                                                  \
            y[i] = narrow((float)x[i]);                                                            \
    }                                                                                              \
    CLONES static void unpack_##name(size_t n, const uint16_t *x, real *y)                         \
    {                                                                                              \
        for (size_t i = 0; !COUNTS && i < n; i++)                                                  \
            y[i] = (real)widen(x[i]);                                                              \
    }
ROUND(bf16, bf16_of, of_bf16)
ROUND(fp16, fp16_of, of_fp16)

static void round_16(const struct engine *e, size_t n, real *x)
{
    (e->narrow == NARROW_FP16 ? round_fp16 : round_bf16)(n, x);
}

void pack_16(const struct engine *e, size_t n, const real *x, uint16_t *y)
{
    (e->narrow == NARROW_FP16 ? pack_fp16 : pack_bf16)(n, x, y);
}

void unpack_16(const struct engine *e, size_t n, const uint16_t *x, real *y)
{
    (e->narrow == NARROW_FP16 ? unpack_fp16 : unpack_bf16)(n, x, y);
}

CLONES void add_fp16(size_t n, const uint16_t *x, uint16_t *y)
{
    for (size_t i = 0; !COUNTS && i < n; i++)
        y[i] = fp16_of(of_fp16(y[i]) + of_fp16(x[i]));
}

CLONES void add_to_fp16(size_t n, const real *x, uint16_t *y)
{
    for (size_t i = 0; !COUNTS && i < n; i++)
        y[i] = fp16_of(of_fp16(y[i]) + (float)x[i]);
}

uint16_t *take_16(struct engine *e, size_t count)
{
    return (uint16_t *)take(e, (count * sizeof(uint16_t) + sizeof(real) - 1) / sizeof(real));
}

/* ---- slots ---- */

/* Statistics and routes stay in 32 bits, as frameworks have them. */
static const bool wide_slot[SLOTS] = {
    [SLOT_STATS_1] = true,     [SLOT_STATS_2] = true,     [SLOT_STATS_CQ] = true,
    [SLOT_STATS_CKV] = true,   [SLOT_STATS_QK] = true,    [SLOT_LOG] = true,
    [SLOT_ROUTES] = true,      [SLOT_WEIGHTS] = true,     [SLOT_GATES] = true,
    [SLOT_DWEIGHTS] = true,    [SLOT_DROUTES] = true,     [SLOT_DGATES] = true,
    [SLOT_STATS_RAW_1] = true, [SLOT_STATS_RAW_2] = true,
};

/* What operations that are no products change in place. */
static const bool in_place[SLOTS] = {
    [SLOT_OUT_1] = true,   [SLOT_OUT_2] = true,   [SLOT_QKV] = true,   [SLOT_Q] = true,
    [SLOT_KVU] = true,     [SLOT_SORTED] = true,  [SLOT_BACK] = true,  [SLOT_SUM] = true,
    [SLOT_SHARED] = true,  [SLOT_DX] = true,      [SLOT_DN_1] = true,  [SLOT_DN_2] = true,
    [SLOT_DQKV] = true,    [SLOT_DQ] = true,      [SLOT_DKVU] = true,  [SLOT_DCKV] = true,
    [SLOT_SCORES] = true,  [SLOT_DSCORES] = true, [SLOT_DBACK] = true, [SLOT_DSORTED] = true,
    [SLOT_DSHARED] = true,
};

static size_t reals_of(struct engine *e, const struct frame *f, int slot)
{
    return pool_bytes_of(&e->pool, f->slot[slot]) / sizeof(real);
}

void narrow_slots(struct engine *e, struct frame *f, enum ledger_part part)
{
    const bool product = part == PART_MATRIX || part == PART_ATTENTION;
    for (int s = 0; s < SLOTS; s++) {
        if (!f->slot[s] || wide_slot[s] || f->packed[s]) continue;
        if (f->rounded[s] && (product || !in_place[s])) continue;
        round_16(e, reals_of(e, f, s), f->slot[s]);
        f->rounded[s] = true;
    }
}

static bool on_its_way(const struct frame *f, int slot)
{
    for (int i = 0; i < f->stores; i++)
        if (f->stored[i].slot == slot && f->stored[i].tier >= 0) return true;
    return false;
}

void pack_slot(struct engine *e, struct frame *f, int slot)
{
    if (wide_slot[slot] || f->packed[slot]) return;
    const size_t n = reals_of(e, f, slot);
    uint16_t *packed = take_16(e, n);
    pack_16(e, n, f->slot[slot], packed);
    give(e, f->slot[slot]);
    f->slot[slot] = (real *)packed;
    f->packed[slot] = f->packs = true;
}

void pack_frame(struct engine *e, struct frame *f)
{
    for (int s = 0; s < SLOT_DX; s++)
        if (f->slot[s] && s != SLOT_OUT_2 && !on_its_way(f, s)) pack_slot(e, f, s);
}

void unpack_frame(struct engine *e, struct frame *f)
{
    if (!f->packs) return;
    f->packs = false;
    for (int s = 0; s < SLOT_DX; s++) {
        if (!f->packed[s]) continue;
        if (!f->slot[s] || on_its_way(f, s)) {
            f->packs = true;
            continue;
        }
        uint16_t *packed = (uint16_t *)f->slot[s];
        const size_t n = pool_bytes_of(&e->pool, f->slot[s]) / sizeof *packed;
        f->slot[s] = take(e, n);
        unpack_16(e, n, packed, f->slot[s]);
        give(e, (real *)packed);
        f->packed[s] = false;
        f->rounded[s] = true;
    }
}

/* ---- collectives within layers: two bytes travel, sums are those of 32 bits, rounded ---- */

void gather_16(struct engine *e, const struct comm_group *g, const char *what, const real *part,
               real *all, size_t n)
{
    const size_t ranks = (size_t)g->ranks;
    uint16_t *own = take_16(e, n), *both = take_16(e, n * ranks);
    pack_16(e, n, part, own);
    if (!comm_all_gather(e->comm, g, what, own, both, n * sizeof *own)) give_up(e);
    unpack_16(e, n * ranks, both, all);
    give(e, (real *)both);
    give(e, (real *)own);
}

void reduce_16(struct engine *e, const struct comm_group *g, const char *what, const real *all,
               real *part, size_t n)
{
    const size_t ranks = (size_t)g->ranks;
    const struct scratch_mark mark = scratch_mark(&e->comm->scratch);
    const struct parts each = even_parts(e, ranks, n * sizeof(uint16_t));
    uint16_t *from = take_16(e, n * ranks), *to = take_16(e, n * ranks);
    real *summand = take(e, n);
    pack_16(e, n * ranks, all, from);
    exchange_parts(e, g, what, from, each, to, each);
    scratch_back(&e->comm->scratch, mark);
    for (size_t r = 0; r < ranks; r++) {
        unpack_16(e, n, to + r * n, r ? summand : part);
        if (r) add_to(n, summand, part);
    }
    round_16(e, n, part);
    give(e, summand);
    give(e, (real *)to);
    give(e, (real *)from);
}

void reduce_all_16(struct engine *e, const struct comm_group *g, const char *what, real *x,
                   size_t n)
{
    const size_t ranks = (size_t)g->ranks, each = (n + ranks - 1) / ranks;
    real *all = take(e, each * ranks), *part = take(e, each);
    copy_bytes(all, x, n * sizeof *x);
    clear_bytes(all + n, (each * ranks - n) * sizeof *x);
    reduce_16(e, g, what, all, part, each);
    gather_16(e, g, what, part, all, each);
    copy_bytes(x, all, n * sizeof *x);
    give(e, part);
    give(e, all);
}
