/* Layers of a plan that lie differently on its ranks bring what one rank brings. */
#include "run_cases.h"

#include <math.h>

enum { STEPS = 3 };

/* False: the checker allows it not. */
static bool expect_one_rank(const struct rk_model *model, const char *words)
{
    const struct rk_train train = run_settings(STEPS);
    struct run_trace many, one;
    struct rk_error error;
    struct rk_plan plan;
    char alone[64];
    const enum rk_status status = run_plan(model, words, &train, &many, &error);
    if (getenv("RECKON_SHOW"))
        fprintf(stderr, "%s %s: %s\n", model->id, words, status == RK_OK ? "ran" : error.text);
    if (status == RK_NOTHING_FITS && !many.steps) return false;
    cr_assert_eq(status, RK_OK, "%s %s: %s", model->id, words, error.text);
    cr_assert_eq(rk_plan_parse(words, &plan, &error), RK_OK);
    snprintf(alone, sizeof alone, "mbs1 gbs%d", (int)plan.batch);
    cr_assert_eq(run_plan(model, alone, &train, &one, &error), RK_OK, "%s", error.text);
    for (int i = 0; i < STEPS; i++)
        cr_expect(off(many.loss[i], one.loss[i]) < 1e-11 && off(many.norm[i], one.norm[i]) < 1e-11,
                  "%s %s, step %d: loss %.17g for %.17g, norm %.17g for %.17g", model->id, words, i,
                  many.loss[i], one.loss[i], many.norm[i], one.norm[i]);
    return true;
}

/* ---- random runs of layers ---- */

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* The plan's own layers are whole on each of four data ranks, so that any others are possible. */
static void random_words(char *line, size_t size)
{
    static const char *const layouts[] = {
        "",         "/tp2",   "/tp2/sp", "/tp4",   "/cp2",       "/cp4/cp-kind=gather",
        "/tp2/cp2", "/zero1", "/zero2",  "/zero3", "/tp2/zero3", "/cp2/cp-kind=ulysses"};
    static const char *const memory[] = {"",
                                         "",
                                         "/recompute=full",
                                         "/recompute=selective",
                                         "/offload-activations=1",
                                         "/offload-optimizer=1"};
    const unsigned stages = 1 + below(2);
    size_t at = (size_t)snprintf(line, size, "pp%u dp4 mbs1 gbs%u stages=", stages, 8 * stages);
    for (unsigned s = 0; s < stages; s++)
        for (unsigned left = 4 / stages; left > 0;) {
            const unsigned layers = 1 + below(left);
            at += (size_t)snprintf(line + at, size - at, "%u%s%s", layers, layouts[below(12)],
                                   memory[below(6)]);
            left -= layers;
            if (left || s + 1 < stages)
                at += (size_t)snprintf(line + at, size - at, left ? "~" : ",");
        }
}

Test(run_segments, random)
{
    const char *seed = getenv("RECKON_SEED"), *plans = getenv("RECKON_PLANS");
    const uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    const uint64_t count = plans ? strtoull(plans, NULL, 10) : 6;
    int ran = 0;
    for (uint64_t n = first; n < first + count; n++) {
        char line[512];
        state = n * 7919;
        const struct rk_model model = run_model((int)below(3));
        random_words(line, sizeof line);
        ran += expect_one_rank(&model, line);
    }
    cr_expect(2 * ran >= (int)count, "%d of %d plans ran", ran, (int)count);
    unlink(run_data());
}

Test(run_segments, each)
{
    static const struct {
        int model;
        const char *plan;
    } each[] = {
        {0, "dp2 mbs1 gbs8 stages=2/tp2~2"},
        {0, "dp4 mbs1 gbs8 stages=1/tp2~1/tp4/sp~2"},
        {1, "tp2 dp2 mbs1 gbs8 stages=2/cp2/tp1~2/tp2/cp2/cp-kind=gather"},
        {2, "dp4 zero1 mbs1 gbs8 stages=1~2/cp2/cp-kind=ulysses/zero3~1/zero2"},
        {1, "dp4 mbs2 gbs16 stages=2/recompute=full/zero3~2/tp2/sp"},
        {3, "dp4 ep2 mbs1 gbs8 stages=2/tp2/ep2/etp1~2"},
        {4, "tp4 sp mbs4 gbs8 stages=1~3/tp1"},
        {5, "dp2 mbs1 gbs4 stages=2/cp2~2/tp2/offload-activations=1"},
        {1, "dp4 mbs1 gbs8 stages=3/cp2/cp-kind=ulysses/recompute=selective~1"},
        /* in stages */
        {1, "pp2 dp2 mbs1 gbs8 stages=1~1/tp2,1/tp2~1"},
        {0, "pp2 dp2 mbs1 gbs8 stages=2,2/tp2/sp"},
        {2, "pp2 dp2 tp2 mbs2 gbs16 schedule=zero-bubble stages=2/cp2,2/tp1/recompute=full"},
        {3, "pp4 dp2 zero1 mbs1 gbs16 stages=1,1/tp2,1,1/cp2"},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        const struct rk_model model = run_model(each[i].model);
        cr_expect(expect_one_rank(&model, each[i].plan), "%s is not allowed", each[i].plan);
    }
    unlink(run_data());
}
