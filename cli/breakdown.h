/* breakdown.h - an estimate as tables of a report: where time and memory go, what it achieves. */
#ifndef RECKON_CLI_BREAKDOWN_H
#define RECKON_CLI_BREAKDOWN_H

#include "report/report.h"
#include <reckon/reckon.h>

struct breakdown {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_strategy *strategy;
    const struct rk_estimate *estimate;
    double tokens; /* a budget; 0: none */
};

/* Text alone: shares of the step with bars, and communication exposed and on the link. */
void breakdown_time(struct report *report, const struct breakdown *b);

/* Text: bytes per tier and category against capacity. JSON: "memory", a row per tier. */
void breakdown_memory(struct report *report, const struct breakdown *b);

/* Text and JSON ("throughput"): MFU, samples, tokens, days, bandwidths that would hide transfers.
 */
void breakdown_throughput(struct report *report, const struct breakdown *b);

/* JSON: "figures", all of rk_figures() by name. */
void breakdown_figures(struct report *report, const struct rk_estimate *estimate);

/* All formats: "operations", the table of a block. */
void breakdown_operations(struct report *report, const struct breakdown *b);

/* CSV: one row with model, system, the strategy, the verdict and all figures. */
void breakdown_row(struct report *report, const struct breakdown *b);

#endif
