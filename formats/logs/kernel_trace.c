#include "logs/kernel_trace.h"

#include "base/memory.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* clang-format off */
/* Words in the names of kernels, in small letters; the first that occurs decides. */
static const struct {
    const char *word;
    enum trace_class class;
} words[] = {
    {"nccl",      TRACE_COMMUNICATION}, {"rccl",     TRACE_COMMUNICATION}, {"nvshmem", TRACE_COMMUNICATION},
    {"deep_ep",   TRACE_COMMUNICATION}, {"hybrid_ep", TRACE_COMMUNICATION}, {"all_reduce", TRACE_COMMUNICATION},
    {"flash",     TRACE_ATTENTION},     {"fmha",     TRACE_ATTENTION},     {"sdpa",    TRACE_ATTENTION},
    {"attention", TRACE_ATTENTION},     {"attn",     TRACE_ATTENTION},
    {"gemm",      TRACE_MATRIX},        {"nvjet",    TRACE_MATRIX},        {"xmma",    TRACE_MATRIX},
    {"cutlass",   TRACE_MATRIX},        {"cublas",   TRACE_MATRIX},        {"matmul",  TRACE_MATRIX},
    {"cijk_",     TRACE_MATRIX},        {"_mm_",     TRACE_MATRIX},
};
/* clang-format on */

static enum trace_class kernel_class(const char *name)
{
    char small[512];
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof small; length++)
        small[length] = (char)tolower((unsigned char)name[length]);
    small[length] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(small, words[i].word)) return words[i].class;
    return TRACE_MEMORY;
}

/* ---- events ---- */

struct interval {
    double start_s, end_s;
    bool communicates;
};

struct reading {
    struct kernel_trace *trace;
    struct interval *interval; /* (trace->kernels) */
    const json_t *device;
    size_t marks;
};

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

/* A kernel, a copy or a fill of the device that is looked at. */
static bool is_work(struct reading *r, const json_t *event)
{
    const char *category = text_of(event, "cat");
    const json_t *device = json_object_get(event, "pid");
    if (strcmp(text_of(event, "ph"), "X") != 0) return false;
    if (strcmp(category, "kernel") != 0 && strcmp(category, "gpu_memcpy") != 0 &&
        strcmp(category, "gpu_memset") != 0)
        return false;
    if (!r->device) r->device = device;
    return !device || json_equal(r->device, device);
}

static bool is_mark(const json_t *event)
{
    return strcmp(text_of(event, "cat"), "user_annotation") == 0 &&
           strncmp(text_of(event, "name"), "ProfilerStep", strlen("ProfilerStep")) == 0;
}

static void read_event(struct reading *r, const json_t *event)
{
    if (is_mark(event)) r->marks++;
    if (!is_work(r, event)) return;
    const double start_s = json_number_value(json_object_get(event, "ts")) * 1e-6;
    const double time_s = json_number_value(json_object_get(event, "dur")) * 1e-6;
    if (!isfinite(start_s) || !(time_s >= 0) || !isfinite(time_s)) return;
    const enum trace_class class = kernel_class(text_of(event, "name"));
    r->trace->busy_s[class] += time_s;
    r->interval[r->trace->kernels++] =
        (struct interval){start_s, start_s + time_s, class == TRACE_COMMUNICATION};
}

/* ---- what overlaps ---- */

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

/* Time in which one of them runs, communication among them or not. */
static double covered_s(const struct interval *interval, size_t count, bool communication)
{
    double covered_s = 0, end_s = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (interval[i].communicates && !communication) continue;
        const double from_s = fmax(interval[i].start_s, end_s);
        covered_s += fmax(0, interval[i].end_s - from_s);
        end_s = fmax(end_s, interval[i].end_s);
    }
    return covered_s;
}

static void measure(struct reading *r)
{
    struct kernel_trace *t = r->trace;
    double end_s = -INFINITY;
    qsort(r->interval, t->kernels, sizeof *r->interval, by_start);
    for (size_t i = 0; i < t->kernels; i++)
        end_s = fmax(end_s, r->interval[i].end_s);
    const double all_s = covered_s(r->interval, t->kernels, true);
    t->span_s = end_s - r->interval[0].start_s;
    t->gap_s = fmax(0, t->span_s - all_s);
    t->exposed_s = fmax(0, all_s - covered_s(r->interval, t->kernels, false));
    t->steps = r->marks ? r->marks : 1;
}

/* ---- the file ---- */

bool kernel_trace_is(const char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    const char *next = *text ? text + 1 + strspn(text + 1, blanks) : text;
    return (*text == '{' && *next == '"') || (*text == '[' && *next == '{');
}

static enum rk_status read_events(const json_t *events, const char *path,
                                  struct kernel_trace *trace, struct rk_error *error)
{
    const size_t count = json_array_size(events);
    struct reading reading = {trace, malloc((count ? count : 1) * sizeof(struct interval)), NULL,
                              0};
    if (!reading.interval) return no_memory(error);
    for (size_t i = 0; i < count; i++)
        read_event(&reading, json_array_get(events, i));
    if (trace->kernels) measure(&reading);
    free(reading.interval);
    if (trace->kernels && trace->span_s > 0) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "no kernels in this trace: profile with ProfilerActivity.CUDA, and "
                   "export_chrome_trace()");
}

enum rk_status kernel_trace_read(const char *text, size_t size, const char *path,
                                 struct kernel_trace *trace, struct rk_error *error)
{
    json_error_t fault;
    json_t *root = json_loadb(text, size, 0, &fault);
    *trace = (struct kernel_trace){.kernels = 0};
    if (!root)
        return rk_fail(error, RK_BAD_INPUT, path, fault.line, fault.column, "not JSON: %.120s",
                       fault.text);
    const json_t *events = json_is_array(root) ? root : json_object_get(root, "traceEvents");
    const enum rk_status status = read_events(events, path, trace, error);
    json_decref(root);
    return status;
}
