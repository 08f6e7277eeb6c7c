/* memory_search.h - is there a placement of buffers within a capacity: complete search.
 *
 * Buffers are placed by rising address, each as low as those already placed let it: some such order
 * gives a lowest placement, as an optimal one pushed down is one. At each node
 *
 *   - a buffer that would start above the lowest possible end of another is not tried: that one
 *     would fit below;
 *   - for each moment, lowest address still open + bytes still to come must not exceed the
 * capacity;
 *   - once no buffer to come is alive on both sides of a moment, the sides are solved apart;
 *   - of buffers that are equal the first is placed first.
 *
 * The search of [moffitt2023], whose orders it takes in turn, each with twice the steps of the last
 * time; what is looked at after a step is kept between steps, not found anew. Pure but for the
 * memory that it takes. */
#ifndef RECKON_OPTIMIZE_MEMORY_SEARCH_H
#define RECKON_OPTIMIZE_MEMORY_SEARCH_H

#include <reckon/place.h>

enum place_answer {
    PLACE_FOUND,
    PLACE_NONE,   /* proved */
    PLACE_CUT,    /* out of steps, or stopped */
    PLACE_NO_ROOM /* no memory */
};

struct place_search;

/* Buffers with size 0 are not looked at. NULL when there is no memory. */
struct place_search *place_search_open(const struct rk_buffer *buffer, size_t count);
void place_search_close(struct place_search *search);

/* Places all within `capacity`, into address[count]; takes from *steps what it uses. */
enum place_answer place_search_within(struct place_search *search, uint64_t capacity,
                                      const struct rk_place_options *options, uint64_t *steps,
                                      uint64_t *address);

#endif
