/* numbers.h - lists of whole numbers as study files write them: 8, "8..8192 step 8", "1..64 x2", or
 * a list of these.
 */
#ifndef RECKON_STUDY_NUMBERS_H
#define RECKON_STUDY_NUMBERS_H

#include "catalog/document.h"
#include <stdint.h>

struct numbers {
    size_t count;
    uint64_t *value; /* (count) ascending, each once */
};

/* first, first + step, ... or first, first * factor, ... up to last. */
struct progression {
    uint64_t first, last;
    uint64_t step;   /* 0 when there is a factor */
    uint64_t factor; /* 0 when there is a step */
};

/* One number or text. Values lie in min .. max. */
enum rk_status progression_load(const struct place *place, uint64_t min, uint64_t max,
                                struct progression *progression, struct rk_error *error);

/* One or a list of them. The caller releases the numbers. */
enum rk_status numbers_load(const struct place *place, uint64_t min, uint64_t max,
                            struct numbers *numbers, struct rk_error *error);

/* Adds the values of a progression, unsorted; false when there are too many or no memory. */
bool numbers_add(struct numbers *numbers, const struct progression *progression);
void numbers_release(struct numbers *numbers);

#endif
