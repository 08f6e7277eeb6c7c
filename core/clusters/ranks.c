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

static int homes_of(const struct clusters_stage *stage)
{
    return stage->homes ? stage->homes : 1;
}

static struct clusters_home home_of(const struct clusters_stage *stage, int i)
{
    return stage->homes
               ? stage->home[i]
               : (struct clusters_home){stage->cluster, stage->gpus, stage->nodes, stage->work};
}

/* Nodes of the cluster that stages in front have, and homes in front of `home`. */
static uint64_t nodes_before(const struct clusters_plan *plan, int stage, int home, int cluster)
{
    uint64_t before = 0;
    for (int i = 0; i <= stage; i++)
        for (int k = 0; k < (i < stage ? homes_of(&plan->stage[i]) : home); k++) {
            const struct clusters_home h = home_of(&plan->stage[i], k);
            if (h.cluster == cluster) before += h.nodes;
        }
    return before;
}

struct rank_place clusters_place(const struct clusters_plan *plan, const struct rk_machine *machine,
                                 uint64_t rank)
{
    int stage = 0, i = 0;
    while (rank >= plan->stage[stage].gpus)
        rank -= plan->stage[stage++].gpus;
    while (rank >= home_of(&plan->stage[stage], i).gpus)
        rank -= home_of(&plan->stage[stage], i++).gpus;
    const struct clusters_home home = home_of(&plan->stage[stage], i);
    const uint64_t node = rk_cluster_node(&machine->cluster[home.cluster]);
    return (struct rank_place){
        stage, home.cluster, nodes_before(plan, stage, i, home.cluster) + rank / node, rank % node};
}

bool clusters_crosses(const struct clusters_stage *a, const struct clusters_stage *b)
{
    for (int i = 0; i < homes_of(a); i++)
        for (int k = 0; k < homes_of(b); k++)
            if (home_of(a, i).cluster != home_of(b, k).cluster) return true;
    return false;
}

struct group_shape clusters_groups(const struct clusters_plan *plan,
                                   const struct rk_machine *machine, int stage,
                                   enum clusters_group kind)
{
    const struct clusters_stage *s = &plan->stage[stage];
    const uint64_t expert = s->expert ? s->expert : 1;
    const uint64_t et = s->expert_tensor ? s->expert_tensor : s->tensor;
    const struct {
        uint64_t members, step;
    } groups[CLUSTERS_GROUPS] = {
        [CLUSTERS_TENSOR] = {s->tensor, 1},
        [CLUSTERS_CONTEXT] = {s->context, s->tensor},
        [CLUSTERS_DATA] = {s->data, s->tensor * s->context},
        [CLUSTERS_GRADIENTS] = {s->context * s->data, s->tensor},
        [CLUSTERS_EXPERT] = {expert, et}, /* as plan/ranks.h lays them out */
        [CLUSTERS_EXPERT_GRADIENTS] = {s->gpus / (et * expert), et * expert},
    };
    struct group_shape shape = {.first = clusters_first_rank(plan, stage),
                                .members = groups[kind].members,
                                .step = groups[kind].step};
    shape.groups = s->gpus / shape.members;
    shape.inner = shape.step;
    shape.block = shape.step * shape.members;
    shape.in_node = true;
    for (int i = 0; i < homes_of(s); i++) {
        const struct clusters_home home = home_of(s, i);
        const uint64_t node = rk_cluster_node(&machine->cluster[home.cluster]);
        shape.in_node &= shape.members == 1 || home.gpus <= node || node % shape.block == 0;
    }
    shape.in_cluster =
        kind == CLUSTERS_TENSOR || kind == CLUSTERS_CONTEXT || !clusters_crosses(s, s);
    shape.in_node &= shape.in_cluster;
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
