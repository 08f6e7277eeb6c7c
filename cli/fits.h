/* fits.h - what `reckon fits` works out beside a prediction: a plan where none was given, and what
 * single changes of a plan save. */
#ifndef RECKON_CLI_FITS_H
#define RECKON_CLI_FITS_H

#include "cli/plan_input.h"

/* ---- a plan ---- */

/* Does the draft leave the way of training open: no degree, no sharding, no recomputation said? */
bool fits_is_open(const struct plan_draft *draft);

/* Completes an open draft whose GPUs are settled: the fastest plan that fits, among those with the
 * degrees that GPUs, model and a node allow, sequence parallelism beside tensor parallelism,
 * sharding as the framework has it by habit, and with or without recomputation; the smallest one
 * when none fits. Notes in input->assumed how it was found. */
void fits_choose(struct plan_input *input);

/* The plan that fits_choose takes with twice the GPUs, four times, ..., the first that fits; false
 * when the system has no more of them or a thousand times as many do not do. */
bool fits_more_gpus(const struct plan_input *input, struct rk_plan *plan);

/* ---- single changes ---- */

struct fits_change {
    char words[128];   /* that change the plan: "zero2" */
    const char *what;  /* in a few words */
    double need_bytes; /* of its tightest stage */
    double saved_bytes;
    double left_bytes; /* of the device */
    double step_s;
    bool fits;
};

enum { FITS_MAX_CHANGES = 64 };

/* The changes that save memory on the tightest stage, those that help most first: where the plan
 * does not fit, the ones that make it fit from the fastest on; then by what they save. `prediction`
 * is the plan's and timed. Returns how many there are. */
int fits_changes(const struct plan_input *input, const struct rk_prediction *prediction,
                 struct fits_change changes[FITS_MAX_CHANGES]);

/* The fastest two changes that fit together, where no single one does. */
bool fits_pair(const struct plan_input *input, const struct rk_prediction *prediction,
               struct fits_change *pair);

#endif
