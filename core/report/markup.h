/* markup.h - text and values for HTML, SVG and the JSON inside them.
 *
 * Whatever the text is, what is written is well formed: markup is escaped, bytes that are not
 * UTF-8 and control characters become the replacement character.
 */
#ifndef RECKON_REPORT_MARKUP_H
#define RECKON_REPORT_MARKUP_H

#include "report/report.h"

/* For the content of an element and for attributes in double quotes. */
void markup_text(FILE *out, const char *text);

/* A JSON string with its quotes, fit for a <script>: no '<', '>' or '&' stands in it. */
void markup_json(FILE *out, const char *text);

enum { MARKUP_CELL = 256, MARKUP_DIGITS = 5 /* of numbers without a scale */ };

/* A cell for people: "1.24 s", "65.3 GiB", "72.1 %", "yes", "1,024". Returns `buffer`. */
const char *markup_cell(char buffer[static MARKUP_CELL], const struct report_column *column,
                        const struct report_cell *cell);

#endif
