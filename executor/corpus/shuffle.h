/* shuffle.h - records in an order that a seed decides, more of them than memory holds.
 *
 * Records are spread over buckets on disk by the first bits of their keys; a bucket at a time is
 * sorted by (group, key, number) and handed back. The order does not depend on the number of
 * buckets.
 */
#ifndef RECKON_CORPUS_SHUFFLE_H
#define RECKON_CORPUS_SHUFFLE_H

#include "base/bytes.h"

#include <reckon/status.h>
#include <stdint.h>

struct shuffle;

/* Buckets lie in `folder`, which must exist; `bytes`: about how much will come. */
enum rk_status shuffle_open(const char *folder, uint64_t bytes, struct shuffle **shuffle,
                            struct rk_error *error);
void shuffle_close(struct shuffle *shuffle); /* NULL is fine; removes the buckets */

enum { SHUFFLE_GROUPS = 3 };

/* `group` < SHUFFLE_GROUPS; keys need not differ. */
enum rk_status shuffle_add(struct shuffle *shuffle, int group, uint64_t key, const char *data,
                           size_t size, struct rk_error *error);

/* Hands the records of a group to `take` in order; false from it is RK_IO. */
typedef bool (*shuffle_taker)(void *context, const char *data, size_t size);
enum rk_status shuffle_group(struct shuffle *shuffle, int group, shuffle_taker take, void *context,
                             struct rk_error *error);

#endif
