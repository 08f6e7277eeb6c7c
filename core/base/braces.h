/* braces.h - lists in braces in a line: "x{64,128} link={50,100}Gb/s" are four lines. */
#ifndef RECKON_BASE_BRACES_H
#define RECKON_BASE_BRACES_H

#include <stdbool.h>
#include <stddef.h>

enum { BRACES_LISTS = 8, BRACES_LINES = 1024, BRACES_LINE = 4096 };

struct braces {
    const char *line;
    int lists, lines; /* lines: how many there are, at most BRACES_LINES */
    struct braces_list {
        const char *open, *close; /* its braces */
        int values;
    } list[BRACES_LISTS];
};

/* NULL; or what is wrong, with the place in the line. A line without lists is one line. */
const char *braces_find(struct braces *braces, const char *line, const char **at);

/* Line `index`, the last list running fastest; `choice` gets the values that were chosen, with
 * commas between them. False: too long. */
bool braces_write(const struct braces *braces, int index, char line[BRACES_LINE],
                  char choice[BRACES_LINE]);

#endif
