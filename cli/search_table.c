#include "cli/search_table.h"

#include "cli/describe.h"
#include "cli/search_answer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is kept of one problem. */
struct table_row {
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t gpus, max_batch, strategies, fits;
    bool found;
    const char *reason; /* why nothing fits */
    struct rk_strategy strategy;
    struct rk_estimate estimate;
};

struct table {
    const struct search_args *args;
    size_t count, fitting;
    struct table_row *row;
    bool complete;
    double seconds;
    struct report report;
};

/* ---- why nothing fits, in a few words ---- */

struct refusal {
    uint64_t count;
    enum rk_verdict verdict;
    int tier;
};

static void count_refusal(struct refusal *most, uint64_t count, enum rk_verdict verdict, int tier)
{
    if (count > most->count) *most = (struct refusal){count, verdict, tier};
}

/* What the strategies that come furthest fail at: memory, behind networks and blocks; of several
 * tiers the one that refuses most. */
static const char *main_reason(struct report *report, const struct search *search)
{
    const struct rk_search_counts *c = &search->result.counts;
    const struct rk_system *system = search->system;
    struct refusal most = {.count = 0};
    if (c->total == 0) return "the restrictions leave no strategy";
    if (c->verdict[RK_FITS][0] > 0)
        return report_text(report, "no plan satisfies %s", search->args->where);
    for (int tier = 0; tier < RK_MAX_TIERS; tier++)
        count_refusal(&most, c->verdict[RK_MEMORY_EXCEEDED][tier], RK_MEMORY_EXCEEDED, tier);
    if (most.count)
        return report_text(report, "%s is too small", memory_name(report, system, most.tier));
    if (c->verdict[RK_TOO_FEW_BLOCKS][0]) return "too few blocks on a rank to offload";
    for (int tier = 0; tier < RK_MAX_TIERS; tier++) {
        count_refusal(&most, c->verdict[RK_NETWORK_TOO_SMALL][tier], RK_NETWORK_TOO_SMALL, tier);
        count_refusal(&most, c->verdict[RK_NETWORK_NOT_FILLED][tier], RK_NETWORK_NOT_FILLED, tier);
    }
    return report_text(report, "%s is %s", network_name(report, system, most.tier),
                       most.verdict == RK_NETWORK_TOO_SMALL ? "too small" : "not filled");
}

/* ---- searching ---- */

static void take_answer(struct table *table, const struct search *search)
{
    struct table_row *row = &table->row[table->count++];
    *row = (struct table_row){.model = search->model,
                              .system = search->system,
                              .gpus = search->problem.ranks,
                              .max_batch = search->problem.max_batch,
                              .strategies = search->result.counts.total,
                              .fits = search->result.counts.verdict[RK_FITS][0],
                              .found = search->result.found > 0};
    table->seconds += search->result.seconds;
    table->fitting += row->found;
    if (!row->found) {
        row->reason =
            search->result.complete ? main_reason(&table->report, search) : "not finished";
        return;
    }
    rk_space_strategy(search->space, search->result.best[0].index, &row->strategy);
    rk_estimate(search->model, search->system, &row->strategy, &row->estimate);
}

/* More GPUs than a system has: a row that says so. */
static bool take_too_large(struct table *table, const struct search *search)
{
    if (!search->system->devices || search->problem.ranks <= search->system->devices) return false;
    table->row[table->count++] =
        (struct table_row){.model = search->model,
                           .system = search->system,
                           .gpus = search->problem.ranks,
                           .max_batch = search->problem.max_batch,
                           .reason = report_text(&table->report, "the system has %" PRIu64 " GPUs",
                                                 search->system->devices)};
    return true;
}

static enum rk_status run_one(struct table *table, const struct search_grid *grid, size_t i,
                              struct search_session *session, struct rk_error *error)
{
    struct search search = {.args = table->args, .top = 1};
    enum rk_status status = search_grid_set(grid, i, &search, error);
    if (status != RK_OK) return status;
    if (take_too_large(table, &search)) {
        session->all_searches--;
        return RK_OK;
    }
    status = search_run(&search, session, error);
    if (status == RK_OK) {
        table->complete &= search.result.complete;
        take_answer(table, &search);
    }
    search_release(&search);
    return status;
}

