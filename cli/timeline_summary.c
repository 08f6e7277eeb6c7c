/* timeline_summary.c - the summary of a simulated step: figures, idle time and memory of stages,
 * and where it differs from the formula's. */
#include "cli/timeline_summary.h"

#include "base/number.h"
#include "cli/describe.h"
#include "cli/keys.h"
#include "cli/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_STAGES = 16 };

/* clang-format off */
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
    report_note(report,
                report_text(report,
                            "schedule %s: %" PRIu32 " stage%s of %" PRIu32 " chunk%s each, %" PRIu32
                            " microbatch%s, %" PRIu64 " passes; messages %s",
                            plan->schedule, plan->stages, plan->stages == 1 ? "" : "s",
                            plan->chunks, plan->chunks == 1 ? "" : "s", plan->microbatches,
                            plan->microbatches == 1 ? "" : "es", s->timeline->passes,
                            timeline_messages_names[plan->messages]));
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

/* As the cluster of a stage has it; a prediction of the Calculon model knows no stages. */
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

static void add_summary(struct report *report, const struct story *s, bool fits)
{
    const struct timeline_plan *plan = s->plan;
    const struct timeline *t = s->timeline;
    REPORT_OBJECT(
        report, NULL, {"command", cell_text("timeline")}, {"fits", cell_flag(fits)},
        {"schedule", cell_text(plan->schedule)},
        {"messages", cell_text(timeline_messages_names[plan->messages])},
        {"stages", cell_count(plan->stages)}, {"chunks", cell_count(plan->chunks)},
        {"microbatches", cell_count(plan->microbatches)}, {"passes", cell_count(t->passes)},
        {"step_s", cell_number(t->step_s)}, {"estimate_step_s", cell_number(plan->estimate_s)},
        {"step_difference", cell_number(over(t->step_s, plan->estimate_s))},
        {"bubble", cell_number(idle_of(t).mean)},
        {"estimate_bubble",
         cell_number(plan->estimate_s > 0 ? plan->estimate_bubble_s / plan->estimate_s : 0)},
        {"tightest_stage", cell_count(t->tightest_stage)},
        {"tightest_tier", cell_count((uint64_t)plan->tier[t->tightest_tier].tier)},
        {"window_from_s", cell_number(s->window->from_s)},
        {"window_to_s", cell_number(fmin(s->window->to_s, t->step_s))});
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
                REPORT_ROW(report, table, cell_text(figures[i].figure),
                           cell_text(keys_said(report, timeline_reason(bit))));
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
        REPORT_ROW(report, table, cell_text(name_of(report, s, stage, tier->tier)),
                   cell_count(stage), cell_number(most->peak_bytes[i]),
                   cell_number(tier->estimate_bytes),
                   cell_number(over(most->peak_bytes[i], tier->estimate_bytes)),
                   cell_number(tier->capacity_bytes[stage]), cell_number(most->peak[i].time_s),
                   cell_number(most->peak[i].held), cell_text(s->plan->in_flight));
    }
}

static void add_inputs(struct report *report, const struct story *s)
{
    describe_model(report, s->forecast.model, REPORT_IN_JSON);
    describe_system(report, s->forecast.system, REPORT_IN_JSON);
    forecast_record(report, &s->forecast);
    forecast_refusal(report, &s->forecast);
}

void timeline_summary(struct report *report, const struct story *s, bool fits)
{
    verdict_add(report, &s->forecast, NULL);
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
void timeline_refusal(struct report *report, const struct story *s)
{
    verdict_add(report, &s->forecast, NULL);
    REPORT_OBJECT(report, NULL, {"command", cell_text("timeline")}, {"fits", cell_flag(false)});
    add_inputs(report, s);
}
