#include "cli/breakdown.h"

#include "cli/describe.h"

#include <string.h>

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

static struct report_table *add_table(struct report *report, const char *name, const char *title,
                                      unsigned formats, const struct report_column *columns,
                                      int count)
{
    return report_add(report, &(struct report_table){.name = name,
                                                     .title = title,
                                                     .formats = formats,
                                                     .columns = columns,
                                                     .column_count = count});
}

static double figure(const struct rk_estimate *estimate, size_t offset)
{
    const struct rk_figure found = {.offset = offset};
    return rk_figure_value(estimate, &found);
}

#define FIGURE(name) offsetof(struct rk_estimate, name)

/* ---- time ---- */

/* The terms of step_s; their sum is the total. NO_FIGURE: there is none. */
enum { NO_FIGURE = 0 };

/* clang-format off */
static const struct {
    const char *name;
    size_t terms[2];
} time_parts[] = {
    {"forward",                 {FIGURE(forward_s)}},
    {"backward",                {FIGURE(backward_s)}},
    {"recompute",               {FIGURE(recompute_s), FIGURE(recompute_comm_exposed_s)}},
    {"optimizer",               {FIGURE(optimizer_s)}},
    {"offload, exposed",        {FIGURE(forward_offload_exposed_s), FIGURE(backward_offload_exposed_s)}},
    {"tensor comm, exposed",    {FIGURE(tensor_comm_exposed_s)}},
    {"pipeline comm, exposed",  {FIGURE(pipeline_comm_exposed_s)}},
    {"data comm, exposed",      {FIGURE(data_comm_exposed_s)}},
    {"pipeline bubble",         {FIGURE(bubble_s)}},
};
static const struct {
    const char *name;
    size_t exposed, link;
} comm_parts[] = {
    {"tensor parallel",    FIGURE(tensor_comm_exposed_s),    FIGURE(tensor_comm_link_s)},
    {"... recomputed",     FIGURE(recompute_comm_exposed_s), FIGURE(recompute_comm_link_s)},
    {"pipeline parallel",  FIGURE(pipeline_comm_exposed_s),  FIGURE(pipeline_comm_link_s)},
    {"data parallel",      FIGURE(data_comm_exposed_s),      FIGURE(data_comm_link_s)},
};
static const struct report_column time_columns[] = {
    {.name = "part", .title = ""},
    {.name = "time",  .unit = "s", .digits = 4},
    {.name = "share", .unit = "%", .digits = 1},
    {.name = "bar",   .bar = REPORT_BAR_SHARE},
};
static const struct report_column comm_columns[] = {
    {.name = "group", .title = ""},
    {.name = "on the link", .unit = "s", .digits = 4},
    {.name = "exposed",     .unit = "s", .digits = 4},
    {.name = "share",       .title = "of the step", .unit = "%", .digits = 1},
};
/* clang-format on */

static void time_row(struct report *report, struct report_table *table, const char *name,
                     double time_s, double step_s)
{
    const double share = step_s > 0 ? time_s / step_s : 0;
    report_row(report, table,
               (const struct report_cell[]){cell_text(name), cell_number(time_s),
                                            cell_number(share), cell_number(share)});
}

void breakdown_time(struct report *report, const struct breakdown *b)
{
    const struct rk_estimate *e = b->estimate;
    struct report_table *table = add_table(report, "time", "Where the time of a step goes",
                                           REPORT_IN_TEXT, time_columns, COUNT_OF(time_columns));
    for (int i = 0; i < COUNT_OF(time_parts); i++) {
        double time_s = figure(e, time_parts[i].terms[0]);
        if (time_parts[i].terms[1] != NO_FIGURE) time_s += figure(e, time_parts[i].terms[1]);
        time_row(report, table, time_parts[i].name, time_s, e->step_s);
    }
    report_row(report, table,
               (const struct report_cell[]){cell_text("step"), cell_number(e->step_s),
                                            cell_number(1), cell_none()});
    table = add_table(report, "communication", "Communication", REPORT_IN_TEXT, comm_columns,
                      COUNT_OF(comm_columns));
    for (int i = 0; i < COUNT_OF(comm_parts); i++) {
        const double exposed_s = figure(e, comm_parts[i].exposed);
        const struct report_cell cells[] = {
            cell_text(comm_parts[i].name), cell_number(figure(e, comm_parts[i].link)),
            cell_number(exposed_s), cell_number(e->step_s > 0 ? exposed_s / e->step_s : 0)};
        report_row(report, table, cells);
    }
}

/* ---- memory ---- */

