#include "keys/launch_file.h"
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const launcher_names[] = {"none", "torchrun", "slurm", "mpirun", "kubernetes", NULL};

uint64_t launch_node_size(uint64_t ranks, uint64_t wanted, uint64_t tensor)
{
    const uint64_t most = wanted ? wanted : 8, size = largest_divisor(ranks, most, tensor);
    return size ? size : largest_divisor(ranks, most, 1);
}

/* ---- parts ---- */

enum { HOUR_S = 3600, MINUTE_S = 60, DAY_H = 24 };

/* A limit of a tenth more than is expected: whole hours, of less than one 10 minutes more. */
static void time_limit(FILE *file, double time_s)
{
    const double hours = ceil(1.1 * time_s / HOUR_S);
    if (!(time_s > 0)) {
        fprintf(file, "# Yours: --time, which --tokens and --system say.\n");
        return;
    }
    if (time_s < HOUR_S)
        fprintf(file, "#SBATCH --time=00:%02.0f:00\n", fmin(59, ceil(time_s / MINUTE_S) + 10));
    else
        fprintf(file, "#SBATCH --time=%.0f-%02.0f:00:00\n", floor(hours / DAY_H),
                fmod(hours, DAY_H));
    fprintf(file,
            "# ^ the run takes %.3g %s, failures and checkpoints included; the limit is longer\n",
            time_s < HOUR_S       ? time_s / MINUTE_S
            : time_s < 2 * 86400. ? time_s / HOUR_S
                                  : time_s / 86400,
            time_s < HOUR_S       ? "minutes"
            : time_s < 2 * 86400. ? "hours"
                                  : "days");
}

void launch_slurm_head(FILE *file, const char *name, uint64_t nodes, uint64_t per_node,
                       const struct launch_run *run, bool resumes)
{
    fprintf(file,
            "#SBATCH --job-name=%s\n#SBATCH --nodes=%" PRIu64 "\n#SBATCH --ntasks-per-node=1\n"
            "#SBATCH --gpus-per-node=%" PRIu64 "\n#SBATCH --exclusive\n",
            name, nodes, per_node);
    if (run && run->together > per_node && nodes * per_node > run->together)
        fprintf(file,
                "#SBATCH --segment=%" PRIu64 "\n# ^ nodes of one domain (topology/block): no group "
                "of experts is split\n",
                run->together / per_node);
    time_limit(file, run ? run->time_s : 0);
    if (resumes)
        fprintf(file, "#SBATCH --requeue\n# ^ after a node fails it starts again, from the newest "
                      "checkpoint\n#SBATCH --open-mode=append\n");
}

/* What makes libraries take the network that is there. NCCL's of its guide to variables, those of
 * EFA of libfabric's page fi_efa(7), of Slingshot of fi_cxi(7). */
static const struct fabric {
    const char *network, *variable, *value, *why;
} fabrics[] = {
    {"InfiniBand", "NCCL_NET", "IB", "fails where it is missing, instead of TCP in silence"},
    {"InfiniBand", "NCCL_IB_HCA", "mlx5", "adapters whose names begin so; list those for training"},
    {"RoCE", "NCCL_NET", "IB", "RoCE goes by verbs, too; fails where it is missing"},
    {"RoCE", "NCCL_IB_GID_INDEX", "3", "RoCE v2 over IPv4, see show_gids; NCCL 2.21 finds it"},
    {"EFA", "FI_PROVIDER", "efa", "libfabric's provider for EFA, instead of TCP in silence"},
    {"EFA", "FI_EFA_FORK_SAFE", "1", "loaders of data fork"},
    {"Slingshot", "FI_PROVIDER", "cxi", "libfabric's provider for Slingshot"},
};

enum { FABRICS = sizeof fabrics / sizeof *fabrics };

static bool is_of(const struct fabric *fabric, const struct launch_run *run)
{
    return run && strcmp(fabric->network, run->network) == 0;
}

