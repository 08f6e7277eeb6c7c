/* axes.h - restrictions of the strategy space in a study, and the search a point stands for. */
#ifndef RECKON_STUDY_AXES_H
#define RECKON_STUDY_AXES_H

#include "study/study.h"
#include "text/document.h"

/* Adds what an "axes" object says to the study, each once; `place` NULL is none. */
enum rk_status axes_load(const struct place *place, bool unstartable, struct study *study,
                         int *index, struct rk_error *error);

/* Can the restrictions be applied to this point? `place` is where they stand. */
enum rk_status axes_check(const struct place *place, const struct study *study,
                          const struct study_point *point, struct rk_error *error);

/* About how long the search of a point takes, in no unit. */
double point_work(const struct study *study, const struct study_point *point);

#endif
