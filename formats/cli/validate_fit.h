/* validate_fit.h - reckon validate --only, --fit and --constants. */
#ifndef RECKON_CLI_VALIDATE_FIT_H
#define RECKON_CLI_VALIDATE_FIT_H

#include "cli/options.h"
#include "cli/show.h"
#include "facts/results.h"

/* Drops the facts that the texts ("source=dgxc", ...) do not take. RK_BAD_ARGUMENT: no such class.
 */
enum rk_status validate_only(struct facts *facts, const struct option_texts *only,
                             struct rk_error *error);

/* Both print, and return the exit code. */
int validate_fit(struct facts *facts, const struct option_texts *only, const char *keys,
                 const struct show_args *show);
int validate_constants(struct facts *facts, const struct show_args *show);

#endif
