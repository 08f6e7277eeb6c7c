/* reckon corpus: from raw text to training text. */
#include "base/memory.h"
#include "base/units.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/keys.h"
#include "cli/show.h"
#include "corpus/blend.h"
#include "corpus/curate.h"
#include "text/csv.h"
#include "text/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- clean: options ---- */

struct clean_args {
    struct option_texts files, evaluation;
    struct curate_options curate;
    struct show_args show;
    const char *list, *threshold, *compression, *validation, *test;
    uint64_t most_bytes, expansion, threads;
    bool any_quality;
};

#define AT(member) .offset = offsetof(struct clean_args, member)

/* clang-format off */
static const struct operand clean_operands[] = {
    {.name = "FILE", AT(files), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};

static const struct option clean_input_rows[] = {
    {.letter = 'l', .name = "list", .type = OPTION_TEXT, .argument = "FILE", AT(list), .complete = "file"},
    {.letter = 'u', .name = "unit", .common = true, .type = OPTION_CHOICE, .choices = reader_unit_names, AT(curate.reader.unit)},
    {.name = "most-bytes", .type = OPTION_NUMBER, AT(most_bytes), .min = 1, .max = 1 << 30},
    {.name = "most-expansion", .type = OPTION_NUMBER, AT(expansion), .min = 2, .max = 100000},
    {.name = NULL},
};

static const struct option clean_rule_rows[] = {
    {.name = "languages", .common = true, .type = OPTION_TEXT, .argument = "LIST", AT(curate.languages)},
    {.name = "language-table", .type = OPTION_TEXT, .argument = "FOLDER", AT(curate.table), .complete = "file"},
    {.name = "any-quality", .type = OPTION_FLAG, AT(any_quality)},
    {.name = "compression", .type = OPTION_TEXT, .argument = "LEAST,MOST", AT(compression)},
    {.name = "near", .common = true, .type = OPTION_TEXT, .argument = "J", AT(threshold)},
    {.letter = 'e', .name = "evaluation", .common = true, .type = OPTION_TEXTS, .argument = "FILE", AT(evaluation), .complete = "file"},
    {.name = NULL},
};

static const struct option clean_output_rows[] = {
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_TEXT, .argument = "FOLDER", AT(curate.folder), .complete = "file"},
    {.name = "validation", .type = OPTION_TEXT, .argument = "PART", AT(validation)},
    {.name = "test", .type = OPTION_TEXT, .argument = "PART", AT(test)},
    {.name = "seed", .type = OPTION_NUMBER, AT(curate.seed)},
    {.name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = 1024},
    {.name = NULL},
};

static const struct usage clean_usage = {
#include "help/corpus-clean.h"
    .operands = clean_operands,
    .groups = {
        {"Input", clean_input_rows, 0},
        {"Filters", clean_rule_rows, 0},
        {"Output", clean_output_rows, 0},
        {"Form of the report", show_options, offsetof(struct clean_args, show)},
        {"General", options_help_rows, 0},
    },
};
#undef AT
/* clang-format on */

/* ---- clean: the report ---- */

static void add_reasons(struct report *report, const struct curate_report *r)
{
    static const struct report_column columns[] = {
        {.name = "reason"},     {.name = "documents"}, {.name = "share", .unit = "%", .digits = 2},
        {.name = "text_bytes"}, {.name = "meaning"},
    };
    struct report_table *table =
        REPORT_LIST(report, "removed", "What was removed", REPORT_IN_ALL, columns);
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
        const struct curate_counts *c = &r->reason[i];
        const double all = r->read.documents ? (double)r->read.documents : 1;
        REPORT_ROW(report, table, cell_text(reason_facts[i].word), cell_count(c->documents),
                   cell_number((double)c->documents / all), cell_count(c->bytes),
                   cell_text(keys_said(report, reason_facts[i].text)));
    }
}

