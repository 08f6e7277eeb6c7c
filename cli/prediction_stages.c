/* prediction_stages.c - the pipeline's stages of a prediction: what they do and what they hold. */
#include "base/number.h"
#include "cli/describe.h"
#include "cli/prediction.h"
#include "machine/part.h"

#include <math.h>

/* ---- stages that are alike ---- */

struct run { /* of stages */
    int first, last;
};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static bool alike(const struct rk_stage *a, const struct rk_stage *b)
{
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        if (!near(a->holds[i], b->holds[i])) return false;
    return a->cluster == b->cluster && a->blocks == b->blocks &&
           near(a->parameters, b->parameters) && near(a->in_flight, b->in_flight) &&
           near(a->forward_s, b->forward_s) && near(a->backward_s, b->backward_s);
}

static int find_runs(const struct rk_prediction *p, struct run runs[RK_MAX_STAGES])
{
    int count = 0;
    for (int i = 0; i < p->stages; i++) {
        if (count && alike(&p->stage[i], &p->stage[runs[count - 1].first]))
            runs[count - 1].last = i;
        else
            runs[count++] = (struct run){i, i};
    }
    return count;
}

static const char *run_name(struct report *report, struct run run)
{
    return run.first == run.last ? report_text(report, "%d", run.first)
                                 : report_text(report, "%d-%d", run.first, run.last);
}

/* ---- a row for each run ---- */

/* clang-format off */
static const struct report_column run_columns[] = {
    {.name = "stage"},
    {.name = "blocks", REPORT_OF(struct rk_stage, blocks)},
    {.name = "parameters", REPORT_OF(struct rk_stage, parameters),  .unit = "n", .digits = 2},
    {.name = "forward", REPORT_OF(struct rk_stage, forward_s),     .unit = "s", .digits = 3},
    {.name = "backward", REPORT_OF(struct rk_stage, backward_s),    .unit = "s", .digits = 3},
    {.name = "in_flight", REPORT_OF(struct rk_stage, in_flight),   .digits = 4},
    {.name = "static", REPORT_OF(struct rk_stage, static_bytes),      .title = "state", .unit = "B", .digits = 2},
    {.name = "activations", .unit = "B", .digits = 2},
    {.name = "rest",        .unit = "B", .digits = 2},
    {.name = "total", REPORT_OF(struct rk_stage, total_bytes),       .unit = "B", .digits = 2},
    {.name = "left",        .unit = "B", .digits = 2},
    {.name = "bar",         .bar = REPORT_BAR_FILL},
};
/* clang-format on */

static double held(const struct rk_stage *stage, enum rk_holding first, enum rk_holding last)
{
    double sum = 0;
    for (int i = (int)first; i <= (int)last; i++)
        sum += stage->holds[i];
    return sum;
}

static void add_runs(struct report *report, const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    struct run runs[RK_MAX_STAGES];
    const int count = find_runs(p, runs);
    struct report_table *table = REPORT_LIST(
        report, NULL, "Stages: a microbatch, and the memory of a GPU", REPORT_IN_TEXT, run_columns);
    for (int i = 0; i < count; i++) {
        const struct rk_stage *s = &p->stage[runs[i].first];
        const double activations = held(s, RK_HOLD_attention, RK_HOLD_working);
        const double capacity = forecast_system(f, runs[i].first)->memory[0].capacity_bytes;
        report_item(report, table, s,
                    (const struct report_cell[]){
                        cell_text(run_name(report, runs[i])), cell_number(activations),
                        cell_number(s->total_bytes - s->static_bytes - activations),
                        cell_number(capacity - s->total_bytes),
                        cell_number(s->total_bytes / capacity)});
    }
}

/* ---- memory by tier ---- */

/* clang-format off */
static const struct report_column tier_columns[] = {
    {.name = "tier", .title = ""},
    {.name = "needed",   .unit = "B", .digits = 2},
    {.name = "capacity", .unit = "B", .digits = 2},
    {.name = "share",    .unit = "%", .digits = 1},
    {.name = "bar",      .bar = REPORT_BAR_FILL},
};
/* clang-format on */

