/* reckon validate: compares predictions with published measurements. */
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/validate_fit.h"
#include "cli/validate_tables.h"
#include "facts/error_learn.h"
#include "facts/learned.h"
#include "facts/likeness.h"
#include "study/left_out.h"
#include "text/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct validate_args {
    struct option_texts files;
    struct option_values by;
    bool rows, parts, regret, unmodelled, unread, constants, brief, blind;
    const char *rules, *output, *learn, *steps, *fit, *given, *sure;
    struct rk_sure_bounds bounds;
    struct option_texts only;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct validate_args, member)

/* clang-format off */
static const struct operand validate_operands[] = {
    {.name = "FILE", AT(files), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};

static const struct option validate_options[] = {
    {.name = "by", .common = true, .type = OPTION_VALUES, .argument = "CLASS,CLASS", AT(by), .choices = fact_class_names},
    {.name = "brief", .common = true, .type = OPTION_FLAG, AT(brief)},
    {.name = "rows", .common = true, .type = OPTION_FLAG, AT(rows)},
    {.name = "parts", .type = OPTION_FLAG, AT(parts)},
    {.name = "blind", .type = OPTION_FLAG, AT(blind)},
    {.name = "regret", .type = OPTION_FLAG, AT(regret)},
    {.name = "unmodelled", .type = OPTION_FLAG, AT(unmodelled)},
    {.name = "unread", .type = OPTION_FLAG, AT(unread)},
    {.name = "only", .common = true, .type = OPTION_TEXTS, .argument = "CLASS=NAME", AT(only)},
    {.name = "given", .type = OPTION_TEXT, .argument = "FILE", AT(given), .complete = "file"},
    {.name = "fit", .common = true, .type = OPTION_TEXT, .argument = "KEY,KEY", AT(fit)},
    {.name = "constants", .type = OPTION_FLAG, AT(constants)},
    {.name = "sure", .type = OPTION_TEXT, .argument = "FITS,FAILS", AT(sure)},
    {.name = "rules", .type = OPTION_TEXT, .argument = "FILE", AT(rules), .complete = "file"},
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = "learn", .type = OPTION_OUTPUT, .argument = "FILE", AT(learn), .complete = "file"},
    {.name = "steps", .type = OPTION_OUTPUT, .argument = "FILE", AT(steps), .complete = "file"},
    {.name = NULL},
};

const struct usage validate_usage = {
#include "help/validate.h"
    .operands = validate_operands,
    .groups = {
        {"Validation", validate_options, 0},
        {"Form", show_options, offsetof(struct validate_args, show)},
        {"General", options_help_rows, 0},
    },
};

/* The tables of the catalog, when none is named. */
static const char *const own_tables[] = {"runs.csv", "memory.csv", "oom.csv", "finetune.csv"};
/* clang-format on */
enum { OWN_TABLES = sizeof own_tables / sizeof *own_tables };

static enum rk_status own_path(const char *name, char *path, size_t size, struct rk_error *error)
{
    char folder[3072];
    const enum rk_status status = catalog_folder(folder, sizeof folder, error);
    if (status == RK_OK) snprintf(path, size, "%s/measured/%s", folder, name);
    return status;
}

static enum rk_status add_own(struct facts *facts, size_t tables, const struct rules *rules,
                              struct rk_error *error)
{
    enum rk_status status = RK_OK;
    char path[4096];
    for (size_t i = 0; i < tables && status == RK_OK; i++) {
        status = own_path(own_tables[i], path, sizeof path, error);
        if (status == RK_OK) status = facts_load(facts, path, rules, error);
    }
    return status;
}

/* The tables of the command line, or the catalog's. */
static enum rk_status add_tables(struct facts *facts, const struct validate_args *args,
                                 const struct rules *rules, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (args->files.count == 0) return add_own(facts, OWN_TABLES, rules, error);
    for (int i = 0; i < args->files.count && status == RK_OK; i++)
        status = facts_load(facts, args->files.text[i], rules, error);
    return status;
}

/* ---- the report ---- */

static bool wants(const struct validate_args *args, int class)
{
    if (args->by.count == 0) return class <= CLASS_SOURCE;
    for (int i = 0; i < args->by.count; i++)
        if (args->by.range[i].low <= (uint64_t) class && (uint64_t) class <= args->by.range[i].high)
            return true;
    return false;
}

static enum rk_status add_statistics(struct report *report, const struct results *results,
                                     const struct validate_args *args, struct rk_error *error)
{
    enum rk_status status = validate_times(report, results, error);
    if (status == RK_OK && !args->blind) status = validate_sources(report, results, error);
    for (int i = 0; i < FACT_CLASSES && status == RK_OK; i++)
        if (!args->brief && wants(args, i))
            status = validate_by(report, results, (enum fact_class)i, error);
    if (status == RK_OK) status = validate_memory(report, results, error);
    if (status == RK_OK) validate_fits(report, results, &args->bounds);
    if (status == RK_OK) status = validate_regret(report, results, args->regret, error);
    if (status == RK_OK && (!args->brief || args->unmodelled))
        status = validate_unmodelled(report, results, args->unmodelled, error);
    return status;
}

