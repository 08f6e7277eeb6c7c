/* Which plans a search looks at, and how blocks are balanced, on a small machine. */
#include "layouts.h"
#include "predict_cases.h"
#include "search/plans_split.h"

#include <reckon/plans.h>
#include <string.h>

static struct machine machine;

static struct rk_plans_problem problem_of(const struct rk_model *model, uint64_t ranks,
                                          uint64_t batch)
{
    struct rk_plans_problem problem;
    rk_plans_problem_init(&problem, model, &machine.system, RK_MEGATRON, ranks, batch, 0);
    return problem;
}

/* Calls `see` with each plan. */
static void each_plan(const struct rk_plans_problem *problem,
                      void (*see)(const struct rk_plan *plan, void *context), void *context)
{
    struct rk_space *plans = rk_plans_open(problem, NULL);
    cr_assert_not_null(plans);
    for (uint64_t i = 0; i < rk_space_count(plans); i++) {
        struct rk_plan plan;
        if (rk_plans_plan(plans, i, &plan)) see(&plan, context);
    }
    rk_space_close(plans);
}

struct seen {
    uint64_t plans, largest_tensor, largest_context;
};

static void see(const struct rk_plan *plan, void *context)
{
    struct seen *seen = context;
    seen->plans++;
    if (plan->tensor > seen->largest_tensor) seen->largest_tensor = plan->tensor;
    if (plan->context > seen->largest_context) seen->largest_context = plan->context;
    const uint64_t data = rk_plan_data(plan);
    cr_assert(data > 0 && plan->batch % (data * plan->microbatch) == 0, "data %d", (int)data);
}

static void see_overlap(const struct rk_plan *plan, void *context)
{
    bool *seen = context;
    const uint64_t domain = machine.system.network[0].size;
    const bool inside = plan->tensor > 1 && domain % plan->tensor == 0 && plan->sequence_parallel;
    const bool ring = plan->tensor_overlap == RK_OVERLAP_RING;
    cr_assert(inside ? ring || plan->tensor_overlap == RK_OVERLAP_NONE
                     : plan->tensor_overlap == RK_OVERLAP_NONE,
              "tensor %d", (int)plan->tensor);
    seen[ring] = true;
}

static void see_zero(const struct rk_plan *plan, void *context)
{
    uint64_t *plans = context;
    ++*plans;
    cr_assert_eq(plan->zero, 2);
    cr_assert(rk_plan_data(plan) > 1 || (!plan->weight_overlap && !plan->keep_gathered));
}

/* Where one rank has all data, too, which shards nothing. */
Test(plans_offer, sharding_that_is_asked_for)
{
    uint64_t plans = 0;
    for (uint64_t ranks = 1; ranks <= 2; ranks++) {
        machine_init(&machine, 1e6);
        struct rk_plans_problem problem = problem_of(&small, ranks, 8);
        problem.pinned[RK_PLAN_ZERO].count = 1;
        problem.pinned[RK_PLAN_ZERO].value[0] = problem.pinned[RK_PLAN_ZERO].to[0] = 2;
        each_plan(&problem, see_zero, &plans);
        cr_expect_gt(plans, 0);
    }
}

/* Megatron-LM's overlap is of ranks that the fastest links join; of what it does not start,
 * anywhere.
 */
Test(plans_offer, overlap_within_the_fastest_links)
{
    bool seen[2] = {false, false};
    machine_init(&machine, 1e6);
    machine.system.network[0].size = 2;
    struct rk_plans_problem problem = problem_of(&small, 8, 16);
    each_plan(&problem, see_overlap, seen);
    cr_expect(seen[0] && seen[1]);
    problem.pinned[RK_PLAN_TENSOR].count = problem.pinned[RK_PLAN_TENSOR_OVERLAP].count = 1;
    problem.pinned[RK_PLAN_TENSOR].value[0] = problem.pinned[RK_PLAN_TENSOR].to[0] = 4;
    problem.pinned[RK_PLAN_TENSOR_OVERLAP].value[0] = RK_OVERLAP_RING;
    problem.pinned[RK_PLAN_TENSOR_OVERLAP].to[0] = RK_OVERLAP_RING;
    for (int i = 0; i < 2; i++) {
        problem.unstartable = i;
        struct rk_space *plans = rk_plans_open(&problem, NULL);
        cr_assert_not_null(plans);
        cr_expect_eq(rk_space_count(plans) > 0, i);
        rk_space_close(plans);
    }
}

