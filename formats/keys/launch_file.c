#include "keys/launch_file.h"

#include <inttypes.h>
#include <string.h>

const char *const launcher_names[] = {"none", "torchrun", "slurm", "kubernetes", NULL};

uint64_t launch_node_size(uint64_t ranks, uint64_t wanted)
{
    uint64_t size = wanted ? wanted : 8;
    if (size > ranks) size = ranks;
    while (ranks % size)
        size--;
    return size;
}

/* Every line of a text behind as many blanks. */
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
                         : "unset CUDA_DEVICE_MAX_CONNECTIONS # gathers beside the computing");
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

/* torchrun finds the ranks of nodes itself; accelerate is told, on each node. */
static void srun(FILE *file, const struct launch_file *l, uint64_t size)
{
    fprintf(file,
            "\n%sMASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n",
            l->accelerate ? "export " : "");
    if (l->accelerate) {
        fprintf(file, "srun bash -c '");
        start(file, l, size, "\"$SLURM_NODEID\"", "\"$MASTER_ADDR\"", "29500");
        fprintf(file, " \\\n    %s'\n", l->command);
    } else
        fprintf(file,
                "srun torchrun --nnodes %" PRIu64 " --nproc_per_node %" PRIu64
                " --rdzv_backend c10d \\\n    --rdzv_id \"$SLURM_JOB_ID\" --rdzv_endpoint "
                "\"$MASTER_ADDR:29500\" \\\n    %s\n",
                l->ranks / size, size, l->command);
}

static void script(FILE *file, const struct launch_file *l, uint64_t size, bool slurm)
{
    fprintf(file, "#!/bin/bash\n");
    if (slurm)
        fprintf(file,
                "#SBATCH --job-name=%s\n#SBATCH --nodes=%" PRIu64 "\n#SBATCH --ntasks-per-node=1\n"
                "#SBATCH --gpus-per-node=%" PRIu64 "\n#SBATCH --exclusive\n",
                l->name, l->ranks / size, size);
    fprintf(file, "set -euo pipefail\n\n");
    environment(file, l);
    document(file, l, 0);
    if (slurm) return srun(file, l, size);
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
    const uint64_t size = launch_node_size(launch->ranks, launch->gpus_per_node);
    if (launch->launcher == LAUNCHER_NONE)
        fputs(launch->text, file);
    else if (launch->launcher == LAUNCHER_KUBERNETES)
        kubernetes(file, launch, size);
    else
        script(file, launch, size, launch->launcher == LAUNCHER_SLURM);
}
