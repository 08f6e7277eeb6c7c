/* validate_chart.c - measured and predicted step times as a page shows them. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/validate_tables.h"
#include "report/chart.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "id"},
    {.name = "source"},
    {.name = "gpu", .title = "GPU"},
    {.name = "measured_s",  .title = "measured",  .unit = "s"},
    {.name = "predicted_s", .title = "predicted", .unit = "s"},
    {.name = "error", .unit = "%"},
};
/* clang-format on */

static const struct chart_series diagonal = {"equal", CHART_GREY, CHART_LINE};
static const struct chart chart = {
    .id = "predicted",
    .title = "Predicted and measured step time, by source",
    .caption = "On the line a prediction is right; above it the run was faster than predicted.",
    .kind = CHART_XY,
    .role = {[CHART_X] = "measured_s", [CHART_Y] = "predicted_s", [CHART_SERIES] = "source"},
    .x = {.title = "measured", .log = true},
    .y = {.title = "predicted", .log = true},
    .series = &diagonal,
    .series_count = 1};

static bool is_step(const struct result *r)
{
    return r->kind == FIGURE_STEP && isfinite(r->measured_si) && isfinite(r->predicted_si) &&
           r->measured_si > 0 && isfinite(r->error);
}

static void add_verdict(struct report *report, double *errors, size_t count)
{
    qsort(errors, count, sizeof *errors, by_number);
    const double median = errors[count / 2], most = errors[count - 1 - count / 10];
    report->title = "Predictions and published measurements";
    report_verdict(report, median < 0.1 ? REPORT_GOOD : REPORT_UNSURE,
                   report_text(report,
                               "Half of %zu predicted steps are within %.1f %% of the measured "
                               "ones, nine of ten within %.1f %%.",
                               count, 100 * median, 100 * most));
}

enum rk_status validate_chart(struct report *report, const struct results *results,
                              struct rk_error *error)
{
    double low = INFINITY, high = 0, *errors = malloc((results->count + 1) * sizeof *errors);
    size_t count = 0;
    if (!errors) return no_memory(error);
    struct report_table *table = REPORT_LIST(report, NULL, NULL, REPORT_IN_PAGE, columns);
    if (table) table->chart = &chart;
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        if (!is_step(r)) continue;
        errors[count++] = fabs(r->error);
        low = fmin(low, r->measured_si);
        high = fmax(high, r->measured_si);
        REPORT_ROW(report, table, cell_text(report_text(report, "%s", r->id)),
                   cell_text(report_text(report, "%s", r->class_of[CLASS_SOURCE])),
                   cell_text(report_text(report, "%s", r->system)), cell_number(r->measured_si),
                   cell_number(r->predicted_si), cell_number(r->error));
    }
    for (int end = 0; count && end < 2; end++)
        REPORT_ROW(report, table, cell_text("equal"), cell_text(diagonal.name), cell_none(),
                   cell_number(end ? high : low), cell_number(end ? high : low), cell_none());
    if (count) add_verdict(report, errors, count);
    free(errors);
    return RK_OK;
}
