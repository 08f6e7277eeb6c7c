/* kernels.h - what predictions need to know of kernels and links, reckon-system(5).
 *
 * A system that says nothing of its kernels has the presets of the table: an accelerator of
 * nobody's, of middling efficiency. The entries of the catalog have their own.
 */
#ifndef RECKON_CATALOG_KERNELS_H
#define RECKON_CATALOG_KERNELS_H

#include "catalog/fields.h"
#include <reckon/system.h>

extern const struct field kernels_fields[]; /* of struct rk_kernels */
extern const struct field link_fields[];    /* of struct rk_link */

/* The group of a system file; "like" names the system (id or path) whose constants it starts from.
 * `depth` as for system_read. */
enum rk_status kernels_read(const struct place *place, int depth, struct rk_kernels *kernels,
                            struct rk_error *error);

#endif
