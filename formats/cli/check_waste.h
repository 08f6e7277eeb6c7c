/* check_waste.h - rule 14.waste: single changes of a plan that make its step shorter by a
 * threshold. */
#ifndef RECKON_CLI_CHECK_WASTE_H
#define RECKON_CLI_CHECK_WASTE_H

#include <reckon/check.h>

/* A choice, measured by nothing: smaller gains are told by `reckon diff --best` alone. */
#define WASTE_PERCENT 3

struct waste_case {
    const struct rk_check_input *input;
    const char *model; /* as the command line names it; NULL: the file's */
    double percent;
};

/* Adds a warning for each, the largest first, at most five; nothing where no plan can be read or
 * timed. */
void waste_find(const struct waste_case *of, struct rk_findings *findings);

#endif
