#include "cli/search_rows.h"

#include "base/units.h"
#include "cli/search_best.h"
#include "report/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures ---- */

static double price_of(const struct search_row *r)
{
    return r->machine.price;
}
static double power_of(const struct search_row *r)
{
    return r->machine.power_kW;
}
static double energy_of(const struct search_row *r)
{
    return r->machine.energy_kWh;
}
static double trillion_of(const struct search_row *r)
{
    return r->machine.cost_per_trillion;
}
static double measured_of(const struct search_row *r)
{
    return (double)r->machine.measured;
}
static double days_of(const struct search_row *r)
{
    return r->days;
}
static double cost_of(const struct search_row *r)
{
    return r->cost;
}
static double chance_of(const struct search_row *r)
{
    return r->chance;
}
static double step_of(const struct search_row *r)
{
    return r->outcome.step_s;
}
static double samples_of(const struct search_row *r)
{
    return r->outcome.samples_per_s;
}
static double tokens_of(const struct search_row *r)
{
    return r->outcome.tokens_per_s;
}
static double mfu_of(const struct search_row *r)
{
    return r->outcome.mfu;
}
static double memory_of(const struct search_row *r)
{
    return r->outcome.hbm_bytes;
}
static double step_usd_of(const struct search_row *r)
{
    return r->outcome.step_usd;
}
static double gpus_of(const struct search_row *r)
{
    return (double)r->gpus;
}
static double tokens_gpu_of(const struct search_row *r)
{
    return r->outcome.tokens_per_s / (double)r->plan.ranks;
}
static double used_of(const struct search_row *r)
{
    return r->system->machine ? (double)r->plan.ranks : 0;
}

/* That share of runs like it is below: of the days of a run, else of the step. */
static double range_of(const struct search_row *r, int share)
{
    return r->machine.ranged ? (r->days > 0 ? r->days : r->outcome.step_s) * r->machine.ratio[share]
                             : 0;
}
static double p5_of(const struct search_row *r)
{
    return range_of(r, 0);
}
static double p25_of(const struct search_row *r)
{
    return range_of(r, 1);
}
static double p75_of(const struct search_row *r)
{
    return range_of(r, 3);
}
static double p95_of(const struct search_row *r)
{
    return range_of(r, 4);
}

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "model"},
    {.name = "system"},
    {.name = "gpus",             .title = "GPUs"},
    {.name = "batch"},
    {.name = "predictor",        .title = "model of plans"},
    {.name = "plans"},
    {.name = "fits"},
    SEARCH_FIGURES,
    {.name = "fits_share",       .title = "fits in",      .unit = "%", .digits = 0},
    {.name = "days",             .digits = 4},
    {.name = "cost_usd",         .title = "cost in USD",  .unit = "n", .digits = 3},
    {.name = "gpus_used",        .title = "GPUs used"},
    {.name = "step_usd",         .title = "USD per step",   .digits = 4},
    {.name = "price_usd_per_hour", .title = "USD/GPU-h",  .digits = 4},
    {.name = "price_kind",       .title = "price"},
    {.name = "cost_per_trillion_usd", .title = "USD/T tokens", .unit = "n", .digits = 3},
    {.name = "power_kW",         .title = "power kW",     .unit = "",  .digits = 4},
    {.name = "energy_kWh",       .title = "energy kWh",   .unit = "n", .digits = 3},
    {.name = "p5"},
    {.name = "p25"},
    {.name = "p75"},
    {.name = "p95"},
    {.name = "range_50",         .title = "50 %"},
    {.name = "range_90",         .title = "90 %"},
    {.name = "measured_runs",    .title = "measured runs"},
    {.name = "plan",             .title = "best plan"},
    {.name = "reason"},
};

enum { COLUMNS = sizeof columns / sizeof *columns, FIXED = 7, PRICE_KIND = 19, RANGES = 27, MEASURED = 29, PLAN = 30, REASON = 31 };

