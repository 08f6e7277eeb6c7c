#include "facts/likeness.h"
#include "facts/error_learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of docs/accuracy.md: errors of left-out sources are flat around all of them. */
static const double noise = 0.15, of_doubling = 0.2, of_microbatch = 0.5, of_choice = 0.5;

/* ---- distance ---- */

static double doublings(double a, double b)
{
    return a > 0 && b > 0 ? fabs(log2(a / b)) : 0;
}

static double sizes_apart(const struct result *a, const struct result *b)
{
    const struct rk_plan *p = &a->judgement.plan, *q = &b->judgement.plan;
    const double pairs[][2] = {{(double)a->gpus, (double)b->gpus},
                               {(double)p->sequence, (double)q->sequence},
                               {(double)p->tensor, (double)q->tensor},
                               {(double)p->pipeline, (double)q->pipeline},
                               {(double)p->chunks, (double)q->chunks},
                               {(double)p->context, (double)q->context},
                               {(double)p->expert, (double)q->expert},
                               {(double)a->model.hidden, (double)b->model.hidden},
                               {(double)a->model.layers, (double)b->model.layers}};
    double sum = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        sum += of_doubling * doublings(pairs[i][0], pairs[i][1]);
    return sum + of_microbatch * doublings((double)p->microbatch, (double)q->microbatch);
}

static double choices_apart(const struct result *a, const struct result *b)
{
    const struct rk_plan *p = &a->judgement.plan, *q = &b->judgement.plan;
    const int differ = (strcmp(a->system, b->system) != 0) + (p->precision != q->precision) +
                       (p->recompute != q->recompute) + (p->attention != q->attention) +
                       (p->zero != q->zero) +
                       (strcmp(a->class_of[CLASS_FAMILY], b->class_of[CLASS_FAMILY]) != 0);
    return of_choice * differ;
}

double likeness(const struct result *a, const struct result *b)
{
    return exp(-sizes_apart(a, b) - choices_apart(a, b));
}

/* ---- the mean given some ---- */

static bool is_step(const struct result *r)
{
    return r->kind == FIGURE_STEP && isfinite(log(r->measured_si / r->predicted_si));
}

/* Cholesky's factor of a, symmetric and positive definite, in its place: the lower triangle. */
static void factorise(size_t n, double *a)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
}

/* Solves a x = b by that factor, in place in b: the first half, and the second. */
static void forth(size_t n, const double *a, double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
}

static void back(size_t n, const double *a, double *b)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
}

static void weigh(size_t n, const struct result *const *given, double *matrix, double *weight)
{
    for (size_t i = 0; i < n; i++) {
        weight[i] = log(given[i]->measured_si / given[i]->predicted_si);
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] = likeness(given[i], given[j]) + (i == j ? noise : 0);
    }
    factorise(n, matrix);
    forth(n, matrix, weight);
    back(n, matrix, weight);
}

static double corrected(const struct result *r, size_t n, const struct result *const *given,
                        const double *weight)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weight[i] * likeness(r, given[i]);
    return exp(sum);
}

/* Of the variance of a measurement, 1 + noise, what those that are given leave: without
 * |L^-1 k|^2, [rasmussen2006], eq. 2.24. `work` has room for n. */
static double left_of(const struct result *r, size_t n, const struct result *const *given,
                      const double *factor, double *work)
{
    double known = 0;
    for (size_t i = 0; i < n; i++)
        work[i] = likeness(r, given[i]);
    forth(n, factor, work);
    for (size_t i = 0; i < n; i++)
        known += work[i] * work[i];
    return fmax(0, 1 - known / (1 + noise));
}

static bool among(const struct result *r, size_t n, const struct result *const *given)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(r->id, given[i]->id) == 0) return true;
    return false;
}

static void correct(struct result *r, double factor)
{
    r->predicted_si *= factor;
    r->predicted *= r->rate ? 1 / factor : factor;
    r->error = r->predicted_si / r->measured_si - 1;
    r->judgement.step_s *= factor;
}

