#include "facts/error_bar.h"
#include "catalog/document.h"
#include "catalog/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a run is ---- */

/* clang-format off */
static const struct {
    const char *prefix, *generation;
} generations[] = {
    {"v100",  "Volta"},     {"a100",  "Ampere"},    {"a800",  "Ampere"},    {"a10",  "Ampere"},
    {"h100",  "Hopper"},    {"h200",  "Hopper"},    {"h800",  "Hopper"},    {"h20",  "Hopper"},
    {"gh200", "Hopper"},    {"b200",  "Blackwell"}, {"gb200", "Blackwell"}, {"b300", "Blackwell Ultra"},
    {"gb300", "Blackwell Ultra"},                   {"l4",    "Ada"},       {"rtx4", "Ada"},
    {"mi",    "CDNA"},      {"tpu",   "TPU"},       {"gaudi", "Gaudi"},     {"ascend", "Ascend"},
};
/* clang-format on */

const char *accelerator_generation(const char *system)
{
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (strncmp(system, generations[i].prefix, strlen(generations[i].prefix)) == 0)
            return generations[i].generation;
    return "other";
}

static const char *width_of(enum rk_precision precision)
{
    if (precision == RK_FP32 || precision == RK_TF32) return "32 bits";
    if (precision == RK_NVFP4) return "4 bits";
    return precision >= RK_FP8_DELAYED ? "8 bits" : "16 bits";
}

static const char *scale_of(uint64_t gpus)
{
    return gpus >= 512 ? "512 GPUs and more" : gpus >= 64 ? "64 to 511 GPUs" : "fewer than 64 GPUs";
}

enum { LEVELS = 7 };

/* The name of the request's class, fewer of its properties with each level. */
static void name_class(char text[128], int level, const struct error_request *r)
{
    const char *generation = accelerator_generation(r->system);
    const char *kind = r->model->experts ? "experts" : "dense";
    const char *framework = rk_framework_name(r->plan->framework);
    const char *width = width_of(r->plan->precision), *scale = scale_of(r->plan->ranks);
    switch (level) {
    case 0:
        snprintf(text, 128, "%s, %s, %s, %s, %s", generation, kind, framework, width, scale);
        break;
    case 1:
        snprintf(text, 128, "%s, %s, %s, %s", generation, kind, framework, width);
        break;
    case 2:
        snprintf(text, 128, "%s, %s, %s", generation, kind, framework);
        break;
    case 3:
        snprintf(text, 128, "%s, %s, %s", generation, kind, width);
        break;
    case 4:
        snprintf(text, 128, "%s, %s", generation, kind);
        break;
    case 5:
        snprintf(text, 128, "%s", kind);
        break;
    default:
        snprintf(text, 128, "all runs");
    }
}

enum { MEMORY_LEVELS = 3 };

static void name_memory(char text[128], int level, const struct error_request *r)
{
    const char *kind = r->model->experts ? "experts" : "dense";
    const char *framework = rk_framework_name(r->plan->framework);
    if (level == 0)
        snprintf(text, 128, "peak memory, %s, %s", framework, kind);
    else if (level == 1)
        snprintf(text, 128, "peak memory, %s", framework);
    else
        snprintf(text, 128, "peak memory");
}

/* Choices whose absence from the runs is worth a warning; "" ends them. */
static void name_choice(char text[40], int i, const struct error_request *r)
{
    const struct rk_plan *p = r->plan;
    const char *const names[][2] = {
        {"schedule", p->pipeline > 1 ? rk_schedule_name(p->schedule) : NULL},
        {"precision", rk_precision_name(p->precision)},
        {"framework", rk_framework_name(p->framework)},
        {"attention", rk_attention_kernel_name(p->attention)},
        {"context", p->context > 1 ? rk_context_kind_name(p->context_kind) : NULL},
        {"dispatcher",
         r->model->experts && p->expert > 1 ? rk_dispatcher_name(p->dispatcher) : NULL},
        {"offload", rk_plan_offloaded(p, RK_SHARE_ATTENTION) > 0   ? "activations"
                    : rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0 ? "optimizer"
                    : rk_plan_offloaded(p, RK_SHARE_WEIGHTS) > 0   ? "weights"
                                                                   : NULL},
        {"latent", r->model->kv_rank ? "attention" : NULL},
        {"local", r->model->window ? "attention" : NULL},
        {"expert", p->expert_overlap ? "overlap" : NULL},
        {"generation", accelerator_generation(r->system)},
    };
    text[0] = '\0';
    if (i < (int)(sizeof names / sizeof *names) && names[i][1])
        snprintf(text, 40, "%s %s", names[i][0], names[i][1]);
}

enum { CHOICES = 11 };

static const char *const range_names[] = {
    "GPUs", "parameters", "tokens of a sample", "tensor", "pipeline", "context", "expert"};
enum { RANGES = sizeof range_names / sizeof *range_names };

static double range_value(int i, const struct error_request *r)
{
    const struct rk_plan *p = r->plan;
    const double values[RANGES] = {
        (double)p->ranks,
        r->parameters,
        (double)(p->sequence ? p->sequence : r->model->sequence),
        (double)p->tensor,
        (double)p->pipeline,
        (double)p->context,
        (double)p->expert,
    };
    return values[i];
}

