/* Degrees and splits that follow from a plan's. */
#include "layouts.h"

#include <criterion/criterion.h>
#include <reckon/plan.h>
#include <string.h>

/* 256 ranks, t 4, c 2, p 2: 16 data-parallel; experts over 8 with t 1: 256 / (2 * 8) = 16. */
static struct rk_plan plan_of(void)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 256;
    plan.tensor = 4;
    plan.context = plan.pipeline = 2;
    plan.expert = 8;
    plan.expert_tensor = 1;
    return plan;
}

Test(plan, data_parallel_degrees)
{
    struct rk_plan plan = plan_of();
    cr_expect_eq(rk_plan_data(&plan), 16);
    cr_expect_eq(rk_plan_expert_data(&plan), 16);
    plan.expert_tensor = 0; /* as tensor: 256 / (2 * 8 * 4) */
    cr_expect_eq(rk_plan_expert_data(&plan), 4);
    plan.tensor = 3;
    cr_expect_eq(rk_plan_data(&plan), 0);
}

/* Weights are the same on all context ranks: 16 * 2 share one copy. In groups of 8 there are 4
 * copies of dense weights, and of the experts': 16 / 4 share one. */
Test(plan, ranks_that_share_one_copy)
{
    struct rk_plan plan = plan_of();
    cr_expect_eq(rk_plan_shards(&plan), 1);
    cr_expect_eq(rk_plan_expert_shards(&plan), 1);
    plan.zero = 1;
    cr_expect_eq(rk_plan_shards(&plan), 32);
    cr_expect_eq(rk_plan_expert_shards(&plan), 16);
    plan.shard_ranks = 8;
    cr_expect_eq(rk_plan_shards(&plan), 8);
    cr_expect_eq(rk_plan_expert_shards(&plan), 4);
    plan.shard_ranks = 1; /* 32 copies of 16 experts: none is shared */
    cr_expect_eq(rk_plan_expert_shards(&plan), 1);
}

static void expect_split(const struct rk_plan *plan, uint64_t layers, const char *blocks)
{
    const struct rk_model model = {.layers = layers};
    for (uint64_t i = 0; blocks[i]; i++)
        cr_expect_eq(rk_plan_split(plan, &model, i), (uint64_t)(blocks[i] - '0'),
                     "stage %d of %s: %d", (int)i, blocks, (int)rk_plan_split(plan, &model, i));
}

Test(plan, blocks_of_virtual_stages)
{
    struct rk_plan plan = rk_plan_default();
    plan.pipeline = 4;
    expect_split(&plan, 16, "4444");
    expect_split(&plan, 14, "4433"); /* what is left over goes to the first ones */
    plan.head_counts = true;
    expect_split(&plan, 15, "4443");
    expect_split(&plan, 7, "2221");
    plan.embedding_counts = true;
    expect_split(&plan, 14, "3443");
    plan.chunks = 2;
    expect_split(&plan, 14, "12222221");
}

/* Of a rank, spread over its chunks; the ranks between share the rest: (20 - 3 - 5) / 2. */
Test(plan, first_and_last_layers)
{
    struct rk_plan plan = rk_plan_default();
    plan.pipeline = 4;
    plan.first_layers = 3;
    plan.last_layers = 5;
    expect_split(&plan, 20, "3665");
    plan.last_layers = 0; /* (21 - 3) / 3 */
    expect_split(&plan, 21, "3666");
    plan.chunks = 2;
    plan.first_layers = 2;
    plan.last_layers = 4; /* 2, (18 - 6) / 2 = 6, 4 of ranks in two chunks each */
    expect_split(&plan, 18, "13321332");
    edit(&plan)->splits = 4;
    memcpy(edit(&plan)->split, (uint16_t[]){5, 1, 0, 2}, 4 * sizeof *rk_plan_layout(&plan)->split);
    expect_split(&plan, 8, "5102");
}
