/* progression.h - numbers and runs of them as people write them, in options and in study files.
 *
 *     item   := number [ ".." number [ stride ] ]     number := digits [ "^" digits ]
 *     stride := "x" number | "+" number | "step" number
 *
 * with spaces where one likes. "1024..16384 x4" goes by factors of four, "1024..4096 +512" and
 * "1024..4096 step 512" by steps. What a run does not meet exactly is left out at its end.
 */
#ifndef RECKON_BASE_PROGRESSION_H
#define RECKON_BASE_PROGRESSION_H

#include <stdbool.h>
#include <stdint.h>

/* first, first + step, ... or first, first * factor, ... up to last. */
struct progression {
    uint64_t first, last;
    uint64_t step;   /* 0 when there is a factor */
    uint64_t factor; /* 0 when there is a step */
};

/* A run without a stride goes by factors of two if it `doubles`, as sizes do, else by steps of one.
 * NULL, or what is wrong. Numbers are at most 2^53. */
const char *progression_parse(const char *text, bool doubles, struct progression *progression);

/* Sets `value` to the next number; false at the end. */
bool progression_next(const struct progression *progression, uint64_t *value);

#endif
