#include "cli/search_table.h"

#include "base/memory.h"
#include "facts/learned.h"

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
    {.name = "step_usd",         .title = "USD per step",   .digits = 4},
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
    report_add(report,
               &(struct report_table){.name = "problems",
                                      .title = rows->people ? "Best plan of each problem" : NULL,
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
    add_rows(report, table->row, table->count, shown, REPORT_IN_TEXT);
    add_rows(report, table->row, table->count, all, REPORT_IN_JSON | REPORT_IN_CSV);
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
    session->total = count_all(grid, args);
    for (size_t i = 0; status == RK_OK && table.complete && i < grid->problems; i++)
        status = run_row(&table, grid, i, session, &error);
    progress_end(&session->progress);
    const int code = status == RK_OK ? print(&table, grid, session) : options_fail(&error);
    report_release(&table.report);
    free(table.row);
    return code;
}
