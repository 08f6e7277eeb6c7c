#include "cli/search_table.h"

#include "base/memory.h"
#include "base/units.h"
#include "cli/prediction.h"
#include "facts/learned.h"
#include "report/chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One problem: its best plan, or why it has none. */
struct table_row {
    const struct rk_model *model;
    const struct rk_system *system;
    const char *choice; /* of a system with lists in braces; NULL: its id */
    uint64_t gpus, batch;
    uint64_t plans, fits;
    const char *predictor;
    const char *reason; /* NULL: it has one */
    struct rk_plan plan;
    struct rk_outcome outcome;
    double chance;     /* that it fits; NAN: nothing is known of such runs */
    double days, cost; /* of the run; 0: not asked for, or no price */
};

struct table {
    const struct search_args *args;
    struct table_row *row; /* (count) */
    size_t count, fitting;
    bool complete;
    double seconds;
    struct report report;
};

/* ---- searching ---- */

/* More GPUs than a system has: a row that says so. */
static bool is_too_large(const struct search *search)
{
    const uint64_t devices = search->problem.system->devices;
    return devices && search->problem.base.ranks > devices;
}

static void take_row(struct table *table, const struct search *search, const char *choice)
{
    const struct rk_plans_problem *p = &search->problem;
    struct table_row *row = &table->row[table->count++];
    struct rk_prediction prediction;
    *row = (struct table_row){
        .model = p->model,
        .system = p->system,
        .choice = choice,
        .gpus = p->base.ranks,
        .batch = p->base.batch,
        .plans = search->result.counts.total,
        .fits = search->result.counts.verdict[RK_FITS][0],
        .predictor = search_is_published(search) ? "calculon" : "reckon",
        .reason = is_too_large(search) || search->result.complete
                      ? search_reason(&table->report, search)
                      : "not finished",
    };
    table->seconds += search->result.seconds;
    if (!search->result.found) return;
    search_plan(search, 0, &row->plan);
    rk_predict(p->model, p->system, &row->plan, &prediction);
    row->outcome = prediction.outcome;
    row->chance = learned_fit(p->model, p->system, &row->plan, prediction.hbm_bytes);
    row->days = run_days(&search->run, prediction.step_s);
    row->cost = run_cost(&search->run, prediction.step_s);
    row->reason = NULL;
    table->fitting++;
}

static enum rk_status run_row(struct table *table, const struct search_grid *grid, size_t i,
                              struct search_session *session, struct rk_error *error)
{
    const struct grid_problem at = search_grid_at(grid, i);
    struct search search = {.args = table->args};
    enum rk_status status = search_set(&search, at.model, at.system, at.gpus, at.batch, error);
    if (status == RK_OK && is_too_large(&search)) {
        session->all_searches--;
        take_row(table, &search, at.choice);
        return RK_OK;
    }
    if (status == RK_OK) status = search_run(&search, session, 1, error);
    if (status == RK_OK) {
        table->complete &= search.result.complete;
        take_row(table, &search, at.choice);
    }
    search_release(&search);
    return status;
}

/* Plans of all problems, for the progress. */
static uint64_t count_all(const struct search_grid *grid, const struct search_args *args)
{
    uint64_t total = 0;
    for (size_t i = 0; i < grid->problems; i++) {
        const struct grid_problem at = search_grid_at(grid, i);
        struct search search = {.args = args};
        struct rk_error error;
        if (search_set(&search, at.model, at.system, at.gpus, at.batch, &error) != RK_OK) continue;
        struct rk_space *space =
            is_too_large(&search) ? NULL : rk_plans_open(&search.problem, &error);
        if (space) total += rk_space_count(space);
        rk_space_close(space);
    }
    return total;
}

/* ---- the table ---- */

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "model"},
    {.name = "system"},
    {.name = "gpus",             .title = "GPUs"},
    {.name = "batch"},
    {.name = "predictor",        .title = "model of plans"},
    {.name = "plans"},
    {.name = "fits"},
    {.name = "step_s",           .title = "step",         .unit = "s", .digits = 4},
    {.name = "samples_per_s",    .title = "samples/s",    .unit = "",  .digits = 5},
    {.name = "tokens_per_s",     .title = "tokens/s",     .unit = "n", .digits = 2},
    {.name = "tokens_per_s_gpu", .title = "tokens/s/GPU", .unit = "",  .digits = 5},
    {.name = "mfu",              .title = "MFU",          .unit = "%", .digits = 2},
    {.name = "hbm_bytes",        .title = "memory",       .unit = "B", .digits = 1},
    {.name = "fits_share",       .title = "fits in",      .unit = "%", .digits = 0},
    {.name = "days",             .digits = 4},
    {.name = "cost_usd",         .title = "cost in USD",  .unit = "n", .digits = 3},
    {.name = "gpus_used",        .title = "GPUs used"},
    {.name = "step_usd",         .title = "USD a step",   .digits = 4},
    {.name = "plan",             .title = "best plan"},
    {.name = "reason"},
};
/* clang-format on */

