/* What a layer costs on a machine: mixtures, by hand from the machine's own constants. */
#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <string.h>

#include "estimate/fold.h"

static struct rk_model model;
static struct rk_system machine;
static struct layer_folds folds;
static struct timed_layers timed;

static void begin(void)
{
    struct rk_error error = {0};
    cr_assert_eq(rk_model_load("deepseek-v3", &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load("b200-sxm-180g", &machine, &error), RK_OK, "%s", error.text);
}

static void end(void)
{
    rk_system_release(&machine);
}

TestSuite(fold, .init = begin, .fini = end);

static struct rk_plan plan_of(uint64_t ranks)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.expert = plan.batch = ranks;
    plan.microbatch = 1;
    plan.zero = 1;
    return plan;
}

static double time_of(const struct rk_plan *plan, const char *name, enum rk_pass pass)
{
    time_layers(&timed, &model, &machine, plan);
    const struct timed_layer *layer = &timed.layer[LAYER_EXPERTS];
    for (int i = 0; i < layer->layer.operations; i++)
        if (strcmp(op_name(layer->layer.operation[i].op), name) == 0) return layer->time_s[i][pass];
    cr_assert(false, "no operation %s", name);
    return 0;
}

/* 256 experts over 8 ranks: 32 products, of which 31 cost 1.5 kernels more than in one kernel. */
Test(fold, products_of_experts_start_apart)
{
    struct rk_plan plan = plan_of(8);
    const struct rk_kernels *kernels = &machine.kernels;
    const double apart_s = 31 * 1.5 * kernels->kernel_s / kernels->sustained;
    for (int pass = 0; pass < RK_PASSES; pass++) {
        plan.cuda_graphs = true;
        const double one_s = time_of(&plan, "experts in", (enum rk_pass)pass);
        plan.cuda_graphs = false;
        cr_expect_float_eq(time_of(&plan, "experts in", (enum rk_pass)pass), one_s + apart_s,
                           1e-12);
    }
}

/* SimuMax measured on a B200 32 products of (1024, 7168) and (7168, 4096) at 0.458 of the peak, and
 * one of all 32768 rows at 0.470: 1.026 times as long. */
Test(fold, a_grouped_product_beside_a_single_one_as_measured)
{
    struct rk_plan plan = plan_of(8);
    plan.sequence = 4096;
    const double single_s = matrix_time_s(&machine, OPERAND_BFLOAT16, 1, 32768, 4096, 7168);
    cr_expect_float_eq(time_of(&plan, "experts in", RK_FORWARD),
                       0.470 / 0.458 * single_s / machine.kernels.sustained,
                       0.1 * single_s / machine.kernels.sustained);
}

static double expert_s(const struct layer_fold *fold)
{
    double sum_s = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum_s += fold->spent_s[pass][SPENT_EXPERT];
    return sum_s;
}

static double pass_s(const struct layer_fold *fold)
{
    double sum_s = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum_s += fold->pass_s[pass];
    return sum_s;
}

/* Beside computing, sending takes 20 of 148 multiprocessors; what is longer is waited for. */
Test(fold, exchange_beside_computing)
{
    static const struct {
        uint64_t ranks;
        enum rk_dispatcher dispatcher;
        bool longer; /* than computing */
    } cases[] = {{8, RK_ALL_TO_ALL, false}, {64, RK_ALL_TO_ALL, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_plan plan = plan_of(cases[i].ranks);
        plan.dispatcher = cases[i].dispatcher;
        plan.cuda_graphs = true;
        fold_layers(&folds, &model, &machine, &plan);
        const struct layer_fold *fold = &folds.layer[LAYER_EXPERTS][AS_IT_IS];
        const double comm_s = expert_s(fold), computing_s = pass_s(fold) - comm_s;
        cr_expect_eq(comm_s > computing_s, cases[i].longer, "case %zu", i);
        plan.expert_overlap = true;
        fold_layers(&folds, &model, &machine, &plan);
        const double both_s = fmin(comm_s, computing_s);
        cr_expect_float_eq(expert_s(fold), comm_s - both_s + both_s * 20 / 148, 1e-12, "case %zu",
                           i);
    }
}
