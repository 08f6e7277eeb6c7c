/* Offloading changes no bit; what is counted is what the plan says; drives that fail end the run.
 */
#include "run_cases.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

/* ---- bits ---- */

static const struct exact {
    int model;
    const char *plan, *more; /* the same with that */
} exact[] = {
    {0, "mbs2 gbs4 dp1", "offload-activations=1"},
    {0, "mbs2 gbs4 dp1", "offload-activations=2"},
    {0, "mbs2 gbs8 pp2 dp1 schedule=dualpipe", "offload-activations=1 offload-weights=0.5"},
    {1, "mbs2 gbs8 pp2 dp1", "offload-activations=0.3+1.5"},
    {1, "mbs2 gbs8 pp2 dp1 schedule=zero-bubble", "offload-activations=2 offload-weights=1"},
    {1, "mbs2 gbs8 dp2 tp2 zero1", "offload-optimizer=0.5 offload-weights=0.7"},
    {2, "mbs2 gbs4 dp1 recompute=full", "offload-activations=1"},
    {2, "mbs2 gbs4 dp1 recompute=selective", "offload-activations=2"},
    {3, "mbs2 gbs8 dp2 ep2", "offload-activations=2 offload-optimizer=1"},
    {4, "mbs2 gbs8 dp2 ep2 zero2", "offload-activations=0.5 offload-weights=1"},
    {5, "mbs2 gbs4 cp2 dp1", "offload-activations=1 offload-optimizer=1"},
    {0, "mbs2 gbs8 pp2 dp2 zero3", "offload-weights=1 offload-optimizer=1"},
    {0, "mbs4 gbs8 tp2 pp2 dp1 recompute=full checkpoint-sharded", "offload-activations=1"},
    {1, "mbs4 gbs8 tp4 dp1 recompute=full recompute-every2 checkpoint-sharded",
     "offload-activations=0.5+1.5"},
    {1, "mbs2 gbs8 dp2 zero1", "offload-optimizer=0.5+1.25 offload-weights=0.3+1.4"},
    {4, "mbs2 gbs8 pp2 dp2 zero3", "offload-optimizer=2 offload-weights=2"},
};

static struct rk_train_result offload_run(const struct rk_model *model, const char *words,
                                          const struct rk_train *train, struct run_trace *trace)
{
    struct rk_train_result result;
    struct rk_error error;
    cr_assert_eq(run_plan_result(model, words, train, trace, &result, &error), RK_OK, "%s %s: %s",
                 model->id, words, error.text);
    return result;
}

Test(run_offload, bits)
{
    struct rk_train train = run_settings(3); /* the first is watched, the others are placed */
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        const struct rk_model model = run_model(exact[i].model);
        struct run_trace here, away;
        char words[256];
        snprintf(words, sizeof words, "%s %s", exact[i].plan, exact[i].more);
        offload_run(&model, exact[i].plan, &train, &here);
        offload_run(&model, words, &train, &away);
        for (int s = 0; s < here.steps; s++)
            cr_expect(here.loss[s] == away.loss[s] && here.norm[s] == away.norm[s],
                      "%s %s, step %d: %.17g for %.17g", model.id, words, s, away.norm[s],
                      here.norm[s]);
    }
    unlink(run_data());
}

/* ---- bytes ---- */

/* Eight layers, so that those which stay in between count little. */
static struct rk_model deep(void)
{
    struct rk_model model = run_model(1);
    model.layers = 8;
    return model;
}

Test(run_offload, shares)
{
    const struct rk_model model = deep();
    const struct rk_train train = run_settings(3);
    struct run_trace trace;
    const struct rk_train_result kept = offload_run(&model, "mbs4 gbs4 dp1", &train, &trace);
    const struct rk_train_result all =
        offload_run(&model, "mbs4 gbs4 dp1 offload-activations=2", &train, &trace);
    const struct rk_train_result some =
        offload_run(&model, "mbs4 gbs4 dp1 offload-activations=0.5+1.25", &train, &trace);
    const double bytes = all.tier[1].activation_bytes;
    cr_expect(all.tier[0].activation_bytes == 0 && bytes > 0);
    /* in (rows, hidden) of 8 bytes: the stream twice, both norms; queries, keys and values 2, the
     * output of attention 64/48, the MLP 3 x 64/48: a tensor of the last 128 x 128 may go elsewhere
     */
    const double largest = 128.0 * 128 * 8;
    cr_expect(fabs(some.tier[0].activation_bytes - 0.5 * bytes) <= largest, "%g of %g",
              some.tier[0].activation_bytes, bytes);
    cr_expect(fabs(some.tier[1].activation_bytes - 0.25 * bytes) <= largest, "%g of %g",
              some.tier[1].activation_bytes, bytes);
    /* all that is dealt is written and read once, but what comes back too soon to have gone */
    cr_expect_eq(all.tier[1].written_bytes, bytes - all.tier[1].handed_bytes);
    cr_expect_eq(all.tier[1].read_bytes, all.tier[1].written_bytes);
    cr_expect(all.tier[1].handed_bytes > 0 && all.tier[1].handed_bytes < 0.2 * bytes);
    /* two layers of eight are here at once, and what one works with */
    cr_expect(all.peak_bytes < 0.6 * kept.peak_bytes, "%g for %g", (double)all.peak_bytes,
              (double)kept.peak_bytes);
    cr_expect(all.placed_bytes < 1.03 * all.live_bytes && all.live_bytes == all.peak_bytes);
    unlink(run_data());
}

