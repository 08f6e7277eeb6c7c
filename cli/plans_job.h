/* plans_job.h - `reckon search` in the space of today's plans: one problem and its answer. */
#ifndef RECKON_CLI_PLANS_JOB_H
#define RECKON_CLI_PLANS_JOB_H

#include "cli/search_grid.h"
#include "report/report.h"

struct plans_job {
    const struct search_args *args;
    struct rk_plans_problem problem;
    struct rk_space *plans; /* NULL until it is opened */
    struct rk_answer result;
};

/* Is it this space that was asked for? The published one, unless it does not know the model, or
 * something is given that it lacks. `why` says so in a few words. */
bool plans_wanted(const struct search_args *args, const struct search_grid *grid, const char **why);

/* Words of a plan: what all plans have. RK_USAGE when an option says the same; `framework`: one was
 * given as an option. */
enum rk_status plans_take_words(const struct option_texts *words, bool framework,
                                struct rk_plans_problem *problem, struct rk_error *error);

/* What does not go together; NULL when all does. */
const char *plans_conflict(const struct search_args *args, size_t problems);

/* Searches all problems of the grid and prints the answer; returns the exit code. */
int plans_run(const struct search_grid *grid, const struct search_args *args,
              struct search_session *session);

/* What is said of one job's answer. */
void plans_answer_fill(struct report *report, const struct plans_job *job);
void plans_answer_explain(const struct plans_job *job);

/* Why nothing fits, in a few words; lives in the report. */
const char *plans_reason(struct report *report, const struct plans_job *job);

/* One of several problems: its best plan, or why it has none. */
struct plans_row {
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t gpus, batch;
    uint64_t plans, fits;
    const char *reason; /* NULL: it has one */
    struct rk_plan plan;
    double step_s, samples_per_s, tokens_per_s, mfu, memory_bytes;
};

void plans_table_fill(struct report *report, const struct plans_row *rows, size_t count,
                      const struct search_grid *grid, bool complete);

#endif
