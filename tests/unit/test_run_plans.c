/* Every plan brings what one rank brings (run_random.h). */
#include "run_random.h"

#include <math.h>

enum { PLANS = 10, STEPS = RUN_STEPS };

static const double BALANCE = 0.05; /* of mixtures */

/* The same batch on one rank. */
static void one_rank(const struct rk_model *model, const char *line, struct run_trace *trace)
{
    struct rk_train train = run_settings(STEPS);
    struct rk_error error;
    struct rk_plan plan;
    char words[64];
    train.balance = BALANCE;
    cr_assert_eq(rk_plan_parse(line, &plan, &error), RK_OK);
    snprintf(words, sizeof words, "mbs1 gbs%d capacity=%g", (int)plan.batch, plan.capacity_factor);
    cr_assert_eq(run_plan(model, words, &train, trace, &error), RK_OK, "%s: %s", words, error.text);
}

Test(run_plans, random)
{
    run_random(PLANS);
    unlink(run_data());
}

/* One of each that random plans may miss. */
Test(run_plans, each)
{
    static const struct {
        int model;
        const char *plan;
    } each[] = {
        {1, "tp4 dp1 mbs1 gbs4"},           /* keys that ranks share */
        {1, "tp8 sp dp1 mbs1 gbs2 zero3"},  /* ... */
        {0, "tp4 pp2 dp2 mbs1 gbs8 zero1"}, /* a tied table on two stages */
        {0, "pp4 dp2 mbs1 gbs16 schedule=dualpipe"},
        {2, "cp4 tp2 dp1 mbs1 gbs2 cp-contiguous"},
        {3, "tp4 dp1 mbs1 gbs4 ep2 etp2"},
        {4, "tp2 sp dp2 mbs1 gbs4 ep4 etp1 zero2"},
        {5, "tp2 sp pp2 dp1 mbs1 gbs4 schedule=zero-bubble"},
        /* tokens that go to experts whole, and to all ranks or to those that have one of them */
        {3, "dp4 mbs1 gbs8 ep4 dispatcher=deepep"},
        {4, "tp2 sp dp2 mbs1 gbs4 ep2 etp2 dispatcher=deepep recompute=full"},
        {7, "tp2 dp2 mbs1 gbs4 ep2 etp2 dispatcher=allgather zero1"},
        {8, "tp2 sp pp2 dp2 mbs1 gbs8 ep4 etp1 dispatcher=allgather offload-activations=1"},
        /* an expert's room, and the loads of a step, whoever has the tokens */
        {3, "tp2 cp2 dp2 mbs1 gbs4 ep2 capacity=1 zero2"},
        {7, "tp2 sp cp2 dp2 mbs2 gbs8 ep4 etp1 capacity=0.6 cp-contiguous zero1"},
        {7, "pp2 cp4 cp-kind=ulysses mbs1 gbs4 dp1 ep2 dispatcher=deepep capacity=1.3"},
        {7, "pp2 dp2 mbs1 gbs16 schedule=dualpipe ep2 grad-overlap"},
        /* ranks whose experts get no token */
        {15, "cp4 dp1 mbs1 gbs2 cp-kind=gather cp-contiguous zero3 capacity=0.3"},
        /* prediction layers, whose table two stages have */
        {14, "tp2 sp pp2 dp1 mbs1 gbs4 schedule=zero-bubble zero2 recompute=full"},
        {15, "pp2 dp2 mbs1 gbs16 schedule=dualpipe ep2 grad-overlap"},
        /* norms after halves that run again up to them, or with them */
        {11, "tp2 sp dp1 mbs1 gbs4 recompute=selective recompute-parts=mlp"},
        {11, "pp2 dp1 mbs1 gbs4 recompute=selective recompute-parts=mlp+layernorm"},
        {12, "cp2 dp1 mbs1 gbs4 recompute=full"},
        {13, "tp2 sp dp2 mbs1 gbs4 ep4 etp1 zero2"},
        /* by token, of all kinds of slots */
        {0, "pp2 dp2 mbs2 gbs8 recompute-rest"},
        {1, "tp2 sp dp1 mbs4 gbs8 recompute-rest offload-activations=0.4"},
        {1, "tp2 sp tp-overlap dp1 mbs4 gbs8 recompute-rest offload-activations=0.4"},
        {2, "cp2 dp1 mbs4 gbs8 recompute-rest offload-activations=0.3+1.3"},
        {1, "cp2 cp-kind=ulysses dp1 mbs4 gbs8 recompute-rest offload-activations=0.5"},
        {2, "cp2 cp-kind=gather dp1 mbs4 gbs8 recompute-rest offload-activations=1"},
        {5, "tp2 sp dp1 mbs4 gbs8 recompute-rest offload-activations=0.5"},
        {6, "dp1 mbs4 gbs8 recompute-rest offload-activations=2"},
        /* pairs that no query may see, of windows and of rings */
        {0, "dp1 mbs2 gbs4 full-attention"},
        {2, "cp4 dp1 mbs1 gbs2 full-attention"},
        /* scores in memory */
        {0, "tp2 dp2 mbs2 gbs8 attention=unfused"},
        {2, "cp4 cp-kind=gather dp1 mbs2 gbs4 attention=unfused recompute=selective"},
        {1, "cp2 cp-kind=ulysses tp2 sp dp1 mbs2 gbs4 attention=unfused offload-activations=1"},
        {5, "tp2 cp2 cp-kind=ulysses dp1 mbs2 gbs4 attention=unfused recompute=selective"},
        {5, "tp2 cp2 cp-kind=gather dp1 mbs1 gbs2 full-attention recompute=selective"},
        /* ... and of mixtures, whose routes are known */
        {3, "dp1 mbs4 gbs8 recompute-rest"},
        {3, "dp2 mbs4 gbs16 ep2 recompute-rest offload-activations=0.4"},
        {3, "tp2 dp2 mbs4 gbs16 ep2 capacity=0.7 recompute-rest offload-activations=0.4"},
        {7, "tp2 sp dp2 mbs4 gbs16 ep2 capacity=1 recompute-rest offload-activations=0.4"},
        {3, "tp2 dp1 mbs4 gbs8 recompute-rest offload-activations=0.3+1.3"},
        {3, "tp2 sp dp2 mbs4 gbs16 ep2 etp2 recompute-rest offload-activations=0.5"},
        {4, "tp2 sp cp2 dp1 mbs4 gbs8 ep4 etp1 recompute-rest offload-activations=0.3"},
        {4, "tp2 pp2 dp2 mbs4 gbs16 ep4 etp1 recompute-rest offload-activations=0.6"},
    };
    struct rk_train train = run_settings(STEPS);
    train.balance = BALANCE;
    for (size_t n = 0; n < sizeof each / sizeof *each; n++) {
        const struct rk_model model = run_model(each[n].model);
        struct run_trace trace, one;
        struct rk_error error;
        cr_assert_eq(run_plan(&model, each[n].plan, &train, &trace, &error), RK_OK, "%s %s: %s",
                     model.id, each[n].plan, error.text);
        one_rank(&model, each[n].plan, &one);
        for (int i = 0; i < STEPS; i++)
            cr_expect(off(trace.loss[i], one.loss[i]) < 1e-11 &&
                          fabs(trace.balance[i] - one.balance[i]) <= 1e-11 * one.balance[i] &&
                          off(trace.norm[i], one.norm[i]) < 1e-11,
                      "%s %s, step %d: norm %.17g for %.17g", model.id, each[n].plan, i,
                      trace.norm[i], one.norm[i]);
    }
    unlink(run_data());
}

