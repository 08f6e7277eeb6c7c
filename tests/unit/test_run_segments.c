/* Layers of a plan that lie differently on its ranks bring what one rank brings; run_plans/random
 * draws some more. */
#include "run_random.h"

Test(run_segments, random)
{
    enum { PLANS = 6 };
    const struct rk_train train = run_settings(RUN_STEPS);
    int ran = 0;
    for (uint64_t n = 1; n <= PLANS; n++) {
        char line[512], label[32];
        run_random_state = n * 7919;
        const struct rk_model model = run_model((int)below(3));
        run_random_layers(&model, line, sizeof line);
        snprintf(label, sizeof label, "seed %d", (int)n);
        ran += run_equals_one_rank(&model, line, &train, label);
    }
    cr_expect(2 * ran >= PLANS, "%d of %d plans ran", ran, PLANS);
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
    const struct rk_train train = run_settings(RUN_STEPS);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        const struct rk_model model = run_model(each[i].model);
        cr_expect(run_equals_one_rank(&model, each[i].plan, &train, "each"), "%s is not allowed",
                  each[i].plan);
    }
    unlink(run_data());
}
