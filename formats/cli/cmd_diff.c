/* reckon diff: what one plan does differently from another, and what each difference is worth. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/diff.h"
#include "cli/diff_config.h"
#include "cli/pages.h"
#include "cli/plan_operands.h"
#include "cli/run_args.h"
#include "cli/save.h"
#include "cli/show.h"
#include "text/output.h"

#include <stdlib.h>

struct diff_args {
    struct diff_source source;
    bool best;
    struct save_args save;
    struct run_args run;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct diff_args, member)

/* clang-format off */
static const struct operand diff_operands[] = {
    KNOWN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "A", .offset = offsetof(struct diff_args, source.a), .optional = true, .complete = "file"},
    {.name = "B", .offset = offsetof(struct diff_args, source.b), .optional = true, .complete = "file"},
    {.name = NULL},
};

static const struct option input_rows[] = {
    {.letter = 's', .name = "system", .common = true, .type = OPTION_TEXT, .argument = "SYSTEM", AT(source.system), .complete = "systems"},
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(source.model), .complete = "models"},
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXTS, .argument = "FILE|WORDS", AT(source.plans), .complete = "file"},
    {.name = "best", .common = true, .type = OPTION_FLAG, AT(best)},
    OPTION_HEADROOM_ROW(AT(source.headroom)),
    {.letter = 'g', .name = "gpus", .common = true, .type = OPTION_NUMBER, AT(source.gpus), .min = 1, .max = 1 << 24},
    {.name = "set", .type = OPTION_TEXTS, .argument = "NAME=VALUE", AT(source.sets)},
    {.name = "ignore", .type = OPTION_TEXTS, .argument = "NAME", AT(source.ignored)},
    {.name = "variant", .type = OPTION_NUMBER, AT(source.variant), .min = 1, .max = 64},
    {.name = "vocabulary", .type = OPTION_NUMBER, AT(source.vocabulary), .min = 1, .max = 1 << 28},
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage diff_usage = {
#include "help/diff.h"
    .operands = diff_operands,
    .groups = {
        {"Input", input_rows, 0},
        {"Output", save_options, offsetof(struct diff_args, save)},
        {"The whole run, as in reckon-predict(1)", run_options, offsetof(struct diff_args, run), true},
        {"Form", show_options, offsetof(struct diff_args, show)},
        {"General", options_help_rows, 0},
        {NULL, plan_options, offsetof(struct diff_args, source.changes)},
    },
};
/* clang-format on */

static bool is_script_name(const char *path)
{
    return path && (text_ends_in(path, ".sh") || text_ends_in(path, ".slurm") ||
                    text_ends_in(path, ".sbatch"));
}

static enum rk_status write_script(const struct diff_input *in, const struct diff_args *args,
                                   struct rk_error *error)
{
    const struct megatron_options options = diff_options(&args->source, in->version);
    struct output output = {.file = NULL};
    char *text = NULL;
    if (!in->script)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "-o %.80s: a script is written where A is a script of Megatron Core, and A is "
            "%s%s: give another name",
            args->output, in->tool ? "one of " : "a plan", in->tool ? in->tool : "");
    struct megatron_changes *changes = calloc(1, sizeof *changes);
    if (!changes) return no_memory(error);
    enum rk_status status = megatron_change(args->source.a, in->script, in->script_size, &options,
                                            &in->model, &in->a, &in->b, changes, &text, error);
    if (status == RK_OK) status = output_open(&output, args->output, error);
    if (status == RK_OK) {
        fputs(text, output.file);
        status = output_commit(&output, error);
    }
    free(text);
    free(changes);
    return status;
}

/* ---- the command ---- */

/* What to change in a script; NULL: A is none, or B cannot be said in it. Free it. */
static struct megatron_changes *changes_of(const struct diff_input *in,
                                           const struct diff_source *source)
{
    const struct megatron_options options = diff_options(source, in->version);
    if (in->best) return config_changes(in);
    struct megatron_changes *changes = in->script ? calloc(1, sizeof *changes) : NULL;
    struct rk_error error;
    if (changes && megatron_change(source->a, in->script, in->script_size, &options, &in->model,
                                   &in->a, &in->b, changes, NULL, &error) == RK_OK)
        return changes;
    free(changes);
    return NULL;
}

static enum rk_status write_page(const struct diff *d, const struct diff_args *args,
                                 struct rk_error *error)
{
    struct html_page page = {.title = NULL};
    struct megatron_changes *changes = changes_of(&d->in, &args->source);
    page_diff(&page, d, &args->source, changes);
    const enum rk_status status = page_write(&page, args->output, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    free(changes); /* the page's tables point into it */
    return status;
}

/* JSON and CSV are forms of the answer, too. */
static bool writes_config(const struct diff_input *in, const struct diff_args *args)
{
    return args->show.format == REPORT_AS_TEXT && config_is_output(in, args->output);
}

/* The answer as tables, and what to change in a script. */
static int write_tables(const struct diff *d, const struct diff_args *args, int code)
{
    const struct diff_input *in = &d->in;
    struct megatron_changes *changes = changes_of(in, &args->source);
    struct report report = show_begin(&args->show, args->output);
    struct rk_error error;
    const bool script = (in->script && is_script_name(args->output)) || writes_config(in, args);
    diff_tables(&report, d, changes);
    const struct forecast a = {&in->model, &in->system, &in->a, &d->a, "", NULL};
    const struct forecast b = {&in->model, &in->system, &in->b, &d->b, "", NULL};
    code = run_compare(&report, &args->run, &a, &b, &error) == RK_OK
               ? show_report(&report, &args->show, script ? NULL : args->output, code)
               : options_fail(&error);
    report_release(&report);
    free(changes);
    return code;
}

int cmd_diff(int argc, char **argv)
{
    struct diff_args args = {.run = RUN_ARGS_INIT};
    struct rk_error error;
    const int done = options_read(&diff_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (diff_take_plans(&args.source, &error) != RK_OK) return options_fail(&error);
    if (args.best && (args.source.b || args.source.changes.words.count)) {
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "--best: give it, or a second plan, and not both");
        return options_fail(&error);
    }
    if (args.source.headroom && (args.source.b || args.source.changes.words.count)) {
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "--headroom is for the best plan (--best): B is as it is");
        return options_fail(&error);
    }
    struct diff *d = diff_open(&args.source, &error);
    if (!d) return options_fail(&error);
    const bool fit = diff_fits(d);
    const bool page = args.output && text_ends_in(args.output, ".html");
    int code = fit ? RK_OK : RK_NOTHING_FITS;
    enum rk_status status = RK_OK;
    if (writes_config(&d->in, &args))
        status = config_write(&d->in, args.output, &error);
    else if (is_script_name(args.output))
        status = write_script(&d->in, &args, &error);
    if (page) status = write_page(d, &args, &error);
    if (status == RK_OK)
        status = save_files(&args.save,
                            &(struct save_answer){&d->in.model, &d->in.system, &d->in.b, &args.run},
                            &error);
    if (status != RK_OK)
        code = options_fail(&error);
    else if (!page)
        code = write_tables(d, &args, code);
    check_remark("the first plan", &d->in.model, &d->in.system, &d->in.a);
    check_remark("the second plan", &d->in.model, &d->in.system, &d->in.b);
    diff_close(d);
    return code;
}
