/* reckon search: the best strategies of all there are. */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/team.h"

#include <inttypes.h>
#include <string.h>

struct search_args {
    struct plan_args plan;
    uint64_t top, threads;
    bool exhaustive, explain, quiet;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct search_args, member)

enum { MOST_THREADS = 4096, MOST_ROWS = 1000000 };

/* clang-format off */
static const struct option search_options[] = {
    {.letter = 'k', .name = "top", .type = OPTION_NUMBER, AT(top), .argument = "K", .min = 1, .max = MOST_ROWS,
     .help = "how many of the best to print (10)"},
    {.letter = 'j', .name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = MOST_THREADS,
     .help = "threads to search with (all cores); the answer is the same for any number"},
    {.name = "exhaustive", .type = OPTION_FLAG, AT(exhaustive),
     .help = "time every strategy that fits, instead of settling groups by proof; the same answer"},
    {.name = "explain", .type = OPTION_FLAG, AT(explain),
     .help = "say on standard error by which argument the strategies were settled"},
    {.letter = 'q', .name = "quiet", .type = OPTION_FLAG, AT(quiet),
     .help = "say nothing on standard error unless something is wrong"},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write the best strategy to FILE, for `reckon estimate --strategy`; - prints it instead of the table"},
    {.name = NULL},
};

