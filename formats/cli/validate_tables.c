#include "cli/validate_tables.h"
#include "base/memory.h"
#include "base/number.h"
#include "facts/error_learn.h"
#include "facts/nearest.h"
#include "study/baselines.h"

#include <math.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- filters ---- */

static bool is_time(const struct result *r)
{
    return r->kind == FIGURE_STEP || r->kind == FIGURE_LAYER;
}

static bool is_memory(const struct result *r)
{
    return r->kind == FIGURE_STATIC || r->kind == FIGURE_ALLOCATED || r->kind == FIGURE_RESERVED ||
           r->kind == FIGURE_USED;
}

static bool any_time(const struct result *r, const void *context)
{
    (void)context;
    return is_time(r);
}

/* Of functional tests, which the mean over runs leaves out. */
static bool test_time(const struct result *r, const void *context)
{
    (void)context;
    return r->kind == FIGURE_TEST_STEP;
}

static bool settled(const struct result *r, const void *context)
{
    return any_time(r, context) && !r->open[0];
}

static bool held_out(const struct result *r, const void *context)
{
    return any_time(r, context) && strcmp(r->class_of[CLASS_FIT], "held out") == 0;
}

static bool large_dense(const struct result *r, const void *context)
{
    (void)context;
    return is_time(r) && r->gpus >= 64 && !r->experts;
}

static bool small_dense(const struct result *r, const void *context)
{
    (void)context;
    return is_time(r) && r->gpus < 64 && !r->experts;
}

static bool with_experts(const struct result *r, const void *context)
{
    (void)context;
    return is_time(r) && r->experts;
}

/* The eight runs of [korthikanti2022] Table 5, as far as they are in the tables. */
static bool selene(const struct result *r, const void *context)
{
    (void)context;
    return r->kind == FIGURE_STEP && strcmp(r->class_of[CLASS_SOURCE], "kort") == 0;
}

struct of_class {
    enum fact_class of;
    const char *name;
};

static bool in_class(const struct result *r, const void *context)
{
    const struct of_class *class = context;
    return is_time(r) && strcmp(r->class_of[class->of], class->name) == 0;
}

static bool of_kind(const struct result *r, const void *context)
{
    return r->kind == *(const enum figure_kind *)context;
}

/* `context` says whether only those of frozen weights count. */
static bool peak(const struct result *r, const void *context)
{
    const bool *adapters = context;
    return is_memory(r) && r->kind != FIGURE_STATIC &&
           (!*adapters || rk_plan_freezes(&r->judgement.plan));
}

/* ---- statistics ---- */

/* clang-format off */
static const struct report_column score_columns[] = {
    {.name = "runs", .title = "of"},
    {.name = "count", REPORT_OF(struct score, count)},
    {.name = "signed_mean", REPORT_OF(struct score, signed_mean), .title = "signed", .unit = "%", .digits = 2},
    {.name = "mean", REPORT_OF(struct score, mean),   .unit = "%", .digits = 2},
    {.name = "median", REPORT_OF(struct score, median), .unit = "%", .digits = 2},
    {.name = "p90", REPORT_OF(struct score, p90),    .title = "90th pct", .unit = "%", .digits = 2},
    {.name = "worst", REPORT_OF(struct score, worst),  .unit = "%", .digits = 2},
    {.name = "worst_id", .title = "worst is"},
};
/* clang-format on */

/* A table of scores, which is there once it has a row. */
struct scores {
    struct report *report;
    const char *name, *title;
    struct report_table *table;
};

static enum rk_status add_score(struct scores *scores, const char *name,
                                const struct results *results, result_filter filter,
                                const void *context, struct rk_error *error)
{
    struct report *report = scores->report;
    struct score s;
    const enum rk_status status = score_of(results, filter, context, &s, error);
    if (status != RK_OK || s.count == 0) return status;
    if (!scores->table)
        scores->table = REPORT_LIST(report, scores->name, scores->title,
                                    REPORT_IN_TEXT | REPORT_IN_JSON, score_columns);
    report_item(report, scores->table, &s,
                (const struct report_cell[]){
                    cell_text(report_text(report, "%s", name)),
                    cell_text(s.worst_of ? report_text(report, "%s", s.worst_of->id) : NULL)});
    return RK_OK;
}