/* Layers whose degrees the stage's ranks cannot be dealt to. */
Test(run_plans, layers_refused)
{
    static const char *const plans[] = {"dp4 mbs1 gbs8 stages=2/tp2/ep4~2",
                                        "dp4 mbs1 gbs8 stages=2/tp8~2",
                                        "dp4 mbs1 gbs8 stages=2/cp3~2"};
    const struct rk_train train = run_settings(STEPS);
    const struct rk_model model = run_model(3);
    struct run_trace trace;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct rk_error error = {.text = ""};
        cr_expect_eq(run_plan(&model, plans[i], &train, &trace, &error), RK_UNSUPPORTED, "%s: %s",
                     plans[i], error.text);
    }
}

/* A model that says itself which layers are sparse, and one that the settings make so. */
Test(run_plans, sparse_models)
{
    struct rk_train train = run_settings(STEPS);
    struct rk_model model = run_model(0);
    struct run_trace own, asked;
    struct rk_error error;
    train.block_tokens = 4;
    train.block_local = 4;
    train.block_global = 1;
    cr_assert_eq(run_plan(&model, "mbs2 gbs8", &train, &asked, &error), RK_OK, "%s", error.text);
    snprintf(model.mixers, sizeof model.mixers, "al");
    model.window = 16;
    model.window_chunks = true;
    model.window_globals = 4;
    cr_expect_eq(run_plan(&model, "mbs2 gbs8", &train, &own, &error), RK_UNSUPPORTED);
    train.block_tokens = 0;
    cr_assert_eq(run_plan(&model, "mbs2 gbs8", &train, &own, &error), RK_OK, "%s", error.text);
    for (int i = 0; i < STEPS; i++)
        cr_expect(own.loss[i] == asked.loss[i] && own.norm[i] == asked.norm[i]);
    cr_expect(run_equals_one_rank(&model, "tp2 sp cp2 pp2 dp1 mbs1 gbs4", &train, "sparse"));
    unlink(run_data());
}

/* 20 steps in 32 bits stay near those of one rank. */
Test(run_plans, single_precision)
{
    struct rk_train train = run_settings(20);
    struct run_trace a, b;
    struct rk_error error;
    train.double_precision = false;
    train.rate = train.least_rate = 3e-4;
    for (int i = 0; i < 3; i += 2) {
        const struct rk_model model = run_model(i);
        cr_assert_eq(run_plan(&model, "mbs2 gbs8", &train, &a, &error), RK_OK);
        cr_assert_eq(run_plan(&model, "mbs1 gbs8 tp2 sp pp2 dp2 cp2 zero3", &train, &b, &error),
                     RK_OK, "%s", error.text);
        for (int s = 0; s < 20; s++)
            cr_expect(off(b.loss[s], a.loss[s]) < 1e-5, "%s, step %d: %.9g for %.9g", model.id, s,
                      b.loss[s], a.loss[s]);
        cr_expect(a.loss[19] < a.loss[0] - 0.005, "it learns: %g to %g", a.loss[0], a.loss[19]);
    }
    unlink(run_data());
}
