/* ranks_files.h - a plan over clusters as files that launchers read. */
#ifndef RECKON_CLI_RANKS_FILES_H
#define RECKON_CLI_RANKS_FILES_H

#include "clusters/ranks.h"
#include <reckon/status.h>

enum ranks_format {
    RANKS_MPI,
    RANKS_HOSTFILE,
    RANKS_MPICH,
    RANKS_SLURM,
    RANKS_TORCHRUN,
    RANKS_NCCL
};
extern const char *const ranks_format_names[]; /* ended by NULL */

/* Hosts are NAME-NODE, of the cluster's name and the node's number. `model`: are embeddings tied?
 */
enum rk_status clusters_ranks_write(const char *path, enum ranks_format format,
                                    const struct rk_model *model, const struct clusters_plan *plan,
                                    const struct rk_machine *machine, struct rk_error *error);

#endif
