/* interval.h - two quantities as one text for people. */
#ifndef RECKON_BASE_INTERVAL_H
#define RECKON_BASE_INTERVAL_H

#include "base/units.h"

/* "27.34-32.7 s": the unit once where both have it, else "950 ms to 1.2 s". Returns `buffer`. */
const char *quantity_interval(char buffer[static 2 * QUANTITY_TEXT], enum quantity quantity,
                              double low, double high);

#endif
