/* train_log.h - the lines of reckon train --log. */
#ifndef RECKON_CLI_TRAIN_LOG_H
#define RECKON_CLI_TRAIN_LOG_H

#include <reckon/train.h>
#include <stdio.h>

/* `digits` of loss and norm; false: it cannot be written any more. */
bool train_log_step(FILE *log, int digits, const struct rk_train_step *step);
/* Keeps the lines of the steps before `step`. */
void train_log_cut(FILE *log, uint64_t step);

#endif
