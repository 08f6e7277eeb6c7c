/* reckon timeline: the pipeline schedule of one step, event by event. */
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/keys.h"
#include "cli/pages.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/show.h"
#include "clusters/predict.h"
#include "text/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Events of a trace that the viewers still load with ease; about 100 MB. */
enum { TRACE_EVENTS = 250000, TEXT_STAGES = 16 };

struct timeline_args {
    struct plan_source source;
    int messages; /* -1: not given */
    const char *trace, *pytorch, *window, *output;
    struct option_values stages;
    bool full;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct timeline_args, member)

/* clang-format off */
static const struct operand timeline_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", .help = "Words that describe the plan, \"tp8 pp4 sp zero1 gbs512\"; below are all",
     AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option schedule_options[] = {
    {.name = "messages", .type = OPTION_CHOICE, .choices = timeline_messages_names, AT(messages),
     .help = "How messages cost time on a stage: charged, one after each pass of a chunk as calculon counts them; blocking, those that are sent; beside, overlapped with computation (default: as the plan's prediction)"},
    {.name = "trace", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(trace), .complete = "file",
     .help = "Write the events to FILE as a Chrome trace, compressed if it ends in .gz; - is standard output"},
    {.name = "pytorch-csv", .type = OPTION_OUTPUT, .argument = "FILE", AT(pytorch), .complete = "file",
     .help = "Write the schedule to FILE as PyTorch's pipeline runtime loads it"},
    {.name = "window", .type = OPTION_TEXT, .argument = "FROM..TO", AT(window),
     .help = "Trace this part of the step, \"1.5s..2s\" (default: all, or 250,000 events around its middle)"},
    {.name = "stages", .common = true, .type = OPTION_VALUES, .argument = "FIRST..LAST", AT(stages), .max = UINT32_MAX,
     .help = "Trace these stages (default: all)"},
    {.name = "full", .type = OPTION_FLAG, AT(full),
     .help = "Trace the whole step, however many events it has"},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage timeline_usage = {
    .name = "timeline",
    .summary = "simulate the pipeline schedule of one step",
    .synopsis = "[--model] MODEL [--system] SYSTEM [options] [--trace trace.json] [PLAN]...",
    .description =
        "Simulates one training step: each stage runs its forward and backward passes in the order of "
        "the schedule, and a pass starts when the stage is free and its message has arrived. The "
        "durations are those of reckon predict; recomputation, communication, messages, the reduction "
        "of gradients, the optimizer and offload transfers are events, and the memory of each stage "
        "follows from them.\n\n"
        "Prints the simulated step and the formula's, the idle time and the peak memory of each stage, "
        "and the tightest stage. Where the formula is exact both agree; otherwise the difference is "
        "printed with its reasons.\n\n"
        "The trace (--trace) is for Perfetto (ui.perfetto.dev) or chrome://tracing: a process per "
        "stage, a thread per concurrent activity, counters of memory, arrows from sends to the passes "
        "that need them.\n\n"
        "The schedules: gpipe, all forward passes first; 1f1b, with several chunks as Megatron-LM "
        "interleaves them; zero-bubble, 1F1B whose bubble is filled with weight gradients (Qi et al. "
        "2023); dualpipe, from both ends at once (DeepSeek-V3), where a stage of the answer is a rank, "
        "which has two; v-zero, v-half and v-min, whose second chunk runs back through the ranks (Qi "
        "et al. 2023 and 2024). A last group with fewer microbatches than stages leaves the missing "
        "ones out.\n\n"
        "The plan comes from words, options or --plan FILE, as in reckon predict. The Calculon model "
        "(framework=calculon) has no schedule of its own: its formula is that of 1F1B, for any "
        "simulated schedule.\n\n"
        "For a plan that cannot run, prints every reason and exits with status 1; if only memory or "
        "networks refuse it, the files are still written. The status is also 1 when the schedule needs "
        "more memory than a stage has.",
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
    .examples = {
        {"reckon timeline -m mixtral-8x7b -s h100-sxm5-80g -g 64 tp2 pp4 ep8 zero1 --trace trace.json",
         "Trace a mixture of experts on 64 H100, for Perfetto:"},
        {"reckon timeline -m gpt3-175b -s a100-80g-nvl8 framework=calculon tp8 pp8 vpp3 dp16 gbs1536 recompute=selective --trace trace.json",
         "Trace the interleaved schedule of GPT-3 on 1,024 A100, for Perfetto:"},
        {"reckon timeline -m gpt3-175b -s a100-80g-nvl8 --plan best.json schedule=zero-bubble --pytorch-csv schedule.csv",
         "Write a zero-bubble schedule that PyTorch runs:"},
    },
    .see_also = "reckon-predict(1), reckon-search(1), reckon-plan(5)",
};

static const struct report_column summary_columns[] = {
    {.name = "command"}, {.name = "fits"}, {.name = "schedule"}, {.name = "messages"},
    {.name = "stages"}, {.name = "chunks"}, {.name = "microbatches"}, {.name = "passes"},
    {.name = "step_s"}, {.name = "estimate_step_s"}, {.name = "step_difference"},
    {.name = "bubble"}, {.name = "estimate_bubble"}, {.name = "tightest_stage"},
    {.name = "tightest_tier"}, {.name = "window_from_s"}, {.name = "window_to_s"},
};
/* The first column is of several clusters. */
static const struct report_column stage_columns[] = {
    {.name = "cluster"},
    {.name = "stage"},
    {.name = "blocks"},
    {.name = "compute_s",    .title = "compute",   .unit = "s", .digits = 4},
    {.name = "offload_s",    .title = "offload",   .unit = "s", .digits = 4},
    {.name = "message_s",    .title = "messages",  .unit = "s", .digits = 4},
    {.name = "reduce_s",     .title = "reduce",    .unit = "s", .digits = 4},
    {.name = "optimizer_s",  .title = "optimizer", .unit = "s", .digits = 4},
    {.name = "idle_s",       .title = "idle",      .unit = "s", .digits = 4},
    {.name = "bubble",       .title = "of step", .unit = "%", .digits = 1},
    {.name = "peak_bytes",   .title = "peak", .unit = "B", .digits = 2},
    {.name = "peak_share",   .title = "of HBM", .unit = "%", .digits = 1},
    {.name = "fill",         .title = "", .bar = REPORT_BAR_FILL},
};
static const struct report_column memory_columns[] = {
    {.name = "tier",             .title = "memory"},
    {.name = "stage",            .title = "tightest stage"},
    {.name = "peak_bytes",       .title = "peak", .unit = "B", .digits = 2, .own_scale = true},
    {.name = "estimate_bytes",   .title = "estimate", .unit = "B", .digits = 2, .own_scale = true},
    {.name = "difference",       .unit = "%", .digits = 2},
    {.name = "capacity_bytes",   .title = "capacity", .unit = "B", .digits = 2, .own_scale = true},
    {.name = "at_s",             .title = "first at", .unit = "s", .digits = 4},
    {.name = "in_flight",        .title = "in flight", .digits = 4},
    {.name = "of",               .title = ""},
};
/* clang-format on */

/* What a summary tells of. */
struct story {
    struct forecast forecast;
    const struct timeline_plan *plan;
    const struct timeline *timeline;
    const struct timeline_window *window;
    const struct clusters_judged *judged; /* over several clusters; else NULL */
    const struct timeline_args *args;
};

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

/* ---- the summary ---- */

static double over(double value, double reference)
{
    return reference > 0 ? value / reference - 1 : 0;
}

/* "the same", "0.3 % more", "8.8 times" */
static const char *compare(struct report *report, double value, double reference)
{
    const double difference = over(value, reference);
    if (fabs(difference) < 1e-9) return "the same";
    if (difference > 1) return report_text(report, "%.3g times", difference + 1);
    return report_text(report, "%.2g %% %s", fabs(100 * difference),
                       difference > 0 ? "more" : "less");
}

/* Shares of the step in which stages are idle. */
struct idle {
    double mean, least, most;
};

static struct idle idle_of(const struct timeline *timeline)
{
    struct idle idle = {.least = 1};
    for (uint32_t stage = 0; stage < timeline->stages; stage++) {
        const double share = timeline->stage[stage].bubble;
        idle.least = fmin(idle.least, share);
        idle.most = fmax(idle.most, share);
        idle.mean += share / timeline->stages;
    }
    return idle;
}

static bool schedule_fits(const struct timeline_plan *plan, const struct timeline *timeline)
{
    for (int tier = 0; tier < plan->tiers; tier++)
        for (uint32_t stage = 0; stage < timeline->stages; stage++)
            if (timeline->stage[stage].peak_bytes[tier] > plan->tier[tier].capacity_bytes[stage])
                return false;
    return true;
}

static void note_reasons(struct report *report, unsigned reasons, double difference)
{
    if (fabs(difference) < 1e-9) return;
    for (unsigned bit = 0; bit < TIMELINE_REASONS; bit++)
        if (reasons >> bit & 1)
            report_note(report,
                        report_text(report, "  why: %s", keys_said(report, timeline_reason(bit))));
}

static void note_time(struct report *report, const struct story *s)
{
    const struct timeline_plan *plan = s->plan;
    const struct idle idle = idle_of(s->timeline);
    const double estimated = plan->estimate_s > 0 ? plan->estimate_bubble_s / plan->estimate_s : 0;
    report_note(report, report_text(report,
                                    "schedule %s: stages %" PRIu32 ", chunks of a stage %" PRIu32
                                    ", microbatches %" PRIu32 ", passes %" PRIu64 "; messages %s",
                                    plan->schedule, plan->stages, plan->chunks, plan->microbatches,
                                    s->timeline->passes, timeline_messages_names[plan->messages]));
    report_note(report,
                report_text(report, "step: %.6g s simulated, %.6g s by the %s: %s",
                            s->timeline->step_s, plan->estimate_s, forecast_model(s->forecast.plan),
                            compare(report, s->timeline->step_s, plan->estimate_s)));
    note_reasons(report, plan->time_reasons, over(s->timeline->step_s, plan->estimate_s));
    report_note(report, report_text(report,
                                    "idle: %.1f %% of the step on average, %.1f %% at most, %.1f "
                                    "%% on the busiest stage, whose bubble is %.1f %% by the %s",
                                    100 * idle.mean, 100 * idle.most, 100 * idle.least,
                                    100 * estimated, forecast_model(s->forecast.plan)));
}

/* As the cluster of a stage has it; a prediction of the published model knows no stages. */
static const char *name_of(struct report *report, const struct story *s, uint32_t stage, int tier)
{
    const struct forecast *f = &s->forecast;
    const bool known = stage < (uint32_t)f->prediction->stages;
    return memory_name(report, known ? forecast_system(f, (int)stage) : f->system, tier);
}

static void note_memory(struct report *report, const struct story *s)
{
    const struct timeline_plan *plan = s->plan;
    const uint32_t stage = s->timeline->tightest_stage;
    const struct timeline_tier *tier = &plan->tier[s->timeline->tightest_tier];
    const double bytes = s->timeline->stage[stage].peak_bytes[s->timeline->tightest_tier];
    char peak[QUANTITY_TEXT], estimate[QUANTITY_TEXT], capacity[QUANTITY_TEXT];
    quantity_format(peak, QUANTITY_BYTES, bytes);
    quantity_format(estimate, QUANTITY_BYTES, tier->estimate_bytes);
    quantity_format(capacity, QUANTITY_BYTES, tier->capacity_bytes[stage]);
    report_note(report,
                report_text(report,
                            "tightest: stage %" PRIu32 ", %s: %s at most, %s by the %s: %s; it "
                            "has %s%s",
                            stage, name_of(report, s, stage, tier->tier), peak, estimate,
                            forecast_model(s->forecast.plan),
                            compare(report, bytes, tier->estimate_bytes), capacity,
                            bytes > tier->capacity_bytes[stage] ? ": it does not fit" : ""));
    note_reasons(report, plan->memory_reasons, over(bytes, tier->estimate_bytes));
}

static void note_files(struct report *report, const struct story *s)
{
    const double to_s = fmin(s->window->to_s, s->timeline->step_s);
    const bool all = s->window->from_s <= 0 && s->window->to_s >= s->timeline->step_s;
    if (s->args->trace && all)
        report_note(report, report_text(report, "trace: %s, all of the step", s->args->trace));
    else if (s->args->trace)
        report_note(
            report,
            report_text(report, "trace: %s, from %.6g s to %.6g s%s", s->args->trace,
                        s->window->from_s, to_s,
                        s->args->window ? "" : "; --full writes all, --window another part"));
    if (s->args->pytorch)
        report_note(report, report_text(report, "PyTorch schedule: %s", s->args->pytorch));
}

static void add_headline(struct report *report, const struct story *s, bool fits)
{
    const struct forecast *f = &s->forecast;
    char step[QUANTITY_TEXT];
    const char *verdict =
        fits ? report_text(report, "%s per step",
                           quantity_format(step, QUANTITY_SECONDS, s->timeline->step_s))
             : "this plan cannot run";
    report_note(report, report_text(report, "%s on %s, %" PRIu64 " GPU%s, %s: %s", f->model->id,
                                    f->system->id, f->plan->ranks, f->plan->ranks == 1 ? "" : "s",
                                    forecast_model(f->plan), verdict));
    forecast_plan(report, f);
}

static void add_summary(struct report *report, const struct story *s, bool fits)
{
    const struct timeline_plan *plan = s->plan;
    const struct timeline *t = s->timeline;
    const struct report_cell cells[] = {
        cell_text("timeline"),
        cell_flag(fits),
        cell_text(plan->schedule),
        cell_text(timeline_messages_names[plan->messages]),
        cell_count(plan->stages),
        cell_count(plan->chunks),
        cell_count(plan->microbatches),
        cell_count(t->passes),
        cell_number(t->step_s),
        cell_number(plan->estimate_s),
        cell_number(over(t->step_s, plan->estimate_s)),
        cell_number(idle_of(t).mean),
        cell_number(plan->estimate_s > 0 ? plan->estimate_bubble_s / plan->estimate_s : 0),
        cell_count(t->tightest_stage),
        cell_count((uint64_t)plan->tier[t->tightest_tier].tier),
        cell_number(s->window->from_s),
        cell_number(fmin(s->window->to_s, t->step_s)),
    };
    _Static_assert(sizeof cells / sizeof *cells == sizeof summary_columns / sizeof *summary_columns,
                   "a cell per column");
    report_row(report, REPORT_ONE(report, NULL, NULL, REPORT_IN_JSON, summary_columns), cells);
}

static void add_differences(struct report *report, const struct story *s)
{
    static const struct report_column columns[] = {{.name = "figure"}, {.name = "reason"}};
    struct report_table *table = REPORT_LIST(report, "differences", NULL, REPORT_IN_JSON, columns);
    const struct {
        const char *figure;
        unsigned reasons;
        bool differs;
    } figures[] = {
        {"step", s->plan->time_reasons,
         fabs(over(s->timeline->step_s, s->plan->estimate_s)) >= 1e-9},
        {"memory", s->plan->memory_reasons, s->plan->memory_reasons != 0},
    };
    for (int i = 0; i < COUNT_OF(figures); i++)
        for (unsigned bit = 0; bit < TIMELINE_REASONS; bit++)
            if (figures[i].differs && figures[i].reasons >> bit & 1)
                report_row(report, table,
                           (const struct report_cell[]){
                               cell_text(figures[i].figure),
                               cell_text(keys_said(report, timeline_reason(bit)))});
}

static int first_column(const struct story *s)
{
    return s->forecast.system->machine ? 0 : 1;
}

static void stage_row(const void *context, size_t row, struct report_cell *cells)
{
    const struct story *s = context;
    const struct timeline_stage *stage = &s->timeline->stage[row];
    const double share = stage->peak_bytes[0] / s->plan->tier[0].capacity_bytes[row];
    const struct rk_machine *machine = s->forecast.system->machine;
    const int cluster = s->forecast.prediction->stage[row].cluster;
    const struct report_cell made[] = {
        cell_text(machine ? machine->cluster[cluster].name : NULL),
        cell_count(row),
        cell_count(stage->blocks),
        cell_number(stage->compute_s),
        cell_number(stage->offload_s),
        cell_number(stage->message_s),
        cell_number(stage->reduce_s),
        cell_number(stage->optimizer_s),
        cell_number(stage->idle_s),
        cell_number(stage->bubble),
        cell_number(stage->peak_bytes[0]),
        cell_number(share),
        cell_number(share),
    };
    const int skip = first_column(s);
    memcpy(cells, made + skip, sizeof made - (size_t)skip * sizeof *made);
}

/* In text, the first and last ones of many. */
static void add_stages(struct report *report, const struct story *s)
{
    const int skip = first_column(s);
    struct report_table table = {.name = "stages",
                                 .formats = REPORT_IN_JSON | REPORT_IN_CSV,
                                 .columns = stage_columns + skip,
                                 .column_count = COUNT_OF(stage_columns) - skip - 1,
                                 .rows = s->timeline->stages,
                                 .make = stage_row,
                                 .context = s};
    report_add(report, &table);
    const uint32_t stages = s->timeline->stages, half = TEXT_STAGES / 2;
    struct report_cell cells[COUNT_OF(stage_columns)];
    table = (struct report_table){.title = "Stages",
                                  .formats = REPORT_IN_TEXT,
                                  .columns = stage_columns + skip,
                                  .column_count = COUNT_OF(stage_columns) - skip};
    struct report_table *text = report_add(report, &table);
    for (uint32_t stage = 0; stage < stages; stage++) {
        if (stages > TEXT_STAGES && stage >= half && stage < stages - half) continue;
        stage_row(s, stage, cells);
        report_row(report, text, cells);
    }
    if (stages > TEXT_STAGES)
        report_note(report, report_text(report,
                                        "%" PRIu32 " stages between them are left out: "
                                        "--format csv has all",
                                        stages - TEXT_STAGES));
}

/* The stage that fills the most of its memory; where there is no end of it, that holds the most. */
static uint32_t fullest(const struct story *s, int tier)
{
    const double *capacity = s->plan->tier[tier].capacity_bytes;
    double share = 0, bytes = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < s->timeline->stages; i++) {
        const double peak = s->timeline->stage[i].peak_bytes[tier], now = peak / capacity[i];
        if (now < share || (now <= share && peak <= bytes)) continue;
        share = now;
        bytes = peak;
        found = i;
    }
    return found;
}