enum {
    COLUMNS = sizeof columns / sizeof *columns,
    FIRST_FIGURE = 7,
    USED = FIRST_FIGURE + 9,
    PLAN = USED + 2
};

struct rows {
    const struct table_row *row;
    int count, shown[COLUMNS];
    bool people;
    struct report_column column[COLUMNS];
    char words[RK_PLAN_TEXT]; /* of the row at hand */
};

static void make_row(const void *context, size_t i, struct report_cell *cells)
{
    struct rows *rows = (struct rows *)context; /* its texts live until the next row */
    const struct table_row *row = &rows->row[i];
    struct report_cell all[COLUMNS] = {
        cell_text(row->model->id), cell_text(row->choice ? row->choice : row->system->id),
        cell_count(row->gpus),     cell_count(row->batch),
        cell_text(row->predictor), cell_count(row->plans),
        cell_count(row->fits)};
    for (int k = FIRST_FIGURE; k < COLUMNS; k++)
        all[k] = cell_none();
    if (row->reason) {
        snprintf(rows->words, sizeof rows->words, "none: %s", row->reason);
        all[COLUMNS - 1] = cell_text(row->reason);
        if (rows->people) all[PLAN] = cell_text(rows->words);
    } else {
        const struct rk_outcome *o = &row->outcome;
        const double figures[] = {
            o->step_s, o->samples_per_s, o->tokens_per_s, o->tokens_per_s / (double)row->plan.ranks,
            o->mfu,    o->hbm_bytes,     row->chance,     row->days,
            row->cost};
        if (row->system->machine) all[USED] = cell_count(row->plan.ranks);
        if (o->step_usd > 0) all[USED + 1] = cell_number(o->step_usd);
        for (int k = FIRST_FIGURE; k < USED; k++)
            if (!isnan(figures[k - FIRST_FIGURE]) &&
                (k < USED - 2 || figures[k - FIRST_FIGURE] > 0))
                all[k] = cell_number(figures[k - FIRST_FIGURE]);
        rk_plan_text(&row->plan, rows->words, sizeof rows->words);
        all[PLAN] = cell_text(rows->words);
    }
    for (int k = 0; k < rows->count; k++)
        cells[k] = all[rows->shown[k]];
}

static void add_rows(struct report *report, const struct table_row *row, size_t count,
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

/* One predictor for all of them? */
static bool is_mixed(const struct table *table)
{
    for (size_t i = 1; i < table->count; i++)
        if (strcmp(table->row[i].predictor, table->row[0].predictor) != 0) return true;
    return false;
}

static void add_headline(struct table *table, const struct search_grid *grid)
{
    struct report *report = &table->report;
    const bool published = table->count && strcmp(table->row[0].predictor, "calculon") == 0;
    if (!table->complete)
        report_note(report,
                    report_text(report,
                                "INCOMPLETE: stopped by a signal; %zu of %zu problems were begun",
                                table->count, grid->problems));
    report_note(report,
                report_text(report, "%s on %s, by %s: %zu of %zu problems have a plan%s%s",
                            grid->models == 1 ? grid->model[0].id
                                              : report_text(report, "%d models", grid->models),
                            grid->systems == 1 ? grid->system[0].id
                                               : report_text(report, "%d systems", grid->systems),
                            is_mixed(table) ? "the model that each row names"
                            : published     ? "the published model (calculon)"
                                            : "the model of today's plans",
                            table->fitting, grid->problems,
                            table->args->where ? " that satisfies " : "",
                            table->args->where ? table->args->where : ""));
}

/* ---- the chart of a page ---- */

/* clang-format off */
static const struct report_column point_columns[] = {
    {.name = "problem"}, {.name = "model"}, {.name = "system"}, {.name = "gpus", .title = "GPUs"}, {.name = "batch"},
    {.name = "along"}, {.name = "rest"},
    {.name = "step_s",           .title = "step",         .unit = "s"},
    {.name = "low_s",            .title = "25 %",         .unit = "s"},
    {.name = "high_s",           .title = "75 %",         .unit = "s"},
    {.name = "tokens_per_s",     .title = "tokens/s",     .unit = "n"},
    {.name = "tokens_per_s_gpu", .title = "tokens/s/GPU"},
    {.name = "mfu",              .title = "MFU",          .unit = "%"},
    {.name = "hbm_bytes",        .title = "memory",       .unit = "B"},
    {.name = "days"},
    {.name = "cost_usd",         .title = "cost in USD",  .unit = "n"},
};
static const char *const metrics[] = {"step_s", "tokens_per_s", "tokens_per_s_gpu", "mfu", "hbm_bytes", "days", "cost_usd", NULL};
static const struct chart grid_bars = {
    .id = "problems", .title = "Step time of the best plan of each problem",
    .caption = "The whisker is the 50 % interval of runs like it. No bar: nothing can run.",
    .kind = CHART_BARS,
    .role = {[CHART_Y] = "problem", [CHART_VALUE] = "step_s", [CHART_LOW] = "low_s", [CHART_HIGH] = "high_s"},
    .metrics = metrics};
static const struct chart grid_lines = {
    .id = "scaling", .title = "Throughput of the best plans over GPUs", .kind = CHART_XY,
    .role = {[CHART_X] = "gpus", [CHART_Y] = "tokens_per_s", [CHART_SERIES] = "rest"},
    .metrics = metrics, .mark = CHART_LINE, .x = {.log = true}};
static const struct chart grid_cells = {
    .id = "grid", .title = "The best plan of each problem", .kind = CHART_HEAT,
    .role = {[CHART_X] = "along", [CHART_Y] = "rest", [CHART_VALUE] = "tokens_per_s_gpu"},
    .metrics = metrics};
/* clang-format on */
enum { POINT_COLUMNS = sizeof point_columns / sizeof *point_columns };

/* What of a problem differs between the problems; without `along` of these. */
static const char *label_of(struct report *report, const struct search_grid *grid,
                            const struct table_row *row, const char *along)
{
    const char *gpus = report_text(report, "%" PRIu64 " GPUs", row->gpus);
    const char *batch = report_text(report, "batch %" PRIu64, row->batch);
    const struct {
        const char *name, *text;
        bool varies;
    } parts[] = {{"model", row->model->id, grid->models > 1},
                 {"system", row->choice ? row->choice : row->system->id, grid->systems > 1},
                 {"gpus", gpus, grid->gpus.count > 1},
                 {"batch", batch, grid->batch.count > 1}};
    const char *label = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].varies && strcmp(parts[i].name, along) != 0)
            label = report_text(report, "%s%s%s", label, *label ? ", " : "", parts[i].text);
    return *label ? label : row->model->id;
}