const struct usage search_usage = {
    .name = "search",
    .summary = "the best strategies of all there are",
    .synopsis = "--model MODEL --system SYSTEM --gpus N --batch N [options]",
    .description =
        "Goes through every strategy for one model on one machine: all splits over tensor, "
        "pipeline and data parallelism, interleaving, microbatches, recomputation, sharding, "
        "kinds and overlap of communication, offloading, and the networks they run on. Prints the "
        "best ones, how many strategies there were, how many can run, and why the others cannot.\n\n"
        "The batch is the largest multiple of the data degree up to --batch. Ties are broken by "
        "the position in the enumeration, so that the answer is always the same. How long the "
        "search took is said on standard error.\n\n"
        "SIGINT ends the search with the best strategies so far, marked as incomplete, and exit "
        "status 130. When nothing fits, the exit status is 1.",
    .groups = {
        {"Input", plan_input_options, offsetof(struct search_args, plan)},
        {"Size", plan_size_options, offsetof(struct search_args, plan)},
        {"Search", search_options, 0},
        {"Restrictions: a value, a list (8,16) or a range (1..64); all values by default, but the activation is fused",
         axes_options, offsetof(struct search_args, plan.axes)},
        {"Form", show_options, offsetof(struct search_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon search -m gpt3-175b -s a100-80g-nvl8 --gpus 1024 --batch 1536 -o best.json",
         "The ten best ways to train GPT-3 on 1,024 A100; keep the best:"},
        {"reckon search -m gpt3-175b -s a100-80g-nvl8 -g 1024 -b 1536 --tensor 8,16 --recompute none --top 3",
         "Only some of the strategies:"},
        {"reckon search -m gpt3-175b -s a100-80g-nvl8 -g 1024 -b 1536 --format csv > best.csv",
         "For a program:"},
    },
    .see_also = "reckon-estimate(1), reckon-model(5), reckon-system(5), reckon-strategy(5)",
};
/* clang-format on */

/* A search and its answer. */
struct search {
    struct search_args args;
    struct rk_model model;
    struct rk_system system;
    struct rk_problem problem;
    struct rk_space *space;
    struct rk_search_result result;
};

/* ---- the best, row by row ---- */

/* clang-format off */
static const struct report_column best_columns[] = {
    {.name = "rank"},
    {.name = "index",         .title = "index"},
    {.name = "step_s",        .title = "step",      .unit = "s",  .digits = 4},
    {.name = "samples_per_s", .title = "samples/s", .unit = "",   .digits = 5},
    {.name = "tokens_per_s",  .title = "tokens/s",  .unit = "n",  .digits = 2},
    {.name = "mfu",           .title = "MFU",       .unit = "%",  .digits = 2},
    {.name = "hbm_bytes",     .title = "memory",    .unit = "B",  .digits = 1},
    {.name = "offload_bytes", .title = "offloaded", .unit = "B",  .digits = 1},
};
/* clang-format on */

enum {
    BEST_FIXED = sizeof best_columns / sizeof *best_columns,
    BEST_COLUMNS = BEST_FIXED + STRATEGY_COLUMNS
};

/* What a row is made from; `shown` picks the columns. */
struct best_rows {
    const struct search *search;
    int columns;
    int shown[BEST_COLUMNS];
    struct report_column column[BEST_COLUMNS];
};

static void best_cells(const struct search *search, size_t row, struct report_cell *cells)
{
    const struct rk_candidate *candidate = &search->result.best[row];
    struct rk_strategy strategy;
    struct rk_estimate estimate;
    rk_space_strategy(search->space, candidate->index, &strategy);
    rk_estimate(&search->model, &search->system, &strategy, &estimate);
    cells[0] = cell_count(row + 1);
    cells[1] = cell_count(candidate->index);
    cells[2] = cell_number(estimate.step_s);
    cells[3] = cell_number(estimate.samples_per_s);
    cells[4] = cell_number(estimate.tokens_per_s);
    cells[5] = cell_number(estimate.mfu);
    cells[6] = cell_number(estimate.hbm_bytes);
    cells[7] = cell_number(estimate.offload_bytes);
    strategy_cells(&strategy, cells + BEST_FIXED);
}

static void make_best(const void *context, size_t row, struct report_cell *cells)
{
    const struct best_rows *rows = context;
    struct report_cell all[BEST_COLUMNS];
    best_cells(rows->search, row, all);
    for (int i = 0; i < rows->columns; i++)
        cells[i] = all[rows->shown[i]];
}

static bool same_cell(const struct report_cell *a, const struct report_cell *b)
{
    if (a->type == REPORT_TEXT) return strcmp(a->as.text, b->as.text) == 0;
    if (a->type == REPORT_FLAG) return a->as.flag == b->as.flag;
    return a->as.count == b->as.count;
}

/* Which columns of the strategies differ among the best? */
static void find_varying(const struct search *search, bool varies[STRATEGY_COLUMNS])
{
    struct report_cell first[STRATEGY_COLUMNS], cells[STRATEGY_COLUMNS];
    struct rk_strategy strategy;
    for (uint64_t row = 0; row < search->result.found; row++) {
        rk_space_strategy(search->space, search->result.best[row].index, &strategy);
        strategy_cells(&strategy, row ? cells : first);
        for (int i = 0; row && i < STRATEGY_COLUMNS; i++)
            varies[i] |= !same_cell(&first[i], &cells[i]);
    }
}

static struct best_rows *select_columns(struct report *report, const struct search *search,
                                        const bool keep[BEST_COLUMNS])
{
    struct report_column all[BEST_COLUMNS];
    struct best_rows *rows = report_alloc(report, sizeof *rows);
    if (!rows) return NULL;
    rows->search = search;
    memcpy(all, best_columns, sizeof best_columns);
    strategy_columns(all + BEST_FIXED);
    for (int i = 0; i < BEST_COLUMNS; i++) {
        if (!keep[i]) continue;
        rows->column[rows->columns] = all[i];
        rows->shown[rows->columns++] = i;
    }
    return rows;
}

static void add_best(struct report *report, const struct search *search, const char *title,
                     unsigned formats, const bool keep[BEST_COLUMNS])
{
    const struct best_rows *rows = select_columns(report, search, keep);
    if (!rows) return;
    report_add(report, &(struct report_table){.name = "best",
                                              .title = title,
                                              .formats = formats,
                                              .columns = rows->column,
                                              .column_count = rows->columns,
                                              .rows = search->result.found,
                                              .make = make_best,
                                              .context = rows});
}

/* ---- people: what is common above, what varies in the table ---- */

static void add_common(struct report *report, const struct search *search,
                       const bool varies[STRATEGY_COLUMNS])
{
    char text[1024], value[24];
    size_t used = 0;
    struct rk_strategy strategy;
    rk_space_strategy(search->space, search->result.best[0].index, &strategy);
    for (int i = 0; i < RK_AXES && used < sizeof text; i++)
        if (!varies[STRATEGY_COLUMNS - RK_AXES + i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "",
                                     rk_axis((enum rk_axis)i)->name,
                                     axis_text(&strategy, (enum rk_axis)i, value));
    if (!used) return;
    report_paragraph(report,
                     report_text(report, "%s: %s",
                                 search->result.found > 1 ? "in all of them" : "strategy", text));
}

static void add_best_text(struct report *report, const struct search *search)
{
    bool keep[BEST_COLUMNS] = {true, false, true, true, false, true, true};
    bool offloads = false;
    find_varying(search, keep + BEST_FIXED);
    for (uint64_t row = 0; row < search->result.found && !offloads; row++) {
        struct report_cell cells[BEST_COLUMNS];
        best_cells(search, row, cells);
        offloads = cells[BEST_FIXED - 1].as.number > 0;
    }
    keep[BEST_FIXED - 1] = offloads;
    add_common(report, search, keep + BEST_FIXED);
    add_best(report, search, search->result.found > 1 ? "The best strategies" : "The best strategy",
             REPORT_IN_TEXT, keep);
}

/* ---- what became of all ---- */

static const struct report_column outcome_columns[] = {
    {.name = "outcome"},
    {.name = "tier"},
    {.name = "where"},
    {.name = "strategies"},
    {.name = "share", .unit = "%", .digits = 2},
};

/* A row of its own for each tier; `where` is its name. Reasons that never occurred are left out. */
static void outcome_row(struct report *report, struct report_table *table, uint64_t total,
                        enum rk_verdict verdict, int tier, const char *where, uint64_t count)
{
    if (count == 0 && verdict != RK_FITS) return;
    const struct report_cell cells[] = {
        cell_text(rk_verdict_name(verdict)),
        tier < 0 ? cell_none() : cell_count((uint64_t)tier),
        cell_text(where),
        cell_count(count),
        cell_number(total ? (double)count / (double)total : 0),
    };
    report_row(report, table, cells);
}

static void add_outcomes(struct report *report, const struct search *search)
{
    const struct rk_search_counts *c = &search->result.counts;
    const struct rk_system *system = &search->system;
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "outcomes",
                                                  .title = "What became of the strategies",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = outcome_columns,
                                                  .column_count = 5});
    outcome_row(report, table, c->total, RK_FITS, -1, NULL, c->fits);
    for (int tier = 0; tier < system->networks && tier < RK_MAX_TIERS; tier++)
        outcome_row(report, table, c->total, RK_NETWORK_TOO_SMALL, tier, system->network[tier].name,
                    c->network_too_small[tier]);
    for (int tier = 0; tier < system->networks && tier < RK_MAX_TIERS; tier++)
        outcome_row(report, table, c->total, RK_NETWORK_NOT_FILLED, tier,
                    system->network[tier].name, c->network_not_filled[tier]);
    outcome_row(report, table, c->total, RK_TOO_FEW_BLOCKS, -1, NULL, c->too_few_blocks);
    for (int tier = 0; tier < system->memories && tier < RK_MAX_TIERS; tier++)
        outcome_row(report, table, c->total, RK_MEMORY_EXCEEDED, tier, system->memory[tier].name,
                    c->memory_exceeded[tier]);
}