static void add_languages(struct report *report, const struct curate_report *r,
                          const struct languages *languages)
{
    static const struct report_column columns[] = {
        {.name = "language"}, {.name = "documents"}, {.name = "text_bytes"}};
    struct report_table *table =
        REPORT_LIST(report, "languages", "Languages, before anything else is judged",
                    REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (int i = 0; i <= LANGUAGES_MOST; i++) {
        const struct curate_counts *c = &r->language[i];
        const int language = i < LANGUAGES_MOST ? i : LANGUAGE_UNKNOWN;
        if (c->documents == 0) continue;
        REPORT_ROW(report, table,
                   cell_text(report_text(report, "%s", languages_code(languages, language))),
                   cell_count(c->documents), cell_count(c->bytes));
    }
}

static void add_summary(struct report *report, const struct curate_report *r)
{
    /* clang-format off */
    static const struct report_column columns[] = {
        {.name = "documents_read", REPORT_OF(struct curate_report, read.documents), .help = "as they came"},
        {.name = "bytes_read", .unit = "B", .digits = 1},
        {.name = "train_documents", REPORT_OF(struct curate_report, split[SPLIT_TRAIN].documents), .help = "pieces of cut ones each count"},
        {.name = "train_bytes", .unit = "B", .digits = 1, .help = "of JSON lines"},
        {.name = "validation_documents", REPORT_OF(struct curate_report, split[SPLIT_VALIDATION].documents)},
        {.name = "test_documents", REPORT_OF(struct curate_report, split[SPLIT_TEST].documents)},
        {.name = "not_utf8", REPORT_OF(struct curate_report, broken), .help = "documents with such bytes: each became U+FFFD"},
        {.name = "other_line_ends", REPORT_OF(struct curate_report, line_ends), .help = "... with CR LF or CR: now LF"},
        {.name = "control_characters", REPORT_OF(struct curate_report, controls), .help = "... with such: left out"},
        {.name = "records_passed_over", REPORT_OF(struct curate_report, passed_over), .help = "of WARC files, that are not text"},
        {.name = "pairs_compared", REPORT_OF(struct curate_report, compared), .help = "that could have been near duplicates"},
        {.name = "evaluation_texts", REPORT_OF(struct curate_report, evaluation_texts)},
        {.name = "evaluation_too_short", REPORT_OF(struct curate_report, evaluation_short), .help = "... of fewer than 13 words: not looked for"},
        {.name = "evaluation_cut", REPORT_OF(struct curate_report, cut), .help = "documents that passages were cut out of"},
    };
    /* clang-format on */
    const struct report_cell bytes[] = {cell_number((double)r->read.bytes),
                                        cell_number((double)r->split[SPLIT_TRAIN].bytes)};
    struct report_table *table =
        REPORT_ONE(report, "corpus", "The corpus", REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    report_item(report, table, r, bytes);
}

static int show_clean(const struct clean_args *args, const struct curate_report *r,
                      const struct languages *languages)
{
    struct report report = {.first = NULL};
    const struct show_args as_json = {.format = REPORT_AS_JSON, .colour = COLOUR_NEVER};
    char path[4096];
    add_summary(&report, r);
    add_reasons(&report, r);
    add_languages(&report, r, languages);
    snprintf(path, sizeof path, "%.4000s/report.json", args->curate.folder);
    int code = show_report(&report, &as_json, path, RK_OK);
    if (code == RK_OK) curate_finish(args->curate.folder);
    if (code == RK_OK) code = show_report(&report, &args->show, "-", RK_OK);
    report_release(&report);
    return code;
}

/* ---- clean: the run ---- */

static enum rk_status read_part(const char *name, const char *text, double most, double *value,
                                struct rk_error *error)
{
    if (!text) return RK_OK;
    if (number_parse(text, strlen(text), value) == strlen(text) && *text && *value >= 0 &&
        *value <= most)
        return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: \"%.20s\" is not a number from 0 to %g",
                   name, text, most);
}

/* "0.2,0.9" */
static enum rk_status read_compression(const char *text, double *least, double *most,
                                       struct rk_error *error)
{
    const char *comma = text ? strchr(text, ',') : NULL;
    if (!text) return RK_OK;
    const size_t first = comma ? (size_t)(comma - text) : 0;
    if (comma && first && comma[1] && number_parse(text, first, least) == first &&
        number_parse(comma + 1, strlen(comma + 1), most) == strlen(comma + 1) && *least >= 0 &&
        *most > *least)
        return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--compression: \"%.30s\": give two shares, the smaller one first, 0.2,0.9",
                   text);
}

