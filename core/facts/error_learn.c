#include "facts/error_learn.h"

#include "base/limits.h"
#include "base/memory.h"
#include "facts/choices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what counts ---- */

/* How classes are learned: what a source counts that differs in a property, in the middle and at
 * the ends; what a source that was read counts, and by how much its errors grow; how wide a result
 * makes them. docs/accuracy.md says what each is worth. */
struct lens {
    double middle[ERROR_PROPERTIES], ends[ERROR_PROPERTIES];
    double read_counts, read_grows;
    bool by_products;
};

/* Of one source's share, what lies beyond each end, so that ranges of few sources are wider. */
#define BEYOND 0.3

/* In the order of enum error_property. */
static const struct lens lenses[] = {
    [ERROR_TIMES] = {{0.5, 0.5, 0.25, 0.25}, {1, 0.5, 1, 1}, 1.0 / 12, 1.5, true},
    [ERROR_PEAKS] = {{1, 0.5, 0.25, 1}, {1, 0.5, 0.25, 1}, 1, 1, false},
};

/* The same of one range for all runs. */
static struct lens one_range(const struct lens *lens)
{
    return (struct lens){{1, 1, 1, 1}, {1, 1, 1, 1}, lens->read_counts, lens->read_grows, false};
}

static bool counts(enum error_subject subject, const struct result *r)
{
    const bool peak =
        r->kind == FIGURE_ALLOCATED || r->kind == FIGURE_RESERVED || r->kind == FIGURE_USED;
    return (subject == ERROR_PEAKS ? peak : r->kind == FIGURE_STEP) && isfinite(r->error);
}

/* The natural logarithm of measured over predicted; of steps as they came, where nobody had read
 * the source: what is read afterwards is near to its predictions. */
static double error_of(const struct result *r)
{
    return -log1p(r->kind == FIGURE_STEP && isfinite(r->came_error) ? r->came_error : r->error);
}

static const char *source_of(const struct result *r)
{
    return r->class_of[CLASS_SOURCE];
}

/* ---- lessons ---- */

struct sample {
    const struct result *result;
    double error;  /* ln of measured over predicted, as of a step of products */
    double weight; /* of a class that it is in */
    int source;
    int of[ERROR_PROPERTIES];
};

struct lesson {
    enum error_subject subject;
    const struct lens *lens;
    size_t sources, samples;
    const char **source;   /* (sources) sorted */
    uint64_t *came;        /* (sources) when each was predicted before anybody had read it, or 0 */
    bool *out;             /* (sources) what is not learned from */
    struct sample *sample; /* (samples) by their errors */
    double *of_source;     /* (sources) room */
    double *weight;        /* (samples) room */
};

static int by_error(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->error != y->error) return x->error < y->error ? -1 : 1;
    return (x->result > y->result) - (x->result < y->result);
}

static int number_of(const struct lesson *lesson, const char *source)
{
    for (size_t i = 0; i < lesson->sources; i++)
        if (strcmp(lesson->source[i], source) == 0) return (int)i;
    return -1;
}

static double width_of(const struct lens *lens, const struct result *r)
{
    return lens->by_products ? error_width(r->products) : 1;
}

static struct sample sample_of(const struct lesson *lesson, const struct result *r)
{
    const struct error_request request = error_request_of(r);
    const double error = error_of(r) / width_of(lesson->lens, r);
    struct sample sample = {r,
                            error * (r->came ? 1 : lesson->lens->read_grows),
                            r->came ? 1 : lesson->lens->read_counts,
                            number_of(lesson, source_of(r)),
                            {0}};
    error_properties(&request, sample.of);
    return sample;
}

/* Each source counts once. */
static void share_out(struct lesson *lesson)
{
    memset(lesson->of_source, 0, (lesson->sources + 1) * sizeof *lesson->of_source);
    for (size_t i = 0; i < lesson->samples; i++)
        lesson->of_source[lesson->sample[i].source]++;
    for (size_t i = 0; i < lesson->samples; i++)
        lesson->sample[i].weight /= lesson->of_source[lesson->sample[i].source];
}

