/* fits.h - the plan that `reckon fits` takes where none was said. */
#ifndef RECKON_CLI_FITS_H
#define RECKON_CLI_FITS_H

#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "cli/run_args.h"
#include "cli/save.h"
#include "report/html.h"

/* Does the draft leave the way of training open: no degree, no sharding, no recomputation said? */
bool fits_is_open(const struct plan_draft *draft);

/* Of a plan that is open: what was searched for it. */
struct fits_question {
    bool open, grows; /* nobody said the batch: it goes with the GPUs */
    bool leaves;      /* of a given plan: is this headroom left? */
    struct rk_sure_bounds sure;
    const char *line;    /* the system's */
    const char *lengths; /* of samples; NULL: all are full */
    const struct run_args *run;
    const struct save_args *save;
    double room; /* share of the device's memory, if any plan takes so little: sure.h */
    struct rk_plans_problem problem;
};

/* What is searched of an open draft: its words are pinned, the batch is 4 samples per GPU unless it
 * is given. */
void fits_ask(const struct plan_input *input, const struct plan_draft *draft,
              struct rk_plans_problem *problem);

/* Completes a draft whose GPUs and precision are known, by rk_choose(), the system too
 * where the plan offloads. Notes in input->assumed how the plan
 * was found. `context` is a struct fits_question that gives the usable memory; its problem is
 * set. */
plan_choose fits_choose;

/* --tune: adds what fits of full fine-tuning, LoRA and QLoRA, sharded, recomputed, offloaded or
 * not, each with its largest microbatch, its longest sample and its days of the run; what the words
 * say is pinned. *sure is of the fastest, which the answer begins with, and whose plan is saved. */
enum rk_status fits_tune(struct report *report, const struct fits_question *question,
                         struct plan_input *input, enum rk_sure *sure, struct rk_error *error);

/* For programs: the verdict on a plan. */
void fits_verdict(struct report *report, const struct fits_question *question,
                  const struct forecast *f);

/* Says which change or measurement decides an unsure plan. */
void fits_say_unsure(struct report *report, const struct fits_question *question,
                     const struct forecast *f);

/* Adds what the tightest stage takes at fixed addresses, and in PyTorch's caching allocator with
 * and without expandable segments, in place of the predicted fragmentation. */
enum rk_status fits_place(struct report *report, const struct forecast *f, struct rk_error *error);

/* Adds a chart of the same buffers at fixed addresses; `source`: the command of its numbers. */
enum rk_status fits_chart(struct html_page *page, const struct forecast *f, const char *source,
                          struct rk_error *error);

/* Writes them as a memory snapshot of PyTorch. */
enum rk_status fits_snapshot(const char *path, const struct forecast *f, struct rk_error *error);

#endif
