/* A plan of framework calculon is the strategy it stands for, there and back, and is predicted as
 * rk_estimate has it, bit for bit. */
#include "calculon/plan.h"
#include "draws.h"

#include "calculon/estimate.h"
#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <string.h>

static struct rk_strategy draw_strategy(void)
{
    struct rk_strategy s = {.tensor = UINT64_C(1) << below(4),
                            .pipeline = UINT64_C(1) << below(4),
                            .data = UINT64_C(1) << below(4),
                            .interleaving = UINT64_C(1) << below(2),
                            .microbatch = UINT64_C(1) << below(3),
                            .datatype =
                                below(8) ? RK_FLOAT16 : (enum rk_datatype)below(RK_DATATYPES),
                            .training = below(4) > 0,
                            .recompute = (enum rk_recompute)below(RK_RECOMPUTES),
                            .optimizer_sharding = below(2),
                            .tensor_comm = (enum rk_tensor_comm)below(RK_TENSOR_COMMS),
                            .redo_all_gather = below(2),
                            .data_overlap = below(2),
                            .tensor_overlap = (enum rk_tensor_overlap)below(RK_TENSOR_OVERLAPS),
                            .weight_offload = (int)below(2),
                            .activation_offload = (int)below(2),
                            .optimizer_offload = (int)below(2),
                            .fused_activation = below(2),
                            .tensor_network = (int)below(2),
                            .pipeline_network = (int)below(2),
                            .data_network = (int)below(2)};
    s.ranks = s.tensor * s.pipeline * s.data;
    s.batch = s.data * s.microbatch * (1 + below(16));
    return s;
}

Test(published_plan, strategies_are_plans)
{
    static struct rk_prediction as_plan;
    static struct rk_outcome as_strategy;
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    int timed = 0;
    cr_assert_eq(rk_model_load("gpt3-175b", &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load("a100-80g-nvl8 mem2=1TiB@100GB/s", &system, &error), RK_OK, "%s",
                 error.text);
    for (int i = 0; i < 3000; i++) {
        const struct rk_strategy s = draw_strategy();
        struct rk_strategy back;
        struct rk_plan plan;
        struct rk_reason reason;
        plan_of_strategy(&s, &plan);
        cr_assert(strategy_of_plan(&plan, &system, &back, &reason), "%s", reason.what);
        cr_assert_eq(memcmp(&s, &back, sizeof s), 0, "strategy %d", i);
        const enum rk_verdict verdict = rk_predict(&model, &system, &plan, &as_plan);
        cr_assert_eq(verdict, rk_estimate(&model, &system, &s, &as_strategy));
        if (!as_strategy.timed) continue;
        timed++;
        for (const struct rk_figure *f = rk_figures(); f->name; f++)
            if (f->by == RK_BY_CALCULON || f->time)
                cr_assert(rk_figure_value(&as_plan.outcome, f) ==
                              ((f->by & RK_BY_CALCULON) ? rk_figure_value(&as_strategy, f) : 0),
                          "strategy %d: %s", i, f->name);
    }
    cr_expect_gt(timed, 500, "%d", timed);
    rk_system_release(&system);
}

/* Networks that are left open, and what the published model does not have. */
Test(published_plan, open_networks_and_refusals)
{
    struct rk_system system;
    struct rk_strategy s;
    struct rk_plan plan;
    struct rk_reason reason;
    static const char *const refused[][2] = {
        {"framework=calculon tp2 dp2 cp2", "context"},
        {"framework=calculon dp2 zero2", "zero: calculon has 0 and 1"},
        {"framework=calculon recompute=selective:mlp",
         "recompute_parts: calculon has only core_attn"},
        {"framework=calculon precision=mxfp8", "mxfp8"},
        {"framework=calculon offload-weights=0.5", "offload: calculon has all of it or none"},
    };
    cr_assert_eq(rk_system_load("a100-80g-nvl8", &system, NULL), RK_OK);
    cr_assert_eq(rk_plan_parse("framework=calculon tp8 pp4 dp2", &plan, NULL), RK_OK);
    cr_assert(strategy_of_plan(&plan, &system, &s, &reason));
    cr_expect_eq(s.tensor_network, 0);
    cr_expect_eq(s.pipeline_network, 1); /* 8 GPUs share NVLink: tensor has filled it */
    cr_expect_eq(s.data_network, 1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cr_assert_eq(rk_plan_parse(refused[i][0], &plan, NULL), RK_OK, "%s", refused[i][0]);
        cr_expect_not(strategy_of_plan(&plan, &system, &s, &reason), "%s", refused[i][0]);
        cr_expect_str_eq(reason.what, refused[i][1]);
    }
    rk_system_release(&system);
}
