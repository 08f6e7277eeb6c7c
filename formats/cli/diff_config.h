/* diff_config.h - the keys of a configuration that `reckon diff --best` changes, and the file
 * changed so: for torchtitan, DeepSpeed, NeMo, axolotl, LLaMA-Factory and the other formats of
 * knobs.h. */
#ifndef RECKON_CLI_DIFF_CONFIG_H
#define RECKON_CLI_DIFF_CONFIG_H

#include "cli/diff_input.h"

/* The share of the memory that B may take: what --headroom says; of what is learned, never less
 * than A takes, which runs with that. */
enum rk_status diff_room(const struct diff_source *source, const struct diff_input *input,
                         double *room, struct rk_error *error);

/* Finds B: the best that the keys of A's file can say. RK_NO_MEMORY: no memory. */
enum rk_status config_best(const struct diff_source *source, struct diff_input *input,
                           struct rk_error *error);

/* Its keys as changes of a script have them; NULL: A is no configuration, or B was given. The
 * caller frees it. */
struct megatron_changes *config_changes(const struct diff_input *input);

/* Does the answer go to `path` as the changed file: is that named as A's configuration is? */
bool config_is_output(const struct diff_input *input, const char *path);

enum rk_status config_write(const struct diff_input *input, const char *path,
                            struct rk_error *error);

#endif
