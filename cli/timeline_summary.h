/* timeline_summary.h - what reckon timeline tells of a simulated step. */
#ifndef RECKON_CLI_TIMELINE_SUMMARY_H
#define RECKON_CLI_TIMELINE_SUMMARY_H

#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "cli/show.h"
#include "clusters/predict.h"
#include "timeline/timeline.h"

struct timeline_args {
    struct plan_source source;
    int messages; /* -1: not given */
    const char *trace, *pytorch, *window, *output;
    struct option_values stages;
    bool full;
    struct show_args show;
};

/* What a summary tells of. */
struct story {
    struct forecast forecast;
    const struct timeline_plan *plan;
    const struct timeline *timeline;
    const struct timeline_window *window;
    const struct clusters_judged *judged; /* over several clusters; else NULL */
    const struct timeline_args *args;
};

/* Everything of a step that was simulated, `fits`: its memory does, too; of a plan that cannot run,
 * why. */
void timeline_summary(struct report *report, const struct story *s, bool fits);
void timeline_refusal(struct report *report, const struct story *s);

#endif