/* The steps among results, and their weights. */
struct weighed {
    size_t n;
    const struct result **step; /* (n) */
    double *matrix;             /* (n, n) factor of their covariance */
    double *weight;             /* (2 n) and room for as many */
};

static void weighed_release(struct weighed *w)
{
    free(w->step);
    free(w->matrix);
    free(w->weight);
}

static enum rk_status weighed_open(struct weighed *w, const struct results *given,
                                   struct rk_error *error)
{
    *w = (struct weighed){.step = malloc((given->count + 1) * sizeof *w->step)};
    if (!w->step)
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the runs that are given");
    for (size_t i = 0; i < given->count; i++)
        if (is_step(&given->result[i])) w->step[w->n++] = &given->result[i];
    if (w->n == 0)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "`given`: none of its rows has a time of a step that can be predicted");
    if (w->n > LIKENESS_STEPS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "`given`: %zu measured steps, more than %d: give those that are like the "
                       "plans in question",
                       w->n, LIKENESS_STEPS);
    w->matrix = malloc(w->n * w->n * sizeof *w->matrix);
    w->weight = malloc(2 * w->n * sizeof *w->weight);
    const bool good = w->matrix && w->weight;
    if (good) weigh(w->n, w->step, w->matrix, w->weight);
    return good ? RK_OK
                : rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the runs that are given");
}

enum rk_status results_correct(struct results *results, const struct results *given,
                               struct rk_error *error)
{
    struct weighed w;
    const enum rk_status status = weighed_open(&w, given, error);
    for (size_t i = 0; status == RK_OK && i < results->count; i++) {
        struct result *r = &results->result[i];
        if (!is_step(r) || among(r, w.n, w.step)) continue;
        r->left = left_of(r, w.n, w.step, w.matrix, w.weight + w.n);
        correct(r, corrected(r, w.n, w.step, w.weight));
    }
    weighed_release(&w);
    return status;
}

enum rk_status likeness_of_plan(const struct results *given, const struct rk_model *model,
                                const char *system, const struct rk_plan *plan,
                                struct likeness_says *says, struct rk_error *error)
{
    struct weighed w;
    *says = (struct likeness_says){.factor = 1, .left = 1};
    struct result *asked = calloc(1, sizeof *asked);
    enum rk_status status = weighed_open(&w, given, error);
    if (status == RK_OK && !asked)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the runs that are given");
    if (status == RK_OK) {
        asked->gpus = plan->ranks;
        asked->model = *model;
        asked->judgement.plan = *plan;
        snprintf(asked->system, sizeof asked->system, "%s", system);
        for (size_t i = 0; i < w.n; i++)
            if (w.step[i]->model.hidden == model->hidden &&
                w.step[i]->model.layers == model->layers)
                memcpy(asked->class_of[CLASS_FAMILY], w.step[i]->class_of[CLASS_FAMILY], FACT_TEXT);
        for (size_t i = 0; i < w.n; i++)
            says->nearest = fmax(says->nearest, likeness(asked, w.step[i]));
        says->steps = w.n;
        says->factor = corrected(asked, w.n, w.step, w.weight);
        says->left = left_of(asked, w.n, w.step, w.matrix, w.weight + w.n);
    }
    free(asked);
    weighed_release(&w);
    return status;
}

/* ---- how far that goes ---- */

enum { DRAWS = 40, MOST_GIVEN = 16 };

/* A generator of its own, so that the draws are the same everywhere (xorshift, [marsaglia2003]). */
static uint64_t drawn(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % below;
}

/* Puts `given` of the list in front. */
static void draw(const struct result **list, size_t count, size_t given, uint64_t *state)
{
    for (size_t i = 0; i < given; i++) {
        const size_t at = i + (size_t)drawn(state, count - i);
        const struct result *other = list[at];
        list[at] = list[i];
        list[i] = other;
    }
}

/* What error bars that never saw the source say of one of its steps: [0] is where the range of 50 %
 * ends, [1] that of 90 %. */
