/* export_plan.h - a model and a plan from the command line, without a system. */
#ifndef RECKON_CLI_EXPORT_PLAN_H
#define RECKON_CLI_EXPORT_PLAN_H

#include "cli/options.h"
#include "cli/plan_input.h"
#include <reckon/reckon.h>

/* --model, --plan, --gpus */
extern const struct option export_source_options[];

struct export_plan {
    struct rk_model model;
    struct rk_plan plan;
};

/* Words outdo the file; what neither says follows as reckon-plan(5) has it. */
enum rk_status export_gather(const struct plan_source *source, struct export_plan *plan,
                             struct rk_error *error);

#endif
