#include "cli/ranks_files.h"

#include "text/output.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const ranks_format_names[] = {"mpi",      "hostfile", "mpich", "slurm",
                                          "torchrun", "nccl",     NULL};

struct writer {
    FILE *file;
    const struct rk_model *model;
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

/* The ranks of one host, which follow each other. */
struct host {
    struct rank_place at;
    uint64_t begin, end;
};

/* Of the ranks from host->end on; false: there are none. */
static bool next_host(const struct writer *w, struct host *host)
{
    const uint64_t ranks = clusters_ranks(w->plan);
    host->begin = host->end;
    if (host->begin == ranks) return false;
    host->at = clusters_place(w->plan, w->machine, host->begin);
    for (host->end++; host->end < ranks; host->end++) {
        const struct rank_place next = clusters_place(w->plan, w->machine, host->end);
        if (!same_node(&host->at, &next)) break;
    }
    return true;
}

static void write_host(const struct writer *w, const struct rank_place *at)
{
    fprintf(w->file, "%s-%" PRIu64, name_of(w, at->cluster), at->node);
}

/* Open MPI's hosts, and DeepSpeed's: ranks go to them in the order of the file. */
static void write_hostfile(const struct writer *w)
{
    for (struct host host = {.end = 0}; next_host(w, &host);) {
        write_host(w, &host.at);
        fprintf(w->file, " slots=%" PRIu64 "\n", host.end - host.begin);
    }
}

/* MPICH's (Hydra's) hosts: mpiexec -f FILE. */
static void write_mpich(const struct writer *w)
{
    for (struct host host = {.end = 0}; next_host(w, &host);) {
        write_host(w, &host.at);
        fprintf(w->file, ":%" PRIu64 "\n", host.end - host.begin);
    }
}

/* What NCCL is to take of a host: these adapters and no others whose names begin alike. */
static void write_environment(const struct writer *w, int cluster)
{
    const struct rk_cluster *c = &w->machine->cluster[cluster];
    if (*c->adapters) fprintf(w->file, "NCCL_IB_HCA==%s ", c->adapters);
    if (*c->interface) fprintf(w->file, "NCCL_SOCKET_IFNAME==%s ", c->interface);
}

/* A line for each host: what is to be run there. */
static void write_torchrun(const struct writer *w)
{
    const uint64_t nodes = nodes_of(w->plan);
    const struct rank_place master = clusters_place(w->plan, w->machine, 0);
    uint64_t index = 0;
    for (struct host host = {.end = 0}; next_host(w, &host); index++) {
        write_host(w, &host.at);
        fprintf(w->file, ": ");
        write_environment(w, host.at.cluster);
        fprintf(w->file,
                "torchrun --nnodes=%" PRIu64 " --node-rank=%" PRIu64 " --nproc-per-node=%" PRIu64
                " --master-addr=",
                nodes, index, host.end - host.begin);
        write_host(w, &master);
        fprintf(w->file, " --master-port=29500\n");
    }
}

/* ---- groups ---- */

static const char *const group_names[] = {"tensor",    "context", "data",
                                          "gradients", "expert",  "expert gradients"};

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

/* Those of one member, and those that are another kind's under another name, are left out. */
static bool is_group(const struct clusters_stage *stage, enum clusters_group kind,
                     const struct group_shape *shape)
{
    if (kind == CLUSTERS_GRADIENTS && stage->context == 1) return false;
    if (kind == CLUSTERS_EXPERT_GRADIENTS && stage->expert <= 1) return false;
    return shape->members > 1;
}

/* What stands before a further one: "" or ",". */
static const char *write_groups(const struct writer *w)
{
    const char *separator = "";
    for (int stage = 0; stage < w->plan->stages; stage++)
        for (int kind = 0; kind < CLUSTERS_GROUPS; kind++) {
            const struct group_shape shape =
                clusters_groups(w->plan, w->machine, stage, (enum clusters_group)kind);
            if (!is_group(&w->plan->stage[stage], (enum clusters_group)kind, &shape)) continue;
            fprintf(w->file,
                    "%s\n        {\"kind\": \"%s\", \"stage\": %d, \"cluster\": \"%s\", \"over\": "
                    "\"%s\", \"net_name\": \"%s\", ",
                    separator, group_names[kind], stage, name_of(w, w->plan->stage[stage].cluster),
                    shape.in_node      ? "node"
                    : shape.in_cluster ? "cluster"
                                       : "link",
                    shape.in_cluster ? "IB" : "Socket");
            write_members(w, &shape);
            fprintf(w->file, "}");
            separator = ",";
        }
    return separator;
}

/* Tied embeddings stand in the first stage and in the last: a rank of each has the same rows. */
static void write_embedding(const struct writer *w, const char *separator)
{
    const int last = w->plan->stages - 1;
    const struct clusters_stage *a = &w->plan->stage[0], *b = &w->plan->stage[last];
    const bool link = clusters_crosses(a, b);
    if (!w->model->tied_embeddings || last == 0) return;
    fprintf(w->file,
            "%s\n        {\"kind\": \"embedding\", \"stages\": [0, %d], \"over\": \"%s\", "
            "\"net_name\": \"%s\", \"ranks\": [",
            separator, last, link ? "link" : "cluster", link ? "Socket" : "IB");
    const uint64_t second = clusters_first_rank(w->plan, last);
    const bool alike = a->tensor == b->tensor && a->context == b->context && a->gpus == b->gpus;
    for (uint64_t i = 0; alike && i < a->gpus; i++)
        fprintf(w->file, "%s[%" PRIu64 ", %" PRIu64 "]", i ? ", " : "", i, second + i);
    for (uint64_t i = 0; !alike && i < a->gpus + b->gpus; i++) /* among all of them */
        fprintf(w->file, "%s%" PRIu64, i ? ", " : "[", i < a->gpus ? i : second + i - a->gpus);
    fprintf(w->file, "%s]}", alike ? "" : "]");
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

/* The environment of the hosts of each cluster that says what its adapters are. */
static void write_settings(const struct writer *w)
{
    const char *separator = "";
    for (int i = 0; i < w->machine->clusters; i++) {
        const struct rk_cluster *c = &w->machine->cluster[i];
        if (!*c->adapters && !*c->interface) continue;
        fprintf(w->file, "%s{\"cluster\": \"%s\"",
                *separator ? separator : "    \"environment\": [\n        ", c->name);
        if (*c->adapters) fprintf(w->file, ", \"NCCL_IB_HCA\": \"=%s\"", c->adapters);
        if (*c->interface) fprintf(w->file, ", \"NCCL_SOCKET_IFNAME\": \"=%s\"", c->interface);
        fprintf(w->file, "}");
        separator = ",\n        ";
    }
    if (*separator) fprintf(w->file, "\n    ],\n");
}

/* Which network of NCCL a communicator takes is ncclConfig_t.netName, in PyTorch
 * ProcessGroupNCCL.Options().config.net_name: "IB" is any RDMA, also RoCE; across clusters that no
 * RDMA joins, "Socket". */
static void write_nccl(const struct writer *w)
{
    fprintf(w->file, "{\n    \"groups\": [");
    write_embedding(w, write_groups(w));
    fprintf(w->file, "\n    ],\n");
    write_settings(w);
    const char *separator = "";
    fprintf(w->file, "    \"messages\": [");
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
                                    const struct rk_model *model, const struct clusters_plan *plan,
                                    const struct rk_machine *machine, struct rk_error *error)
{
    static void (*const write[])(const struct writer *) = {
        [RANKS_MPI] = write_mpi,     [RANKS_HOSTFILE] = write_hostfile, [RANKS_MPICH] = write_mpich,
        [RANKS_SLURM] = write_slurm, [RANKS_TORCHRUN] = write_torchrun, [RANKS_NCCL] = write_nccl,
    };
    struct output output;
    const enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    const struct writer writer = {output.file, model, plan, machine};
    write[format](&writer);
    return output_commit(&output, error);
}