/* Strategies of all problems, for the progress. */
static uint64_t count_all(const struct search_grid *grid, const struct search_args *args)
{
    uint64_t total = 0;
    for (size_t i = 0; i < grid->problems; i++) {
        struct search search = {.args = args};
        struct rk_error error;
        if (search_grid_set(grid, i, &search, &error) != RK_OK) continue;
        struct rk_space *space = rk_space_open(&search.problem, &error);
        if (space) total += rk_space_count(space);
        rk_space_close(space);
    }
    return total;
}

/* ---- printing ---- */

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "model"},
    {.name = "system"},
    {.name = "gpus",          .title = "GPUs"},
    {.name = "max_batch",     .title = "batch up to"},
    {.name = "strategies"},
    {.name = "fits"},
    {.name = "reason"},
    {.name = "step_s",        .title = "step",      .unit = "s", .digits = 4},
    {.name = "samples_per_s", .title = "samples/s", .unit = "",  .digits = 5},
    {.name = "tokens_per_s",  .title = "tokens/s",  .unit = "n", .digits = 2},
    {.name = "mfu",           .title = "MFU",       .unit = "%", .digits = 2},
    {.name = "hbm_bytes",     .title = "memory",    .unit = "B", .digits = 1},
    {.name = "offload_bytes", .title = "offloaded", .unit = "B", .digits = 1},
};
/* clang-format on */

/* The GPUs of a strategy are those of its problem: they stand once. */
enum {
    FIXED = sizeof columns / sizeof *columns,
    FIGURES = 7,
    STRATEGY = STRATEGY_COLUMNS - 1,
    ALL = FIXED + STRATEGY
};

static void make_row(const void *context, size_t i, struct report_cell *cells)
{
    const struct table *table = context;
    const struct table_row *row = &table->row[i];
    const struct rk_estimate *e = &row->estimate;
    const double figures[] = {e->step_s, e->samples_per_s, e->tokens_per_s,
                              e->mfu,    e->hbm_bytes,     e->offload_bytes};
    cells[0] = cell_text(row->model->id);
    cells[1] = cell_text(row->system->id);
    cells[2] = cell_count(row->gpus);
    cells[3] = cell_count(row->max_batch);
    cells[4] = cell_count(row->strategies);
    cells[5] = cell_count(row->fits);
    cells[6] = cell_text(row->reason);
    for (int k = FIGURES; k < FIXED; k++)
        cells[k] = row->found ? cell_number(figures[k - FIGURES]) : cell_none();
    struct report_cell strategy[STRATEGY_COLUMNS];
    strategy_cells(&row->strategy, strategy);
    for (int k = 0; k < STRATEGY; k++)
        cells[FIXED + k] = row->found ? strategy[1 + k] : cell_none();
}

static void add_programs(struct table *table)
{
    static const struct report_column head[] = {{.name = "command"}, {.name = "complete"}};
    struct report *report = &table->report;
    struct report_column strategy[STRATEGY_COLUMNS];
    struct report_column *all = report_alloc(report, ALL * sizeof *all);
    if (!all) return;
    strategy_columns(strategy);
    memcpy(all, columns, sizeof columns);
    memcpy(all + FIXED, strategy + 1, STRATEGY * sizeof *all);
    report_row(report,
               report_add(report, &(struct report_table){.shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_JSON,
                                                         .columns = head,
                                                         .column_count = 2}),
               (const struct report_cell[]){cell_text("search"), cell_flag(table->complete)});
    report_add(report, &(struct report_table){.name = "problems",
                                              .formats = REPORT_IN_JSON | REPORT_IN_CSV,
                                              .columns = all,
                                              .column_count = ALL,
                                              .rows = table->count,
                                              .make = make_row,
                                              .context = table});
}

/* For people: what differs, the figures, and the plan or the reason in one line. */
enum { SHOWN = FIXED + 1 };

struct shown {
    const struct table *table;
    int count, index[SHOWN];
    struct report_column column[SHOWN];
    const char **plan; /* (rows) */
};

static void make_shown(const void *context, size_t row, struct report_cell *cells)
{
    const struct shown *shown = context;
    struct report_cell all[ALL];
    make_row(shown->table, row, all);
    all[FIXED] = cell_text(shown->plan[row]);
    for (int i = 0; i < shown->count; i++)
        cells[i] = all[shown->index[i]];
}