void launch_fabric(FILE *file, const struct launch_run *run, uint64_t nodes)
{
    bool known = false;
    if (!run || !*run->network || nodes < 2) return;
    for (int i = 0; i < FABRICS; i++) {
        if (!is_of(&fabrics[i], run)) continue;
        known = true;
        fprintf(file, "export %s=\"${%s:-%s}\" # %s\n", fabrics[i].variable, fabrics[i].variable,
                fabrics[i].value, fabrics[i].why);
    }
    if (!known)
        fprintf(file,
                "# The system calls what joins its nodes \"%s\" and does not say what that is: %s "
                "looks.\n",
                run->network, run->rocm ? "RCCL" : "NCCL");
}

void launch_mpirun(FILE *file, const struct launch_run *run, const char *nodes, const char *also)
{
    fprintf(file,
            "mpirun -np %s --hostfile \"$HOSTFILE\" --map-by ppr:1:node --bind-to none -x PATH",
            nodes);
    for (int i = 0; i < FABRICS; i++)
        if (is_of(&fabrics[i], run)) fprintf(file, " -x %s", fabrics[i].variable);
    fprintf(file, "%s \\\n    ", also);
}

/* Writes every line of a text after this number of blanks. */
static void indented(FILE *file, const char *text, int blanks)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        if (n) fprintf(file, "%*s%.*s", blanks, "", (int)n, text);
        putc('\n', file);
        text += n + (text[n] == '\n');
    }
}

/* The file that the command reads, as a document that nothing is expanded in. */
static void document(FILE *file, const struct launch_file *l, int blanks)
{
    if (!l->file) return;
    fprintf(file, "%*scat > %s <<'RECKON'\n", blanks, "", l->file);
    indented(file, l->text, blanks);
    fprintf(file, "%*sRECKON\n", blanks, "");
}

static void environment(FILE *file, const struct launch_file *l)
{
    fprintf(file, "%s\nexport TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n\n",
            l->one_queue ? "export CUDA_DEVICE_MAX_CONNECTIONS=1 # Hopper and earlier"
                         : "unset CUDA_DEVICE_MAX_CONNECTIONS # gathers overlap with computation");
}

/* What starts the ranks of a node, and how it calls them. */
static const struct starter {
    const char *name, *nodes, *ranks, *rank, *address, *port;
} starters[] = {
    {"torchrun", "nnodes", "nproc_per_node", "node_rank", "master_addr", "master_port"},
    {"accelerate launch", "num_machines", "num_processes", "machine_rank", "main_process_ip",
     "main_process_port"},
};

/* "torchrun --nnodes 2 --nproc_per_node 8 --node_rank 0 --master_addr ... --master_port ..." */
static void start(FILE *file, const struct launch_file *l, uint64_t size, const char *rank,
                  const char *address, const char *port)
{
    const struct starter *s = &starters[l->accelerate];
    fprintf(file, "%s --%s %" PRIu64 " --%s %" PRIu64 " --%s %s --%s %s --%s %s", s->name, s->nodes,
            l->ranks / size, s->ranks, l->accelerate ? l->ranks : size, s->rank, rank, s->address,
            address, s->port, port);
}

/* The steps of the run, for a command that has no option for them. */
static void say_run(FILE *file, const struct launch_file *l)
{
    const struct launch_run *run = l->run;
    if (!run || l->resumes) return;
    if (run->steps)
        fprintf(file, "# The run: %" PRIu64 " steps, %s.\n", run->steps, run->steps_from);
    if (run->save_every)
        fprintf(file, "# A checkpoint every %" PRIu64 " steps is best: %s.\n", run->save_every,
                run->saves_from);
}

/* On every node, by what starts one process there. torchrun finds the ranks of nodes itself;
 * accelerate is told. */
