/* launch_file.h - a whole file that a scheduler takes: what a target wrote, the environment that
 * the plan needs, nodes and GPUs, and the command. */
#ifndef RECKON_KEYS_LAUNCH_FILE_H
#define RECKON_KEYS_LAUNCH_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum launcher { LAUNCHER_NONE, LAUNCHER_TORCHRUN, LAUNCHER_SLURM, LAUNCHER_KUBERNETES };

extern const char *const launcher_names[]; /* "none", "torchrun", ...; ended by NULL */

struct launch_file {
    enum launcher launcher;
    uint64_t ranks, gpus_per_node; /* 0: 8, or all where there are fewer */
    const char *name;              /* of the job: letters, digits, dashes */
    const char *file, *text;       /* what the command reads, written beside it; NULL: none */
    const char *command;           /* behind the starter and its options */
    bool accelerate;               /* the starter: accelerate launch, not torchrun */
    bool one_queue;                /* CUDA_DEVICE_MAX_CONNECTIONS=1, for tensor or context ranks */
};

/* Ranks on a node: a divisor of all, at most what is wanted. */
uint64_t launch_node_size(uint64_t ranks, uint64_t wanted);

/* LAUNCHER_NONE: the text alone. */
void launch_file_write(FILE *file, const struct launch_file *launch);

#endif