/* Of each column with a number: how it is made of a row, what else --sort calls it. */
static const struct row_figure {
    int column;
    double (*of)(const struct search_row *row);
    bool most; /* is better */
    const char *names[4];
} figures[] = {
    {2,  gpus_of,       false, {"gpus"}},
    {7,  step_of,       false, {"step_s", "step", "time"}},
    {8,  samples_of,    true,  {"samples_per_s", "rate"}},
    {9,  tokens_of,     true,  {"tokens_per_s"}},
    {10, tokens_gpu_of, true,  {"tokens_per_s_gpu"}},
    {11, mfu_of,        true,  {"mfu"}},
    {12, memory_of,     false, {"hbm_bytes", "hbm", "memory"}},
    {13, chance_of,     true,  {"fits_share"}},
    {14, days_of,       false, {"days"}},
    {15, cost_of,       false, {"cost_usd", "cost"}},
    {16, used_of,       false, {"gpus_used"}},
    {17, step_usd_of,   false, {"step_usd"}},
    {18, price_of,      false, {"price_usd_per_hour", "price"}},
    {20, trillion_of,   false, {"cost_per_trillion_usd", "cost_per_trillion"}},
    {21, power_of,      false, {"power_kW", "power"}},
    {22, energy_of,     false, {"energy_kWh", "energy"}},
    {23, p5_of,         false, {"p5"}},
    {24, p25_of,        false, {"p25"}},
    {25, p75_of,        false, {"p75"}},
    {26, p95_of,        false, {"p95"}},
    {MEASURED, measured_of, true, {"measured_runs", "measured"}},
};
/* clang-format on */
enum { FIGURES = sizeof figures / sizeof *figures };

/* ---- order ---- */

static const struct row_figure *figure_named(const char *name)
{
    for (int i = 0; name && i < FIGURES; i++)
        for (int k = 0; k < 4 && figures[i].names[k]; k++)
            if (strcmp(name, figures[i].names[k]) == 0) return &figures[i];
    return NULL;
}

/* Before all, where nothing is known: after all. */
static bool comes_before(const struct search_row *a, const struct search_row *b,
                         const struct row_figure *by)
{
    const double x = a->reason ? NAN : by->of(a), y = b->reason ? NAN : by->of(b);
    const bool known = isfinite(x) && x > 0, other = isfinite(y) && y > 0;
    if (!known || !other) return known && !other;
    return by->most ? x > y : x < y;
}

void search_rows_sort(struct search_row *row, size_t count, const char *name)
{
    const struct row_figure *by = figure_named(name);
    for (size_t i = 1; by && i < count; i++) { /* equal ones stay as they are */
        const struct search_row moved = row[i];
        size_t to = i;
        for (; to > 0 && comes_before(&moved, &row[to - 1], by); to--)
            row[to] = row[to - 1];
        row[to] = moved;
    }
}

/* ---- the table ---- */

struct shown {
    const struct search_row *row;
    int count, column_of[COLUMNS];
    bool people;
    struct report_column column[COLUMNS];
    char words[RK_PLAN_TEXT], range[2][48]; /* of the row at hand */
};

static struct report_cell range_cell(struct shown *s, const struct search_row *row, int which)
{
    char *text = s->range[which];
    if (!row->machine.ranged) return cell_none();
    snprintf(text, sizeof s->range[which], "%.4g-%.4g", range_of(row, which ? 0 : 1),
             range_of(row, which ? 4 : 3));
    return cell_text(text);
}

/* Its texts live until the next row. */
static void make_row(const void *context, size_t i, struct report_cell *cells)
{
    struct shown *s = (struct shown *)context;
    const struct search_row *row = &s->row[i];
    struct report_cell all[COLUMNS] = {
        cell_text(row->model->id), cell_text(row->choice ? row->choice : row->system->id),
        cell_count(row->gpus),     cell_count(row->batch),
        cell_text(row->predictor), cell_count(row->plans),
        cell_count(row->fits)};
    for (int k = FIXED; k < COLUMNS; k++)
        all[k] = cell_none();
    for (int k = 1; k < FIGURES && !row->reason; k++) {
        const double value = figures[k].of(row);
        if (isfinite(value) && (value > 0 || figures[k].column < 14))
            all[figures[k].column] = cell_number(value);
    }
    if (row->system->machine && !row->reason) all[16] = cell_count(row->plan.ranks);
    if (row->reason) {
        snprintf(s->words, sizeof s->words, "none: %s", row->reason);
        all[REASON] = cell_text(row->reason);
        if (s->people) all[PLAN] = cell_text(s->words);
    } else {
        rk_plan_text(&row->plan, s->words, sizeof s->words);
        all[PLAN] = cell_text(s->words);
        if (*row->machine.price_kind) all[PRICE_KIND] = cell_text(row->machine.price_kind);
        all[MEASURED] = cell_count(row->machine.measured);
        for (int k = 0; k < 2; k++)
            all[RANGES + k] = range_cell(s, row, k);
    }
    for (int k = 0; k < s->count; k++)
        cells[k] = all[s->column_of[k]];
}