static enum rk_status read_numbers(struct clean_args *args, struct rk_error *error)
{
    struct curate_options *o = &args->curate;
    enum rk_status status = RK_OK;
    o->threshold = 0.8; /* of [smith2022] */
    if (args->threshold && strcmp(args->threshold, "off") == 0)
        o->threshold = 2;
    else
        status = read_part("--near", args->threshold, 1, &o->threshold, error);
    if (status == RK_OK) status = read_compression(args->compression, &o->least, &o->most, error);
    if (status == RK_OK)
        status = read_part("--validation", args->validation, 1, &o->part[SPLIT_VALIDATION], error);
    if (status == RK_OK) status = read_part("--test", args->test, 1, &o->part[SPLIT_TEST], error);
    if (status == RK_OK && o->part[SPLIT_VALIDATION] + o->part[SPLIT_TEST] > 1)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--validation and --test are more than all");
    return status;
}

/* The operands, and the lines of --list, whose text the caller frees. */
static enum rk_status gather_files(const struct clean_args *args, const char ***files, int *count,
                                   char **text, struct rk_error *error)
{
    size_t size = 0, lines = 1;
    enum rk_status status = RK_OK;
    *text = NULL;
    if (args->list) status = document_text(args->list, text, &size, error);
    if (status != RK_OK) return status;
    for (size_t i = 0; i < size; i++)
        lines += (*text)[i] == '\n';
    *files = malloc((lines + (size_t)args->files.count) * sizeof **files);
    if (!*files) return no_memory(error);
    *count = 0;
    for (int i = 0; i < args->files.count; i++)
        (*files)[(*count)++] = args->files.text[i];
    char *rest;
    for (char *line = *text ? strtok_r(*text, "\r\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\r\n", &rest))
        (*files)[(*count)++] = line;
    return RK_OK;
}

static enum rk_status complete_options(struct clean_args *args, char *table, size_t size,
                                       struct rk_error *error)
{
    struct curate_options *o = &args->curate;
    char folder[3800];
    enum rk_status status = read_numbers(args, error);
    if (status != RK_OK) return status;
    if (!o->folder)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "corpus clean: say where the corpus goes: -o FOLDER");
    o->quality = !args->any_quality;
    o->threads = (int)args->threads;
    o->reader.most_bytes = (size_t)args->most_bytes;
    o->reader.expansion = (unsigned)args->expansion;
    o->evaluation = args->evaluation.text;
    o->evaluations = args->evaluation.count;
    if (o->table) return RK_OK;
    status = catalog_folder(folder, sizeof folder, error);
    if (status != RK_OK) return status;
    snprintf(table, size, "%s/corpus/declaration", folder);
    o->table = table;
    return RK_OK;
}

static int run_clean(int argc, char **argv)
{
    struct clean_args args = {.files = {.count = 0}};
    struct curate_report report;
    struct languages *languages = NULL;
    struct rk_error error;
    const char **files = NULL;
    char *text = NULL, table[4096];
    const int done = options_read(&clean_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = complete_options(&args, table, sizeof table, &error);
    if (status == RK_OK) status = gather_files(&args, &files, &args.curate.inputs, &text, &error);
    if (status == RK_OK && args.curate.inputs == 0)
        status =
            rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "corpus clean: name files, or --list");
    args.curate.input = files;
    if (status == RK_OK) status = curate(&args.curate, &report, &languages, &error);
    const int code = status == RK_OK ? show_clean(&args, &report, languages) : options_fail(&error);
    languages_free(languages);
    free(files);
    free(text);
    return code;
}

/* ---- blend ---- */

