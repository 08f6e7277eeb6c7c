#include "facts/error_bar.h"
#include "base/memory.h"
#include "base/require.h"
#include "catalog/document.h"
#include "catalog/fields.h"
#include "facts/choices.h"

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

enum { LEVELS = 5, FIRST_WITHOUT_GENERATION = 2 };

/* The name of the request's class, fewer of its properties with each level. */
static void name_class(char text[128], int level, const struct error_request *r)
{
    const char *generation = accelerator_generation(r->system);
    const char *kind = r->model->experts ? "experts" : "dense";
    const char *framework = rk_framework_name(r->plan->framework);
    switch (level) {
    case 0:
        snprintf(text, 128, "%s, %s, %s", generation, kind, framework);
        break;
    case 1:
        snprintf(text, 128, "%s, %s", generation, kind);
        break;
    case 2:
        snprintf(text, 128, "%s, %s", kind, framework);
        break;
    case 3:
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

/* ---- results ---- */

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

/* ---- classes ---- */

const double error_shares[ERROR_SHARES] = {0.05, 0.25, 0.5, 0.75, 0.95};

/* Of times or of memory: which results count, and how their classes are called. */
struct subject {
    bool (*counts)(const struct result *r);
    void (*name)(char text[128], int level, const struct error_request *r);
    int levels;
};
static const struct subject times = {counts, name_class, LEVELS};
static const struct subject peaks = {is_peak, name_memory, MEMORY_LEVELS};

static const char *source_of(const struct result *r)
{
    return r->class_of[CLASS_SOURCE];
}

/* Measured over predicted, and what it counts. */
struct sample {
    double ratio, weight;
    const char *source;
};

static int by_ratio(const void *a, const void *b)
{
    const double x = ((const struct sample *)a)->ratio, y = ((const struct sample *)b)->ratio;
    return (x > y) - (x < y);
}

static int by_source(const void *a, const void *b)
{
    return strcmp(((const struct sample *)a)->source, ((const struct sample *)b)->source);
}

/* Each source counts once. Returns how many there are. */
static size_t weigh(struct sample *samples, size_t count)
{
    size_t sources = 0;
    qsort(samples, count, sizeof *samples, by_source);
    for (size_t i = 0; i < count; sources++) {
        size_t end = i;
        while (end < count && strcmp(samples[end].source, samples[i].source) == 0)
            end++;
        for (size_t k = i; k < end; k++)
            samples[k].weight = 1 / (double)(end - i);
        i = end;
    }
    return sources;
}

/* Of one source's share, what lies beyond each end: so that ranges hold what they say for sources
 * left out (with 0.5, Hazen's, 50 % hold 54.9 and 90 % 93.5 %); chosen by the others alone, it is
 * 0.2 to 0.3 for each source (docs/accuracy.md, error bars). */
#define BEYOND 0.3

/* The ratio below which `share` of the weight lies. */
static double ratio_at(const struct sample *sorted, size_t count, double sources, double share)
{
    const double beyond = (share > 0.5) - (share < 0.5);
    const double at = sources * (share + BEYOND * beyond / (sources + 1));
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i].weight;
        if (sum >= at) return sorted[i].ratio;
    }
    return sorted[count - 1].ratio;
}

static const struct error_class *find_class(const struct error_bars *bars, const char *name)
{
    for (int i = 0; i < bars->classes; i++)
        if (strcmp(bars->class_of[i].of, name) == 0) return &bars->class_of[i];
    return NULL;
}

/* The classes of each result, by their places in a list of names; and room for samples. */
struct lesson {
    const struct results *results;
    const struct subject *subject;
    int names;
    char name[ERROR_BAR_CLASSES][128];
    bool last[ERROR_BAR_CLASSES];
    int (*class_of)[LEVELS]; /* (results); -1: none */
    struct sample *samples;  /* (results) */
};

static int place_of(struct lesson *lesson, const char *name, bool last)
{
    int i = 0;
    while (i < lesson->names && strcmp(lesson->name[i], name) != 0)
        i++;
    if (i == ERROR_BAR_CLASSES) return -1;
    if (i == lesson->names) {
        snprintf(lesson->name[i], sizeof lesson->name[i], "%s", name);
        lesson->last[i] = last;
        lesson->names++;
    }
    return i;
}