/* 12 samples on 8 ranks: 8 of data parallelism do not divide them. 8192 tokens are cut into 4 parts
 * of 2048 at most. */
Test(plans_offer, batches_and_contexts)
{
    struct rk_model model = small;
    struct seen seen = {0};
    machine_init(&machine, 1e6);
    model.sequence = 8192;
    struct rk_plans_problem problem = problem_of(&model, 8, 12);
    problem.pinned[RK_PLAN_PIPELINE].count = 1;
    problem.pinned[RK_PLAN_PIPELINE].value[0] = 1;
    each_plan(&problem, see, &seen);
    cr_expect_gt(seen.plans, 0);
    cr_expect_eq(seen.largest_context, 4);
}

/* Nodes of 8: tensor parallelism reaches over two of them, when there are as many heads. */
Test(plans_offer, tensor_degrees)
{
    struct rk_model model = small;
    machine_init(&machine, 1e6);
    for (uint64_t heads = 4; heads <= 64; heads *= 2) {
        struct seen seen = {0};
        model.heads = heads;
        struct rk_plans_problem problem = problem_of(&model, 32, 32);
        problem.pinned[RK_PLAN_PIPELINE].count = problem.pinned[RK_PLAN_CONTEXT].count = 1;
        problem.pinned[RK_PLAN_PIPELINE].value[0] = problem.pinned[RK_PLAN_CONTEXT].value[0] = 1;
        each_plan(&problem, see, &seen);
        cr_expect_eq(seen.largest_tensor, heads < 16 ? heads : 16, "%d heads", (int)heads);
    }
}

/* bf16, else fp16, else what there is. */
Test(plans_offer, usual_precisions)
{
    machine_init(&machine, 1e6);
    cr_expect_eq(problem_of(&small, 1, 1).base.precision, RK_BF16);
    machine.system.matrix[RK_BFLOAT16].peak_flops = 0;
    cr_expect_eq(problem_of(&small, 1, 1).base.precision, RK_FP16);
    machine.system.matrix[RK_FLOAT16].peak_flops = 0;
    cr_expect_eq(problem_of(&small, 1, 1).base.precision, RK_FP32);
    machine.system.kernels.tfloat32_FLOPps = 1e6;
    cr_expect_eq(problem_of(&small, 1, 1).base.precision, RK_TF32);
}

/* A block has 24 T h^2 + 4 a T^2 d = 2^24 FLOP, a head of 6144 entries 2 T h v = 6 times that: 12
 * blocks on two stages, 9 and 3 with the head. Computed again, a block takes 4 passes of 3: 8 of
 * them, 10.7, and 4 with the head, 11.3, are better than 12 and 10. */
Test(plans_offer, balanced_stages)
{
    struct rk_model model = small;
    struct rk_plan plan = rk_plan_default();
    static struct layer_folds folds;
    machine_init(&machine, 1e6);
    model.layers = 12;
    model.vocabulary = 6144;
    plan.ranks = plan.pipeline = plan.batch = 2;
    plan.attention = RK_UNFUSED;
    fold_layers(&folds, &model, &machine.system, &plan);
    plan_balance(&plan, &model, &folds);
    cr_expect(rk_plan_layout(&plan)->split[0] == 9 && rk_plan_layout(&plan)->split[1] == 3, "%d",
              rk_plan_layout(&plan)->split[0]);
    edit(&plan)->splits = 0;
    plan.recompute = RK_WHOLE;
    fold_layers(&folds, &model, &machine.system, &plan);
    plan_balance(&plan, &model, &folds);
    cr_expect(rk_plan_layout(&plan)->split[0] == 8 && rk_plan_layout(&plan)->split[1] == 4, "%d",
              rk_plan_layout(&plan)->split[0]);
}

static void expect_refusal(const struct rk_plans_problem *problem, enum rk_verdict verdict)
{
    struct rk_error error = {.text = ""};
    cr_expect_eq(rk_plans_best(problem, NULL, NULL, &error), RK_NOTHING_FITS);
    cr_expect(strstr(error.text, rk_verdict_name(verdict)), "%s", error.text);
}

/* Memory, where plans get so far; else what refuses them. */
Test(plans_offer, why_nothing_fits)
{
    struct rk_plans_problem problem;
    machine_init(&machine, 1e6);
    problem = problem_of(&small, 8, 8);
    machine.memory[0].capacity_bytes = 1;
    expect_refusal(&problem, RK_MEMORY_EXCEEDED);
    machine.network[1].size = 4;
    expect_refusal(&problem, RK_NETWORK_TOO_SMALL);
    problem.base.precision = RK_TF32; /* has no engine */
    machine.network[1].size = 8;
    expect_refusal(&problem, RK_BAD_DATATYPE);
}

