/* primus_frameworks.h - Primus' experiments that train with torchtitan or MaxText: their overrides,
 * and the files of Primus that they name, as the configuration of that tool.
 *
 * How the files extend each other: primus/core/config of Primus 0.1 to 0.3. */
#ifndef RECKON_MEGATRON_PRIMUS_FRAMEWORKS_H
#define RECKON_MEGATRON_PRIMUS_FRAMEWORKS_H

#include "keys/reader.h"

/* `model` and `config` name files in primus/configs/models and modules; NULL: none. */
enum rk_status primus_read_framework(const struct config_source *source,
                                     const struct settings *experiment, const char *framework,
                                     const char *model_file, const char *config_file,
                                     struct rk_model *model, struct rk_plan *plan,
                                     struct notes *notes, struct rk_error *error);

#endif
