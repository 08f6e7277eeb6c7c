/* layout.c - layouts that are kept: each once, for as long as the process runs. */
#include "base/hash.h"
#include "base/limits.h"

#include <reckon/plan.h>
#include <stdatomic.h>
#include <stdlib.h>

const struct rk_layout rk_layout_even = {.splits = 0};

enum { BUCKETS = 4096 };

struct kept {
    struct kept *next;
    uint64_t hash;
    struct rk_layout layout; /* what is not used of it is 0 */
};

static struct kept *bucket[BUCKETS];
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* The entries of a list that count, as bytes: X(list, how many). */
#define LISTS(X, layout)                                                                           \
    X(split, (layout)->splits)                                                                     \
    X(segment, (layout)->segments)                                                                 \
    X(part, (layout)->parts)                                                                       \
    X(other, (layout)->others)

static uint64_t hash_of(const struct rk_layout *layout)
{
    uint64_t hash = HASH_START;
    mix_number(&hash, layout->round);
#define MIX(list, count)                                                                           \
    mix_number(&hash, (uint64_t)(count));                                                          \
    mix(&hash, layout->list, (size_t)(count) * sizeof *layout->list);
    LISTS(MIX, layout)
#undef MIX
    return hash_mix(hash);
}

static bool equal(const struct rk_layout *a, const struct rk_layout *b)
{
    if (a->round != b->round || a->splits != b->splits || a->segments != b->segments ||
        a->parts != b->parts || a->others != b->others)
        return false;
#define DIFFERS(list, count)                                                                       \
    if (memcmp(a->list, b->list, (size_t)(count) * sizeof *a->list) != 0) return false;
    LISTS(DIFFERS, a)
#undef DIFFERS
    return true;
}

static void copy(struct rk_layout *to, const struct rk_layout *from)
{
    to->splits = from->splits;
    to->segments = from->segments;
    to->parts = from->parts;
    to->others = from->others;
    to->round = from->round;
#define COPY(list, count) memcpy(to->list, from->list, (size_t)(count) * sizeof *to->list);
    LISTS(COPY, from)
#undef COPY
}

static const struct rk_layout *find_or_add(const struct rk_layout *layout, uint64_t hash)
{
    struct kept **at = &bucket[hash % BUCKETS];
    for (struct kept *kept = *at; kept; kept = kept->next)
        if (kept->hash == hash && equal(&kept->layout, layout)) return &kept->layout;
    struct kept *kept = calloc(1, sizeof *kept);
    RK_REQUIRE(kept); /* twenty kilobytes */
    kept->next = *at;
    kept->hash = hash;
    copy(&kept->layout, layout);
    *at = kept;
    return &kept->layout;
}

const struct rk_layout *rk_layout_keep(const struct rk_layout *layout)
{
    if (equal(layout, &rk_layout_even)) return NULL;
    const uint64_t hash = hash_of(layout);
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
    const struct rk_layout *kept = find_or_add(layout, hash);
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return kept;
}
