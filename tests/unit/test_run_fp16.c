/* fp16, emulated: its numbers, and the scale of its loss. */
#include "run/real/sixteen.h"
#include "run_cases.h"

/* ---- its numbers ---- */

static double value_of(unsigned half)
{
    const int exponent = (int)(half >> 10 & 31), fraction = (int)(half & 1023);
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -size : size;
}

Test(run_fp16, numbers)
{
    for (unsigned half = 0; half < 0x10000; half++) {
        const float x = of_fp16((uint16_t)half);
        if ((half & 0x7c00) == 0x7c00) {
            cr_expect(half & 1023 ? isnan(x) : isinf(x) && !!signbit(x) == !!(half & 0x8000));
            continue;
        }
        cr_expect((double)x == value_of(half), "%04x: %a", half, x);
        cr_expect_eq(fp16_of(x), half);
    }
    /* between two neighbours: to the nearer one, from the middle to the even one */
    for (unsigned half = 0; half < 0x7bff; half++) {
        const double low = value_of(half), high = value_of(half + 1), middle = (low + high) / 2;
        const uint16_t even = (uint16_t)(half + half % 2);
        cr_expect_eq(fp16_of((float)middle), even, "%a", middle);
        cr_expect_eq(fp16_of(nextafterf((float)middle, 0)), half, "%a", middle);
        cr_expect_eq(fp16_of(-nextafterf((float)middle, 1e9f)), 0x8000 | (half + 1), "%a", middle);
    }
    cr_expect_eq(fp16_of(65519.996f), 0x7bff);
    cr_expect_eq(fp16_of(65520), 0x7c00);
    cr_expect_eq(fp16_of(-1e30f), 0xfc00);
    cr_expect_eq(fp16_of(INFINITY), 0x7c00);
    cr_expect_eq(fp16_of(0x1p-25f), 0);
    cr_expect_eq(fp16_of(0x1.000002p-25f), 1);
    cr_expect(isnan(of_fp16(fp16_of(NAN))));
}

/* ---- the scale of the loss ---- */

/* Too high a scale: steps are skipped, by all ranks, until it is low enough. Until then no weight
 * moves: losses are those of a run whose rate is next to nothing. */
Test(run_fp16, overflow)
{
    static const char *const plans[] = {
        "mbs2 gbs8 dp1 precision=fp16", "mbs1 gbs8 tp2 sp pp2 dp2 zero1 precision=fp16",
        "mbs1 gbs8 pp2 dp2 cp2 zero3 weight-overlap grad-overlap precision=fp16",
        "mbs2 gbs8 dp1 offload-optimizer=1 offload-activations=2 precision=fp16"};
    struct rk_train train = run_settings(12), still = run_settings(12);
    train.double_precision = still.double_precision = false;
    train.loss_scale = 0x1p40;
    train.scale_backoff = 0.125;
    train.scale_interval = 3;
    still.rate = still.least_rate = 1e-30;
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        const struct rk_model model = run_model(1);
        struct run_trace trace, same;
        struct rk_train_result result;
        struct rk_error error;
        cr_assert_eq(run_plan_result(&model, plans[p], &train, &trace, &result, &error), RK_OK,
                     "%s: %s", plans[p], error.text);
        cr_assert_eq(run_plan(&model, plans[p], &still, &same, &error), RK_OK);
        int first = 0;
        while (first < trace.steps && trace.skipped[first])
            first++;
        cr_assert(first >= 4 && first < 9, "%s: %d skipped", plans[p], first);
        double scale = 0x1p40;
        uint64_t skipped = 0;
        for (int i = 0, good = 0; i < trace.steps; i++) {
            cr_expect(trace.scale[i] == scale, "%s: %g, not %g", plans[p], trace.scale[i], scale);
            skipped += trace.skipped[i];
            good = trace.skipped[i] ? 0 : good + 1;
            if (trace.skipped[i]) scale *= 0.125;
            if (good == 3) scale *= 2;
            if (good == 3) good = 0;
            if (i <= first)
                cr_expect(trace.loss[i] == same.loss[i], "%s, step %d: %.9g for %.9g", plans[p], i,
                          trace.loss[i], same.loss[i]);
        }
        cr_expect(trace.loss[first + 1] != same.loss[first + 1]);
        cr_expect_eq(result.skipped, skipped);
    }
    unlink(run_data());
}

