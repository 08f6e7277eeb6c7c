/* reckon study: a grid of searches, kept in a database. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/compare.h"
#include "cli/launchable.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/study_trend.h"
#include "cli/team.h"
#include "huggingface/model_named.h"
#include "study/study.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct study_args {
    const char *file, *database, *figure, *output, *script;
    uint64_t jobs;
    bool list, dry_run, compare, quiet;
    int format; /* enum report_format; -1: no export */
    int colour;
};

#define AT(member) .offset = offsetof(struct study_args, member)

enum { MOST_JOBS = 1024, PATH_SIZE = 1024 };

static const char *const export_formats[] = {"table", "json", "csv", NULL}; /* enum report_format */

/* clang-format off */
static const struct operand study_operands[] = {
    {.name = "FILE", .offset = offsetof(struct study_args, file), .optional = false, .complete = "file"},
    {.name = NULL},
};

static const struct option study_options[] = {
    {.name = "db", .type = OPTION_TEXT, AT(database), .argument = "FILE", .complete = "file"},
    {.letter = 'j', .name = "jobs", .type = OPTION_NUMBER, AT(jobs), .argument = "N", .min = 1, .max = MOST_JOBS},
    {.name = "figure", .type = OPTION_TEXT, AT(figure), .argument = "NAME"},
    {.name = "export", .type = OPTION_CHOICE, AT(format), .choices = export_formats},
    {.letter = 'o', .name = "output", .type = OPTION_OUTPUT, AT(output), .argument = "FILE", .complete = "file"},
    {.name = "list", .type = OPTION_FLAG, AT(list)},
    {.name = "dry-run", .type = OPTION_FLAG, AT(dry_run)},
    {.name = "compare", .type = OPTION_FLAG, AT(compare)},
    {.name = "compare-with", .type = OPTION_TEXT, AT(script), .argument = "FILE", .complete = "file"},
    {.letter = 'q', .name = "quiet", .type = OPTION_FLAG, AT(quiet)},
    {.name = NULL},
};

