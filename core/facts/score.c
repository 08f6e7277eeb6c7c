/* score.c - statistics of errors, and planner regret. */
#include "base/memory.h"
#include "facts/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

static int by_size(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return fabs(sorted[below]) + (at - (double)below) * (fabs(sorted[above]) - fabs(sorted[below]));
}

struct score score_errors(double *errors, size_t count)
{
    struct score s = {.count = count};
    if (count == 0) return s;
    qsort(errors, count, sizeof *errors, by_size);
    for (size_t i = 0; i < count; i++) {
        s.signed_mean += errors[i] / (double)count;
        s.mean += fabs(errors[i]) / (double)count;
    }
    s.median = percentile(errors, count, 0.5);
    s.p90 = percentile(errors, count, 0.9);
    s.worst = fabs(errors[count - 1]);
    return s;
}

enum rk_status score_of(const struct results *results, result_filter filter, const void *context,
                        struct score *score, struct rk_error *error)
{
    double *errors = malloc((results->count + 1) * sizeof *errors);
    if (!errors) return no_memory(error);
    const struct result *worst = NULL;
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        if (!isfinite(r->error) || !filter(r, context)) continue;
        errors[count++] = r->error;
        if (!worst || fabs(r->error) > fabs(worst->error)) worst = r;
    }
    *score = score_errors(errors, count);
    score->worst_of = worst;
    free(errors);
    return RK_OK;
}

/* ---- sources ---- */

/* The 97.5 % quantile of Student's t [abramowitz1964, 26.7.5]; within 2 % from 4 degrees on. */
static double student(double degrees)
{
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
    return z + (z3 + z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees);
}

/* Mean |error| of the results of the source that result i is of, if it is its first; else NAN. */
static double mean_of_source(const struct results *results, const double *error, size_t i)
{
    const char *source = results->result[i].class_of[CLASS_SOURCE];
    double sum = 0;
    size_t rows = 0;
    for (size_t k = 0; k < results->count; k++) {
        if (isnan(error[k]) || strcmp(results->result[k].class_of[CLASS_SOURCE], source) != 0)
            continue;
        if (k < i) return NAN;
        sum += fabs(error[k]);
        rows++;
    }
    return sum / (double)rows;
}

struct source_mean source_mean_of(const struct results *results, const double *error)
{
    struct source_mean m = {.within = NAN};
    double squares = 0;
    for (size_t i = 0; i < results->count; i++) {
        if (isnan(error[i])) continue;
        m.rows++;
        m.mean += fabs(error[i]);
        const double own = mean_of_source(results, error, i);
        if (isnan(own)) continue;
        m.sources++;
        m.of_sources += own;
        squares += own * own;
    }
    if (m.rows) m.mean /= (double)m.rows;
    if (m.sources) m.of_sources /= (double)m.sources;
    const double n = (double)m.sources;
    if (m.sources > 1)
        m.within =
            student(n - 1) * sqrt(fmax(0, squares / n - m.of_sources * m.of_sources) / (n - 1));
    return m;
}

/* ---- classes ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **class_names(const struct results *results, enum fact_class of, size_t *count)
{
    const char **names = malloc((results->count + 1) * sizeof *names);
    size_t distinct = 0;
    *count = 0;
    if (!names) return NULL;
    for (size_t i = 0; i < results->count; i++)
        names[i] = results->result[i].class_of[of];
    qsort(names, results->count, sizeof *names, by_name);
    for (size_t i = 0; i < results->count; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0) names[distinct++] = names[i];
    *count = distinct;
    return names;
}

/* ---- regret ---- */

static bool in_group(const struct result *r)
{
    return (r->kind == FIGURE_STEP || r->kind == FIGURE_OOM) && r->group[0] &&
           r->verdict != RESULT_UNMODELLED && isfinite(r->predicted_si);
}

static bool is_oom(const struct result *r)
{
    return r->kind == FIGURE_OOM;
}

/* The same strategy, measured again: by another release, another team. */
static bool alike(const struct result *a, const struct result *b)
{
    return fabs(a->predicted_si - b->predicted_si) <= 1e-9 * b->predicted_si;
}

/* Does the prediction rank `a` before `b`? Of one strategy the fastest run stands for it. */
static bool ranks_before(const struct result *a, const struct result *b)
{
    const bool fits_a = a->judgement.verdict == RK_FITS, fits_b = b->judgement.verdict == RK_FITS;
    if (fits_a != fits_b) return fits_a;
    if (!alike(a, b)) return a->predicted_si < b->predicted_si;
    return !is_oom(a) && (is_oom(b) || a->measured_si < b->measured_si);
}

static void join(struct regret *g, const struct result *r)
{
    g->plans++;
    if (!g->first || ranks_before(r, g->first)) g->first = r;
    if (!is_oom(r) && (!g->best || r->measured_si < g->best->measured_si)) g->best = r;
}

/* By group, then by prediction, then by row. */
static int by_group(const void *a, const void *b)
{
    const struct result *x = *(const struct result *const *)a,
                        *y = *(const struct result *const *)b;
    const int order = strcmp(x->group, y->group);
    if (order) return order;
    if (x->predicted_si != y->predicted_si) return x->predicted_si < y->predicted_si ? -1 : 1;
    return (x > y) - (x < y);
}

/* Groups of `sorted` results in which two strategies or more were measured. */
static size_t gather(const struct result **sorted, size_t count, struct regret *groups)
{
    size_t kept = 0;
    for (size_t i = 0; i < count;) {
        struct regret g = {.group = sorted[i]->group};
        const struct result *last = NULL; /* measured */
        size_t measured = 0;
        for (; i < count && strcmp(sorted[i]->group, g.group) == 0; i++) {
            join(&g, sorted[i]);
            if (is_oom(sorted[i])) continue;
            measured += !last || !alike(sorted[i], last);
            last = sorted[i];
        }
        if (measured < 2) continue;
        g.regret = is_oom(g.first) ? NAN : g.first->measured_si / g.best->measured_si - 1;
        groups[kept++] = g;
    }
    return kept;
}

enum rk_status regrets_of(const struct results *results, struct regret **regrets, size_t *count,
                          struct rk_error *error)
{
    const struct result **sorted = malloc((results->count + 1) * sizeof *sorted);
    *regrets = malloc((results->count + 1) * sizeof **regrets);
    *count = 0;
    if (!sorted || !*regrets) {
        free(sorted);
        free(*regrets);
        *regrets = NULL;
        return no_memory(error);
    }
    size_t members = 0;
    for (size_t i = 0; i < results->count; i++)
        if (in_group(&results->result[i])) sorted[members++] = &results->result[i];
    qsort(sorted, members, sizeof *sorted, by_group);
    *count = gather(sorted, members, *regrets);
    free(sorted);
    return RK_OK;
}
