#include "study/fit.h"
#include "base/text.h"
#include "catalog/kernels.h"
#include "facts/judge.h"
#include "study/simplex.h"

#include <math.h>
#include <string.h>

/* ---- constants by their keys ---- */

static enum rk_status find_field(const char *key, const struct field **field,
                                 struct rk_error *error)
{
    const char *names[64] = {NULL};
    size_t count = 0;
    for (const struct field *f = kernels_fields; f->key && count + 1 < 64; f++) {
        if (f->type != FIELD_NUMBER) continue;
        names[count++] = f->key;
        *field = f;
        if (strcmp(f->key, key) == 0) return RK_OK;
    }
    const char *nearest = text_nearest(key, names);
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "\"%.40s\" is not a constant of kernels that can be fitted%s%s", key,
                   nearest ? "; did you mean " : ": reckon-system(5) lists them",
                   nearest ? nearest : "");
}

/* SI value of one unit of the key: 1e-6 for "kernel_us". */
static double unit_of(const struct field *field)
{
    struct unit unit;
    return field->unit && unit_find(field->unit, strlen(field->unit), &unit) ? unit_to_si(&unit, 1)
                                                                             : 1;
}

static bool fitted(const struct fact *fact, fact_filter filter, const void *context)
{
    return !fact->reason[0] && filter(fact, context);
}

static double *member_of(struct fact *fact, const struct field *field)
{
    return (double *)((char *)&fact->system.kernels + field->offset);
}

static void set_all(struct facts *facts, fact_filter filter, const void *context,
                    const struct field *field, double value)
{
    for (size_t i = 0; i < facts->count; i++)
        if (fitted(&facts->fact[i], filter, context))
            *member_of(&facts->fact[i], field) = value * unit_of(field);
}

enum rk_status fit_set(struct facts *facts, fact_filter filter, const void *context,
                       const char *key, double value, struct rk_error *error)
{
    const struct field *field;
    const enum rk_status status = find_field(key, &field, error);
    if (status == RK_OK) set_all(facts, filter, context, field, value);
    return status;
}

/* ---- the fit ---- */

struct fitting {
    struct facts *facts;
    fact_filter filter;
    const void *context;
    const struct field *field[FIT_CONSTANTS];
    int constants;
};

double fact_log_error(const struct fact *fact)
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

static double error_of(const struct fact *fact)
{
    return fabs(fact_log_error(fact));
}

static double mean_error(const struct fitting *f, size_t *runs)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < f->facts->count; i++) {
        const struct fact *fact = &f->facts->fact[i];
        if (!fitted(fact, f->filter, f->context)) continue;
        const double error = error_of(fact);
        if (!isfinite(error)) continue;
        sum += error;
        count++;
    }
    if (runs) *runs = count;
    return count ? sum / (double)count : 0;
}

static double objective(const void *context, const struct simplex_variable *variables)
{
    const struct fitting *f = context;
    for (int i = 0; i < f->constants; i++)
        set_all(f->facts, f->filter, f->context, f->field[i], variables[i].value);
    return mean_error(f, NULL);
}

static struct fact *first_of(const struct fitting *f)
{
    for (size_t i = 0; i < f->facts->count; i++)
        if (fitted(&f->facts->fact[i], f->filter, f->context)) return &f->facts->fact[i];
    return NULL;
}

/* Bounds: what the file may say, and a tenth to ten times of what it says. */
static struct simplex_variable variable_of(const struct field *field, double value)
{
    const double start = value > 0 ? value : 0.01;
    const double most = field->max > 0 ? field->max : INFINITY;
    return (struct simplex_variable){
        .low = start / 10, .high = fmin(10 * start, most) * (1 + 1e-9), .value = start};
}

enum { ITERATIONS = 60 };

enum rk_status fit_runs(struct facts *facts, fact_filter filter, const void *context,
                        struct fit *fit, struct rk_error *error)
{
    struct fitting f = {facts, filter, context, {NULL}, fit->constants};
    struct simplex_variable variables[FIT_CONSTANTS];
    struct fact *first = first_of(&f);
    fit->before = mean_error(&f, &fit->runs);
    if (!first || fit->runs < 2 * (size_t)fit->constants)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%zu runs with a time are too few to fit %d constants to", fit->runs,
                       fit->constants);
    for (int i = 0; i < fit->constants; i++) {
        const enum rk_status status = find_field(fit->constant[i].key, &f.field[i], error);
        if (status != RK_OK) return status;
        fit->constant[i].before = *member_of(first, f.field[i]) / unit_of(f.field[i]);
        variables[i] = variable_of(f.field[i], fit->constant[i].before);
    }
    simplex_minimise(objective, &f, fit->constants, variables, ITERATIONS);
    fit->after = objective(&f, variables);
    for (int i = 0; i < fit->constants; i++)
        fit->constant[i].after = variables[i].value;
    return RK_OK;
}
