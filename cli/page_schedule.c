/* The schedule of the pipeline as a picture, from the simulation of its events. */
#include "base/number.h"
#include "cli/keys.h"
#include "cli/pages.h"
#include "cli/show.h"
#include "timeline/timeline.h"

#include <math.h>

/* What a picture can hold; more stages than MOST_STAGES are not listed one by one. */
enum {
    STAGE_PASSES = 32,
    MOST_PASSES = 1000,
    MOST_STAGES = 64,
    MOST_LINKED = 4,
    MOST_BESIDE = 1500
};

struct schedule {
    struct html_page *page;
    struct timeline_plan plan; /* the caller's */
    struct timeline timeline;
    const char *source;
};

static const char *stage_name(const struct schedule *s, uint32_t stage)
{
    return report_text(&s->page->memory, "stage %u", stage);
}

/* ---- events ---- */

/* clang-format off */
static const struct shown_kind {
    const char *name; /* NULL: overlaps with computation, not in the picture */
} shown_kinds[TIMELINE_KIND_COUNT] = {
    [TIMELINE_EVENT_FORWARD]   = {"forward"},
    [TIMELINE_EVENT_RECOMPUTE] = {"recompute"},
    [TIMELINE_EVENT_BACKWARD]  = {"backward"},
    [TIMELINE_EVENT_AGRAD]     = {"activation gradients"},
    [TIMELINE_EVENT_WGRAD]     = {"weight gradients"},
    [TIMELINE_EVENT_DATA_WAIT] = {"wait for data parallelism"},
    [TIMELINE_EVENT_WAIT]      = {"wait for offload"},
    [TIMELINE_EVENT_OPTIMIZER] = {"optimizer"},
    [TIMELINE_EVENT_SEND]      = {"send"},
    [TIMELINE_EVENT_CHARGE]    = {"send"},
};
#define LATER ", later chunks"
static const struct chart_series event_series[] = {
    {"forward",              CHART_BLUE,   CHART_POINTS},
    {"recompute",            CHART_PURPLE, CHART_POINTS},
    {"forward" LATER,        CHART_LIGHT_BLUE, CHART_POINTS},
    {"backward",             CHART_ORANGE, CHART_POINTS},
    {"backward" LATER,       CHART_LIGHT_ORANGE, CHART_POINTS},
    {"activation gradients", CHART_ORANGE, CHART_POINTS},
    {"weight gradients",     CHART_TEAL,   CHART_POINTS},
    {"wait for data parallelism", CHART_RED, CHART_POINTS},
    {"wait for offload",     CHART_BROWN,  CHART_POINTS},
    {"send",                 CHART_YELLOW, CHART_POINTS},
    {"optimizer",            CHART_GREEN,  CHART_POINTS},
};
static const struct report_column event_columns[] = {
    {.name = "stage"},
    {.name = "what"},
    {.name = "microbatch"},
    {.name = "chunk"},
    {.name = "start_s", .title = "start", .unit = "s"},
    {.name = "end_s",   .title = "end",   .unit = "s"},
    {.name = "time_s",  .title = "time",  .unit = "s"},
};
/* clang-format on */

static bool is_shown(const struct schedule *s, const struct timeline_event *e)
{
    const bool message = e->kind == TIMELINE_EVENT_SEND || e->kind == TIMELINE_EVENT_CHARGE;
    return shown_kinds[e->kind].name && e->end_s > e->start_s &&
           !(message && s->plan.messages == TIMELINE_BESIDE);
}

/* Passes of a rank's first chunk and of its later ones have colours of their own. */
static const char *series_of(const struct schedule *s, const struct timeline_event *e)
{
    const bool pass = e->kind == TIMELINE_EVENT_FORWARD || e->kind == TIMELINE_EVENT_BACKWARD;
    const char *name = shown_kinds[e->kind].name;
    return pass && e->chunk > 0 ? report_text(&s->page->memory, "%s" LATER, name) : name;
}