/* GPipe holds all microbatches, 1F1B two: whatever the capacity between, pruning finds as many
 * plans that fit as predicting one after the other. Kernels take a second, so that small
 * microbatches are slow and need not be timed. */
Test(plans_offer, schedules_that_hold_more)
{
    struct rk_plan plan = rk_plan_default();
    static struct rk_prediction p;
    machine_init(&machine, 1e6);
    machine.system.memories = 1; /* nothing is offloaded */
    struct rk_plans_problem problem = problem_of(&small, 2, 16);
    machine.system.kernels.kernel_s = 1;
    problem.pinned[RK_PLAN_PIPELINE].count = 1;
    problem.pinned[RK_PLAN_PIPELINE].value[0] = 2;
    problem.pinned[RK_PLAN_SCHEDULE].count = 2;
    problem.pinned[RK_PLAN_SCHEDULE].value[0] = RK_GPIPE;
    problem.pinned[RK_PLAN_SCHEDULE].value[1] = RK_1F1B;
    plan.ranks = plan.pipeline = 2;
    plan.batch = 16;
    plan.schedule = RK_GPIPE;
    rk_predict(&small, &machine.system, &plan, &p);
    const double most = p.stage[p.tightest].total_bytes;
    for (double share = 0.02; share < 1.3; share += 0.02) {
        const struct rk_query one = {.mode = RK_SEARCH_TWIN, .top = 1};
        const struct rk_query pruned = {.mode = RK_SEARCH_PRUNED, .top = 1};
        struct rk_answer a, b;
        machine.memory[0].capacity_bytes = share * most;
        struct rk_space *plans = rk_plans_open(&problem, NULL);
        cr_assert_eq(rk_ask(plans, &one, &a, NULL), RK_OK);
        cr_assert_eq(rk_ask(plans, &pruned, &b, NULL), RK_OK);
        cr_expect_eq(a.counts.verdict[RK_FITS][0], b.counts.verdict[RK_FITS][0], "%g of %g bytes",
                     share, most);
        rk_answer_release(&a);
        rk_answer_release(&b);
        rk_space_close(plans);
    }
}

static void expect_empty(const struct rk_plans_problem *problem, const char *why)
{
    char text[RK_PLANS_EMPTY_TEXT];
    struct rk_error error;
    cr_assert(rk_plans_empty(problem, text));
    cr_expect_str_eq(text, why);
    cr_expect_eq(rk_plans_best(problem, NULL, NULL, &error), RK_NOTHING_FITS);
    cr_expect_not_null(strstr(error.text, why), "%s", error.text);
}

/* The restriction that leaves no plan, with those before it, and what there is. */
Test(plans_offer, why_a_space_is_empty)
{
    char text[RK_PLANS_EMPTY_TEXT];
    machine_init(&machine, 1e6);
    struct rk_plans_problem problem = problem_of(&small, 8, 16);
    cr_expect_not(rk_plans_empty(&problem, text));
    problem.pinned[RK_PLAN_PIPELINE].count = 1;
    problem.pinned[RK_PLAN_PIPELINE].value[0] = 3;
    problem.pinned[RK_PLAN_PIPELINE].to[0] = 3;
    expect_empty(&problem, "pipeline 3: the space has pipeline 1, 2, 4");
    problem.pinned[RK_PLAN_PIPELINE].value[0] = problem.pinned[RK_PLAN_PIPELINE].to[0] = 4;
    problem.pinned[RK_PLAN_MICROBATCH].count = 1;
    problem.pinned[RK_PLAN_MICROBATCH].value[0] = 5;
    problem.pinned[RK_PLAN_MICROBATCH].to[0] = 7;
    expect_empty(&problem, "microbatch 5..7: with pipeline 4 the space has microbatch 1, 2, 4, 8");
    problem.pinned[RK_PLAN_MICROBATCH].value[0] = problem.pinned[RK_PLAN_MICROBATCH].to[0] = 4;
    problem.pinned[RK_PLAN_CHUNKS].count = 1;
    problem.pinned[RK_PLAN_CHUNKS].value[0] = problem.pinned[RK_PLAN_CHUNKS].to[0] = 9;
    expect_empty(&problem, "chunks 9: with pipeline 4 the space has chunks 1");
}