/* ---- learning ---- */

static bool counts(const struct result *r)
{
    return r->kind == FIGURE_STEP && isfinite(r->error);
}

static bool is_peak(const struct result *r)
{
    const bool peak =
        r->kind == FIGURE_ALLOCATED || r->kind == FIGURE_RESERVED || r->kind == FIGURE_USED;
    return peak && isfinite(r->error);
}

static struct error_request request_of(const struct result *r)
{
    return (struct error_request){&r->model, r->system, &r->judgement.plan,
                                  r->judgement.parameters};
}

static bool in_class(const struct result *r, const void *context)
{
    const struct error_request request = request_of(r);
    char name[128];
    for (int level = 0; level < LEVELS && counts(r); level++) {
        name_class(name, level, &request);
        if (strcmp(name, context) == 0) return true;
    }
    return false;
}

static bool in_memory_class(const struct result *r, const void *context)
{
    const struct error_request request = request_of(r);
    char name[128];
    for (int level = 0; level < MEMORY_LEVELS && is_peak(r); level++) {
        name_memory(name, level, &request);
        if (strcmp(name, context) == 0) return true;
    }
    return false;
}

static const struct error_class *find_class(const struct error_bars *bars, const char *name)
{
    for (int i = 0; i < bars->classes; i++)
        if (strcmp(bars->class_of[i].of, name) == 0) return &bars->class_of[i];
    return NULL;
}

typedef bool member(const struct result *r, const void *name);

static enum rk_status learn_class(struct error_bars *bars, const struct results *results,
                                  member *belongs, const char *name, struct rk_error *error)
{
    struct score s;
    if (find_class(bars, name) || bars->classes == ERROR_BAR_CLASSES) return RK_OK;
    const enum rk_status status = score_of(results, belongs, name, &s, error);
    if (status != RK_OK || s.count < ERROR_BAR_RUNS) return status;
    struct error_class *c = &bars->class_of[bars->classes++];
    *c = (struct error_class){
        .runs = s.count, .signed_mean = s.signed_mean, .median = s.median, .p90 = s.p90};
    snprintf(c->of, sizeof c->of, "%s", name);
    return RK_OK;
}

static void learn_choice(struct error_bars *bars, const char *name)
{
    int i = 0;
    while (i < bars->seens && strcmp(bars->seen[i].of, name) != 0)
        i++;
    if (i == ERROR_BAR_SEEN) return;
    if (i == bars->seens)
        snprintf(bars->seen[bars->seens++].of, sizeof bars->seen[0].of, "%s", name);
    bars->seen[i].runs++;
}

static void learn_run(struct error_bars *bars, const struct error_request *request)
{
    for (int i = 0; i < RANGES; i++) {
        const double value = range_value(i, request);
        bars->range[i].least = fmin(bars->range[i].least, value);
        bars->range[i].most = fmax(bars->range[i].most, value);
    }
    for (int i = 0; i < CHOICES; i++) {
        char name[40];
        name_choice(name, i, request);
        if (name[0]) learn_choice(bars, name);
    }
}

static enum rk_status learn_memory(struct error_bars *bars, const struct results *results,
                                   struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t k = 0; k < results->count && status == RK_OK; k++) {
        const struct result *r = &results->result[k];
        const struct error_request request = request_of(r);
        for (int level = 0; level < MEMORY_LEVELS && status == RK_OK && is_peak(r); level++) {
            char name[128];
            name_memory(name, level, &request);
            status = learn_class(bars, results, in_memory_class, name, error);
        }
    }
    return status;
}

enum rk_status error_bars_learn(struct error_bars *bars, const struct results *results,
                                struct rk_error *error)
{
    enum rk_status status = RK_OK;
    memset(bars, 0, sizeof *bars);
    bars->ranges = RANGES;
    for (int i = 0; i < RANGES; i++) {
        snprintf(bars->range[i].of, sizeof bars->range[i].of, "%s", range_names[i]);
        bars->range[i].least = INFINITY;
    }
    for (size_t k = 0; k < results->count && status == RK_OK; k++) {
        const struct result *r = &results->result[k];
        if (!counts(r)) continue;
        const struct error_request request = request_of(r);
        learn_run(bars, &request);
        for (int level = 0; level < LEVELS && status == RK_OK; level++) {
            char name[128];
            name_class(name, level, &request);
            status = learn_class(bars, results, in_class, name, error);
        }
    }
    return status == RK_OK ? learn_memory(bars, results, error) : status;
}

/* ---- the file ---- */

static json_t *rounded(double value)
{
    return json_real(round(value * 1e4) / 1e2);
}