static void event_row(const struct schedule *s, struct report_table *table,
                      const struct timeline_event *e)
{
    REPORT_ROW(&s->page->memory, table, cell_text(stage_name(s, e->stage)),
               cell_text(series_of(s, e)),
               cell_text(e->kind == TIMELINE_EVENT_OPTIMIZER
                             ? ""
                             : report_text(&s->page->memory, "%u", e->microbatch)),
               cell_count(e->chunk), cell_number(e->start_s), cell_number(e->end_s),
               cell_number(e->end_s - e->start_s));
}

/* The length of a picture: the first stage's forward passes before its first backward, and
 * STAGE_PASSES more, if that is not too many of all. */
static double picture_s(const struct schedule *s)
{
    const double stages = s->plan.stages, passes = (double)timeline_passes(&s->plan);
    const double warmup = 2 * stages + (s->plan.chunks - 1) * stages;
    const double shown = fmin((warmup + STAGE_PASSES) * stages, MOST_PASSES);
    return s->timeline.step_s * (passes > 1.5 * shown ? shown / passes : 1);
}

static void events(const struct schedule *s, const char *id, const char *title, double from_s,
                   double to_s, struct rk_error *error)
{
    struct timeline_log log = {.events = NULL};
    struct timeline_window window = timeline_everything();
    struct report_table *table = page_table(s->page, event_columns, COUNT_OF(event_columns));
    window.from_s = from_s;
    window.to_s = to_s;
    if (timeline_log_open(&s->plan, &window, &log, error) != RK_OK) return;
    for (uint32_t stage = 0; stage < s->plan.stages; stage++)
        for (size_t i = 0; i < log.event_count; i++)
            if (log.events[i].stage == stage && is_shown(s, &log.events[i]))
                event_row(s, table, &log.events[i]);
    timeline_log_release(&log);
    page_chart(s->page, &(struct chart){
                            .id = id,
                            .title = title,
                            .kind = CHART_SPANS,
                            .caption = "What each stage computes and when; the numbers are those "
                                       "of the microbatches. Drag over a part to enlarge it, "
                                       "double-click to go back.",
                            .source = s->source,
                            .table = table,
                            .role = {[CHART_X] = "start_s",
                                     [CHART_X_END] = "end_s",
                                     [CHART_Y] = "stage",
                                     [CHART_SERIES] = "what",
                                     [CHART_LABEL] = "microbatch"},
                            .x = {.title = "time since the start of the step"},
                            .series = event_series,
                            .series_count = COUNT_OF(event_series)});
}

static void schedule(const struct schedule *s, struct rk_error *error)
{
    const double step_s = s->timeline.step_s, shown_s = picture_s(s);
    if (shown_s < step_s) {
        events(s, "schedule", "How the step begins", 0, shown_s, error);
        events(s, "schedule-end", "How the step ends", step_s - shown_s, step_s, error);
    } else {
        events(s, "schedule", "The schedule of the step", 0, step_s, error);
    }
}

/* ---- what overlaps with computation ---- */

static bool is_beside(const struct timeline_event *e)
{
    return timeline_kinds[e->kind].track != TIMELINE_COMPUTE && e->kind != TIMELINE_EVENT_RECEIVE &&
           e->kind != TIMELINE_EVENT_CHARGE && e->end_s > e->start_s;
}

static void beside_row(const struct schedule *s, struct report_table *table,
                       const struct timeline_event *e)
{
    const char *track = timeline_tracks[timeline_track_of(e)];
    REPORT_ROW(&s->page->memory, table,
               cell_text(report_text(&s->page->memory, "stage %u, %s", e->stage, track)),
               cell_text(timeline_kinds[e->kind].name), cell_number(e->start_s),
               cell_number(e->end_s), cell_number(e->end_s - e->start_s),
               e->bytes > 0 ? cell_number(e->bytes) : cell_none());
}

