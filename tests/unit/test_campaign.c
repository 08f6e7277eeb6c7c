/* Expected campaigns against simulated ones, against Young's and Daly's formulas in their range,
 * and against conservation. */
#include <criterion/criterion.h>
#include <math.h>
#include <reckon/campaign.h>
#include <stddef.h>

enum { HOUR = 3600, RUNS = 4000 };

static struct rk_campaign campaign(void)
{
    return (struct rk_campaign){
        .tokens = 1e12,
        .tokens_per_step = 4e6,
        .step_s = 10,
        .ranks = 1024,
        .checkpoint_bytes = 1e12,
        .rates = {.device_s = 2e7, .network_s = 1e8, .node_s = 1e7, .preempt_s = INFINITY},
        .recovery = {.node = 8,
                     .spares = 1000,
                     .detect_s = 120,
                     .restart_s = 600,
                     .repair_s = 3600,
                     .storage_Bps = 1e10,
                     .host_Bps = 25e9},
        .price = 2,
        .power_W = 700,
        .node_factor = 1.3,
        .cooling_factor = 1.1,
        .carbon = 300,
    };
}

static struct rk_campaign_outcome expect(const struct rk_campaign *c)
{
    struct rk_campaign_outcome o;
    cr_assert_null(rk_campaign_fault(c), "%s", rk_campaign_fault(c));
    rk_campaign_expect(c, &o);
    return o;
}

#define NEAR(a, b, relative)                                                                       \
    do {                                                                                           \
        const double got = (a), want = (b);                                                        \
        cr_expect(fabs(got - want) <= (relative)*fabs(want), #a " is %.17g, not %.17g", got,       \
                  want);                                                                           \
    } while (0)

Test(campaign, the_parts_are_the_whole)
{
    for (int k = 0; k < 8; k++) {
        struct rk_campaign c = campaign();
        c.recovery.async = k & 1;
        c.recovery.spares = k & 2 ? 1 : 1000;
        c.rates.device_s = k & 4 ? 1e6 : 1e8;
        const struct rk_campaign_outcome o = expect(&c);
        NEAR(o.work_s + o.checkpoint_s + o.lost_s + o.down_s, o.total_s, 1e-12);
        NEAR(o.steps, 250000, 0);
        NEAR(o.gpu_hours, o.total_s * 1024 / HOUR, 1e-12);
        NEAR(o.cost, 2 * (o.gpu_hours + 8 * (double)c.recovery.spares * o.total_s / HOUR), 1e-12);
        NEAR(o.cost_per_trillion, o.cost * 1e12 / c.tokens, 1e-12);
        NEAR(o.goodput, o.work_s / o.total_s, 1e-12);
        NEAR(o.energy_kWh, o.gpu_hours * 0.7 * 1.3 * 1.1, 1e-12);
        NEAR(o.carbon_t, o.energy_kWh * 300e-6, 1e-12);
        if (c.recovery.spares == 1000) NEAR(o.failures * o.mtbf_s, o.total_s, 1e-9);
    }
}

/* A price of steps is paid for those that count and for those that a failure undoes, not for the
 * hours in which nothing is trained. */
Test(campaign, steps_have_a_price)
{
    for (int k = 0; k < 3; k++) {
        struct rk_campaign c = campaign();
        c.rates.device_s = k == 0 ? INFINITY : k == 1 ? 1e8 : 1e6;
        if (k == 0) c.rates.network_s = c.rates.node_s = INFINITY;
        const struct rk_campaign_outcome free = expect(&c);
        c.step_usd = 3;
        const struct rk_campaign_outcome o = expect(&c);
        const double usd = o.cost - free.cost;
        NEAR(usd, 3 * (o.steps + o.lost_s / c.step_s), 1e-9);
        NEAR(o.cost_per_trillion, o.cost, 1e-12); /* 1e12 tokens */
        cr_expect(k == 0 ? o.lost_s < 1e-6 * o.work_s : usd > 3 * o.steps);
        cr_expect_lt(usd, 3 * o.total_s / c.step_s + 1e-6);
        c.price = 0; /* nothing is known of the rest */
        cr_expect_eq(expect(&c).cost, 0);
    }
    struct rk_campaign c = campaign();
    c.step_usd = -1;
    cr_expect_not_null(rk_campaign_fault(&c));
}

