/* numbers.h - lists of whole numbers as study files write them: 8, "8..8192 step 8", "1..64 x2", or
 * a list of these (base/lists.h).
 */
#ifndef RECKON_STUDY_NUMBERS_H
#define RECKON_STUDY_NUMBERS_H

#include "base/lists.h"
#include "text/document.h"
#include <stdint.h>

struct numbers {
    size_t count;
    uint64_t *value; /* (count) ascending, each once */
};

/* One number or text. Values lie in min .. max; a run without a stride doubles, or has all. */
enum rk_status progression_load(const struct place *place, uint64_t min, uint64_t max, bool doubles,
                                struct progression *progression, struct rk_error *error);

/* One or a list of them. The caller releases the numbers. */
enum rk_status numbers_load(const struct place *place, uint64_t min, uint64_t max, bool doubles,
                            struct numbers *numbers, struct rk_error *error);

/* Adds the values of a progression, unsorted; false when there are too many or no memory. */
bool numbers_add(struct numbers *numbers, const struct progression *progression);
void numbers_release(struct numbers *numbers);

#endif