/* Rows of a stage stand together, by track. */
static void beside(const struct schedule *s, struct rk_error *error)
{
    static const struct report_column columns[] = {
        {.name = "track"},
        {.name = "what"},
        {.name = "start_s", .title = "start", .unit = "s"},
        {.name = "end_s", .title = "end", .unit = "s"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "bytes", .unit = "B"},
    };
    struct timeline_log log = {.events = NULL};
    struct timeline_window window = timeline_everything();
    struct report_table *table = page_table(s->page, columns, COUNT_OF(columns));
    window.to_s = picture_s(s);
    if (timeline_log_open(&s->plan, &window, &log, error) != RK_OK) return;
    size_t shown = 0;
    for (uint32_t stage = 0; stage < s->plan.stages && stage < MOST_LINKED; stage++)
        for (int track = 0; track < TIMELINE_TRACKS; track++)
            for (size_t i = 0; i < log.event_count && shown < MOST_BESIDE; i++) {
                const struct timeline_event *e = &log.events[i];
                if (e->stage != stage || (int)timeline_track_of(e) != track || !is_beside(e))
                    continue;
                beside_row(s, table, e);
                shown++;
            }
    timeline_log_release(&log);
    page_chart(
        s->page,
        &(struct chart){
            .id = "links",
            .title = "Transfers that overlap with computation",
            .kind = CHART_SPANS,
            .caption =
                window.to_s < s->timeline.step_s || s->plan.stages > MOST_LINKED
                    ? "Messages, reductions, gathers and offloaded tensors, each on its link: "
                      "the first stages, at the begin of the step."
                    : "Messages, reductions, gathers and offloaded tensors, each on its link.",
            .source = s->source,
            .table = table,
            .role = {[CHART_X] = "start_s",
                     [CHART_X_END] = "end_s",
                     [CHART_Y] = "track",
                     [CHART_SERIES] = "what"},
            .x = {.title = "time since the start of the step",
                  .end = shown < MOST_BESIDE ? window.to_s : 0}});
}

/* ---- stages ---- */

static void stages(const struct schedule *s)
{
    static const struct report_column columns[] = {
        {.name = "stage"}, {.name = "what"}, {.name = "time_s", .title = "time", .unit = "s"}};
    static const struct chart_series series[] = {
        {"compute", CHART_BLUE, CHART_POINTS},    {"wait for offload", CHART_BROWN, CHART_POINTS},
        {"messages", CHART_YELLOW, CHART_POINTS}, {"reduction", CHART_RED, CHART_POINTS},
        {"optimizer", CHART_GREEN, CHART_POINTS}, {"idle", CHART_GREY, CHART_POINTS},
    };
    struct report_table *table = page_table(s->page, columns, COUNT_OF(columns));
    for (uint32_t i = 0; i < s->timeline.stages && s->timeline.stages <= MOST_STAGES; i++) {
        const struct timeline_stage *stage = &s->timeline.stage[i];
        const double times_s[] = {stage->compute_s, stage->offload_s,   stage->message_s,
                                  stage->reduce_s,  stage->optimizer_s, stage->idle_s};
        for (int k = 0; k < COUNT_OF(series); k++)
            REPORT_ROW(&s->page->memory, table, cell_text(stage_name(s, i)),
                       cell_text(series[k].name), cell_number(times_s[k]));
    }
    page_chart(s->page,
               &(struct chart){
                   .id = "stages",
                   .title = "What each stage does with the step",
                   .kind = CHART_BARS,
                   .source = s->source,
                   .table = table,
                   .role = {[CHART_Y] = "stage", [CHART_VALUE] = "time_s", [CHART_SERIES] = "what"},
                   .x = {.title = "time"},
                   .series = series,
                   .series_count = COUNT_OF(series)});
}

static void memory_row(const struct schedule *s, struct report_table *table, const char *what,
                       double time_s, double bytes)
{
    REPORT_ROW(&s->page->memory, table, cell_text(what), cell_number(time_s), cell_number(bytes));
}

