/* export_plan.h - a model and a plan from the command line, without a system. */
#ifndef RECKON_CLI_EXPORT_PLAN_H
#define RECKON_CLI_EXPORT_PLAN_H

#include "cli/options.h"
#include "cli/plan_input.h"
#include <reckon/reckon.h>

struct export_source {
    const char *model, *file; /* NULL: not given */
    uint64_t gpus;            /* 0: not given */
    struct option_texts words;
};

/* --model, --plan, --gpus */
extern const struct option export_source_options[];

struct export_plan {
    struct rk_model model;
    struct rk_plan plan;
};

/* Words outdo the file; what neither says follows as reckon-plan(5) has it. */
enum rk_status export_gather(const struct export_source *source, struct export_plan *plan,
                             struct rk_error *error);

/* The words of a plan as one line for plan_read_words. */
enum rk_status export_words(const struct option_texts *words, struct plan_draft *draft,
                            struct rk_error *error);

#endif
