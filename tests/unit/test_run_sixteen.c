/* Plans of 16 bits, emulated: what changes no bit, and how near they are to those of 32. */
#include "run_cases.h"

enum { STEPS = 3 };

/* Without tensor and context parallelism within a layer, nothing is rounded elsewhere. */
static const struct {
    int model;
    const char *plan, *same;
} sixteen[] = {
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp4 dp1"},
    {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 dp1 schedule=zero-bubble"},
    {1, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 vpp2 dp1 recompute=full"},
    {1, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 recompute=selective"},
    {1, "mbs2 gbs16 dp1 attention=unfused",
     "mbs2 gbs16 dp1 attention=unfused recompute=selective offload-activations=1"},
    {3, "mbs2 gbs16 dp2 ep2",
     "mbs2 gbs16 dp2 ep2 recompute=selective recompute-parts=moe+shared_experts"},
    {2, "mbs2 gbs16 dp1", "mbs2 gbs16 dp1 offload-activations=1.5 offload-optimizer=0.5"},
    {0, "mbs4 gbs16 tp2 dp1 recompute=full",
     "mbs4 gbs16 tp2 dp1 recompute=full checkpoint-sharded offload-activations=1"},
    {3, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 dp1 recompute=full"},
    {4, "mbs2 gbs16 dp4", "mbs2 gbs16 dp4 zero1 grad-overlap weight-overlap"},
    {5, "mbs2 gbs16 dp4 zero2", "mbs2 gbs16 dp4 zero3 grad-overlap weight-overlap"},
    {1, "mbs2 gbs16 dp4", "mbs2 gbs16 dp4 zero1 offload-optimizer=1"},
    {1, "mbs2 gbs16 dp2", "mbs2 gbs16 dp2 zero1 offload-weights=0.5+1.5 offload-optimizer=1"},
    {0, "mbs2 gbs16 dp2 zero2", "mbs2 gbs16 pp2 dp2 zero3 offload-weights=1"},
    {6, "mbs2 gbs16 dp2 tp2 sp zero2", "mbs2 gbs16 pp2 dp2 tp2 sp zero3"},
};

Test(run_sixteen, sixteen_bits)
{
    struct rk_train train = run_settings(STEPS);
    train.double_precision = false;
    for (size_t i = 0; i < sizeof sixteen / sizeof *sixteen; i++)
        for (int p = 0; p < 2; p++) {
            if (run_left_out(i, p)) continue;
            char plan[128], same[128];
            const char *precision = p ? "precision=fp16" : "precision=bf16";
            snprintf(plan, sizeof plan, "%s %s", sixteen[i].plan, precision);
            snprintf(same, sizeof same, "%s %s", sixteen[i].same, precision);
            same_bits(sixteen[i].model, plan, &train, same, &train);
        }
    unlink(run_data());
}

/* bf16 has steps of 2^-8, fp16 of 2^-11: a few steps of training stay within a fraction of one of
 * those of 32 bits, under any plan, and are others. */
Test(run_sixteen, sixteen_near)
{
    static const char *const plans[] = {"mbs2 gbs8 dp1", "mbs1 gbs8 tp2 sp pp2 dp2 zero3",
                                        "mbs1 gbs8 tp2 dp2 cp2 zero1 grad-overlap"};
    static const struct {
        const char *word;
        double loss, norm;
    } precisions[] = {{"bf16", 1e-3, 0.03}, {"fp16", 1e-4, 0.01}};
    struct rk_train train = run_settings(8);
    struct run_trace a, b;
    struct rk_error error;
    train.double_precision = false;
    train.rate = train.least_rate = 3e-4;
    static const int models[] = {0, 4, 8, 9, 13};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct rk_model model = run_model(models[i]);
        cr_assert_eq(run_plan(&model, "mbs2 gbs8", &train, &a, &error), RK_OK);
        for (size_t p = 0; p < 2 * sizeof plans / sizeof *plans; p++) {
            char line[128];
            snprintf(line, sizeof line, "%s precision=%s", plans[p / 2], precisions[p % 2].word);
            cr_assert_eq(run_plan(&model, line, &train, &b, &error), RK_OK, "%s", error.text);
            cr_expect(b.loss[0] != a.loss[0]);
            for (int s = 0; s < 8; s++)
                cr_expect(off(b.loss[s], a.loss[s]) < precisions[p % 2].loss &&
                              off(b.norm[s], a.norm[s]) < precisions[p % 2].norm,
                          "%s %s, step %d: %.9g for %.9g, norm %.9g for %.9g", model.id, line, s,
                          b.loss[s], a.loss[s], b.norm[s], a.norm[s]);
        }
    }
    unlink(run_data());
}

/* By token other rows are multiplied together, so that sums may be rounded otherwise: once in a
 * while, and by one step. */
Test(run_sixteen, sixteen_by_token)
{
    static const struct {
        int model;
        const char *plan, *rest;
    } rows[] = {
        {0, "mbs4 gbs16 dp1", "recompute-rest"},
        {1, "mbs4 gbs16 tp2 sp dp1", "recompute-rest offload-activations=0.3+1.3"},
        {3, "mbs4 gbs16 dp2 ep2", "recompute-rest offload-activations=0.5"},
        {4, "mbs4 gbs16 tp2 dp1", "recompute-rest offload-activations=1.4"},
        {6, "mbs4 gbs16 dp1", "recompute-rest offload-activations=0.5"},
    };
    static const char *const precisions[] = {"bf16", "fp16"};
    struct rk_train train = run_settings(STEPS);
    struct run_trace a, b;
    struct rk_error error;
    train.double_precision = false;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        if (run_left_out(i / 2, i % 2)) continue;
        const struct rk_model model = run_model(rows[i / 2].model);
        char plan[128], rest[192];
        snprintf(plan, sizeof plan, "%s precision=%s", rows[i / 2].plan, precisions[i % 2]);
        snprintf(rest, sizeof rest, "%s %s", plan, rows[i / 2].rest);
        cr_assert_eq(run_plan(&model, plan, &train, &a, &error), RK_OK, "%s", error.text);
        cr_assert_eq(run_plan(&model, rest, &train, &b, &error), RK_OK, "%s", error.text);
        cr_expect(a.loss[0] == b.loss[0]);
        for (int s = 0; s < STEPS; s++)
            cr_expect(off(b.loss[s], a.loss[s]) < 1e-5 && off(b.norm[s], a.norm[s]) < 1e-4,
                      "%s %s, step %d: %.9g for %.9g, norm %.9g for %.9g", model.id, rest, s,
                      b.loss[s], a.loss[s], b.norm[s], a.norm[s]);
    }
    unlink(run_data());
}