/* clang-format off */
static const struct report_column memory_text_columns[] = {
    {.name = "category", .title = ""},
    {.name = "needed",   .unit = "B", .digits = 2},
    {.name = "capacity", .unit = "B", .digits = 2},
    {.name = "share",    .unit = "%", .digits = 1},
    {.name = "bar",      .bar = REPORT_BAR_FILL},
};
/* clang-format on */

static double tier_total(const struct breakdown *b, int tier)
{
    double total = 0;
    for (int c = 0; c < RK_CATEGORIES; c++)
        total += rk_tier_bytes(b->estimate, b->strategy, tier, (enum rk_category)c);
    return total;
}

static void memory_tier_text(struct report *report, struct report_table *table,
                             const struct breakdown *b, int tier)
{
    const double capacity = b->system->memory[tier].capacity_bytes;
    const double total = tier_total(b, tier);
    const double share = capacity > 0 ? total / capacity : total > 0 ? 2 : 0;
    report_row(report, table,
               (const struct report_cell[]){cell_text(memory_name(report, b->system, tier)),
                                            cell_number(total), cell_number(capacity),
                                            cell_number(share), cell_number(share)});
    for (int c = 0; c < RK_CATEGORIES; c++) {
        const enum rk_category category = (enum rk_category)c;
        const double bytes = rk_tier_bytes(b->estimate, b->strategy, tier, category);
        char name[64];
        if (bytes == 0) continue;
        snprintf(name, sizeof name, "  %s", rk_category_name(category));
        for (char *at = name; *at; at++)
            if (*at == '_') *at = ' ';
        report_row(report, table,
                   (const struct report_cell[]){
                       cell_text(report_text(report, "%s", name)), cell_number(bytes), cell_none(),
                       capacity > 0 ? cell_number(bytes / capacity) : cell_none(), cell_none()});
    }
}

/* "tier", "name", "capacity_bytes", "needed_bytes", then a column per category. */
enum { MEMORY_FIXED = 4, MEMORY_COLUMNS = MEMORY_FIXED + RK_CATEGORIES };

static struct report_column *memory_columns(struct report *report)
{
    static const char *const fixed[] = {"tier", "name", "capacity_bytes", "needed_bytes"};
    struct report_column *columns = report_alloc(report, MEMORY_COLUMNS * sizeof *columns);
    for (int i = 0; columns && i < MEMORY_COLUMNS; i++)
        columns[i].name = i < MEMORY_FIXED
                              ? fixed[i]
                              : report_text(report, "%s_bytes",
                                            rk_category_name((enum rk_category)(i - MEMORY_FIXED)));
    return columns;
}

static void memory_tier_cells(struct report *report, const struct breakdown *b, int tier,
                              struct report_cell cells[MEMORY_COLUMNS])
{
    cells[0] = cell_count((uint64_t)tier);
    cells[1] = cell_text(report_text(report, "%s", b->system->memory[tier].name));
    cells[2] = cell_number(b->system->memory[tier].capacity_bytes);
    cells[3] = cell_number(tier_total(b, tier));
    for (int c = 0; c < RK_CATEGORIES; c++)
        cells[MEMORY_FIXED + c] =
            cell_number(rk_tier_bytes(b->estimate, b->strategy, tier, (enum rk_category)c));
}

void breakdown_memory(struct report *report, const struct breakdown *b)
{
    const struct report_column *columns = memory_columns(report);
    struct report_table *text = add_table(report, "memory", "Memory of a GPU", REPORT_IN_TEXT,
                                          memory_text_columns, COUNT_OF(memory_text_columns));
    struct report_table *table =
        add_table(report, "memory", NULL, REPORT_IN_JSON, columns, MEMORY_COLUMNS);
    for (int tier = 0; columns && tier < b->system->memories; tier++) {
        struct report_cell cells[MEMORY_COLUMNS];
        memory_tier_cells(report, b, tier, cells);
        report_row(report, table, cells);
        if (tier == 0 || tier_total(b, tier) > 0) memory_tier_text(report, text, b, tier);
    }
}

/* ---- what it achieves ---- */

