/* result.h - one result for both predictors. */
#ifndef RECKON_CALCULON_RESULT_H
#define RECKON_CALCULON_RESULT_H

#include <reckon/predict.h>

/* One result for both predictors: the figures of figures.def that are by CALCULON or BOTH. */
#define rk_estimate rk_outcome

enum { RK_MAX_OPERATIONS = 48 };

#endif
