/* Which ranks form a group: by hand, as Megatron-LM documents it, and by counting. */
#include "plan/ranks.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define EXPECT_GROUP(group, ranks_, stride_)                                                       \
    do {                                                                                           \
        const struct rank_map map_ = rank_map_of(&plan);                                           \
        const uint64_t ranks = ranks_of_group(&map_, group), stride = rank_stride(&map_, group);   \
        cr_expect(ranks == (ranks_) && stride == (stride_), #group ": {%d, %d}", (int)ranks,       \
                  (int)stride);                                                                    \
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

Test(ranks, of_a_layer)
{
    struct rk_plan plan = plan_of();
    EXPECT_GROUP(RANKS_OF_TENSOR, 2, 1);
    EXPECT_GROUP(RANKS_OF_CONTEXT, 4, 2);
    EXPECT_GROUP(RANKS_OF_EXPERT_TENSOR, 2, 1);
    EXPECT_GROUP(RANKS_OF_EXPERT, 4, 2);
    EXPECT_GROUP(RANKS_OF_RING, 4, 2);
    EXPECT_GROUP(RANKS_OF_ULYSSES, 4, 2);
    plan.context_kind = RK_RING_ULYSSES; /* two rings of every other rank */
    plan.ulysses = 2;
    EXPECT_GROUP(RANKS_OF_ULYSSES, 2, 2);
    EXPECT_GROUP(RANKS_OF_RING, 2, 4);
}

/* Outside: behind t * c * 8 ranks. Inside: behind t * c, before data. */
Test(ranks, of_the_pipeline)
{
    struct rk_plan plan = plan_of();
    EXPECT_GROUP(RANKS_OF_PIPELINE, 2, 64);
    EXPECT_GROUP(RANKS_OF_DATA, 8, 8);
    plan.order = RK_ORDER_TP_CP_PP_DP;
    EXPECT_GROUP(RANKS_OF_PIPELINE, 2, 8);
    EXPECT_GROUP(RANKS_OF_DATA, 8, 16);
}

/* Context and data together are 32 ranks, one behind each tensor group; of an expert there are
 * 128 / (2 * 4 * 2) = 8, one behind each 4 * 2. */
Test(ranks, of_sharded_and_copied_state)
{
    struct rk_plan plan = plan_of();
    EXPECT_GROUP(RANKS_OF_SHARDS, 1, 2);
    EXPECT_GROUP(RANKS_OF_COPIES, 32, 2);
    EXPECT_GROUP(RANKS_OF_EXPERT_COPIES, 8, 8);
    plan.zero = 1;
    EXPECT_GROUP(RANKS_OF_SHARDS, 32, 2);
    EXPECT_GROUP(RANKS_OF_EXPERT_SHARDS, 8, 8);
    /* 8 share a copy, 4 copies: of an expert, 2 share one */
    plan.shard_ranks = 8;
    EXPECT_GROUP(RANKS_OF_SHARDS, 8, 2);
    EXPECT_GROUP(RANKS_OF_COPIES, 4, 16);
    EXPECT_GROUP(RANKS_OF_EXPERT_SHARDS, 2, 8);
    EXPECT_GROUP(RANKS_OF_EXPERT_COPIES, 4, 16);
}

/* With the pipeline inside, ranks of one stage are further apart, unless context is between. */
Test(ranks, data_behind_the_pipeline)
{
    struct rk_plan plan = plan_of();
    plan.zero = 1;
    plan.order = RK_ORDER_TP_CP_PP_DP;
    EXPECT_GROUP(RANKS_OF_SHARDS, 32, 2);
    EXPECT_GROUP(RANKS_OF_EXPERT_SHARDS, 8, 16);
    plan.shard_ranks = 8; /* two of data, with their context: the next copy is two replicas on */
    EXPECT_GROUP(RANKS_OF_COPIES, 4, 32);
    plan.shard_ranks = 0;
    plan.context = 1; /* 128 / (2 * 2) = 32 of data */
    EXPECT_GROUP(RANKS_OF_SHARDS, 32, 4);
}

/* ---- Megatron-LM ---- */

static void expect_members(const struct rank_map *map, enum rank_groups group, uint64_t rank,
                           const char *expected)
{
    char text[256] = "";
    size_t used = 0;
    for (uint64_t i = 0; i < ranks_of_group(map, group); i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i ? " " : "",
                                 (int)rank_member(map, group, rank, i));
    cr_expect_str_eq(text, expected);
}

/* The example of its parallel_state: 16 GPUs, 2 for tensor, 4 for pipeline parallelism. */
Test(ranks, as_megatron_documents_them)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 16;
    plan.tensor = 2;
    plan.pipeline = 4;
    const struct rank_map map = rank_map_of(&plan);
    expect_members(&map, RANKS_OF_DATA, 2, "0 2");
    expect_members(&map, RANKS_OF_DATA, 7, "5 7");
    expect_members(&map, RANKS_OF_TENSOR, 9, "8 9");
    expect_members(&map, RANKS_OF_PIPELINE, 0, "0 4 8 12");
    expect_members(&map, RANKS_OF_PIPELINE, 15, "3 7 11 15");
}

