/* memory_place.h - what the files of rk_place (place.h) share. */
#ifndef RECKON_OPTIMIZE_MEMORY_PLACE_H
#define RECKON_OPTIMIZE_MEMORY_PLACE_H

#include <reckon/place.h>

/* The highest end. */
uint64_t place_peak(const struct rk_buffer *buffer, size_t count, const uint64_t *address);

#endif