enum rk_status validate_times(struct report *report, const struct results *results,
                              struct rk_error *error)
{
    static const struct {
        const char *name;
        result_filter filter;
    } rows[] = {
        {"all times", any_time},
        {"nothing left open", settled},
        {"no constant fitted to it", held_out},
        {"dense, 64 GPUs and more", large_dense},
        {"dense, fewer GPUs", small_dense},
        {"experts", with_experts},
        {"Selene [korthikanti2022]", selene},
        {"functional tests: the host", test_time},
    };
    struct scores scores = {report, "times", "Errors of times, predicted over measured", NULL};
    enum rk_status status = RK_OK;
    for (int i = 0; i < COUNT_OF(rows) && status == RK_OK; i++)
        status = add_score(&scores, rows[i].name, results, rows[i].filter, NULL, error);
    return status;
}

enum rk_status validate_by(struct report *report, const struct results *results, enum fact_class of,
                           struct rk_error *error)
{
    size_t count;
    const char **names = class_names(results, of, &count);
    if (!names) return no_memory(error);
    struct scores scores = {report, report_text(report, "by_%s", fact_class_names[of]),
                            report_text(report, "Errors of times by %s", fact_class_names[of]),
                            NULL};
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        const struct of_class class = {of, names[i]};
        status = add_score(&scores, names[i], results, in_class, &class, error);
    }
    free(names);
    return status;
}

enum rk_status validate_memory(struct report *report, const struct results *results,
                               struct rk_error *error)
{
    static const struct {
        const char *name;
        enum figure_kind kind;
    } rows[] = {{"static", FIGURE_STATIC},
                {"allocated", FIGURE_ALLOCATED},
                {"reserved", FIGURE_RESERVED},
                {"in use", FIGURE_USED}};
    static const struct {
        const char *name;
        bool adapters;
    } peaks[] = {{"peaks of adapters", true}, {"all peaks", false}};
    struct scores scores = {report, "memory", "Errors of memory", NULL};
    enum rk_status status = RK_OK;
    for (int i = 0; i < COUNT_OF(rows) && status == RK_OK; i++)
        status = add_score(&scores, rows[i].name, results, of_kind, &rows[i].kind, error);
    for (int i = 0; i < COUNT_OF(peaks) && status == RK_OK; i++)
        status = add_score(&scores, peaks[i].name, results, peak, &peaks[i].adapters, error);
    return status;
}

/* ---- sources ---- */

static const struct report_column source_columns[] = {
    {.name = "runs", .title = "of"},
    {.name = "count"},
    {.name = "mean", .unit = "%", .digits = 1},
    {.name = "sources"},
    {.name = "of_sources", .title = "mean of sources", .unit = "%", .digits = 1},
    {.name = "within", .title = "+- (95 %)", .unit = "%", .digits = 1},
};

static void add_source_mean(struct report *report, struct report_table *table, const char *name,
                            const struct results *results, const double *error)
{
    const struct source_mean m = source_mean_of(results, error);
    if (m.rows == 0) return;
    REPORT_ROW(report, table, cell_text(name), cell_count(m.rows), cell_number(m.mean),
               cell_count(m.sources), cell_number(m.of_sources),
               isnan(m.within) ? cell_none() : cell_number(m.within));
}

/* The errors of the results that the filter takes, NAN for others. */
static void fill_errors(const struct results *results, result_filter filter, const void *context,
                        double *error)
{
    for (size_t i = 0; i < results->count; i++)
        error[i] = filter(&results->result[i], context) ? results->result[i].error : NAN;
}

static bool dense(const struct result *r, const void *context)
{
    (void)context;
    return is_time(r) && !r->experts;
}