static enum rk_status lesson_begin(struct lesson *lesson, const struct results *results,
                                   enum error_subject subject, const struct lens *lens,
                                   struct rk_error *error)
{
    *lesson = (struct lesson){.subject = subject, .lens = lens};
    lesson->source = class_names(results, CLASS_SOURCE, &lesson->sources);
    lesson->came = calloc(lesson->sources + 1, sizeof *lesson->came);
    lesson->out = calloc(lesson->sources + 1, sizeof *lesson->out);
    lesson->sample = malloc((results->count + 1) * sizeof *lesson->sample);
    lesson->of_source = malloc((lesson->sources + 1) * sizeof *lesson->of_source);
    lesson->weight = malloc((results->count + 1) * sizeof *lesson->weight);
    if (!lesson->source || !lesson->came || !lesson->out || !lesson->sample || !lesson->of_source ||
        !lesson->weight)
        return no_memory(error);
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        if (!counts(subject, r)) continue;
        lesson->sample[lesson->samples] = sample_of(lesson, r);
        lesson->came[lesson->sample[lesson->samples++].source] = r->came;
    }
    share_out(lesson);
    qsort(lesson->sample, lesson->samples, sizeof *lesson->sample, by_error);
    return RK_OK;
}

static void lesson_end(struct lesson *lesson)
{
    free(lesson->source);
    free(lesson->came);
    free(lesson->out);
    free(lesson->sample);
    free(lesson->of_source);
    free(lesson->weight);
}

/* ---- one class ---- */

/* What a sample counts in a class: less for each of the class's properties that it lacks. */
static double weight_in(const struct sample *s, const int of[ERROR_PROPERTIES],
                        const double factor[ERROR_PROPERTIES])
{
    double weight = s->weight;
    for (int i = 0; i < ERROR_PROPERTIES; i++)
        if (of[i] >= 0 && s->of[i] != of[i]) weight *= factor[i];
    return weight;
}

static bool is_in(const struct sample *s, const int of[ERROR_PROPERTIES])
{
    for (int i = 0; i < ERROR_PROPERTIES; i++)
        if (of[i] >= 0 && s->of[i] != of[i]) return false;
    return true;
}

/* What all samples count in a class, and how many sources' worth that is [kish1965]: no more than
 * they count, of which a source that nobody had read is one. */
struct weighed {
    double all, sources;
};

static struct weighed weigh(const struct lesson *lesson, const int of[ERROR_PROPERTIES],
                            const double factor[ERROR_PROPERTIES])
{
    struct weighed w = {0, 0};
    double squares = 0;
    memset(lesson->of_source, 0, (lesson->sources + 1) * sizeof *lesson->of_source);
    for (size_t i = 0; i < lesson->samples; i++) {
        const struct sample *s = &lesson->sample[i];
        lesson->weight[i] = lesson->out[s->source] ? 0 : weight_in(s, of, factor);
        lesson->of_source[s->source] += lesson->weight[i];
    }
    for (size_t i = 0; i < lesson->sources; i++) {
        w.all += lesson->of_source[i];
        squares += lesson->of_source[i] * lesson->of_source[i];
    }
    w.sources = fmin(w.all, w.all * w.all / squares);
    return w;
}

/* The error below which `share` of the weight lies, and at the sides BEYOND of one source's more.
 */
static double error_at(const struct lesson *lesson, const struct weighed *w, double share)
{
    const double beyond = BEYOND * ((share > 0.5) - (share < 0.5));
    const double at = w->all * (share + beyond / (w->sources + 1));
    double sum = 0, last = 0;
    for (size_t i = 0; i < lesson->samples && (sum == 0 || sum < at); i++) {
        if (!(lesson->weight[i] > 0)) continue;
        sum += lesson->weight[i];
        last = lesson->sample[i].error;
    }
    return last;
}

/* The two ends, or what lies between them. */
static void learn_ratios(struct error_class *c, const struct lesson *lesson,
                         const int of[ERROR_PROPERTIES], bool ends)
{
    const double *factor = ends ? lesson->lens->ends : lesson->lens->middle;
    const struct weighed w = weigh(lesson, of, factor);
    for (int i = 0; i < ERROR_SHARES; i++)
        if ((i == 0 || i == ERROR_SHARES - 1) == ends)
            c->ratio[i] = exp(error_at(lesson, &w, error_shares[i]));
}

