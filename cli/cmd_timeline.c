/* reckon timeline: the pipeline schedule of one step, event by event. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/plan_operands.h"
#include "cli/timeline_summary.h"
#include "text/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Events of a trace that the viewers still load with ease; about 100 MB. */
enum { TRACE_EVENTS = 250000 };

#define AT(member) .offset = offsetof(struct timeline_args, member)

/* clang-format off */
static const struct operand timeline_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option schedule_options[] = {
    {.name = "messages", .type = OPTION_CHOICE, .choices = timeline_messages_names, AT(messages)},
    {.name = "trace", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(trace), .complete = "file"},
    {.name = "pytorch-csv", .type = OPTION_OUTPUT, .argument = "FILE", AT(pytorch), .complete = "file"},
    {.name = "window", .type = OPTION_TEXT, .argument = "FROM..TO", AT(window)},
    {.name = "stages", .common = true, .type = OPTION_VALUES, .argument = "FIRST..LAST", AT(stages), .max = UINT32_MAX},
    {.name = "full", .type = OPTION_FLAG, AT(full)},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage timeline_usage = {
#include "help/timeline.h"
    .operands = timeline_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", plan_source_options, offsetof(struct timeline_args, source)},
        {"Schedule and trace", schedule_options, 0},
        {"Form of the summary", show_options, offsetof(struct timeline_args, show)},
        {"General", options_help_rows, 0},
        {NULL, plan_options, offsetof(struct timeline_args, source)},
    },
};

/* clang-format on */

/* ---- the window ---- */

static enum rk_status bad_window(const char *text, const char *why, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--window: \"%.60s\" %s", text, why);
}

static enum rk_status read_window(const char *text, double step_s, struct timeline_window *window,
                                  struct rk_error *error)
{
    struct units_error problem;
    const char *dots = strstr(text, "..");
    if (!dots) return bad_window(text, "is not a range: give FROM..TO, 1.5s..2s", error);
    if (!quantity_parse(text, (size_t)(dots - text), QUANTITY_SECONDS, false, &window->from_s,
                        &problem) ||
        !quantity_parse(dots + 2, strlen(dots + 2), QUANTITY_SECONDS, false, &window->to_s,
                        &problem))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--window: %s", problem.text);
    if (!(window->from_s < window->to_s) || window->from_s < 0)
        return bad_window(text, "runs backwards or begins before the step: give FROM..TO", error);
    if (window->from_s >= step_s)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--window: \"%.60s\" begins after the step, which takes %.4g s", text,
                       step_s);
    return RK_OK;
}

static enum rk_status read_stages(const struct option_values *values, uint32_t stages,
                                  struct timeline_window *window, struct rk_error *error)
{
    if (values->count > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--stages: give one range, 0..7");
    if (values->count == 0) return RK_OK;
    if (values->range[0].low >= stages)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--stages: there is no stage %" PRIu64 ": the last one is %" PRIu32,
                       values->range[0].low, stages - 1);
    window->first_stage = (uint32_t)values->range[0].low;
    window->last_stage = (uint32_t)values->range[0].high;
    return RK_OK;
}

static enum rk_status choose_window(const struct timeline_args *args,
                                    const struct timeline_plan *plan,
                                    const struct timeline *timeline, struct timeline_window *window,
                                    struct rk_error *error)
{
    if (args->full && args->window)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--full and --window exclude each other");
    *window = timeline_everything();
    enum rk_status status = read_stages(&args->stages, plan->stages, window, error);
    if (status != RK_OK) return status;
    if (args->window) return read_window(args->window, timeline->step_s, window, error);
    if (args->full) return RK_OK;
    const uint32_t last = window->last_stage < plan->stages ? window->last_stage : plan->stages - 1;
    const double share = (double)(last - window->first_stage + 1) / plan->stages;
    const struct timeline_window middle =
        timeline_middle(plan, timeline, (uint64_t)(TRACE_EVENTS / share));
    window->from_s = middle.from_s;
    window->to_s = middle.to_s;
    return RK_OK;
}

/* ---- the files ---- */

static enum rk_status write_trace(FILE *out, const void *what, struct rk_error *error)
{
    const struct story *s = what;
    const struct timeline_labels labels = {s->forecast.model->id, s->forecast.system->id,
                                           RECKON_VERSION};
    return timeline_write_trace(out, s->plan, s->timeline, s->window, &labels, error);
}

