#include "cli/search_table.h"
#include "cli/verdict.h"

#include "base/memory.h"
#include "base/units.h"
#include "cli/prediction.h"
#include "cli/search_machines.h"
#include "cli/search_rows.h"
#include "report/chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct table {
    const struct search_args *args;
    struct csv steps;       /* that were measured */
    struct search_row *row; /* (count) */
    size_t count, fitting;
    char assumed[HOST_WORD]; /* of rows that offload */
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

static enum rk_status take_row(struct table *table, const struct search *search, const char *choice,
                               struct rk_error *error)
{
    const struct rk_plans_problem *p = &search->problem;
    struct search_row *row = &table->row[table->count++];
    struct rk_prediction prediction;
    *row = (struct search_row){
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
    if (!search->result.found) return RK_OK;
    search_plan(search, 0, &row->plan);
    rk_predict(p->model, p->system, &row->plan, &prediction);
    row->outcome = prediction.outcome;
    row->chance = rk_fit_chance(p->model, p->system, &row->plan, prediction.hbm_bytes);
    const struct run_sums run = run_sums_of(&search->run, prediction.step_s);
    row->days = run.days;
    row->cost = run.cost;
    row->reason = NULL;
    table->fitting++;
    if (host_wanted(&row->plan)) memcpy(table->assumed, search->assumed, sizeof table->assumed);
    return search_machines_facts(search, &row->plan, &prediction, row->cost, &table->steps,
                                 &row->machine, error);
}

static enum rk_status run_row(struct table *table, const struct search_grid *grid, size_t i,
                              struct search_session *session, struct rk_error *error)
{
    const struct grid_problem at = search_grid_at(grid, i);
    struct search_args own = *table->args;
    struct search search = {.args = &own, .line = at.line};
    if (search_machines_orders(own.sort)) own.sort = NULL;
    enum rk_status status =
        search_set(&search, at.model, at.system, at.hosted, at.gpus, at.batch, error);
    if (status == RK_OK && is_too_large(&search)) {
        session->all_searches--;
        return take_row(table, &search, at.choice, error);
    }
    if (status == RK_OK) status = search_run(&search, session, 1, error);
    if (status == RK_OK) {
        table->complete &= search.result.complete;
        status = take_row(table, &search, at.choice, error);
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
        struct search_args own = *args;
        struct search search = {.args = &own};
        struct rk_error error;
        if (search_machines_orders(own.sort)) own.sort = NULL;
        if (search_set(&search, at.model, at.system, at.hosted, at.gpus, at.batch, &error) != RK_OK)
            continue;
        struct rk_space *space =
            is_too_large(&search) ? NULL : rk_plans_open(&search.problem, &error);
        if (space) total += rk_space_count(space);
        rk_space_close(space);
    }
    return total;
}

/* ---- the table ---- */

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
                report_text(report, "%s on %s, %s: %zu of %zu problems have a plan%s%s",
                            grid->models == 1 ? grid->model[0].id
                                              : report_text(report, "%d models", grid->models),
                            grid->systems == 1 ? grid->system[0].id
                                               : report_text(report, "%d systems", grid->systems),
                            is_mixed(table) ? "the model that each row names"
                            : published     ? "Calculon model"
                                            : "detailed model",
                            table->fitting, grid->problems,
                            table->args->where ? " that satisfies " : "",
                            table->args->where ? table->args->where : ""));
    if (*table->assumed)
        report_note(report,
                    report_text(report, "  assumed, where plans offload: %s", table->assumed));
    if (table->args->run.tokens)
        report_note(report,
                    report_text(report,
                                "  runs of %s; failures, checkpoints and spare nodes included",
                                strcmp(table->args->run.tokens, "usual") == 0
                                    ? "all tokens that the model was trained on"
                                    : report_text(report, "%s tokens", table->args->run.tokens)));
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
                            const struct search_row *row, const char *along)
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
                      const struct search_grid *grid, const struct search_row *row,
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
        const struct forecast f = {row->model, row->system, &row->plan, &prediction, "", NULL};
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

/* Of sorted rows the first, else the one with the most tokens per second. */
static const struct search_row *best_row(const struct table *table)
{
    const struct search_row *best = NULL;
    for (size_t i = 0; i < table->count && !(best && table->args->sort); i++) {
        const struct search_row *row = &table->row[i];
        if (!row->reason && (!best || row->outcome.tokens_per_s > best->outcome.tokens_per_s))
            best = row;
    }
    return best;
}

/* The verdict on the best row, with its run where one is asked for. */
static void add_verdict(struct report *report, const struct table *table,
                        const struct search_grid *grid)
{
    const char *sort = table->args->sort;
    const struct search_row *best = best_row(table);
    struct rk_prediction prediction;
    if (!best) {
        report_answer(report, REPORT_BAD, "no problem has a plan that can run");
        return;
    }
    const struct forecast f = {best->model, best->system, &best->plan, &prediction, "", NULL};
    rk_predict(f.model, f.system, f.plan, &prediction);
    verdict_of(report,
               report_text(report, "%s%s: %s; ", sort ? "best by " : "most tokens per second",
                           sort ? sort : "", label_of(report, grid, best, "")),
               &f);
    if (best->days > 0)
        verdict_run(report, best->days, best->cost, 0); /* a note says that spare nodes are paid */
}

static void fill_report(struct table *table, const struct search_grid *grid)
{
    struct report *report = &table->report;
    const struct search_rows rows = {.row = table->row,
                                     .count = table->count,
                                     .sort = table->args->sort,
                                     .several_models = grid->models > 1,
                                     .several_systems = grid->systems > 1,
                                     .several_batches = grid->batch.count > 1,
                                     .mixed = is_mixed(table)};
    add_headline(table, grid);
    search_rows_sort(table->row, table->count, table->args->sort);
    REPORT_OBJECT(report, NULL, {"command", cell_text("search")},
                  {"complete", cell_flag(table->complete)});
    if (!search_rows_chart(report, &rows)) add_charts(report, table, grid);
    add_verdict(report, table, grid);
    search_rows_add(report, &rows);
}

static void say_rate(const struct table *table, const struct search_session *session)
{
    char digits[REPORT_DIGITS];
    uint64_t total = 0;
    for (size_t i = 0; i < table->count; i++)
        total += table->row[i].plans;
    fprintf(stderr, "reckon: %zu problems, %s plans evaluated in %.3f s", table->count,
            report_digits(total, digits), table->seconds);
    if (session->resumed)
        fprintf(stderr, ", some of them before (%s)\n", session->state.path);
    else
        fprintf(stderr, " (%.4g million/s); %.3f s in all\n",
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
    search_machines_open(&table.steps);
    session->total = count_all(grid, args);
    for (size_t i = 0; status == RK_OK && table.complete && i < grid->problems; i++)
        status = run_row(&table, grid, i, session, &error);
    progress_end(&session->progress);
    const int code = status == RK_OK ? print(&table, grid, session) : options_fail(&error);
    report_release(&table.report);
    csv_release(&table.steps);
    free(table.row);
    return code;
}
