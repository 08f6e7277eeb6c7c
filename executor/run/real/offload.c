#include "run/real/offload.h"
#include "run/pages.h"
#include "run/real/engine.h"

#include <stdlib.h>

/* ---- tiers ---- */

bool tiers_open(struct engine *e)
{
    const struct job *job = e->job;
    for (int t = 0; !COUNTS && t < TIERS; t++) {
        if (!job_uses_tier(job, t)) continue;
        const char *folder = job_tier_is_drive(job, t) ? job->drives : NULL;
        if (tier_open(&e->tier[t], folder, &e->comm->error) != RK_OK) return false;
    }
    return true;
}

void tiers_close(struct engine *e)
{
    for (int t = 0; t < TIERS; t++)
        tier_close(e->tier[t]);
}

static void tier_failed(struct engine *e, int tier)
{
    comm_fail(e->comm, tier_error(e->tier[tier]));
    give_up(e);
}

static uint64_t place_in(struct engine *e, int tier, size_t bytes)
{
    uint64_t place = 0;
    if (!COUNTS && !tier_take(e->tier[tier], bytes, &place)) tier_failed(e, tier);
    return place;
}

static void start_move(struct engine *e, int tier, struct tier_move *move)
{
    if (!COUNTS) tier_start(e->tier[tier], move);
}

static void wait_for(struct engine *e, int tier, struct tier_move *move)
{
    if (!COUNTS && !tier_wait(e->tier[tier], move)) tier_failed(e, tier);
}

/* ---- flat buffers ---- */

/* What will be loaded is not written before, and without training takes small pages: those that a
 * mapped file stands for stay away. */
static real *flat_room(const struct engine *e, size_t n)
{
    const size_t bytes = (n * sizeof(real) + 64) / 64 * 64;
    real *data = e->job->forward ? aligned_alloc(64, bytes) : pages_take(bytes);
    if (data && !e->job->loads) clear_bytes(data, bytes);
    return data;
}

bool flat_open(struct engine *e, struct flat *f, enum rk_share share, size_t count)
{
    const size_t page = TIER_PAGE / sizeof(real);
    *f = (struct flat){.count = count};
    for (int t = 0; t < TIERS; t++) {
        size_t part = (size_t)(e->plan->share[share][t] * (double)count) / page * page;
        if (part > count - f->begin[t]) part = (count - f->begin[t]) / page * page;
        f->begin[t + 1] = f->begin[t] + part;
        if (part) f->place[t] = place_in(e, t, part * sizeof(real));
    }
    const size_t here = count - f->begin[TIERS];
    f->here = flat_room(e, here);
    if (!f->here) return false;
    if (!flat_is_away(f)) {
        f->all = f->here;
        return true;
    }
    f->all = take_zeros(e, count);
    flat_go(e, f);
    flat_leave(e, f);
    return true;
}

void flat_close(struct flat *f)
{
    free(f->here);
}

static void move_flat(struct engine *e, struct flat *f, bool out)
{
    f->moving = true;
    for (int t = 0; t < TIERS; t++) {
        const size_t part = f->begin[t + 1] - f->begin[t];
        if (!part) continue;
        f->move[t] = (struct tier_move){.data = f->all + f->begin[t],
                                        .bytes = part * sizeof(real),
                                        .place = f->place[t],
                                        .out = out};
        start_move(e, t, &f->move[t]);
    }
}

static void wait_flat(struct engine *e, struct flat *f)
{
    for (int t = 0; f->moving && t < TIERS; t++)
        if (f->begin[t + 1] > f->begin[t]) wait_for(e, t, &f->move[t]);
    f->moving = false;
}

static size_t here_bytes(const struct flat *f)
{
    return (f->count - f->begin[TIERS]) * sizeof(real);
}

void flat_come(struct engine *e, struct flat *f)
{
    if (f->all) return;
    f->all = take(e, f->count);
    move_flat(e, f, false);
    copy_bytes(f->all + f->begin[TIERS], f->here, here_bytes(f));
}

