/* launch_file.h - a whole file that a scheduler takes: what a target wrote, the environment that
 * the plan needs, nodes and GPUs, and the command. */
#ifndef RECKON_KEYS_LAUNCH_FILE_H
#define RECKON_KEYS_LAUNCH_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum launcher {
    LAUNCHER_NONE,
    LAUNCHER_TORCHRUN,
    LAUNCHER_SLURM,
    LAUNCHER_MPIRUN,
    LAUNCHER_KUBERNETES
};

extern const char *const launcher_names[]; /* "none", "torchrun", ...; ended by NULL */

/* The run that is started, as far as it is known; zeroed: nothing is. */
struct launch_run {
    uint64_t steps, save_every; /* of the whole run; between two checkpoints */
    double time_s;              /* of the whole run, failures and checkpoints included */
    char steps_from[64];        /* "1T tokens of 2097152 a step" */
    char saves_from[96];        /* what the checkpoints are against */
    char network[32];           /* what joins the nodes, as the system names it; "": not known */
    bool rocm;                  /* AMD's libraries, not NVIDIA's */
    uint64_t node;              /* GPUs of a node of the system; 0: not known */
    uint64_t together;          /* GPUs that are to be in one domain of several nodes; 0: any */
};

struct launch_file {
    enum launcher launcher;
    const struct launch_run *run;  /* NULL: as zeroed */
    uint64_t ranks, gpus_per_node; /* 0: 8, or all where there are fewer */
    uint64_t tensor;               /* ranks that share a node where it can be */
    const char *name;              /* of the job: letters, digits, dashes */
    const char *file, *text;       /* what the command reads, written to the same folder; NULL:
                                      none */
    const char *command;           /* after the starter and its options */
    bool accelerate;               /* the starter: accelerate launch, not torchrun */
    bool one_queue;                /* CUDA_DEVICE_MAX_CONNECTIONS=1, for tensor or context ranks */
    bool resumes; /* started again, the command continues from its newest checkpoint */
};

/* Ranks on a node: a divisor of all, at most what is wanted, with whole groups of `tensor` ranks
 * where there is such a number. */
uint64_t launch_node_size(uint64_t ranks, uint64_t wanted, uint64_t tensor);

/* ---- parts of scripts, which Megatron-LM's has, too ---- */

/* The #SBATCH lines: nodes, GPUs and, where known, the time limit. */
void launch_slurm_head(FILE *file, const char *name, uint64_t nodes, uint64_t per_node,
                       const struct launch_run *run, bool resumes);

/* Variables of the network between nodes, each with its why, where it is known. */
void launch_fabric(FILE *file, const struct launch_run *run, uint64_t nodes);

/* `mpirun` of one process a node, with the variables that the script sets: the fabric's and
 * `also`, " -x NAME". */
void launch_mpirun(FILE *file, const struct launch_run *run, const char *nodes, const char *also);

/* LAUNCHER_NONE: the text alone. */
void launch_file_write(FILE *file, const struct launch_file *launch);

#endif
