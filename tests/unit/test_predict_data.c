/* What data parallelism adds to a step: collectives by their number and kind, sums of gradients. */
#include "machine/kernels.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/predict.h>
#include <stdlib.h>

static struct rk_model model;
static struct rk_system sys;

static void load(void)
{
    struct rk_error error;
    cr_assert_eq(rk_model_load("gpt3-13b", &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &sys, &error), RK_OK, "%s", error.text);
}

static void done(void)
{
    rk_system_release(&sys);
}

static struct rk_plan plan_of(enum rk_framework framework, int zero)
{
    struct rk_plan plan = rk_plan_default();
    plan.framework = framework;
    plan.attention = rk_usual_attention(framework, sys.kernels.attention_kernels);
    plan.zero = zero;
    plan.ranks = 64;
    plan.batch = 256;
    plan.recompute = RK_WHOLE;
    plan.sequence = 2048;
    return plan;
}

static struct rk_prediction *predicted(const struct rk_plan *plan)
{
    struct rk_prediction *p = malloc(sizeof *p);
    rk_predict(&model, &sys, plan, p);
    cr_assert(p->timed);
    return p;
}

/* Reduced whole, the gradients take an all-reduce of 4 bytes a parameter in place of a
 * reduce-scatter. */
Test(predict_data, whole_gradients_are_all_reduced, .init = load, .fini = done)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 1);
    struct rk_prediction *shares = predicted(&plan);
    plan.whole_gradients = true;
    struct rk_prediction *whole = predicted(&plan);
    const double bytes = 4 * shares->stage[0].parameters;
    const struct rank_group all = {64, 1};
    const double more_s = collective_time_s(&sys, ALL_REDUCE, all, bytes) -
                          collective_time_s(&sys, REDUCE_SCATTER, all, bytes);
    cr_expect(more_s > 0);
    cr_expect(fabs(whole->data_link_s - shares->data_link_s - more_s) < 1e-9 * more_s);
    free(shares);
    plan.zero = 2; /* which has only shares */
    struct rk_prediction *two = predicted(&plan);
    plan.whole_gradients = false;
    struct rk_prediction *same = predicted(&plan);
    cr_expect_eq(two->step_s, same->step_s);
    free(whole);
    free(two);
    free(same);
}

/* Megatron-LM that is not fused reads each microbatch's gradient (2 bytes) and reads and writes the
 * sum (4 each) but for the first: 10 bytes a parameter, 3 of 4 microbatches. */
Test(predict_data, adding_gradients_takes_time, .init = load, .fini = done)
{
    struct rk_plan plan = plan_of(RK_MEGATRON, 1);
    plan.fused = false;
    struct rk_prediction *four = predicted(&plan);
    plan.batch = 64;
    struct rk_prediction *one = predicted(&plan);
    const double added_s = 4 * memory_time_s(&sys, four->stage[0].parameters * 10 * 3 / 4);
    cr_expect(fabs(four->memory_s - 4 * one->memory_s - added_s) < 1e-9 * added_s, "%g, %g",
              four->memory_s - 4 * one->memory_s, added_s);
    free(four);
    free(one);
}

/* ZeRO-3 moves block by block: the more ranks, the more its latencies count; DeepSpeed moves each
 * module on its own, six of them a block. */
Test(predict_data, sharded_weights_move_piece_by_piece, .init = load, .fini = done)
{
    struct rk_plan plan = plan_of(RK_FSDP, 3);
    plan.gradient_element_bytes = 2;
    struct rk_prediction *fsdp = predicted(&plan);
    plan.framework = RK_DEEPSPEED;
    struct rk_prediction *deepspeed = predicted(&plan);
    const struct rank_group all = {64, 1};
    const double n = (double)model.layers, bytes = 2 * fsdp->stage[0].parameters;
    /* two gathers and a scatter for each of 4 microbatches */
    const double blocks_s = 4 * n *
                            (2 * collective_time_s(&sys, ALL_GATHER, all, bytes / n) +
                             collective_time_s(&sys, REDUCE_SCATTER, all, bytes / n));
    const double modules_s = 4 * 6 * n *
                             (2 * collective_time_s(&sys, ALL_GATHER, all, bytes / n / 6) +
                              collective_time_s(&sys, REDUCE_SCATTER, all, bytes / n / 6));
    cr_expect(fabs(fsdp->data_link_s / blocks_s - 1) < 1e-9, "%g, %g", fsdp->data_link_s, blocks_s);
    cr_expect(fabs(deepspeed->data_link_s / modules_s - 1) < 1e-9, "%g, %g", deepspeed->data_link_s,
              modules_s);
    free(fsdp);
    free(deepspeed);
}

/* A long run is slower than isolated kernels by one factor on matrix products. */
Test(predict_data, sustained_scales_products_alone, .init = load, .fini = done)
{
    const struct rk_plan plan = plan_of(RK_MEGATRON, 1);
    sys.kernels.sustained = 1;
    struct rk_prediction *isolated = predicted(&plan);
    sys.kernels.sustained = 0.8;
    struct rk_prediction *lasting = predicted(&plan);
    cr_expect(fabs(lasting->matrix_s * 0.8 / isolated->matrix_s - 1) < 1e-12);
    cr_expect_eq(lasting->attention_s, isolated->attention_s);
    cr_expect_eq(lasting->memory_s, isolated->memory_s);
    free(isolated);
    free(lasting);
}
