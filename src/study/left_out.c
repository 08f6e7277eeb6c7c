#include "study/left_out.h"
#include "base/memory.h"
#include "catalog/kernels.h"
#include "facts/error_bar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors under several values of `sustained` ---- */

/* A step's time is nearly linear in 1 / sustained: a few values tell the others. */
static const double tried[] = {0.5, 0.6, 0.7, 0.85, 1.0};
enum { TRIED = sizeof tried / sizeof *tried };

struct tables {
    const struct facts *facts;
    double (*error)[TRIED]; /* (facts) log(predicted / measured); NAN: none */
};

static double log_error(const struct fact *fact)
{
    struct judgement j;
    judge(fact, &j);
    for (int i = 0; i < fact->figures; i++) {
        const struct figure *f = &fact->figure[i];
        if (f->kind != FIGURE_STEP || !j.timed) continue;
        const double measured_s = judge_measured(fact, f, &j);
        if (measured_s > 0 && j.step_s > 0) return log(j.step_s / measured_s);
    }
    return NAN;
}

static bool is_fitted_to(const struct fact *fact)
{
    return !fact->reason[0] && fact->model.experts == 0 && fact->figures > 0 &&
           fact->figure[0].kind == FIGURE_STEP;
}

static void fill(struct tables *tables, struct facts *facts)
{
    tables->facts = facts;
    for (size_t i = 0; i < facts->count; i++) {
        struct fact *fact = &facts->fact[i];
        double *sustained = &fact->system.kernels.sustained;
        const double kept = *sustained;
        for (int k = 0; k < TRIED; k++) {
            *sustained = tried[k];
            tables->error[i][k] = is_fitted_to(fact) ? log_error(fact) : NAN;
        }
        *sustained = kept;
    }
}

static double error_at(const double error[static TRIED], double sustained)
{
    int k = 0;
    while (k < TRIED - 2 && tried[k + 1] < sustained)
        k++;
    const double share = (1 / sustained - 1 / tried[k]) / (1 / tried[k + 1] - 1 / tried[k]);
    return error[k] + share * (error[k + 1] - error[k]);
}

/* ---- one accelerator without one source ---- */

static bool same_accelerator(const struct fact *a, const struct fact *b)
{
    const struct rk_kernels *x = &a->system.kernels, *y = &b->system.kernels;
    return x->multiprocessors == y->multiprocessors &&
           a->system.matrix[RK_BFLOAT16].peak_flops == b->system.matrix[RK_BFLOAT16].peak_flops;
}

static bool same_generation(const struct fact *a, const struct fact *b)
{
    const char *x = accelerator_generation(a->system.id), *y = accelerator_generation(b->system.id);
    return strcmp(x, y) == 0 && strcmp(x, "other") != 0;
}

static bool is_fit(const struct fact *fact)
{
    return strcmp(fact->class_of[CLASS_FIT], "fit") == 0;
}

static bool same_and_fit(const struct fact *a, const struct fact *b)
{
    return is_fit(a) && same_accelerator(a, b);
}

/* Whose runs stand for an accelerator: its own of the sources that constants are fitted to, its own
 * of all, those of its generation. */
typedef bool likeness(const struct fact *a, const struct fact *b);
static likeness *const nearest_first[] = {same_and_fit, same_accelerator, same_generation};

static const char *source_of(const struct fact *fact)
{
    return fact->class_of[CLASS_SOURCE];
}

/* A run that counts: of such an accelerator, of another source. Runs of one source stand together.
 */
static bool counts(const struct tables *tables, size_t i, const struct fact *like, likeness *alike)
{
    const struct fact *fact = &tables->facts->fact[i];
    return isfinite(tables->error[i][0]) && isfinite(tables->error[i][TRIED - 1]) &&
           strcmp(source_of(fact), source_of(like)) != 0 && alike(fact, like);
}

