/* arithmetic.h - data/model-arithmetic.json: what the checkpoints of the catalog's models compute
 * beyond their shapes. */
#ifndef RECKON_CATALOG_ARITHMETIC_H
#define RECKON_CATALOG_ARITHMETIC_H

#include <reckon/status.h>

#include <jansson.h>

/* A reference to the table's row of an id, with `said` or `lacks`; NULL: it has none. */
enum rk_status arithmetic_row(const char *id, json_t **row, struct rk_error *error);

#endif