static int write_rows(const struct results *results, bool parts, const char *path)
{
    struct report report = {.first = NULL};
    const struct show_args show = {.format = REPORT_AS_CSV, .colour = COLOUR_NEVER};
    validate_rows(&report, results, parts);
    return show_end(&report, &show, path, RK_OK, RK_OK, NULL);
}

static int write_steps(const struct results *results, const char *path)
{
    struct report report = {.first = NULL};
    const struct show_args show = {.format = REPORT_AS_CSV, .colour = COLOUR_NEVER};
    validate_steps(&report, results);
    return show_end(&report, &show, path, RK_OK, RK_OK, NULL);
}

static int write_bars(const struct results *results, const char *path)
{
    static struct error_bars bars;
    struct rk_error error;
    if (error_bars_learn(&bars, results, &error) != RK_OK) return options_fail(&error);
    struct output output = {.file = NULL};
    char *text = error_bars_text(&bars);
    enum rk_status status =
        text ? output_open(&output, path, &error)
             : rk_fail(&error, RK_NO_MEMORY, path, 0, 0, "no memory to write it");
    if (status == RK_OK) {
        fprintf(output.file, "%s\n", text);
        status = output_commit(&output, &error);
    }
    free(text);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

/* ---- predicting ---- */

/* The rows that were asked for, and blind those of the catalog, which ranges are learned from. */
struct judged {
    struct facts facts;
    struct unread unread; /* of the rows that were asked for */
    struct results shown, lessons;
    struct refits refits;
};

static void judged_release(struct judged *judged)
{
    facts_release(&judged->facts);
    unread_release(&judged->unread);
    results_release(&judged->shown);
    results_release(&judged->lessons);
    refits_release(&judged->refits);
}

/* The catalog's rows of its own, each blind: the lessons. Their facts become those that are shown
 * where no tables are named. */
static enum rk_status judge_lessons(struct judged *judged, struct facts *runs,
                                    const struct rules *rules, const struct validate_args *args,
                                    struct rk_error *error)
{
    const bool shown = args->files.count == 0;
    struct facts blind = {.unread = shown ? &judged->unread : NULL};
    struct refits refits = {0};
    enum rk_status status = add_own(&blind, OWN_TABLES, rules, error);
    if (status == RK_OK) status = left_out(runs, &blind, shown ? &judged->refits : &refits, error);
    if (status == RK_OK) status = results_add(&judged->lessons, &blind, error);
    if (shown) {
        judged->facts = blind;
        blind = (struct facts){0};
    }
    facts_release(&blind);
    refits_release(&refits);
    return status;
}

static enum rk_status judge_blind(struct judged *judged, struct rules *rules,
                                  const struct validate_args *args, struct rk_error *error)
{
    struct progress progress;
    struct facts runs = {.progress = progress_step, .context = &progress};
    progress_start(&progress, "rows");
    rules->use = RULES_OWN;
    enum rk_status status = add_own(&runs, 1, rules, error);
    progress_end(&progress);
    rules->use = RULES_BLIND;
    if (status == RK_OK) status = judge_lessons(judged, &runs, rules, args, error);
    if (status == RK_OK && args->files.count) {
        judged->facts.unread = &judged->unread;
        status = add_tables(&judged->facts, args, rules, error);
        if (status == RK_OK) status = left_out(&runs, &judged->facts, &judged->refits, error);
    }
    if (status == RK_OK) status = validate_only(&judged->facts, &args->only, error);
    if (status == RK_OK) status = results_add(&judged->shown, &judged->facts, error);
    facts_release(&runs);
    return status;
}

static enum rk_status judge_seen(struct judged *judged, const struct rules *rules,
                                 const struct validate_args *args, struct rk_error *error)
{
    struct progress progress;
    judged->facts =
        (struct facts){.progress = progress_step, .context = &progress, .unread = &judged->unread};
    progress_start(&progress, "rows");
    enum rk_status status = add_tables(&judged->facts, args, rules, error);
    progress_end(&progress);
    if (status == RK_OK) status = validate_only(&judged->facts, &args->only, error);
    if (status == RK_OK) status = results_add(&judged->shown, &judged->facts, error);
    return status;
}

/* Ranges: of the catalog, or of the other sources in it. */
static enum rk_status add_ranges(struct judged *judged, bool blind, struct rk_error *error)
{
    const struct error_bars *bars = blind ? NULL : learned_bars();
    if (bars) results_range(&judged->shown, bars, NULL);
    return blind ? results_range_blind(&judged->shown, &judged->lessons, error) : RK_OK;
}

/* ---- what is printed ---- */

static enum rk_status add_blind(struct report *report, const struct judged *judged,
                                const struct validate_args *args, struct rk_error *error)
{
    enum rk_status status = validate_sources(report, &judged->shown, error);
    if (status == RK_OK) status = validate_baselines(report, &judged->shown, &judged->facts, error);
    if (status == RK_OK) status = validate_bars(report, &judged->lessons, error);
    if (status == RK_OK && !args->brief) status = validate_given(report, &judged->shown, error);
    if (status == RK_OK && !args->brief) validate_refits(report, &judged->refits);
    return status;
}

static int print(const struct judged *judged, const struct validate_args *args, const char *path)
{
    const struct results *results = &judged->shown;
    struct report report = {.first = NULL};
    struct rk_error error;
    report_note(&report, report_text(&report, "%zu rows read", results->rows));
    const bool rows = args->rows || args->parts || args->show.format == REPORT_AS_CSV;
    if (rows) validate_rows(&report, results, args->parts);
    enum rk_status status = RK_OK;
    if (path) status = validate_chart(&report, results, &error);
    if (status == RK_OK && args->blind) status = add_blind(&report, judged, args, &error);
    if (status == RK_OK) status = add_statistics(&report, results, args, &error);
    if (status == RK_OK && (args->unread || args->files.count))
        validate_unread(&report, &judged->unread, args->unread);
    const int code =
        status == RK_OK ? show_report(&report, &args->show, path, RK_OK) : options_fail(&error);
    report_release(&report);
    return code;
}

/* What is shown of the same row was predicted as the others are, whatever was left out. */
static void adopt(struct results *given, const struct results *shown)
{
    for (size_t i = 0; i < given->count; i++)
        for (size_t k = 0; k < shown->count; k++)
            if (strcmp(given->result[i].id, shown->result[k].id) == 0 &&
                strcmp(given->result[i].metric, shown->result[k].metric) == 0)
                given->result[i] = shown->result[k];
}

/* Corrects what is shown by the runs of --given. */
static enum rk_status correct_by_given(struct results *shown, const struct rules *rules,
                                       const char *path, struct rk_error *error)
{
    struct facts facts = {.count = 0};
    struct results given = {.count = 0};
    enum rk_status status = facts_load(&facts, path, rules, error);
    if (status == RK_OK) status = results_add(&given, &facts, error);
    if (status == RK_OK) adopt(&given, shown);
    if (status == RK_OK) status = results_correct(shown, &given, error);
    results_release(&given);
    facts_release(&facts);
    return status;
}

static int show_judged(const struct judged *judged, const struct validate_args *args)
{
    int code = RK_OK;
    const bool page = show_is_page(&args->show, args->output);
    if (args->output && !page) code = write_rows(&judged->shown, args->parts, args->output);
    if (code == RK_OK && args->learn) code = write_bars(&judged->lessons, args->learn);
    if (code == RK_OK && args->steps) code = write_steps(&judged->lessons, args->steps);
    const bool to_stdout = (args->steps && strcmp(args->steps, "-") == 0) ||
                           (args->output && strcmp(args->output, "-") == 0) ||
                           (args->learn && strcmp(args->learn, "-") == 0);
    if (code == RK_OK && !to_stdout) code = print(judged, args, page ? args->output : NULL);
    return code;
}

static int judge_rows(struct rules *rules, const struct validate_args *args)
{
    struct judged judged = {0};
    struct rk_error error;
    enum rk_status status = args->blind ? judge_blind(&judged, rules, args, &error)
                                        : judge_seen(&judged, rules, args, &error);
    if (status == RK_OK && args->given)
        status = correct_by_given(&judged.shown, rules, args->given, &error);
    if (status == RK_OK) status = add_ranges(&judged, args->blind, &error);
    const int code = status == RK_OK ? show_judged(&judged, args) : options_fail(&error);
    judged_release(&judged);
    return code;
}

/* --constants and --fit, of rows as all rules read them. */
static int judge_constants(const struct rules *rules, const struct validate_args *args)
{
    struct facts facts = {0};
    struct rk_error error;
    const enum rk_status status = add_tables(&facts, args, rules, &error);
    const int code = status != RK_OK   ? options_fail(&error)
                     : args->constants ? validate_constants(&facts, &args->show)
                                       : validate_fit(&facts, &args->only, args->fit, &args->show);
    facts_release(&facts);
    return code;
}

int cmd_validate(int argc, char **argv)
{
    struct validate_args args = {.rules = NULL};
    struct rules rules = {0};
    struct rk_error error;
    const int done = options_read(&validate_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.learn || args.steps) args.blind = true;
    if (rk_sure_read(args.sure, &args.bounds, &error) != RK_OK) return options_fail(&error);
    if (rules_load_or_own(args.rules, &rules, &error) != RK_OK) return options_fail(&error);
    const int code =
        args.constants || args.fit ? judge_constants(&rules, &args) : judge_rows(&rules, &args);
    rules_release(&rules);
    return code;
}
