#include "study/calibrate.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "catalog/kernels.h"
#include "estimate/fold.h"
#include "estimate/plan_check.h"
#include "facts/judge.h"
#include "machine/kernels.h"
#include "study/simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds of samples: what predicts them ---- */

static double product_s(const struct rk_system *system, const struct sample *s)
{
    return matrix_time_s(system, (enum operand)s->operand, s->count, s->m, s->n, s->k);
}

static double collective_s(const struct rk_system *system, const struct sample *s)
{
    return collective_time_s(system, (enum collective)s->collective,
                             (struct rank_group){s->ranks, s->stride}, s->bytes);
}

/* On the run's own networks, with the system's kernels. */
static double run_s(const struct rk_system *system, const struct sample *s)
{
    struct fact run = *s->run;
    struct judgement judgement;
    run.system.kernels = system->kernels;
    run.system.busy = system->busy;
    run.system.busy_devices = system->busy_devices;
    judge(&run, &judgement);
    return judgement.timed ? judgement.step_s : NAN;
}

/* Forward on one rank, in bf16 where the system has it. */
static double layer_s(const struct rk_system *system, const struct sample *s)
{
    struct layer_folds fold;
    struct rk_plan plan = rk_plan_default();
    struct rk_reason reason;
    plan.batch = plan.microbatch = (uint64_t)s->samples;
    plan.sequence = (uint64_t)s->tokens;
    if (plan_check_parts(s->model, system, &plan, 1 << CHECK_PRECISION, &reason) != PLAN_CHECKS)
        plan.precision = RK_FP32;
    if (plan_check_parts(s->model, system, &plan, 1 << CHECK_MODEL | 1 << CHECK_PRECISION,
                         &reason) != PLAN_CHECKS)
        return NAN;
    fold_layers(&fold, s->model, system, &plan);
    return fold.layer[layer_kind_of(s->model, (uint64_t)s->layer)][AS_IT_IS].pass_s[FOLD_FORWARD];
}

static double (*const predict[SAMPLE_KINDS])(const struct rk_system *, const struct sample *) = {
    [SAMPLE_PRODUCT] = product_s,
    [SAMPLE_COLLECTIVE] = collective_s,
    [SAMPLE_STEP] = run_s,
    [SAMPLE_LAYER] = layer_s,
};

/* ---- groups of samples, and the constants that each is fitted with ---- */

enum group { GROUP_LAYERS, GROUP_PRODUCTS, GROUP_NARROW, GROUP_FLOAT4, GROUP_LINK, GROUP_STEPS };

static const char *const group_names[] = {"layers",         "products",    "8-bit products",
                                          "4-bit products", "collectives", "steps"};

/* The most telling ones first: a fit has one constant for each four samples. SI units. */
#define KERNELS(member) offsetof(struct rk_kernels, member)
#define LINK(member)    offsetof(struct rk_link, member)
/* clang-format off */
static const struct constant {
    enum group group;
    size_t offset;
    double low, high;
} constants[] = {
    { GROUP_LAYERS,   KERNELS(matrix_efficiency),      0.02, 1 },
    { GROUP_LAYERS,   KERNELS(memory_efficiency),      0.05, 1 },
    { GROUP_PRODUCTS, KERNELS(matrix_efficiency),      0.02, 1 },
    { GROUP_PRODUCTS, KERNELS(tile_efficiency),        0.02, 1 },
    { GROUP_PRODUCTS, KERNELS(kernel_s),               1e-7, 1e-3 },
    { GROUP_PRODUCTS, KERNELS(matrix_k_half),          1,    5000 },
    { GROUP_PRODUCTS, KERNELS(tile_loss),              0.1,  1000 },
    { GROUP_NARROW,   KERNELS(narrow_efficiency),      0.02, 1 },
    { GROUP_NARROW,   KERNELS(narrow_tile_efficiency), 0.02, 1 },
    { GROUP_FLOAT4,   KERNELS(float4_efficiency),      0.02, 1 },
    { GROUP_LINK,     LINK(efficiency),                0.01, 1 },
    { GROUP_LINK,     LINK(base_s),                    1e-7, 1e-2 },
    { GROUP_LINK,     LINK(hop_s),                     1e-8, 1e-3 },
    { GROUP_LINK,     LINK(ramp_bytes),                1e3,  1e9 },
    { GROUP_LINK,     LINK(in_network),                0.01, 1 },
    { GROUP_STEPS,    KERNELS(sustained),              0.05, 1 },
    { GROUP_STEPS,    KERNELS(memory_efficiency),      0.05, 1 },
    { GROUP_STEPS,    KERNELS(launch_s),               1e-7, 1e-3 },
};
/* clang-format on */
enum {
    CONSTANTS = sizeof constants / sizeof *constants,
    SAMPLES_EACH = 4,
    FOLDS = 5,
    ITERATIONS = 80 /* for each constant */
};

