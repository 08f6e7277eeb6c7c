/* simulate.c - campaigns followed event by event, for what closed formulas do not cover. */
#include <reckon/campaign.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>

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
    const struct rk_campaign *c;         /* of the phase */
    struct rk_campaign_outcome expected; /* of which only what does not depend on failures counts */
    struct random random;
    double now_s, failure_s; /* the next failure */
    double breaking;         /* share of failures that take a node away */
    double *back_s;          /* (away) when nodes in repair are back */
    size_t away, room;
    bool no_memory;
    double failures;
    bool reduced;                     /* continues with fewer accelerators */
    double before_s;                  /* work of the phases before */
    double safe_s;                    /* work of this phase that a checkpoint keeps */
    struct rk_campaign_event *events; /* what is to be drawn */
    size_t most, count;
};

static void note(struct run *r, enum rk_campaign_event_kind kind, double done_s)
{
    if (r->count < r->most)
        r->events[r->count] = (struct rk_campaign_event){kind, r->now_s, r->before_s + done_s};
    r->count += r->most > 0;
}

static void next_failure(struct run *r)
{
    r->failure_s = r->now_s + exponential(&r->random, r->expected.mtbf_s);
}

/* Nodes that are still in repair. */
static uint64_t nodes_away(struct run *r)
{
    for (size_t i = 0; i < r->away; i++)
        if (r->back_s[i] <= r->now_s) r->back_s[i--] = r->back_s[--r->away];
    return r->away;
}

/* Waits while more nodes are away than the run can spare: spare ones, and those that it leaves out
 * when it continues with fewer. */
static void wait_for_nodes(struct run *r)
{
    const struct rk_campaign *c = r->c;
    const uint64_t fewer = c->reduced_ranks ? (c->ranks - c->reduced_ranks) / c->recovery.node : 0;
    while (nodes_away(r) > c->recovery.spares + fewer) {
        size_t first = 0;
        for (size_t i = 1; i < r->away; i++)
            if (r->back_s[i] < r->back_s[first]) first = i;
        r->now_s = r->back_s[first];
    }
    r->reduced = fewer && nodes_away(r) > c->recovery.spares;
}

static void put_in_repair(struct run *r, double back_s)
{
    r->no_memory |= !ARRAY_RESERVE(r->back_s, r->room, r->away + 1);
    if (!r->no_memory) r->back_s[r->away++] = back_s;
}

/* From a failure until work resumes; failures meanwhile start it again. */
static void recover(struct run *r)
{
    const struct rk_recovery *v = &r->c->recovery;
    for (;;) {
        r->failures++;
        r->now_s = r->failure_s;
        note(r, RK_EVENT_FAILURE, r->safe_s);
        if (uniform(&r->random) <= r->breaking) put_in_repair(r, r->now_s + v->repair_s);
        wait_for_nodes(r); /* nothing runs, nothing fails */
        next_failure(r);
        const double up_s = r->now_s + v->detect_s + v->restart_s;
        if (r->failure_s >= up_s) {
            r->now_s = up_s;
            note(r, r->reduced ? RK_EVENT_REDUCED : RK_EVENT_RESTART, r->safe_s);
            return;
        }
    }
}

/* At a checkpoint, once enough nodes are back: the run restarts with all of them. True: a failure
 * struck meanwhile. */
static bool return_to_full(struct run *r)
{
    const double up_s = r->now_s + r->c->recovery.restart_s;
    r->reduced = false;
    if (r->failure_s < up_s) return true;
    r->now_s = up_s;
    note(r, RK_EVENT_FULL, r->safe_s);
    return false;
}

/* Does the work of a phase in pieces of the interval. Each piece ends with a checkpoint, which
 * counts once written; the last one needs none. */