static void start_nodes(FILE *file, const struct launch_file *l, uint64_t size)
{
    const bool slurm = l->launcher == LAUNCHER_SLURM;
    char nodes[24];
    snprintf(nodes, sizeof nodes, "%" PRIu64, l->ranks / size);
    fprintf(file, "\n%sMASTER_ADDR=$(%s)\n", l->accelerate ? "export " : "",
            slurm ? "scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1"
                  : "head -n 1 \"$HOSTFILE\" | cut -d ' ' -f 1");
    if (slurm)
        fputs("srun ", file);
    else
        launch_mpirun(file, l->run, nodes, l->one_queue ? " -x CUDA_DEVICE_MAX_CONNECTIONS" : "");
    if (l->accelerate) {
        fprintf(file, "%sbash -c '", slurm ? "" : "-x MASTER_ADDR ");
        start(file, l, size, slurm ? "\"$SLURM_NODEID\"" : "\"$OMPI_COMM_WORLD_RANK\"",
              "\"$MASTER_ADDR\"", "29500");
        fprintf(file, " \\\n    %s'\n", l->command);
    } else
        fprintf(file,
                "torchrun --nnodes %s --nproc_per_node %" PRIu64
                " --rdzv_backend c10d \\\n    --rdzv_id %s --rdzv_endpoint "
                "\"$MASTER_ADDR:29500\" \\\n    %s\n",
                nodes, size, slurm ? "\"$SLURM_JOB_ID\"" : "reckon", l->command);
}

static void script(FILE *file, const struct launch_file *l, uint64_t size)
{
    const uint64_t nodes = l->ranks / size;
    fprintf(file, "#!/bin/bash\n");
    if (l->launcher == LAUNCHER_SLURM)
        launch_slurm_head(file, l->name, nodes, size, l->run, l->resumes);
    say_run(file, l);
    fprintf(file, "set -euo pipefail\n\n");
    if (l->launcher == LAUNCHER_MPIRUN)
        fprintf(file, "HOSTFILE=${HOSTFILE:-hosts} # yours: a line for each node\n\n");
    launch_fabric(file, l->run, nodes);
    environment(file, l);
    document(file, l, 0);
    if (l->launcher != LAUNCHER_TORCHRUN) return start_nodes(file, l, size);
    putc('\n', file);
    start(file, l, size, "\"${NODE_RANK:-0}\"", "\"${MASTER_ADDR:-localhost}\"",
          "\"${MASTER_PORT:-29500}\"");
    fprintf(file, " \\\n    %s \"$@\"\n", l->command);
}

static void replica(FILE *file, const struct launch_file *l, const char *kind, uint64_t count,
                    uint64_t size)
{
    if (!count) return;
    fprintf(file,
            "    %s:\n      replicas: %" PRIu64 "\n      restartPolicy: OnFailure\n"
            "      template:\n        spec:\n          containers:\n            - name: pytorch\n"
            "              image: IMAGE # yours\n              command: [\"/bin/bash\", \"-c\"]\n"
            "              args:\n                - |\n",
            kind, count);
    if (l->one_queue) fprintf(file, "                  export CUDA_DEVICE_MAX_CONNECTIONS=1\n");
    document(file, l, 18);
    fprintf(file, "%18s", "");
    start(file, l, size, "$RANK", "$MASTER_ADDR", "$MASTER_PORT");
    fprintf(file,
            " %s\n              resources:\n                limits:\n"
            "                  nvidia.com/gpu: %" PRIu64 "\n",
            l->command, size);
}

static void kubernetes(FILE *file, const struct launch_file *l, uint64_t size)
{
    fprintf(file,
            "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: %s\nspec:\n"
            "  pytorchReplicaSpecs:\n",
            l->name);
    replica(file, l, "Master", 1, size);
    replica(file, l, "Worker", l->ranks / size - 1, size);
}

void launch_file_write(FILE *file, const struct launch_file *launch)
{
    const uint64_t size = launch_node_size(launch->ranks, launch->gpus_per_node, launch->tensor);
    if (launch->launcher == LAUNCHER_NONE)
        fputs(launch->text, file);
    else if (launch->launcher == LAUNCHER_KUBERNETES)
        kubernetes(file, launch, size);
    else
        script(file, launch, size);
}