/* ---- the report ---- */

static void add_headline(struct report *report, const struct search *search)
{
    const struct rk_search_counts *c = &search->result.counts;
    char total[REPORT_DIGITS], fits[REPORT_DIGITS];
    if (!search->result.complete)
        report_note(report, "INCOMPLETE: stopped by a signal; the best so far");
    report_note(report,
                report_text(report, "%s on %s, %" PRIu64 " GPU%s, batch up to %" PRIu64 ", %s",
                            search->model.id, search->system.id, search->problem.ranks,
                            search->problem.ranks == 1 ? "" : "s", search->problem.max_batch,
                            rk_datatype_name(search->problem.datatype)));
    report_note(report, report_text(report, "  %s strategies, %s can run%s",
                                    report_digits(c->total, total), report_digits(c->fits, fits),
                                    c->total == 0 ? ": the restrictions leave none" : ""));
}

static void add_summary(struct report *report, const struct search *search)
{
    static const struct report_column columns[] = {{.name = "command"}, {.name = "complete"}};
    static const struct report_column problem_columns[] = {
        {.name = "gpus"}, {.name = "max_batch"}, {.name = "datatype"}};
    static const struct report_column count_columns[] = {{.name = "strategies"}, {.name = "fits"}};
    const struct report_table record = {.shape = REPORT_RECORD, .formats = REPORT_IN_JSON};
    struct report_table table = record;
    table.columns = columns;
    table.column_count = 2;
    report_row(
        report, report_add(report, &table),
        (const struct report_cell[]){cell_text("search"), cell_flag(search->result.complete)});
    table.name = "problem";
    table.columns = problem_columns;
    table.column_count = 3;
    report_row(report, report_add(report, &table),
               (const struct report_cell[]){cell_count(search->problem.ranks),
                                            cell_count(search->problem.max_batch),
                                            cell_text(rk_datatype_name(search->problem.datatype))});
    table.name = "counts";
    table.columns = count_columns;
    table.column_count = 2;
    report_row(report, report_add(report, &table),
               (const struct report_cell[]){cell_count(search->result.counts.total),
                                            cell_count(search->result.counts.fits)});
}

static void fill_report(struct report *report, const struct search *search)
{
    bool all[BEST_COLUMNS];
    memset(all, true, sizeof all);
    if (search->args.show.format == REPORT_AS_TEXT) {
        add_headline(report, search);
        if (search->result.found) add_best_text(report, search);
    } else {
        add_summary(report, search);
        describe_model(report, &search->model, REPORT_IN_JSON);
        describe_system(report, &search->system, REPORT_IN_JSON);
        add_best(report, search, NULL, REPORT_IN_JSON | REPORT_IN_CSV, all);
    }
    add_outcomes(report, search);
}

/* ---- standard error: time, rate, arguments ---- */

