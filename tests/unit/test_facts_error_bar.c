/* Error bars: what is learned from results, and what a request takes. */
#include "facts/error_bar.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b)                                                                                 \
    cr_expect(fabs((a) - (b)) < 1e-4, "%.17g, expected %.17g", (double)(a), (double)(b))

/* `count` results on a system with these errors: i * step. */
static void add(struct results *results, size_t count, const char *system, uint64_t gpus,
                uint64_t experts, double step)
{
    results->result = realloc(results->result, (results->count + count) * sizeof *results->result);
    for (size_t i = 0; i < count; i++) {
        struct result *r = &results->result[results->count++];
        memset(r, 0, sizeof *r);
        r->kind = FIGURE_STEP;
        r->error = (double)(i + 1) * step;
        snprintf(r->system, sizeof r->system, "%s", system);
        r->model.experts = experts;
        r->model.sequence = 2048;
        r->judgement.plan = rk_plan_default();
        r->judgement.plan.ranks = gpus;
        r->judgement.plan.tensor = 8;
        r->judgement.parameters = 1e9;
    }
}

static struct error_bars *learned(void)
{
    struct results results = {0};
    struct rk_error error;
    struct error_bars *bars = malloc(sizeof *bars);
    add(&results, 10, "h100-sxm5-80g nvl8", 128, 0, 0.01); /* 0.01 ... 0.10 */
    add(&results, 4, "h100-sxm5-80g", 8, 0, -0.02);        /* too few for a class of their own */
    add(&results, 9, "a100-sxm4-80g", 1024, 8, 0.03);
    cr_assert_eq(error_bars_learn(bars, &results, &error), RK_OK);
    free(results.result);
    return bars;
}

static const struct error_class *ask(const struct error_bars *bars, const char *system,
                                     uint64_t gpus, uint64_t experts)
{
    static struct rk_model model;
    static struct rk_plan plan;
    model = (struct rk_model){.experts = experts, .sequence = 2048};
    plan = rk_plan_default();
    plan.ranks = gpus;
    plan.tensor = 8;
    return error_bar_of(bars, &(struct error_request){&model, system, &plan, 1e9});
}

Test(error_bars, the_most_specific_class_with_enough_runs)
{
    struct error_bars *bars = learned();
    const struct error_class *c = ask(bars, "h200-sxm-141g", 256, 0); /* Hopper too */
    cr_assert(c);
    cr_expect_str_eq(c->of, "Hopper, dense, megatron, 16 bits, 64 to 511 GPUs");
    cr_expect_eq(c->runs, 10);
    NEAR(c->signed_mean, 0.055);
    NEAR(c->p90, 0.091);                  /* at 0.9 * 9 = 8.1: 0.09 + 0.1 * 0.01 */
    c = ask(bars, "h100-sxm5-80g", 8, 0); /* four runs there: all of Hopper's dense ones */
    cr_expect_str_eq(c->of, "Hopper, dense, megatron, 16 bits");
    cr_expect_eq(c->runs, 14);
    c = ask(bars, "h100-sxm5-80g", 8, 64);
    cr_expect_str_eq(c->of, "experts");
    c = ask(bars, "gaudi3", 8, 0);
    cr_expect_str_eq(c->of, "dense");
    free(bars);
}

Test(error_bars, warnings_outside_what_was_validated)
{
    struct error_bars *bars = learned();
    const struct rk_model model = {.sequence = 1 << 20};
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 1 << 17;
    plan.tensor = 8;
    plan.precision = RK_NVFP4;
    const struct error_request request = {&model, "h100-sxm5-80g", &plan, 1e9};
    char text[160];
    cr_assert(error_bar_warning(bars, &request, 0, text, sizeof text));
    cr_expect_str_eq(text, "GPUs: 131072; compared runs had 8 to 1024");
    cr_assert(error_bar_warning(bars, &request, 1, text, sizeof text));
    cr_expect_str_eq(text, "tokens of a sample: 1048576; compared runs had 2048 to 2048");
    cr_assert(error_bar_warning(bars, &request, 2, text, sizeof text));
    cr_expect_str_eq(text, "precision nvfp4: no compared run had it");
    cr_expect_not(error_bar_warning(bars, &request, 3, text, sizeof text), "%s", text);
    free(bars);
}

Test(error_bars, the_file_says_the_same)
{
    static const char path[] = "test_facts_error_bar.json";
    struct error_bars *bars = learned(), *again = malloc(sizeof *again);
    struct rk_error error = {.text = ""};
    char *text = error_bars_text(bars);
    FILE *file = fopen(path, "w");
    cr_assert(text && file);
    fputs(text, file);
    fclose(file);
    cr_assert_eq(error_bars_load(path, again, &error), RK_OK, "%s", error.text);
    remove(path);
    cr_expect_eq(again->classes, bars->classes);
    cr_expect_eq(again->seens, bars->seens);
    const struct error_class *c = ask(again, "h100-sxm5-80g", 128, 0);
    cr_expect_str_eq(c->of, "Hopper, dense, megatron, 16 bits, 64 to 511 GPUs");
    NEAR(c->p90, 0.091);
    free(text);
    free(bars);
    free(again);
}

Test(error_bars, the_catalog_has_them)
{
    struct error_bars *bars = malloc(sizeof *bars);
    struct rk_error error = {.text = ""};
    cr_assert_eq(error_bars_load(RECKON_TEST_SOURCE "/data/measured/error_bars.json", bars, &error),
                 RK_OK, "%s", error.text);
    const struct error_class *c = ask(bars, "h100-sxm5-80g nvl8", 128, 0);
    cr_assert(c);
    cr_expect_geq(c->runs, ERROR_BAR_RUNS);
    cr_expect(c->p90 > 0 && c->p90 < 1);
    free(bars);
}

/* Peaks have classes of their own, by framework: ten of Megatron's, four of FSDP's that are too
 * few, static bytes that do not count. */
Test(error_bars, peaks_of_memory)
{
    struct results results = {0};
    struct rk_error error;
    struct error_bars *bars = malloc(sizeof *bars);
    add(&results, 10, "h100-sxm5-80g", 128, 0, -0.01);
    for (size_t i = 0; i < 10; i++)
        results.result[i].kind = i % 2 ? FIGURE_ALLOCATED : FIGURE_USED;
    add(&results, 14, "h100-sxm5-80g", 8, 0, 0.5);
    for (size_t i = 10; i < 24; i++) {
        results.result[i].kind = i < 14 ? FIGURE_RESERVED : FIGURE_STATIC;
        results.result[i].judgement.plan.framework = RK_FSDP;
    }
    cr_assert_eq(error_bars_learn(bars, &results, &error), RK_OK);
    struct rk_model model = {.sequence = 2048};
    struct rk_plan plan = rk_plan_default();
    const struct error_request request = {&model, "a100-sxm4-80g", &plan, 1e9};
    const struct error_class *c = error_bar_of_memory(bars, &request);
    cr_assert(c);
    cr_expect_str_eq(c->of, "peak memory, megatron, dense");
    cr_expect_eq(c->runs, 10);
    NEAR(c->signed_mean, -0.055);
    NEAR(c->p90, 0.091);
    plan.framework = RK_FSDP;
    c = error_bar_of_memory(bars, &request);
    cr_expect_str_eq(c->of, "peak memory");
    cr_expect_eq(c->runs, 14);
    cr_expect_null(error_bar_of(bars, &request), "no times were compared");
    free(results.result);
    free(bars);
}
