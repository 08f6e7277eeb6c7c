#include "cli/clusters_ranks.h"

#include "interop/output.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const ranks_format_names[] = {"mpi", "slurm", "torchrun", "nccl", NULL};

struct writer {
    FILE *file;
    const struct clusters_plan *plan;
    const struct rk_machine *machine;
};

static const char *name_of(const struct writer *w, int cluster)
{
    return w->machine->cluster[cluster].name;
}

/* Open MPI's rankfile: mpirun --rankfile FILE. */
static void write_mpi(const struct writer *w)
{
    for (uint64_t rank = 0; rank < clusters_ranks(w->plan); rank++) {
        const struct rank_place at = clusters_place(w->plan, w->machine, rank);
        fprintf(w->file, "rank %" PRIu64 "=%s-%" PRIu64 " slot=%" PRIu64 "\n", rank,
                name_of(w, at.cluster), at.node, at.device);
    }
}

/* SLURM_HOSTFILE=FILE srun --distribution=arbitrary: a host for each rank. */
static void write_slurm(const struct writer *w)
{
    for (uint64_t rank = 0; rank < clusters_ranks(w->plan); rank++) {
        const struct rank_place at = clusters_place(w->plan, w->machine, rank);
        fprintf(w->file, "%s-%" PRIu64 "\n", name_of(w, at.cluster), at.node);
    }
}

static bool same_node(const struct rank_place *a, const struct rank_place *b)
{
    return a->cluster == b->cluster && a->node == b->node;
}

static uint64_t nodes_of(const struct clusters_plan *plan)
{
    uint64_t nodes = 0;
    for (int i = 0; i < plan->stages; i++)
        nodes += plan->stage[i].nodes;
    return nodes;
}

/* A line for each host: what is to be run there. */
static void write_torchrun(const struct writer *w)
{
    const uint64_t ranks = clusters_ranks(w->plan), nodes = nodes_of(w->plan);
    const struct rank_place master = clusters_place(w->plan, w->machine, 0);
    uint64_t index = 0;
    for (uint64_t rank = 0, end; rank < ranks; rank = end, index++) {
        const struct rank_place at = clusters_place(w->plan, w->machine, rank);
        for (end = rank + 1; end < ranks; end++) {
            const struct rank_place next = clusters_place(w->plan, w->machine, end);
            if (!same_node(&at, &next)) break;
        }
        fprintf(w->file,
                "%s-%" PRIu64 ": torchrun --nnodes=%" PRIu64 " --node-rank=%" PRIu64
                " --nproc-per-node=%" PRIu64 " --master-addr=%s-%" PRIu64 " --master-port=29500\n",
                name_of(w, at.cluster), at.node, nodes, index, end - rank,
                name_of(w, master.cluster), master.node);
    }
}

/* ---- groups ---- */

static void write_members(const struct writer *w, const struct group_shape *shape)
{
    fprintf(w->file, "\"ranks\": [");
    for (uint64_t group = 0; group < shape->groups; group++) {
        fprintf(w->file, "%s[", group ? ", " : "");
        for (uint64_t i = 0; i < shape->members; i++)
            fprintf(w->file, "%s%" PRIu64, i ? ", " : "", clusters_member(shape, group, i));
        fprintf(w->file, "]");
    }
    fprintf(w->file, "]");
}

/* Replicas with common samples: the ranks of one send to those of the other. */
static void write_pairs(const struct writer *w, int stage, int behind)
{
    const uint64_t from = w->plan->stage[stage].data, to = w->plan->stage[behind].data;
    struct message_pair *pair = calloc(from + to, sizeof *pair);
    const uint64_t pairs = pair ? clusters_pairs(from, to, w->plan->round, pair) : 0;
    for (uint64_t i = 0; i < pairs; i++)
        fprintf(w->file, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", i ? ", " : "", pair[i].from,
                pair[i].to, pair[i].samples);
    free(pair);
}

/* Which network of NCCL a communicator takes is ncclConfig_t.netName, in PyTorch
 * ProcessGroupNCCL.Options().config.net_name: "IB" is any RDMA, also RoCE; across clusters that no
 * RDMA joins, "Socket". */
static void write_nccl(const struct writer *w)
{
    static const char *const kinds[] = {"tensor", "context", "data"};
    const char *separator = "";
    fprintf(w->file, "{\n    \"groups\": [");
    for (int stage = 0; stage < w->plan->stages; stage++)
        for (int kind = 0; kind < CLUSTERS_GROUPS; kind++) {
            const struct group_shape shape =
                clusters_groups(w->plan, w->machine, stage, (enum clusters_group)kind);
            if (shape.members == 1) continue;
            fprintf(w->file,
                    "%s\n        {\"kind\": \"%s\", \"stage\": %d, \"cluster\": \"%s\", \"over\": "
                    "\"%s\", \"net_name\": \"%s\", ",
                    separator, kinds[kind], stage, name_of(w, w->plan->stage[stage].cluster),
                    shape.in_node      ? "node"
                    : shape.in_cluster ? "cluster"
                                       : "link",
                    shape.in_cluster ? "IB" : "Socket");
            write_members(w, &shape);
            fprintf(w->file, "}");
            separator = ",";
        }
    fprintf(w->file, "\n    ],\n    \"messages\": [");
    separator = "";
    for (int i = 0; i < w->plan->stages; i++) {
        double messages;
        const int behind = clusters_behind(w->plan, i, &messages);
        const bool link = clusters_crosses(&w->plan->stage[i], &w->plan->stage[behind]);
        if (messages <= 0) continue;
        fprintf(w->file,
                "%s\n        {\"from\": %d, \"to\": %d, \"over\": \"%s\", \"net_name\": \"%s\", "
                "\"bytes_of_a_step_each_way\": %.0f, \"replicas_and_samples\": [",
                separator, i, behind, link ? "link" : "cluster", link ? "Socket" : "IB",
                clusters_sent_bytes(w->plan, i));
        write_pairs(w, i, behind);
        fprintf(w->file, "]}");
        separator = ",";
    }
    fprintf(w->file, "\n    ]\n}\n");
}

enum rk_status clusters_ranks_write(const char *path, enum ranks_format format,
                                    const struct clusters_plan *plan,
                                    const struct rk_machine *machine, struct rk_error *error)
{
    static void (*const write[])(const struct writer *) = {
        [RANKS_MPI] = write_mpi,
        [RANKS_SLURM] = write_slurm,
        [RANKS_TORCHRUN] = write_torchrun,
        [RANKS_NCCL] = write_nccl,
    };
    struct output output;
    const enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    const struct writer writer = {output.file, plan, machine};
    write[format](&writer);
    return output_commit(&output, error);
}