static void stage_memory(const struct schedule *s, struct rk_error *error)
{
    static const struct report_column columns[] = {
        {.name = "what"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "bytes", .title = "memory", .unit = "B"},
    };
    static const struct chart_series series[] = {{"held", CHART_BLUE, CHART_STEP},
                                                 {"capacity", CHART_RED, CHART_LINE}};
    struct timeline_log log = {.events = NULL};
    const uint32_t stage = s->timeline.tightest_stage;
    const double capacity = s->plan.tier[0].capacity_bytes[stage];
    struct timeline_window window = timeline_everything();
    struct report_table *table = page_table(s->page, columns, COUNT_OF(columns));
    window.first_stage = window.last_stage = stage;
    window.from_s = 0;
    window.to_s = picture_s(s);
    if (timeline_log_open(&s->plan, &window, &log, error) != RK_OK) return;
    for (size_t i = 0; i < log.sample_count; i++) {
        const double held = timeline_tier_bytes(&s->plan, 0, &log.samples[i]);
        memory_row(s, table, "held", log.samples[i].time_s, held);
    }
    if (log.sample_count && isfinite(capacity)) {
        memory_row(s, table, "capacity", log.samples[0].time_s, capacity);
        memory_row(s, table, "capacity", log.samples[log.sample_count - 1].time_s, capacity);
    }
    timeline_log_release(&log);
    page_chart(s->page,
               &(struct chart){
                   .id = "stage-memory",
                   .title = report_text(&s->page->memory, "Memory of stage %u over time", stage),
                   .caption = report_text(
                       &s->page->memory,
                       "The tightest stage of the pipeline%s. A microbatch's activations count "
                       "from the start of its forward to the end of its backward, not layer by "
                       "layer: where none overlap, the line is flat at the peak of each.",
                       window.to_s < s->timeline.step_s ? ", as the step begins" : ""),
                   .kind = CHART_XY,
                   .source = s->source,
                   .table = table,
                   .role = {[CHART_X] = "time_s", [CHART_Y] = "bytes", [CHART_SERIES] = "what"},
                   .x = {.title = "time since the start of the step"},
                   .series = series,
                   .series_count = COUNT_OF(series)});
}

/* ---- the section ---- */

/* With digits enough to tell two of them apart. */
static const char *time_text(struct report *memory, double time_s)
{
    return time_s < 1 ? report_text(memory, "%.5g ms", 1e3 * time_s)
                      : report_text(memory, "%.5g s", time_s);
}

/* How far the simulation is from the estimate, and why. */
static const char *comparison(const struct schedule *s)
{
    struct report *memory = &s->page->memory;
    const double difference = s->timeline.step_s / s->plan.estimate_s - 1;
    const char *text =
        report_text(memory,
                    "Schedule %s, %u stage%s, %u microbatch%s, %u chunk%s a stage. Simulated event "
                    "by event the "
                    "step takes %s, ",
                    s->plan.schedule, s->plan.stages, s->plan.stages == 1 ? "" : "s",
                    s->plan.microbatches, s->plan.microbatches == 1 ? "" : "es", s->plan.chunks,
                    s->plan.chunks == 1 ? "" : "s", time_text(memory, s->timeline.step_s));
    if (fabs(difference) < 1e-9) return report_text(memory, "%sas the estimate says.", text);
    text = report_text(memory, "%sthe estimate says %s (%+.2g %%). Why they may differ: ", text,
                       time_text(memory, s->plan.estimate_s), 100 * difference);
    int first = 0;
    for (unsigned bit = 0; bit < TIMELINE_REASONS; bit++)
        if (s->plan.time_reasons >> bit & 1 && timeline_reason(bit))
            text = report_text(memory, "%s%s%s", text, first++ ? "; " : "",
                               keys_said(memory, timeline_reason(bit)));
    return report_text(memory, "%s.", text);
}

void page_schedule(struct html_page *page, const struct timeline_plan *plan, const char *source)
{
    struct rk_error error;
    struct schedule s = {.page = page, .plan = *plan, .source = source};
    if (timeline_simulate(&s.plan, &s.timeline, &error) == RK_OK) {
        page_section(page, "schedule", "The pipeline", comparison(&s));
        schedule(&s, &error);
        beside(&s, &error);
        stages(&s);
        stage_memory(&s, &error);
    }
    timeline_release(&s.timeline);
}

int show_timeline(const struct report *report, const struct timeline_plan *plan,
                  const struct show_args *show, const char *path, int status)
{
    struct html_page page = {.title = NULL};
    struct rk_error error;
    if (!show_is_page(show, path)) return show_report(report, show, path, status);
    page_report_head(&page, report, status);
    page_schedule(&page, plan, NULL);
    page_report(&page, report);
    const enum rk_status written = page_write(&page, path, NULL, NULL, PAGE_HTML, &error);
    html_release(&page);
    return written == RK_OK ? status : options_fail(&error);
}