/* How many runs and sources are in a class. */
static void count_class(struct error_class *c, const struct lesson *lesson,
                        const int of[ERROR_PROPERTIES])
{
    memset(lesson->of_source, 0, (lesson->sources + 1) * sizeof *lesson->of_source);
    for (size_t i = 0; i < lesson->samples; i++) {
        const struct sample *s = &lesson->sample[i];
        if (lesson->out[s->source] || !is_in(s, of)) continue;
        c->runs++;
        c->sources += lesson->of_source[s->source]++ == 0;
    }
}

static void learn_class(struct error_bars *bars, const struct lesson *lesson,
                        const int of[ERROR_PROPERTIES])
{
    struct error_class c = {.runs = 0};
    error_class_name(lesson->subject, of, c.of);
    for (int i = 0; i < bars->classes; i++)
        if (strcmp(bars->class_of[i].of, c.of) == 0) return;
    count_class(&c, lesson, of);
    if (c.runs == 0) return;
    learn_ratios(&c, lesson, of, true);
    learn_ratios(&c, lesson, of, false);
    c.ratio[0] = fmin(c.ratio[0], c.ratio[1]);
    c.ratio[ERROR_SHARES - 1] = fmax(c.ratio[ERROR_SHARES - 1], c.ratio[ERROR_SHARES - 2]);
    RK_REQUIRE(bars->classes < ERROR_BAR_CLASSES);
    bars->class_of[bars->classes++] = c;
}

/* ---- all classes ---- */

/* Of a run: at each level, with how it was published or without. */
static void learn_levels(struct error_bars *bars, const struct lesson *lesson,
                         const struct sample *s, bool published)
{
    int of[ERROR_PROPERTIES];
    for (int level = 0;; level++) {
        memcpy(of, s->of, sizeof of);
        if (!published) of[OF_PUBLISHED] = -1;
        if (!error_level(lesson->subject, level, of)) return;
        learn_class(bars, lesson, of);
    }
}

/* Runs of a kind learn the same classes: those of one of them, in the order of the results. */
static bool is_first(const struct lesson *lesson, size_t k)
{
    for (size_t i = 0; i < lesson->samples; i++)
        if (memcmp(lesson->sample[i].of, lesson->sample[k].of, sizeof lesson->sample[k].of) == 0)
            return i == k;
    return false;
}

static void learn_classes(struct error_bars *bars, const struct lesson *lesson, bool published)
{
    for (size_t i = 0; i < lesson->samples; i++) {
        if (!is_first(lesson, i)) continue;
        learn_levels(bars, lesson, &lesson->sample[i], false);
        if (published) learn_levels(bars, lesson, &lesson->sample[i], true);
    }
}

/* Of times and peaks; `published`: benchmarks and ordinary runs apart as well. */
static enum rk_status learn_subjects(struct error_bars *bars, const struct results *results,
                                     const char *without, bool published, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int i = ERROR_TIMES; status == RK_OK && i <= ERROR_PEAKS; i++) {
        struct lesson lesson;
        status = lesson_begin(&lesson, results, (enum error_subject)i, &lenses[i], error);
        const int out = status == RK_OK && without ? number_of(&lesson, without) : -1;
        if (out >= 0) lesson.out[out] = true;
        if (status == RK_OK) learn_classes(bars, &lesson, published);
        lesson_end(&lesson);
    }
    return status;
}

enum rk_status error_bars_without(struct error_bars *bars, const struct results *results,
                                  const char *source, struct rk_error *error)
{
    memset(bars, 0, sizeof *bars);
    return learn_subjects(bars, results, source, false, error);
}

/* ---- what was validated ---- */

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

static void learn_run(struct error_bars *bars, const struct error_request *request)
{
    char names[MOST_CHOICES][CHOICE_TEXT];
    const char *of;
    double value;
    for (int i = 0; (of = error_range_of(i, request, &value)); i++) {
        struct error_range *range = &bars->range[i];
        if (i == bars->ranges) {
            *range = (struct error_range){.least = value, .most = value};
            snprintf(range->of, sizeof range->of, "%s", of);
            bars->ranges++;
        }
        range->least = fmin(range->least, value);
        range->most = fmax(range->most, value);
    }
    const int count =
        choices_of(request->model, request->plan, accelerator_generation(request->system), names);
    for (int i = 0; i < count; i++)
        learn_choice(bars, names[i]);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct error_class *)a)->of, ((const struct error_class *)b)->of);
}

