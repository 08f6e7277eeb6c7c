/* lines.h - a text line by line, and a line's words. */
#ifndef RECKON_TEXT_LINES_H
#define RECKON_TEXT_LINES_H

#include "text/document.h"
#include <reckon/status.h>

enum { LINE_SIZE = 4096, LINE_WORDS = 64 };

struct lines {
    const struct document *document;
    size_t at;            /* of what follows the line */
    int number;           /* of the line, from 1 */
    char text[LINE_SIZE]; /* without its end, cut when longer */
    int words;
    char *word[LINE_WORDS]; /* in `cut` */
    char cut[LINE_SIZE];
};

/* False at the end of the text. */
bool lines_next(struct lines *lines);

enum separator { AT_BLANKS, AT_TABS, AT_COMMAS };

/* Cuts the line at blanks and tabs, or tabs alone, of which several in a row count once, or at
 * commas. */
void lines_split(struct lines *lines, enum separator separator);

/* RK_BAD_INPUT at the line. */
enum rk_status lines_fail(const struct lines *lines, struct rk_error *error, const char *format,
                          ...) RK_PRINTF(3, 4);

/* A finite number above 0 that takes the whole text. */
bool lines_number(const char *text, double *number);

#endif
