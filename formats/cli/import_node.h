/* import_node.h - reckon import hwloc and nvidia-smi: a machine from the description of a node. */
#ifndef RECKON_CLI_IMPORT_NODE_H
#define RECKON_CLI_IMPORT_NODE_H

#include "cli/options.h"

extern const struct usage import_hwloc_usage, import_nvidia_smi_usage;
int import_hwloc(int argc, char **argv);
int import_nvidia_smi(int argc, char **argv);

#endif