static enum rk_status lesson_begin(struct lesson *lesson, const struct results *results,
                                   const struct subject *subject, struct rk_error *error)
{
    const size_t count = results->count + 1;
    *lesson = (struct lesson){.results = results, .subject = subject};
    lesson->class_of = malloc(count * sizeof *lesson->class_of);
    lesson->samples = malloc(count * sizeof *lesson->samples);
    if (!lesson->class_of || !lesson->samples) return no_memory(error);
    for (size_t i = 0; i < results->count; i++) {
        const struct error_request request = request_of(&results->result[i]);
        for (int level = 0; level < LEVELS; level++) {
            char name[128];
            const bool counted = level < subject->levels && subject->counts(&results->result[i]);
            if (counted) subject->name(name, level, &request);
            lesson->class_of[i][level] =
                counted ? place_of(lesson, name, level == subject->levels - 1) : -1;
        }
    }
    return RK_OK;
}

static void lesson_end(struct lesson *lesson)
{
    free(lesson->class_of);
    free(lesson->samples);
}

static bool is_in(const struct lesson *lesson, size_t i, int class)
{
    for (int level = 0; level < LEVELS; level++)
        if (lesson->class_of[i][level] == class) return true;
    return false;
}

/* The last class of a subject is there with any number of sources. */
static void learn_class(struct error_bars *bars, const struct lesson *lesson, int class,
                        const char *without)
{
    size_t count = 0;
    for (size_t i = 0; i < lesson->results->count; i++) {
        const struct result *r = &lesson->results->result[i];
        if (is_in(lesson, i, class) && !(without && strcmp(source_of(r), without) == 0))
            lesson->samples[count++] = (struct sample){1 / (1 + r->error), 0, source_of(r)};
    }
    const size_t sources = weigh(lesson->samples, count);
    if (count == 0 || (sources < ERROR_BAR_SOURCES && !lesson->last[class])) return;
    if (bars->classes == ERROR_BAR_CLASSES) return;
    struct error_class *c = &bars->class_of[bars->classes++];
    *c = (struct error_class){.runs = count, .sources = sources};
    snprintf(c->of, sizeof c->of, "%s", lesson->name[class]);
    qsort(lesson->samples, count, sizeof *lesson->samples, by_ratio);
    for (int i = 0; i < ERROR_SHARES; i++)
        c->ratio[i] = ratio_at(lesson->samples, count, (double)sources, error_shares[i]);
}

/* From all sources but one; NULL: from all. */
static void learn_classes(struct error_bars *bars, const struct lesson *lesson, const char *without)
{
    for (int class = 0; class < lesson->names; class ++)
        learn_class(bars, lesson, class, without);
}

static void learn_choice(struct error_bars *bars, const char *name)
{
    int i = 0;
    while (i < bars->seens && strcmp(bars->seen[i].of, name) != 0)
        i++;
    RK_REQUIRE(i < ERROR_BAR_SEEN);
    if (i == bars->seens)
        snprintf(bars->seen[bars->seens++].of, sizeof bars->seen[0].of, "%.*s", CHOICE_TEXT - 1,
                 name);
    bars->seen[i].runs++;
}

static int choices_of_request(const struct error_request *r, char names[MOST_CHOICES][CHOICE_TEXT])
{
    return choices_of(r->model, r->plan, accelerator_generation(r->system), names);
}

static void learn_run(struct error_bars *bars, const struct error_request *request)
{
    for (int i = 0; i < RANGES; i++) {
        const double value = range_value(i, request);
        bars->range[i].least = fmin(bars->range[i].least, value);
        bars->range[i].most = fmax(bars->range[i].most, value);
    }
    char names[MOST_CHOICES][CHOICE_TEXT];
    const int count = choices_of_request(request, names);
    for (int i = 0; i < count; i++)
        learn_choice(bars, names[i]);
}

/* ---- how often ranges hold ---- */

/* The most specific class there is; `level` is that of the name. */
static const struct error_class *class_for(const struct error_bars *bars,
                                           const struct subject *subject,
                                           const struct error_request *request, int *level)
{
    char name[128];
    for (*level = 0; *level < subject->levels; ++*level) {
        subject->name(name, *level, request);
        const struct error_class *c = find_class(bars, name);
        if (c) return c;
    }
    return NULL;
}

/* By which factor a range around the median has to grow to reach `ratio`. */
static double reach(const struct error_class *c, double ratio, int low, int high)
{
    const double from = log(c->ratio[2]), to = log(ratio);
    const double end = log(c->ratio[to < from ? low : high]);
    return fabs(end - from) > 0 ? (to - from) / (end - from) : to == from ? 0 : INFINITY;
}

/* A run of a source that was left out: how much each range would have to grow. */
struct trial {
    double half, most;
    bool is_new;
    const char *source;
};