real *flat_use(struct engine *e, struct flat *f)
{
    flat_come(e, f);
    wait_flat(e, f);
    return f->all;
}

void flat_go(struct engine *e, struct flat *f)
{
    if (!flat_is_away(f)) return;
    copy_bytes(f->here, f->all + f->begin[TIERS], here_bytes(f));
    move_flat(e, f, true);
}

void flat_leave(struct engine *e, struct flat *f)
{
    if (!flat_is_away(f) || !f->all) return;
    wait_flat(e, f);
    give(e, f->all);
    f->all = NULL;
}

/* ---- activations go ---- */

void offload_begin(struct engine *e)
{
    e->deal = (struct deal){.seen_bytes = 0};
    for (int i = 0; i < e->layers; i++) {
        e->layer[i].times = (struct unit_times){.forward_s = {0}};
        e->layer[i].second = false;
    }
}

/* All goes that is dealt, by the shares of the tiers; without any to the first. */
static int rest_tier(struct engine *e, double bytes)
{
    struct deal *d = &e->deal;
    const double *share = e->plan->share[RK_SHARE_ATTENTION];
    int best = -1;
    for (int t = 0; t < TIERS; t++)
        if (share[t] > 0 &&
            (best < 0 || d->dealt_bytes[t] / share[t] < d->dealt_bytes[best] / share[best]))
            best = t;
    best = best < 0 ? 0 : best;
    d->dealt_bytes[best] += bytes;
    return best;
}

/* Where most is owed of what has been seen; TIERS: here. */
static int deal(struct engine *e, double bytes)
{
    struct deal *d = &e->deal;
    double owed_most = -1, here = 1;
    int best = TIERS;
    d->seen_bytes += bytes;
    if (e->job->plan.recompute_rest) return rest_tier(e, bytes);
    for (int t = 0; t <= TIERS; t++) {
        const double share = t < TIERS ? e->plan->share[RK_SHARE_ATTENTION][t] : here;
        const double owed = share * d->seen_bytes - d->dealt_bytes[t];
        if (t < TIERS) here -= share;
        if (share <= 1e-9 || owed <= owed_most) continue;
        owed_most = owed;
        best = t;
    }
    d->dealt_bytes[best] += bytes;
    return best;
}

static bool in_half(int slot, enum half half)
{
    return half == HALF_BOTH || (half == HALF_SECOND) == (slot >= SLOT_R);
}

/* Bytes of a slot, as its block has them. */
static size_t slot_bytes(struct engine *e, const struct frame *f, int slot)
{
    return pool_bytes_of(&e->pool, f->slot[slot]);
}

/* Transfers move whole pages. */
static size_t whole_pages(size_t bytes)
{
    return (bytes + TIER_PAGE - 1) / TIER_PAGE * TIER_PAGE;
}

/* Deals the slots of a unit: those that leave are noted in the frame. */
static void deal_unit(struct engine *e, struct at_layer *l, struct frame *f, enum half half,
                      bool notes)
{
    const bool *drops = e->drops + (size_t)(l - e->layer) * SLOTS;
    for (int s = 0; s < SLOT_DX; s++) {
        if (!f->slot[s] || !in_half(s, half) || drops[s] || s == SLOT_OUT_2) continue;
        if (e->narrow && notes) pack_slot(e, f, s);
        const size_t all = slot_bytes(e, f, s);
        if (all < TIER_PAGE) continue; /* is never worth a transfer */
        const size_t first = notes ? rest_pack(e, f, s) : SIZE_MAX;
        const size_t bytes = first == SIZE_MAX ? all : whole_pages(first);
        const int tier = deal(e, (double)bytes);
        if (tier == TIERS) continue;
        if (!notes)
            e->deal.handed_bytes[tier] += (double)bytes;
        else
            f->stored[f->stores++] = (struct stored){.slot = s,
                                                     .tier = tier,
                                                     .half = half,
                                                     .packed = f->packed[s],
                                                     .part = first != SIZE_MAX,
                                                     .bytes = bytes,
                                                     .all = all};
    }
}

