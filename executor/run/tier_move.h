/* tier_move.h - what is moved between a rank's memory and a lower one. */
#ifndef RECKON_RUN_TIER_MOVE_H
#define RECKON_RUN_TIER_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIER_PAGE = 4096 }; /* addresses, sizes and places are multiples of it */

enum tier_state { MOVE_NONE, MOVE_QUEUED, MOVE_RUNNING, MOVE_DONE };

/* The caller's; stays where it is until it is done. */
struct tier_move {
    void *data;
    size_t bytes;
    uint64_t place;
    bool out;              /* from `data` to the tier */
    enum tier_state state; /* the tier's */
    struct tier_move *next;
};

#endif
