/* layout.c - layouts that are kept: each once, for as long as the process runs. */
#include "base/hash.h"
#include "base/require.h"

#include <reckon/plan.h>
#include <stdatomic.h>
#include <stdlib.h>

const struct rk_layout rk_layout_even = {.splits = 0};

enum { BUCKETS = 4096 };

struct kept {
    struct kept *next;
    uint64_t hash;
    struct rk_layout layout;
};

static struct kept *bucket[BUCKETS];
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* What is not used of it is 0, so that equal layouts are equal bytes. */
static void settle(struct rk_layout *to, const struct rk_layout *from)
{
    memset(to, 0, sizeof *to);
    to->splits = from->splits;
    to->segments = from->segments;
    to->others = from->others;
    memcpy(to->cluster, from->cluster, sizeof to->cluster);
    memcpy(to->split, from->split, (size_t)from->splits * sizeof *to->split);
    memcpy(to->segment, from->segment, (size_t)from->segments * sizeof *to->segment);
    memcpy(to->other, from->other, (size_t)from->others * sizeof *to->other);
}

static uint64_t hash_of(const struct rk_layout *layout)
{
    uint64_t hash = HASH_START;
    mix_number(&hash, (uint64_t)layout->splits);
    mix(&hash, layout->split, (size_t)layout->splits * sizeof *layout->split);
    mix_number(&hash, (uint64_t)layout->segments);
    mix(&hash, layout->segment, (size_t)layout->segments * sizeof *layout->segment);
    mix(&hash, layout->other, (size_t)layout->others * sizeof *layout->other);
    return hash_mix(hash);
}

static const struct rk_layout *find_or_add(const struct rk_layout *layout, uint64_t hash)
{
    struct kept **at = &bucket[hash % BUCKETS];
    for (struct kept *kept = *at; kept; kept = kept->next)
        if (kept->hash == hash && memcmp(&kept->layout, layout, sizeof *layout) == 0)
            return &kept->layout;
    struct kept *kept = malloc(sizeof *kept);
    RK_REQUIRE(kept); /* five kilobytes */
    *kept = (struct kept){.next = *at, .hash = hash, .layout = *layout};
    *at = kept;
    return &kept->layout;
}

const struct rk_layout *rk_layout_keep(const struct rk_layout *layout)
{
    struct rk_layout settled;
    settle(&settled, layout);
    if (memcmp(&settled, &rk_layout_even, sizeof settled) == 0) return NULL;
    const uint64_t hash = hash_of(&settled);
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
    const struct rk_layout *kept = find_or_add(&settled, hash);
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return kept;
}