static enum group product_group(const struct sample *s)
{
    if (s->operand == OPERAND_FLOAT8) return GROUP_NARROW;
    return s->operand == OPERAND_FLOAT4 ? GROUP_FLOAT4 : GROUP_PRODUCTS;
}

/* The outermost tier that the sample's ranks span. */
static int sample_tier(const struct rk_system *system, const struct sample *s)
{
    int tier = 0;
    while (tier < system->networks - 1 && s->ranks * s->stride > (double)system->network[tier].size)
        tier++;
    return tier;
}

static bool belongs(const struct rk_system *system, const struct sample *s, enum group group,
                    int tier)
{
    if (group == GROUP_LINK) return s->kind == SAMPLE_COLLECTIVE && sample_tier(system, s) == tier;
    if (group == GROUP_STEPS) return s->kind == SAMPLE_STEP;
    if (group == GROUP_LAYERS) return s->kind == SAMPLE_LAYER;
    return s->kind == SAMPLE_PRODUCT && product_group(s) == group;
}

/* ---- one fit ---- */

struct fit {
    struct rk_system *system; /* whose constants are set */
    int tier;
    const struct sample *const *sample; /* (samples) */
    size_t samples;
    int held_out; /* fold that does not count; -1: none */
    int count;
    double *at[SIMPLEX_MOST];
    double start[SIMPLEX_MOST];
    double *busy_at[SIMPLEX_MOST]; /* the same of busy devices, which change alike; NULL: none */
    double busy_start[SIMPLEX_MOST];
};

static void set_constant(const struct fit *fit, int i, double value)
{
    *fit->at[i] = value;
    if (fit->busy_at[i]) *fit->busy_at[i] = fit->busy_start[i] * value / fit->start[i];
}

static double log_error(const struct fit *fit, size_t i)
{
    const struct sample *s = fit->sample[i];
    return log(predict[s->kind](fit->system, s) / s->time_s);
}

/* Constants that say little stay near where they were. */
static double distance(const void *context, const struct simplex_variable *variables)
{
    const struct fit *fit = context;
    double sum = 0, held = 0;
    size_t count = 0;
    for (int i = 0; i < fit->count; i++) {
        set_constant(fit, i, variables[i].value);
        held += pow(log(variables[i].value / fit->start[i]), 2);
    }
    for (size_t i = 0; i < fit->samples; i++) {
        if ((int)(i % FOLDS) == fit->held_out) continue;
        sum += fabs(log_error(fit, i));
        count++;
    }
    return sum / (double)count + 0.001 * held;
}

static bool tells_of_reduction(const struct fit *fit)
{
    for (size_t i = 0; i < fit->samples; i++)
        if (fit->sample[i]->collective == ALL_REDUCE && fit->sample[i]->ranks > 4)
            return fit->system->network[fit->tier].link.in_network > 0;
    return false;
}

