/* validate_tables.h - results of reckon validate as tables of a report. */
#ifndef RECKON_CLI_VALIDATE_TABLES_H
#define RECKON_CLI_VALIDATE_TABLES_H

#include "facts/results.h"
#include "report/report.h"
#include "study/left_out.h"

#include <reckon/sure.h>

/* Each returns RK_NO_MEMORY when there is no memory. */

/* Errors of times over all and by a class; of memory by its kind. */
enum rk_status validate_times(struct report *report, const struct results *results,
                              struct rk_error *error);
enum rk_status validate_by(struct report *report, const struct results *results, enum fact_class of,
                           struct rk_error *error);
enum rk_status validate_memory(struct report *report, const struct results *results,
                               struct rk_error *error);

/* Means over rows, and over sources of theirs: of all, dense and mixtures, by generation. */
enum rk_status validate_sources(struct report *report, const struct results *results,
                                struct rk_error *error);

/* What simpler predictions of the same rows come to; `facts` are those of the results. */
enum rk_status validate_baselines(struct report *report, const struct results *results,
                                  const struct facts *facts, struct rk_error *error);

/* Constants of systems that were fitted again. */
void validate_refits(struct report *report, const struct refits *refits);

/* How often error bars hold that are learned without a run's source: of times, of peaks of memory.
 */
/* How far one, two and four steps of a source bring down the errors of its others. */
enum rk_status validate_given(struct report *report, const struct results *results,
                              struct rk_error *error);

enum rk_status validate_bars(struct report *report, const struct results *results,
                             struct rk_error *error);

/* Which runs are predicted to fit, and of which that is sure. */
void validate_fits(struct report *report, const struct results *results,
                   const struct rk_sure_bounds *bounds);

/* Planner regret: a summary, and with `groups` every group. */
enum rk_status validate_regret(struct report *report, const struct results *results, bool groups,
                               struct rk_error *error);

/* Rows that are not modelled: how many for each reason, or `each` row. */
enum rk_status validate_unmodelled(struct report *report, const struct results *results, bool each,
                                   struct rk_error *error);

/* What the rows say and nothing reads: columns, and with `statements` those of notes. */
void validate_unread(struct report *report, const struct unread *unread, bool statements);

/* Each step that was measured once: the table of facts/nearest.h. */
void validate_steps(struct report *report, const struct results *results);

/* Measured and predicted steps as a chart of a page, and the verdict. RK_IO: no memory. */
enum rk_status validate_chart(struct report *report, const struct results *results,
                              struct rk_error *error);

/* Every result; with `parts` where its time and memory goes. */
void validate_rows(struct report *report, const struct results *results, bool parts);

#endif
