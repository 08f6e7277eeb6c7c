/* torchtitan.h - job files (TOML) of torchtitan up to v0.2.2, as far as they decide a plan.
 *
 * The file names a flavor of a model and says degrees, schedule, batch, checkpointing and float8.
 * Keys and defaults: torchtitan/config/job_config.py at v0.2.2 [torchtitan].
 */
#ifndef RECKON_INTEROP_TORCHTITAN_H
#define RECKON_INTEROP_TORCHTITAN_H

#include "interop/reader.h"
#include <stdio.h>

/* What the file cannot say is in `notes` (NOTE_WARNING); RK_NOTHING_FITS with NOTE_REFUSED. */
enum rk_status torchtitan_write(FILE *file, const struct rk_model *model,
                                const struct rk_plan *plan, struct notes *notes,
                                struct rk_error *error);

#endif