static int choose(struct fit *fit, enum group group, struct simplex_variable *variables)
{
    void *base = group == GROUP_LINK ? (void *)&fit->system->network[fit->tier].link
                                     : (void *)&fit->system->kernels;
    fit->count = 0;
    for (int i = 0; i < CONSTANTS; i++) {
        const struct constant *c = &constants[i];
        const size_t wanted = (size_t)SAMPLES_EACH * ((size_t)fit->count + 1);
        const bool first_of_steps = group == GROUP_STEPS && fit->count == 0;
        if (c->group != group || (wanted > fit->samples && !first_of_steps)) continue;
        if (group == GROUP_LINK && c->offset == LINK(in_network) && !tells_of_reduction(fit))
            continue;
        double *at = (double *)(void *)((char *)base + c->offset);
        const double value = fmin(c->high, fmax(c->low, *at));
        variables[fit->count] = (struct simplex_variable){c->low, c->high, value};
        fit->start[fit->count] = value;
        fit->busy_at[fit->count] =
            group == GROUP_LINK ? NULL : (double *)(void *)((char *)&fit->system->busy + c->offset);
        fit->busy_start[fit->count] = fit->busy_at[fit->count] ? *fit->busy_at[fit->count] : 0;
        fit->at[fit->count++] = at;
    }
    return fit->count;
}

static double rounded(double value)
{
    const double unit = pow(10, floor(log10(value)) - 3);
    return unit < 1 ? round(value / unit) / round(1 / unit) : round(value / unit) * unit;
}

/* Weight of the catalog against steps of different runs. Rows of one source spread by 16 % around
 * its mean, sources by 10 % around each other (docs/accuracy.md, your own cluster). */
#define CATALOG_RUNS (0.16 * 0.16 / (0.10 * 0.10))

/* The share of the way that a fit goes. The steps of one run's log are that run. */
static double trust(const struct fit *fit, enum group group)
{
    const double runs = (double)fit->samples;
    const bool one = fit->samples > 1 && fit->sample[0]->run == fit->sample[1]->run;
    return group != GROUP_STEPS || one ? 1 : runs / (runs + CATALOG_RUNS);
}

static void run_fit(struct fit *fit, enum group group)
{
    struct simplex_variable variables[SIMPLEX_MOST];
    const int count = choose(fit, group, variables);
    simplex_minimise(distance, fit, count, variables, ITERATIONS * count);
    simplex_minimise(distance, fit, count, variables,
                     ITERATIONS * count); /* from a fresh simplex */
    for (int i = 0; i < count; i++)
        set_constant(
            fit, i,
            rounded(fit->start[i] * pow(variables[i].value / fit->start[i], trust(fit, group))));
}

/* ---- errors ---- */

/* Of logarithms of predicted over measured; overwrites them. */
static struct calibration_error summed(double *errors, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += fabs(errors[i]);
        errors[i] = fabs(exp(errors[i]) - 1);
    }
    qsort(errors, count, sizeof *errors, by_number);
    return (struct calibration_error){exp(sum / (double)count) - 1, errors[count * 9 / 10]};
}

static void add_errors(const struct fit *fit, int fold, double *errors)
{
    for (size_t i = 0; i < fit->samples; i++)
        if (fold < 0 || (int)(i % FOLDS) == fold) errors[i] = log_error(fit, i);
}

/* The constants of a fit, to start each fold from the same. */
struct kept {
    struct rk_kernels kernels, busy;
    struct rk_link link;
};

static struct kept keep(const struct fit *fit)
{
    return (struct kept){fit->system->kernels, fit->system->busy,
                         fit->system->network[fit->tier].link};
}

static void restore(struct fit *fit, const struct kept *kept)
{
    fit->system->kernels = kept->kernels;
    fit->system->busy = kept->busy;
    fit->system->network[fit->tier].link = kept->link;
}

static void fit_group(struct fit *fit, enum group group, struct calibration_group *result,
                      double *errors)
{
    const struct kept before = keep(fit);
    result->samples = fit->samples;
    add_errors(fit, -1, errors);
    result->before = summed(errors, fit->samples);
    result->validation = fit->samples >= 2 * FOLDS;
    for (int fold = 0; result->validation && fold < FOLDS; fold++) {
        fit->held_out = fold;
        run_fit(fit, group);
        add_errors(fit, fold, errors);
        restore(fit, &before);
    }
    if (result->validation) result->validated = summed(errors, fit->samples);
    fit->held_out = -1;
    run_fit(fit, group);
    add_errors(fit, -1, errors);
    result->after = summed(errors, fit->samples);
}

/* ---- the whole ---- */

