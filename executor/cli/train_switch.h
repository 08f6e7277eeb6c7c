/* train_switch.h - plans that a run continues with, as `reckon adapt` writes them. */
#ifndef RECKON_CLI_TRAIN_SWITCH_H
#define RECKON_CLI_TRAIN_SWITCH_H

#include <reckon/train.h>
#include <stdio.h>

struct train_switch {
    FILE *file; /* NULL: none */
    const char *path;
    const struct rk_model *model;
    const struct rk_train *train;
    const struct rk_system *system;
    uint64_t ranks; /* as --ranks; 0 */
    uint64_t line;
    char to[1024]; /* words of the next plan; "": none is known */
    uint64_t step; /* ... from the step after this one on */
    char text[8192];
    size_t read; /* of a line that is not whole yet */
};

/* After step `step`: true when another plan takes over, with *plan set. Events that are not
 * possible are named on standard error, and the run continues unchanged. */
bool train_switch_next(struct train_switch *s, uint64_t step, struct rk_plan *plan);

#endif
