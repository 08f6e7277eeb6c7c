/* doctor_number.h - one measured number against the prediction interval of its plan, and the single
 * changes that bring most. */
#ifndef RECKON_CLI_DOCTOR_NUMBER_H
#define RECKON_CLI_DOCTOR_NUMBER_H

#include "cli/gains.h"
#include "cli/prediction.h"
#include "facts/step_place.h"

#include <reckon/doctor.h>

/* How many of them are given. */
int number_count(const struct rk_speed *n);

/* The seconds of a step that the number stands for, given the plan and its prediction; `text` says
 * which number it was. RK_BAD_ARGUMENT: it is more than the device's peak allows. */
enum rk_status number_step(const struct rk_speed *n, const struct forecast *f, double *step_s,
                           char text[static 96], struct rk_error *error);

/* Where the measured step lies in the prediction interval, in words and as record "position". */
void number_position(struct report *report, const struct forecast *f, double step_s);

/* Table "changes": the three single changes that bring most. */
void number_changes(struct report *report, const struct gain_case *of, double measured_s);

/* The same in words. */
struct step_place number_place(const struct forecast *f, double step_s);

#endif