static double in_unit(const struct field *field, double value)
{
    struct unit unit = {QUANTITY_PLAIN, 1, 1};
    if (field->unit) unit_find(field->unit, strlen(field->unit), &unit);
    return value * unit.divisor / unit.factor;
}

static const struct field *field_of(enum group group, size_t offset)
{
    const struct field *field = group == GROUP_LINK ? link_fields : kernels_fields;
    while (field->key && (field->type != FIELD_NUMBER || field->offset != offset))
        field++;
    return field;
}

static void note_constants(const struct fit *fit, enum group group, struct calibration *calibration)
{
    const char *base = group == GROUP_LINK ? (const char *)&fit->system->network[fit->tier].link
                                           : (const char *)&fit->system->kernels;
    for (int i = 0; i < fit->count && calibration->constants < CALIBRATION_CONSTANTS; i++) {
        const struct field *field = field_of(group, (size_t)((const char *)fit->at[i] - base));
        calibration->constant[calibration->constants++] = (struct calibration_constant){
            .key = field->key,
            .tier = group == GROUP_LINK ? fit->tier : -1,
            .before = in_unit(field, fit->start[i]),
            .after = in_unit(field, *fit->at[i]),
        };
    }
}

/* A tier that has no link of its own starts from what collectives take it to be. */
static void give_link(struct rk_network *network)
{
    if (network->link.efficiency > 0) return;
    network->link.efficiency = network->efficiency;
    network->link.base_s = network->latency_s;
    network->link.ramp_bytes = 1e6;
}

static enum rk_status check_samples(const struct fit *fit, enum group group, struct rk_error *error)
{
    if (fit->samples < SAMPLES_EACH && group != GROUP_STEPS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%zu measurement%s of %s: a fit needs %d or more", fit->samples,
                       fit->samples == 1 ? "" : "s", group_names[group], SAMPLES_EACH);
    for (size_t i = 0; i < fit->samples; i++)
        if (!isfinite(log_error(fit, i)))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s: the system has no such engine, or a network that takes no time; "
                           "choose a system that has it",
                           group_names[group]);
    return RK_OK;
}

static enum rk_status calibrate_group(const struct samples *samples, enum group group, int tier,
                                      const struct sample **members, double *errors,
                                      struct rk_system *system, struct calibration *calibration,
                                      struct rk_error *error)
{
    struct fit fit = {.system = system, .tier = tier, .sample = members, .held_out = -1};
    for (size_t i = 0; i < samples->count; i++)
        if (belongs(system, &samples->sample[i], group, tier))
            members[fit.samples++] = &samples->sample[i];
    if (!fit.samples) return RK_OK;
    if (group == GROUP_LINK) give_link(&system->network[tier]);
    const enum rk_status status = check_samples(&fit, group, error);
    if (status != RK_OK) return status;
    struct calibration_group *result = &calibration->group[calibration->groups++];
    *result = (struct calibration_group){.name = group_names[group],
                                         .tier = group == GROUP_LINK ? tier : -1};
    fit_group(&fit, group, result, errors);
    note_constants(&fit, group, calibration);
    return RK_OK;
}

enum rk_status calibrate(const struct samples *samples, struct rk_system *system,
                         struct calibration *calibration, struct rk_error *error)
{
    const size_t room = samples->count ? samples->count : 1;
    const struct sample **members = malloc(room * sizeof *members);
    double *errors = malloc(room * sizeof *errors);
    enum rk_status status = RK_OK;
    *calibration = (struct calibration){0};
    if (!members || !errors) status = no_memory(error);
    for (int group = 0; status == RK_OK && group < GROUP_LINK; group++)
        status = calibrate_group(samples, (enum group)group, 0, members, errors, system,
                                 calibration, error);
    for (int tier = 0; status == RK_OK && tier < system->networks && tier < 4; tier++)
        status =
            calibrate_group(samples, GROUP_LINK, tier, members, errors, system, calibration, error);
    if (status == RK_OK) /* of what is left when operations are as measured */
        status =
            calibrate_group(samples, GROUP_STEPS, 0, members, errors, system, calibration, error);
    free(members);
    free(errors);
    return status;
}
