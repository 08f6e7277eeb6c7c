#include "report/chart.h"
#include "report/write.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const chart_kind_names[CHART_KINDS] = {"bars", "spans", "xy", "heat", "boxes"};
const char *const chart_role_names[CHART_ROLES] = {"x",      "x_end", "y",     "y_end", "value",
                                                   "series", "limit", "label", "low",   "high"};

const char *const chart_palette[CHART_COLOURS] = {
    "#4c78a8", "#f58518", "#e45756", "#72b7b2", "#54a24b", "#eeca3b", "#b279a2",
    "#ff9da6", "#9d755d", "#bab0ac", "#9ecae9", "#ffbf79", "#88d27a", "#d6a5c9",
    "#b79a20", "#439894", "#79706e", "#d67195", "#d8b5a5", "#fcbfd2"};

/* What must be a number for a row to be drawn. */
static const bool needs[CHART_KINDS][CHART_ROLES] = {
    [CHART_BARS] = {[CHART_VALUE] = true},
    [CHART_SPANS] = {[CHART_X] = true, [CHART_X_END] = true},
    [CHART_XY] = {[CHART_X] = true, [CHART_Y] = true},
    [CHART_HEAT] = {[CHART_X] = false}, /* without a value: hatched */
    [CHART_BOXES] =
        {[CHART_X] = true, [CHART_X_END] = true, [CHART_Y] = true, [CHART_Y_END] = true},
};

/* ---- cells ---- */

int chart_column(const struct chart *chart, enum chart_role role)
{
    const char *name = chart->role[role];
    for (int i = 0; name && i < chart->table->column_count; i++)
        if (strcmp(chart->table->columns[i].name, name) == 0) return i;
    return -1;
}

/* The cell of a role; a cell of type REPORT_NONE when the chart has no such role. */
static struct report_cell chart_cell(const struct chart *chart, size_t row, enum chart_role role)
{
    const int column = chart_column(chart, role);
    assert(!chart->table->make);
    if (column < 0) return cell_none();
    return chart->table->cells[row * (size_t)chart->table->column_count + (size_t)column];
}

double chart_number(const struct chart *chart, size_t row, enum chart_role role)
{
    const struct report_cell cell = chart_cell(chart, row, role);
    if (cell.type == REPORT_COUNT) return (double)cell.as.count;
    return cell.type == REPORT_NUMBER ? cell.as.number : NAN;
}

static const char *chart_text(const struct chart *chart, size_t row, enum chart_role role)
{
    const struct report_cell cell = chart_cell(chart, row, role);
    return cell.type == REPORT_TEXT ? cell.as.text : "";
}

/* Has the row all the numbers that drawing it needs? */
static bool chart_row_is_drawn(const struct chart *chart, size_t row)
{
    const struct chart_axis *axes[CHART_ROLES] = {
        [CHART_X] = &chart->x, [CHART_X_END] = &chart->x, [CHART_Y] = &chart->y};
    for (int role = 0; role < CHART_ROLES; role++) {
        if (!needs[chart->kind][role]) continue;
        const double number = chart_number(chart, row, (enum chart_role)role);
        if (!isfinite(number) || (axes[role] && axes[role]->log && number <= 0)) return false;
    }
    return true;
}

size_t chart_drawn(const struct chart *chart)
{
    size_t drawn = 0;
    for (size_t row = 0; row < chart->table->rows; row++)
        drawn += chart_row_is_drawn(chart, row);
    return drawn;
}

/* ---- names ---- */

static int chart_name_index(const struct chart_names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0) return i;
    return -1;
}

bool chart_names(const struct chart *chart, enum chart_role role, struct chart_names *names)
{
    *names = (struct chart_names){calloc(chart->table->rows + 1, sizeof *names->name), 0};
    if (!names->name) return false;
    for (size_t row = 0; row < chart->table->rows; row++) {
        const char *name = chart_text(chart, row, role);
        if (chart_name_index(names, name) < 0) names->name[names->count++] = name;
    }
    return true;
}

static bool is_listed(const struct chart *chart, const char *name)
{
    for (int i = 0; i < chart->series_count; i++)
        if (strcmp(chart->series[i].name, name) == 0) return true;
    return false;
}

/* What has the same color on every chart: parts of a step's time, what holds memory, and where
 * numbers come from. */
