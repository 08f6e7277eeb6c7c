/* run_load.h - "run" of a study file: what the whole run takes at every point. */
#ifndef RECKON_STUDY_RUN_LOAD_H
#define RECKON_STUDY_RUN_LOAD_H

#include "catalog/fields.h"
#include "study/study.h"

/* Reads study->run and works out the share of every point. The points and facts are there. */
enum rk_status run_load(const struct place *place, struct study *study, struct rk_error *error);

/* The rows of "run", for the manual. */
extern const struct field study_run_fields[];

#endif