static void add_memory(struct report *report, const struct story *s)
{
    struct report_table *table = REPORT_LIST(report, "memory", "Peak memory",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, memory_columns);
    for (int i = 0; i < s->plan->tiers; i++) {
        const struct timeline_tier *tier = &s->plan->tier[i];
        const uint32_t stage = fullest(s, i);
        const struct timeline_stage *most = &s->timeline->stage[stage];
        report_row(report, table,
                   (const struct report_cell[]){
                       cell_text(name_of(report, s, stage, tier->tier)),
                       cell_count(stage),
                       cell_number(most->peak_bytes[i]),
                       cell_number(tier->estimate_bytes),
                       cell_number(over(most->peak_bytes[i], tier->estimate_bytes)),
                       cell_number(tier->capacity_bytes[stage]),
                       cell_number(most->peak[i].time_s),
                       cell_number(most->peak[i].held),
                       cell_text(s->plan->in_flight),
                   });
    }
}

static void add_inputs(struct report *report, const struct story *s)
{
    describe_model(report, s->forecast.model, REPORT_IN_JSON);
    describe_system(report, s->forecast.system, REPORT_IN_JSON);
    forecast_record(report, &s->forecast);
    forecast_refusal(report, &s->forecast);
}

static void fill_report(struct report *report, const struct story *s, bool fits)
{
    add_headline(report, s, fits);
    add_summary(report, s, fits);
    add_inputs(report, s);
    note_time(report, s);
    note_memory(report, s);
    note_files(report, s);
    add_differences(report, s);
    add_memory(report, s);
    add_stages(report, s);
}

/* Without durations there is nothing to simulate. */
static void fill_refusal(struct report *report, const struct story *s)
{
    static const struct report_column columns[] = {{.name = "command"}, {.name = "fits"}};
    add_headline(report, s, false);
    report_row(report, REPORT_ONE(report, NULL, NULL, REPORT_IN_JSON, columns),
               (const struct report_cell[]){cell_text("timeline"), cell_flag(false)});
    add_inputs(report, s);
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
    fill_report(report, s, fits);
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
        fill_refusal(&report, s);
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
    if (plan.framework == RK_CALCULON) plan.schedule = RK_1F1B;
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
