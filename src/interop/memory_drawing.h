/* memory_drawing.h - placed buffers as a drawing: time to the right, addresses upwards. */
#ifndef RECKON_INTEROP_MEMORY_DRAWING_H
#define RECKON_INTEROP_MEMORY_DRAWING_H

#include "interop/buffers.h"

/* An SVG of a rectangle for each buffer, with its name and size as a title, coloured by what it is;
 * over them a line, what is alive. RK_IO without memory; whether `out` took it all is for the
 * caller to see. */
enum rk_status memory_drawing_write(FILE *out, const struct buffers *buffers,
                                    const uint64_t *address, uint64_t peak, struct rk_error *error);

#endif
