/* validate_trials.c - what constants, error bars and given steps come to where a source is left
 * out. */
#include "cli/validate_tables.h"

#include "base/number.h"
#include "facts/error_learn.h"
#include "facts/likeness.h"

/* ---- constants without their sources ---- */

void validate_refits(struct report *report, const struct refits *refits)
{
    static const struct report_column columns[] = {
        {.name = "constant"},
        {.name = "system"},
        {.name = "source", .title = "without"},
        {.name = "before", .title = "with all", .digits = 2},
        {.name = "after", .title = "without it", .digits = 2},
    };
    if (refits->count == 0) return;
    struct report_table *table =
        REPORT_LIST(report, "refits", "Constants fitted again without a source",
                    REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (size_t i = 0; i < refits->count; i++) {
        const struct refit *r = &refits->refit[i];
        REPORT_ROW(report, table, cell_text(r->constant),
                   cell_text(report_text(report, "%s", r->system)),
                   cell_text(report_text(report, "%s", r->source)), cell_number(r->before),
                   cell_number(r->after));
    }
}

/* ---- error bars ---- */

enum rk_status validate_bars(struct report *report, const struct results *results,
                             struct rk_error *error)
{
    /* clang-format off */
    static const struct report_column columns[] = {
        {.name = "of"},
        {.name = "sources", REPORT_OF(struct error_coverage, sources)},
        {.name = "half", REPORT_OF(struct error_coverage, half), .title = "50 % interval holds", .unit = "%", .digits = 1},
        {.name = "most", REPORT_OF(struct error_coverage, most), .title = "90 % interval holds", .unit = "%", .digits = 1},
        {.name = "score", REPORT_OF(struct error_coverage, score), .title = "its score", .digits = 3},
        {.name = "one", REPORT_OF(struct error_coverage, one), .title = "one range's", .digits = 3},
        {.name = "best", REPORT_OF(struct error_coverage, best), .title = "best range's", .digits = 3},
        {.name = "runs", REPORT_OF(struct error_coverage, runs)},
        {.name = "half_of_runs", REPORT_OF(struct error_coverage, half_of_runs), .title = "50 %, of runs", .unit = "%", .digits = 1},
        {.name = "most_of_runs", REPORT_OF(struct error_coverage, most_of_runs), .title = "90 %, of runs", .unit = "%", .digits = 1},
    };
    /* clang-format on */
    static const struct {
        const char *name;
        enum error_subject subject;
        enum error_trial trial;
    } rows[] = {{"times", ERROR_TIMES, TRIAL_EACH},
                {"  sources that nobody had read", ERROR_TIMES, TRIAL_UNREAD},
                {"  a third of them together", ERROR_TIMES, TRIAL_THIRDS},
                {"  each from those that came before", ERROR_TIMES, TRIAL_OLDER},
                {"peaks of memory", ERROR_PEAKS, TRIAL_EACH},
                {"  sources that nobody had read", ERROR_PEAKS, TRIAL_UNREAD},
                {"  each from those that came before", ERROR_PEAKS, TRIAL_OLDER}};
    struct report_table *table = NULL;
    for (int i = 0; i < COUNT_OF(rows); i++) {
        struct error_coverage c;
        const enum rk_status status =
            error_bars_coverage(results, rows[i].subject, rows[i].trial, &c, error);
        if (status != RK_OK) return status;
        if (c.sources < 2) continue;
        if (!table)
            table = REPORT_LIST(report, "bars", "Intervals of a source left out",
                                REPORT_IN_TEXT | REPORT_IN_JSON, columns);
        report_item(report, table, &c, (struct report_cell[]){cell_text(rows[i].name)});
    }
    return RK_OK;
}

/* ---- steps of a source that are given ---- */

enum { GIVEN_ROWS = 6 }; /* sources with at least this number of steps */

enum rk_status validate_given(struct report *report, const struct results *results,
                              struct rk_error *error)
{
    /* clang-format off */
    static const struct report_column columns[] = {
        {.name = "given", REPORT_OF(struct given_score, given), .title = "steps given"},
        {.name = "sources", REPORT_OF(struct given_score, sources)},
        {.name = "none", REPORT_OF(struct given_score, none), .title = "as they come", .unit = "%", .digits = 1},
        {.name = "factor", REPORT_OF(struct given_score, factor), .title = "one factor", .unit = "%", .digits = 1},
        {.name = "likeness", REPORT_OF(struct given_score, likeness), .title = "by likeness", .unit = "%", .digits = 1},
        {.name = "half", REPORT_OF(struct given_score, half), .title = "50 % interval holds", .unit = "%", .digits = 1},
        {.name = "most", REPORT_OF(struct given_score, most), .title = "90 % interval holds", .unit = "%", .digits = 1},
    };
    /* clang-format on */
    static const size_t given[] = {1, 2, 4};
    struct report_table *table = NULL;
    for (int i = 0; i < COUNT_OF(given); i++) {
        struct given_score s;
        const enum rk_status status = given_score_of(results, GIVEN_ROWS, given[i], &s, error);
        if (status != RK_OK) return status;
        if (s.sources < 2) continue;
        if (!table)
            table = report_add(
                report, &(struct report_table){.name = "given",
                                               .title = "Error of times, mean of sources, when "
                                                        "some steps of each are given",
                                               .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                               .columns = columns,
                                               .column_count = COUNT_OF(columns)});
        report_item(report, table, &s, NULL);
    }
    return RK_OK;
}