struct blend_args {
    const char *table, *output;
    double tokens;
    const char *most_epochs;
    uint64_t seed;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct blend_args, member)

/* clang-format off */
static const struct operand blend_operands[] = {
    {.name = "TABLE", AT(table), .complete = "file"},
    {.name = NULL},
};

static const struct option blend_rows[] = {
    {.letter = 't', .name = "tokens", .type = OPTION_COUNT, AT(tokens), .argument = "COUNT"},
    {.name = "most-epochs", .type = OPTION_TEXT, .argument = "E", AT(most_epochs)},
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = "seed", .type = OPTION_NUMBER, AT(seed)},
    {.name = NULL},
};

static const struct usage blend_usage = {
#include "help/corpus-blend.h"
    .operands = blend_operands,
    .groups = {
        {"Blend", blend_rows, 0},
        {"Form", show_options, offsetof(struct blend_args, show)},
        {"General", options_help_rows, 0},
    },
};
#undef AT
/* clang-format on */

static enum rk_status fail_cell(const struct csv *csv, size_t row, const char *column,
                                const char *text, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], 0,
                   "%s: \"%.40s\" is not a number above 0", column, text);
}

/* A positive number with a magnitude, "25.7B"; what the cell says in `value`. */
static enum rk_status read_count(const struct csv *csv, size_t row, int column, double *value,
                                 struct rk_error *error)
{
    const char *text = csv_cell(csv, row, (size_t)column);
    struct units_error problem;
    if (quantity_parse(text, strlen(text), QUANTITY_COUNT, false, value, &problem) && *value > 0)
        return RK_OK;
    return fail_cell(csv, row, csv->name[column], text, error);
}

struct blend_columns {
    int name, weight, tokens, file, epochs;
};

static enum rk_status read_set(const struct csv *csv, size_t row, const struct blend_columns *at,
                               struct blend_set *set, struct rk_error *error)
{
    snprintf(set->name, sizeof set->name, "%s", csv_cell(csv, row, (size_t)at->name));
    if (at->file >= 0) set->file = csv_cell(csv, row, (size_t)at->file);
    enum rk_status status = read_count(csv, row, at->weight, &set->weight, error);
    if (status != RK_OK) return status;
    if (at->tokens >= 0) return read_count(csv, row, at->tokens, &set->tokens, error);
    status = blend_size(set->file, &set->tokens, error);
    if (status == RK_OK && set->tokens <= 0)
        status = rk_fail(error, RK_BAD_INPUT, set->file, 0, 0, "holds no text");
    return status;
}

static enum rk_status read_sets(const struct csv *csv, const struct blend_columns *at,
                                struct blend_set *set, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (at->name < 0 || at->weight < 0 || (at->tokens < 0 && at->file < 0))
        return rk_fail(error, RK_BAD_INPUT, csv->path, 1, 1,
                       "the columns must be name, weight, and tokens or file");
    if (csv->rows == 0)
        return rk_fail(error, RK_BAD_INPUT, csv->path, 1, 1, "no data set stands in the table");
    for (size_t i = 0; status == RK_OK && i < csv->rows; i++)
        status = read_set(csv, i, at, &set[i], error);
    return status;
}

static int show_blend(const struct blend_args *args, const struct csv *csv,
                      const struct blend_columns *at, const struct blend_set *set, double tokens,
                      double found)
{
    static const struct report_column columns[] = {
        {.name = "name"},
        {.name = "tokens", .digits = 4},
        {.name = "weight", .digits = 4},
        {.name = "share", .unit = "%", .digits = 2},
        {.name = "epochs", .digits = 3},
        {.name = "capped"},
        {.name = "published", .digits = 3},
    };
    struct report report = {.first = NULL};
    struct report_table *table =
        report_list(&report, "sets", NULL, REPORT_IN_ALL, columns, at->epochs >= 0 ? 7 : 6);
    for (size_t i = 0; i < csv->rows; i++) {
        const char *text = at->epochs >= 0 ? csv_cell(csv, i, (size_t)at->epochs) : "";
        double published;
        const bool known = *text && number_parse(text, strlen(text), &published) == strlen(text);
        REPORT_ROW(&report, table, cell_text(set[i].name), cell_number(set[i].tokens),
                   cell_number(set[i].weight), cell_number(set[i].share),
                   cell_number(set[i].epochs), cell_flag(set[i].capped),
                   known ? cell_number(published) : cell_none());
    }
    if (found < tokens * (1 - 1e-9))
        report_note(&report,
                    report_text(&report,
                                "All data sets are capped: %.4g tokens instead of %.4g. Raise "
                                "--most-epochs, or find more text.",
                                found, tokens));
    return show_end(&report, &args->show, "-", RK_OK, RK_OK, NULL);
}