enum rk_status error_bars_learn(struct error_bars *bars, const struct results *results,
                                struct rk_error *error)
{
    memset(bars, 0, sizeof *bars);
    for (size_t k = 0; k < results->count; k++) {
        const struct error_request request = error_request_of(&results->result[k]);
        if (counts(ERROR_TIMES, &results->result[k])) learn_run(bars, &request);
    }
    const enum rk_status status = learn_subjects(bars, results, NULL, true, error);
    qsort(bars->class_of, (size_t)bars->classes, sizeof *bars->class_of, by_name);
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

/* As a plan is asked for: how it will be published is not known. */
static bool bar_of(const struct error_bars *bars, const struct result *r, struct error_class *bar)
{
    struct error_request request = error_request_of(r);
    request.published = PUBLISHED_UNKNOWN;
    if (r->kind == FIGURE_STEP) return error_bar_of(bars, &request, bar);
    const bool peak =
        r->kind == FIGURE_ALLOCATED || r->kind == FIGURE_RESERVED || r->kind == FIGURE_USED;
    return peak && error_bar_of_memory(bars, &request, bar);
}

void results_range(struct results *results, const struct error_bars *bars, const char *source)
{
    for (size_t i = 0; i < results->count; i++) {
        struct result *r = &results->result[i];
        struct error_class bar;
        if (isnan(r->predicted) || (source && strcmp(source_of(r), source) != 0)) continue;
        if (!bar_of(bars, r, &bar)) continue;
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

/* ---- how often ranges hold ---- */

struct held {
    size_t runs;
    double half, most, score;
};

static double interval_score(double low, double high, double error)
{
    return high - low + 20 * fmax(0, fmax(low - error, error - high));
}

static void add_held(struct held *held, const struct result *r, const struct error_class *c,
                     double width)
{
    const double error = error_of(r);
    double at[ERROR_SHARES];
    for (int i = 0; i < ERROR_SHARES; i++)
        at[i] = width * log(c->ratio[i]);
    held->runs++;
    held->half += error >= at[1] && error <= at[3];
    held->most += error >= at[0] && error <= at[4];
    held->score += interval_score(at[0], at[4], error);
}

/* The classes that the runs of a source ask for, and how often they hold. */
static void try_source(struct error_bars *bars, const struct lesson *lesson, int source,
                       struct held *held)
{
    for (size_t i = 0; i < lesson->samples; i++) {
        const struct sample *s = &lesson->sample[i];
        int of[ERROR_PROPERTIES];
        char name[128];
        const struct error_class *found = NULL;
        for (int level = 0; s->source == source && !found; level++) {
            memcpy(of, s->of, sizeof of);
            of[OF_PUBLISHED] = -1;
            if (!error_level(lesson->subject, level, of)) break;
            learn_class(bars, lesson, of);
            error_class_name(lesson->subject, of, name);
            for (int k = 0; k < bars->classes && !found; k++)
                if (strcmp(bars->class_of[k].of, name) == 0) found = &bars->class_of[k];
        }
        if (found) add_held(held, s->result, found, width_of(lesson->lens, s->result));
    }
}

static bool is_tried(const struct lesson *lesson, size_t source, enum error_trial trial)
{
    if (trial == TRIAL_EACH) return true;
    return lesson->came[source];
}

/* Of the sources that came unread, by name: every third. */
static size_t third_of(const struct lesson *lesson, size_t source)
{
    size_t before = 0;
    for (size_t i = 0; i < source; i++)
        before += lesson->came[i] != 0;
    return before % 3;
}

/* Whose runs the ranges of this source are not learned from. */
static void leave_out(const struct lesson *lesson, size_t source, enum error_trial trial)
{
    for (size_t i = 0; i < lesson->sources; i++) {
        const bool together = lesson->came[i] && lesson->came[source];
        lesson->out[i] =
            i == source ||
            (trial == TRIAL_OLDER && together && lesson->came[i] >= lesson->came[source]) ||
            (trial == TRIAL_THIRDS && together && third_of(lesson, i) == third_of(lesson, source));
    }
}

/* Learned from the others; the means over the runs of each source. */
static void try_sources(struct error_bars *bars, const struct lesson *lesson,
                        enum error_trial trial, struct error_coverage *coverage)
{
    for (size_t i = 0; i < lesson->sources; i++) {
        struct held held = {0};
        if (!is_tried(lesson, i, trial)) continue;
        leave_out(lesson, i, trial);
        bars->classes = 0;
        try_source(bars, lesson, (int)i, &held);
        if (held.runs == 0) continue;
        const double runs = (double)held.runs;
        coverage->sources++;
        coverage->half += held.half / runs;
        coverage->most += held.most / runs;
        coverage->score += held.score / runs;
        coverage->runs += held.runs;
        coverage->half_of_runs += held.half;
        coverage->most_of_runs += held.most;
    }
    const double sources = fmax(1, (double)coverage->sources);
    coverage->half /= sources;
    coverage->most /= sources;
    coverage->score /= sources;
    coverage->half_of_runs /= fmax(1, (double)coverage->runs);
    coverage->most_of_runs /= fmax(1, (double)coverage->runs);
}

/* ---- one range, with all answers known ---- */

struct answer {
    double error, weight;
};

static int by_answer(const void *a, const void *b)
{
    const struct answer *x = a, *y = b;
    return (x->error > y->error) - (x->error < y->error);
}

/* The runs that are tried, sorted, each source of weight 1; `answer` has room for all. */
static size_t list_answers(const struct lesson *lesson, enum error_trial trial,
                           struct answer *answer)
{
    size_t count = 0;
    memset(lesson->of_source, 0, (lesson->sources + 1) * sizeof *lesson->of_source);
    for (size_t i = 0; i < lesson->samples; i++)
        lesson->of_source[lesson->sample[i].source]++;
    for (size_t i = 0; i < lesson->samples; i++) {
        const struct sample *s = &lesson->sample[i];
        if (is_tried(lesson, (size_t)s->source, trial))
            answer[count++] =
                (struct answer){error_of(s->result), 1 / lesson->of_source[s->source]};
    }
    qsort(answer, count, sizeof *answer, by_answer);
    return count;
}

static double answer_at(const struct answer *answer, size_t count, double share, double all)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += answer[i].weight;
        if (sum >= share * all) return answer[i].error;
    }
    return 0;
}

/* Of the range between their outer quantiles, which no other one betters [gneiting2007]. */
static double best_score(const struct answer *answer, size_t count)
{
    double all = 0, score = 0;
    for (size_t i = 0; i < count; i++)
        all += answer[i].weight;
    const double low = answer_at(answer, count, error_shares[0], all);
    const double high = answer_at(answer, count, error_shares[ERROR_SHARES - 1], all);
    for (size_t i = 0; i < count; i++)
        score += answer[i].weight * interval_score(low, high, answer[i].error);
    return score / fmax(1, all);
}

enum rk_status error_bars_coverage(const struct results *results, enum error_subject subject,
                                   enum error_trial trial, struct error_coverage *coverage,
                                   struct rk_error *error)
{
    const struct lens one = one_range(&lenses[subject]), *lens[] = {&one, &lenses[subject]};
    struct error_bars *bars = malloc(sizeof *bars);
    struct answer *answer = malloc((results->count + 1) * sizeof *answer);
    enum rk_status status = bars && answer ? RK_OK : no_memory(error);
    double score[2] = {0, 0}; /* of one range for all, and as they are */
    for (int i = 0; status == RK_OK && i < 2; i++) {
        struct lesson lesson;
        *coverage = (struct error_coverage){0};
        status = lesson_begin(&lesson, results, subject, lens[i], error);
        if (status == RK_OK) {
            try_sources(bars, &lesson, trial, coverage);
            coverage->best = best_score(answer, list_answers(&lesson, trial, answer));
        }
        score[i] = coverage->score;
        lesson_end(&lesson);
    }
    coverage->one = score[0];
    free(answer);
    free(bars);
    return status;
}
