/* run_load.h - "run" of a study file: what the whole run takes at every point. */
#ifndef RECKON_STUDY_RUN_LOAD_H
#define RECKON_STUDY_RUN_LOAD_H

#include "study/study.h"
#include "text/fields.h"

/* Reads study->run and computes the share of every point, or where that depends on the plan makes
 * the run a part of its key. The points and facts are there. */
enum rk_status run_load(const struct place *place, struct study *study, struct rk_error *error);

/* kW that a run takes over the W of its accelerators. */
double run_kW(const struct rk_campaign *campaign);

#endif
