/* prediction_error.c - how far off a prediction may be, from the runs that were compared. */
#include "base/units.h"
#include "catalog/catalog.h"
#include "cli/prediction.h"
#include "facts/error_bar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct error_bars *own_bars(struct report *report)
{
    char folder[3072], path[4096];
    struct rk_error error;
    if (catalog_folder(folder, sizeof folder, &error) != RK_OK) return NULL;
    snprintf(path, sizeof path, "%s/measured/error_bars.json", folder);
    struct error_bars *bars = report_alloc(report, sizeof *bars);
    return bars && error_bars_load(path, bars, &error) == RK_OK ? bars : NULL;
}

static void add_bar(struct report *report, const struct forecast *f, const struct error_class *c)
{
    static const struct report_column columns[] = {
        {.name = "class"}, {.name = "runs"},    {.name = "signed_mean"}, {.name = "median"},
        {.name = "p90"},   {.name = "least_s"}, {.name = "most_s"}};
    const double step_s = f->prediction->step_s;
    const double least_s = step_s / (1 + c->p90),
                 most_s = step_s / (c->p90 < 1 ? 1 - c->p90 : 0.01);
    char least[QUANTITY_TEXT], most[QUANTITY_TEXT];
    report_note(report,
                report_text(report,
                            "  90 %% of %llu compared runs (%s) are within %.0f %%: %s to %s",
                            (unsigned long long)c->runs, c->of, 100 * c->p90,
                            quantity_format(least, QUANTITY_SECONDS, least_s),
                            quantity_format(most, QUANTITY_SECONDS, most_s)));
    report_row(report,
               report_add(report, &(struct report_table){.name = "error_bar",
                                                         .shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_JSON,
                                                         .columns = columns,
                                                         .column_count = 7}),
               (struct report_cell[]){cell_text(report_text(report, "%s", c->of)),
                                      cell_count(c->runs), cell_number(c->signed_mean),
                                      cell_number(c->median), cell_number(c->p90),
                                      cell_number(least_s), cell_number(most_s)});
}

/* What the class says of the fullest stage, and of the room that is left. */
static void add_memory_bar(struct report *report, const struct forecast *f,
                           const struct error_class *c)
{
    static const struct report_column columns[] = {
        {.name = "class"}, {.name = "runs"},        {.name = "signed_mean"}, {.name = "median"},
        {.name = "p90"},   {.name = "least_bytes"}, {.name = "most_bytes"}};
    const double total = f->prediction->stage[f->prediction->tightest].total_bytes;
    const double room = f->system->memory[0].capacity_bytes;
    const double least = total / (1 + c->p90), most = total / (c->p90 < 1 ? 1 - c->p90 : 0.01);
    const char *verdict = most <= room    ? "it fits even then"
                          : total <= room ? "it may not fit"
                          : least <= room ? "it may fit"
                                          : "it does not fit even then";
    const size_t prefix = strlen("peak memory, ");
    const char *of = strlen(c->of) > prefix ? c->of + prefix : "of all frameworks";
    report_note(report, report_text(report,
                                    "  memory: 90 %% of %llu compared peaks (%s) are within "
                                    "%.0f %%: %.1f to %.1f of %.1f GiB, %s",
                                    (unsigned long long)c->runs, of, 100 * c->p90, least / 0x1p30,
                                    most / 0x1p30, room / 0x1p30, verdict));
    report_row(report,
               report_add(report, &(struct report_table){.name = "memory_error_bar",
                                                         .shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_JSON,
                                                         .columns = columns,
                                                         .column_count = 7}),
               (struct report_cell[]){cell_text(report_text(report, "%s", c->of)),
                                      cell_count(c->runs), cell_number(c->signed_mean),
                                      cell_number(c->median), cell_number(c->p90),
                                      cell_number(least), cell_number(most)});
}

static void add_warnings(struct report *report, const struct error_bars *bars,
                         const struct error_request *request)
{
    static const struct report_column columns[] = {{.name = "outside"}};
    struct report_table *table = NULL;
    char text[160];
    for (int i = 0; error_bar_warning(bars, request, i, text, sizeof text); i++) {
        const char *kept = report_text(report, "%s", text);
        if (!table)
            table = report_add(report, &(struct report_table){.name = "warnings",
                                                              .formats = REPORT_IN_JSON,
                                                              .columns = columns,
                                                              .column_count = 1});
        report_row(report, table, (struct report_cell[]){cell_text(kept)});
        report_note(report, report_text(report, "  outside what was validated: %s", kept));
    }
}

static struct error_request request_of(const struct forecast *f)
{
    return (struct error_request){f->model, f->system->id, f->plan, f->prediction->parameters};
}

void forecast_memory_errors(struct report *report, const struct forecast *f)
{
    const struct error_bars *bars = f->prediction->timed ? own_bars(report) : NULL;
    if (!bars) return;
    const struct error_request request = request_of(f);
    const struct error_class *memory = error_bar_of_memory(bars, &request);
    if (memory) add_memory_bar(report, f, memory);
}

void forecast_errors(struct report *report, const struct forecast *f)
{
    const struct error_bars *bars = f->prediction->timed ? own_bars(report) : NULL;
    if (!bars) return;
    const struct error_request request = request_of(f);
    const struct error_class *class = error_bar_of(bars, &request);
    if (class) add_bar(report, f, class);
    const struct error_class *memory = error_bar_of_memory(bars, &request);
    if (memory) add_memory_bar(report, f, memory);
    add_warnings(report, bars, &request);
}