/* clang-format off */
static const struct report_column throughput_columns[] = {
    {.name = "mfu",               .title = "MFU",                .unit = "%",   .digits = 2,
     .help = "FLOP of forward, both gradients and optimizer, without recompute, over peak"},
    {.name = "samples_per_s",     .title = "samples per second", .digits = 6},
    {.name = "tokens_per_s",      .title = "tokens per second",  .unit = "n",   .digits = 3},
    {.name = "tokens_per_day",    .title = "tokens per day",     .unit = "n",   .digits = 3},
    {.name = "token_budget",      .title = "token budget",       .unit = "n",   .digits = 1},
    {.name = "days",              .title = "days for it",        .digits = 5},
    {.name = "offload_required_Bps", .title = "offload bandwidth", .unit = "B/s", .digits = 2,
     .help = "of the lower memory tier, so that computing hides all that the plan offloads"},
    {.name = "weight_required_Bps",     .title = "... weights",     .unit = "B/s", .digits = 2,
     .help = "for the weights alone, offloaded or not"},
    {.name = "activation_required_Bps", .title = "... activations", .unit = "B/s", .digits = 2,
     .help = "likewise"},
    {.name = "optimizer_required_Bps",  .title = "... optimizer",   .unit = "B/s", .digits = 2,
     .help = "likewise"},
};
/* clang-format on */

void breakdown_throughput(struct report *report, const struct breakdown *b)
{
    enum { DAY_S = 86400 };
    const struct rk_estimate *e = b->estimate;
    const double per_day = e->tokens_per_s * DAY_S;
    const bool budget = b->tokens > 0;
    const struct report_cell cells[] = {
        cell_number(e->mfu),
        cell_number(e->samples_per_s),
        cell_number(e->tokens_per_s),
        cell_number(per_day),
        budget ? cell_number(b->tokens) : cell_none(),
        budget ? cell_number(b->tokens / per_day) : cell_none(),
        e->offload_required_Bps > 0 ? cell_number(e->offload_required_Bps) : cell_none(),
        cell_number(e->weight_required_Bps),
        cell_number(e->activation_required_Bps),
        cell_number(e->optimizer_required_Bps),
    };
    report_row(
        report,
        report_add(report, &(struct report_table){.name = "throughput",
                                                  .title = "What it achieves",
                                                  .shape = REPORT_RECORD,
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = throughput_columns,
                                                  .column_count = COUNT_OF(throughput_columns)}),
        cells);
}

/* ---- everything by name ---- */

static int count_figures(void)
{
    int count = 0;
    for (const struct rk_figure *f = rk_figure_next(NULL, RK_BY_CALCULON); f;
         f = rk_figure_next(f, RK_BY_CALCULON))
        count++;
    return count;
}

static void figure_columns(struct report_column *columns)
{
    for (const struct rk_figure *f = rk_figure_next(NULL, RK_BY_CALCULON); f;
         f = rk_figure_next(f, RK_BY_CALCULON))
        *columns++ = (struct report_column){.name = f->name, .unit = f->unit, .help = f->help};
}

static void figure_cells(const struct rk_estimate *estimate, struct report_cell *cells)
{
    for (const struct rk_figure *f = rk_figure_next(NULL, RK_BY_CALCULON); f;
         f = rk_figure_next(f, RK_BY_CALCULON))
        *cells++ = estimate->timed ? cell_number(rk_figure_value(estimate, f)) : cell_none();
}

void breakdown_figures(struct report *report, const struct rk_estimate *estimate)
{
    const int count = count_figures();
    struct report_column *columns = report_alloc(report, (size_t)count * sizeof *columns);
    struct report_cell *cells = report_alloc(report, (size_t)count * sizeof *cells);
    if (!columns || !cells) return;
    figure_columns(columns);
    figure_cells(estimate, cells);
    report_row(report,
               report_add(report, &(struct report_table){.name = "figures",
                                                         .shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_JSON,
                                                         .columns = columns,
                                                         .column_count = count}),
               cells);
}

void breakdown_row(struct report *report, const struct breakdown *b)
{
    const int count = 3 + STRATEGY_COLUMNS + count_figures();
    struct report_column *columns = report_alloc(report, (size_t)count * sizeof *columns);
    struct report_cell *cells = report_alloc(report, (size_t)count * sizeof *cells);
    if (!columns || !cells) return;
    columns[0].name = "model";
    columns[1].name = "system";
    columns[2].name = "verdict";
    cells[0] = cell_text(report_text(report, "%s", b->model->id));
    cells[1] = cell_text(report_text(report, "%s", b->system->id));
    cells[2] = cell_text(rk_verdict_name(b->estimate->verdict));
    strategy_columns(columns + 3);
    strategy_cells(b->strategy, cells + 3);
    figure_columns(columns + 3 + STRATEGY_COLUMNS);
    figure_cells(b->estimate, cells + 3 + STRATEGY_COLUMNS);
    report_row(report,
               report_add(report, &(struct report_table){.shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_CSV,
                                                         .columns = columns,
                                                         .column_count = count}),
               cells);
}