static void say_rate(const struct search *search)
{
    const double seconds = search->result.seconds;
    char total[REPORT_DIGITS];
    fprintf(stderr, "reckon: %s strategies settled in %.3f s, %.4g million a second\n",
            report_digits(search->result.counts.total, total), seconds,
            seconds > 0 ? (double)search->result.counts.total / seconds / 1e6 : 0.0);
}

static void say_explanation(const struct search *search)
{
    static const struct report_column columns[] = {{.name = "settled by"},
                                                   {.name = "strategies"},
                                                   {.name = "share", .unit = "%", .digits = 3}};
    const struct rk_search_explain *e = &search->result.explain;
    const struct {
        const char *argument;
        uint64_t count;
    } rows[] = {
        {"a network or block count of a whole group", e->refused_by_group},
        {"memory", e->refused_by_memory},
        {"a lower bound on the time of a group", e->bounded},
        {"their own time", e->timed},
    };
    struct report report = {.first = NULL};
    struct rk_error error;
    const struct report_style style = show_style(&search->args.show, stderr);
    struct report_table *table = report_add(
        &report,
        &(struct report_table){.formats = REPORT_IN_TEXT, .columns = columns, .column_count = 3});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        report_row(&report, table,
                   (const struct report_cell[]){
                       cell_text(rows[i].argument), cell_count(rows[i].count),
                       cell_number(search->result.counts.total
                                       ? (double)rows[i].count / (double)search->result.counts.total
                                       : 0)});
    report_write(&report, REPORT_AS_TEXT, &style, stderr, &error);
    report_release(&report);
}

/* ---- the command ---- */

static enum rk_status set_problem(struct search *search, struct rk_error *error)
{
    const struct plan_args *plan = &search->args.plan;
    const uint64_t gpus = plan->gpus ? plan->gpus : search->system.devices;
    if (!gpus)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--gpus is missing: %s does not say how many there are", search->system.id);
    if (!plan->batch)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--batch is missing: give the samples of a step, over all GPUs");
    rk_problem_init(&search->problem, &search->model, &search->system, gpus, plan->batch,
                    plan->datatype >= 0 ? (enum rk_datatype)plan->datatype
                                        : plan_datatype(&search->system));
    if (!plan_supports(&search->system, search->problem.datatype))
        return rk_fail(error, RK_USAGE, NULL, 0, 0, "--datatype: %s does not support %s",
                       search->system.id, rk_datatype_name(search->problem.datatype));
    return axes_restrict(&plan->axes, &search->problem, error);
}

static enum rk_status run_search(struct search *search, struct rk_error *error)
{
    struct progress progress;
    const struct rk_search_options options = {
        .mode = search->args.exhaustive ? RK_SEARCH_EXHAUSTIVE : RK_SEARCH_PRUNED,
        .threads = (int)search->args.threads,
        .top = search->args.top,
        .progress = progress_step,
        .context = &progress,
    };
    search->space = rk_space_open(&search->problem, error);
    if (!search->space) return RK_IO;
    progress_start(&progress, "strategies");
    const enum rk_status status = search_with(search->space, &options, cli_team, &search->result, error);
    progress_end(&progress);
    return status;
}

static enum rk_status save_best(const struct search *search, struct rk_error *error)
{
    struct rk_strategy strategy;
    if (!search->args.output || !search->result.found) return RK_OK;
    rk_space_strategy(search->space, search->result.best[0].index, &strategy);
    return rk_strategy_save(search->args.output, &strategy, error);
}

/* Prints the answer; returns the exit code. */
static int answer(const struct search *search)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    int code =
        search->result.complete ? search->result.found ? RK_OK : RK_NOTHING_FITS : RK_INTERRUPTED;
    const bool piped = search->args.output && strcmp(search->args.output, "-") == 0;
    if (!search->result.complete)
        fputs("reckon: interrupted: these are the best so far, the search is incomplete\n", stderr);
    if (!search->args.quiet) say_rate(search);
    if (search->args.explain) say_explanation(search);
    if (!piped || !search->result.found) {
        fill_report(&report, search);
        code = show_report(&report, &search->args.show, NULL, code);
    }
    if (save_best(search, &error) != RK_OK) code = options_fail(&error);
    report_release(&report);
    return code;
}

int cmd_search(int argc, char **argv)
{
    struct search search = {.args = {.plan = PLAN_ARGS_INIT, .top = 10}};
    struct rk_error error;
    const int done = options_read(&search_usage, argc, argv, &search.args);
    if (done >= 0) return done;

    enum rk_status status = plan_load(&search.args.plan, &search.model, &search.system, &error);
    if (status == RK_OK) status = set_problem(&search, &error);
    if (status == RK_OK) status = run_search(&search, &error);
    const int code = status == RK_OK ? answer(&search) : options_fail(&error);
    if (search.space) {
        rk_search_result_release(&search.result);
        rk_space_close(search.space);
    }
    rk_system_release(&search.system);
    return code;
}
