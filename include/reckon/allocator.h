/* allocator.h - PyTorch's caching allocator over a trace of requests, simulated.
 *
 * Sizes are rounded up to 512 bytes. Requests of up to 1 MiB are served from segments of 2 MiB, of
 * less than 10 MiB from segments of 20 MiB, larger ones from segments of their own, rounded up to 2
 * MiB. The smallest free block that is large enough is used, at the lowest address; it is split
 * when the rest is at least 512 bytes (small) or more than 1 MiB (large). Freed blocks are merged
 * with free neighbors of their segment. When the device has no room, the allocator frees wholly
 * free segments, then fails [c10/cuda/CUDACachingAllocator.cpp]. With expandable segments there is
 * one segment of small and one of large blocks, which grow by 2 and 20 MiB at their ends: nothing
 * is lost between segments.
 */
#ifndef RECKON_ALLOCATOR_H
#define RECKON_ALLOCATOR_H

#include <reckon/place.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_allocator_options {
    bool expandable;   /* PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True */
    uint64_t capacity; /* of the device, for segments; 0: no limit */
};

struct rk_allocator_result {
    uint64_t allocated; /* the most in blocks that are in use: max_memory_allocated() */
    uint64_t reserved;  /* the most in segments: max_memory_reserved() */
    uint64_t at_peak;   /* reserved when allocated was at its most */
    uint64_t segments;  /* asked of the device, in all */
    uint64_t retries;   /* times that free segments were given back to make room */
    int64_t failed;     /* time of the request that failed even so; INT64_MIN: none did */
};

/* Requests in the order of time; at equal times frees come first, then requests in their order.
 * `address`, unless NULL, gets where each buffer was: segments follow each other in the order of
 * allocation. RK_BAD_INPUT as in rk_place; RK_NO_MEMORY without memory. */
RK_API enum rk_status rk_allocator_run(const struct rk_buffer *buffer, size_t count,
                                       const struct rk_allocator_options *options,
                                       uint64_t *address, struct rk_allocator_result *result,
                                       struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