static size_t try_source(struct error_bars *bars, const struct lesson *lesson, const char *without,
                         struct trial *trials)
{
    size_t count = 0;
    bars->classes = 0;
    learn_classes(bars, lesson, without);
    for (size_t i = 0; i < lesson->results->count; i++) {
        const struct result *r = &lesson->results->result[i];
        const struct error_request request = request_of(r);
        int level;
        if (!lesson->subject->counts(r) || strcmp(source_of(r), without) != 0) continue;
        const struct error_class *c = class_for(bars, lesson->subject, &request, &level);
        const double ratio = 1 / (1 + r->error);
        if (c)
            trials[count++] = (struct trial){reach(c, ratio, 1, 3), reach(c, ratio, 0, 4),
                                             level >= FIRST_WITHOUT_GENERATION, source_of(r)};
    }
    return count;
}

static enum rk_status try_all(const struct results *results, const struct subject *subject,
                              struct trial **trials, size_t *count, struct rk_error *error)
{
    size_t sources;
    struct lesson lesson;
    const char **names = class_names(results, CLASS_SOURCE, &sources);
    struct error_bars *bars = malloc(sizeof *bars);
    enum rk_status status = lesson_begin(&lesson, results, subject, error);
    *trials = malloc((results->count + 1) * sizeof **trials);
    *count = 0;
    if (status == RK_OK && (!names || !bars || !*trials)) status = no_memory(error);
    for (size_t i = 0; status == RK_OK && i < sources; i++)
        *count += try_source(bars, &lesson, names[i], *trials + *count);
    free(names);
    free(bars);
    lesson_end(&lesson);
    return status;
}

/* Mean over sources of the share of trials within `factor` of the range; the new ones, or all. */
static double holds(const struct trial *trials, size_t count, bool half, bool only_new,
                    double factor, size_t *sources)
{
    double sum = 0;
    *sources = 0;
    for (size_t i = 0; i < count;) {
        const char *source = trials[i].source;
        size_t own = 0, inside = 0;
        for (; i < count && strcmp(trials[i].source, source) == 0; i++) {
            if (only_new && !trials[i].is_new) continue;
            own++;
            inside += (half ? trials[i].half : trials[i].most) <= factor;
        }
        if (own == 0) continue;
        sum += (double)inside / (double)own;
        ++*sources;
    }
    return *sources ? sum / (double)*sources : 0;
}

/* The least factor of at least 1, in steps, with which the range holds for what is new; fewer than
 * three such sources say nothing. */
static double wider(const struct trial *trials, size_t count, bool half, double share)
{
    size_t sources;
    double factor = 1;
    while (factor < 5 && holds(trials, count, half, true, factor, &sources) < share && sources >= 3)
        factor += 0.05;
    return factor;
}

enum rk_status error_bars_coverage(const struct results *results, bool memory,
                                   struct error_coverage *coverage, struct rk_error *error)
{
    struct trial *trials;
    size_t count;
    const enum rk_status status =
        try_all(results, memory ? &peaks : &times, &trials, &count, error);
    if (status == RK_OK) {
        coverage->half = holds(trials, count, true, false, 1, &coverage->sources);
        coverage->most = holds(trials, count, false, false, 1, &coverage->sources);
    }
    free(trials);
    return status;
}

/* ---- learning ---- */

static enum rk_status learn_width(struct error_bars *bars, const struct results *results,
                                  struct rk_error *error)
{
    struct trial *trials;
    size_t count;
    const enum rk_status status = try_all(results, &times, &trials, &count, error);
    bars->wider_half = status == RK_OK ? wider(trials, count, true, 0.5) : 1;
    bars->wider_most = status == RK_OK ? wider(trials, count, false, 0.9) : 1;
    free(trials);
    return status;
}

static enum rk_status learn_subject(struct error_bars *bars, const struct results *results,
                                    const struct subject *subject, const char *without,
                                    struct rk_error *error)
{
    struct lesson lesson;
    const enum rk_status status = lesson_begin(&lesson, results, subject, error);
    if (status == RK_OK) learn_classes(bars, &lesson, without);
    lesson_end(&lesson);
    return status;
}

enum rk_status error_bars_without(struct error_bars *bars, const struct results *results,
                                  const char *source, struct rk_error *error)
{
    memset(bars, 0, sizeof *bars);
    bars->wider_half = bars->wider_most = 1;
    enum rk_status status = learn_subject(bars, results, &times, source, error);
    if (status == RK_OK) status = learn_subject(bars, results, &peaks, source, error);
    return status;
}

/* ---- ranges of results ---- */

static void set_range(struct result *r, const struct error_class *bar)
{
    double at[ERROR_SHARES];
    for (int i = 0; i < ERROR_SHARES; i++)
        at[i] = r->predicted * (r->rate ? 1 / bar->ratio[ERROR_SHARES - 1 - i] : bar->ratio[i]);
    r->range = (struct result_range){at[1], at[3], at[0], at[4]};
}