static void tier_text(struct report *report, struct report_table *table,
                      const struct rk_system *system, uint64_t ranks, int tier, double total,
                      const double *holds)
{
    const double capacity = memory_part_bytes(&system->memory[tier], ranks);
    const double share = capacity > 0 ? total / capacity : total > 0 ? 2 : 0;
    REPORT_ROW(report, table, cell_text(memory_name(report, system, tier)), cell_number(total),
               cell_number(capacity), cell_number(share), cell_number(share));
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        if (holds[i] == 0) continue;
        REPORT_ROW(report, table,
                   cell_text(report_text(report, "  %s", rk_holding_name((enum rk_holding)i))),
                   cell_number(holds[i]), cell_none(),
                   capacity > 0 ? cell_number(holds[i] / capacity) : cell_none(), cell_none());
    }
}

/* "tier", "name", "capacity_bytes", "needed_bytes", then a column for each holding. */
static struct report_table *tier_table(struct report *report)
{
    static const char *const fixed[] = {"tier", "name", "capacity_bytes", "needed_bytes"};
    enum { FIXED = COUNT_OF(fixed), COLUMNS = FIXED + RK_HOLDING_COUNT };
    struct report_column *columns = report_alloc(report, COLUMNS * sizeof *columns);
    if (!columns) return NULL;
    for (int i = 0; i < COLUMNS; i++)
        columns[i].name = i < FIXED ? fixed[i]
                                    : report_text(report, "%s_bytes",
                                                  rk_holding_name((enum rk_holding)(i - FIXED)));
    return report_list(report, "memory", NULL, REPORT_IN_JSON, columns, COLUMNS);
}

/* Each tier of the tightest stage's memory that holds something. */
static void add_tiers(struct report *report, const struct forecast *f)
{
    struct report_table *table = tier_table(report);
    struct report_table *text =
        REPORT_LIST(report, NULL, "Memory of a GPU, tier by tier", REPORT_IN_TEXT, tier_columns);
    const struct rk_system *system = forecast_system(f, f->prediction->tightest);
    const uint64_t ranks = f->plan->ranks;
    for (int tier = 0; tier < system->memories; tier++) {
        double holds[RK_HOLDING_COUNT];
        const double total = rk_predict_tier(f->prediction, f->plan, tier, holds);
        struct report_cell cells[4 + RK_HOLDING_COUNT] = {
            cell_count((uint64_t)tier),
            cell_text(report_text(report, "%s", system->memory[tier].name)),
            cell_number(memory_part_bytes(&system->memory[tier], ranks)), cell_number(total)};
        if (tier > 0 && total == 0) continue;
        for (int i = 0; i < RK_HOLDING_COUNT; i++)
            cells[4 + i] = cell_number(holds[i]);
        report_row(report, table, cells);
        tier_text(report, text, system, ranks, tier, total, holds);
    }
}

/* ---- every stage, for programs ---- */

void forecast_stages(struct report *report, const struct forecast *f, bool csv)
{
    static const char *const names[] = {"stage",        "blocks",          "parameters",
                                        "in_flight",    "forward_s",       "backward_s",
                                        "static_bytes", "allocated_bytes", "total_bytes",
                                        "left_bytes",   "offloaded_bytes"};
    enum { NAMES = COUNT_OF(names), COLUMNS = NAMES + RK_HOLDING_COUNT };
    const struct rk_prediction *p = f->prediction;
    struct report_column *columns = report_alloc(report, COLUMNS * sizeof *columns);
    if (!columns) return;
    for (int i = 0; i < COLUMNS; i++)
        columns[i].name = i < NAMES ? names[i]
                                    : report_text(report, "%s_bytes",
                                                  rk_holding_name((enum rk_holding)(i - NAMES)));
    struct report_table *table = report_list(
        report, "stages", NULL, REPORT_IN_JSON | (csv ? REPORT_IN_CSV : 0), columns, COLUMNS);
    for (int i = 0; i < p->stages; i++) {
        const struct rk_stage *s = &p->stage[i];
        struct report_cell cells[COLUMNS] = {
            cell_count((uint64_t)i),         cell_count(s->blocks),
            cell_number(s->parameters),      cell_number(s->in_flight),
            cell_number(s->forward_s),       cell_number(s->backward_s),
            cell_number(s->static_bytes),    cell_number(s->allocated_bytes),
            cell_number(s->total_bytes),     cell_number(forecast_left(f, i)),
            cell_number(s->offloaded_bytes),
        };
        for (int h = 0; h < RK_HOLDING_COUNT; h++)
            cells[NAMES + h] = cell_number(s->holds[h]);
        report_row(report, table, cells);
    }
    if (csv) return;
    const bool published = !rk_answerer(f->plan->framework)->layers; /* its stages are alike */
    if (!published) add_runs(report, f);
    if (published || f->prediction->offload_bytes > 0) add_tiers(report, f);
    forecast_placement(report, f);
}