static bool take_line(void *context, const char *line, size_t size)
{
    return fwrite(line, 1, size, context) == size;
}

/* Buckets lie next to the output. */
static enum rk_status write_blend(const struct blend_args *args, const struct blend_set *set,
                                  size_t sets, struct rk_error *error)
{
    struct output output = {.file = NULL};
    char folder[3800];
    snprintf(folder, sizeof folder, "%.3700s.shuffle-XXXXXX", args->output);
    if (!set[0].file)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--output: the table has no column file");
    if (strcmp(args->output, "-") == 0 || !mkdtemp(folder))
        return rk_fail(error, RK_IO, args->output, 0, 0,
                       "cannot make a folder next to it to shuffle");
    const struct blend_options options = {.folder = folder, .seed = args->seed};
    enum rk_status status = output_open(&output, args->output, error);
    if (status == RK_OK) status = blend_write(set, sets, &options, take_line, output.file, error);
    if (status == RK_OK) status = output_commit(&output, error);
    if (status != RK_OK) output_abandon(&output);
    rmdir(folder);
    return status;
}

static enum rk_status blend(const struct blend_args *args, const struct csv *csv, int *code,
                            struct rk_error *error)
{
    const struct blend_columns at = {csv_column(csv, "name"), csv_column(csv, "weight"),
                                     csv_column(csv, "tokens"), csv_column(csv, "file"),
                                     csv_column(csv, "epochs")};
    double tokens = args->tokens, most_epochs = 4;
    struct blend_set *set = calloc(csv->rows + 1, sizeof *set);
    enum rk_status status = set ? RK_OK : no_memory(error);
    if (status == RK_OK)
        status = read_part("--most-epochs", args->most_epochs, 1e6, &most_epochs, error);
    if (status == RK_OK && most_epochs <= 0)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--most-epochs: must be above 0");
    if (status == RK_OK) status = read_sets(csv, &at, set, error);
    for (size_t i = 0; status == RK_OK && args->tokens <= 0 && i < csv->rows; i++)
        tokens += set[i].tokens;
    if (status == RK_OK) {
        const double found = blend_epochs(set, csv->rows, tokens, most_epochs);
        if (args->output) status = write_blend(args, set, csv->rows, error);
        if (status == RK_OK) *code = show_blend(args, csv, &at, set, tokens, found);
    }
    free(set);
    return status;
}

static int run_blend(int argc, char **argv)
{
    struct blend_args args = {.tokens = 0};
    struct rk_error error;
    struct csv csv;
    int code = RK_OK;
    const int done = options_read(&blend_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = csv_load(args.table, &csv, &error);
    if (status == RK_OK) status = blend(&args, &csv, &code, &error);
    csv_release(&csv);
    return status == RK_OK ? code : options_fail(&error);
}

/* ---- the command ---- */

static const struct command commands[] = {
    {"clean", run_clean, "clean, filter, deduplicate, split and shuffle texts", &clean_usage},
    {"blend", run_blend, "blend data sets by weight, with capped epochs", &blend_usage},
    {.name = NULL},
};

const struct usage corpus_usage = {
#include "help/corpus.h"
    .groups = {{"General", options_help_rows, 0}},
    .commands = commands,
};

int cmd_corpus(int argc, char **argv)
{
    return options_run_command(&corpus_usage, argc, argv);
}
