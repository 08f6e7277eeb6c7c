/* search_divides.h - what a batch and a number of GPUs have in common. */
#ifndef RECKON_CLI_SEARCH_DIVIDES_H
#define RECKON_CLI_SEARCH_DIVIDES_H

#include "report/report.h"
#include <stdint.h>

/* Data parallelism divides both: says so where another batch of about this size would allow more
 * of it; NULL where none would. The text lives as long as the report. */
const char *search_divides(struct report *report, uint64_t ranks, uint64_t batch);

#endif
