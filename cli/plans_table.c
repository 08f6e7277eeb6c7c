/* plans_table.c - several problems in the space of today's plans: a row each. */
#include "cli/plans_job.h"

#include <inttypes.h>
#include <string.h>

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "model"},
    {.name = "system"},
    {.name = "gpus",             .title = "GPUs"},
    {.name = "batch"},
    {.name = "plans"},
    {.name = "fits"},
    {.name = "step_s",           .title = "step",         .unit = "s", .digits = 4},
    {.name = "samples_per_s",    .title = "samples/s",    .unit = "",  .digits = 5},
    {.name = "tokens_per_s",     .title = "tokens/s",     .unit = "n", .digits = 2},
    {.name = "tokens_per_s_gpu", .title = "tokens/s/GPU", .unit = "",  .digits = 5},
    {.name = "mfu",              .title = "MFU",          .unit = "%", .digits = 2},
    {.name = "hbm_bytes",        .title = "memory",       .unit = "B", .digits = 1},
    {.name = "plan",             .title = "best plan"},
    {.name = "reason"},
};
/* clang-format on */

enum { COLUMNS = sizeof columns / sizeof *columns, FIRST_FIGURE = 6, PLAN = 12 };

struct rows {
    const struct plans_row *row;
    int count, shown[COLUMNS];
    bool people;
    struct report_column column[COLUMNS];
    char words[RK_PLAN_TEXT]; /* of the row at hand */
};

static void make_row(const void *context, size_t i, struct report_cell *cells)
{
    struct rows *rows = (struct rows *)context; /* its texts live until the next row */
    const struct plans_row *row = &rows->row[i];
    struct report_cell all[COLUMNS] = {cell_text(row->model->id), cell_text(row->system->id),
                                       cell_count(row->gpus),     cell_count(row->batch),
                                       cell_count(row->plans),    cell_count(row->fits)};
    for (int k = FIRST_FIGURE; k < COLUMNS; k++)
        all[k] = cell_none();
    if (row->reason) {
        snprintf(rows->words, sizeof rows->words, "none: %s", row->reason);
        all[COLUMNS - 1] = cell_text(row->reason);
        if (rows->people) all[PLAN] = cell_text(rows->words);
    } else {
        const double figures[] = {row->step_s,       row->samples_per_s,
                                  row->tokens_per_s, row->tokens_per_s / (double)row->gpus,
                                  row->mfu,          row->memory_bytes};
        for (int k = FIRST_FIGURE; k < PLAN; k++)
            all[k] = cell_number(figures[k - FIRST_FIGURE]);
        rk_plan_text(&row->plan, rows->words, sizeof rows->words);
        all[PLAN] = cell_text(rows->words);
    }
    for (int k = 0; k < rows->count; k++)
        cells[k] = all[rows->shown[k]];
}

static void add_rows(struct report *report, const struct plans_row *row, size_t count,
                     const bool *keep, unsigned formats)
{
    struct rows *rows = report_alloc(report, sizeof *rows);
    if (!rows) return;
    rows->row = row;
    rows->people = formats == REPORT_IN_TEXT;
    for (int i = 0; i < COLUMNS; i++) {
        if (!keep[i]) continue;
        rows->column[rows->count] = columns[i];
        rows->shown[rows->count++] = i;
    }
    report_add(report, &(struct report_table){
                           .name = "problems",
                           .title = rows->people ? "The best plan for each problem" : NULL,
                           .formats = formats,
                           .columns = rows->column,
                           .column_count = rows->count,
                           .rows = count,
                           .make = make_row,
                           .context = rows});
}

static void add_headline(struct report *report, const struct plans_row *rows, size_t count,
                         const struct search_grid *grid, bool complete)
{
    size_t fitting = 0;
    for (size_t i = 0; i < count; i++)
        fitting += !rows[i].reason;
    if (!complete) report_note(report, "INCOMPLETE: stopped by a signal; the problems so far");
    report_note(report,
                report_text(report, "%s on %s, modern space: %zu of %zu problems have a plan",
                            grid->models == 1 ? grid->model[0].id
                                              : report_text(report, "%d models", grid->models),
                            grid->systems == 1 ? grid->system[0].id
                                               : report_text(report, "%d systems", grid->systems),
                            fitting, count));
}

void plans_table_fill(struct report *report, const struct plans_row *rows, size_t count,
                      const struct search_grid *grid, bool complete)
{
    static const struct report_column head[] = {
        {.name = "command"}, {.name = "space"}, {.name = "complete"}};
    const bool shown[COLUMNS] = {grid->models > 1,
                                 grid->systems > 1,
                                 true,
                                 grid->batch.count > 1,
                                 true,
                                 true,
                                 true,
                                 false,
                                 false,
                                 true,
                                 true,
                                 true,
                                 true,
                                 false};
    bool all[COLUMNS];
    memset(all, true, sizeof all);
    add_headline(report, rows, count, grid, complete);
    report_row(report,
               report_add(report, &(struct report_table){.shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_JSON,
                                                         .columns = head,
                                                         .column_count = 3}),
               (const struct report_cell[]){cell_text("search"), cell_text("modern"),
                                            cell_flag(complete)});
    add_rows(report, rows, count, shown, REPORT_IN_TEXT);
    add_rows(report, rows, count, all, REPORT_IN_JSON | REPORT_IN_CSV);
}
