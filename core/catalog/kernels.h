/* kernels.h - what predictions need to know of kernels and links, reckon-system(5).
 *
 * A system that says nothing of its kernels has the presets of the table: an accelerator of
 * nobody's, of middling efficiency. The entries of the catalog have their own.
 */
#ifndef RECKON_CATALOG_KERNELS_H
#define RECKON_CATALOG_KERNELS_H

#include "text/fields.h"
#include <reckon/system.h>

extern const struct field kernels_fields[]; /* of struct rk_kernels */
extern const struct field link_fields[];    /* of struct rk_link */

/* The group of a system file; "like" names the system (id or path) whose constants it starts from.
 * `depth` as for system_read. */
/* Those keys that are there, over what `kernels` has; no "like". */
enum rk_status kernels_change(const struct place *place, struct rk_kernels *kernels,
                              struct rk_error *error);

enum rk_status kernels_read(const struct place *place, int depth, struct rk_kernels *kernels,
                            struct rk_error *error);

enum { KERNELS_WHY = 256 };

/* One constant from a description in one line: a key of kernels_fields, a number in the key's unit
 * or with a unit of its own. False, with what is wrong in `why`; *key_wrong says of which of the
 * two. */
bool kernels_set(struct rk_kernels *kernels, const char *key, size_t key_length, const char *value,
                 size_t value_length, bool *key_wrong, char why[static KERNELS_WHY]);

#endif
