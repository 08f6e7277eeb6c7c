/* clusters_timeline.c - reckon timeline of a plan over several clusters. */
#include "base/number.h"
#include "cli/clusters_ask.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/plan_input.h"
#include "text/output.h"

#include <math.h>

enum { TRACE_EVENTS = 250000 };

struct timeline_args {
    struct clusters_basics basics;
    const char *trace, *pytorch;
};

#define AT(member) .offset = offsetof(struct timeline_args, member)
/* clang-format off */
static const struct option options[] = {
    {.name = "trace", .type = OPTION_OUTPUT, .argument = "FILE", AT(trace), .complete = "file",
     .help = "write the events to FILE as a Chrome trace; of a long step those around its middle"},
    {.name = "pytorch-csv", .type = OPTION_OUTPUT, .argument = "FILE", AT(pytorch), .complete = "file",
     .help = "write the schedule to FILE as PyTorch's pipeline runtime loads it"},
    {.name = NULL},
};
static const struct usage usage = {
    .name = "timeline",
    .summary = "the pipeline schedule of one step over several clusters, event by event",
    .operands = clusters_words,
    .words = plan_words,
    .groups = {{"Schedule and trace", options, 0}, CLUSTERS_BASICS},
    .wider = &timeline_usage,
    .with = "several clusters",
};
static const struct report_column step_columns[] = {
    {.name = "schedule"},
    {.name = "microbatches"},
    {.name = "passes"},
    {.name = "step_s", .unit = "s", .digits = 5},
    {.name = "objective_s", .title = "objective", .unit = "s", .digits = 5, .help = "of 1F1B: sum c + (m - 1) max c + the end"},
    {.name = "bubble", .title = "bubble, mean", .unit = "%", .digits = 1},
    {.name = "bubble_most", .title = "bubble, most", .unit = "%", .digits = 1},
};
static const struct report_column stage_columns[] = {
    {.name = "stage"},
    {.name = "cluster"},
    {.name = "layers"},
    {.name = "compute_s",  .title = "compute",  .unit = "s", .digits = 4},
    {.name = "message_s",  .title = "messages", .unit = "s", .digits = 4},
    {.name = "end_s",      .title = "end",      .unit = "s", .digits = 4},
    {.name = "idle_s",     .title = "idle",     .unit = "s", .digits = 4},
    {.name = "bubble",     .unit = "%", .digits = 1},
    {.name = "in_flight",  .title = "in flight"},
    {.name = "peak_bytes", .title = "peak", .unit = "B", .digits = 2},
    {.name = "fill",       .title = "", .bar = REPORT_BAR_FILL},
};
/* clang-format on */
#undef AT

struct story {
    const struct timeline_args *args;
    struct clusters_input input;
    struct timeline_plan plan;
    struct timeline timeline;
};

static void show_step(struct report *report, const struct story *s)
{
    const struct clusters_plan *best = &s->input.answer->best;
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < s->timeline.stages; i++) {
        sum += s->timeline.stage[i].bubble;
        most = fmax(most, s->timeline.stage[i].bubble);
    }
    report_row(report,
               REPORT_ONE(report, "step", NULL, REPORT_IN_TEXT | REPORT_IN_JSON, step_columns),
               (const struct report_cell[]){
                   cell_text(s->plan.schedule),
                   cell_count(best->microbatches),
                   cell_count(s->timeline.passes),
                   cell_number(s->timeline.step_s),
                   best->chunks > 1 ? cell_none() : cell_number(best->value_s),
                   cell_number(sum / s->timeline.stages),
                   cell_number(most),
               });
}

static void show_stages(struct report *report, const struct story *s)
{
    const struct clusters_plan *best = &s->input.answer->best;
    struct report_table *table =
        REPORT_LIST(report, "stages", "Stages", REPORT_IN_ALL, stage_columns);
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *stage = &best->stage[i];
        const struct timeline_stage *told = &s->timeline.stage[i];
        const double sent_s = (double)best->microbatches * stage->message_s;
        report_row(report, table,
                   (const struct report_cell[]){
                       cell_count((uint64_t)i),
                       cell_text(s->input.machine.cluster[stage->cluster].name),
                       cell_count(stage->layers),
                       cell_number(told->compute_s - sent_s),
                       cell_number(sent_s),
                       cell_number(told->optimizer_s),
                       cell_number(told->idle_s),
                       cell_number(told->bubble),
                       cell_number(told->peak[0].held),
                       cell_number(told->peak_bytes[0]),
                       cell_number(told->peak_bytes[0] / stage->capacity_bytes),
                   });
    }
}

static enum rk_status write_trace(FILE *out, const void *what, struct rk_error *error)
{
    const struct story *s = what;
    const struct timeline_labels labels = {s->input.model.id, s->args->basics.source.system,
                                           RECKON_VERSION};
    const struct timeline_window window = timeline_middle(&s->plan, &s->timeline, TRACE_EVENTS);
    return timeline_write_trace(out, &s->plan, &s->timeline, &window, &labels, error);
}

static enum rk_status write_pytorch(FILE *out, const void *what, struct rk_error *error)
{
    const struct story *s = what;
    return timeline_write_pytorch(out, &s->plan, error);
}

static int tell(const struct story *s)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    enum rk_status status = output_write(s->args->pytorch, write_pytorch, s, &error);
    if (status == RK_OK) status = output_write(s->args->trace, write_trace, s, &error);
    if (status != RK_OK) return options_fail(&error);
    const bool fits = s->input.fault.reason.verdict == RK_FITS;
    const bool other = output_is_stdout(s->args->trace) || output_is_stdout(s->args->pytorch);
    if (other && !s->args->basics.output) return fits ? RK_OK : RK_NOTHING_FITS;
    show_step(&report, s);
    show_stages(&report, s);
    if (!fits)
        report_note(&report, report_text(&report, "does not fit: stage %d of %d",
                                         s->input.fault.stage, s->input.answer->best.stages));
    const int code = show_timeline(&report, &s->plan, &s->args->basics.show, s->args->basics.output,
                                   fits ? RK_OK : RK_NOTHING_FITS);
    report_release(&report);
    return code;
}

int clusters_timeline_command(int argc, char **argv)
{
    struct timeline_args args = {.trace = NULL};
    struct rk_error error;
    struct story story = {.args = &args};
    plan_words_prepare();
    int code = options_read(&usage, argc, argv, &args);
    if (code >= 0) return code;
    enum rk_status status = clusters_input_open(&story.input, &args.basics.source, &error);
    bool full;
    if (status == RK_OK) status = clusters_input_leave(&story.input, NULL, &error);
    if (status == RK_OK) status = clusters_input_roomy(&story.input, true, &full, &error);
    if (status == RK_OK) status = clusters_timeline(&story.input.answer->best, &story.plan, &error);
    if (status == RK_OK) status = timeline_simulate(&story.plan, &story.timeline, &error);
    code = status == RK_OK ? tell(&story) : options_fail(&error);
    timeline_release(&story.timeline);
    timeline_plan_release(&story.plan);
    clusters_input_release(&story.input);
    return code;
}
