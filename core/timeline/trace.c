/* trace.c - a Chrome trace, event by event to a stream. The format: [chrometrace2016]. */
#include "timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct writer {
    FILE *out;
    const struct timeline_plan *plan;
    const struct timeline_window *window;
    bool more; /* a comma is owed */
};

/* ---- pieces ---- */

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static int64_t nanoseconds(double time_s)
{
    return llround(time_s * 1e9);
}

/* As microseconds: chrome://tracing's unit. */
static void write_time(FILE *out, const char *key, int64_t ns)
{
    fprintf(out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void next_line(struct writer *w)
{
    fputs(w->more ? ",\n" : "\n", w->out);
    w->more = true;
}

/* ---- names of processes and threads ---- */

static bool has_track(const struct timeline_plan *plan, enum timeline_track track)
{
    const bool training = !plan->pipeline.forward_only;
    double link_s[TIMELINE_LINKS] = {0}, in_s = 0, out_s = 0, gather_s = 0;
    for (size_t i = 0; i < (size_t)plan->stages * plan->chunks; i++)
        for (int pass = 0; pass < PASSES; pass++) {
            const struct timeline_duration *d = &plan->chunk[i].pass[pass];
            for (int link = 0; link < TIMELINE_LINKS; link++)
                link_s[link] += d->compute_link_s[link];
            link_s[TIMELINE_BY_TENSOR] += d->recompute_link_s;
            in_s += d->in_s + d->chunks_in_s;
            out_s += d->out_s + d->chunks_out_s;
        }
    for (uint32_t stage = 0; stage < plan->stages; stage++)
        gather_s += plan->end[stage].gather_s;
    switch (track) {
    case TIMELINE_TENSOR:
        return link_s[TIMELINE_BY_TENSOR] > 0;
    case TIMELINE_CONTEXT:
        return link_s[TIMELINE_BY_CONTEXT] > 0;
    case TIMELINE_EXPERT:
        return link_s[TIMELINE_BY_EXPERT] > 0;
    case TIMELINE_SENDS:
    case TIMELINE_RECEIVES:
        return plan->stages > 1;
    case TIMELINE_SENDS_BACK:
    case TIMELINE_RECEIVES_BACK:
        return plan->stages > 1 && training;
    case TIMELINE_DATA:
        return plan->reduces || gather_s > 0;
    case TIMELINE_OFFLOAD_IN:
        return in_s > 0;
    case TIMELINE_OFFLOAD_OUT:
        return out_s > 0;
    default:
        return true;
    }
}

/* A stage and its ranks; with dualpipe, a rank of the pipeline and its two stages. */
static void write_process(FILE *out, const struct timeline_plan *plan, uint32_t stage)
{
    const uint64_t ranks = plan->ranks_per_stage, first = stage * ranks;
    if (plan->pipeline.schedule == RK_DUALPIPE)
        fprintf(out, "rank %u of the pipeline (stages %u and %u)", stage, stage,
                plan->stages - 1 - stage);
    else if (rk_schedule_folds(plan->pipeline.schedule))
        fprintf(out, "rank %u of the pipeline (parts %u and %u)", stage, stage,
                2 * plan->stages - 1 - stage);
    else if (ranks)
        fprintf(out, "stage %u (ranks %" PRIu64 "-%" PRIu64 ")", stage, first, first + ranks - 1);
    else
        fprintf(out, "stage %u", stage);
}

static void write_names(struct writer *w, uint32_t stage)
{
    next_line(w);
    fprintf(w->out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"",
            stage);
    write_process(w->out, w->plan, stage);
    fprintf(
        w->out,
        "\"}},\n"
        "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":{\"sort_index\":%u}}",
        stage, stage);
    for (int track = 0; track < TIMELINE_TRACKS; track++) {
        if (!has_track(w->plan, (enum timeline_track)track)) continue;
        fprintf(w->out,
                ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%d,"
                "\"args\":{\"name\":\"%s\"}},\n"
                "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%u,\"tid\":%d,"
                "\"args\":{\"sort_index\":%d}}",
                stage, track, timeline_tracks[track], stage, track, track);
    }
}

/* ---- events ---- */

static void write_arguments(FILE *out, const struct timeline_event *event)
{
    static const char *const passes[PASSES] = {"forward", "backward", "backward",
                                               "weight gradient"};
    const bool step_end = event->kind == TIMELINE_EVENT_OPTIMIZER;
    const bool message = event->flow != 0;
    fprintf(out, ",\"args\":{\"blocks\":%" PRIu64, event->blocks);
    if (!step_end && event->kind != TIMELINE_EVENT_REDUCE && event->kind != TIMELINE_EVENT_GATHER)
        fprintf(out, ",\"microbatch\":%" PRIu32, event->microbatch);
    if (!step_end) fprintf(out, ",\"chunk\":%" PRIu32, event->chunk);
    if (timeline_kinds[event->kind].track != TIMELINE_COMPUTE)
        fprintf(out, ",\"pass\":\"%s\"", passes[event->pass]);
    if (message) fprintf(out, ",\"peer\":%" PRIu32, event->peer);
    if (event->bytes > 0) fprintf(out, ",\"bytes\":%.15g", event->bytes);
    fputs("}}", out);
}

/* The arrow goes from the send to what computes with the message. */
static void write_arrow(struct writer *w, const struct timeline_event *event, bool start)
{
    next_line(w);
    fprintf(w->out,
            "{\"ph\":\"%s\",\"name\":\"message\",\"cat\":\"PP\",\"id\":%" PRIu64 ",\"pid\":%" PRIu32
            ",\"tid\":%d",
            start ? "s" : "f\",\"bp\":\"e", event->flow, event->stage,
            start ? (int)timeline_track_of(event) : TIMELINE_COMPUTE);
    write_time(w->out, "ts", nanoseconds(start ? event->start_s : event->end_s));
    fputc('}', w->out);
}

static void write_event(void *context, const struct timeline_event *event)
{
    struct writer *w = context;
    const enum timeline_track track = timeline_track_of(event);
    const bool receive = event->kind == TIMELINE_EVENT_RECEIVE;
    const int64_t start = nanoseconds(event->start_s), end = nanoseconds(event->end_s);
    if (receive && event->start_s < w->window->from_s) return; /* its send may be left out */
    next_line(w);
    fprintf(w->out, "{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%d",
            timeline_kinds[event->kind].name, timeline_tracks[track], event->stage, (int)track);
    write_time(w->out, "ts", start);
    write_time(w->out, "dur", receive ? 0 : end - start);
    write_arguments(w->out, event);
    const bool both = event->peer >= w->window->first_stage && event->peer <= w->window->last_stage;
    if (event->kind == TIMELINE_EVENT_SEND && both && event->end_s <= w->window->to_s)
        write_arrow(w, event, true);
    if (receive && both) write_arrow(w, event, false);
}

/* On any stage. */
static bool has_category(const struct timeline_plan *plan, const struct timeline_tier *tier, int i)
{
    bool has = false;
    for (uint32_t stage = 0; stage < plan->stages && !has; stage++) {
        const struct timeline_bytes *b =
            &tier->bytes[(size_t)stage * TIMELINE_CATEGORIES + (size_t)i];
        has = b->fixed > 0 || b->in_flight > 0 || b->computing > 0 || b->backward > 0;
    }
    return has;
}

static void write_tier(struct writer *w, int tier, const struct timeline_sample *sample)
{
    const struct timeline_tier *t = &w->plan->tier[tier];
    const char *comma = "";
    char name[80];
    snprintf(name, sizeof name, "memory tier %d (%s)", t->tier, t->name);
    next_line(w);
    fputs("{\"ph\":\"C\",\"name\":", w->out);
    write_text(w->out, name);
    fprintf(w->out, ",\"pid\":%" PRIu32, sample->stage);
    write_time(w->out, "ts", nanoseconds(sample->time_s));
    fputs(",\"args\":{", w->out);
    for (int i = 0; i < TIMELINE_CATEGORIES && w->plan->category[i]; i++) {
        if (!has_category(w->plan, t, i)) continue;
        fprintf(w->out, "%s\"%s\":%.15g", comma, w->plan->category[i],
                timeline_category_bytes(w->plan, tier, i, sample));
        comma = ",";
    }
    fputs("}}", w->out);
}

static void write_sample(void *context, const struct timeline_sample *sample)
{
    struct writer *w = context;
    for (int tier = 0; tier < w->plan->tiers; tier++)
        write_tier(w, tier, sample);
}

/* ---- the file ---- */

static void write_head(struct writer *w, const struct timeline *timeline,
                       const struct timeline_labels *labels)
{
    const struct timeline_plan *plan = w->plan;
    const double to_s = fmin(w->window->to_s, timeline->step_s);
    const bool complete = w->window->from_s <= 0 && w->window->to_s >= timeline->step_s &&
                          w->window->first_stage == 0 && w->window->last_stage >= plan->stages - 1;
    fputs("{\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"producer\":\"reckon ", w->out);
    fprintf(w->out, "%s\",\"model\":", labels->version);
    write_text(w->out, labels->model);
    fputs(",\"system\":", w->out);
    write_text(w->out, labels->system);
    fprintf(w->out,
            ",\"schedule\":\"%s\",\"messages\":\"%s\",\"stages\":%" PRIu32 ",\"chunks\":%" PRIu32
            ",\"microbatches\":%" PRIu32,
            plan->schedule, timeline_messages_names[plan->messages], plan->stages, plan->chunks,
            plan->microbatches);
    fprintf(w->out,
            ",\"step_s\":%.17g,\"estimate_step_s\":%.17g,\"window_from_s\":%.17g,"
            "\"window_to_s\":%.17g,\"complete\":%s},\n\"traceEvents\":[",
            timeline->step_s, plan->estimate_s, w->window->from_s, to_s,
            complete ? "true" : "false");
}

enum rk_status timeline_write_trace(FILE *out, const struct timeline_plan *plan,
                                    const struct timeline *timeline,
                                    const struct timeline_window *window,
                                    const struct timeline_labels *labels, struct rk_error *error)
{
    struct writer w = {.out = out, .plan = plan, .window = window};
    const struct timeline_visitor visitor = {&w, write_event, write_sample};
    write_head(&w, timeline, labels);
    for (uint32_t stage = window->first_stage; stage < plan->stages && stage <= window->last_stage;
         stage++)
        write_names(&w, stage);
    const enum rk_status status = timeline_visit(plan, window, &visitor, error);
    if (status != RK_OK) return status;
    fputs("\n]}\n", out);
    if (fflush(out) != 0 || ferror(out))
        return rk_fail(error, RK_IO, NULL, 0, 0, "cannot write the trace: %s", strerror(errno));
    return RK_OK;
}