static bool of_generation(const struct result *r, const void *context)
{
    return is_time(r) && strcmp(accelerator_generation(r->system), context) == 0;
}

static void add_generations(struct report *report, struct report_table *table,
                            const struct results *results, double *error)
{
    const char *name;
    for (int i = 0; (name = accelerator_generation_name(i)); i++) {
        fill_errors(results, of_generation, name, error);
        add_source_mean(report, table, name, results, error);
    }
}

enum rk_status validate_sources(struct report *report, const struct results *results,
                                struct rk_error *error)
{
    static const struct {
        const char *name;
        result_filter filter;
    } rows[] = {{"all times", any_time}, {"dense", dense}, {"experts", with_experts}};
    static const struct {
        const char *name;
        bool adapters;
    } peaks[] = {{"peaks of memory", false}, {"  of adapters", true}};
    double *errors = malloc((results->count + 1) * sizeof *errors);
    if (!errors) return no_memory(error);
    fill_errors(results, any_time, NULL, errors);
    if (source_mean_of(results, errors).sources > 1) {
        struct report_table *table =
            REPORT_LIST(report, "source_means", "Mean of the means of sources",
                        REPORT_IN_TEXT | REPORT_IN_JSON, source_columns);
        for (int i = 0; i < COUNT_OF(rows); i++) {
            fill_errors(results, rows[i].filter, NULL, errors);
            add_source_mean(report, table, rows[i].name, results, errors);
        }
        add_generations(report, table, results, errors);
        for (int i = 0; i < COUNT_OF(peaks); i++) {
            fill_errors(results, peak, &peaks[i].adapters, errors);
            add_source_mean(report, table, peaks[i].name, results, errors);
        }
    }
    free(errors);
    return RK_OK;
}

/* ---- baselines ---- */

/* Both predictions on the rows that the baseline answers. */
static void add_baseline(struct report *report, struct report_table *table, const char *name,
                         const struct results *results, double *of_baseline, double *of_reckon)
{
    add_source_mean(report, table, name, results, of_baseline);
    for (size_t i = 0; i < results->count; i++)
        of_reckon[i] = isnan(of_baseline[i]) ? NAN : results->result[i].error;
    add_source_mean(report, table, "  reckon, the same rows", results, of_reckon);
}

enum rk_status validate_baselines(struct report *report, const struct results *results,
                                  const struct facts *facts, struct rk_error *error)
{
    static const char *const names[BASELINES] = {
        [BASELINE_MFU] = "40 % of the 16-bit peak",
        [BASELINE_FITTED] = "MFU of others, by GPU and precision",
        [BASELINE_PUBLISHED] = "Calculon's model [isaev2023]",
    };
    double *errors = malloc(2 * (results->count + 1) * sizeof *errors);
    if (!errors) return no_memory(error);
    struct report_table *table = REPORT_LIST(report, "baselines", "Simpler predictions",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, source_columns);
    for (int i = 0; i < BASELINES; i++) {
        baseline_errors(results, facts, (enum baseline)i, errors);
        add_baseline(report, table, names[i], results, errors, errors + results->count);
    }
    free(errors);
    return RK_OK;
}

/* ---- not modelled ---- */

static int by_reason(const void *a, const void *b)
{
    const struct result *x = *(const struct result *const *)a,
                        *y = *(const struct result *const *)b;
    const int order = strcmp(x->reason, y->reason);
    return order ? order : (x > y) - (x < y);
}

static void list_reasons(struct report *report, const struct result **sorted, size_t count)
{
    static const struct report_column columns[] = {
        {.name = "reason"}, {.name = "rows"}, {.name = "first"}};
    struct report_table *table = REPORT_LIST(report, "not_modelled", "Rows that are not modeled",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && strcmp(sorted[end]->reason, sorted[i]->reason) == 0)
            end++;
        REPORT_ROW(report, table, cell_text(report_text(report, "%s", sorted[i]->reason)),
                   cell_count(end - i), cell_text(report_text(report, "%s", sorted[i]->id)));
        i = end;
    }
}