/* tp-cp-ep-dp-pp: 32 GPUs, tensor 2, context 2, 2 stages; experts over 4 ranks of tensor 1, so 16
 * of a stage are 4 times 4. */
Test(ranks, experts_as_megatron_orders_them)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 32;
    plan.tensor = plan.context = plan.pipeline = 2;
    plan.expert = 4;
    plan.expert_tensor = 1;
    const struct rank_map map = rank_map_of(&plan);
    expect_members(&map, RANKS_OF_CONTEXT, 6, "4 6");
    expect_members(&map, RANKS_OF_DATA, 6, "2 6 10 14");
    expect_members(&map, RANKS_OF_EXPERT, 22, "20 21 22 23");
    expect_members(&map, RANKS_OF_EXPERT_DATA, 22, "18 22 26 30");
    expect_members(&map, RANKS_OF_PIPELINE, 22, "6 22");
}

/* ---- all small worlds in all orders ---- */

/* Every rank is in one group of a kind, where it says it is, and all members agree on that. */
static void check_partition(const struct rank_map *map, enum rank_groups group)
{
    const uint64_t size = ranks_of_group(map, group);
    int groups = 0;
    for (uint64_t rank = 0; rank < map->ranks; rank++) {
        const uint64_t at = rank_position(map, group, rank);
        cr_assert(at < size && rank_member(map, group, rank, at) == rank);
        groups += at == 0;
        for (uint64_t i = 0; i < size; i++) {
            const uint64_t other = rank_member(map, group, rank, i);
            cr_assert(other < map->ranks && rank_position(map, group, other) == i);
            cr_assert(rank_member(map, group, other, at) == rank);
            cr_assert(i == 0 || other > rank_member(map, group, rank, i - 1));
        }
    }
    cr_assert(groups * size == map->ranks);
    if (size > 1) /* of rank 0, the nearest */
        cr_assert(rank_stride(map, group) == rank_member(map, group, 0, 1));
}

/* Groups that divide the world between them meet in one rank. */
static void check_meeting(const struct rank_map *map, const enum rank_groups *groups, int count)
{
    uint64_t seen[256] = {0}, product = 1;
    for (int i = 0; i < count; i++)
        product *= ranks_of_group(map, groups[i]);
    cr_assert(product == map->ranks);
    for (uint64_t rank = 0; rank < map->ranks; rank++) {
        uint64_t number = 0;
        for (int i = 0; i < count; i++)
            number = number * ranks_of_group(map, groups[i]) + rank_position(map, groups[i], rank);
        cr_assert(!seen[number]++, "two ranks have the same coordinates");
    }
}

