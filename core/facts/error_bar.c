#include "facts/error_bar.h"
#include "facts/choices.h"
#include "text/document.h"
#include "text/fields.h"

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
    {"max-",  "Xe"},        {"trainium", "Trainium"},
};
/* clang-format on */

const char *accelerator_generation(const char *system)
{
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (strncmp(system, generations[i].prefix, strlen(generations[i].prefix)) == 0)
            return generations[i].generation;
    return "other";
}

const char *accelerator_generation_name(int i)
{
    const int rows = sizeof generations / sizeof *generations;
    for (int k = 0; k < rows; k++) {
        int first = 0;
        while (strcmp(generations[first].generation, generations[k].generation) != 0)
            first++;
        if (first == k && i-- == 0) return generations[k].generation;
    }
    return i == 0 ? "other" : NULL;
}

/* ---- classes ---- */

const double error_shares[ERROR_SHARES] = {0.05, 0.25, 0.5, 0.75, 0.95};

static int generation_number(const char *system)
{
    const char *name, *generation = accelerator_generation(system);
    int i = 0;
    while ((name = accelerator_generation_name(i)) && strcmp(name, generation) != 0)
        i++;
    return i;
}

void error_properties(const struct error_request *request, int of[ERROR_PROPERTIES])
{
    of[OF_GENERATION] = generation_number(request->system);
    of[OF_KIND] = request->model->experts > 0;
    of[OF_FRAMEWORK] = (int)request->plan->framework;
    of[OF_PUBLISHED] = request->published == PUBLISHED_UNKNOWN ? -1 : (int)request->published;
}

struct error_request error_request_of(const struct result *r)
{
    return (struct error_request){&r->model,          r->system,
                                  &r->judgement.plan, r->judgement.parameters,
                                  r->products,        result_published(r)};
}

/* Which properties count at each level, 1 << property; how published stays as it is asked. */
static const unsigned levels_of[][4] = {
    [ERROR_TIMES] = {1u << OF_GENERATION | 1u << OF_KIND | 1u << OF_FRAMEWORK,
                     1u << OF_KIND | 1u << OF_FRAMEWORK, 1u << OF_KIND, 0},
    [ERROR_PEAKS] = {1u << OF_KIND | 1u << OF_FRAMEWORK, 1u << OF_FRAMEWORK, 1u << OF_KIND, 0},
};
enum { LEVELS = sizeof levels_of[0] / sizeof *levels_of[0] };

bool error_level(enum error_subject subject, int level, int of[ERROR_PROPERTIES])
{
    if (level >= LEVELS) return false;
    const unsigned counts = levels_of[subject][level] | 1u << OF_PUBLISHED;
    for (int i = 0; i < ERROR_PROPERTIES; i++)
        if (!(counts >> i & 1)) of[i] = -1;
    if (subject == ERROR_PEAKS) of[OF_PUBLISHED] = -1;
    return true;
}

static const char *property_name(enum error_property property, int value)
{
    static const char *const kinds[] = {"dense", "experts"};
    switch (property) {
    case OF_GENERATION:
        return accelerator_generation_name(value);
    case OF_KIND:
        return kinds[value];
    case OF_FRAMEWORK:
        return rk_framework_name((enum rk_framework)value);
    default:
        return published_names[value];
    }
}

/* "Hopper, dense, megatron", "dense", "all runs"; "peak memory, megatron, dense". */
void error_class_name(enum error_subject subject, const int of[ERROR_PROPERTIES], char text[128])
{
    static const enum error_property order[][ERROR_PROPERTIES] = {
        [ERROR_TIMES] = {OF_GENERATION, OF_KIND, OF_FRAMEWORK, OF_PUBLISHED},
        [ERROR_PEAKS] = {OF_FRAMEWORK, OF_KIND, OF_GENERATION, OF_PUBLISHED}};
    size_t at = (size_t)snprintf(text, 128, "%s", subject == ERROR_PEAKS ? "peak memory" : "");
    for (int i = 0; i < ERROR_PROPERTIES; i++) {
        const enum error_property property = order[subject][i];
        if (of[property] < 0) continue;
        at += (size_t)snprintf(text + at, 128 - at, "%s%s", at ? ", " : "",
                               property_name(property, of[property]));
    }
    if (!at) snprintf(text, 128, "all runs");
}

