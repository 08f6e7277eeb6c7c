/* simulate.c - campaigns followed event by event, for what closed formulas do not cover. */
#include <reckon/campaign.h>

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_AWAY = 1024
}; /* nodes in repair at the same time; of more the first to come back count */

static const double FEWEST_RUNS = 100, MOST_EVENTS = 1e8; /* of all runs: some seconds */

struct random {
    uint64_t seed, drawn;
};

static double uniform(struct random *r) /* in (0, 1] */
{
    return (double)((hash_pair(r->seed, r->drawn++) >> 11) + 1) * 0x1p-53;
}

static double exponential(struct random *r, double mean_s)
{
    return isfinite(mean_s) ? -mean_s * log(uniform(r)) : INFINITY;
}

struct run {
    const struct rk_campaign *c;
    struct rk_campaign_outcome expected; /* of which only what does not depend on failures counts */
    struct random random;
    double now_s, failure_s;  /* the next failure */
    double breaking;          /* share of failures that take a node away */
    double back_s[MOST_AWAY]; /* when nodes in repair are back */
    int away;
    double failures;
};

static void next_failure(struct run *r)
{
    r->failure_s = r->now_s + exponential(&r->random, r->expected.mtbf_s);
}

/* Waits while more nodes are away than were spare. */
static void wait_for_nodes(struct run *r)
{
    for (;;) {
        int first = -1;
        for (int i = 0; i < r->away; i++) {
            if (r->back_s[i] <= r->now_s)
                r->back_s[i--] = r->back_s[--r->away];
            else if (first < 0 || r->back_s[i] < r->back_s[first])
                first = i;
        }
        if ((uint64_t)r->away <= r->c->recovery.spares) return;
        first = 0;
        for (int i = 1; i < r->away; i++)
            if (r->back_s[i] < r->back_s[first]) first = i;
        r->now_s = r->back_s[first];
    }
}

/* From a failure until work goes on; failures meanwhile start it again. */
static void recover(struct run *r)
{
    const struct rk_recovery *v = &r->c->recovery;
    for (;;) {
        r->failures++;
        r->now_s = r->failure_s;
        if (uniform(&r->random) <= r->breaking && r->away < MOST_AWAY)
            r->back_s[r->away++] = r->now_s + v->repair_s;
        wait_for_nodes(r); /* nothing runs, nothing fails */
        next_failure(r);
        const double up_s = r->now_s + v->detect_s + v->restart_s;
        if (r->failure_s >= up_s) {
            r->now_s = up_s;
            return;
        }
    }
}

/* Work to be done, pieces of the interval, each with a checkpoint behind it that counts when it is
 * written; the last piece needs none. */
static double run_once(struct run *r)
{
    const double interval_s = r->expected.interval_s, work_s = r->expected.work_s;
    const double lag_s = r->expected.write_s - r->expected.blocking_s;
    double safe_s = 0, done_s = 0, saving_s = 0,
           saved_s = INFINITY; /* saved_s: when saving_s counts */
    next_failure(r);
    for (;;) {
        const double piece_s = fmin(interval_s, work_s - done_s);
        const bool last = done_s + piece_s >= work_s * (1 - 1e-12);
        const double end_s = r->now_s + piece_s + (last ? 0 : r->expected.blocking_s);
        if (r->failure_s < end_s) {
            if (saved_s <= r->failure_s) safe_s = saving_s;
            saved_s = INFINITY;
            recover(r);
            done_s = safe_s;
            continue;
        }
        r->now_s = end_s;
        done_s += piece_s;
        if (last) return r->now_s;
        if (saved_s <= r->now_s) safe_s = saving_s;
        saving_s = done_s;
        saved_s = r->now_s + lag_s;
        if (lag_s <= 0) safe_s = saving_s;
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum rk_status rk_campaign_simulate(const struct rk_campaign *campaign, double interval_s,
                                    uint64_t runs, uint64_t seed, struct rk_campaign_range *range,
                                    struct rk_error *error)
{
    struct run run = {.c = campaign};
    double *total_s = malloc((runs ? runs : 1) * sizeof *total_s), sum_s = 0, failures = 0;
    *range = (struct rk_campaign_range){.mean_s = NAN};
    if (!total_s) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    struct rk_campaign set = *campaign;
    set.recovery.interval_s = interval_s;
    rk_campaign_expect(&set, &run.expected);
    const double of_one = run.expected.work_s / run.expected.interval_s + run.expected.failures;
    while (runs > FEWEST_RUNS && (double)runs * of_one > MOST_EVENTS)
        runs /= 2; /* long runs differ less */
    const double events = (double)runs * of_one;
    if (!(events <= MOST_EVENTS)) {
        free(total_s);
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "the run: %.3g checkpoints and failures of %llu simulated runs are too many "
                       "to follow: give fewer tokens, or more time between failures",
                       events, (unsigned long long)runs);
    }
    run.breaking = run.expected.breaking;
    for (uint64_t i = 0; i < runs; i++) {
        run.random = (struct random){.seed = hash_pair(seed, i)};
        run.now_s = run.failures = 0;
        run.away = 0;
        total_s[i] = run_once(&run);
        sum_s += total_s[i];
        failures += run.failures;
    }
    qsort(total_s, runs, sizeof *total_s, compare);
    if (runs)
        *range = (struct rk_campaign_range){.mean_s = sum_s / (double)runs,
                                            .p10_s = total_s[runs / 10],
                                            .p50_s = total_s[runs / 2],
                                            .p90_s = total_s[runs * 9 / 10],
                                            .failures = failures / (double)runs};
    free(total_s);
    return RK_OK;
}
