/* run_script.h - a shell script, with #SBATCH lines or without, that starts a training of one of
 * the tools of reader.h: the configuration that its command names, with the arguments that the
 * command adds, and on how many GPUs. The script is read as shell.h does; nothing is executed. */
#ifndef RECKON_MEGATRON_RUN_SCRIPT_H
#define RECKON_MEGATRON_RUN_SCRIPT_H

#include "keys/reader.h"

/* Is this the text of a script, by its name or its first line? */
bool run_script_is(const char *path, const char *text);

/* As format->read of the configuration would. A set of `script` is a variable of the script where
 * that uses $NAME, otherwise a key of the configuration, and wins over the command's. Without a
 * `model` the command is only chosen. */
enum rk_status run_script_read(const struct plan_format *format, const struct config_source *script,
                               size_t size, struct rk_model *model, struct rk_plan *plan,
                               struct notes *notes, struct rk_error *error);

#endif
