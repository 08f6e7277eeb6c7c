/* serve.h - what `reckon serve` asks and prints. */
#ifndef RECKON_CLI_SERVE_H
#define RECKON_CLI_SERVE_H

#include "cli/plan_input.h"
#include "report/report.h"

#include <reckon/sure.h>

/* Most tokens of a pass of prompts, where nothing is said. */
#define SERVE_PASS_TOKENS    8192
#define SERVE_TEXT(number)   SERVE_DIGITS(number)
#define SERVE_DIGITS(number) #number

/* Assumed of every plan of inference: steps are captured, nothing is trained. */
plan_choose serve_choose;

/* RK_BAD_ARGUMENT: a word that changes nothing of inference; the error names it. */
enum rk_status serve_check_words(const struct plan_draft *draft, struct rk_error *error);

/* RK_BAD_ARGUMENT: a degree that a search chooses itself. */
enum rk_status serve_check_search(const struct plan_draft *draft, struct rk_error *error);

/* What is asked of one model on one system, with the rest of the plan. */
struct serve_question {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    struct rk_serving serving; /* but for the batch */
    struct report *report;
};

/* rk_serve_layouts(), and a note where none leaves what is to be left. */
enum rk_status serve_layouts(const struct serve_question *question,
                             const struct rk_serve_limits *limits, bool search,
                             struct rk_serve_layouts *layouts, struct rk_error *error);

/* The answer: what the plan, which is timed, gives for its batch; `of` goes before it. */
void serve_verdict(const struct serve_question *question, const struct rk_serve_layout *best,
                   const char *of);

/* Words that `reckon serve` takes, in addition to the user's; live in the report. */
const char *serve_words(struct report *report, const struct rk_plan *plan);

/* The same question of several clusters. */
struct serve_over {
    const struct plan_source *source;
    const char *headroom;
    struct rk_serving serving;
    struct rk_serve_limits limits; /* but for the room */
    bool search;
    struct report *report;
};
enum rk_status serve_over_clusters(const struct serve_over *over, bool *any,
                                   struct rk_error *error);

/* The layouts of the plan's GPUs, each with the batch that brings the most tokens a second of a GPU
 * within the limits, the best first. RK_NOTHING_FITS when there is none. */
int serve_search(const struct serve_question *question, const struct rk_serve_limits *limits);

/* Published tokens, prompts and steps compared with predictions, by row and by source: from a file
 * or, for "", from the catalog. */
enum rk_status serve_measured(struct report *report, const char *path, bool rows,
                              struct rk_error *error);

#endif