Test(campaign, without_failures_there_is_work_alone)
{
    struct rk_campaign c = campaign();
    c.rates = (struct rk_failure_rates){INFINITY, INFINITY, INFINITY, INFINITY};
    const struct rk_campaign_outcome o = expect(&c);
    NEAR(o.interval_s, o.work_s, 0);
    NEAR(o.total_s, o.work_s + o.blocking_s, 1e-12);
    cr_expect_eq(o.failures, 0);
}

/* By hand: 1,024 GPUs fail every 19531 s, their network every 97656 s, 128 nodes every 78125 s. */
Test(campaign, failures_add_up)
{
    struct rk_campaign c = campaign();
    const struct rk_campaign_outcome o = expect(&c);
    NEAR(1 / o.mtbf_s, 1024 / 2e7 + 1024 / 1e8 + 128 / 1e7, 1e-12);
    NEAR(o.write_s, 100, 1e-12);
    NEAR(o.young_s, sqrt(2 * 100 * o.mtbf_s), 1e-12);
}

/* The interval is a minimum, and Daly's formula gives it within a percent where C is small. */
Test(campaign, the_interval_is_the_best)
{
    for (double storage_Bps = 1e9; storage_Bps < 1e12; storage_Bps *= 4) {
        struct rk_campaign c = campaign();
        c.recovery.storage_Bps = storage_Bps;
        const struct rk_campaign_outcome best = expect(&c);
        for (double factor = 0.5; factor < 2; factor += 0.125) {
            c.recovery.interval_s = factor * best.interval_s;
            cr_expect_geq(expect(&c).total_s, best.total_s * (1 - 1e-12));
        }
        if (best.blocking_s < 0.05 * best.mtbf_s) NEAR(best.daly_s, best.interval_s, 0.01);
        if (best.blocking_s < 0.0005 * best.mtbf_s) NEAR(best.young_s, best.interval_s, 0.03);
    }
}

/* Against the events, within a percent; the assumptions of the formula hold here. */
Test(campaign, expectations_are_means_of_runs)
{
    for (int k = 0; k < 6; k++) {
        struct rk_campaign c = campaign();
        struct rk_campaign_range range;
        struct rk_error error;
        c.tokens = 2e11;
        c.rates.device_s = k % 3 == 0 ? 4e7 : k % 3 == 1 ? 1e7 : 3e6;
        c.recovery.storage_Bps = k < 3 ? 1e10 : 2e9;
        const struct rk_campaign_outcome o = expect(&c);
        cr_assert_eq(rk_campaign_simulate(&c, 1, RUNS, 7, &range, &error), RK_OK);
        NEAR(range.mean_s, o.total_s, 0.01);
        NEAR(range.failures, o.failures, 0.03);
        cr_expect(range.p10_s < range.p50_s && range.p50_s < range.p90_s);
    }
}

/* Written behind training's back, be it for as long as half the time between failures; and no other
 * interval is better. */
Test(campaign, behind_trainings_back)
{
    for (int k = 0; k < 6; k++) {
        struct rk_campaign c = campaign();
        struct rk_campaign_range range, other;
        struct rk_error error;
        c.tokens = 1e11;
        c.recovery.async = true;
        c.rates.device_s = k < 3 ? 4e6 : 1e7;
        c.recovery.storage_Bps = k % 3 == 0 ? 1e10 : k % 3 == 1 ? 2e9 : 6e8;
        const struct rk_campaign_outcome o = expect(&c);
        cr_assert_eq(rk_campaign_simulate(&c, 1, RUNS, 7, &range, &error), RK_OK);
        NEAR(o.total_s, range.mean_s, 0.01);
        c.recovery.interval_s = 1.4 * o.interval_s;
        cr_assert_eq(rk_campaign_simulate(&c, 1, RUNS, 7, &other, &error), RK_OK);
        cr_expect_gt(other.mean_s, range.mean_s);
    }
}

