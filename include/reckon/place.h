/* place.h - fixed addresses for buffers whose lifetimes are known, so that no allocator runs.
 *
 * A buffer is alive in start <= t < end and has a size; buffers that are alive together must not
 * overlap, and the highest end, the peak, is to be low: dynamic storage allocation, NP-hard. The
 * lower bound is the most bytes alive at any moment; it is not always reached. What is called
 * optimal is proved so: the peak meets the bound, or the search for a lower one was complete.
 * The same buffers give the same addresses on every machine. docs/memory-planning.md.
 */
#ifndef RECKON_PLACE_H
#define RECKON_PLACE_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_buffer {
    int64_t start, end; /* any unit; start < end */
    uint64_t size;      /* bytes, or any unit; at most RK_PLACE_MOST in all */
    uint64_t alignment; /* of its address; 0: as 1 */
};

#define RK_PLACE_MOST (UINT64_C(1) << 60)

struct rk_place_options {
    uint64_t capacity; /* any placement this low will do; 0: the lowest */
    uint64_t steps;    /* of the search, after which the best so far is taken; 0: RK_PLACE_STEPS */
    bool (*stop)(void *context); /* asked now and then; true ends the search; NULL: never */
    void *context;
};

enum { RK_PLACE_STEPS = 5000000 }; /* some seconds */

/* How the addresses were found. */
enum rk_place_by { RK_PLACE_GREEDY, RK_PLACE_SEARCH };

struct rk_placement {
    uint64_t peak;  /* of the addresses */
    uint64_t live;  /* the most bytes alive at a moment */
    uint64_t bound; /* no placement is lower: live, or more where that is proved */
    bool optimal;   /* peak == bound */
    enum rk_place_by by;
    uint64_t steps; /* of the search */
};

/* Fills address[count] and `placement`; RK_OK also when the peak is above options->capacity
 * (compare). `options` may be NULL. RK_BAD_INPUT: a buffer ends before it starts, an alignment is
 * no power of two, or the sizes are too large; RK_NO_MEMORY: no memory. */
RK_API enum rk_status rk_place(const struct rk_buffer *buffer, size_t count,
                               const struct rk_place_options *options, uint64_t *address,
                               struct rk_placement *placement, struct rk_error *error);

/* The most bytes alive at any moment; UINT64_MAX when there is no memory to find out. */
RK_API uint64_t rk_place_live(const struct rk_buffer *buffer, size_t count);

/* ---- proof ---- */

enum rk_place_fault {
    RK_PLACE_SOUND,
    RK_PLACE_OVERLAP,   /* of `first` and `second`, alive together */
    RK_PLACE_TOO_HIGH,  /* `first` ends above the capacity */
    RK_PLACE_UNALIGNED, /* `first` */
    RK_PLACE_UNCHECKED  /* no memory */
};

/* Checks addresses by a sweep through time that shares nothing with how they are found; capacity 0:
 * any. */
RK_API enum rk_place_fault rk_place_check(const struct rk_buffer *buffer, size_t count,
                                          const uint64_t *address, uint64_t capacity, size_t *first,
                                          size_t *second);

/* ---- two levels ---- */

/* Buffers of a step of which some are made within passes of a layer. A pass's buffers are placed
 * alone, then the pass stands for one buffer in the step [zhao2025memo]; a final address is that of
 * its pass and the one in it. `pass[i]`, of count, is the pass of buffer i, -1: none. Buffers of a
 * pass must not outlive it: a pass is alive from the first start to the last end of its buffers.
 * Passes that are alike get the same inner addresses at one price. */
RK_API enum rk_status rk_place_two_levels(const struct rk_buffer *buffer, const int *pass,
                                          size_t count, const struct rk_place_options *options,
                                          uint64_t *address, struct rk_placement *placement,
                                          struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
