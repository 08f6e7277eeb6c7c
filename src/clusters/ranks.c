#include "clusters/ranks.h"

uint64_t clusters_first_rank(const struct clusters_plan *plan, int stage)
{
    uint64_t ranks = 0;
    for (int i = 0; i < stage; i++)
        ranks += plan->stage[i].gpus;
    return ranks;
}

uint64_t clusters_ranks(const struct clusters_plan *plan)
{
    return clusters_first_rank(plan, plan->stages);
}

struct rank_place clusters_place(const struct clusters_plan *plan, const struct rk_machine *machine,
                                 uint64_t rank)
{
    int stage = 0;
    uint64_t before = 0; /* nodes of the cluster that stages in front have */
    while (rank >= plan->stage[stage].gpus)
        rank -= plan->stage[stage++].gpus;
    const int cluster = plan->stage[stage].cluster;
    const uint64_t node = rk_cluster_node(&machine->cluster[cluster]);
    for (int i = 0; i < stage; i++)
        if (plan->stage[i].cluster == cluster) before += plan->stage[i].nodes;
    return (struct rank_place){stage, cluster, before + rank / node, rank % node};
}

struct group_shape clusters_groups(const struct clusters_plan *plan,
                                   const struct rk_machine *machine, int stage,
                                   enum clusters_group kind)
{
    const struct clusters_stage *s = &plan->stage[stage];
    const uint64_t degree[CLUSTERS_GROUPS] = {s->tensor, s->context, s->data};
    const uint64_t node = rk_cluster_node(&machine->cluster[s->cluster]);
    struct group_shape shape = {.first = clusters_first_rank(plan, stage), .step = 1};
    for (int i = 0; i < (int)kind; i++)
        shape.step *= degree[i];
    shape.members = degree[kind];
    shape.groups = s->gpus / shape.members;
    shape.inner = shape.step;
    shape.block = shape.step * shape.members;
    shape.in_node = shape.members == 1 || s->gpus <= node || node % shape.block == 0;
    return shape;
}

uint64_t clusters_member(const struct group_shape *shape, uint64_t group, uint64_t i)
{
    return shape->first + group % shape->inner + group / shape->inner * shape->block +
           i * shape->step;
}

uint64_t clusters_pairs(uint64_t from, uint64_t to, uint64_t round, struct message_pair *pair)
{
    uint64_t pairs = 0;
    for (uint64_t at = 0; at < round; pairs++) {
        const uint64_t i = at / (round / from), k = at / (round / to);
        const uint64_t end_i = (i + 1) * (round / from), end_k = (k + 1) * (round / to);
        const uint64_t end = end_i < end_k ? end_i : end_k;
        if (pair) pair[pairs] = (struct message_pair){i, k, end - at};
        at = end;
    }
    return pairs;
}
