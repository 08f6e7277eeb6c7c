/* tier.h - a lower memory: what a rank puts there while it computes, and gets back.
 *
 * Two queues, first in first out, each with a thread: one moves out, one moves in, and the rank
 * continues computing. A tier is memory of the host, or a file of its own on drives, without a
 * name, so that nothing is left of it whatever happens. Drives are asked by io_uring, past the page
 * cache (O_DIRECT); where one of the two is refused, by pread and pwrite, and through it.
 *
 * The first failure (a full disk, EIO) ends everything: waits come back with false, and tier_error
 * says why.
 */
#ifndef RECKON_RUN_TIER_H
#define RECKON_RUN_TIER_H

#include "run/tier_move.h"
#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tier_counts {
    uint64_t written_bytes, read_bytes, most_bytes; /* most: that were there at once */
    double write_s, read_s;                         /* that moves took */
    bool direct, ring;                              /* of drives: O_DIRECT, io_uring */
};

struct tier;

/* `folder` NULL: memory. RK_IO with the reason. */
enum rk_status tier_open(struct tier **tier, const char *folder, struct rk_error *error);
void tier_close(struct tier *tier); /* NULL is fine; waits for what is running */

/* Room for `bytes`; false: there is none. */
bool tier_take(struct tier *tier, size_t bytes, uint64_t *place);
void tier_give(struct tier *tier, uint64_t place, size_t bytes);

void tier_start(struct tier *tier, struct tier_move *move);
/* Until it is done; one that was never started is. False: something has failed. */
bool tier_wait(struct tier *tier, struct tier_move *move);

struct tier_counts tier_count(struct tier *tier);
const struct rk_error *tier_error(const struct tier *tier);

#endif
