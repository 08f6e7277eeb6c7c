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
        cr_assert_eq(rk_campaign_simulate(&c, o.interval_s, RUNS, 7, &range, &error), RK_OK);
        NEAR(range.mean_s, o.total_s, 0.01);
        NEAR(range.failures, o.failures, 0.03);
        cr_expect(range.p10_s < range.p50_s && range.p50_s < range.p90_s);
    }
}

/* Written behind training's back, few spare nodes: formula and events stay close. */
Test(campaign, where_the_formula_is_an_approximation)
{
    for (int k = 0; k < 4; k++) {
        struct rk_campaign c = campaign();
        struct rk_campaign_range range;
        struct rk_error error;
        c.tokens = 2e11;
        c.recovery.async = k & 1;
        c.recovery.spares = k & 2 ? 0 : 1;
        c.recovery.repair_s = 2 * HOUR;
        const struct rk_campaign_outcome o = expect(&c);
        cr_assert_eq(rk_campaign_simulate(&c, o.interval_s, RUNS, 7, &range, &error), RK_OK);
        NEAR(o.total_s, range.mean_s, 0.05);
    }
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
