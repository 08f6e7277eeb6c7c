/* reckon validate: predictions beside published measurements. */
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/validate_fit.h"
#include "cli/validate_tables.h"
#include "facts/error_bar.h"
#include "facts/likeness.h"
#include "interop/output.h"
#include "study/left_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct validate_args {
    struct option_texts files;
    struct option_values by;
    bool rows, parts, regret, unmodelled, constants, brief, left_out;
    const char *rules, *output, *learn, *fit, *given;
    struct option_texts only;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct validate_args, member)

/* clang-format off */
static const struct operand validate_operands[] = {
    {.name = "FILE", .help = "tables of measured runs, reckon-validate(1) has the columns; - is standard input (those of the catalog)",
     AT(files), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};

static const struct option validate_options[] = {
    {.name = "by", .type = OPTION_VALUES, .argument = "CLASS,CLASS", AT(by), .choices = fact_class_names,
     .help = "statistics by gpu, family, scale, precision, source, framework, kind (dense or experts), metric or fit (were constants fitted to the source?); the first five unless given"},
    {.name = "brief", .type = OPTION_FLAG, AT(brief), .help = "overall alone: no classes, no list of reasons"},
    {.name = "rows", .type = OPTION_FLAG, AT(rows), .help = "list every row: predicted, measured, error, verdict"},
    {.name = "parts", .type = OPTION_FLAG, AT(parts), .help = "with --rows: where time and memory of each go"},
    {.name = "left-out", .type = OPTION_FLAG, AT(left_out),
     .help = "errors as of sources that nobody has seen: for each source, what was fitted or inferred is so without it; constants of accelerators, and rules that say \"inferred\""},
    {.name = "regret", .type = OPTION_FLAG, AT(regret), .help = "list the groups of runs that differ by their plan alone"},
    {.name = "unmodelled", .type = OPTION_FLAG, AT(unmodelled), .help = "list the rows that are not modelled, each with its reason"},
    {.name = "only", .type = OPTION_TEXTS, .argument = "CLASS=NAME", AT(only),
     .help = "only runs of that class, as --by names it: source=dgxc; of several, those that match one of each class"},
    {.name = "given", .type = OPTION_TEXT, .argument = "FILE", AT(given), .complete = "file",
     .help = "a table of steps that were measured on the same cluster: predictions are corrected by those that are like them; rows of the same id are not"},
    {.name = "fit", .type = OPTION_TEXT, .argument = "KEY,KEY", AT(fit),
     .help = "fit constants of kernels, reckon-system(5), to the runs that --only takes, and say what the others make of them"},
    {.name = "constants", .type = OPTION_FLAG, AT(constants),
     .help = "what each constant of kernels is worth: errors when accelerators have the default instead, or 10 % more or less"},
    {.name = "rules", .type = OPTION_TEXT, .argument = "FILE", AT(rules), .complete = "file",
     .help = "how cells are read and what is assumed (measured/rules.json of the catalog)"},
    {.letter = 'o', .name = "output", .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write every row to FILE as CSV: id, source, gpu, metric, measured, predicted, error, verdict, open, reason; what is printed as a page to look at to one that ends in .html"},
    {.name = "learn", .type = OPTION_OUTPUT, .argument = "FILE", AT(learn), .complete = "file",
     .help = "write the errors by class, and what was validated, to FILE: the error bars of reckon predict, with --left-out"},
    {.name = NULL},
};

const struct usage validate_usage = {
    .name = "validate",
    .summary = "predictions beside published measurements",
    .synopsis = "[FILE...] [options]",
    .description =
        "Reads measured runs, predicts each, and prints how far off the predictions are: mean signed, mean, median, "
        "90th percentile and worst error of the time of a step, overall and by class; of memory; how many runs that "
        "were out of memory are rejected, and how many that ran are; and planner regret: among runs that differ by "
        "their plan alone, the measured time of the plan that is predicted to be the fastest, over the best "
        "measured.\n\n"
        "What a table's cells mean, and what is assumed where they are empty, is a list of rules with their reasons, "
        "the same for all rows. Rows that cannot be modelled are counted with the reason. Where a source leaves a "
        "choice open that rules do not settle, the fastest one that fits is taken.\n\n"
        "A table begins with a line of column names; any of them may be left out but gpu. The run: id, source, notes. "
        "The model: model (an id of the catalog) or model_name, layers, hidden, ffn, heads, kv_heads, seq, vocab, "
        "gated_mlp, experts, topk, moe_ffn. The machine: gpu (as a system is called, or as its maker calls it), gpus, "
        "gpus_per_node. The plan: framework, tp, pp, vpp, dp, cp, ep, sp, micro_batch, global_batch, precision, "
        "recompute, zero, flash_attn. Several kinds of GPU: clusters, their machine in one line, and stages, a plan file over it without "
        "words, reckon-clusters(1); system or gpu is one of the kinds. What was measured: metric_name and metric_value, of iter_time_s, iter_time_ms, "
        "tokens_per_s, tokens_per_s_per_gpu, samples_per_s, samples_per_s_per_gpu, tflops_per_gpu, mfu_pct, hfu_pct, "
        "layer_fwd_plus_bwd_ms and OOM (without a value).",
    .operands = validate_operands,
    .groups = {
        {"Validation", validate_options, 0},
        {"Form", show_options, offsetof(struct validate_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon validate", "How good are predictions?"},
        {"reckon validate --left-out --by source", "How good are they for a cluster that nobody has seen?"},
        {"reckon validate mine.csv --rows", "Runs of one's own:"},
        {"reckon validate -o results.csv", "Every row, to compare two versions of the model:"},
    },
    .see_also = "reckon-predict(1), reckon-calibrate(1), reckon-system(5)",
};

/* The tables of the catalog, when none is named. */
static const char *const own_tables[] = {"runs.csv", "memory.csv", "oom.csv"};
/* clang-format on */

static enum rk_status own_path(const char *name, char *path, size_t size, struct rk_error *error)
{
    char folder[3072];
    const enum rk_status status = catalog_folder(folder, sizeof folder, error);
    if (status == RK_OK) snprintf(path, size, "%s/measured/%s", folder, name);
    return status;
}

static enum rk_status add_tables(struct facts *facts, const struct validate_args *args,
                                 const struct rules *rules, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    char path[4096];
    for (int i = 0; i < args->files.count && status == RK_OK; i++)
        status = facts_load(facts, args->files.text[i], rules, error);
    if (args->files.count) return status;
    for (size_t i = 0; i < sizeof own_tables / sizeof *own_tables && status == RK_OK; i++) {
        status = own_path(own_tables[i], path, sizeof path, error);
        if (status == RK_OK) status = facts_load(facts, path, rules, error);
    }
    return status;
}

static enum rk_status load_facts(struct facts *facts, struct rules *rules,
                                 const struct validate_args *args, struct rk_error *error)
{
    enum rk_status status = rules_load_or_own(args->rules, rules, error);
    if (status == RK_OK) status = add_tables(facts, args, rules, error);
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
    if (status == RK_OK) status = validate_sources(report, results, error);
    for (int i = 0; i < FACT_CLASSES && status == RK_OK; i++)
        if (!args->brief && wants(args, i))
            status = validate_by(report, results, (enum fact_class)i, error);
    if (status == RK_OK) status = validate_memory(report, results, error);
    if (status == RK_OK) validate_fits(report, results);
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
    const int code = show_report(&report, &show, path, RK_OK);
    report_release(&report);
    return code;
}

static int write_bars(const struct results *results, const struct results *view, const char *path)
{
    static struct error_bars bars;
    struct rk_error error;
    if (error_bars_learn(&bars, results, view, &error) != RK_OK) return options_fail(&error);
    struct output output = {.file = NULL};
    char *text = error_bars_text(&bars);
    enum rk_status status = text ? output_open(&output, path, &error)
                                 : rk_fail(&error, RK_IO, path, 0, 0, "no memory to write it");
    if (status == RK_OK) {
        fprintf(output.file, "%s\n", text);
        status = output_commit(&output, &error);
    }
    free(text);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

/* What is printed, and what error bars of memory are learned from: the same unless sources are left
 * out. */
struct judged {
    struct results shown, view;
};

static enum rk_status judge_left_out(struct judged *judged, struct facts *facts,
                                     struct rules *rules, const struct validate_args *args,
                                     struct rk_error *error)
{
    struct progress progress;
    struct facts bare = {.progress = progress_step, .context = &progress};
    rules->stated_only = true;
    enum rk_status status = results_add(&judged->view, facts, error);
    progress_start(&progress, "rows");
    if (status == RK_OK) status = add_tables(&bare, args, rules, error);
    progress_end(&progress);
    if (status == RK_OK) status = validate_only(&bare, &args->only, error);
    if (status == RK_OK) status = left_out(&judged->shown, facts, &bare, error);
    facts_release(&bare);
    return status;
}

static const struct results *memory_of(const struct judged *judged,
                                       const struct validate_args *args)
{
    return args->left_out ? &judged->view : &judged->shown;
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
    if (args->left_out) status = validate_bars(&report, results, memory_of(judged, args), &error);
    if (args->left_out && status == RK_OK) status = validate_given(&report, results, &error);
    if (status == RK_OK) status = add_statistics(&report, results, args, &error);
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

static int judge_facts(struct facts *facts, struct rules *rules, const struct validate_args *args)
{
    struct judged judged = {0};
    struct rk_error error;
    enum rk_status status = RK_OK;
    if (args->left_out)
        status = judge_left_out(&judged, facts, rules, args, &error);
    else
        status = validate_only(facts, &args->only, &error);
    if (status == RK_OK && !args->left_out) status = results_add(&judged.shown, facts, &error);
    if (status == RK_OK && args->given)
        status = correct_by_given(&judged.shown, rules, args->given, &error);
    int code = status == RK_OK ? RK_OK : options_fail(&error);
    const bool page = show_is_page(&args->show, args->output);
    if (code == RK_OK && args->output && !page)
        code = write_rows(&judged.shown, args->parts, args->output);
    if (code == RK_OK && args->learn)
        code = write_bars(&judged.shown, memory_of(&judged, args), args->learn);
    const bool to_stdout = (args->output && strcmp(args->output, "-") == 0) ||
                           (args->learn && strcmp(args->learn, "-") == 0);
    if (code == RK_OK && !to_stdout) code = print(&judged, args, page ? args->output : NULL);
    results_release(&judged.shown);
    results_release(&judged.view);
    return code;
}

int cmd_validate(int argc, char **argv)
{
    struct validate_args args = {.rules = NULL};
    struct progress progress;
    struct facts facts = {.progress = progress_step, .context = &progress};
    struct rules rules = {0};
    struct rk_error error;
    const int done = options_read(&validate_usage, argc, argv, &args);
    if (done >= 0) return done;
    progress_start(&progress, "rows");
    const enum rk_status loaded = load_facts(&facts, &rules, &args, &error);
    progress_end(&progress);
    int code = loaded == RK_OK ? RK_OK : options_fail(&error);
    if (code == RK_OK && args.constants)
        code = validate_constants(&facts, &args.show);
    else if (code == RK_OK && args.fit)
        code = validate_fit(&facts, &args.only, args.fit, &args.show);
    else if (code == RK_OK)
        code = judge_facts(&facts, &rules, &args);
    facts_release(&facts);
    rules_release(&rules);
    return code;
}
