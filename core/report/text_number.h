/* text_number.h - numbers of the report for people: scaled units, digits, aligned decimals. */
#ifndef RECKON_REPORT_TEXT_NUMBER_H
#define RECKON_REPORT_TEXT_NUMBER_H

#include "report/report.h"

enum { NUMBER_CELL = 256 };

struct scale {
    double factor; /* the value is divided by it */
    const char *unit;
};

/* Has a unit scales, as seconds have milliseconds? */
bool number_has_scales(const char *unit);

/* The scale in which a value of that size has the fewest digits before the point. */
struct scale number_scale(const char *unit, double size);

/* In the scale of the column or, for NULL, in its own scale followed by the unit. */
void number_format(const struct report_column *column, const struct scale *scale, double number,
                   char buffer[NUMBER_CELL]);

/* Digits after the point. */
int number_decimals(const char *text);

/* Adds zeros up to that many decimals, as far as significant digits go: 1128 below 1131.2 becomes
 * 1128.0, and points stand below each other. `text` has room for `digits` more. */
void number_align(char *text, int digits, int decimals);

#endif
