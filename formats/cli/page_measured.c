/* A measured step over the predicted one: what each stage does and when, and the memory of the
 * step's tensors. One rank stands for its stage. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/pages.h"
#include "logs/step_trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_SPANS = 4000, MOST_SAMPLES = 400, MOST_STAGES = 16 };

struct beside {
    struct html_page *page;
    const struct timeline_plan *plan;
    const struct step_trace *trace;
    struct timeline_log log; /* predicted */
    bool apart;              /* gradients of weights are passes of their own */
    const char *source;
};

/* clang-format off */
static const struct chart_series kinds[] = {
    {"forward",             CHART_BLUE,   CHART_POINTS},
    {"recompute",           CHART_PURPLE, CHART_POINTS},
    {"backward",            CHART_ORANGE, CHART_POINTS},
    {"weight gradients",    CHART_TEAL,   CHART_POINTS},
    {"messages",            CHART_YELLOW, CHART_POINTS},
    {"between replicas",    CHART_RED,    CHART_POINTS},
    {"optimizer",           CHART_GREEN,  CHART_POINTS},
};
static const enum step_kind shown_as[TIMELINE_KIND_COUNT] = { /* STEP_KINDS: is not */
    [TIMELINE_EVENT_FORWARD] = STEP_FORWARD,     [TIMELINE_EVENT_RECOMPUTE] = STEP_RECOMPUTE,
    [TIMELINE_EVENT_BACKWARD] = STEP_BACKWARD,   [TIMELINE_EVENT_AGRAD] = STEP_BACKWARD,
    [TIMELINE_EVENT_WGRAD] = STEP_WEIGHTS,       [TIMELINE_EVENT_DATA_WAIT] = STEP_SHARED,
    [TIMELINE_EVENT_WAIT] = STEP_KINDS,          [TIMELINE_EVENT_OPTIMIZER] = STEP_OPTIMIZER,
    [TIMELINE_EVENT_TENSOR_COMM] = STEP_KINDS,   [TIMELINE_EVENT_CONTEXT_COMM] = STEP_KINDS,
    [TIMELINE_EVENT_EXPERT_COMM] = STEP_KINDS,   [TIMELINE_EVENT_SEND] = STEP_MESSAGE,
    [TIMELINE_EVENT_CHARGE] = STEP_MESSAGE,      [TIMELINE_EVENT_RECEIVE] = STEP_KINDS,
    [TIMELINE_EVENT_REDUCE] = STEP_KINDS,        [TIMELINE_EVENT_GATHER] = STEP_KINDS,
    [TIMELINE_EVENT_IN] = STEP_KINDS,            [TIMELINE_EVENT_OUT] = STEP_KINDS,
    [TIMELINE_EVENT_CHUNKS_IN] = STEP_KINDS,     [TIMELINE_EVENT_CHUNKS_OUT] = STEP_KINDS,
};
/* clang-format on */
_Static_assert(COUNT_OF(kinds) == STEP_KINDS, "a colour for each");

/* ---- what runs when ---- */

static void span_row(const struct beside *b, struct report_table *table, const char *track,
                     enum step_kind kind, unsigned microbatch, double from_s, double to_s)
{
    const bool passes = kind <= STEP_WEIGHTS;
    REPORT_ROW(&b->page->memory, table, cell_text(track), cell_text(kinds[kind].name),
               cell_text(passes ? report_text(&b->page->memory, "%u", microbatch) : ""),
               cell_number(from_s), cell_number(to_s), cell_number(to_s - from_s));
}

/* The first rank of a stage in the trace, or -1. */
static int rank_of(const struct beside *b, int stage)
{
    for (size_t i = 0; i < b->trace->spans; i++)
        if (b->trace->span[i].stage == stage) return b->trace->span[i].rank;
    return -1;
}

static void predicted_spans(const struct beside *b, struct report_table *table, uint32_t stage)
{
    const char *track = report_text(&b->page->memory, "stage %u, predicted", stage);
    for (size_t i = 0; i < b->log.event_count; i++) {
        const struct timeline_event *e = &b->log.events[i];
        const enum step_kind kind = shown_as[e->kind];
        const bool behind = kind == STEP_MESSAGE && b->plan->messages == TIMELINE_BESIDE;
        if (e->stage == stage && kind != STEP_KINDS && !behind && e->end_s > e->start_s)
            span_row(b, table, track, kind, e->microbatch, e->start_s, e->end_s);
    }
}

static enum step_kind measured_kind(const struct beside *b, const struct step_span *s)
{
    return s->kind == STEP_WEIGHTS && !b->apart ? STEP_BACKWARD : s->kind;
}

