/* What a prediction says of a measured run: open cells, batches that do not divide, verdicts. */
#include "facts/results.h"
#include "predict_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct machine machine;
static struct judgement judgement;

static struct fact fact_of(uint64_t ranks, uint64_t batch)
{
    machine_init(&machine, 1e6);
    struct fact fact = {.model = small, .system = machine.system, .flop_ratio = 1};
    fact.plan = rk_plan_default();
    fact.plan.ranks = ranks;
    fact.plan.batch = batch;
    fact.plan.sequence = small.sequence;
    fact.lone_batch = (double)batch;
    return fact;
}

static struct rk_prediction predicted(const struct fact *fact, const struct rk_plan *plan)
{
    static struct rk_prediction p;
    rk_predict(&fact->model, &fact->system, plan, &p);
    return p;
}

/* ---- open cells ---- */

/* Kernels take a second each: the more samples at once, the faster; 4 of 1, 2, 4, ... 16 fit. */
Test(judge, the_fastest_that_fits)
{
    struct fact fact = fact_of(1, 16);
    fact.system.kernels.kernel_s = 1;
    fact.open = 1u << OPEN_MICROBATCH;
    struct rk_plan plan = fact.plan;
    plan.microbatch = 4;
    const double four = predicted(&fact, &plan).stage[0].total_bytes;
    plan.microbatch = 8;
    const double eight = predicted(&fact, &plan).stage[0].total_bytes;
    cr_assert_gt(eight, four);
    machine.memory[0].capacity_bytes = (four + eight) / 2;
    judge(&fact, &judgement);
    cr_expect_eq(judgement.plan.microbatch, 4);
    cr_expect_eq(judgement.verdict, RK_FITS);
    machine.memory[0].capacity_bytes = 2 * eight * 16;
    judge(&fact, &judgement);
    cr_expect_eq(judgement.plan.microbatch, 16);
    machine.memory[0].capacity_bytes = 1; /* nothing fits: the fastest all the same */
    judge(&fact, &judgement);
    cr_expect_eq(judgement.plan.microbatch, 16);
    cr_expect_eq(judgement.verdict, RK_MEMORY_EXCEEDED);
}

/* Three ranks, four layers: the stages need not be alike, as in a search. */
Test(judge, open_pipelines_are_those_of_the_search)
{
    struct fact fact = fact_of(3, 3);
    fact.open = 1u << OPEN_PIPELINE;
    struct rk_plan plan = fact.plan;
    plan.pipeline = 3;
    machine.memory[0].capacity_bytes = 1.1 * predicted(&fact, &plan).stage[0].total_bytes;
    judge(&fact, &judgement);
    cr_expect_eq(judgement.plan.pipeline, 3);
    cr_expect_eq(judgement.verdict, RK_FITS);
    fact.plan.ranks = 5; /* 1: five stages have no layer each */
    fact.plan.batch = 5;
    judge(&fact, &judgement);
    cr_expect_eq(judgement.plan.pipeline, 1);
    fact.plan.ranks = 4; /* 1, 2, 4 */
    fact.plan.batch = 4;
    judge(&fact, &judgement);
    cr_expect_neq(judgement.plan.pipeline, 1);
    cr_expect_eq(judgement.verdict, RK_FITS);
}

/* ---- batches ---- */

/* 20 samples on 4 ranks in microbatches of 2: 5 for each, half way between 2 and 3 microbatches; of
 * the FLOP of 24 samples 20. */
Test(judge, batches_between_microbatches)
{
    struct fact fact = fact_of(4, 20);
    fact.plan.microbatch = 2;
    struct rk_plan plan = fact.plan;
    plan.batch = 16;
    const struct rk_prediction less = predicted(&fact, &plan);
    plan.batch = 24;
    const struct rk_prediction more = predicted(&fact, &plan);
    judge(&fact, &judgement);
    NEAR(judgement.step_s, (less.step_s + more.step_s) / 2);
    NEAR(judgement.model_flop, more.model_flop_full * 20 / 24);
    NEAR(judgement.executed_flop, more.executed_flop_full * 20 / 24);
    cr_assert_gt(more.step_s, 1.4 * less.step_s);
    /* 21 samples: 6 for the busiest, three microbatches */
    fact.plan.batch = 21;
    fact.lone_batch = 21;
    judge(&fact, &judgement);
    NEAR(judgement.step_s, more.step_s);
}

