/* ranks.h - where each rank of a plan over clusters runs, and over what each of its groups talks.
 *
 * Ranks are counted through the stages; within one tensor is innermost, then context, then data.
 * The nodes of a cluster are filled in the order of its stages, each from a node of its own on;
 * idle ones are the last. So tensor groups stay in a node, context and data groups in their stage's
 * nodes, and what leaves a cluster is messages between two stages, and tied embeddings; of a stage
 * with replicas on several clusters also its data groups.
 */
#ifndef RECKON_CLUSTERS_RANKS_H
#define RECKON_CLUSTERS_RANKS_H

#include "clusters/plan.h"

struct rank_place {
    int stage, cluster;
    uint64_t node, device; /* node of the cluster, device of the node */
};

/* Of all stages. */
uint64_t clusters_ranks(const struct clusters_plan *plan);

/* Requires rank < clusters_ranks(). */
struct rank_place clusters_place(const struct clusters_plan *plan, const struct rk_machine *machine,
                                 uint64_t rank);

/* Are some GPUs of one in another cluster than some of the other? */
bool clusters_crosses(const struct clusters_stage *a, const struct clusters_stage *b);

/* The first rank of a stage. */
uint64_t clusters_first_rank(const struct clusters_plan *plan, int stage);

/* Groups of a stage that are alike: member i of group g is
 * first + (g % inner) + (g / inner) * block + i * step. */
enum clusters_group {
    CLUSTERS_TENSOR,
    CLUSTERS_CONTEXT,
    CLUSTERS_DATA,
    CLUSTERS_GRADIENTS, /* data and context together: of what no expert has */
    CLUSTERS_EXPERT,
    CLUSTERS_EXPERT_GRADIENTS, /* copies of the same experts */
    CLUSTERS_GROUPS
};

struct group_shape {
    uint64_t first, groups, members, step, inner, block;
    bool in_node; /* all members of a group share a node */
    bool in_cluster;
};
struct group_shape clusters_groups(const struct clusters_plan *plan,
                                   const struct rk_machine *machine, int stage,
                                   enum clusters_group kind);
uint64_t clusters_member(const struct group_shape *shape, uint64_t group, uint64_t i);

/* Who sends what to whom between stages of `from` and `to` replicas: replica j of d holds samples
 * j * round / d to (j + 1) * round / d - 1, and each pair with common samples is one message, of
 * which there are from + to - gcd(from, to). Counts them; `pair` may be NULL, else it has room. */
struct message_pair {
    uint64_t from, to, samples; /* replicas; of a round */
};
uint64_t clusters_pairs(uint64_t from, uint64_t to, uint64_t round, struct message_pair *pair);

#endif
