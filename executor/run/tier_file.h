/* tier_file.h - blocks of a file on drives, past the page cache where that is allowed. */
#ifndef RECKON_RUN_TIER_FILE_H
#define RECKON_RUN_TIER_FILE_H

#include "run/tier_move.h"
#include <reckon/status.h>

/* A file without a name in `folder`: its descriptor, or -1. */
int tier_file_open(const char *folder, bool *direct, struct rk_error *error);

/* What one thread moves with: a ring, or nothing. */
struct tier_ring;
struct tier_ring *tier_ring_open(void); /* NULL: io_uring is refused, or not built in */
void tier_ring_close(struct tier_ring *ring);

/* All moves of a list, one way, in pieces that are under way together; `ring` may be NULL. False:
 * errno. */
bool tier_file_move(int file, struct tier_ring *ring, const struct tier_move *first);

#endif
