/* import_slurm.h - reckon import slurm: clusters from Slurm's description of its switches. */
#ifndef RECKON_CLI_IMPORT_SLURM_H
#define RECKON_CLI_IMPORT_SLURM_H

#include "cli/options.h"

extern const struct usage import_slurm_usage;
int import_slurm(int argc, char **argv);

#endif
