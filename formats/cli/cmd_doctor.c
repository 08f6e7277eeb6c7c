/* reckon doctor: why is a run slower than predicted, and what to look at first. */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "catalog/hosts.h"
#include "cli/commands.h"
#include "cli/doctor_memory.h"
#include "cli/doctor_number.h"
#include "cli/doctor_parts.h"
#include "cli/import_answer.h"
#include "cli/launch_input.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/show.h"
#include "keys/detect.h"
#include "logs/train_log.h"
#include "megatron/run_script.h"
#include "report/chart.h"
#include "shell/shell.h"
#include "text/text_file.h"
#include "workload/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct doctor_args {
    const char *log, *launch_file;
    struct rk_speed number;
    uint64_t vocabulary, variant;
    struct option_texts sets, ignored;
    struct plan_source source;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct doctor_args, member)

/* clang-format off */
static const struct operand doctor_operands[] = {
    KNOWN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "LOG", AT(log), .optional = true, .complete = "file"},
    {.name = "PLAN", .offset = offsetof(struct doctor_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option doctor_number[] = {
    {.name = "tflops", .common = true, .type = OPTION_COUNT, .argument = "N", AT(number.tflops)},
    {.name = "step", .common = true, .type = OPTION_COUNT, .argument = "SECONDS", AT(number.step_s)},
    {.name = "tokens-per-second", .common = true, .type = OPTION_COUNT, .argument = "N", AT(number.tokens_per_s)},
    {.name = "tokens-per-second-per-gpu", .type = OPTION_COUNT, .argument = "N", AT(number.tokens_per_s_per_gpu)},
    {.name = "mfu", .common = true, .type = OPTION_COUNT, .argument = "PERCENT", AT(number.mfu_percent)},
    {.name = NULL},
};
static const struct option doctor_launch[] = {
    {.name = "launch", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(launch_file), .complete = "file"},
    {.name = "set", .type = OPTION_TEXTS, .argument = "NAME=VALUE", AT(sets)},
    {.name = "ignore", .type = OPTION_TEXTS, .argument = "NAME", AT(ignored)},
    {.name = "variant", .type = OPTION_NUMBER, AT(variant), .min = 1, .max = 64},
    {.name = "vocabulary", .type = OPTION_NUMBER, AT(vocabulary), .min = 1, .max = 1 << 28},
    {.name = NULL},
};
static const struct option doctor_output[] = {
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage doctor_usage = {
#include "help/doctor.h"
    .operands = doctor_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Measured number", doctor_number, 0},
        {"Plan", plan_source_options, offsetof(struct doctor_args, source)},
        {"Launch file", doctor_launch, 0},
        {"Output", doctor_output, 0},
        {"Form", show_options, offsetof(struct doctor_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- the answer ---- */

struct measured {
    const char *format;
    size_t steps;
    double first_s, median_s, ninth_s; /* 10, 50, 90 % of the steps are below */
};

static struct measured measure(struct train_log *log)
{
    size_t count;
    const double *steps = train_log_sorted(log, &count);
    return (struct measured){log->format, count, steps[count / 10], steps[count / 2],
                             steps[count - 1 - count / 10]};
}

static void add_headline(struct report *report, const struct forecast *f, const struct measured *m)
{
    char measured[QUANTITY_TEXT], low[QUANTITY_TEXT], high[QUANTITY_TEXT], predicted[QUANTITY_TEXT];
    const double step_s = f->prediction->step_s;
    report_note(
        report,
        report_text(report,
                    "  measured: %s per step (%zu steps of %s after the warm-up, 80 %% of them "
                    "%s to %s)",
                    quantity_format(measured, QUANTITY_SECONDS, m->median_s), m->steps, m->format,
                    quantity_format(low, QUANTITY_SECONDS, m->first_s),
                    quantity_format(high, QUANTITY_SECONDS, m->ninth_s)));
    report_note(report, report_text(report, "  predicted: %s",
                                    quantity_format(predicted, QUANTITY_SECONDS, step_s)));
    forecast_plan(report, f);
    if (m->ninth_s > 1.1 * m->median_s)
        report_note(
            report,
            "  a tenth or more of the steps take 10 % longer than the median: data loading, "
            "checkpoints, evaluation or a slow rank come and go");
}

/* The parts of the predicted step, and below them the measured one. */
static void add_chart(struct report *report, const struct forecast *f, const struct measured *m)
{
    static const struct report_column columns[] = {
        {.name = "of"},
        {.name = "part"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "low_s", .title = "10 %", .unit = "s"},
        {.name = "high_s", .title = "90 %", .unit = "s"}};
    static const struct chart chart = {.id = "measured",
                                       .title = "Measured step and the parts of the predicted one",
                                       .caption = "The whisker spans 80 % of the measured steps.",
                                       .kind = CHART_BARS,
                                       .role = {[CHART_Y] = "of",
                                                [CHART_VALUE] = "time_s",
                                                [CHART_SERIES] = "part",
                                                [CHART_LOW] = "low_s",
                                                [CHART_HIGH] = "high_s"},
                                       .x = {.title = "time per step"}};
    struct report_table *table = REPORT_LIST(report, NULL, NULL, REPORT_IN_PAGE, columns);
    if (table) table->chart = &chart;
    REPORT_ROW(report, table, cell_text("measured"), cell_text("measured step"),
               cell_number(m->median_s), m->steps > 1 ? cell_number(m->first_s) : cell_none(),
               m->steps > 1 ? cell_number(m->ninth_s) : cell_none());
    for (const struct rk_figure *part = NULL; (part = rk_figure_next(part, RK_BY_RECKON));) {
        const double time_s = rk_figure_value(&f->prediction->outcome, part);
        if (part->time && time_s > 0)
            REPORT_ROW(
                report, table, cell_text("predicted"),
                cell_text(report_text(report, "%.*s", (int)strlen(part->name) - 2, part->name)),
                cell_number(time_s), cell_none(), cell_none());
    }
}

/* Where the step lies among measured runs like it, and what would explain a slow one. */
static void add_verdict(struct report *report, const struct forecast *f, const struct measured *m,
                        const struct rk_cause *nearest)
{
    char measured[QUANTITY_TEXT], predicted[QUANTITY_TEXT];
    const struct step_place place = number_place(f, m->median_s);
    static const enum report_tone tones[] = {
        [STEP_GOOD] = REPORT_GOOD, [STEP_SLOW] = REPORT_UNSURE, [STEP_BAD] = REPORT_BAD};
    const bool off = place.tone != STEP_GOOD;
    const double gap = fabs(log(f->prediction->step_s / m->median_s));
    const bool explain = nearest && nearest->off <= gap / 2; /* else it explains little of it */
    report->title =
        report_text(report, "%s on %s: measured and predicted step", f->model->id, f->system->id);
    report_answer(report, tones[place.tone],
                  report_text(report, "%s: %s per step, %.2f times the predicted %s, %s%s%s",
                              place.word, quantity_format(measured, QUANTITY_SECONDS, m->median_s),
                              m->median_s / f->prediction->step_s,
                              quantity_format(predicted, QUANTITY_SECONDS, f->prediction->step_s),
                              place.why,
                              !off      ? ""
                              : explain ? "; nearest explanation: "
                                        : "; nothing that is known explains half of the gap",
                              off && explain ? nearest->what : ""));
}

static void add_record(struct report *report, const struct forecast *f, const struct measured *m)
{
    REPORT_OBJECT(report, NULL, {"command", cell_text("doctor")}, {"format", cell_text(m->format)},
                  {"steps", cell_count(m->steps)}, {"measured_s", cell_number(m->median_s)},
                  {"predicted_s", cell_number(f->prediction->step_s)});
}

static enum rk_status not_predicted(struct report *report, const struct forecast *f,
                                    struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                   "this plan cannot run: %s; is it the one that ran?",
                   forecast_reason(report, f, 0));
}

/* A run that ran out of memory. */
static enum rk_status examine_memory(struct report *report, const struct memory_report *memory,
                                     const struct plan_input *input, struct rk_error *error)
{
    static struct rk_prediction p;
    const struct rk_plan *plan = &input->draft.plan;
    rk_predict(&input->model, &input->system, plan, &p);
    const struct forecast f = {&input->model, &input->system, plan, &p, input->assumed, NULL};
    if (!p.timed) return not_predicted(report, &f, error);
    doctor_memory(report, &f, memory);
    return RK_OK;
}

/* A launch file in the place of a log: what it needs with it. */
static enum rk_status log_fail(const char *path, struct rk_error *error)
{
    char *text = NULL;
    size_t size;
    struct rk_error ignored;
    static const char *const endings[] = {".sh",   ".slurm", ".sbatch", ".toml",
                                          ".yaml", ".yml",   ".py",     ".json"};
    bool named = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        named |= text_ends_in(path, endings[i]);
    if (!named || !launch_is(path) ||
        text_file_load(path, SHELL_MAX_BYTES, &text, &size, &ignored) != RK_OK)
        return error->status;
    const struct tool_sign *sign = detect_tool(text);
    free(text);
    if (!sign || !sign->format) return error->status;
    return rk_fail(
        error, RK_BAD_ARGUMENT, path, 0, 0,
        "this is %s %s of %s, and no log: give a measured number with it, --tflops N, "
        "--step SECONDS, --tokens-per-second N or --mfu PERCENT; or a log before this file",
        detect_article(sign->what), sign->what, sign->tool);
}

/* Records and tables that a log and a number have alike. */
static enum rk_status explain(struct report *report, const struct forecast *f,
                              const struct measured *m, bool file, struct rk_error *error)
{
    struct rk_cause causes[RK_CAUSES];
    int count;
    const enum rk_status status = rk_causes(f->model, f->system, f->plan, f->prediction->step_s,
                                            m->median_s, causes, &count, error);
    const int all = status == RK_OK ? count : 0;
    count = 0;
    for (int i = 0; i < all; i++) /* a launch file rules out what it says otherwise */
        if (!file || !causes[i].chosen) causes[count++] = causes[i];
    if (status == RK_OK) doctor_causes(report, causes, count, m->median_s);
    if (status == RK_OK) add_verdict(report, f, m, count ? causes : NULL);
    return status;
}

/* The changes that bring most, with their lines where there is a launch file. */
static void add_changes(struct report *report, const struct forecast *f,
                        const struct launch_source *source, const struct launch *launch,
                        double measured_s)
{
    const struct rk_prediction *p = f->prediction;
    const double usable = gains_usable(f->model, f->system, f->plan);
    const double own = p->stage[p->tightest].total_bytes;
    const double have = f->system->memory[0].capacity_bytes;
    const double beside = rk_headroom_beside(f->model, f->plan, own, have);
    const struct gain_case gains = {.model = f->model,
                                    .system = f->system,
                                    .plan = f->plan,
                                    .step_s = p->step_s,
                                    .usable_bytes = own > usable ? beside : usable,
                                    .source = source->path ? source : NULL,
                                    .launch = source->path ? launch : NULL};
    if (own > have)
        report_note(report, report_text(report,
                                        "  the run is predicted to need %.1f of %.1f GiB, and it "
                                        "ran: changes count that need up to %.1f GiB, with which "
                                        "three of four runs like it that ran fit, too",
                                        own / 0x1p30, have / 0x1p30, beside / 0x1p30));
    number_changes(report, &gains, measured_s);
}

static enum rk_status examine(struct report *report, struct doctor_args *args,
                              const struct plan_input *input, const struct launch_source *source,
                              const struct launch *launch, struct rk_error *error)
{
    static struct train_log log;
    static struct rk_prediction p;
    const struct rk_plan *plan = &input->draft.plan;
    const double sequence = rk_tokens_trained(&input->model, plan);
    const struct train_log_scale scale = {(double)plan->batch,
                                          (double)plan->batch * sequence / (double)plan->ranks};
    struct memory_report memory;
    enum rk_status status = doctor_memory_load(args->log, &memory, error);
    if (status == RK_OK && memory.kind) return examine_memory(report, &memory, input, error);
    if (status == RK_OK) status = train_log_load(args->log, &scale, &log, error);
    if (status == RK_BAD_INPUT) status = log_fail(args->log, error);
    if (status != RK_OK) return status;
    rk_predict(&input->model, &input->system, plan, &p);
    const struct forecast f = {&input->model, &input->system, plan, &p, input->assumed, NULL};
    if (!p.timed) return not_predicted(report, &f, error);
    const struct measured m = measure(&log);
    add_headline(report, &f, &m);
    add_record(report, &f, &m);
    forecast_errors(report, &f);
    if (!log.trace.kernels) add_chart(report, &f, &m);
    if (log.trace.kernels)
        doctor_parts(report, &log.trace, &p);
    else
        forecast_times(report, &f);
    status = explain(report, &f, &m, source->path, error);
    if (status == RK_OK && source->path) add_changes(report, &f, source, launch, m.median_s);
    return status;
}

/* ---- a number ---- */

static void add_number(struct report *report, const struct forecast *f, const char *text)
{
    char predicted[QUANTITY_TEXT];
    const struct rk_prediction *p = f->prediction;
    const double gpus = (double)f->plan->ranks;
    report_note(report, report_text(report, "  measured: %s", text));
    report_note(report,
                report_text(report, "  predicted: %s per step: %.4g TFLOP/s per GPU, MFU %.1f %%",
                            quantity_format(predicted, QUANTITY_SECONDS, p->step_s),
                            p->model_flop / p->step_s / gpus / 1e12, 100 * p->mfu));
    forecast_plan(report, f);
}

static enum rk_status examine_number(struct report *report, const struct doctor_args *args,
                                     const struct plan_input *input,
                                     const struct launch_source *source,
                                     const struct launch *launch, struct rk_error *error)
{
    static struct rk_prediction p;
    const struct rk_plan *plan = &input->draft.plan;
    const struct forecast f = {&input->model, &input->system, plan, &p, input->assumed, NULL};
    struct measured m = {.format = "a number", .steps = 1};
    char text[96];
    rk_predict(&input->model, &input->system, plan, &p);
    if (!p.timed) return not_predicted(report, &f, error);
    enum rk_status status = number_step(&args->number, &f, &m.median_s, text, error);
    if (status != RK_OK) return status;
    add_number(report, &f, text);
    add_chart(report, &f, &m);
    add_record(report, &f, &m);
    number_position(report, &f, m.median_s);
    forecast_error_records(report, &f);
    forecast_times(report, &f);
    status = explain(report, &f, &m, source->path, error);
    if (status == RK_OK) add_changes(report, &f, source, launch, m.median_s);
    return status;
}

/* ---- a launch file ---- */

/* Words of the command line override what the file says. */
static enum rk_status take_launch(const struct doctor_args *args, const struct launch *launch,
                                  struct plan_input *input, struct rk_error *error)
{
    struct plan_fault fault;
    char note[HOST_WORD] = "";
    if (!args->source.system) return system_missing(error);
    enum rk_status status = rk_system_load(args->source.system, &input->system, error);
    if (status != RK_OK) return status;
    input->model = launch->model;
    input->draft = plan_draft_of(&launch->plan);
    input->draft.system = &input->system;
    plan_attend_on(&input->draft.plan, &input->system);
    if (args->source.words.count) {
        status = plan_read_texts(&args->source.words, &input->draft, error);
        if (status == RK_OK && !plan_complete(&input->draft, &fault))
            status = plan_fail(&input->draft, &fault, error);
    }
    if (status == RK_OK)
        status = host_add(&input->draft.plan, args->source.system, &input->system, note, error);
    if (*note) plan_assume(input, "%s", note);
    return status;
}

static enum rk_status gather(struct doctor_args *args, const struct launch_source *source,
                             struct launch *launch, struct plan_input *input,
                             struct rk_error *error)
{
    enum rk_status status;
    if (!source->path) {
        status = plan_gather(&args->source, input, error);
        return status == RK_OK ? plan_settle(&args->source, input, NULL, NULL, error) : status;
    }
    status = launch_open(source, launch, error);
    import_warn(&launch->notes, source->path);
    for (int i = 0; status == RK_OK && i < launch->notes.count; i++)
        if (launch->notes.note[i].severity == NOTE_ASSUMED)
            plan_assume(input, "%s %s", launch->notes.note[i].what, launch->notes.note[i].have);
    return status == RK_OK ? take_launch(args, launch, input, error) : status;
}

static bool launches(const char *path)
{
    return run_script_is(path, "") || launch_is_config(path);
}

/* A log and the file that launched its run, in either order. */
static void take_both(struct doctor_args *args)
{
    struct option_texts *words = &args->source.words;
    if (args->launch_file || !words->count || !launch_is(args->log) || !launch_is(words->text[0]))
        return;
    const bool first = launches(args->log) && !launches(words->text[0]);
    args->launch_file = first ? args->log : words->text[0];
    if (first) args->log = words->text[0];
    words->count--;
    memmove(words->text, words->text + 1, (size_t)words->count * sizeof *words->text);
    memmove(words->name, words->name + 1, (size_t)words->count * sizeof *words->name);
}

/* "nofile.log": a name of a file, and there is none. */
static enum rk_status absent(const struct doctor_args *args, struct rk_error *error)
{
    const struct option_texts *words = &args->source.words;
    const char *names[] = {args->log, words->count ? words->text[0] : NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (launch_is_absent(names[i]))
            return rk_fail(error, RK_BAD_INPUT, names[i], 0, 0, "there is no such file");
    return RK_OK;
}

/* With a number the first operand is a launch file or a word of the plan. */
static enum rk_status take_operand(struct doctor_args *args, bool number, struct rk_error *error)
{
    struct option_texts *words = &args->source.words;
    if (args->number.mfu_percent > 0 && args->number.mfu_percent <= 1)
        args->number.mfu_percent *= 100;
    if (number_count(&args->number) > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "several measured numbers are given: give one of them");
    if (!number && !args->log)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "LOG is missing: give what the run printed, or one measured number: "
                       "--tflops N, --step SECONDS, --tokens-per-second N or --mfu PERCENT");
    if (absent(args, error) != RK_OK) return error->status;
    if (!number) take_both(args);
    if (!number || !args->log) return RK_OK;
    if (launch_is(args->log) && !args->launch_file) {
        args->launch_file = args->log;
        return RK_OK;
    }
    if (words->count == OPTION_MAX_VALUES) words->count--;
    memmove(words->text + 1, words->text, (size_t)words->count * sizeof *words->text);
    memmove(words->name + 1, words->name, (size_t)words->count * sizeof *words->name);
    words->text[0] = args->log;
    words->name[0] = NULL;
    words->count++;
    return RK_OK;
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_args args = {.source = {.model = NULL}};
    struct plan_input input = {.assumed = ""};
    struct report report = {.first = NULL};
    struct launch *launch = calloc(1, sizeof *launch);
    struct rk_error error;
    const int done = options_read(&doctor_usage, argc, argv, &args);
    if (done >= 0) {
        free(launch);
        return done;
    }
    const bool number = number_count(&args.number) > 0;
    enum rk_status status = launch ? take_operand(&args, number, &error) : no_memory(&error);
    const struct launch_source source = {.path = args.launch_file,
                                         .model = args.source.model,
                                         .gpus = args.source.gpus,
                                         .machine = launch_machine(args.source.system),
                                         .vocabulary = args.vocabulary,
                                         .variant = args.variant,
                                         .sets = args.sets.text,
                                         .set_count = (size_t)args.sets.count,
                                         .ignored = args.ignored.text,
                                         .ignored_count = (size_t)args.ignored.count};
    if (status == RK_OK) status = gather(&args, &source, launch, &input, &error);
    if (status == RK_BAD_ARGUMENT && args.log && !number) status = log_fail(args.log, &error);
    if (status == RK_OK)
        status = number ? examine_number(&report, &args, &input, &source, launch, &error)
                        : examine(&report, &args, &input, &source, launch, &error);
    const int code = show_end(&report, &args.show, args.output, status, RK_OK, &error);
    plan_input_release(&input);
    if (launch) launch_release(launch);
    free(launch);
    return code;
}
