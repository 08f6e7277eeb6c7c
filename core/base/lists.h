/* lists.h - lists in a line as people write them, in options, in names of systems and in study
 * files.
 */
#ifndef RECKON_BASE_LISTS_H
#define RECKON_BASE_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- in braces: "x{64,128} link={50,100}Gb/s" are four lines. braces.c ---- */

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

/* Line `index`, the last list running fastest; `choice` gets the words that were chosen, "x64,
 * link=50Gb/s", with commas between them. False: too long. */
bool braces_write(const struct braces *braces, int index, char line[BRACES_LINE],
                  char choice[BRACES_LINE]);

/* ---- numbers and runs of them: progression.c ----
 *
 *     item   := number [ ".." number [ stride ] ]     number := digits [ "^" digits ]
 *     stride := "x" number | "+" number | "step" number
 *
 * with spaces where one likes. "1024..16384 x4" goes by factors of four, "1024..4096 +512" and
 * "1024..4096 step 512" by steps. What a run does not meet exactly is left out at its end. */

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
