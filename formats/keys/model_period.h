/* model_period.h - the letters of a model's layers, said shortly: "rrra" of "rrrarrrarrra". */
#ifndef RECKON_KEYS_MODEL_PERIOD_H
#define RECKON_KEYS_MODEL_PERIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first letters of `layers` that all others repeat; false when they do not fit into `size`. */
bool model_period(char *to, size_t size, const char *letters, uint64_t layers);

#endif