static enum rk_status write_pytorch(FILE *out, const void *what, struct rk_error *error)
{
    const struct story *s = what;
    return timeline_write_pytorch(out, s->plan, error);
}

/* ---- the command ---- */

static bool schedule_fits(const struct timeline_plan *plan, const struct timeline *timeline)
{
    for (int tier = 0; tier < plan->tiers; tier++)
        for (uint32_t stage = 0; stage < timeline->stages; stage++)
            if (timeline->stage[stage].peak_bytes[tier] > plan->tier[tier].capacity_bytes[stage])
                return false;
    return true;
}

static enum rk_status check_arguments(const struct timeline_args *args, struct rk_error *error)
{
    if (!args->trace && (args->window || args->full || args->stages.count))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--window, --stages and --full choose what goes into a trace: give it a "
                       "file with --trace");
    return RK_OK;
}

/* Writes the files; prints the summary unless one of them is standard output. */
static int tell(const struct story *s, struct report *report)
{
    const bool fits =
        s->forecast.prediction->verdict == RK_FITS && schedule_fits(s->plan, s->timeline);
    const int code = fits ? RK_OK : RK_NOTHING_FITS;
    struct rk_error error;
    enum rk_status status = output_write(s->args->pytorch, write_pytorch, s, &error);
    if (status == RK_OK) status = output_write(s->args->trace, write_trace, s, &error);
    if (status != RK_OK) return options_fail(&error);
    const bool other = output_is_stdout(s->args->trace) || output_is_stdout(s->args->pytorch);
    if (other && !s->args->output) return code;
    timeline_summary(report, s, fits);
    return show_timeline(report, s->plan, &s->args->show, s->args->output, code);
}

static int simulate(struct story *s, struct report *report)
{
    struct timeline_plan plan = {.tiers = 0};
    struct timeline timeline = {.stages = 0};
    struct timeline_window window;
    struct rk_error error;
    int code;
    s->plan = &plan;
    s->timeline = &timeline;
    s->window = &window;
    enum rk_status status =
        step_timeline(&plan, s->forecast.model, s->forecast.system, s->forecast.plan,
                      s->forecast.prediction, s->judged, s->args->messages, &error);
    if (status == RK_OK) status = timeline_simulate(&plan, &timeline, &error);
    if (status == RK_OK) status = choose_window(s->args, &plan, &timeline, &window, &error);
    code = status == RK_OK ? tell(s, report) : options_fail(&error);
    timeline_release(&timeline);
    timeline_plan_release(&plan);
    return code;
}

static int tell_story(struct story *s)
{
    struct report report = {.first = NULL};
    int code;
    if (s->forecast.prediction->timed) {
        code = simulate(s, &report);
    } else {
        timeline_refusal(&report, s);
        code = show_report(&report, &s->args->show, s->args->output, RK_NOTHING_FITS);
    }
    report_release(&report);
    return code;
}

/* Calculon's formula knows one schedule, and judges it. */
static void predict(const struct plan_input *input, struct rk_prediction *prediction,
                    struct clusters_judged *judged)
{
    struct rk_plan plan = input->draft.plan;
    if (!rk_answerer(plan.framework)->layers) plan.schedule = RK_1F1B;
    if (judged)
        predict_clusters(&input->model, &input->system, &plan, prediction, judged);
    else
        rk_predict(&input->model, &input->system, &plan, prediction);
}

int cmd_timeline(int argc, char **argv)
{
    struct timeline_args args = {.source = {.several = true}, .messages = -1};
    struct plan_input input = {.assumed = ""};
    struct clusters_judged *judged = NULL;
    struct rk_prediction prediction;
    struct rk_error error;
    int code = options_read(&timeline_usage, argc, argv, &args);
    if (code >= 0) return code;
    enum rk_status status = check_arguments(&args, &error);
    if (status == RK_OK) status = plan_gather(&args.source, &input, &error);
    if (status == RK_OK) status = plan_settle(&args.source, &input, NULL, NULL, &error);
    if (status == RK_OK && plan_has_parts(&input.system, &input.draft.plan)) {
        judged = malloc(sizeof *judged);
        if (!judged) status = no_memory(&error);
    }
    if (status == RK_OK) {
        struct story story = {.forecast = {&input.model, &input.system, &input.draft.plan,
                                           &prediction, input.assumed},
                              .judged = judged,
                              .args = &args};
        predict(&input, &prediction, judged);
        code = tell_story(&story);
    } else {
        code = options_fail(&error);
    }
    free(judged);
    plan_input_release(&input);
    return code;
}
