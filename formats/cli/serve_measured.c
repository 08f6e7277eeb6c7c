/* serve_measured.c - published figures of inference compared with predictions. */
#include "base/number.h"
#include "catalog/catalog.h"
#include "cli/serve.h"
#include "facts/results.h"
#include "text/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a row of the table may have measured. */
static const struct measured_figure {
    const char *name;
    bool rate; /* more is faster: its time is 1 over it */
} figures[] = {
    {"first_token_s", false}, /* one prompt alone */
    {"prefill_s", false},     /* all prompts */
    {"token_s", false},       /* a step of decoding, the mean */
    {"generated_per_s", true} /* tokens of all GPUs, over prefill and decoding */
};
enum { FIGURES = sizeof figures / sizeof *figures };

static const char *const needed[] = {
    "id",    "source",     "model",       "system",      "plan",   "prompt", "generated",
    "batch", "cache_bits", "cache_split", "heads_apart", "figure", "value"};
enum {
    ID,
    SOURCE,
    MODEL,
    SYSTEM,
    PLAN,
    PROMPT,
    GENERATED,
    BATCH,
    CACHE_BITS,
    CACHE_SPLIT,
    HEADS_APART,
    FIGURE,
    VALUE,
    NEEDED
};
_Static_assert(NEEDED == sizeof needed / sizeof *needed, "one name a column");

struct measured {
    const char *cell[NEEDED];
    const char *path;
    int line;
    double value, predicted, error; /* times: predicted over measured, minus 1 */
    const struct measured_figure *figure;
    enum rk_verdict verdict;
};

/* ---- one row ---- */

static enum rk_status number_of(const struct measured *row, int column, double least,
                                double *number, struct rk_error *error)
{
    char *end;
    *number = strtod(row->cell[column], &end);
    if (end != row->cell[column] && !*end && *number >= least && *number < 1e15) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, row->path, row->line, 0,
                   "%s: \"%s\" is not a number of at least %g", needed[column], row->cell[column],
                   least);
}

static enum rk_status figure_of(struct measured *row, struct rk_error *error)
{
    for (int i = 0; i < FIGURES; i++)
        if (strcmp(figures[i].name, row->cell[FIGURE]) == 0) row->figure = &figures[i];
    if (row->figure) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, row->path, row->line, 0,
                   "figure: \"%s\" is none of first_token_s, prefill_s, token_s, generated_per_s",
                   row->cell[FIGURE]);
}

static double predicted_of(const struct measured *row, const struct rk_served *served)
{
    const double values[FIGURES] = {served->alone.step_s, served->prefill.step_s,
                                    served->mean_token_s, served->tokens_per_s};
    return values[row->figure - figures];
}

static enum rk_status numbers_of(struct measured *row, struct rk_serving *serving,
                                 struct rk_error *error)
{
    double prompt = 0, generated = 0, batch = 0, bits = 0, split = 0, apart = 0;
    enum rk_status status = number_of(row, PROMPT, 1, &prompt, error);
    if (status == RK_OK) status = number_of(row, GENERATED, 1, &generated, error);
    if (status == RK_OK) status = number_of(row, BATCH, 1, &batch, error);
    if (status == RK_OK) status = number_of(row, CACHE_BITS, 1, &bits, error);
    if (status == RK_OK) status = number_of(row, CACHE_SPLIT, 0, &split, error);
    if (status == RK_OK) status = number_of(row, HEADS_APART, 0, &apart, error);
    if (status == RK_OK) status = number_of(row, VALUE, 1e-9, &row->value, error);
    if (status == RK_OK) status = figure_of(row, error);
    if (status != RK_OK) return status;
    *serving = (struct rk_serving){.prompt = (uint64_t)prompt,
                                   .generated = (uint64_t)generated,
                                   .batch = (uint64_t)batch,
                                   .pass_tokens = SERVE_PASS_TOKENS,
                                   .cache_element_bytes = bits / 8,
                                   .cache_split = split > 0,
                                   .heads_apart = apart > 0};
    return RK_OK;
}

static enum rk_status predict_row(struct measured *row, struct rk_error *error)
{
    struct plan_source source = {.model = row->cell[MODEL], .system = row->cell[SYSTEM]};
    struct plan_input input = {.assumed = ""};
    struct rk_serving serving;
    struct rk_served served;
    source.words.count = 1;
    source.words.text[0] = row->cell[PLAN];
    enum rk_status status = numbers_of(row, &serving, error);
    if (status == RK_OK) status = plan_gather(&source, &input, error);
    if (status == RK_OK) status = serve_check_words(&input.draft, error);
    if (status == RK_OK) status = plan_settle(&source, &input, serve_choose, NULL, error);
    if (status == RK_OK) {
        row->verdict = rk_serve(&input.model, &input.system, &input.draft.plan, &serving, &served);
        row->predicted = served.timed ? predicted_of(row, &served) : NAN;
        row->error =
            row->figure->rate ? row->value / row->predicted - 1 : row->predicted / row->value - 1;
    }
    plan_input_release(&input);
    if (status != RK_OK && error->line != row->line) { /* of the plan or a file that it names */
        const struct rk_error inner = *error;
        rk_fail(error, status, row->path, row->line, 0, "%s", inner.text);
    }
    return status;
}

/* ---- tables ---- */

