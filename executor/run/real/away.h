/* away.h - what of a rank's tensors lies in lower memory tiers, and its way. */
#ifndef RECKON_RUN_REAL_AWAY_H
#define RECKON_RUN_REAL_AWAY_H

#include "run/real/real.h"
#include "run/tier.h"
#include <reckon/plan.h>

enum { TIERS = RK_SHARE_TIERS };

/* A buffer of which parts may be away: part i, of tier i, from begin[i] to begin[i + 1]. */
struct flat {
    size_t count, begin[TIERS + 1];
    real *here; /* (count - begin[TIERS]): what is not away */
    real *all;  /* (count): `here` when nothing is away, else there while it is needed */
    uint64_t place[TIERS];
    struct tier_move move[TIERS];
    bool moving;
};

static inline bool flat_is_away(const struct flat *f)
{
    return f->begin[TIERS] > 0;
}

static inline double flat_away_bytes(const struct flat *f, int tier)
{
    return (double)((f->begin[tier + 1] - f->begin[tier]) * sizeof(real));
}

enum half { HALF_FIRST, HALF_SECOND, HALF_BOTH };

struct stored {     /* a slot that is away, or on its way */
    int slot, tier; /* tier -1: it is back */
    enum half half;
    bool packed;       /* to 16 bits */
    bool part;         /* the first rows of each shard, at the front (rest.c) */
    size_t bytes, all; /* that are away; of the slot */
    uint64_t place;
    struct tier_move move;
};

/* What a step dealt: [TIERS] is what stays. */
struct deal {
    double seen_bytes, dealt_bytes[TIERS + 1], handed_bytes[TIERS];
};

struct unit_times {
    double forward_s[2], bytes[2]; /* of the first microbatch */
};

#endif