static void run_phase(struct run *r)
{
    const double interval_s = r->expected.interval_s, work_s = r->expected.work_s;
    const double lag_s = r->expected.write_s - r->expected.blocking_s;
    double done_s = 0, saving_s = 0, saved_s = INFINITY; /* saved_s: when saving_s counts */
    r->safe_s = 0;
    r->now_s += r->c->switch_s;
    next_failure(r);
    note(r, RK_EVENT_PHASE, 0);
    for (;;) {
        const double pace = r->reduced ? r->c->reduced_pace : 1;
        const double piece_s = fmin(interval_s, work_s - done_s);
        const bool last = done_s + piece_s >= work_s * (1 - 1e-12);
        const double end_s = r->now_s + piece_s / pace + (last ? 0 : r->expected.blocking_s);
        bool struck = r->failure_s < end_s;
        if (!struck) {
            r->now_s = end_s;
            done_s += piece_s;
            if (last) return;
            if (saved_s <= r->now_s) r->safe_s = saving_s;
            saving_s = done_s;
            saved_s = r->now_s + lag_s;
            if (lag_s <= 0) r->safe_s = saving_s;
            if (r->reduced && nodes_away(r) <= r->c->recovery.spares) struck = return_to_full(r);
        }
        if (!struck) continue;
        if (saved_s <= r->failure_s) r->safe_s = saving_s;
        saved_s = INFINITY;
        recover(r);
        done_s = r->safe_s;
    }
}

/* All phases, of which `expected` was computed; the time they take. */
static double run_once(struct run *r, const struct rk_campaign *phases,
                       const struct rk_campaign_outcome *expected, size_t count)
{
    r->now_s = r->failures = r->before_s = 0;
    r->away = 0;
    r->reduced = false;
    for (size_t i = 0; i < count; i++) {
        r->c = &phases[i];
        r->expected = expected[i];
        r->breaking = r->expected.breaking;
        run_phase(r);
        r->before_s += r->expected.work_s;
    }
    note(r, RK_EVENT_END, 0);
    return r->now_s;
}

size_t rk_campaign_follow(const struct rk_campaign *phases, size_t count, uint64_t seed,
                          struct rk_campaign_event *events, size_t most)
{
    struct run run = {.random = {.seed = hash_pair(seed, 0)}, .events = events, .most = most};
    struct rk_campaign_outcome *expected = malloc((count ? count : 1) * sizeof *expected);
    if (!expected) return 0;
    for (size_t i = 0; i < count; i++)
        rk_campaign_expect(&phases[i], &expected[i]);
    run_once(&run, phases, expected, count);
    free(expected);
    free(run.back_s);
    return run.no_memory ? 0 : run.count;
}

/* Fewer runs where each is long: they differ less. 0: even the fewest are too many to follow. */
static uint64_t runs_of(uint64_t runs, double events_of_one)
{
    while (runs > FEWEST_RUNS && (double)runs * events_of_one > MOST_EVENTS)
        runs /= 2;
    return (double)runs * events_of_one <= MOST_EVENTS ? runs : 0;
}

enum rk_status rk_campaign_simulate(const struct rk_campaign *phases, size_t count, uint64_t runs,
                                    uint64_t seed, struct rk_campaign_range *range,
                                    struct rk_error *error)
{
    struct run run = {.c = phases};
    double sum_s = 0, failures = 0, events = 0;
    struct rk_campaign_outcome *expected = malloc((count ? count : 1) * sizeof *expected);
    double *total_s = NULL;
    enum rk_status status = RK_OK;
    *range = (struct rk_campaign_range){.mean_s = NAN};
    for (size_t i = 0; expected && i < count; i++) {
        rk_campaign_expect(&phases[i], &expected[i]);
        events += expected[i].work_s / expected[i].interval_s + expected[i].failures;
    }
    const uint64_t followed = runs_of(runs, events);
    if (followed) total_s = malloc(followed * sizeof *total_s);
    if (!expected || (followed && !total_s))
        status = no_memory(error);
    else if (!followed && runs)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "the run: %.3g checkpoints and failures of one simulated run are too many "
                         "to follow: give fewer tokens, or more time between failures",
                         events);
    for (uint64_t i = 0; status == RK_OK && i < followed; i++) {
        run.random = (struct random){.seed = hash_pair(seed, i)};
        total_s[i] = run_once(&run, phases, expected, count);
        sum_s += total_s[i];
        failures += run.failures;
        if (run.no_memory) status = no_memory(error);
    }
    if (status == RK_OK && followed) {
        qsort(total_s, followed, sizeof *total_s, by_number);
        *range = (struct rk_campaign_range){.mean_s = sum_s / (double)followed,
                                            .p10_s = total_s[followed / 10],
                                            .p50_s = total_s[followed / 2],
                                            .p90_s = total_s[followed * 9 / 10],
                                            .failures = failures / (double)followed};
    }
    free(total_s);
    free(expected);
    free(run.back_s);
    return status;
}