void results_range(struct results *results, const struct error_bars *bars, const char *source)
{
    for (size_t i = 0; i < results->count; i++) {
        struct result *r = &results->result[i];
        const struct error_request request = request_of(r);
        struct error_class bar;
        if (isnan(r->predicted) || (source && strcmp(source_of(r), source) != 0)) continue;
        const bool known = r->kind == FIGURE_STEP
                               ? error_bar_of(bars, &request, &bar)
                               : is_peak(r) && error_bar_of_memory(bars, &request, &bar);
        if (!known) continue;
        if (r->left < 1) error_bar_narrow(&bar, r->left);
        set_range(r, &bar);
    }
}

enum rk_status results_range_blind(struct results *results, const struct results *lessons,
                                   struct rk_error *error)
{
    size_t sources = 0;
    const char **names = class_names(results, CLASS_SOURCE, &sources);
    struct error_bars *bars = malloc(sizeof *bars);
    enum rk_status status = names && bars ? RK_OK : no_memory(error);
    for (size_t i = 0; status == RK_OK && i < sources; i++) {
        status = error_bars_without(bars, lessons, names[i], error);
        if (status == RK_OK) results_range(results, bars, names[i]);
    }
    free(names);
    free(bars);
    return status;
}

enum rk_status error_bars_learn(struct error_bars *bars, const struct results *results,
                                struct rk_error *error)
{
    memset(bars, 0, sizeof *bars);
    bars->ranges = RANGES;
    for (int i = 0; i < RANGES; i++) {
        snprintf(bars->range[i].of, sizeof bars->range[i].of, "%s", range_names[i]);
        bars->range[i].least = INFINITY;
    }
    for (size_t k = 0; k < results->count; k++) {
        const struct error_request request = request_of(&results->result[k]);
        if (counts(&results->result[k])) learn_run(bars, &request);
    }
    enum rk_status status = learn_subject(bars, results, &times, NULL, error);
    if (status == RK_OK) status = learn_subject(bars, results, &peaks, NULL, error);
    return status == RK_OK ? learn_width(bars, results, error) : status;
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
        "{s:s, s:o, s:o, s:o, s:o, s:o}", "description",
        "Measured over predicted times and peaks of memory that 5, 25, 50, 75 and 95 % of the runs "
        "of a class are below, each source left out and counted once; and what was validated: "
        "written by reckon validate --learn.",
        "wider_half", rounded(bars->wider_half), "wider_most", rounded(bars->wider_most), "classes",
        classes, "ranges", ranges, "seen", seen);
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(root);
    return text;
}

static void copy_text(char *to, size_t size, const json_t *object)
{
    const char *text = json_string_value(json_object_get(object, "of"));
    snprintf(to, size, "%s", text ? text : "");
}

static double at_least_one(const json_t *object, const char *key)
{
    return fmax(1, json_number_value(json_object_get(object, key)));
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
    bars->wider_half = at_least_one(root, "wider_half");
    bars->wider_most = at_least_one(root, "wider_most");
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
    static const char *const keys[] = {"description", "wider_half", "wider_most", "classes",
                                       "ranges",      "seen",       NULL};
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

static double widened(const struct error_class *c, int share, double factor)
{
    return c->ratio[2] * pow(c->ratio[share] / c->ratio[2], factor);
}

bool error_bar_of(const struct error_bars *bars, const struct error_request *request,
                  struct error_class *bar)
{
    int level;
    const struct error_class *c = class_for(bars, &times, request, &level);
    if (!c) return false;
    *bar = *c;
    if (level < FIRST_WITHOUT_GENERATION) return true;
    for (int i = 0; i < ERROR_SHARES; i++)
        bar->ratio[i] =
            widened(c, i, i == 0 || i == ERROR_SHARES - 1 ? bars->wider_most : bars->wider_half);
    bar->ratio[0] = fmin(bar->ratio[0], bar->ratio[1]);
    bar->ratio[4] = fmax(bar->ratio[4], bar->ratio[3]);
    return true;
}

bool error_bar_of_memory(const struct error_bars *bars, const struct error_request *request,
                         struct error_class *bar)
{
    int level;
    const struct error_class *c = class_for(bars, &peaks, request, &level);
    if (c) *bar = *c;
    return c != NULL;
}

/* The ends go with the root of the variance. The middle goes with the variance itself: errors have
 * long tails, and measured steps settle the small ones first (docs/accuracy.md, by likeness). */
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
    const int count = choices_of_request(request, names);
    int found = 0;
    for (int k = 0; k < RANGES; k++)
        if (out_of_range(bars, k, request, text, size) && found++ == i) return true;
    for (int k = 0; k < count; k++)
        if (never_seen(bars, names[k], text, size) && found++ == i) return true;
    return false;
}