/* ---- categories, stages side by side ---- */

enum { RUNS_ABREAST = 8, EXPLAINED_RUNS = 4 }; /* what lines have room for */

/* Is any of it there? */
static bool is_held(const struct rk_prediction *p, int holding)
{
    for (int i = 0; i < p->stages; i++)
        if (p->stage[i].holds[holding] > 0) return true;
    return false;
}

static void holding_row(struct report *report, struct report_table *table, const struct forecast *f,
                        const struct run *runs, int count, int holding)
{
    struct report_cell cells[RUNS_ABREAST + 2];
    cells[0] = cell_text(rk_holding_name((enum rk_holding)holding));
    for (int i = 0; i < count; i++)
        cells[1 + i] = cell_number(f->prediction->stage[runs[i].first].holds[holding]);
    cells[1 + count] = cell_text(rk_holding_help((enum rk_holding)holding));
    report_row(report, table, cells);
}

static void sum_rows(struct report *report, struct report_table *table, const struct forecast *f,
                     const struct run *runs, int count)
{
    static const char *const names[] = {"total", "capacity", "left"};
    static const char *const helps[] = {"", "of the device", ""};
    for (int row = 0; row < 3; row++) {
        struct report_cell cells[RUNS_ABREAST + 2];
        cells[0] = cell_text(names[row]);
        for (int i = 0; i < count; i++) {
            const double values[] = {f->prediction->stage[runs[i].first].total_bytes,
                                     forecast_system(f, runs[i].first)->memory[0].capacity_bytes,
                                     forecast_left(f, runs[i].first)};
            cells[1 + i] = cell_number(values[row]);
        }
        cells[1 + count] = cell_text(helps[row]);
        report_row(report, table, cells);
    }
}

static struct report_table *holding_table(struct report *report, const struct forecast *f,
                                          const struct run *runs, int count, const char *title)
{
    struct report_column *columns = report_alloc(report, (size_t)(count + 2) * sizeof *columns);
    if (!columns) return NULL;
    columns[0] = (struct report_column){.name = "category", .title = ""};
    for (int i = 0; i < count; i++) {
        const char *word = f->prediction->stages == 1 ? "bytes"
                           : runs[i].first == runs[i].last
                               ? report_text(report, "stage %d", runs[i].first)
                               : report_text(report, "%d-%d", runs[i].first, runs[i].last);
        columns[1 + i] = (struct report_column){.name = word, .unit = "B", .digits = 2};
    }
    columns[1 + count] = (struct report_column){.name = "what", .title = ""};
    return report_list(report, NULL, title, REPORT_IN_TEXT, columns,
                       count + 1 + (count <= EXPLAINED_RUNS));
}

void forecast_holdings(struct report *report, const struct forecast *f)
{
    struct run runs[RK_MAX_STAGES];
    const int all = find_runs(f->prediction, runs);
    for (int first = 0; first < all; first += RUNS_ABREAST) {
        const int count = all - first < RUNS_ABREAST ? all - first : RUNS_ABREAST;
        struct report_table *table = holding_table(
            report, f, runs + first, count, first ? NULL : "Memory of a GPU, stage by stage");
        for (int h = 0; table && h < RK_HOLDING_COUNT; h++)
            if (is_held(f->prediction, h)) holding_row(report, table, f, runs + first, count, h);
        if (table) sum_rows(report, table, f, runs + first, count);
    }
}