static void show_column(struct shown *shown, int index, bool wanted)
{
    static const struct report_column plan = {.name = "best strategy"};
    if (!wanted) return;
    shown->column[shown->count] = index < FIXED ? columns[index] : plan;
    shown->index[shown->count++] = index;
}

static void add_table(struct table *table, const struct search_grid *grid)
{
    struct report *report = &table->report;
    struct shown *shown = report_alloc(report, sizeof *shown);
    const char **plan = report_alloc(report, (table->count + 1) * sizeof *plan);
    bool offloads = false;
    if (!shown || !plan) return;
    *shown = (struct shown){.table = table, .plan = plan};
    for (size_t i = 0; i < table->count; i++) {
        const struct table_row *row = &table->row[i];
        offloads |= row->found && row->estimate.offload_bytes > 0;
        plan[i] = row->found ? search_plan_text(report, &row->strategy)
                             : report_text(report, "none: %s", row->reason);
    }
    const bool wanted[FIXED] = {grid->models > 1,
                                grid->systems > 1,
                                true,
                                grid->batch.count > 1,
                                true,
                                true,
                                false,
                                true,
                                true,
                                false,
                                true,
                                true,
                                offloads};
    for (int i = 0; i < FIXED; i++)
        show_column(shown, i, wanted[i]);
    show_column(shown, FIXED, true);
    report_add(report, &(struct report_table){.title = "The best strategy for each problem",
                                              .formats = REPORT_IN_TEXT,
                                              .columns = shown->column,
                                              .column_count = shown->count,
                                              .rows = table->count,
                                              .make = make_shown,
                                              .context = shown});
}

static void add_headline(struct table *table, const struct search_grid *grid)
{
    struct report *report = &table->report;
    const char *model =
        grid->models == 1 ? grid->model[0].id : report_text(report, "%d models", grid->models);
    const char *system =
        grid->systems == 1 ? grid->system[0].id : report_text(report, "%d systems", grid->systems);
    if (!table->complete)
        report_note(report, "INCOMPLETE: stopped by a signal; the problems finished so far");
    report_note(report, report_text(report, "%s on %s: %zu of %zu problems have a plan%s%s", model,
                                    system, table->fitting, table->count,
                                    table->args->where ? " that satisfies " : "",
                                    table->args->where ? table->args->where : ""));
}

static void say_rate(const struct table *table, const struct search_session *session)
{
    char digits[REPORT_DIGITS];
    uint64_t total = 0;
    for (size_t i = 0; i < table->count; i++)
        total += table->row[i].strategies;
    fprintf(stderr, "reckon: %zu problems, %s strategies settled in %.3f s", table->count,
            report_digits(total, digits), table->seconds);
    if (session->resumed)
        fprintf(stderr, ", some of them before (%s)\n", session->state.path);
    else
        fprintf(stderr, ", %.4g million a second\n",
                table->seconds > 0 ? (double)total / table->seconds / 1e6 : 0.0);
}

static int print(struct table *table, const struct search_grid *grid,
                 const struct search_session *session)
{
    const int code = !table->complete ? progress_code() : table->fitting ? RK_OK : RK_NOTHING_FITS;
    if (!table->complete)
        fputs("reckon: interrupted: these are the problems finished so far\n", stderr);
    if (!table->args->quiet) say_rate(table, session);
    if (table->args->show.format == REPORT_AS_TEXT) {
        add_headline(table, grid);
        add_table(table, grid);
    } else {
        add_programs(table);
    }
    return show_report(&table->report, &table->args->show, NULL, code);
}

int search_table(const struct search_grid *grid, const struct search_args *args,
                 struct search_session *session)
{
    struct table table = {.args = args, .complete = true};
    struct rk_error error = {.status = RK_OK};
    enum rk_status status = RK_OK;
    table.row = calloc(grid->problems, sizeof *table.row);
    if (!table.row) status = rk_fail(&error, RK_IO, NULL, 0, 0, "out of memory");
    session->all_searches = grid->problems;
    session->total = count_all(grid, args);
    for (size_t i = 0; status == RK_OK && table.complete && i < grid->problems; i++)
        status = run_one(&table, grid, i, session, &error);
    progress_end(&session->progress);
    const int code = status == RK_OK ? print(&table, grid, session) : options_fail(&error);
    report_release(&table.report);
    free(table.row);
    return code;
}
