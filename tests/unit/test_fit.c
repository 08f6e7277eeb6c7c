/* Constants fitted to runs: those that made the runs come back. */
#include "facts/judge.h"
#include "study/fit.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <stdlib.h>
#include <string.h>

static bool any(const struct fact *fact, const void *context)
{
    (void)context;
    return fact->figures > 0;
}

/* Steps of GPT models of several widths on eight A100, timed by the prediction itself with
 * `sustained`, on facts that say 0.7. */
static struct facts made(double sustained)
{
    struct facts facts = {.fact = calloc(6, sizeof *facts.fact)};
    for (int i = 0; i < 6; i++) {
        struct fact *f = &facts.fact[facts.count++];
        struct rk_error error;
        struct judgement j;
        cr_assert_eq(rk_model_load("gpt3-13b", &f->model, &error), RK_OK);
        cr_assert_eq(rk_system_load("a100-sxm4-80g", &f->system, &error), RK_OK);
        f->model.layers = (uint64_t)(2 * i + 2);
        f->plan = rk_plan_default();
        f->plan.attention = RK_FLASH;
        f->plan.ranks = 8;
        f->plan.tensor = 2;
        f->plan.batch = 16;
        f->plan.sequence = 2048;
        f->lone_batch = 16;
        f->flop_ratio = 1;
        f->system.kernels.sustained = sustained;
        judge(f, &j);
        cr_assert(j.timed);
        f->figure[0] = (struct figure){"iter_time_s", FIGURE_STEP, FORM_SECONDS, j.step_s, 1};
        f->figures = 1;
        f->system.kernels.sustained = 0.7;
    }
    return facts;
}

Test(fit, finds_the_constant_that_made_the_runs)
{
    struct facts facts = made(0.9);
    struct fit fit = {.constants = 1, .constant = {{.key = "sustained"}}};
    struct rk_error error = {.text = ""};
    cr_assert_eq(fit_runs(&facts, any, NULL, &fit, &error), RK_OK, "%s", error.text);
    cr_expect_eq(fit.runs, 6);
    cr_expect(fabs(fit.constant[0].before - 0.7) < 1e-12);
    cr_expect(fabs(fit.constant[0].after - 0.9) < 0.005, "%g", fit.constant[0].after);
    cr_expect(fit.before > 0.1 && fit.after < 0.005, "%g, %g", fit.before, fit.after);
    facts_release(&facts);
}

Test(fit, refuses_unknown_constants_and_too_few_runs)
{
    struct facts facts = made(0.9);
    struct rk_error error = {.text = ""};
    struct fit fit = {.constants = 1, .constant = {{.key = "sustaned"}}};
    cr_expect_eq(fit_runs(&facts, any, NULL, &fit, &error), RK_BAD_ARGUMENT);
    cr_expect(strstr(error.text, "did you mean sustained"), "%s", error.text);
    fit = (struct fit){.constants = 4,
                       .constant = {{.key = "sustained"},
                                    {.key = "tile_efficiency"},
                                    {.key = "memory_efficiency"},
                                    {.key = "kernel_us"}}};
    cr_expect_eq(fit_runs(&facts, any, NULL, &fit, &error), RK_BAD_ARGUMENT);
    cr_expect(strstr(error.text, "6 runs with a time are too few to fit 4"), "%s", error.text);
    facts_release(&facts);
}

/* Units: kernel_us is in microseconds, the struct in seconds. */
Test(fit, sets_a_constant_in_the_unit_of_its_key)
{
    struct facts facts = made(0.9);
    struct rk_error error;
    cr_assert_eq(fit_set(&facts, any, NULL, "kernel_us", 3, &error), RK_OK);
    cr_expect(fabs(facts.fact[5].system.kernels.kernel_s - 3e-6) < 1e-18);
    facts_release(&facts);
}