/* ---- what was validated ---- */

static const char *const range_names[] = {
    "GPUs", "parameters", "tokens of a sample", "tensor", "pipeline", "context", "expert"};
enum { RANGES = sizeof range_names / sizeof *range_names };

const char *error_range_of(int i, const struct error_request *r, double *value)
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
    if (i >= RANGES) return NULL;
    *value = values[i];
    return range_names[i];
}

/* ---- the file ---- */

static json_t *rounded(double value)
{
    return json_real(round(value * 1e3) / 1e3);
}

static json_t *ratios_json(const struct error_class *c)
{
    json_t *list = json_array();
    for (int i = 0; i < ERROR_SHARES; i++)
        json_array_append_new(list, rounded(c->ratio[i]));
    return list;
}

char *error_bars_text(const struct error_bars *bars)
{
    json_t *classes = json_array(), *ranges = json_array(), *seen = json_array();
    for (int i = 0; i < bars->classes; i++) {
        const struct error_class *c = &bars->class_of[i];
        json_array_append_new(classes,
                              json_pack("{s:s, s:I, s:I, s:o}", "of", c->of, "runs",
                                        (json_int_t)c->runs, "sources", (json_int_t)c->sources,
                                        "measured_over_predicted", ratios_json(c)));
    }
    for (int i = 0; i < bars->ranges; i++)
        json_array_append_new(ranges, json_pack("{s:s, s:f, s:f}", "of", bars->range[i].of, "least",
                                                bars->range[i].least, "most", bars->range[i].most));
    for (int i = 0; i < bars->seens; i++)
        json_array_append_new(seen, json_pack("{s:s, s:I}", "of", bars->seen[i].of, "runs",
                                              (json_int_t)bars->seen[i].runs));
    json_t *root = json_pack(
        "{s:s, s:o, s:o, s:o}", "description",
        "Measured over predicted times and peaks of memory that 5, 25, 50, 75 and 95 % of the runs "
        "of a class are below, each source predicted as one that nobody has seen, in steps that "
        "are "
        "products alone (core/facts/error_learn.h); and what was validated: written by reckon "
        "validate as it learns.",
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

/* Ratios of a file that somebody wrote: above 0, and not descending. */
static bool read_ratios(struct error_class *c, const json_t *list)
{
    for (int i = 0; i < ERROR_SHARES; i++) {
        c->ratio[i] = json_number_value(json_array_get(list, (size_t)i));
        if (!(c->ratio[i] > 0) || (i > 0 && c->ratio[i] < c->ratio[i - 1])) return false;
    }
    return true;
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
        c->sources = (uint64_t)json_integer_value(json_object_get(value, "sources"));
        if (!read_ratios(c, json_object_get(value, "measured_over_predicted"))) bars->classes--;
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

static const struct error_class *find_class(const struct error_bars *bars, const char *name)
{
    for (int i = 0; i < bars->classes; i++)
        if (strcmp(bars->class_of[i].of, name) == 0) return &bars->class_of[i];
    return NULL;
}

static const struct error_class *class_for(const struct error_bars *bars,
                                           enum error_subject subject,
                                           const struct error_request *request)
{
    int of[ERROR_PROPERTIES];
    error_properties(request, of);
    for (int level = 0; error_level(subject, level, of); level++) {
        char name[128];
        error_class_name(subject, of, name);
        const struct error_class *c = find_class(bars, name);
        if (c) return c;
        error_properties(request, of);
    }
    return NULL;
}

/* Steps that are products to this share err alike; e to this power wider where none is. */
static const double sure_products = 0.85, wider = 1.4;

double error_width(double products)
{
    return exp(wider * fmax(0, sure_products - products));
}

double products_share(const struct rk_prediction *p)
{
    return p->step_s > 0 ? (p->matrix_s + p->attention_s + p->recompute_s) / p->step_s : 1;
}

bool error_bar_of(const struct error_bars *bars, const struct error_request *request,
                  struct error_class *bar)
{
    const struct error_class *c = class_for(bars, ERROR_TIMES, request);
    if (!c) return false;
    *bar = *c;
    for (int i = 0; i < ERROR_SHARES; i++)
        bar->ratio[i] = pow(c->ratio[i], error_width(request->products));
    return true;
}

bool error_bar_of_memory(const struct error_bars *bars, const struct error_request *request,
                         struct error_class *bar)
{
    const struct error_class *c = class_for(bars, ERROR_PEAKS, request);
    if (c) *bar = *c;
    return c != NULL;
}

/* The ends scale with the root of the variance. The middle scales with the variance itself: errors
 * have long tails, and measured steps remove the small ones first (docs/accuracy.md, by
 * likeness). */
void error_bar_narrow(struct error_class *bar, double left)
{
    const double narrow[ERROR_SHARES] = {sqrt(left), left, left, left, sqrt(left)};
    const double median = bar->ratio[ERROR_SHARES / 2];
    for (int i = 0; i < ERROR_SHARES; i++)
        bar->ratio[i] = pow(median, left) * pow(bar->ratio[i] / median, narrow[i]);
    bar->ratio[0] = fmin(bar->ratio[0], bar->ratio[1]);
    bar->ratio[ERROR_SHARES - 1] = fmax(bar->ratio[ERROR_SHARES - 1], bar->ratio[ERROR_SHARES - 2]);
}

static double between(double from, double to, double at)
{
    return to > from ? (at - from) / (to - from) : 1;
}

double error_share_below(const struct error_class *bar, double ratio)
{
    const double *r = bar->ratio;
    const double first = fmax(0, 2 * r[0] - r[1]), last = 2 * r[4] - r[3];
    if (ratio < r[0]) return fmax(0, between(first, r[0], ratio)) * error_shares[0];
    for (int i = 1; i < ERROR_SHARES; i++)
        if (ratio < r[i])
            return error_shares[i - 1] +
                   (error_shares[i] - error_shares[i - 1]) * between(r[i - 1], r[i], ratio);
    return fmin(1, error_shares[4] + (1 - error_shares[4]) * between(r[4], last, ratio));
}

static bool out_of_range(const struct error_bars *bars, int i, const struct error_request *request,
                         char *text, size_t size)
{
    double value = 0;
    const char *of = error_range_of(i, request, &value);
    for (int k = 0; k < bars->ranges; k++) {
        const struct error_range *r = &bars->range[k];
        if (strcmp(r->of, of) != 0 || (value >= r->least && value <= r->most)) continue;
        snprintf(text, size, "%s: %.7g; compared runs had %.7g to %.7g", r->of, value, r->least,
                 r->most);
        return true;
    }
    return false;
}

static bool never_seen(const struct error_bars *bars, const char *name, char *text, size_t size)
{
    for (int k = 0; k < bars->seens; k++)
        if (strcmp(bars->seen[k].of, name) == 0) return false;
    snprintf(text, size, "%s: no compared run had it", name);
    return true;
}

bool error_bar_warning(const struct error_bars *bars, const struct error_request *request, int i,
                       char *text, size_t size)
{
    char names[MOST_CHOICES][CHOICE_TEXT];
    const int count =
        choices_of(request->model, request->plan, accelerator_generation(request->system), names);
    int found = 0;
    for (int k = 0; k < RANGES; k++)
        if (out_of_range(bars, k, request, text, size) && found++ == i) return true;
    for (int k = 0; k < count; k++)
        if (never_seen(bars, names[k], text, size) && found++ == i) return true;
    return false;
}