/* Few spare nodes. */
Test(campaign, waiting_for_nodes)
{
    for (int k = 0; k < 8; k++) {
        struct rk_campaign c = campaign();
        struct rk_campaign_range range;
        struct rk_error error;
        c.tokens = 2e11;
        c.recovery.async = k & 1;
        c.recovery.spares = k & 2 ? 0 : 1;
        c.recovery.repair_s = k & 4 ? 12 * HOUR : 2 * HOUR;
        const struct rk_campaign_outcome o = expect(&c);
        cr_assert_eq(rk_campaign_simulate(&c, 1, RUNS, 7, &range, &error), RK_OK);
        NEAR(o.total_s, range.mean_s, 0.01);
        NEAR(o.failures, range.failures, 0.02);
    }
}

/* No other number of spare nodes makes a long run cheaper: from 1 node to 16,384. */
Test(campaign, spare_nodes_make_it_cheapest)
{
    for (uint64_t ranks = 8; ranks <= 131072; ranks *= 4) {
        struct rk_campaign c = campaign();
        c.tokens = 1e14;
        c.ranks = ranks;
        c.rates.device_s = 3e8;
        c.recovery.repair_s = 24 * HOUR;
        c.recovery.spares = rk_campaign_spares(&c);
        const double chosen = expect(&c).cost;
        for (c.recovery.spares = 0; c.recovery.spares < 100; c.recovery.spares++)
            cr_expect_leq(chosen, (1 + 1e-9) * expect(&c).cost, "%lu ranks, %lu spares",
                          (unsigned long)ranks, (unsigned long)c.recovery.spares);
    }
}

/* With no spare node left it goes on with fewer: formula and events, and never worse than waiting.
 */
Test(campaign, fewer_accelerators)
{
    for (int k = 0; k < 6; k++) {
        struct rk_campaign c = campaign();
        struct rk_campaign_range range;
        struct rk_error error;
        c.tokens = 2e11;
        c.rates.device_s = k % 3 == 0 ? 1e8 : k % 3 == 1 ? 4e7 : 2e7;
        c.recovery.spares = (uint64_t)k / 3;
        c.recovery.repair_s = 12 * HOUR;
        const double waiting_s = expect(&c).total_s;
        c.reduced_ranks = 960; /* eight nodes fewer */
        c.reduced_pace = 0.9;
        const struct rk_campaign_outcome o = expect(&c);
        NEAR(o.work_s + o.checkpoint_s + o.lost_s + o.down_s, o.total_s, 1e-12);
        cr_expect_lt(o.total_s, waiting_s);
        cr_assert_eq(rk_campaign_simulate(&c, 1, RUNS, 7, &range, &error), RK_OK);
        NEAR(o.total_s, range.mean_s, 0.01);
    }
}

/* More nodes in repair at a time than are spare: however many these are, the run waits for one. */
Test(campaign, waits_beyond_a_thousand_nodes_in_repair)
{
    struct rk_campaign c = campaign();
    struct rk_campaign_range range;
    struct rk_error error;
    c.rates.node_s = c.rates.network_s = INFINITY;
    c.rates.device_s = 1024 * 2000.; /* one failure in 2000 s */
    c.recovery.spares = 1100;
    c.recovery.repair_s = 1e9;
    cr_assert_eq(rk_campaign_simulate(&c, 1, 100, 7, &range, &error), RK_OK);
    cr_expect_gt(range.failures, 1100);
    cr_expect_geq(range.p10_s, c.recovery.repair_s, "%g failures, %g s", range.failures,
                  range.p10_s);
}

/* Where no failure takes a node away, a plan for fewer changes nothing. */
Test(campaign, fewer_accelerators_without_need)
{
    struct rk_campaign c = campaign();
    c.rates.device_s = INFINITY;
    const double total_s = expect(&c).total_s;
    c.reduced_ranks = 960;
    c.reduced_pace = 0.9;
    NEAR(expect(&c).total_s, total_s, 0);
}