/* Gradients of weights and of what goes in take turns in one backward pass: one span. */
static void measured_spans(const struct beside *b, struct report_table *table, int stage, int rank)
{
    const char *track = report_text(&b->page->memory, "stage %d, measured", stage);
    const struct step_span *s = b->trace->span;
    for (size_t i = 0, last; i < b->trace->spans; i = last + 1) {
        for (last = i; last + 1 < b->trace->spans && s[last + 1].rank == s[i].rank &&
                       s[last + 1].microbatch == s[i].microbatch &&
                       measured_kind(b, &s[last + 1]) == measured_kind(b, &s[i]);)
            last++;
        if (s[i].rank == rank)
            span_row(b, table, track, measured_kind(b, &s[i]), s[i].microbatch, s[i].begin_s,
                     s[last].end_s);
    }
}

static void spans(const struct beside *b, int stages)
{
    static const struct report_column columns[] = {
        {.name = "track"},
        {.name = "what"},
        {.name = "microbatch"},
        {.name = "start_s", .title = "start", .unit = "s"},
        {.name = "end_s", .title = "end", .unit = "s"},
        {.name = "time_s", .title = "time", .unit = "s"},
    };
    struct report_table *table = page_table(b->page, columns, COUNT_OF(columns));
    for (int stage = 0; stage < stages; stage++) {
        const int rank = rank_of(b, stage);
        predicted_spans(b, table, (uint32_t)stage);
        if (rank >= 0) measured_spans(b, table, stage, rank);
    }
    page_chart(b->page,
               &(struct chart){.id = "measured",
                               .title = "The measured step over the predicted one",
                               .kind = CHART_SPANS,
                               .caption = "The second step, of the first rank of each stage; both "
                                          "begin at 0. Messages are measured with the waiting for "
                                          "them. Drag over a part to enlarge it, double-click to "
                                          "go back.",
                               .source = b->source,
                               .table = table,
                               .role = {[CHART_X] = "start_s",
                                        [CHART_X_END] = "end_s",
                                        [CHART_Y] = "track",
                                        [CHART_SERIES] = "what",
                                        [CHART_LABEL] = "microbatch"},
                               .x = {.title = "time since the start of the step"},
                               .series = kinds,
                               .series_count = COUNT_OF(kinds)});
}

/* ---- memory ---- */

/* Bytes in addition to those that stay from step to step. */
static double step_bytes(const struct timeline_plan *plan, const struct timeline_sample *sample)
{
    const struct timeline_sample idle = {.stage = sample->stage, .phase = TIMELINE_IDLE};
    return timeline_tier_bytes(plan, 0, sample) - timeline_tier_bytes(plan, 0, &idle);
}

static void sample_row(const struct beside *b, struct report_table *table, const char *track,
                       double time_s, double bytes)
{
    REPORT_ROW(&b->page->memory, table, cell_text(track), cell_number(time_s), cell_number(bytes));
}

static void predicted_memory(const struct beside *b, struct report_table *table, uint32_t stage,
                             const char *track)
{
    for (size_t i = 0; i < b->log.sample_count; i++)
        if (b->log.samples[i].stage == stage)
            sample_row(b, table, track, b->log.samples[i].time_s,
                       step_bytes(b->plan, &b->log.samples[i]));
}

/* Many operations: the most of each short while. */
static void measured_memory(const struct beside *b, struct report_table *table, int rank,
                            const char *track)
{
    const double while_s = b->trace->step_s / MOST_SAMPLES;
    const struct step_sample *most = NULL;
    for (size_t i = 0; i < b->trace->samples; i++) {
        const struct step_sample *s = &b->trace->sample[i];
        if (s->rank != rank) continue;
        if (most && floor(s->time_s / while_s) > floor(most->time_s / while_s)) {
            sample_row(b, table, track, most->time_s, most->bytes);
            most = NULL;
        }
        if (!most || s->bytes > most->bytes) most = s;
    }
    if (most) sample_row(b, table, track, most->time_s, most->bytes);
}

static void memory(const struct beside *b, int stages)
{
    static const struct report_column columns[] = {
        {.name = "track"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "bytes", .title = "tensors of the step", .unit = "B"},
    };
    struct chart_series *series =
        report_alloc(&b->page->memory, 2u * (size_t)stages * sizeof *series);
    struct report_table *table = page_table(b->page, columns, COUNT_OF(columns));
    int count = 0;
    for (int stage = 0; series && stage < stages; stage++) {
        const int rank = rank_of(b, stage);
        for (int measured = 0; measured < 2; measured++) {
            const char *track = report_text(&b->page->memory, "stage %d, %s", stage,
                                            measured ? "measured" : "predicted");
            series[count] = (struct chart_series){track, (enum chart_colour)(count % CHART_COLOURS),
                                                  CHART_STEP};
            count++;
            if (!measured) predicted_memory(b, table, (uint32_t)stage, track);
            if (measured && rank >= 0) measured_memory(b, table, rank, track);
        }
    }
    page_chart(b->page,
               &(struct chart){
                   .id = "measured-memory",
                   .title = "Memory of the step's tensors over time",
                   .kind = CHART_XY,
                   .caption = "Weights, gradients and the optimizer's state lie below "
                              "that. A prediction counts a microbatch's activations as "
                              "its forward pass begins, a run operation by operation.",
                   .source = b->source,
                   .table = table,
                   .role = {[CHART_X] = "time_s", [CHART_Y] = "bytes", [CHART_SERIES] = "track"},
                   .x = {.title = "time since the start of the step"},
                   .series = series,
                   .series_count = count});
}

