#include "study/left_out.h"
#include "base/memory.h"
#include "facts/error_bar.h"
#include "study/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants that are fitted again ---- */

enum { TRIED = 5 };

/* A step's time is nearly linear in 1 / value: a few values tell the others. */
struct constant {
    const char *name; /* of the list "fitted" of the rules */
    bool dense_only;  /* it is fitted to dense runs */
    double usual;     /* counts as one source more: mean of the nine accelerators that have one of
                         their own; between fabrics of one owner, 0.9, and shared ones, 0.5 */
    double tried[TRIED];
    double *(*at)(struct rk_system *system); /* NULL: the system has none */
};

static double *sustained_of(struct rk_system *system)
{
    return &system->kernels.sustained;
}

static double *link_efficiency_of(struct rk_system *system)
{
    struct rk_link *link = system->networks ? &system->network[system->networks - 1].link : NULL;
    return link && link->efficiency > 0 ? &link->efficiency : NULL;
}

/* clang-format off */
static const struct constant constants[] = {
    {"sustained",       true,  0.75, {0.25, 0.4, 0.55, 0.75, 1.0}, sustained_of},
    {"link.efficiency", false, 0.7, {0.3, 0.4, 0.55, 0.75, 1.0}, link_efficiency_of},
};
/* clang-format on */
enum { CONSTANTS = sizeof constants / sizeof *constants };

/* ---- errors under several values ---- */

struct tables {
    const struct constant *constant;
    struct facts *facts;
    double (*error)[TRIED]; /* (facts) log(predicted / measured); NAN: none */
    bool *known;            /* (facts) */
};

static bool has_step(const struct fact *fact)
{
    return !fact->reason[0] && fact->figures > 0 && fact->figure[0].kind == FIGURE_STEP;
}

/* The errors of a fact, computed when they are first asked for; NULL: nothing is fitted to it. */
static const double *errors_of(const struct tables *tables, size_t i)
{
    struct fact *fact = &tables->facts->fact[i];
    double *value = has_step(fact) ? tables->constant->at(&fact->system) : NULL;
    if (!value || (tables->constant->dense_only && fact->model.experts)) return NULL;
    if (!tables->known[i]) {
        const double kept = *value;
        for (int k = 0; k < TRIED; k++) {
            *value = tables->constant->tried[k];
            tables->error[i][k] = fact_log_error(fact);
        }
        *value = kept;
        tables->known[i] = true;
    }
    const double *error = tables->error[i];
    return isfinite(error[0]) && isfinite(error[TRIED - 1]) ? error : NULL;
}