/* Wrong settings; and a run that no scale helps. */
Test(run_fp16, scale_ends)
{
    const struct rk_model model = run_model(0);
    struct rk_train train = run_settings(3);
    struct run_trace trace;
    struct rk_error error;
    train.double_precision = false;
    train.loss_scale = 0.5;
    cr_expect_eq(run_plan(&model, "mbs2 gbs4 precision=fp16", &train, &trace, &error),
                 RK_BAD_ARGUMENT);
    cr_expect(strstr(error.text, "loss scale"), "%s", error.text);
    train = run_settings(40); /* weights that are no numbers any more: the scale comes down to 1 */
    train.double_precision = false;
    train.rate = train.least_rate = 1;
    train.clip = 0;
    train.decay = 0;
    cr_expect_eq(run_plan(&model, "mbs2 gbs4 precision=fp16", &train, &trace, &error),
                 RK_CHECK_FAILED);
    cr_expect(strstr(error.text, "step "), "%s", error.text);
    unlink(run_data());
}

static void remove_runs(const char *folder)
{
    static const char *const names[] = {"model.safetensors", "moments.safetensors", "train.json",
                                        ""};
    static const int steps[] = {7, 10};
    char path[128];
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < 4; n++) {
            snprintf(path, sizeof path, "%s/step-%08d/%s", folder, steps[s], names[n]);
            cr_expect_eq(remove(path), 0, "%s", path);
        }
    cr_expect_eq(rmdir(folder), 0);
}

/* A run that stops goes on with the same bits, scale and skipped steps, under another plan. */
Test(run_fp16, goes_on)
{
    static const char plan[] = "mbs2 gbs8 dp1 precision=fp16",
                      other[] = "mbs2 gbs8 pp2 dp1 recompute=full precision=fp16";
    const struct rk_model model = run_model(1);
    struct rk_train train = run_settings(10);
    struct run_trace whole, rest = {.steps = 0};
    struct rk_train_result result;
    struct rk_error error;
    struct rk_system system;
    struct rk_plan parsed;
    char folder[] = P_tmpdir "/reckon-fp16-XXXXXX", middle[64];
    train.double_precision = false;
    train.loss_scale = 0x1p34;
    train.scale_backoff = 0.125;
    train.scale_interval = 3;
    cr_assert(mkdtemp(folder));
    cr_assert_eq(run_plan(&model, plan, &train, &whole, &error), RK_OK, "%s", error.text);
    cr_assert(whole.skipped[0] && !(whole.skipped[7] && whole.skipped[8]));
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    struct rk_train_run run = {.data = run_data(),
                               .system = &system,
                               .save = folder,
                               .save_every = 7,
                               .step = run_note,
                               .context = &rest};
    cr_assert_eq(rk_plan_parse(plan, &parsed, &error), RK_OK);
    cr_assert_eq(rk_train_threads(&model, &parsed, &train, &run, &result, &error), RK_OK);
    snprintf(middle, sizeof middle, "%s/step-00000007", folder);
    rest.steps = 0;
    run.save = NULL;
    run.load = middle;
    cr_assert_eq(rk_plan_parse(other, &parsed, &error), RK_OK);
    cr_assert_eq(rk_train_threads(&model, &parsed, &train, &run, &result, &error), RK_OK, "%s",
                 error.text);
    cr_assert_eq(rest.steps, 3);
    for (int i = 0; i < 3; i++)
        cr_expect(rest.loss[i] == whole.loss[7 + i] && rest.norm[i] == whole.norm[7 + i] &&
                      rest.scale[i] == whole.scale[7 + i],
                  "step %d: %.9g for %.9g, scale %g for %g", 7 + i, rest.loss[i], whole.loss[7 + i],
                  rest.scale[i], whole.scale[7 + i]);
    remove_runs(folder);
    rk_system_release(&system);
    unlink(run_data());
}
