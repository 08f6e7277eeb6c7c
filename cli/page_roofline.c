/* The operations of a block against the roofs of the machine [williams2009]. */
#include "cli/pages.h"

#include <math.h>

enum { OPERATION_COLUMNS = 7 };

/* clang-format off */
static const struct report_column columns[OPERATION_COLUMNS] = {
    {.name = "what"},
    {.name = "operation"},
    {.name = "flop_per_byte", .title = "FLOP per byte"},
    {.name = "flop_per_s",    .title = "achieved",   .unit = "FLOP/s"},
    {.name = "flop",          .title = "work",       .unit = "FLOP"},
    {.name = "access_bytes",  .title = "bytes moved", .unit = "B"},
    {.name = "time_s",        .title = "time",       .unit = "s"},
};
static const struct chart_series series[] = {
    {"matrix engine and memory", CHART_GREY,   CHART_LINE},
    {"vector engine and memory", CHART_BROWN,  CHART_LINE},
    {"forward",                  CHART_BLUE,   CHART_POINTS},
    {"activation gradient",      CHART_TEAL,   CHART_POINTS},
    {"weight gradient",          CHART_PURPLE, CHART_POINTS},
};
/* clang-format on */

/* Whose peak the roofs show. */
static const enum rk_datatype datatypes[RK_PRECISIONS] = {
    [RK_FP32] = RK_FLOAT32,   [RK_TF32] = RK_FLOAT32,       [RK_FP16] = RK_FLOAT16,
    [RK_BF16] = RK_BFLOAT16,  [RK_FP8_DELAYED] = RK_FLOAT8, [RK_FP8_CURRENT] = RK_FLOAT8,
    [RK_FP8_ROW] = RK_FLOAT8, [RK_FP8_BLOCK] = RK_FLOAT8,   [RK_MXFP8] = RK_FLOAT8,
    [RK_NVFP4] = RK_FLOAT8,   [RK_INT8] = RK_FLOAT8,
};

struct intensity {
    double low, high;
};

static void operation_points(struct html_page *page, struct report_table *table,
                             const struct rk_operation *operations, int count,
                             struct intensity *range)
{
    for (int i = 0; i < count; i++)
        for (int pass = 0; pass < RK_PASSES; pass++) {
            const struct rk_operation *o = &operations[i];
            const double intensity = o->flop[pass] / o->access_bytes[pass];
            if (!(o->flop[pass] > 0 && o->access_bytes[pass] > 0 && o->time_s[pass] > 0)) continue;
            range->low = fmin(range->low, intensity);
            range->high = fmax(range->high, intensity);
            const struct report_cell cells[OPERATION_COLUMNS] = {
                cell_text(series[2 + pass].name), cell_text(o->name),
                cell_number(intensity),           cell_number(o->flop[pass] / o->time_s[pass]),
                cell_number(o->flop[pass]),       cell_number(o->access_bytes[pass]),
                cell_number(o->time_s[pass])};
            report_row(&page->memory, table, cells);
        }
}

static void roof_point(struct html_page *page, struct report_table *table, const char *name,
                       double intensity, double peak, double bandwidth)
{
    const struct report_cell cells[OPERATION_COLUMNS] = {
        cell_text(name),
        cell_text("peak"),
        cell_number(intensity),
        cell_number(fmin(peak, bandwidth * intensity)),
        cell_none(),
        cell_none(),
        cell_none()};
    report_row(&page->memory, table, cells);
}

static void roof(struct html_page *page, struct report_table *table, const char *name,
                 const struct rk_engine *engine, const struct rk_memory *memory,
                 const struct intensity *range)
{
    const double peak = engine->peak_flops, bandwidth = memory->bandwidth_Bps;
    const double ridge = peak / bandwidth;
    if (!engine->curve.steps || !isfinite(peak)) return;
    roof_point(page, table, name, fmin(range->low, ridge / 2), peak, bandwidth);
    if (isfinite(bandwidth)) roof_point(page, table, name, ridge, peak, bandwidth);
    roof_point(page, table, name, fmax(range->high, ridge * 2), peak, bandwidth);
}

void page_roofline(struct html_page *page, const struct page_plan *p)
{
    const struct rk_system *system = p->forecast->system;
    const enum rk_datatype datatype = datatypes[p->forecast->plan->precision];
    struct report_table *table = page_table(page, columns, OPERATION_COLUMNS);
    struct intensity range = {INFINITY, 0};
    operation_points(page, table, p->operation, p->operations, &range);
    if (range.high <= 0) return;
    roof(page, table, series[0].name, &system->matrix[datatype], &system->memory[0], &range);
    roof(page, table, series[1].name, &system->vector[datatype], &system->memory[0], &range);
    page_chart(
        page,
        &(struct chart){
            .id = "roofline",
            .title = "Operations against the roofs of the machine",
            .kind = CHART_XY,
            .caption = "Each operation and pass by its arithmetic intensity. The roofs "
                       "are the peaks of the engines and of memory tier 0; what an "
                       "operation lacks to them is the efficiency of the machine's "
                       "curves, and time that FLOP and bytes do not share.",
            .source =
                report_text(&page->memory, "reckon predict %s --layers --format csv", p->arguments),
            .table = table,
            .role =
                {[CHART_X] = "flop_per_byte", [CHART_Y] = "flop_per_s", [CHART_SERIES] = "what"},
            .x = {.log = true},
            .y = {.title = "achieved rate", .log = true},
            .series = series,
            .series_count = sizeof series / sizeof *series});
}