static void check_world(const struct rk_plan *plan)
{
    static const enum rank_groups dense[] = {RANKS_OF_TENSOR, RANKS_OF_CONTEXT, RANKS_OF_DATA,
                                             RANKS_OF_PIPELINE};
    static const enum rank_groups shared[] = {RANKS_OF_TENSOR, RANKS_OF_SHARDS, RANKS_OF_COPIES,
                                              RANKS_OF_PIPELINE};
    static const enum rank_groups experts[] = {RANKS_OF_EXPERT_TENSOR, RANKS_OF_EXPERT,
                                               RANKS_OF_EXPERT_SHARDS, RANKS_OF_EXPERT_COPIES,
                                               RANKS_OF_PIPELINE};
    static const enum rank_groups ring[] = {RANKS_OF_TENSOR, RANKS_OF_ULYSSES, RANKS_OF_RING,
                                            RANKS_OF_DATA, RANKS_OF_PIPELINE};
    const struct rank_map map = rank_map_of(plan);
    for (int group = 0; group < RANK_GROUPS; group++)
        check_partition(&map, (enum rank_groups)group);
    check_meeting(&map, dense, 4);
    check_meeting(&map, shared, 4);
    check_meeting(&map, experts, 5);
    if (plan->context_kind == RK_RING_ULYSSES) check_meeting(&map, ring, 5);
}

/* Experts lie within the ranks of a stage. */
static void check_experts(struct rk_plan *plan)
{
    const uint64_t stage = plan->ranks / plan->pipeline;
    for (plan->expert_tensor = 1; plan->expert_tensor <= 2; plan->expert_tensor++)
        for (plan->expert = 1; plan->expert <= 8; plan->expert *= 2)
            if (stage % (plan->expert * plan->expert_tensor) == 0) check_world(plan);
}

Test(ranks, groups_divide_any_world_in_any_order)
{
    static const uint64_t degrees[][4] = {{1, 1, 1, 1}, {2, 1, 4, 1}, {2, 2, 2, 2}, {1, 4, 2, 3},
                                          {4, 1, 3, 2}, {2, 4, 4, 1}, {1, 1, 8, 2}, {3, 2, 4, 2}};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        for (uint64_t shards = 0; shards <= 4; shards += 2) {
            struct rk_plan plan = rk_plan_default();
            plan.tensor = degrees[i][0];
            plan.context = degrees[i][1];
            plan.pipeline = degrees[i][3];
            plan.ranks = plan.tensor * plan.context * degrees[i][2] * plan.pipeline;
            plan.zero = shards > 0;
            if (shards > 2 && plan.context * degrees[i][2] % shards == 0) plan.shard_ranks = shards;
            plan.context_kind = plan.context % 2 == 0 ? RK_RING_ULYSSES : RK_RING;
            plan.ulysses = 2;
            for (plan.order = 0; plan.order < RK_ORDERS; plan.order++)
                check_experts(&plan);
        }
}

/* A domain of 72 holds one group of 64 whole, one of 8 holds two pairs that are strided by 4. */
Test(ranks, placed_in_whole_groups)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 1024;
    plan.expert = 64;
    plan.expert_tensor = 1;
    struct rank_map map = rank_map_of(&plan);
    cr_expect_eq(ranks_placed(&map, RANKS_OF_EXPERT, 72), 64);
    cr_expect_eq(ranks_placed(&map, RANKS_OF_EXPERT, 64), 64);
    cr_expect_eq(ranks_placed(&map, RANKS_OF_EXPERT, 8), 8); /* split in any case */
    plan.tensor = 4;
    plan.context = 2;
    plan.expert = 1;
    map = rank_map_of(&plan);
    cr_expect_eq(ranks_placed(&map, RANKS_OF_RING, 8), 8);
    cr_expect_eq(ranks_placed(&map, RANKS_OF_RING, 12), 8);
}
