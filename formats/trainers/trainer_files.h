/* trainer_files.h - files that a configuration of a trainer names. */
#ifndef RECKON_TRAINERS_TRAINER_FILES_H
#define RECKON_TRAINERS_TRAINER_FILES_H

#include "keys/reader.h"

/* The text of a file that the script writes, or that is in the configuration's folder or up to four
 * folders above it; the caller frees it. NULL: there is none. */
char *trainer_file(const struct config_source *source, const char *name);

/* fsdp_config of TrainingArguments may name a file: its keys, as if they stood here. */
enum rk_status trainer_fsdp_config(const struct config_source *source, struct settings *settings,
                                   struct rk_error *error);

#endif
