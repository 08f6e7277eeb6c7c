/* diff.h - two plans for one model on one machine, compared. */
#ifndef RECKON_CLI_DIFF_H
#define RECKON_CLI_DIFF_H

#include "advise/layers.h"
#include "advise/worth.h"
#include "cli/diff_source.h"
#include "cli/prediction.h"
#include "report/report.h"

struct diff {
    struct diff_input in; /* both plans in their canonical form */
    struct plan_worths w;
    struct layers_worths layers;
    struct rk_prediction a, b;
};

bool diff_fits(const struct diff *d); /* both, unsure ones too */

/* "B takes 5.2 % less time than A, ...; both fit". */
const char *diff_verdict(struct report *report, const struct diff *d, enum report_tone *tone);

/* Reads, predicts and compares; NULL with an error. */
struct diff *diff_open(const struct diff_source *source, struct rk_error *error);
void diff_close(struct diff *diff);

/* The answer for people and programs; `changes` of the script A, NULL: there is none. */
void diff_tables(struct report *report, const struct diff *diff,
                 const struct megatron_changes *changes);

#endif