static double error_at(const struct constant *constant, const double error[static TRIED],
                       double value)
{
    const double *tried = constant->tried;
    int k = 0;
    while (k < TRIED - 2 && tried[k + 1] < value)
        k++;
    const double share = (1 / value - 1 / tried[k]) / (1 / tried[k + 1] - 1 / tried[k]);
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

/* Whose runs stand for an accelerator: its own of the sources that the constant was fitted to, its
 * own of all, those of its generation. */
enum nearness { FITTED_TO, SAME_ACCELERATOR, SAME_GENERATION, NEARNESSES };

static bool is_fit(const struct fact *fact, const struct constant *constant)
{
    return strstr(fact->fitted, constant->name) != NULL;
}

static bool is_near(const struct tables *tables, const struct fact *a, const struct fact *b,
                    enum nearness nearness)
{
    if (nearness == SAME_GENERATION) return same_generation(a, b);
    return same_accelerator(a, b) && (nearness != FITTED_TO || is_fit(a, tables->constant));
}

static const char *source_of(const struct fact *fact)
{
    return fact->class_of[CLASS_SOURCE];
}

/* Sum of the |errors| of those runs of one source that count: runs on such an accelerator. */
static double sum_of_source(const struct tables *tables, size_t *i, const struct fact *like,
                            enum nearness nearness, double value, size_t *runs)
{
    const struct facts *facts = tables->facts;
    const char *source = source_of(&facts->fact[*i]);
    const bool own = strcmp(source, source_of(like)) == 0;
    double sum = 0;
    *runs = 0;
    for (; *i < facts->count && strcmp(source_of(&facts->fact[*i]), source) == 0; ++*i) {
        if (own || !is_near(tables, &facts->fact[*i], like, nearness)) continue;
        const double *error = errors_of(tables, *i);
        if (!error) continue;
        sum += fabs(error_at(tables->constant, error, value));
        ++*runs;
    }
    return sum;
}

/* Mean over other sources, whose runs stand together, of their mean |error|; NAN: no source. */
static double objective(const struct tables *tables, const struct fact *like,
                        enum nearness nearness, double value, size_t *count)
{
    double sum = 0;
    size_t sources = 0, runs;
    for (size_t i = 0; i < tables->facts->count;) {
        const double own = sum_of_source(tables, &i, like, nearness, value, &runs);
        if (runs == 0) continue;
        sum += own / (double)runs;
        sources++;
    }
    *count = sources;
    return sources ? sum / (double)sources : NAN;
}

/* What fits the other sources best, pulled in logarithms towards what is usual, which counts as one
 * source more: one source alone says more of itself than of the machine. */
static double fit_without(const struct tables *tables, const struct fact *like)
{
    double best = tables->constant->usual, least = NAN;
    int nearness = 0;
    size_t sources = 0;
    while (nearness < NEARNESSES &&
           isnan(least = objective(tables, like, (enum nearness)nearness, best, &sources)))
        nearness++;
    if (isnan(least)) return best;
    const int first = (int)round(100 * tables->constant->tried[0]);
    for (int percent = first; percent <= 100; percent++) {
        const double error =
            objective(tables, like, (enum nearness)nearness, percent / 100.0, &sources);
        if (error < least) {
            least = error;
            best = percent / 100.0;
        }
    }
    const double usual = tables->constant->usual;
    return usual * pow(best / usual, (double)sources / ((double)sources + 1));
}

/* ---- all ---- */

static struct refit *note_refit(struct refits *refits, const struct fact *fact,
                                const struct constant *constant)
{
    if (!ARRAY_ROOM(refits->refit, refits->count)) return NULL;
    struct refit *refit = &refits->refit[refits->count++];
    *refit = (struct refit){.constant = constant->name};
    snprintf(refit->source, sizeof refit->source, "%s", source_of(fact));
    snprintf(refit->system, sizeof refit->system, "%.63s", fact->system.id);
    return refit;
}

/* Sources that a constant was not fitted to have it as it is. Facts of one source and system follow
 * each other: what was fitted for the last one is kept. */
static enum rk_status refit(const struct tables *tables, struct facts *blind, struct refits *refits,
                            struct rk_error *error)
{
    const struct fact *last = NULL;
    struct refit *now = NULL;
    for (size_t i = 0; i < blind->count; i++) {
        struct fact *fact = &blind->fact[i];
        double *value = fact->reason[0] ? NULL : tables->constant->at(&fact->system);
        if (!value || !is_fit(fact, tables->constant)) continue;
        if (!last || strcmp(source_of(last), source_of(fact)) != 0 ||
            strcmp(last->system.id, fact->system.id) != 0) {
            now = note_refit(refits, fact, tables->constant);
            if (!now) return no_memory(error);
            now->before = *value;
            now->after = fit_without(tables, fact);
        }
        *value = now->after;
        last = fact;
    }
    return RK_OK;
}

enum rk_status left_out(struct facts *facts, struct facts *blind, struct refits *refits,
                        struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int i = 0; i < CONSTANTS && status == RK_OK; i++) {
        struct tables tables = {&constants[i], facts,
                                malloc((facts->count + 1) * sizeof *tables.error),
                                calloc(facts->count + 1, sizeof *tables.known)};
        status =
            tables.error && tables.known ? refit(&tables, blind, refits, error) : no_memory(error);
        free(tables.error);
        free(tables.known);
    }
    return status;
}

void refits_release(struct refits *refits)
{
    free(refits->refit);
    *refits = (struct refits){0};
}