/* ---- in numbers ---- */

/* The last end of a track, and the most bytes. */
struct extent {
    double end_s, bytes;
};

static struct extent predicted_extent(const struct beside *b, int stage)
{
    struct extent most = {0, 0};
    for (size_t i = 0; i < b->log.event_count; i++)
        if ((int)b->log.events[i].stage == stage)
            most.end_s = fmax(most.end_s, b->log.events[i].end_s);
    for (size_t i = 0; i < b->log.sample_count; i++)
        if ((int)b->log.samples[i].stage == stage)
            most.bytes = fmax(most.bytes, step_bytes(b->plan, &b->log.samples[i]));
    return most;
}

static struct extent measured_extent(const struct beside *b, int rank)
{
    struct extent most = {0, 0};
    for (size_t i = 0; i < b->trace->spans; i++)
        if (b->trace->span[i].rank == rank) most.end_s = fmax(most.end_s, b->trace->span[i].end_s);
    for (size_t i = 0; i < b->trace->samples; i++)
        if (b->trace->sample[i].rank == rank)
            most.bytes = fmax(most.bytes, b->trace->sample[i].bytes);
    return most;
}

static void numbers(const struct beside *b, int stages)
{
    static const struct report_column columns[] = {
        {.name = "stage"},
        {.name = "rank"},
        {.name = "predicted_s", .title = "predicted end", .unit = "s"},
        {.name = "measured_s", .title = "measured end", .unit = "s"},
        {.name = "predicted_bytes", .title = "predicted peak", .unit = "B"},
        {.name = "measured_bytes", .title = "measured peak", .unit = "B"},
    };
    struct report_table *table = page_table(b->page, columns, COUNT_OF(columns));
    for (int stage = 0; stage < stages; stage++) {
        const int rank = rank_of(b, stage);
        const struct extent p = predicted_extent(b, stage), m = measured_extent(b, rank);
        if (rank >= 0)
            REPORT_ROW(&b->page->memory, table, cell_count((uint64_t)stage),
                       cell_count((uint64_t)rank), cell_number(p.end_s), cell_number(m.end_s),
                       cell_number(p.bytes), cell_number(m.bytes));
    }
    page_show(b->page, "Ends, and the most that the step's tensors take", table, b->source);
}

/* ---- the section ---- */

static bool has_weight_passes(const struct timeline_log *log)
{
    for (size_t i = 0; i < log->event_count; i++)
        if (log->events[i].kind == TIMELINE_EVENT_WGRAD) return true;
    return false;
}

void page_measured(struct html_page *page, const struct timeline_plan *plan,
                   const struct step_trace *trace, const char *source)
{
    struct beside b = {.page = page, .plan = plan, .trace = trace, .source = source};
    struct timeline_window window = timeline_everything();
    struct rk_error error;
    const int stages = (int)plan->stages < MOST_STAGES ? (int)plan->stages : MOST_STAGES;
    window.last_stage = (uint32_t)stages - 1;
    if (timeline_event_estimate(plan) / plan->stages * (uint64_t)stages > MOST_SPANS * 8u ||
        timeline_log_open(plan, &window, &b.log, &error) != RK_OK)
        return;
    b.apart = has_weight_passes(&b.log);
    page_section(page, "measured", "Measured and predicted",
                 "A run of this plan: measured values are below predicted ones.");
    numbers(&b, stages);
    spans(&b, stages);
    memory(&b, stages);
    timeline_log_release(&b.log);
}

/* ---- the file ---- */

static enum rk_status read_trace(const char *path, uint64_t stages, struct step_trace *trace,
                                 struct rk_error *error)
{
    struct document document;
    enum rk_status status = document_load(path, &document, error);
    if (status == RK_OK) status = step_trace_read(&document, trace, error);
    if (status == RK_OK && (uint64_t)trace->stages > stages)
        status =
            rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                    "%d stages were measured, the plan has %" PRIu64 ": give the plan of that run",
                    trace->stages, stages);
    document_release(&document);
    return status;
}

struct step_trace *measured_open(const char *path, uint64_t stages, struct rk_error *error)
{
    struct step_trace *trace = calloc(1, sizeof *trace);
    if (!trace) no_memory(error);
    if (trace && read_trace(path, stages, trace, error) == RK_OK) return trace;
    measured_close(trace);
    return NULL;
}

void measured_close(struct step_trace *measured)
{
    if (measured) step_trace_release(measured);
    free(measured);
}
