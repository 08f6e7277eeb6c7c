/* reckon support: how many measured runs support a prediction, and how far off they were. */
#include "base/memory.h"
#include "catalog/hosts.h"
#include "cli/commands.h"
#include "cli/import_answer.h"
#include "cli/launch_input.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "cli/show.h"
#include "facts/error_bar.h"
#include "facts/support.h"

#include <stdlib.h>
#include <string.h>

struct support_args {
    const char *first, *second;
    struct plan_source source;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct support_args, member)

/* clang-format off */
static const struct operand support_operands[] = {
    {.name = "MODEL", AT(first), .optional = true, .complete = "models"},
    {.name = "SYSTEM", AT(second), .optional = true, .complete = "systems"},
    {.name = "PLAN", .offset = offsetof(struct support_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option support_output[] = {
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage support_usage = {
#include "help/support.h"
    .operands = support_operands,
    .groups = {
        {"Case", plan_source_options, offsetof(struct support_args, source)},
        {"Output", support_output, 0},
        {"Form", show_options, offsetof(struct support_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct report_column row_columns[] = {
    {.name = "in_common", .title = "in common"},
    {.name = "runs"},
    {.name = "sources"},
    {.name = "median_error", .title = "half within", .unit = "%", .digits = 1},
    {.name = "p90_error", .title = "90 % within", .unit = "%", .digits = 1},
    {.name = "bias", .unit = "%", .digits = 1},
};
static const char *const names[SUPPORTS] = {"model", "GPU", "framework", "plan class", "precision"};
/* clang-format on */

enum { ALL = (1 << SUPPORTS) - 1, GPU_AND_FRAMEWORK = 1 << SUPPORT_GPU | 1 << SUPPORT_FRAMEWORK };

static const char *common_text(struct report *report, unsigned of)
{
    const char *text = NULL;
    if (!of) return "all runs";
    for (int i = 0; i < SUPPORTS; i++)
        if (of >> i & 1) text = text ? report_text(report, "%s, %s", text, names[i]) : names[i];
    return text;
}

/* The most specific row that has three runs of two sources. */
static const struct support *best_of(const struct support *rows)
{
    for (int i = 0; i < SUPPORT_ROWS; i++)
        if (rows[i].runs >= 3 && rows[i].sources >= 2) return &rows[i];
    return NULL;
}

static bool is_supported(const struct support *rows)
{
    for (int i = 0; i < SUPPORT_ROWS; i++)
        if (rows[i].of == GPU_AND_FRAMEWORK) return rows[i].runs > 0;
    return false;
}

/* The interval that reckon predict prints; the rows below are what it is learned from, by what a
 * run has in common with this one. */
static const char *interval_text(struct report *report, const struct forecast *f)
{
    struct error_class c;
    if (!forecast_class(f, &c)) return "";
    return report_text(report,
                       "; half of the steps take %.3g to %.3g times the predicted time, 90 %% %.3g "
                       "to %.3g times (%s)",
                       c.ratio[1], c.ratio[3], c.ratio[0], c.ratio[4], c.of);
}

static const char *verdict_text(struct report *report, const struct forecast *f,
                                const struct support *rows)
{
    const struct support *best = best_of(rows);
    if (!best) return "no measured runs: nothing is known of the error";
    const bool near = (best->of & GPU_AND_FRAMEWORK) == GPU_AND_FRAMEWORK;
    return report_text(report, "%s: %zu runs from %zu sources with the same %s%s",
                       best->of == ALL ? "well covered"
                       : near          ? "covered"
                                       : "extrapolated",
                       best->runs, best->sources,
                       best->of ? common_text(report, best->of) : "nothing (all runs)",
                       interval_text(report, f));
}

static void add_rows(struct report *report, const struct support *rows)
{
    struct report_table *table = REPORT_LIST(
        report, "support",
        "Measured runs with this in common, and how far off blind predictions of them were",
        REPORT_IN_ALL, row_columns);
    for (int i = 0; i < SUPPORT_ROWS; i++) {
        const struct support *r = &rows[i];
        const bool any = r->runs > 0;
        REPORT_ROW(report, table, cell_text(common_text(report, r->of)), cell_count(r->runs),
                   cell_count(r->sources), any ? cell_number(r->median) : cell_none(),
                   any ? cell_number(r->within) : cell_none(),
                   any ? cell_number(r->bias) : cell_none());
    }
}

static enum rk_status fill(struct report *report, const struct plan_input *input, bool *supported,
                           struct rk_error *error)
{
    static struct rk_prediction p;
    struct support rows[SUPPORT_ROWS];
    char class[SUPPORT_TEXT];
    const struct rk_plan *plan = &input->draft.plan;
    const struct forecast f = {&input->model, &input->system, plan, &p, input->assumed, NULL};
    const enum rk_status status =
        support_rows(measured_steps_own(), &input->model, &input->system, plan, rows, error);
    if (status != RK_OK) return status;
    rk_predict(&input->model, &input->system, plan, &p);
    *supported = is_supported(rows);
    support_class(plan, class);
    const char *kept = report_text(report, "%s", class), *verdict = verdict_text(report, &f, rows);
    const char *generation = accelerator_generation(input->system.id);
    report_answer(report, *supported ? REPORT_GOOD : REPORT_UNSURE, verdict);
    report->title =
        report_text(report, "Measured runs like %s on %s", input->model.id, input->system.id);
    forecast_plan(report, &f);
    report_note(report,
                report_text(report, "  plan class: %s; GPU of generation %s", kept, generation));
    REPORT_OBJECT(report, NULL, {"command", cell_text("support")},
                  {"supported", cell_flag(*supported)}, {"verdict", cell_text(verdict)},
                  {"plan_class", cell_text(kept)}, {"generation", cell_text(generation)},
                  {"assumed", cell_text(*input->assumed ? input->assumed : NULL)});
    const char *times = p.timed ? learned_times(report, &f) : NULL;
    if (times) report_note(report, report_text(report, "  time: %s", times));
    add_rows(report, rows);
    forecast_error_records(report, &f);
    return forecast_nearest(report, &f, NULL, true, error);
}

/* ---- the case ---- */

static enum rk_status gather_launch(const struct support_args *args, struct plan_input *input,
                                    struct rk_error *error)
{
    struct launch *launch = calloc(1, sizeof *launch);
    const char *system = args->source.system ? args->source.system : args->second;
    const struct launch_source source = {.path = args->first,
                                         .model = args->source.model,
                                         .gpus = args->source.gpus,
                                         .machine = launch_machine(system)};
    if (!launch) return no_memory(error);
    enum rk_status status = RK_OK;
    if (!system) status = system_missing(error);
    if (status == RK_OK) status = rk_system_load(system, &input->system, error);
    if (status == RK_OK) {
        status = launch_open(&source, launch, error);
        import_warn(&launch->notes, source.path);
    }
    if (status == RK_OK) {
        input->model = launch->model;
        input->draft = plan_draft_of(&launch->plan);
        plan_attend_on(&input->draft.plan, &input->system);
    }
    launch_release(launch);
    free(launch);
    return status;
}

/* Operands stand for --model and --system where those are not given; else they are words. */
static void take_operands(struct support_args *args)
{
    const char *rest[2] = {NULL, NULL}, *given[2] = {args->first, args->second};
    struct option_texts *words = &args->source.words;
    int more = 0;
    for (int i = 0; i < 2; i++) {
        if (!given[i]) continue;
        if (!args->source.model)
            args->source.model = given[i];
        else if (!args->source.system)
            args->source.system = given[i];
        else
            rest[more++] = given[i];
    }
    for (int i = words->count - 1; i >= 0 && words->count + more <= OPTION_MAX_VALUES; i--) {
        words->text[i + more] = words->text[i];
        words->name[i + more] = words->name[i];
    }
    for (int i = 0; i < more && words->count + more <= OPTION_MAX_VALUES; i++) {
        words->text[i] = rest[i];
        words->name[i] = NULL;
    }
    if (words->count + more <= OPTION_MAX_VALUES) words->count += more;
}

static enum rk_status gather(struct support_args *args, struct plan_input *input,
                             struct rk_error *error)
{
    const size_t length = args->first ? strlen(args->first) : 0;
    const bool config = length > 5 && strcmp(args->first + length - 5, ".json") == 0;
    if (launch_is(args->first) && !config) return gather_launch(args, input, error);
    take_operands(args);
    const enum rk_status status = plan_gather(&args->source, input, error);
    return status == RK_OK ? plan_settle(&args->source, input, NULL, NULL, error) : status;
}

int cmd_support(int argc, char **argv)
{
    struct support_args args = {.source = {.model = NULL}};
    struct plan_input input = {.assumed = ""};
    struct report report = {.first = NULL};
    struct rk_error error;
    bool supported = false;
    const int done = options_read(&support_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = gather(&args, &input, &error);
    if (status == RK_OK) status = fill(&report, &input, &supported, &error);
    const int code = show_end(&report, &args.show, args.output, status,
                              supported ? (int)RK_OK : (int)RK_NOTHING_FITS, &error);
    plan_input_release(&input);
    return code;
}
