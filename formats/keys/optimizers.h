/* optimizers.h - optimizers of other tools, by what they store of each parameter. */
#ifndef RECKON_KEYS_OPTIMIZERS_H
#define RECKON_KEYS_OPTIMIZERS_H

#include "keys/reader.h"

/* Takes the optimizer of the first key that is there over into the plan, without one none. A name
 * whose state plans do not have is refused, unless the caller ignores its key. */
enum rk_status optimizer_read(const struct config_source *source, const struct settings *settings,
                              const char *const keys[], struct rk_plan *plan, struct notes *notes,
                              struct rk_error *error);

#endif
