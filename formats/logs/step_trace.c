#include "logs/step_trace.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rank whose events are read. */
enum { MOST_RANKS = 1 << 24 };

struct reading {
    struct step_trace *trace;
    double process; /* its number in the file; NAN: none so far */
    int rank, stage;
    double origin_us;
};

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

static double number_of(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static enum step_kind kind_of(const char *name, const char *pass)
{
    /* clang-format off */
    static const struct {
        const char *pass;
        enum step_kind kind;
    } passes[] = {
        {"forward", STEP_FORWARD}, {"again", STEP_RECOMPUTE}, {"input", STEP_BACKWARD}, {"weight", STEP_WEIGHTS},
    };
    /* clang-format on */
    if (strcmp(name, "send") == 0 || strcmp(name, "receive") == 0) return STEP_MESSAGE;
    if (strcmp(name, "optimizer") == 0) return STEP_OPTIMIZER;
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (strcmp(pass, passes[i].pass) == 0) return passes[i].kind;
    return STEP_SHARED;
}

static void read_process(struct reading *r, const json_t *event)
{
    const json_t *about = json_object_get(event, "args");
    int rank, stage;
    if (strcmp(text_of(event, "name"), "process_name") != 0 ||
        sscanf(text_of(about, "name"), "rank %d, stage %d, measured", &rank, &stage) != 2)
        return;
    if (rank < 0 || stage < 0 || stage > rank || rank >= MOST_RANKS) return;
    r->process = number_of(event, "pid");
    r->rank = rank;
    r->stage = stage;
    if (stage >= r->trace->stages) r->trace->stages = stage + 1;
}

static void read_operation(struct reading *r, const json_t *event)
{
    struct step_trace *t = r->trace;
    const double at_us = number_of(event, "ts"), for_us = number_of(event, "dur");
    const double microbatch = number_of(json_object_get(event, "args"), "microbatch");
    if (!(for_us >= 0) || !isfinite(at_us + for_us) || !(microbatch >= 0 && microbatch < 1e9))
        return;
    const struct step_span span = {
        .rank = r->rank,
        .stage = r->stage,
        .kind = kind_of(text_of(event, "name"), text_of(event, "cat")),
        .microbatch = (unsigned)microbatch,
        .begin_s = 1e-6 * at_us,
        .end_s = 1e-6 * (at_us + for_us),
    };
    struct step_span *last = t->spans ? &t->span[t->spans - 1] : NULL;
    if (!t->spans || span.begin_s < r->origin_us * 1e-6) r->origin_us = at_us;
    if (last && last->rank == span.rank && last->kind == span.kind &&
        last->microbatch == span.microbatch) {
        last->begin_s = fmin(last->begin_s, span.begin_s);
        last->end_s = fmax(last->end_s, span.end_s);
    } else {
        t->span[t->spans++] = span;
    }
}

static void read_sample(struct reading *r, const json_t *event)
{
    const double at_us = number_of(event, "ts");
    const double bytes = number_of(json_object_get(event, "args"), "bytes");
    if (!isfinite(at_us) || !(bytes >= 0)) return;
    r->trace->sample[r->trace->samples++] =
        (struct step_sample){r->rank, r->stage, 1e-6 * at_us, bytes};
}

static void read_event(struct reading *r, const json_t *event)
{
    const char *phase = text_of(event, "ph");
    if (strcmp(phase, "M") == 0) read_process(r, event);
    if (number_of(event, "pid") != r->process) return; /* another program's */
    if (strcmp(phase, "X") == 0) read_operation(r, event);
    if (strcmp(phase, "C") == 0) read_sample(r, event);
}

/* Times from the first operation of all. */
static void set_origin(struct reading *r)
{
    struct step_trace *t = r->trace;
    const double origin_s = 1e-6 * r->origin_us;
    for (size_t i = 0; i < t->spans; i++) {
        t->span[i].begin_s -= origin_s;
        t->span[i].end_s -= origin_s;
        t->step_s = fmax(t->step_s, t->span[i].end_s);
    }
    for (size_t i = 0; i < t->samples; i++)
        t->sample[i].time_s -= origin_s;
}

enum rk_status step_trace_read(const struct document *document, struct step_trace *trace,
                               struct rk_error *error)
{
    const json_t *events = json_object_get(document->root, "traceEvents"), *event;
    const size_t count = json_array_size(events);
    struct reading r = {.trace = trace, .process = NAN};
    size_t i;
    *trace = (struct step_trace){.spans = 0};
    trace->span = malloc((count + 1) * sizeof *trace->span);
    trace->sample = malloc((count + 1) * sizeof *trace->sample);
    if (!trace->span || !trace->sample) return no_memory(error);
    json_array_foreach(events, i, event) read_event(&r, event);
    set_origin(&r);
    if (trace->spans) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, document->path, 0, 0,
                   "no measured step in it: give what `reckon train --trace` wrote");
}

void step_trace_release(struct step_trace *trace)
{
    free(trace->span);
    free(trace->sample);
    *trace = (struct step_trace){.spans = 0};
}