struct told {
    bool any;
    struct error_class bar;
};

static bool holds(const struct told *told, double left, double measured_over_corrected, bool most)
{
    struct error_class bar = told->bar;
    error_bar_narrow(&bar, left);
    return measured_over_corrected >= bar.ratio[most ? 0 : 1] &&
           measured_over_corrected <= bar.ratio[most ? 4 : 3];
}

static void add_draw(struct given_score *of, const struct result *const *list, size_t count,
                     const struct told *told, const struct result *first)
{
    double matrix[MOST_GIVEN * MOST_GIVEN], weight[MOST_GIVEN], work[MOST_GIVEN], mean = 0;
    const size_t n = of->given;
    for (size_t i = 0; i < n; i++)
        mean += log(list[i]->measured_si / list[i]->predicted_si) / (double)n;
    weigh(n, list, matrix, weight);
    for (size_t i = n; i < count; i++) {
        const double ratio = list[i]->predicted_si / list[i]->measured_si;
        const double likely = ratio * corrected(list[i], n, list, weight);
        const double share = 1.0 / DRAWS / (double)(count - n);
        const double left = left_of(list[i], n, list, matrix, work);
        const struct told *t = &told[list[i] - first];
        of->none += share * fabs(ratio - 1);
        of->factor += share * fabs(ratio * exp(mean) - 1);
        of->likeness += share * fabs(likely - 1);
        of->half += share * (t->any && holds(t, left, 1 / likely, false));
        of->most += share * (t->any && holds(t, left, 1 / likely, true));
    }
}

/* Of the steps of one source; `told` has room for all results. */
static enum rk_status tell(const struct results *results, const char *source, struct told *told,
                           struct error_bars *bars, struct rk_error *error)
{
    const enum rk_status status = error_bars_without(bars, results, source, error);
    for (size_t i = 0; status == RK_OK && i < results->count; i++) {
        const struct result *r = &results->result[i];
        struct error_request request = error_request_of(r);
        request.published = PUBLISHED_UNKNOWN;
        if (is_step(r) && strcmp(r->class_of[CLASS_SOURCE], source) == 0)
            told[i].any = error_bar_of(bars, &request, &told[i].bar);
    }
    return status;
}

/* Mean over sources. */
static void share_out(struct given_score *score)
{
    double *const sums[] = {&score->none, &score->factor, &score->likeness, &score->half,
                            &score->most};
    for (size_t i = 0; score->sources > 0 && i < sizeof sums / sizeof *sums; i++)
        *sums[i] /= (double)score->sources;
}

enum rk_status given_score_of(const struct results *results, size_t rows, size_t given,
                              struct given_score *score, struct rk_error *error)
{
    const struct result **list = malloc((results->count + 1) * sizeof *list);
    struct told *told = calloc(results->count + 1, sizeof *told);
    struct error_bars *bars = malloc(sizeof *bars);
    size_t sources = 0;
    const char **names = class_names(results, CLASS_SOURCE, &sources);
    enum rk_status status = RK_OK;
    *score = (struct given_score){.given = given < MOST_GIVEN ? given : MOST_GIVEN};
    if (!list || !told || !bars || !names)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the statistics");
    for (size_t i = 0; status == RK_OK && i < sources; i++) {
        size_t count = 0;
        uint64_t state = 88172645463325252;
        for (size_t k = 0; k < results->count; k++) {
            const struct result *r = &results->result[k];
            if (is_step(r) && strcmp(r->class_of[CLASS_SOURCE], names[i]) == 0) list[count++] = r;
        }
        if (count < rows || count <= score->given) continue;
        score->sources++;
        status = tell(results, names[i], told, bars, error);
        for (int k = 0; status == RK_OK && k < DRAWS; k++) {
            draw(list, count, score->given, &state);
            add_draw(score, list, count, told, results->result);
        }
    }
    free(list);
    free(told);
    free(bars);
    free(names);
    share_out(score);
    return status;
}
