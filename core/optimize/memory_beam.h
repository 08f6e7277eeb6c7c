/* memory_beam.h - low placements of buffers by a beam search over skylines: no proof, but close.
 *
 * A state is a skyline, the height that buffers placed so far reach at each moment. What is placed
 * next lies in its lowest part: buffers that fit there and begin where it begins, or at the next
 * such beginning; or that part is given up and raised to its lower wall, which wastes it. At each
 * moment the peak is at least bytes alive + bytes wasted; of all states the `width` lowest ones are
 * kept, ties by area wasted, then by how often the skyline changes its height. A packing without
 * gaps wastes nothing, so few states are like it. */
#ifndef RECKON_OPTIMIZE_MEMORY_BEAM_H
#define RECKON_OPTIMIZE_MEMORY_BEAM_H

#include <reckon/place.h>

/* Fills address[count] with the lowest placement met; true: there is one below `peak`. Takes at
 * most *steps, and from it what it uses: moments looked at, in 64s. The same for the same buffers.
 * Attempts differ in which of equal states are kept, and every other one turns time around. */
bool place_beam(const struct rk_buffer *buffer, size_t count, size_t width, int attempt,
                uint64_t peak, uint64_t *steps, uint64_t *address);

#endif