/* Mean over sources of their mean |error|; NAN: no source. */
static double objective(const struct tables *tables, const struct fact *like, likeness *alike,
                        double sustained)
{
    const struct facts *facts = tables->facts;
    double sum = 0;
    size_t sources = 0;
    for (size_t i = 0; i < facts->count;) {
        const char *source = source_of(&facts->fact[i]);
        double own = 0;
        size_t runs = 0;
        for (; i < facts->count && strcmp(source_of(&facts->fact[i]), source) == 0; i++) {
            if (!counts(tables, i, like, alike)) continue;
            own += fabs(error_at(tables->error[i], sustained));
            runs++;
        }
        if (runs == 0) continue;
        sum += own / (double)runs;
        sources++;
    }
    return sources ? sum / (double)sources : NAN;
}

static double preset(void)
{
    for (const struct field *f = kernels_fields; f->key; f++)
        if (strcmp(f->key, "sustained") == 0) return f->preset;
    return 1;
}

static double fit_without(const struct tables *tables, const struct fact *like)
{
    double best = preset(), least = NAN;
    likeness *alike = NULL;
    for (size_t i = 0; i < sizeof nearest_first / sizeof *nearest_first && isnan(least); i++) {
        alike = nearest_first[i];
        least = objective(tables, like, alike, best);
    }
    if (isnan(least)) return best;
    for (int percent = 50; percent <= 100; percent++) {
        const double sustained = percent / 100.0;
        const double error = objective(tables, like, alike, sustained);
        if (error < least) {
            least = error;
            best = sustained;
        }
    }
    return best;
}

/* ---- all ---- */

/* Sources that nothing was fitted to have the constants as they are. Facts of one source and
 * accelerator follow each other: what was fitted for the last one is kept.
 */
static void refit(const struct tables *tables, struct facts *bare)
{
    const struct fact *last = NULL;
    double value = 0;
    for (size_t i = 0; i < bare->count; i++) {
        struct fact *fact = &bare->fact[i];
        const bool times = fact->figures > 0 && fact->figure[0].kind == FIGURE_STEP;
        if (fact->reason[0] || !times || !is_fit(fact)) continue;
        if (!last || strcmp(source_of(last), source_of(fact)) != 0 || !same_accelerator(last, fact))
            value = fit_without(tables, fact);
        fact->system.kernels.sustained = value;
        last = fact;
    }
}

enum rk_status left_out(struct results *results, struct facts *facts, struct facts *bare,
                        struct rk_error *error)
{
    struct tables tables = {.error = malloc((facts->count + 1) * sizeof *tables.error)};
    if (!tables.error) return no_memory(error);
    fill(&tables, facts);
    refit(&tables, bare);
    free(tables.error);
    return results_add(results, bare, error);
}

/* ---- means of sources ---- */

struct one_source {
    const char *name;
    bool experts;
};

static bool in_source(const struct result *r, const void *context)
{
    const struct one_source *source = context;
    return (r->kind == FIGURE_STEP || r->kind == FIGURE_LAYER) &&
           (!source->experts || r->experts) && strcmp(r->class_of[CLASS_SOURCE], source->name) == 0;
}

static enum rk_status mean_of_means(const struct results *results, const char **names, size_t count,
                                    bool experts, double *mean, size_t *sources,
                                    struct rk_error *error)
{
    *mean = 0;
    *sources = 0;
    for (size_t i = 0; i < count; i++) {
        const struct one_source source = {names[i], experts};
        struct score s;
        const enum rk_status status = score_of(results, in_source, &source, &s, error);
        if (status != RK_OK) return status;
        if (s.count == 0) continue;
        *mean += s.mean;
        ++*sources;
    }
    if (*sources) *mean /= (double)*sources;
    return RK_OK;
}

enum rk_status source_means(const struct results *results, struct source_means *means,
                            struct rk_error *error)
{
    size_t count;
    const char **names = class_names(results, CLASS_SOURCE, &count);
    if (!names) return no_memory(error);
    enum rk_status status =
        mean_of_means(results, names, count, false, &means->all, &means->sources, error);
    if (status == RK_OK)
        status = mean_of_means(results, names, count, true, &means->experts, &means->expert_sources,
                               error);
    free(names);
    return status;
}