/* clang-format off */
static const struct report_column row_columns[] = {
    {.name = "id"}, {.name = "source"}, {.name = "model"}, {.name = "system"}, {.name = "plan"},
    {.name = "prompt", .of_1024 = true}, {.name = "generated", .of_1024 = true}, {.name = "batch"}, {.name = "figure"},
    {.name = "measured", .digits = 5}, {.name = "predicted", .digits = 5},
    {.name = "error", .unit = "%", .digits = 1},
    {.name = "verdict"},
};
static const struct report_column score_columns[] = {
    {.name = "of"},
    {.name = "count", REPORT_OF(struct score, count)},
    {.name = "signed", REPORT_OF(struct score, signed_mean), .unit = "%", .digits = 1},
    {.name = "mean", REPORT_OF(struct score, mean), .unit = "%", .digits = 1},
    {.name = "median", REPORT_OF(struct score, median), .unit = "%", .digits = 1},
    {.name = "p90", REPORT_OF(struct score, p90), .title = "90th pct", .unit = "%", .digits = 1},
    {.name = "worst", REPORT_OF(struct score, worst), .unit = "%", .digits = 1},
    {.name = "fits", .help = "rows that were predicted to fit"},
    {.name = "refused", .help = "rows that were not predicted, and are in no mean"},
};
/* clang-format on */
static void add_row(struct report *report, struct report_table *table, const struct measured *row)
{
    report_row(report, table,
               (struct report_cell[COUNT_OF(row_columns)]){
                   cell_text(report_text(report, "%s", row->cell[ID])),
                   cell_text(report_text(report, "%s", row->cell[SOURCE])),
                   cell_text(report_text(report, "%s", row->cell[MODEL])),
                   cell_text(report_text(report, "%s", row->cell[SYSTEM])),
                   cell_text(report_text(report, "%s", row->cell[PLAN])),
                   cell_text(report_text(report, "%s", row->cell[PROMPT])),
                   cell_text(report_text(report, "%s", row->cell[GENERATED])),
                   cell_text(report_text(report, "%s", row->cell[BATCH])),
                   cell_text(row->figure->name), cell_number(row->value),
                   cell_number(row->predicted), cell_number(row->error),
                   cell_text(rk_verdict_name(row->verdict))});
}

/* Of the rows with one text in a column; of all when `text` is NULL. */
static void add_score(struct report *report, struct report_table *table, const char *name,
                      const struct measured *rows, size_t count, int column, const char *text)
{
    double *errors = report_alloc(report, (count + 1) * sizeof *errors);
    uint64_t fits = 0, refused = 0;
    size_t counted = 0;
    if (!errors) return;
    for (size_t i = 0; i < count; i++) {
        if (text && strcmp(rows[i].cell[column], text) != 0) continue;
        refused += !isfinite(rows[i].error);
        if (!isfinite(rows[i].error)) continue;
        errors[counted++] = rows[i].error;
        fits += rows[i].verdict == RK_FITS;
    }
    const struct score s = score_errors(errors, counted);
    report_item(
        report, table, &s,
        (const struct report_cell[]){cell_text(name), cell_count(fits), cell_count(refused)});
}

/* A row for each text of a column, in the order of the table. */
static void add_scores(struct report *report, struct report_table *table,
                       const struct measured *rows, size_t count, int column)
{
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(rows[j].cell[column], rows[i].cell[column]) == 0;
        if (!seen)
            add_score(report, table, report_text(report, "%s", rows[i].cell[column]), rows, count,
                      column, rows[i].cell[column]);
    }
}

static struct report_table *add_table(struct report *report, const char *name, const char *title,
                                      const struct report_column *columns, int count, unsigned in)
{
    return report_list(report, name, title, in, columns, count);
}

static void show(struct report *report, const struct measured *rows, size_t count, bool each)
{
    struct report_table *table = add_table(
        report, "errors", "Errors of times of inference, predicted over measured", score_columns,
        COUNT_OF(score_columns), REPORT_IN_TEXT | REPORT_IN_JSON | (each ? 0 : REPORT_IN_CSV));
    add_score(report, table, "all", rows, count, SOURCE, NULL);
    add_scores(report, table, rows, count, SOURCE);
    add_scores(report, table, rows, count, FIGURE);
    if (!each) return;
    table = add_table(report, "rows", "Rows", row_columns, COUNT_OF(row_columns), REPORT_IN_ALL);
    for (size_t i = 0; i < count; i++)
        add_row(report, table, &rows[i]);
}

static enum rk_status read_rows(const struct csv *csv, struct measured *rows,
                                struct rk_error *error)
{
    enum rk_status status = RK_OK;
    int column[NEEDED];
    for (int i = 0; i < NEEDED; i++) {
        column[i] = csv_column(csv, needed[i]);
        if (column[i] < 0)
            return rk_fail(error, RK_BAD_INPUT, csv->path, 1, 0,
                           "no column \"%s\": the first line must name the columns of figures of "
                           "inference, reckon-serve(1) lists them",
                           needed[i]);
    }
    for (size_t i = 0; i < csv->rows && status == RK_OK; i++) {
        rows[i] = (struct measured){.path = csv->path, .line = csv->line[i]};
        for (int j = 0; j < NEEDED; j++)
            rows[i].cell[j] = csv_cell(csv, i, (size_t)column[j]);
        status = predict_row(&rows[i], error);
    }
    return status;
}

enum rk_status serve_measured(struct report *report, const char *path, bool rows,
                              struct rk_error *error)
{
    char folder[3072], own[4096];
    struct csv csv = {.rows = 0};
    enum rk_status status = *path ? RK_OK : catalog_folder(folder, sizeof folder, error);
    if (status != RK_OK) return status;
    if (!*path) snprintf(own, sizeof own, "%s/measured/inference.csv", folder);
    status = csv_load(*path ? path : own, &csv, error);
    if (status != RK_OK) return status;
    struct measured *row = calloc(csv.rows + 1, sizeof *row);
    status =
        row ? read_rows(&csv, row, error) : rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory");
    if (status == RK_OK) show(report, row, csv.rows, rows);
    free(row);
    csv_release(&csv);
    return status;
}
