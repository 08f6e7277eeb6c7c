/* What runs of layers are worth: where two plans differ in one run and one choice, that is all of
 * the difference; with more, each row is a plan that can be said otherwise. */
#include "advise/layers.h"
#include "catalog_cases.h"
#include "plan/layers.h"

#include <reckon/catalog.h>
#include <reckon/predict.h>

static struct rk_model model;
static struct rk_system machine;
static struct rk_prediction p;
static struct layers_worths worths;
static unsigned seed = 161;

static int below(int n)
{
    return rand_r(&seed) % n;
}

static struct rk_plan plan_of(const char *words)
{
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(rk_plan_parse(words, &plan, &error), RK_OK, "%s", error.text);
    return plan_canonical(&model, &plan);
}

static double step_of(const struct rk_plan *plan)
{
    rk_predict(&model, &machine, plan, &p);
    cr_assert(p.timed, "%s", p.reason[0].what);
    return p.step_s;
}

static void load(void)
{
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &machine, &error), RK_OK);
    machine.kernels.attention_kernels = 0; /* any */
}

Test(layers_worth, one_run_is_all_of_it)
{
    static const char *const choices[] = {"recompute=full", "zero2", "zero3",
                                          "recompute=selective:layernorm"};
    load();
    const struct rk_plan a = plan_of("gpus16 gbs64 tp2 pp2 sp zero1 grad-overlap split=16*2");
    for (int round = 0; round < 40; round++) {
        char words[200];
        const int first = below(14), layers = 1 + below(14 - first), stage = below(2);
        snprintf(words, sizeof words,
                 "gpus16 gbs64 tp2 pp2 sp zero1 grad-overlap stages=%s%d~%d/%s~%d%s",
                 stage ? "16," : "", first + 1, layers, choices[below(4)], 15 - first - layers,
                 stage ? "" : ",16");
        const struct rk_plan b = plan_of(words);
        layers_worths(&model, &machine, &a, &b, &worths, &p);
        cr_assert_eq(worths.count, 1, "%s", words);
        const struct layers_worth *w = &worths.worth[0];
        cr_expect_eq((int)w->stage, stage);
        cr_expect_eq(w->first, (uint64_t)(16 * stage + first + 1), "%s", words);
        cr_expect_eq(w->layers, (uint64_t)layers);
        cr_expect_eq(w->alone.step_s, step_of(&b), "%s", words);
        cr_expect_eq(w->without.step_s, step_of(&a), "%s", words);
    }
    rk_system_release(&machine);
}

/* The nearest plan without runs against runs; degrees change together. */
Test(layers_worth, several_runs)
{
    load();
    const struct rk_plan a = plan_of("gpus16 gbs64 tp2 sp zero1 recompute=full"),
                         b = plan_of("gpus16 gbs64 tp2 sp zero1 stages="
                                     "10/recompute=full~12/tp4~10/zero3");
    layers_worths(&model, &machine, &a, &b, &worths, &p);
    cr_assert_eq(worths.count, 4);
    cr_expect_str_eq(worths.worth[0].change, "tensor 2 -> 4");
    cr_expect_eq(worths.worth[0].first, 10);
    cr_expect_str_eq(worths.worth[1].change, "recompute full -> none");
    cr_expect_str_eq(worths.worth[2].change, "zero 1 -> 3");
    cr_expect_eq(worths.worth[2].first, 22);
    const struct rk_plan same =
        plan_of("gpus16 gbs64 tp2 sp zero1 recompute=full stages=22~10/zero3");
    cr_expect_eq(worths.worth[2].alone.step_s, step_of(&same));
    /* none of it makes sense between pipelines of other lengths */
    const struct rk_plan other = plan_of("gpus16 gbs64 tp2 pp2 sp zero1 recompute=full");
    layers_worths(&model, &machine, &other, &b, &worths, &p);
    cr_expect_eq(worths.count, 0);
    rk_system_release(&machine);
}
