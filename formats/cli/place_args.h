/* place_args.h - what `reckon place` was asked, and what it placed. */
#ifndef RECKON_CLI_PLACE_ARGS_H
#define RECKON_CLI_PLACE_ARGS_H

#include "cli/plan_input.h"
#include "cli/show.h"
#include "report/report.h"
#include <reckon/place.h>

struct place_args {
    struct plan_source source; /* its words: files, where there is no model */
    uint64_t rank;
    bool lasting;
    uint64_t capacity, alignment, steps;
    bool check, two_levels, caching;
    const char *output, *snapshot, *draw;
    struct show_args show;
};

struct placed {
    const char *cluster; /* that the rank is on; NULL: there is one */
    struct rk_placement p;
    uint64_t two_level_peak; /* 0: not asked for */
    double seconds;
};

/* Of a plan: what its rank is predicted to hold, and where known a run from its start. Over several
 * clusters the rank's, and the one whose replicas the prediction of its stage is of. */
struct plan_buffers {
    const struct rk_stage *stage;
    const char *cluster, *fullest; /* NULL: there is one */
    bool begins;
    struct buffers run;
};

enum rk_status place_one_problem(const struct place_args *args, const char *file, struct buffers *b,
                                 const struct plan_buffers *of, struct report *report,
                                 struct report_table *table, struct rk_error *error);

enum rk_status place_one_plan(const struct place_args *args, struct report *report,
                              struct report_table *table, struct rk_error *error);

void place_add_row(struct report *report, struct report_table *table, const char *file,
                   size_t count, const struct place_args *args, const struct placed *placed);

enum rk_status place_add_caching(const struct place_args *args, const char *file,
                                 const struct buffers *b, struct report *report,
                                 struct rk_error *error);

void place_align(struct buffers *b, uint64_t alignment);

enum rk_status place_file(const struct place_args *args, const char *file, struct buffers *b,
                          struct placed *placed, struct rk_error *error);

enum rk_status place_check_file(const struct place_args *args, const char *file,
                                const struct buffers *b, struct placed *placed,
                                struct rk_error *error);

#endif