static void list_each(struct report *report, const struct result **rows, size_t count)
{
    static const struct report_column columns[] = {
        {.name = "id"}, {.name = "source"}, {.name = "reason"}};
    struct report_table *table = REPORT_LIST(report, "not_modelled", "Rows that are not modeled",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (size_t i = 0; i < count; i++)
        REPORT_ROW(report, table, cell_text(report_text(report, "%s", rows[i]->id)),
                   cell_text(report_text(report, "%.48s", rows[i]->source)),
                   cell_text(report_text(report, "%s", rows[i]->reason)));
}

enum rk_status validate_unmodelled(struct report *report, const struct results *results, bool each,
                                   struct rk_error *error)
{
    const struct result **rows = malloc((results->count + 1) * sizeof *rows);
    size_t count = 0;
    if (!rows) return no_memory(error);
    for (size_t i = 0; i < results->count; i++)
        if (results->result[i].verdict == RESULT_UNMODELLED) rows[count++] = &results->result[i];
    if (!each) qsort(rows, count, sizeof *rows, by_reason);
    if (count && each) list_each(report, rows, count);
    if (count && !each) list_reasons(report, rows, count);
    free(rows);
    return RK_OK;
}

/* ---- not read ---- */

void validate_unread(struct report *report, const struct unread *unread, bool statements)
{
    static const struct report_column columns[] = {{.name = "what"},
                                                   {.name = "text", .title = "it says"},
                                                   {.name = "rows"},
                                                   {.name = "first"}};
    struct report_table *table = NULL;
    for (size_t i = 0; i < unread->items; i++) {
        const struct unread_item *item = &unread->item[i];
        if (!item->is_column && !statements) continue;
        if (!table)
            table = REPORT_LIST(report, "unread", "Unread statements and columns",
                                REPORT_IN_TEXT | REPORT_IN_JSON, columns);
        REPORT_ROW(report, table, cell_text(item->is_column ? "column" : "notes"),
                   cell_text(report_text(report, "%s", item->text)), cell_count(item->rows),
                   cell_text(report_text(report, "%s", item->first)));
    }
    if (statements)
        report_note(report, report_text(report, "%zu of %zu statements of notes are read",
                                        unread->statements_read, unread->statements));
}

/* ---- all rows ---- */

/* Enough digits to compare, few enough to be the same on every machine. */
static struct report_cell rounded(double value, int digits)
{
    char text[32];
    if (!isfinite(value)) return cell_none();
    snprintf(text, sizeof text, "%.*g", digits, value);
    return cell_number(strtod(text, NULL));
}

static struct report_cell percent(double error)
{
    return isfinite(error) ? cell_number(round(error * 1e4) / 1e2) : cell_none();
}

void validate_steps(struct report *report, const struct results *results)
{
    static const struct report_column columns[] = {{.name = "id"},
                                                   {.name = "group"},
                                                   {.name = "source"},
                                                   {.name = "published"},
                                                   {.name = "system"},
                                                   {.name = "gpus"},
                                                   {.name = "layers"},
                                                   {.name = "hidden"},
                                                   {.name = "measured_s", .digits = 5},
                                                   {.name = "predicted_s", .digits = 4},
                                                   {.name = "plan"}};
    struct report_table *table = REPORT_LIST(report, "steps", NULL, REPORT_IN_ALL, columns);
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        char text[RK_PLAN_TEXT];
        struct rk_plan plan = r->judgement.plan;
        if (!is_measured_step(r)) continue;
        if (!plan.sequence) plan.sequence = r->model.sequence;
        rk_plan_text(&plan, text, sizeof text);
        REPORT_ROW(report, table, cell_text(r->id), cell_text(r->class_of[CLASS_SOURCE]),
                   cell_text(r->source), cell_text(r->class_of[CLASS_PUBLISHED]),
                   cell_text(r->system), cell_count(r->gpus), cell_count(r->model.layers),
                   cell_count(r->model.hidden), rounded(r->measured_si, 5),
                   rounded(r->predicted_si, 4), cell_text(report_text(report, "%s", text)));
    }
}

