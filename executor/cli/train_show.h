/* train_show.h - a run's measurements compared with its prediction. */
#ifndef RECKON_CLI_TRAIN_SHOW_H
#define RECKON_CLI_TRAIN_SHOW_H

#include "report/report.h"

#include <reckon/predict.h>
#include <reckon/train.h>

struct train_asked { /* what ran */
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    const struct rk_train *train;
    bool predicts; /* `system` is this machine */
};

void train_show(struct report *report, const struct train_asked *asked,
                const struct rk_train_result *result);

#endif