static void store_unit(struct engine *e, struct at_layer *l, struct frame *f, enum half half)
{
    if (!f->stored && !(f->stored = calloc(SLOTS, sizeof *f->stored))) give_up(e);
    const int first = f->stores;
    share_checkpoint(e, (int)(l - e->layer), f); /* nobody reads all of it before it comes back */
    deal_unit(e, l, f, half, true);
    for (int i = first; i < f->stores; i++) {
        struct stored *s = &f->stored[i];
        if (!s->bytes) continue;
        s->place = place_in(e, s->tier, s->bytes);
        if (f == l->frame) l->times.bytes[half != HALF_FIRST] += (double)s->bytes;
        s->move = (struct tier_move){
            .data = f->slot[s->slot], .bytes = s->bytes, .place = s->place, .out = true};
        start_move(e, s->tier, &s->move);
    }
}

static void wait_stored(struct engine *e, struct stored *s)
{
    if (s->bytes) wait_for(e, s->tier, &s->move);
}

static void stored_unit(struct engine *e, struct frame *f, enum half half)
{
    for (int i = 0; i < f->stores; i++) {
        if (f->stored[i].half != half || f->stored[i].tier < 0) continue;
        wait_stored(e, &f->stored[i]);
        drop(e, f, (enum slot)f->stored[i].slot);
    }
}

/* ---- and come ---- */

static void return_unit(struct engine *e, struct frame *f, enum half half)
{
    for (int i = f->stores; i-- > 0;) {
        struct stored *s = &f->stored[i];
        if (s->half != half || s->tier < 0) continue;
        f->slot[s->slot] = take(e, s->all / sizeof(real));
        f->packed[s->slot] = s->packed;
        f->packs |= s->packed;
        if (!s->bytes) continue;
        s->move =
            (struct tier_move){.data = f->slot[s->slot], .bytes = s->bytes, .place = s->place};
        start_move(e, s->tier, &s->move);
    }
}

/* Those that are back leave the list together: the tiers know where the others are. */
static void returned_unit(struct engine *e, struct frame *f, enum half half)
{
    int away = 0;
    for (int i = 0; i < f->stores; i++) {
        struct stored *s = &f->stored[i];
        if (s->half == half && s->tier >= 0) {
            wait_stored(e, s);
            if (s->bytes && !COUNTS) tier_give(e->tier[s->tier], s->place, s->bytes);
            if (s->part) rest_unpack(e, f, s->slot);
            s->tier = -1;
        }
        away += s->tier >= 0;
    }
    if (!away) f->stores = 0;
}

/* ---- weights of a pass ---- */

static void fetch_layer(struct engine *e, const struct at_layer *l)
{
    struct store *const stores[] = {l->dense, l->experts, l->table, l->head};
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        struct store *s = stores[i];
        if (!s || !(weights_are_away(s) || gathers_ahead(e, s))) continue;
        s->users++;
        if (s->whole || s->gather.open) continue;
        if (gathers_ahead(e, s))
            weights_begin(e, s);
        else
            flat_come(e, s->is_low ? &s->lows : &s->weights);
    }
}

bool run_transfer(struct engine *e, const struct instruction *i)
{
    struct at_layer *l = &e->layer[i->layer];
    struct frame *f = &l->frame[i->microbatch];
    const enum half half = (enum half)i->half;
    switch ((enum what)i->what) {
    case DO_STORE:
        rest_leave(e, f, half);
        if (!l->keeps[half == HALF_SECOND]) store_unit(e, l, f, half);
        return true;
    case DO_HAND:
        deal_unit(e, l, f, half, false);
        return true;
    case DO_STORED:
        stored_unit(e, f, half);
        return true;
    case DO_RETURN:
        return_unit(e, f, half);
        return true;
    case DO_RETURNED:
        returned_unit(e, f, half);
        return true;
    case DO_FETCH:
        fetch_layer(e, l);
        return true;
    default:
        return false;
    }
}