/* ---- figures ---- */

/* Of a layer without embedding and head: three passes of 24 T h^2 and, full attention in memory,
 * of 4 a T^2 d FLOP. */
Test(judge, one_layer)
{
    struct fact fact = fact_of(1, 8);
    fact.plan.attention = RK_UNFUSED;
    fact.figures = 1;
    fact.figure[0] = (struct figure){"layer_fwd_plus_bwd_ms", FIGURE_LAYER, FORM_SECONDS, 1, 1e-3};
    judge(&fact, &judgement);
    const double flop = 24 * 128.0 * 64 * 64 + 4 * 4 * 128.0 * 128 * 16;
    NEAR(judgement.layer_s, 3 * flop / 1e6);
    NEAR(judge_figure(&fact, &fact.figure[0], &judgement), 1000 * 3 * flop / 1e6);
}

/* What each source counts, for 8 samples of 128 tokens: three times forward, recomputation, 6 N
 * tokens, [narayanan2021] with and without the logits. */
Test(judge, flop_of_sources)
{
    struct fact fact = fact_of(2, 8);
    const struct judgement j = {
        .timed = true, .step_s = 2, .model_flop = 3e9, .executed_flop = 4e9, .parameters = 5e5};
    const struct figure f = {"tflops_per_gpu", FIGURE_STEP, FORM_FLOPS, 10, 2e6};
    const double narayanan = 96 * 8 * 128 * 4 * 64.0 * 64;
    const double flop[FLOP_FORMULAS] = {
        [FLOP_MODEL] = 3e9,
        [FLOP_EXECUTED] = 4e9,
        [FLOP_SIX_N] = 6 * 5e5 * 8 * 128,
        [FLOP_MEGATRON] = narayanan * (1 + 128 / (6 * 64.0) + 1024 / (16.0 * 4 * 64)),
        [FLOP_MEGATRON_OLD] = narayanan * (1 + 128 / (6 * 64.0)),
    };
    for (int i = 0; i < FLOP_FORMULAS; i++) {
        fact.formula = (enum flop_formula)i;
        NEAR(judge_measured(&fact, &f, &j), flop[i] / (10 * 2e6));
        NEAR(judge_figure(&fact, &f, &j), flop[i] / 2 / 2e6);
    }
    fact.flop_ratio = 0.75;
    NEAR(judge_measured(&fact, &f, &j), 0.75 * flop[FLOP_FORMULAS - 1] / 2e7);
}

