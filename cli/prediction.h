/* prediction.h - a prediction (predict.h) as tables of a report. */
#ifndef RECKON_CLI_PREDICTION_H
#define RECKON_CLI_PREDICTION_H

#include "report/report.h"
#include <reckon/machine.h>
#include <reckon/reckon.h>
#include <reckon/sure.h>

struct forecast {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    const struct rk_prediction *prediction;
    const char *assumed;               /* what was not said */
    const struct rk_sure_bounds *sure; /* when it fits; NULL: the usual ones */
};

/* "reckon", "calculon" or, over several clusters, "simulation": what answers the plan. */
const char *forecast_by(const struct rk_plan *plan);

/* The name for people: "detailed model", "Calculon model", "simulation". */
const char *forecast_model(const struct rk_plan *plan);

/* "  tp8 pp4 dp2 ...", "  assumed: ..." */
void forecast_plan(struct report *report, const struct forecast *f);

/* Errors of predictions of similar runs, and members outside what was validated (docs/accuracy.md);
 * nothing where the catalog has no error bars. */
void forecast_errors(struct report *report, const struct forecast *f);
void forecast_memory_errors(struct report *report, const struct forecast *f); /* of memory alone */
/* Where a slower network than that of the catalog would make the step much longer. */
void forecast_fabric(struct report *report, const struct forecast *f);
void forecast_warnings(struct report *report, const struct forecast *f); /* outside of them all */

/* The step as measured steps of a table that are like it correct it (facts/likeness.h). */
enum rk_status forecast_given(struct report *report, const struct forecast *f, const char *path,
                              struct rk_error *error);

/* The runs of the catalog that are most like it, measured and predicted: list "nearest" for
 * programs, and for people where they want it. `of` tells several plans of one report apart; may be
 * NULL. */
enum rk_status forecast_nearest(struct report *report, const struct forecast *f, const char *of,
                                bool in_text, struct rk_error *error);

/* The errors of runs like it (facts/error_bar.h); false: none are known. */
struct error_class;
bool forecast_class(const struct forecast *f, struct error_class *class);

/* What forecast_errors() knows of time and memory, as records alone. */
void forecast_error_records(struct report *report, const struct forecast *f);

/* The 5, 25, 50, 75 and 95 % quantiles of the step times of runs like it, seconds; false: none are
 * known. */
enum { FORECAST_QUANTILES = 5 };
bool forecast_range(const struct forecast *f, double step_s[FORECAST_QUANTILES]);

/* "50 % interval 3.1-3.6 s, ..." of the step time, from errors of similar runs; NULL where none are
 * known. */
const char *learned_times(struct report *report, const struct forecast *f);

/* Record "plan" for programs, with every key of plan files. */
void forecast_record(struct report *report, const struct forecast *f);

/* Why it cannot run, and how to mend it; NULL when it can. */
const char *forecast_reason(struct report *report, const struct forecast *f, int i);

/* Any one reason of the Calculon model. */
const char *published_reason(struct report *report, const struct rk_system *system,
                             const struct rk_reason *reason);

/* All of them: a table, in JSON "reasons". */
void forecast_refusal(struct report *report, const struct forecast *f);

void forecast_times(struct report *report, const struct forecast *f);
void forecast_rates(struct report *report, const struct forecast *f);

/* Runs of stages that are alike: a row each in text; in JSON ("stages") and, when `csv`, in CSV
 * a row for each stage with everything it holds. */
void forecast_stages(struct report *report, const struct forecast *f, bool csv);

/* What every stage holds by category, stages side by side; text only. */
void forecast_holdings(struct report *report, const struct forecast *f);

/* The operations of the layers: some columns in text, all in JSON and CSV ("operations"). */
void forecast_operations(struct report *report, const struct forecast *f);

/* One line with every figure, for CSV. */
void forecast_line(struct report *report, const struct forecast *f);

/* Over several clusters, where the stages run and what they send; else nothing. */
void forecast_placement(struct report *report, const struct forecast *f);

/* What a stage is on: one of the machine's clusters, or all of it. */
static inline const struct rk_system *forecast_system(const struct forecast *f, int stage)
{
    return rk_system_of(f->system, f->prediction->stage[stage].cluster);
}

/* Memory of the device minus that of `stage`; negative when it does not fit. */
static inline double forecast_left(const struct forecast *f, int stage)
{
    return forecast_system(f, stage)->memory[0].capacity_bytes -
           f->prediction->stage[stage].total_bytes;
}

#endif