/* clang-format off */
static const struct report_column row_columns[] = {
    {.name = "id"}, {.name = "source"}, {.name = "gpu"}, {.name = "metric"},
    {.name = "measured", .digits = 5}, {.name = "predicted", .digits = 5},
    {.name = "low50", .digits = 5}, {.name = "high50", .digits = 5},
    {.name = "low90", .digits = 5}, {.name = "high90", .digits = 5},
    {.name = "error_pct", .title = "error %", .digits = 4},
    {.name = "verdict"}, {.name = "open"}, {.name = "reason"},
};
/* clang-format on */
enum { ROW_COLUMNS = sizeof row_columns / sizeof *row_columns };

/* Figures of the detailed model, which the measured runs are compared with. */
#define IF_CALCULON(...)
#define IF_RECKON(...)          __VA_ARGS__
#define IF_BOTH(...)            __VA_ARGS__
#define HOLD_COLUMN(name, help) #name "_bytes",
static const char *const part_names[] = {"family",
                                         "gpus",
                                         "precision",
                                         "framework",
                                         "measured_si",
                                         "predicted_si",
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) IF_##by(#name, )
#include <reckon/figures.def>
                                         RK_HOLDINGS(HOLD_COLUMN)};
#undef HOLD_COLUMN
enum { PART_COLUMNS = sizeof part_names / sizeof *part_names };

static void part_cells(struct report *report, const struct result *r, struct report_cell *cells)
{
    const struct judgement *j = &r->judgement;
    int i = 0;
    cells[i++] = cell_text(report_text(report, "%s", r->class_of[CLASS_FAMILY]));
    cells[i++] = cell_count(r->gpus);
    cells[i++] = cell_text(report_text(report, "%s", r->class_of[CLASS_PRECISION]));
    cells[i++] = cell_text(report_text(report, "%s", r->class_of[CLASS_FRAMEWORK]));
    cells[i++] = rounded(r->measured_si, 6);
    cells[i++] = rounded(r->predicted_si, 6);
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) IF_##by(cells[i++] = rounded(j->name, 5);)
#include <reckon/figures.def>
    for (int hold = 0; hold < RK_HOLDING_COUNT; hold++)
        cells[i++] = rounded(j->holds[hold], 8);
}

void validate_rows(struct report *report, const struct results *results, bool parts)
{
    const int count = ROW_COLUMNS + (parts ? PART_COLUMNS : 0);
    struct report_column *columns = report_alloc(report, (size_t)count * sizeof *columns);
    if (!columns) return;
    memcpy(columns, row_columns, sizeof row_columns);
    for (int i = ROW_COLUMNS; i < count; i++)
        columns[i] = (struct report_column){.name = part_names[i - ROW_COLUMNS], .digits = 4};
    struct report_table *table = report_list(report, "rows", "Rows", REPORT_IN_ALL, columns, count);
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        struct report_cell cells[ROW_COLUMNS + PART_COLUMNS] = {
            cell_text(report_text(report, "%s", r->id)),
            cell_text(report_text(report, "%s", r->class_of[CLASS_SOURCE])),
            cell_text(report_text(report, "%s", r->class_of[CLASS_GPU])),
            cell_text(report_text(report, "%s", r->metric)),
            rounded(r->measured, 8),
            rounded(r->predicted, 4),
            rounded(r->range.low50, 4),
            rounded(r->range.high50, 4),
            rounded(r->range.low90, 4),
            rounded(r->range.high90, 4),
            percent(r->error),
            cell_text(result_verdict_name(r->verdict)),
            r->open[0] ? cell_text(report_text(report, "%s", r->open)) : cell_none(),
            r->reason[0] ? cell_text(report_text(report, "%s", r->reason)) : cell_none(),
        };
        if (parts) part_cells(report, r, cells + ROW_COLUMNS);
        report_row(report, table, cells);
    }
}