static struct rk_campaign phase(double tokens, double step_s, double switch_s)
{
    struct rk_campaign c = campaign();
    c.tokens = tokens;
    c.step_s = step_s;
    c.switch_s = switch_s;
    return c;
}

/* Phases are sums; so are their events. */
Test(campaign, phases_add_up)
{
    const struct rk_campaign phases[] = {phase(2e10, 4, 0), phase(1e11, 6, 900),
                                         phase(8e10, 10, 1200)};
    struct rk_campaign_outcome sum, one;
    struct rk_campaign_range range;
    struct rk_error error;
    double total_s = 0, work_s = 0, hours = 0;
    rk_campaign_expect_phases(phases, 3, &sum);
    for (int i = 0; i < 3; i++) {
        struct rk_campaign alone = phases[i];
        alone.switch_s = 0;
        rk_campaign_expect(&alone, &one);
        total_s += one.total_s + phases[i].switch_s;
        work_s += one.work_s;
        hours += (one.total_s + phases[i].switch_s) * 1024 / HOUR;
    }
    NEAR(sum.total_s, total_s, 1e-12);
    NEAR(sum.work_s, work_s, 1e-12);
    NEAR(sum.goodput, work_s / total_s, 1e-12);
    NEAR(sum.work_s + sum.checkpoint_s + sum.lost_s + sum.down_s, sum.total_s, 1e-12);
    NEAR(sum.gpu_hours, hours, 0.003); /* GPU-hours count the switches, too */
    cr_assert_eq(rk_campaign_simulate(phases, 3, RUNS, 7, &range, &error), RK_OK);
    NEAR(range.mean_s, sum.total_s, 0.01);
}

static double switch_of(void *context, size_t at, size_t from, size_t to)
{
    const double *price = context;
    return from == to ? 0 : price[at];
}

/* The plans of the phases against all ways to choose them. */
Test(campaign, plans_of_phases_are_the_best)
{
    enum { PHASES = 4, CHOICES = 3 };
    unsigned random = 1;
    for (int round = 0; round < 300; round++) {
        struct rk_campaign c[PHASES * CHOICES];
        double price[PHASES], least_s = INFINITY, found_s = 0;
        size_t choice[PHASES];
        for (int i = 0; i < PHASES * CHOICES; i++) {
            random = random * 1103515245u + 12345u;
            c[i] = phase(1e9 * (1 + (random >> 16) % 5), 1 + (random >> 20) % 7, 0);
            if ((random >> 12) % 8 == 0) c[i].step_s = 0; /* cannot be taken */
        }
        for (int i = 0; i < PHASES; i++)
            price[i] = 100 * (double)((random >> (8 + i)) % 16);
        for (int all = 0; all < 81; all++) {
            double sum_s = 0;
            for (int i = 0, rest = all, before = 0; i < PHASES; i++, rest /= 3) {
                const struct rk_campaign *taken = &c[i * CHOICES + rest % 3];
                struct rk_campaign_outcome o = {.total_s = INFINITY};
                if (taken->step_s > 0) rk_campaign_expect(taken, &o);
                sum_s += o.total_s + (i && rest % 3 != before ? price[i] : 0);
                before = rest % 3;
            }
            least_s = fmin(least_s, sum_s);
        }
        const bool found = rk_campaign_choose(c, PHASES, CHOICES, switch_of, price, choice);
        cr_assert_eq(found, isfinite(least_s));
        for (int i = 0; found && i < PHASES; i++) {
            struct rk_campaign_outcome o;
            rk_campaign_expect(&c[(size_t)i * CHOICES + choice[i]], &o);
            found_s += o.total_s + (i && choice[i] != choice[i - 1] ? price[i] : 0);
        }
        if (found) NEAR(found_s, least_s, 1e-9);
    }
}

