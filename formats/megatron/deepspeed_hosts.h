/* deepspeed_hosts.h - the GPUs that DeepSpeed's launcher takes: --hostfile, --include and --exclude
 * (launcher/runner.py of DeepSpeed). */
#ifndef RECKON_MEGATRON_DEEPSPEED_HOSTS_H
#define RECKON_MEGATRON_DEEPSPEED_HOSTS_H

#include "shell/shell.h"

#include <stdint.h>

/* `nodes` and `each`: of --num_nodes and --num_gpus, 0 where they are not said. 0: nothing at hand
 * says it. */
uint64_t deepspeed_hosts(const struct shell *shell, const struct shell_word *words, size_t count,
                         uint64_t nodes, uint64_t each);

#endif
