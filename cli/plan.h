/* plan.h - one training plan from flags, a strategy file, and defaults for the rest. */
#ifndef RECKON_CLI_PLAN_H
#define RECKON_CLI_PLAN_H

#include "cli/axes.h"
#include "cli/options.h"
#include <reckon/reckon.h>

struct plan_args {
    const char *model;    /* name or path; NULL: not given, as in all that follow */
    const char *system;   /* likewise, or a description in one line */
    const char *strategy; /* a file; flags override what it says */
    uint64_t gpus;        /* 0: not given */
    uint64_t batch;       /* 0: not given */
    int datatype;         /* -1: not given */
    struct option_values training;
    struct axis_values axes;
};

/* The defaults of an empty command line. */
#define PLAN_ARGS_INIT                                                                             \
    {                                                                                              \
        .datatype = -1                                                                             \
    }

/* Rows for struct plan_args: --model, --system; --gpus, --batch, --datatype; --strategy,
 * --training. */
extern const struct option plan_input_options[];
extern const struct option plan_size_options[];
extern const struct option plan_strategy_options[];

/* RK_USAGE unless both were given; the caller releases the system, also on failure. */
enum rk_status plan_load(const struct plan_args *args, struct rk_model *model,
                         struct rk_system *system, struct rk_error *error);

/* Do both engines of the system support the datatype? */
bool plan_supports(const struct rk_system *system, enum rk_datatype datatype);

/* The best of bfloat16 and float16 that the system supports, else the first one it does. */
enum rk_datatype plan_datatype(const struct rk_system *system);

/* What was not given:
 *   gpus      those of the file; tensor * pipeline * data, if data is given; all of the system,
 *             if it says how many; tensor * pipeline
 *   data      gpus / (tensor * pipeline)
 *   batch     4 microbatches for each pipeline stage and data rank
 *   datatype  plan_datatype
 *   networks  the innermost tier that the parallelism fits on, beside those inside it; in the
 *             order tensor, pipeline, data
 *   others    1, none, no; the activation is fused
 * `assumed` (at least 256 bytes) lists in words what was chosen so; "" when nothing was. */
enum { PLAN_ASSUMED = 256 };
enum rk_status plan_resolve(const struct plan_args *args, const struct rk_system *system,
                            struct rk_strategy *strategy, char assumed[PLAN_ASSUMED],
                            struct rk_error *error);

#endif