static struct report_table *add_table(struct report *report, const struct search_rows *rows,
                                      const bool *keep, unsigned formats)
{
    struct shown *s = report_alloc(report, sizeof *s);
    if (!s) return NULL;
    s->row = rows->row;
    s->people = formats == REPORT_IN_TEXT;
    for (int i = 0; i < COLUMNS; i++) {
        if (!keep[i]) continue;
        s->column[s->count] = columns[i];
        s->column_of[s->count++] = i;
    }
    return report_add(
        report, &(struct report_table){.name = "problems",
                                       .title = s->people ? "Best plan of each problem" : NULL,
                                       .formats = formats,
                                       .columns = s->column,
                                       .column_count = s->count,
                                       .rows = rows->count,
                                       .make = make_row,
                                       .context = s});
}

/* What people see: what is the same in all rows, or not known of any, is left out. */
static void choose(const struct search_rows *rows, bool keep[COLUMNS])
{
    static const int always[] = {2, 5, 6, 7, 10, 11, 12, PLAN};
    static const int where_known[] = {13, 14, 15, 16, 17};
    static const int of_machines[] = {18, PRICE_KIND, 20, 21, RANGES, RANGES + 1, MEASURED};
    bool runs = false;
    memset(keep, 0, COLUMNS * sizeof *keep);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        keep[always[i]] = true;
    keep[0] = rows->several_models;
    keep[1] = rows->several_systems;
    keep[3] = rows->several_batches;
    keep[4] = rows->mixed;
    for (size_t i = 0; i < rows->count; i++) {
        const struct search_row *row = &rows->row[i];
        if (row->reason) continue;
        runs |= row->days > 0;
        for (int k = 0; k < FIGURES; k++)
            for (size_t n = 0; n < sizeof where_known / sizeof *where_known; n++)
                if (figures[k].column == where_known[n] && figures[k].of(row) > 0)
                    keep[where_known[n]] = true;
    }
    for (size_t i = 0; i < sizeof of_machines / sizeof *of_machines; i++)
        keep[of_machines[i]] = runs && rows->several_systems;
    const struct row_figure *by = figure_named(rows->sort);
    if (by) keep[by->column] = true; /* the order is to be seen */
}

/* ---- the chart of a page ---- */

static const struct report_column drawn[] = {
    {.name = "machine"},
    {.name = "x"},
    {.name = "y"},
    {.name = "cost_usd", .title = "cost", .unit = "USD"},
    {.name = "days", .title = "days", .unit = "days"},
    {.name = "cost_per_trillion_usd", .title = "cost of a trillion tokens", .unit = "USD"},
    {.name = "power_kW", .title = "power", .unit = "kW"},
    {.name = "step_s", .title = "step", .unit = "s"},
    {.name = "tokens_per_s_gpu", .title = "tokens per second per GPU", .unit = "tokens/s"},
    {.name = "low"},
    {.name = "high"},
};
static const char *const metrics[] = {"days",   "cost_per_trillion_usd", "power_kW",
                                      "step_s", "tokens_per_s_gpu",      NULL};
static const char *const step_metrics[] = {"tokens_per_s_gpu", NULL};

/* Machines of a line with two lists in braces are a grid: "141GiB,900GB/s" is (141GiB, 900GB/s). */
static bool is_grid(const struct search_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *choice = rows->row[i].choice;
        const char *comma = choice ? strchr(choice, ',') : NULL;
        if (!comma || strchr(comma + 1, ',')) return false;
    }
    return rows->count > 3 && !rows->several_models;
}

/* "x512" and "net1=1.5TB/s", up to a comma: the number, in its unit, for the order of an axis. */
static double number_of(const char *word)
{
    const size_t key = strcspn(word, "=,");
    const char *digits = strpbrk(word[key] == '=' ? word + key : word, "0123456789,");
    struct unit unit = {QUANTITY_PLAIN, 1, 1};
    double value = 0;
    if (!digits) return 0;
    const size_t length = strcspn(digits, ",@"), used = number_parse(digits, length, &value);
    unit_find(digits + used, length - used, &unit);
    return used ? unit_to_si(&unit, value) : 0;
}