/* Between steps, the allocator's peak, and all that the device has taken. */
Test(judge, kinds_of_memory)
{
    const struct fact fact = fact_of(1, 1);
    const struct judgement j = {
        .static_bytes = 1, .allocated_bytes = 2, .total_bytes = 3, .used_bytes = 4};
    static const struct {
        enum figure_kind kind;
        double bytes;
    } rows[] = {{FIGURE_STATIC, 1}, {FIGURE_ALLOCATED, 2}, {FIGURE_RESERVED, 3}, {FIGURE_USED, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct figure f = {"memory", rows[i].kind, FORM_BYTES, 5, 1};
        NEAR(judge_figure(&fact, &f, &j), rows[i].bytes);
        NEAR(judge_measured(&fact, &f, &j), 5);
    }
}

/* ---- rows ---- */

static struct rules own_rules(void)
{
    struct rules rules;
    struct rk_error error = {.text = ""};
    cr_assert_eq(rules_load(RECKON_TEST_SOURCE "/data/measured/rules.json", &rules, &error), RK_OK,
                 "%s", error.text);
    return rules;
}

/* On one A100 of 80 GB: 24 layers of 512, 80 million parameters, 1.4 GB of state, surely fit; of
 * 16384, 77 billion in 1.4 TB, surely not. */
#define HEADER                                                                                     \
    "id,hidden,layers,ffn,heads,seq,vocab,gated_mlp,gpu,gpus,gpus_per_node,tp,pp,vpp,cp,sp,"       \
    "micro_batch,global_batch,precision,recompute,zero,flash_attn,metric_name,metric_value,"       \
    "memory.allocated,peak_TFLOPps\n"
#define ROW(hidden, figures)                                                                       \
    "x_1," #hidden                                                                                 \
    ",24,2048,8,1024,50257,0,A100-SXM4-80GB,1,8,1,1,1,1,0,1,8,bf16,none,0,1," figures "\n"

static struct results results_of(const char *text)
{
    struct rules rules = own_rules();
    struct results results = {0};
    struct facts facts = {0};
    struct rk_error error = {.text = ""};
    struct csv csv;
    cr_assert_eq(csv_parse("t.csv", text, strlen(text), &csv, &error), RK_OK, "%s", error.text);
    cr_assert_eq(facts_add(&facts, &csv, &rules, &error), RK_OK, "%s", error.text);
    cr_assert_eq(results_add(&results, &facts, &error), RK_OK, "%s", error.text);
    facts_release(&facts);
    csv_release(&csv);
    rules_release(&rules);
    return results;
}

static bool stop_at_second(void *context, uint64_t done, uint64_t total, double best_s)
{
    cr_expect_eq(total, 5);
    cr_expect(isinf(best_s));
    *(uint64_t *)context = done;
    return done < 2;
}

/* Who waits for a large table can stop it. */
Test(results, reading_can_be_stopped)
{
    struct rules rules = own_rules();
    uint64_t seen = 0;
    struct facts facts = {.progress = stop_at_second, .context = &seen};
    struct rk_error error = {.text = ""};
    struct csv csv;
    static const char text[] = HEADER ROW(512, "OOM,,,") ROW(512, "OOM,,,") ROW(512, "OOM,,,")
        ROW(512, "OOM,,,") ROW(512, "OOM,,,");
    cr_assert_eq(csv_parse("t.csv", text, strlen(text), &csv, &error), RK_OK, "%s", error.text);
    cr_expect_eq(facts_add(&facts, &csv, &rules, &error), RK_INTERRUPTED);
    cr_expect_eq(seen, 2);
    cr_expect_eq(facts.count, 2);
    facts_release(&facts);
    csv_release(&csv);
    rules_release(&rules);
}

Test(results, verdicts)
{
    struct results r = results_of(HEADER ROW(512, "OOM,,,") ROW(16384, "OOM,,,") ROW(
        512, "iter_time_s,10,,") ROW(16384, "iter_time_s,10,,") ROW(512, "furlongs,10,,"));
    static const enum result_verdict verdicts[] = {RESULT_OOM_ACCEPTED, RESULT_OOM_REJECTED,
                                                   RESULT_COMPARED, RESULT_REFUSED,
                                                   RESULT_UNMODELLED};
    cr_assert_eq(r.count, 5);
    for (size_t i = 0; i < r.count; i++)
        cr_expect_eq(r.result[i].verdict, verdicts[i], "%zu: %s, %s", i,
                     result_verdict_name(r.result[i].verdict), r.result[i].reason);
    cr_expect(isnan(r.result[1].error));
    results_release(&r);
}

/* Predicted over measured minus 1, of times and of bytes. */
Test(results, errors)
{
    struct results r = results_of(HEADER ROW(512, "iter_time_s,10,20 GB,"));
    cr_assert_eq(r.count, 2);
    const struct result *time = &r.result[0], *memory = &r.result[1];
    cr_expect_lt(time->predicted, 10);
    NEAR(time->error, time->judgement.step_s / 10 - 1);
    NEAR(memory->measured, 20e9);
    NEAR(memory->error, memory->judgement.allocated_bytes / 20e9 - 1);
    results_release(&r);
}

/* 40 % of 200 TFLOP/s where the source says so: time = FLOP / (0.4 * 200e12). */
Test(results, a_peak_of_the_source)
{
    struct results r = results_of(HEADER ROW(512, "mfu_pct,40,,200") ROW(512, "mfu_pct,40,,"));
    cr_assert_eq(r.count, 2);
    NEAR(r.result[0].measured_si, r.result[0].judgement.model_flop / (0.4 * 200e12));
    NEAR(r.result[1].measured_si, r.result[1].judgement.model_flop / (0.4 * 312e12));
    results_release(&r);
}