static void add_point(struct report *report, struct report_table *points,
                      const struct search_grid *grid, const struct table_row *row,
                      const char *along)
{
    const struct rk_outcome *o = &row->outcome;
    const char *system = row->choice ? row->choice : row->system->id;
    struct report_cell cells[POINT_COLUMNS] = {
        cell_text(label_of(report, grid, row, "")),
        cell_text(row->model->id),
        cell_text(system),
        cell_count(row->gpus),
        cell_count(row->batch),
        strcmp(along, "gpus") == 0     ? cell_count(row->gpus)
        : strcmp(along, "batch") == 0  ? cell_count(row->batch)
        : strcmp(along, "system") == 0 ? cell_text(system)
                                       : cell_text(row->model->id),
        cell_text(label_of(report, grid, row, along))};
    if (!row->reason) {
        struct rk_prediction prediction;
        double at[FORECAST_QUANTILES];
        const struct forecast f = {row->model, row->system, &row->plan, &prediction, ""};
        rk_predict(row->model, row->system, &row->plan, &prediction);
        const bool known = forecast_range(&f, at);
        const struct report_cell figures[] = {
            cell_number(o->step_s),
            known ? cell_number(at[1]) : cell_none(),
            known ? cell_number(at[3]) : cell_none(),
            cell_number(o->tokens_per_s),
            cell_number(o->tokens_per_s / (double)row->plan.ranks),
            cell_number(o->mfu),
            cell_number(o->hbm_bytes),
            row->days > 0 ? cell_number(row->days) : cell_none(),
            row->cost > 0 ? cell_number(row->cost) : cell_none()};
        memcpy(cells + 7, figures, sizeof figures);
    }
    report_row(report, points, cells);
}

/* Over GPUs lines, else bars; of two and more that differ cells, too. */
static void add_charts(struct report *report, const struct table *table,
                       const struct search_grid *grid)
{
    const char *along = grid->gpus.count > 1    ? "gpus"
                        : grid->batch.count > 1 ? "batch"
                        : grid->systems > 1     ? "system"
                                                : "model";
    const int differ =
        (grid->models > 1) + (grid->systems > 1) + (grid->gpus.count > 1) + (grid->batch.count > 1);
    const struct chart *const charts[] = {grid->gpus.count > 1 ? &grid_lines : NULL,
                                          grid->gpus.count > 1 && differ > 1 ? NULL : &grid_bars,
                                          differ > 1 ? &grid_cells : NULL};
    for (size_t k = 0; k < sizeof charts / sizeof *charts; k++) {
        struct chart *chart = charts[k] ? report_alloc(report, sizeof *chart) : NULL;
        if (!chart) continue;
        *chart = *charts[k];
        if (chart->kind == CHART_HEAT) chart->x.title = strcmp(along, "gpus") == 0 ? "GPUs" : along;
        struct report_table *points =
            REPORT_LIST(report, NULL, NULL, REPORT_IN_PAGE, point_columns);
        if (points) points->chart = chart;
        for (size_t i = 0; i < table->count; i++)
            add_point(report, points, grid, &table->row[i], along);
    }
}