static int compare_cells(const void *a, const void *b)
{
    const struct search_row *const *one = a, *const *other = b;
    const char *p = (*one)->choice, *q = (*other)->choice;
    for (; p && q; p = strchr(p, ','), q = strchr(q, ',')) {
        p += strspn(p, ", ");
        q += strspn(q, ", ");
        const double x = number_of(p), y = number_of(q);
        if (x != y) return x < y ? -1 : 1;
    }
    return strcmp((*one)->choice, (*other)->choice);
}

/* What an axis of a grid is about: "x512" are GPUs, "net1=50GB/s" is net1. */
static const char *axis_of(struct report *report, const char *word)
{
    const size_t key = strcspn(word, "=,");
    if (word[key] == '=') return report_text(report, "%.*s", (int)key, word);
    return *word == 'x' ? "GPUs" : "machine";
}

static struct report_cell known(double value)
{
    return isfinite(value) && value > 0 ? cell_number(value) : cell_none();
}

static void draw_row(struct report *report, struct report_table *table,
                     const struct search_rows *rows, const struct search_row *row)
{
    const char *name = row->choice ? row->choice : row->system->id;
    const char *comma = strchr(name, ',');
    const bool fits = !row->reason;
    const double of_run = row->cost > 0 && row->days > 0 ? row->cost / row->days : 1;
    REPORT_ROW(report, table,
               cell_text(report_text(
                   report, "%s%s%s, %llu GPUs", rows->several_models ? row->model->id : "",
                   rows->several_models ? " on " : "", name, (unsigned long long)row->gpus)),
               cell_text(comma ? report_text(report, "%.*s", (int)(comma - name), name) : name),
               cell_text(comma ? comma + 2 : name), known(fits ? row->cost : 0),
               known(fits ? row->days : 0), known(fits ? row->machine.cost_per_trillion : 0),
               known(fits ? row->machine.power_kW : 0), known(fits ? row->outcome.step_s : 0),
               known(fits ? tokens_gpu_of(row) : 0), known(fits ? p25_of(row) * of_run : 0),
               known(fits ? p75_of(row) * of_run : 0));
}

/* The cells of a heat map stand in the order of their numbers; false: no memory. */
static bool draw_rows(struct report *report, struct report_table *table,
                      const struct search_rows *rows, bool grid)
{
    const struct search_row **order = calloc(rows->count, sizeof(struct search_row *));
    if (!order) return false;
    for (size_t i = 0; i < rows->count; i++)
        order[i] = &rows->row[i];
    if (grid) qsort(order, rows->count, sizeof *order, compare_cells);
    for (size_t i = 0; i < rows->count; i++)
        draw_row(report, table, rows, order[i]);
    free(order);
    return true;
}

bool search_rows_chart(struct report *report, const struct search_rows *rows)
{
    const bool grid = is_grid(rows);
    bool cost = false, days = false, none = false;
    for (size_t i = 0; i < rows->count; i++) {
        days |= rows->row[i].days > 0;
        cost |= rows->row[i].cost > 0;
        none |= rows->row[i].reason != NULL;
    }
    if (!grid && !(days && rows->several_systems)) return false;
    struct report_table *table =
        REPORT_LIST(report, "machines", "Machines side by side", REPORT_IN_PAGE, drawn);
    struct chart *chart = report_alloc(report, sizeof *chart);
    if (!table || !chart || !draw_rows(report, table, rows, grid)) return true;
    const char *value = cost ? "cost_usd" : days ? "days" : "step_s";
    *chart = (struct chart){.kind = grid ? CHART_HEAT : CHART_BARS,
                            .metrics = days ? metrics : step_metrics,
                            .caption = "The whiskers hold half of measured runs like these."};
    chart->role[CHART_VALUE] = value;
    if (grid) {
        chart->role[CHART_X] = "x";
        chart->role[CHART_Y] = "y";
        chart->x.title = axis_of(report, rows->row[0].choice);
        chart->caption = none ? "Hatched: nothing fits." : NULL;
    } else {
        chart->role[CHART_Y] = "machine";
        chart->role[CHART_LOW] = "low";
        chart->role[CHART_HIGH] = "high";
    }
    table->chart = chart;
    return true;
}

void search_rows_add(struct report *report, const struct search_rows *rows)
{
    bool keep[COLUMNS];
    choose(rows, keep);
    add_table(report, rows, keep, REPORT_IN_TEXT);
    memset(keep, true, sizeof keep);
    keep[RANGES] = keep[RANGES + 1] = false;
    add_table(report, rows, keep, REPORT_IN_JSON | REPORT_IN_CSV);
}