const struct usage study_usage = {
#include "help/study.h"
    .operands = study_operands,
    .groups = {
        {"Study", study_options, 0},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* One command on its way. */
struct run {
    struct study_args args;
    struct study *study;
    int figure; /* -1: all */
    char path[PATH_SIZE];
    struct study_database *database; /* NULL: there is none yet */
    struct study_plan plan;
    struct study_progress done;
    struct progress signals; /* SIGINT alone: the bar is ours */
    bool draw, drawn;
    double drawn_s;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- the bar ---- */

static void draw_bar(const struct study_progress *p)
{
    enum { WIDTH = 24 };
    const int full = (int)(p->share * WIDTH);
    const double rate = p->seconds > 0 ? (double)p->strategies / p->seconds : 0;
    fprintf(stderr, "\r[%.*s%.*s] %3.0f %%  %zu of %zu searches, %.4g million plans/s", full,
            "########################", WIDTH - full, "........................", 100 * p->share,
            p->done, p->total, rate / 1e6);
    if (p->share > 0.01) fprintf(stderr, ", %.0f s left", p->seconds * (1 - p->share) / p->share);
    fputs("\033[K", stderr);
}

static bool run_progress(void *context, const struct study_progress *progress)
{
    struct run *run = context;
    run->done = *progress;
    if (run->draw && progress->seconds - run->drawn_s >= 0.1) {
        draw_bar(progress);
        run->drawn_s = progress->seconds;
        run->drawn = true;
    }
    return progress_step(&run->signals, 0, 0, 0);
}

/* ---- standard error ---- */

static void say_plan(const struct run *run)
{
    const struct study_plan *plan = &run->plan;
    if (run->args.quiet) return;
    fprintf(stderr, "reckon: %zu point%s, %zu search%s: %zu finished before, %zu to do",
            plan->points, plural(plan->points), plan->searches, plan->searches == 1 ? "" : "es",
            plan->finished, plan->missing);
    if (plan->outdated)
        fprintf(stderr, " (%zu of them again: made by another version of the model)",
                plan->outdated);
    fputc('\n', stderr);
}

static void say_done(const struct run *run)
{
    const struct study_progress *done = &run->done;
    char strategies[REPORT_DIGITS];
    if (run->args.quiet || !done->done) return;
    fprintf(stderr, "reckon: %zu search%s, %s plans evaluated in %.3f s (%.4g million/s)\n",
            done->done, done->done == 1 ? "" : "es", report_digits(done->strategies, strategies),
            done->seconds,
            done->seconds > 0 ? (double)done->strategies / done->seconds / 1e6 : 0.0);
}

/* ---- what a query yields, as a table ---- */

struct sheet {
    struct report *report;
    struct report_table *table;
    const char *name, *title;
};

static bool ends(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

/* The unit that a name tells, for people. */
static struct report_column named_column(const char *name)
{
    struct report_column column = {.name = name, .digits = 4};
    if (ends(name, "_per_s"))
        column.unit = "";
    else if (ends(name, "_s"))
        column.unit = "s";
    else if (ends(name, "_bytes"))
        column.unit = "B";
    else if (ends(name, "_Bps"))
        column.unit = "B/s";
    else if (ends(name, "_flop"))
        column.unit = "FLOP";
    else if (!strcmp(name, "mfu") || ends(name, "_efficiency"))
        column.unit = "%";
    if (column.unit && *column.unit) column.digits = 2;
    if (!strcmp(name, "mfu")) column.title = "MFU";
    if (!strcmp(name, "hbm_bytes")) column.title = "memory";
    return column;
}

static void open_table(struct sheet *sheet, int columns, const char *const *names)
{
    struct report_column *column = report_alloc(sheet->report, (size_t)columns * sizeof *column);
    for (int i = 0; column && i < columns; i++)
        column[i] = named_column(report_text(sheet->report, "%s", names[i]));
    sheet->table =
        report_list(sheet->report, sheet->name, sheet->title, REPORT_IN_ALL, column, columns);
}

static enum rk_status add_row(void *context, int columns, const char *const *names,
                              const struct study_value *values, struct rk_error *error)
{
    struct sheet *sheet = context;
    struct report_cell cells[REPORT_MAX_COLUMNS];
    if (columns > REPORT_MAX_COLUMNS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "more than %d columns",
                       REPORT_MAX_COLUMNS);
    if (!sheet->table) open_table(sheet, columns, names);
    for (int i = 0; i < columns; i++) {
        cells[i] = compare_cell(&values[i]);
        if (values[i].type == STUDY_TEXT)
            cells[i] = cell_text(report_text(sheet->report, "%s", values[i].text));
    }
    report_row(sheet->report, sheet->table, cells);
    return RK_OK;
}

static enum rk_status add_query(struct run *run, const char *name, const char *sql,
                                struct report *report, struct rk_error *error)
{
    struct sheet sheet = {report, NULL, name, NULL};
    if (!sql) return no_memory(error);
    return study_query(run->database, sql, add_row, &sheet, error);
}

/* ---- what is printed ---- */

static enum rk_status fill_export(struct run *run, struct report *report, struct rk_error *error)
{
    char *sql = study_export_sql(run->study, run->figure);
    const enum rk_status status = add_query(run, "rows", sql, report, error);
    free(sql);
    return status;
}

/* One text as the answer. */
static enum rk_status take_answer(void *context, int columns, const char *const *names,
                                  const struct study_value *values, struct rk_error *error)
{
    (void)columns;
    (void)names;
    (void)error;
    if (values[0].type == STUDY_TEXT) report_answer(context, REPORT_PLAIN, values[0].text);
    return RK_OK;
}

/* How far it is, and the best of all; the best of each figure is what the summary ends with. */
static enum rk_status add_result(struct run *run, const char *figure, struct report *report,
                                 struct rk_error *error)
{
    static const char answer[] =
        "SELECT sum(finished) || ' of ' || sum(points) || ' points are finished, ' || sum(can_run)"
        "  || ' can run' || ifnull((SELECT '; highest MFU ' || printf('%%.1f', 100 * max(mfu))"
        "  || ' %%: ' || model || ' on ' || system || ', ' || gpus || ' GPUs' FROM result"
        "  WHERE rank = 1 AND figure GLOB '%s' HAVING count(*)), '')"
        "  FROM progress WHERE figure GLOB '%s'";
    static const char best[] =
        "SELECT figure, model, system, gpus, max_batch, step_s, max(mfu) AS mfu, hbm_bytes, plan"
        "  FROM result WHERE rank = 1 AND figure GLOB '%s' GROUP BY figure_number";
    char sql[sizeof answer + 2 * STUDY_NAME];
    snprintf(sql, sizeof sql, answer, figure, figure);
    enum rk_status status = study_query(run->database, sql, take_answer, report, error);
    snprintf(sql, sizeof sql, best, figure);
    struct sheet sheet = {report, NULL, "best", "The best plan of each figure, by MFU"};
    if (status == RK_OK) status = study_query(run->database, sql, add_row, &sheet, error);
    return status;
}

static bool is_of(const struct study_point *a, const struct study_point *b)
{
    return a->model == b->model && a->framework == b->framework;
}

/* Models that no file launches, each once. */
static void add_launch(const struct study *study, struct report *report)
{
    for (size_t i = 0; i < study->points; i++) {
        const struct study_point *p = &study->point[i];
        struct rk_plan plan = rk_plan_default();
        size_t before = i && is_of(p, p - 1) ? i - 1 : 0; /* those of a model follow each other */
        while (before < i && !is_of(p, &study->point[before]))
            before++;
        if (before < i) continue;
        plan.framework = p->framework;
        const char *why = launch_refusal(report, &study->model[p->model].model,
                                         &study->system[p->system].system, &plan);
        if (why)
            report_paragraph(report,
                             report_text(report, "%s: %s", study->model[p->model].name, why));
    }
}

static enum rk_status fill_summary(struct run *run, struct report *report, struct rk_error *error)
{
    static const char progress[] = "SELECT figure, points, finished, can_run, strategies AS plans, "
                                   "fits FROM progress WHERE figure GLOB '%s'";
    const char *name = run->figure < 0 ? NULL : run->study->figure[run->figure].name;
    char sql[sizeof progress + STUDY_NAME];
    snprintf(sql, sizeof sql, progress, name ? name : "*");
    if (*run->study->title) report_note(report, run->study->title);
    add_launch(run->study, report);
    enum rk_status status = add_query(run, "figures", sql, report, error);
    if (status == RK_OK) status = study_trend(report, run->database, name, error);
    return status == RK_OK ? add_result(run, name ? name : "*", report, error) : status;
}

static void fill_list(const struct run *run, struct report *report)
{
    static const struct report_column columns[] = {
        {.name = "figure"}, {.name = "point"},     {.name = "model"},    {.name = "system"},
        {.name = "gpus"},   {.name = "max_batch"}, {.name = "datatype"}, {.name = "axes"},
        {.name = "top"},    {.name = "finished"}};
    const struct study *study = run->study;
    struct report_table *table = REPORT_LIST(report, "points", NULL, REPORT_IN_ALL, columns);
    for (size_t i = 0; i < study->points; i++) {
        const struct study_point *point = &study->point[i];
        if (run->figure >= 0 && point->figure != run->figure) continue;
        REPORT_ROW(report, table, cell_text(study->figure[point->figure].name),
                   cell_count(point->number), cell_text(study->model[point->model].name),
                   cell_text(study->system[point->system].name), cell_count(point->gpus),
                   cell_count(point->max_batch), cell_text(study_precision_name(point)),
                   cell_text(study->axes[point->axes].text), cell_count(point->top),
                   cell_flag(run->plan.done[i]));
    }
}

/* Figures with their points and how many of them are finished. */
static void fill_plan(const struct run *run, struct report *report)
{
    static const struct report_column columns[] = {
        {.name = "figure"}, {.name = "points"}, {.name = "finished"}, {.name = "to_do"}};
    const struct study *study = run->study;
    struct report_table *table = REPORT_LIST(report, "figures", NULL, REPORT_IN_ALL, columns);
    for (size_t i = 0, at = 0; i < study->figures; i++) {
        const size_t points = study->figure[i].points;
        uint64_t finished = 0;
        for (const size_t end = at + points; at < end; at++)
            finished += run->plan.done[at];
        if (run->figure >= 0 && (size_t)run->figure != i) continue;
        REPORT_ROW(report, table, cell_text(study->figure[i].name), cell_count(points),
                   cell_count(finished), cell_count(points - finished));
    }
}

static int print(struct run *run, struct rk_error *error)
{
    struct report report = {.first = NULL};
    const bool export = run->args.format >= 0;
    const struct show_args show = {.format = export ? run->args.format : REPORT_AS_TEXT,
                                   .colour = run->args.colour};
    enum rk_status status = RK_OK;
    if (run->args.list)
        fill_list(run, &report);
    else if (run->args.dry_run && !export)
        fill_plan(run, &report);
    else
        status = export ? fill_export(run, &report, error) : fill_summary(run, &report, error);
    return show_end(&report, &show, run->args.output, status, RK_OK, error);
}

/* ---- the run ---- */

/* study.json comes with study.db and study.sql in its folder. False when the path is too long. */
static bool beside(const char *file, const char *ending, char path[PATH_SIZE])
{
    size_t length = strlen(file);
    if (ends(file, ".json")) length -= strlen(".json");
    if (ends(file, ".jsonc")) length -= strlen(".jsonc");
    return (size_t)snprintf(path, PATH_SIZE, "%.*s%s", (int)length, file, ending) < PATH_SIZE;
}

static enum rk_status choose_database(struct run *run, struct rk_error *error)
{
    const char *file = run->args.file, *given = run->args.database;
    if (given) {
        snprintf(run->path, sizeof run->path, "%s", given);
        return RK_OK;
    }
    if (strcmp(file, "-") == 0)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--db is missing: a study from standard input has no place of its own");
    if (!beside(file, ".db", run->path))
        return rk_fail(error, RK_BAD_ARGUMENT, file, 0, 0, "the path is too long");
    return RK_OK;
}

static enum rk_status find_figure(struct run *run, struct rk_error *error)
{
    run->figure = -1;
    if (!run->args.figure) return RK_OK;
    run->figure = study_find_figure(run->study, run->args.figure);
    if (run->figure >= 0) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--figure: %.80s is not in the study, whose first one is %s; --list shows all",
                   run->args.figure, run->study->figure[0].name);
}

static enum rk_status open_and_plan(struct run *run, enum study_access access,
                                    struct rk_error *error)
{
    enum rk_status status = study_database_open(run->path, access, &run->database, error);
    if (status == RK_OK)
        status = study_plan(run->study, run->figure, run->database, &run->plan, error);
    return status;
}

/* Nothing is left to write: reading is enough, from wherever and whoever else is writing. */
static bool all_is_there(struct run *run)
{
    struct rk_error error;
    if (access(run->path, R_OK) != 0) return false;
    if (open_and_plan(run, STUDY_READ, &error) == RK_OK &&
        (run->plan.missing == 0 || run->args.dry_run) &&
        study_grid_is_written(run->study, run->database))
        return true;
    study_plan_release(&run->plan);
    study_database_close(run->database);
    run->database = NULL;
    return false;
}

static enum rk_status open_database(struct run *run, struct rk_error *error)
{
    const bool looking = run->args.list || (run->args.dry_run && run->args.format < 0);
    const bool there = access(run->path, F_OK) == 0;
    if (looking && !there) /* only looking needs no database */
        return study_plan(run->study, run->figure, NULL, &run->plan, error);
    if (!looking && all_is_there(run)) return RK_OK;
    const bool reading = looking || (run->args.dry_run && !there); /* which says what is wrong */
    return open_and_plan(run, reading ? STUDY_READ : STUDY_WRITE, error);
}

static enum rk_status search_missing(struct run *run, struct rk_error *error)
{
    run->draw = !run->args.quiet && show_on_terminal(stderr);
    progress_start(&run->signals, "plans");
    run->signals.draw = false;
    const enum rk_status status = cli_study_update(run->study, run->database, &run->plan,
                                                   (int)run->args.jobs, run_progress, run, error);
    progress_end(&run->signals);
    if (run->drawn) fputs("\r\033[K", stderr);
    return status;
}

static enum rk_status make(struct run *run, struct rk_error *error)
{
    enum rk_status status = choose_database(run, error);
    if (status == RK_OK) status = study_load(run->args.file, model_by_name, &run->study, error);
    if (status == RK_OK) status = find_figure(run, error);
    if (status == RK_OK) status = open_database(run, error);
    if (status != RK_OK) return status;
    say_plan(run);
    if (run->args.list) return RK_OK;
    if (run->args.dry_run)
        return run->database && run->args.format >= 0
                   ? study_write_grid(run->study, run->database, error)
                   : RK_OK;
    status = search_missing(run, error);
    say_done(run);
    return status;
}

/* The run is over: the script reads the database by itself. */
static int compare(struct run *run)
{
    char script[PATH_SIZE];
    struct rk_error error;
    const char *given = run->args.script;
    study_database_close(run->database);
    run->database = NULL;
    if (!given && strcmp(run->args.file, "-") == 0) {
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "--compare: a study from standard input has no script; use --compare-with FILE");
        return options_fail(&error);
    }
    if (!given && !beside(run->args.file, ".sql", script)) {
        rk_fail(&error, RK_BAD_ARGUMENT, run->args.file, 0, 0, "the path is too long");
        return options_fail(&error);
    }
    if (!given && access(script, F_OK) != 0) {
        rk_fail(&error, RK_BAD_ARGUMENT, script, 0, 0,
                "there is none: --compare reads the questions next to the study, --compare-with "
                "FILE others; reckon-compare(5)");
        return options_fail(&error);
    }
    return compare_print(run->path, given ? given : script,
                         run->args.format >= 0 ? run->args.format : REPORT_AS_TEXT,
                         run->args.output);
}

int cmd_study(int argc, char **argv)
{
    struct run run = {.args = {.format = -1, .colour = COLOUR_AUTO}};
    struct rk_error error;
    const int done = options_read(&study_usage, argc, argv, &run.args);
    if (done >= 0) return done;
    const enum rk_status status = make(&run, &error);
    const bool comparing = (run.args.compare || run.args.script) && !run.args.list;
    const int code = status != RK_OK ? options_fail(&error)
                     : comparing     ? compare(&run)
                                     : print(&run, &error);
    study_plan_release(&run.plan);
    study_database_close(run.database);
    study_close(run.study);
    return code;
}