/* The fastest of all, in tokens per second and GPU. */
static void add_verdict(struct report *report, const struct table *table,
                        const struct search_grid *grid)
{
    const struct table_row *best = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct table_row *row = &table->row[i];
        if (!row->reason && (!best || row->outcome.tokens_per_s > best->outcome.tokens_per_s))
            best = row;
    }
    if (!best) {
        report_verdict(report, REPORT_BAD, "No problem has a plan that can run.");
        return;
    }
    char step[QUANTITY_TEXT];
    report_verdict(report, REPORT_GOOD,
                   report_text(report,
                               "%zu of %zu problems have a plan. The most tokens per second: %s, "
                               "%s per step, %.1f %% MFU.",
                               table->fitting, grid->problems, label_of(report, grid, best, ""),
                               quantity_format(step, QUANTITY_SECONDS, best->outcome.step_s),
                               100 * best->outcome.mfu));
}

static void fill_report(struct table *table, const struct search_grid *grid)
{
    static const struct report_column head[] = {{.name = "command"}, {.name = "complete"}};
    struct report *report = &table->report;
    bool chances = false, days = false, cost = false, over = false, priced = false;
    for (size_t i = 0; i < table->count; i++) {
        chances |= !table->row[i].reason && !isnan(table->row[i].chance);
        days |= table->row[i].days > 0;
        cost |= table->row[i].cost > 0;
        over |= table->row[i].system->machine != NULL;
        priced |= table->row[i].outcome.step_usd > 0;
    }
    const bool shown[COLUMNS] = {grid->models > 1,
                                 grid->systems > 1,
                                 true,
                                 grid->batch.count > 1,
                                 is_mixed(table),
                                 true,
                                 true,
                                 true,
                                 false,
                                 false,
                                 true,
                                 true,
                                 true,
                                 chances,
                                 days,
                                 cost,
                                 over,
                                 priced,
                                 true,
                                 false};
    bool all[COLUMNS];
    memset(all, true, sizeof all);
    add_headline(table, grid);
    report_row(report, REPORT_ONE(report, NULL, NULL, REPORT_IN_JSON, head),
               (const struct report_cell[]){cell_text("search"), cell_flag(table->complete)});
    add_charts(report, table, grid);
    add_verdict(report, table, grid);
    add_rows(report, table->row, table->count, shown, REPORT_IN_TEXT);
    add_rows(report, table->row, table->count, all, REPORT_IN_JSON | REPORT_IN_CSV);
}

static void say_rate(const struct table *table, const struct search_session *session)
{
    char digits[REPORT_DIGITS];
    uint64_t total = 0;
    for (size_t i = 0; i < table->count; i++)
        total += table->row[i].plans;
    fprintf(stderr, "reckon: %zu problems, %s plans settled in %.3f s", table->count,
            report_digits(total, digits), table->seconds);
    if (session->resumed)
        fprintf(stderr, ", some of them before (%s)\n", session->state.path);
    else
        fprintf(stderr, ", %.4g million a second; %.3f s in all\n",
                table->seconds > 0 ? (double)total / table->seconds / 1e6 : 0.0,
                progress_seconds(&session->progress));
}

static int print(struct table *table, const struct search_grid *grid,
                 const struct search_session *session)
{
    const int code = !table->complete ? RK_INTERRUPTED : table->fitting ? RK_OK : RK_NOTHING_FITS;
    if (!table->complete)
        fputs("reckon: interrupted: these are the problems finished so far\n", stderr);
    if (!table->args->quiet) say_rate(table, session);
    fill_report(table, grid);
    return show_report(&table->report, &table->args->show,
                       search_speaks() ? table->args->output : NULL, code);
}

int search_table(const struct search_grid *grid, const struct search_args *args,
                 struct search_session *session)
{
    struct table table = {.args = args, .complete = true};
    struct rk_error error = {.status = RK_OK};
    enum rk_status status = RK_OK;
    table.row = calloc(grid->problems, sizeof *table.row);
    if (!table.row) status = no_memory(&error);
    session->all_searches = grid->problems;
    session->total = count_all(grid, args);
    for (size_t i = 0; status == RK_OK && table.complete && i < grid->problems; i++)
        status = run_row(&table, grid, i, session, &error);
    progress_end(&session->progress);
    const int code = status == RK_OK ? print(&table, grid, session) : options_fail(&error);
    report_release(&table.report);
    free(table.row);
    return code;
}
