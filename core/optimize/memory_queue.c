/* memory_queue.c - which bytes can be written and read back in time, over several tiers.
 *
 * Writes in the order of forward, all out at a common turn: in time iff for every i the bytes from
 * item i on are at most write (turn - ready_i); reads from the turn on, in the reverse order: iff
 * they are at most read (needed_i - turn). The sets are nested, so the feasible loads form a
 * polymatroid, sums of polymatroids are polymatroids, and greedy choice by decreasing worth is
 * optimal. */
#include <math.h>
#include <reckon/offload.h>
#include <stddef.h>

/* The most that the items from i on may have, on one tier. */
static double bound_at(const struct rk_queue_item *item, const struct rk_queue_tier *tier,
                       double turn_s, int i)
{
    const double out = tier->write_Bps * fmax(0, turn_s - item[i].ready_s);
    const double in = tier->read_Bps * fmax(0, item[i].needed_s - turn_s);
    return fmin(tier->capacity_bytes, fmin(out, in));
}

bool rk_queue_in_time(const struct rk_queue_item *item, int items, const struct rk_queue_tier *tier,
                      double turn_s, const double *bytes)
{
    double sum = 0;
    for (int i = items - 1; i >= 0; i--) {
        sum += bytes[i];
        if (sum > 0 && sum > bound_at(item, tier, turn_s, i) * (1 + 1e-12)) return false;
    }
    return true;
}

/* How far item j can grow: the tightest bound of those sets that it is in. */
static double room_of(const double *bound, const double *bytes, int items, int j)
{
    double sum = 0, room = INFINITY;
    for (int i = items - 1; i >= 0; i--) {
        sum += bytes[i];
        if (i <= j) room = fmin(room, bound[i] - sum);
    }
    return fmax(0, room);
}

/* A set's bound counts for all sets within it, too. */
static void find_bounds(const struct rk_queue_item *item, int items,
                        const struct rk_queue_tier *tier, double turn_s, double *bound)
{
    double least = INFINITY;
    for (int i = 0; i < items; i++) {
        least = fmin(least, bound_at(item, tier, turn_s, i));
        bound[i] = least;
    }
}

static int worthiest(const struct rk_queue_item *item, int items, const bool *done)
{
    int best = -1;
    for (int i = 0; i < items; i++)
        if (!done[i] && (best < 0 || item[i].worth > item[best].worth)) best = i;
    return best;
}

/* From the last item on, the first tier first. What all tiers have room for together can be dealt
 * out so: a tier's bound does not fall on the way. */
static void deal_out(const double bound[][RK_QUEUE_ITEMS], int items, int tiers, const double *all,
                     double *bytes)
{
    double sum[RK_QUEUE_TIERS] = {0};
    for (int i = items - 1; i >= 0; i--) {
        double left = all[i];
        for (int t = 0; t < tiers; t++) {
            const double part = fmin(left, fmax(0, bound[t][i] - sum[t]));
            bytes[(size_t)t * (size_t)items + (size_t)i] = part;
            sum[t] += part;
            left -= part;
        }
    }
}

double rk_queue_choose(const struct rk_queue_item *item, int items,
                       const struct rk_queue_tier *tier, int tiers, double turn_s, double *bytes)
{
    double bound[RK_QUEUE_TIERS][RK_QUEUE_ITEMS], together[RK_QUEUE_ITEMS] = {0};
    double chosen[RK_QUEUE_ITEMS] = {0}, worth = 0;
    bool done[RK_QUEUE_ITEMS] = {false};
    for (int t = 0; t < tiers; t++) {
        find_bounds(item, items, &tier[t], turn_s, bound[t]);
        for (int i = 0; i < items; i++)
            together[i] += bound[t][i];
    }
    for (int k = 0; k < items; k++) {
        const int j = worthiest(item, items, done);
        done[j] = true;
        if (item[j].worth <= 0) break;
        chosen[j] = fmin(item[j].bytes, room_of(together, chosen, items, j));
        worth += chosen[j] * item[j].worth;
    }
    deal_out(bound, items, tiers, chosen, bytes);
    return worth;
}