static const struct {
    const char *name;
    enum chart_colour colour;
} known[] = {
    {"matrix", CHART_BLUE},
    {"attention", CHART_ORANGE},
    {"memory", CHART_TEAL},
    {"recompute", CHART_PURPLE},
    {"tensor", CHART_YELLOW},
    {"context", CHART_DARK_YELLOW},
    {"expert", CHART_ROSE},
    {"offload", CHART_BROWN},
    {"launch", CHART_GREY},
    {"pipeline", CHART_LIGHT_ROSE},
    {"bubble", CHART_DARK_GREY},
    {"data", CHART_RED},
    {"optimizer", CHART_GREEN},
    {"forward", CHART_BLUE},
    {"backward", CHART_ORANGE},
    {"weights", CHART_BLUE},
    {"gradients", CHART_TEAL},
    {"gathered", CHART_LIGHT_BLUE},
    {"activations", CHART_ORANGE},
    {"mlp", CHART_LIGHT_ORANGE},
    {"experts", CHART_ROSE},
    {"norms", CHART_LIGHT_PURPLE},
    {"checkpoints", CHART_YELLOW},
    {"embedding", CHART_BROWN},
    {"working", CHART_GREY},
    {"communication", CHART_RED},
    {"measured", CHART_DARK_GREY},
    {"profile", CHART_DARK_GREY},
    {"predicted", CHART_BLUE},
    {"measured step", CHART_DARK_GREY},
    {"A", CHART_BLUE},
    {"B", CHART_ORANGE},
};

/* The series' own; else the first from `next` on that none of `all` has; when all are taken, again
 * from the start. */
static enum chart_colour colour_of(const char *name, const struct chart_series *all, int count,
                                   int next)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].colour;
    for (int tries = 0; tries < CHART_COLOURS; tries++, next++) {
        bool taken = false;
        for (int i = 0; i < count; i++)
            taken |= (int)all[i].colour == next % CHART_COLOURS;
        if (!taken) break;
    }
    return (enum chart_colour)(next % CHART_COLOURS);
}

struct chart_series *chart_all_series(const struct chart *chart, int *count)
{
    struct chart_names names;
    struct chart_series *all = NULL;
    int next = 0;
    *count = 0;
    if (chart_column(chart, CHART_SERIES) < 0) return NULL;
    if (!chart_names(chart, CHART_SERIES, &names)) return NULL;
    if (names.count) all = calloc((size_t)names.count, sizeof *all);
    for (int i = 0; all && i < chart->series_count; i++)
        if (chart_name_index(&names, chart->series[i].name) >= 0)
            all[(*count)++] = chart->series[i];
    for (int i = 0; all && i < names.count; i++)
        if (!is_listed(chart, names.name[i])) {
            const enum chart_colour colour = colour_of(names.name[i], all, *count, next);
            all[*count] = (struct chart_series){names.name[i], colour, chart->mark};
            next = (int)colour + 1;
            ++*count;
        }
    free(names.name);
    return all;
}

/* ---- axes ---- */

