/* chart_json.c - a chart as the script of the pages draws it: its numbers, their roles, its axes.
 */
#include "report/chart.h"
#include "report/markup.h"
#include "report/write.h"

#include <math.h>
#include <stdlib.h>

void table_write_json(const struct report_table *table, FILE *out)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    fputs("\"columns\":[", out);
    for (int i = 0; i < table->column_count; i++) {
        const struct report_column *column = &table->columns[i];
        fputs(i ? ",[" : "[", out);
        markup_json(out, column->name);
        fputc(',', out);
        markup_json(out, column->title ? column->title : column->name);
        fputc(',', out);
        markup_json(out, column->unit ? column->unit : "");
        fputc(']', out);
    }
    fputs("],\n\"rows\":[", out);
    for (size_t row = 0; row < table->rows; row++) {
        table_row(table, row, cells);
        fputs(row ? ",\n[" : "\n[", out);
        for (int i = 0; i < table->column_count; i++) {
            if (i) fputc(',', out);
            cell_write_json(&cells[i], markup_json, out);
        }
        fputc(']', out);
    }
    fputs("]", out);
}

static void json_axis(FILE *out, const struct chart *chart, const char *name,
                      const struct chart_axis *axis, enum chart_role role)
{
    const struct chart_range range = chart_range(chart, role);
    double ticks[CHART_TICKS];
    char title[128], exact[NUMBER_SIZE];
    fprintf(out, ",\n\"%s\":{\"title\":", name);
    markup_json(out, chart_axis_title(chart, axis, role, &range.scale, title, sizeof title));
    fprintf(out, ",\"factor\":%s,\"log\":%s,", number_exact(range.scale.factor, exact),
            axis->log ? "true" : "false");
    if (axis->end > 0 && isfinite(axis->end))
        fprintf(out, "\"end\":%s,", number_exact(axis->end, exact));
    fputs("\"ticks\":[", out);
    const int count = role == CHART_VALUE ? 0 : chart_log_ticks(chart, role, ticks);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? "," : "", number_exact(ticks[i], exact));
    fputs("]}", out);
}

static void json_series(FILE *out, const struct chart *chart)
{
    static const char *const marks[CHART_MARKS] = {"points", "linear", "step-after", "frame"};
    int count;
    struct chart_series *series = chart_all_series(chart, &count);
    fputs(",\n\"series\":[", out);
    for (int i = 0; i < count; i++) {
        fputs(i ? ",[" : "[", out);
        markup_json(out, series[i].name);
        fprintf(out, ",\"%s\",\"%s\"]", chart_palette[series[i].colour], marks[series[i].mark]);
    }
    fputc(']', out);
    free(series);
}

/* The columns that the reader may choose, by their numbers. */
static void json_metrics(FILE *out, const struct chart *chart)
{
    const char *comma = "";
    if (!chart->metrics) return;
    fputs(",\"metrics\":[", out);
    for (int i = 0; chart->metrics[i]; i++) {
        struct chart other = *chart;
        other.role[CHART_VALUE] = chart->metrics[i];
        const int column = chart_column(&other, CHART_VALUE);
        bool any = false;
        for (size_t row = 0; row < chart->table->rows && !any; row++)
            any = isfinite(chart_number(&other, row, CHART_VALUE));
        if (!any) continue;
        fprintf(out, "%s%d", comma, column);
        comma = ",";
    }
    fputc(']', out);
}

void chart_write_json(const struct chart *chart, FILE *out)
{
    const bool bars = chart->kind == CHART_BARS;
    fputs("{\"id\":", out);
    markup_json(out, chart->id);
    fputs(",\"title\":", out);
    markup_json(out, chart->title);
    fprintf(out, ",\"kind\":\"%s\",\"beside\":%s,\"upright\":%s,\"plain\":%s,\"roles\":{",
            chart_kind_names[chart->kind], chart->beside ? "true" : "false",
            chart->upright ? "true" : "false", chart->plain ? "true" : "false");
    const char *comma = "";
    for (int role = 0; role < CHART_ROLES; role++) {
        const int column = chart_column(chart, (enum chart_role)role);
        if (column < 0) continue;
        fprintf(out, "%s\"%s\":%d", comma, chart_role_names[role], column);
        comma = ",";
    }
    fputc('}', out);
    json_metrics(out, chart);
    json_axis(out, chart, "across", &chart->x, bars ? CHART_VALUE : CHART_X);
    json_axis(out, chart, "up", &chart->y, CHART_Y);
    json_axis(out, chart, "heat", chart->kind == CHART_HEAT ? &(struct chart_axis){0} : &chart->x,
              CHART_VALUE);
    fputs(",\n\"limit\":", out);
    markup_json(out, chart->limit ? chart->limit : "");
    json_series(out, chart);
    fputs(",\n", out);
    table_write_json(chart->table, out);
    fputc('}', out);
}