/* One run followed: time goes on, work that counts never shrinks, and the end is the run's. */
Test(campaign, a_run_is_followed)
{
    enum { MOST = 100000 };
    static struct rk_campaign_event event[MOST];
    struct rk_campaign c = campaign();
    c.recovery.spares = 0;
    c.reduced_ranks = 960;
    c.reduced_pace = 0.9;
    const size_t count = rk_campaign_follow(&c, 1, 3, event, MOST);
    size_t failures = 0, up = 0;
    cr_assert(count > 2 && count < MOST);
    for (size_t i = 1; i < count; i++) {
        cr_expect_geq(event[i].at_s, event[i - 1].at_s);
        cr_expect_geq(event[i].done_s, event[i - 1].done_s);
        failures += event[i].kind == RK_EVENT_FAILURE;
        up += event[i].kind == RK_EVENT_RESTART || event[i].kind == RK_EVENT_REDUCED;
    }
    cr_expect_eq(event[0].kind, RK_EVENT_PHASE);
    cr_expect_eq(event[count - 1].kind, RK_EVENT_END);
    NEAR(event[count - 1].done_s, expect(&c).work_s, 1e-12);
    cr_expect(up > 0 && up <= failures);
    cr_expect_eq(rk_campaign_follow(&c, 1, 3, event, 10), count);
}

/* More of what helps never hurts. */
Test(campaign, monotone)
{
    const struct rk_campaign c = campaign();
    const double total_s = expect(&c).total_s;
    struct rk_campaign better = c;
    better.recovery.storage_Bps *= 2;
    cr_expect_lt(expect(&better).total_s, total_s);
    better = c;
    better.rates.device_s *= 2;
    cr_expect_lt(expect(&better).total_s, total_s);
    better = c;
    better.recovery.async = true;
    cr_expect_lt(expect(&better).total_s, total_s);
    better = c;
    better.recovery.spares = 0;
    cr_expect_gt(expect(&better).total_s, total_s);
}

Test(campaign, faults_are_said)
{
    static const struct {
        size_t at;
        double value;
    } wrong[] = {{offsetof(struct rk_campaign, tokens), 0},
                 {offsetof(struct rk_campaign, tokens), 1},
                 {offsetof(struct rk_campaign, step_s), INFINITY},
                 {offsetof(struct rk_campaign, rates.device_s), 0},
                 {offsetof(struct rk_campaign, rates.preempt_s), -1},
                 {offsetof(struct rk_campaign, recovery.storage_Bps), 0},
                 {offsetof(struct rk_campaign, recovery.repair_s), -1},
                 {offsetof(struct rk_campaign, recovery.interval_s), 1e-9},
                 {offsetof(struct rk_campaign, price), -1},
                 {offsetof(struct rk_campaign, cooling_factor), 0.5}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rk_campaign c = campaign();
        *(double *)((char *)&c + wrong[i].at) = wrong[i].value;
        cr_expect_not_null(rk_campaign_fault(&c), "%zu", i);
    }
}

/* 5.76e23 FLOP: 70 billion parameters and 1.4 trillion tokens [hoffmann2022] Table A3. */
Test(campaign, compute_optimal)
{
    double parameters, tokens;
    rk_compute_optimal(RK_CHINCHILLA, 5.76e23, &parameters, &tokens);
    NEAR(parameters, 67e9, 0.05);
    NEAR(tokens, 1.4e12, 0.05);
    NEAR(6 * parameters * tokens, 5.76e23, 1e-9);
    rk_compute_optimal(RK_LLAMA_3, 3.8e25, &parameters,
                       &tokens); /* 402B on 16.55T [dubey2024] 3.2.1 */
    NEAR(tokens, 16.55e12, 0.05);
    NEAR(parameters, 402e9, 0.06);
}

Test(campaign, prices_of_the_list_are_a_callers)
{
    struct rk_campaign_facts *facts;
    const struct rk_price_offer *offer;
    struct rk_error error;
    cr_assert_eq(rk_campaign_facts_load(NULL, &facts, &error), RK_OK, "%s", error.text);
    const size_t offers = rk_price_offers(facts, &offer);
    cr_assert_gt(offers, 0);
    for (size_t i = 0; i < offers; i++)
        cr_expect(offer[i].accelerator[0] && offer[i].source[0] && offer[i].usd_per_hour > 0);
    rk_campaign_facts_release(facts);
}