/* Of a buffer of n elements a share of it goes, less than a page off. */
Test(run_offload, state)
{
    const struct rk_model model = deep();
    const struct rk_train train = run_settings(2);
    struct run_trace trace;
    const struct rk_train_result all =
        offload_run(&model, "mbs2 gbs4 dp1 offload-optimizer=1 offload-weights=1", &train, &trace);
    const struct rk_train_result half = offload_run(
        &model, "mbs2 gbs4 dp1 offload-optimizer=0.5 offload-weights=0.5", &train, &trace);
    const double groups = 11, page = 4096;
    cr_expect(all.tier[0].weight_bytes > all.weights_bytes - groups * page);
    cr_expect_eq(all.tier[0].optimizer_bytes, 2 * all.tier[0].weight_bytes);
    cr_expect(fabs(half.tier[0].weight_bytes - 0.5 * all.tier[0].weight_bytes) <= groups * page);
    /* moments once each way in a step; weights in for forward, backward and the optimizer */
    const double moved = all.tier[0].optimizer_bytes + all.tier[0].weight_bytes;
    cr_expect_eq(all.tier[0].written_bytes, moved);
    cr_expect(all.tier[0].read_bytes > moved + all.tier[0].weight_bytes);
    unlink(run_data());
}

/* ---- what cannot be ---- */

Test(run_offload, refused)
{
    const struct rk_model model = run_model(0);
    const struct rk_train train = run_settings(1);
    struct run_trace trace;
    struct rk_train_result result;
    struct rk_error error;
    run_drives = NULL;
    cr_expect_eq(
        run_plan_result(&model, "gbs2 offload-activations=2", &train, &trace, &result, &error),
        RK_BAD_ARGUMENT);
    cr_expect(strstr(error.text, "`drives` FOLDER"), "%s", error.text);
    run_drives = "/nonexistent";
    cr_expect_eq(
        run_plan_result(&model, "gbs2 offload-activations=2", &train, &trace, &result, &error),
        RK_IO);
    cr_expect(strstr(error.path, "/nonexistent") && trace.steps == 0, "%s", error.text);
    unlink(run_data());
}

/* ---- the amount that hides ---- */

Test(run_offload, adaptive)
{
    const struct rk_model model = deep();
    struct rk_train train = run_settings(5); /* watched, profiled, watched again, placed twice */
    struct run_trace always, adapted;
    const struct rk_train_result all =
        offload_run(&model, "mbs4 gbs4 dp1 offload-activations=1", &train, &always);
    train.adaptive = true;
    const struct rk_train_result some =
        offload_run(&model, "mbs4 gbs4 dp1 offload-activations=1", &train, &adapted);
    cr_expect(some.tier[0].written_bytes <= all.tier[0].written_bytes);
    cr_expect_eq(some.tier[0].written_bytes, some.tier[0].read_bytes);
    for (int s = 0; s < always.steps; s++)
        cr_expect(always.loss[s] == adapted.loss[s] && always.norm[s] == adapted.norm[s]);
    unlink(run_data());
}

/* ---- drives that are full ---- */

Test(run_offload, full)
{
    const struct rk_model model = run_model(0);
    const struct rk_train train = run_settings(2);
    const struct rlimit little = {64 << 10, 64 << 10};
    struct run_trace trace;
    struct rk_train_result result;
    struct rk_error error;
    run_data();
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    const enum rk_status status = run_plan_result(&model, "mbs2 gbs8 dp2 offload-activations=2",
                                                  &train, &trace, &result, &error);
    cr_expect_eq(status, RK_IO);
    cr_expect(strstr(error.text, "no room for another") && strcmp(error.path, P_tmpdir) == 0,
              "%s: %s", error.path, error.text);
    cr_expect_eq(trace.steps, 0);
    unlink(run_data());
}