char *error_bars_text(const struct error_bars *bars)
{
    json_t *classes = json_array(), *ranges = json_array(), *seen = json_array();
    for (int i = 0; i < bars->classes; i++) {
        const struct error_class *c = &bars->class_of[i];
        json_array_append_new(classes, json_pack("{s:s, s:I, s:o, s:o, s:o}", "of", c->of, "runs",
                                                 (json_int_t)c->runs, "signed_mean_pct",
                                                 rounded(c->signed_mean), "median_pct",
                                                 rounded(c->median), "p90_pct", rounded(c->p90)));
    }
    for (int i = 0; i < bars->ranges; i++)
        json_array_append_new(ranges, json_pack("{s:s, s:f, s:f}", "of", bars->range[i].of, "least",
                                                bars->range[i].least, "most", bars->range[i].most));
    for (int i = 0; i < bars->seens; i++)
        json_array_append_new(seen, json_pack("{s:s, s:I}", "of", bars->seen[i].of, "runs",
                                              (json_int_t)bars->seen[i].runs));
    json_t *root = json_pack("{s:s, s:o, s:o, s:o}", "description",
                             "Errors of predicted times and peaks of memory by class, and what was "
                             "validated: written by reckon "
                             "validate --learn.",
                             "classes", classes, "ranges", ranges, "seen", seen);
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(root);
    return text;
}

static void copy_text(char *to, size_t size, const json_t *object)
{
    const char *text = json_string_value(json_object_get(object, "of"));
    snprintf(to, size, "%s", text ? text : "");
}

static double share(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key)) / 100;
}

static void read_bars(struct error_bars *bars, const json_t *root)
{
    const json_t *value;
    size_t i;
    json_array_foreach(json_object_get(root, "classes"), i, value)
    {
        if (bars->classes == ERROR_BAR_CLASSES) break;
        struct error_class *c = &bars->class_of[bars->classes++];
        copy_text(c->of, sizeof c->of, value);
        c->runs = (uint64_t)json_integer_value(json_object_get(value, "runs"));
        c->signed_mean = share(value, "signed_mean_pct");
        c->median = share(value, "median_pct");
        c->p90 = share(value, "p90_pct");
    }
    json_array_foreach(json_object_get(root, "ranges"), i, value)
    {
        if (bars->ranges == ERROR_BAR_RANGES) break;
        struct error_range *r = &bars->range[bars->ranges++];
        copy_text(r->of, sizeof r->of, value);
        r->least = json_number_value(json_object_get(value, "least"));
        r->most = json_number_value(json_object_get(value, "most"));
    }
    json_array_foreach(json_object_get(root, "seen"), i, value)
    {
        if (bars->seens == ERROR_BAR_SEEN) break;
        struct error_seen *s = &bars->seen[bars->seens++];
        copy_text(s->of, sizeof s->of, value);
        s->runs = (uint64_t)json_integer_value(json_object_get(value, "runs"));
    }
}

enum rk_status error_bars_load(const char *path, struct error_bars *bars, struct rk_error *error)
{
    static const char *const keys[] = {"description", "classes", "ranges", "seen", NULL};
    struct document document = {0};
    memset(bars, 0, sizeof *bars);
    enum rk_status status = document_load(path, &document, error);
    const struct place root = place_root(&document);
    if (status == RK_OK) status = place_need_object(&root, error);
    if (status == RK_OK) status = place_need_keys(&root, keys, error);
    if (status == RK_OK) read_bars(bars, document.root);
    document_release(&document);
    return status;
}

/* ---- asking ---- */

const struct error_class *error_bar_of(const struct error_bars *bars,
                                       const struct error_request *request)
{
    char name[128];
    for (int level = 0; level < LEVELS; level++) {
        name_class(name, level, request);
        const struct error_class *c = find_class(bars, name);
        if (c) return c;
    }
    return NULL;
}

const struct error_class *error_bar_of_memory(const struct error_bars *bars,
                                              const struct error_request *request)
{
    char name[128];
    for (int level = 0; level < MEMORY_LEVELS; level++) {
        name_memory(name, level, request);
        const struct error_class *c = find_class(bars, name);
        if (c) return c;
    }
    return NULL;
}

static bool out_of_range(const struct error_bars *bars, int i, const struct error_request *request,
                         char *text, size_t size)
{
    for (int k = 0; k < bars->ranges; k++) {
        const struct error_range *r = &bars->range[k];
        const double value = range_value(i, request);
        if (strcmp(r->of, range_names[i]) != 0 || (value >= r->least && value <= r->most)) continue;
        snprintf(text, size, "%s: %.7g; compared runs had %.7g to %.7g", r->of, value, r->least,
                 r->most);
        return true;
    }
    return false;
}

static bool never_seen(const struct error_bars *bars, int i, const struct error_request *request,
                       char *text, size_t size)
{
    char name[40];
    name_choice(name, i, request);
    for (int k = 0; k < bars->seens; k++)
        if (strcmp(bars->seen[k].of, name) == 0) return false;
    snprintf(text, size, "%s: no compared run had it", name);
    return name[0] != '\0';
}

bool error_bar_warning(const struct error_bars *bars, const struct error_request *request, int i,
                       char *text, size_t size)
{
    int found = 0;
    for (int k = 0; k < RANGES; k++)
        if (out_of_range(bars, k, request, text, size) && found++ == i) return true;
    for (int k = 0; k < CHOICES; k++)
        if (never_seen(bars, k, request, text, size) && found++ == i) return true;
    return false;
}
