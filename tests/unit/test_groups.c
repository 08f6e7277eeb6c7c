/* Ranks of each parallelism and how far apart they are, by hand and by counting. */
#include "estimate/fold.h"

#include <criterion/criterion.h>

#define EXPECT_GROUP(group, ranks_, stride_)                                                       \
    do {                                                                                           \
        const struct rank_group g = group;                                                         \
        cr_expect(g.ranks == (ranks_) && g.stride == (stride_), #group ": {%g, %g}", g.ranks,      \
                  g.stride);                                                                       \
    } while (0)

/* 128 ranks: t 2, c 4, 8 data-parallel, p 2; experts over 4, each over 2. */
static struct rk_plan plan_of(void)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 128;
    plan.tensor = 2;
    plan.context = 4;
    plan.pipeline = 2;
    plan.expert = 4;
    plan.expert_tensor = 2;
    return plan;
}

Test(groups, of_a_layer)
{
    const struct rk_plan plan = plan_of();
    EXPECT_GROUP(group_of_tensor(&plan), 2, 1);
    EXPECT_GROUP(group_of_context(&plan), 4, 2);
    EXPECT_GROUP(group_of_expert_tensor(&plan), 2, 1);
    EXPECT_GROUP(group_of_expert(&plan), 4, 2);
}

/* Outside: behind t * c * 8 ranks. Inside: behind t * c, before data. */
Test(groups, of_the_pipeline)
{
    struct rk_plan plan = plan_of();
    EXPECT_GROUP(group_of_pipeline(&plan), 2, 64);
    plan.order = RK_ORDER_TP_CP_PP_DP;
    EXPECT_GROUP(group_of_pipeline(&plan), 2, 8);
}

/* Context and data together are 32 ranks, one behind each tensor group; of an expert there are
 * 128 / (2 * 4 * 2) = 8, one behind each 4 * 2. */
Test(groups, of_sharded_and_copied_state)
{
    struct rk_plan plan = plan_of();
    EXPECT_GROUP(group_of_shards(&plan, false), 1, 2);
    EXPECT_GROUP(group_of_copies(&plan, false), 32, 2);
    EXPECT_GROUP(group_of_copies(&plan, true), 8, 8);
    plan.zero = 1;
    EXPECT_GROUP(group_of_shards(&plan, false), 32, 2);
    EXPECT_GROUP(group_of_copies(&plan, false), 1, 64);
    EXPECT_GROUP(group_of_shards(&plan, true), 8, 8);
    /* 8 share a copy, 4 copies: of an expert, 2 share one */
    plan.shard_ranks = 8;
    EXPECT_GROUP(group_of_shards(&plan, false), 8, 2);
    EXPECT_GROUP(group_of_copies(&plan, false), 4, 16);
    EXPECT_GROUP(group_of_shards(&plan, true), 2, 8);
    EXPECT_GROUP(group_of_copies(&plan, true), 4, 16);
}

/* With the pipeline inside, ranks of one stage are further apart, unless context is between. */
Test(groups, data_behind_the_pipeline)
{
    struct rk_plan plan = plan_of();
    plan.zero = 1;
    plan.order = RK_ORDER_TP_CP_PP_DP;
    EXPECT_GROUP(group_of_shards(&plan, false), 32, 2);
    EXPECT_GROUP(group_of_shards(&plan, true), 8, 16);
    plan.context = 1; /* 128 / (2 * 2) = 32 of data */
    EXPECT_GROUP(group_of_shards(&plan, false), 32, 4);
}