struct chart_scale chart_scale(const char *unit, double largest)
{
    /* clang-format off */
    static const struct {
        const char *unit;
        struct chart_scale scale[7]; /* ascending */
    } families[] = {
        {"s",      {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}, {86400, "days"}}},
        {"B",      {{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}}},
        {"B/s",    {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}},
        {"FLOP",   {{1, "FLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}, {1e15, "PFLOP"}}},
        {"FLOP/s", {{1, "FLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}, {1e15, "PFLOP/s"}}},
        {"1/s",    {{1, "1/s"}, {1e3, "thousand/s"}, {1e6, "million/s"}}},
        {"n",      {{1, ""}, {1e6, "million"}, {1e9, "billion"}}},
        {"%",      {{0.01, "%"}}},
    };
    /* clang-format on */
    for (size_t i = 0; unit && i < sizeof families / sizeof *families; i++) {
        if (strcmp(unit, families[i].unit) != 0) continue;
        const struct chart_scale *scale = families[i].scale;
        while (scale[1].factor > 0 && scale[1].factor <= largest)
            scale++;
        return *scale;
    }
    return (struct chart_scale){1, unit ? unit : ""};
}

static void widen(struct chart_range *range, double number)
{
    if (!isfinite(number)) return;
    range->min = fmin(range->min, number);
    range->max = fmax(range->max, number);
}

/* The sum of the values of the row's category, up to this row. */
static double stack_top(const struct chart *chart, size_t last)
{
    const char *name = chart_text(chart, last, CHART_Y);
    double top = 0;
    for (size_t row = 0; row <= last; row++)
        if (chart_row_is_drawn(chart, row) && strcmp(chart_text(chart, row, CHART_Y), name) == 0)
            top += chart_number(chart, row, CHART_VALUE);
    return top;
}

struct chart_range chart_range(const struct chart *chart, enum chart_role role)
{
    const int column = chart_column(chart, role);
    const bool stacks = chart->kind == CHART_BARS && !chart->beside;
    struct chart_range range = {INFINITY, -INFINITY, {1, ""}};
    for (size_t row = 0; row < chart->table->rows; row++) {
        if (!chart_row_is_drawn(chart, row)) continue;
        widen(&range, stacks ? stack_top(chart, row) : chart_number(chart, row, role));
        if (role == CHART_X) widen(&range, chart_number(chart, row, CHART_X_END));
        if (role == CHART_Y) widen(&range, chart_number(chart, row, CHART_Y_END));
        if (role == CHART_VALUE) widen(&range, chart_number(chart, row, CHART_LIMIT));
        if (role == CHART_VALUE || role == CHART_Y)
            widen(&range, chart_number(chart, row, CHART_HIGH));
    }
    if (range.min > range.max) range.min = range.max = 0;
    if (chart->kind == CHART_BARS) range.min = fmin(range.min, 0);
    if (column < 0) return range;
    const char *unit = chart->table->columns[column].unit;
    const bool log = (role == CHART_X && chart->x.log) || (role == CHART_Y && chart->y.log);
    const bool counts = unit && strcmp(unit, "n") == 0; /* over decades each tick has its letter */
    if (!(log && counts)) range.scale = chart_scale(unit, fmax(fabs(range.min), fabs(range.max)));
    return range;
}

/* The different numbers of a role, in the order of their first row; 0 when they are many. */
static int few_numbers(const struct chart *chart, enum chart_role role, double *numbers)
{
    enum { FEW = 10 };
    int count = 0;
    for (size_t row = 0; row < chart->table->rows; row++) {
        const double number = chart_number(chart, row, role);
        int i = 0;
        if (!chart_row_is_drawn(chart, row)) continue;
        while (i < count && numbers[i] != number)
            i++;
        if (i < count) continue;
        if (count == FEW) return 0;
        numbers[count++] = number;
    }
    return count;
}

int chart_log_ticks(const struct chart *chart, enum chart_role role, double ticks[CHART_TICKS])
{
    const struct chart_axis *axis = role == CHART_X ? &chart->x : &chart->y;
    if (chart->kind != CHART_XY || !axis->log) return 0;
    const struct chart_range range = chart_range(chart, role);
    int count = role == CHART_X ? few_numbers(chart, role, ticks) : 0;
    if (count || range.min <= 0) return count;
    const double low = range.min / range.scale.factor, high = range.max / range.scale.factor;
    const bool few = high < 1e3 * low; /* decades */
    bool reached = false;
    for (int power = (int)floor(log10(low) + 1e-9); !reached && count < CHART_TICKS; power++)
        for (int i = 0; i < (few ? 3 : 1) && !reached && count < CHART_TICKS; i++) {
            const double tick = (const double[]){1, 2, 5}[i] * pow(10, power);
            if (count && tick <= low * (1 + 1e-9)) count--; /* the last one below is enough */
            ticks[count++] = tick * range.scale.factor;
            reached = count > 1 && tick >= high * (1 - 1e-9);
        }
    return count;
}

const char *chart_axis_title(const struct chart *chart, const struct chart_axis *axis,
                             enum chart_role role, const struct chart_scale *scale, char *buffer,
                             size_t size)
{
    const int index = chart_column(chart, role);
    const struct report_column *column = index >= 0 ? &chart->table->columns[index] : NULL;
    const char *title = axis->title     ? axis->title
                        : !column       ? ""
                        : column->title ? column->title
                                        : column->name;
    snprintf(buffer, size, scale->unit[0] ? "%s (%s)" : "%s", title, scale->unit);
    return buffer;
}

/* ---- tables that have a series in each column ---- */

static int wide_index(const struct chart *chart, const char *name)
{
    for (int i = 0; chart->wide && chart->wide[i]; i++)
        if (strcmp(chart->wide[i], name) == 0) return i;
    return -1;
}

static const char *title_of(const struct report_column *column)
{
    return column->title && *column->title ? column->title : column->name;
}

/* The kept columns, then "series" and "value". */
static int long_columns(const struct chart *chart, const struct report_table *table,
                        struct report_column *columns)
{
    struct report_column value = {.name = "value"};
    int used = 0;
    for (int i = 0; i < table->column_count; i++) {
        const int at = wide_index(chart, table->columns[i].name);
        if (at < 0) columns[used++] = table->columns[i];
        if (at == 0) value.unit = table->columns[i].unit;
    }
    columns[used++] = (struct report_column){.name = "series"};
    columns[used++] = value;
    return used;
}

/* One row of the table as rows of the chart. */
static void long_rows(struct report *memory, const struct chart *chart,
                      const struct report_table *from, const struct report_cell *cells,
                      struct report_table *to)
{
    struct report_cell row[REPORT_MAX_COLUMNS + 2];
    for (int series = 0; series < from->column_count; series++) {
        int used = 0;
        if (wide_index(chart, from->columns[series].name) < 0) continue;
        if (cells[series].type == REPORT_NONE) continue;
        for (int i = 0; i < from->column_count; i++)
            if (wide_index(chart, from->columns[i].name) < 0) row[used++] = cells[i];
        row[used++] = cell_text(title_of(&from->columns[series]));
        row[used] = cells[series];
        report_row(memory, to, row);
    }
}

/* Is the column one of names, whose numbers are texts? */
static bool is_of_names(const struct chart *chart, const char *column)
{
    const bool names[CHART_ROLES] = {[CHART_SERIES] = true,
                                     [CHART_LABEL] = true,
                                     [CHART_X] = chart->kind == CHART_HEAT,
                                     [CHART_Y] =
                                         chart->kind != CHART_XY && chart->kind != CHART_BOXES};
    for (int role = 0; role < CHART_ROLES; role++)
        if (names[role] && chart->role[role] && strcmp(chart->role[role], column) == 0) return true;
    return false;
}

/* Texts of a made row live until the next one. */
static struct report_cell kept_cell(struct report *memory, const struct chart *chart,
                                    const struct report_table *table, int i,
                                    struct report_cell cell)
{
    char digits[REPORT_DIGITS];
    if (cell.type == REPORT_TEXT)
        return table->make ? cell_text(report_text(memory, "%s", cell.as.text)) : cell;
    if (!is_of_names(chart, table->columns[i].name)) return cell;
    if (cell.type == REPORT_COUNT)
        return cell_text(report_text(memory, "%s", report_digits(cell.as.count, digits)));
    return cell.type == REPORT_NUMBER ? cell_text(report_text(memory, "%.6g", cell.as.number))
                                      : cell;
}

struct chart chart_over(struct report *memory, const struct chart *chart,
                        const struct report_table *table)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    struct chart drawn = *chart;
    struct report_column *columns =
        report_alloc(memory, (size_t)(table->column_count + 2) * sizeof *columns);
    drawn.table = NULL;
    if (!columns) return drawn;
    const int count = chart->wide ? long_columns(chart, table, columns) : table->column_count;
    if (!chart->wide) memcpy(columns, table->columns, (size_t)count * sizeof *columns);
    struct report_table *rows = report_list(memory, NULL, NULL, 0, columns, count);
    for (size_t row = 0; rows && row < table->rows; row++) {
        table_row(table, row, cells);
        for (int i = 0; i < table->column_count; i++)
            cells[i] = kept_cell(memory, chart, table, i, cells[i]);
        if (chart->wide)
            long_rows(memory, chart, table, cells, rows);
        else
            report_row(memory, rows, cells);
    }
    drawn.table = rows;
    if (chart->wide) drawn.role[CHART_SERIES] = "series";
    if (chart->wide) drawn.role[chart->kind == CHART_XY ? CHART_Y : CHART_VALUE] = "value";
    return drawn;
}

/* ---- comma-separated values ---- */

void chart_write_csv(const struct chart *chart, FILE *out)
{
    struct report_table table = *chart->table;
    table.formats = REPORT_IN_CSV;
    table.next = NULL;
    const struct report report = {.first = &table, .last = &table};
    write_csv(&report, out);
}
