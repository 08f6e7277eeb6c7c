#include "cli/search_sensitivity.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0.1

/* ---- parameters of a system ---- */

enum parameter_kind {
    ENGINE_PEAK,
    ENGINE_EFFICIENCY,
    MEMORY_BANDWIDTH,
    MEMORY_EFFICIENCY,
    MEMORY_CAPACITY,
    NETWORK_BANDWIDTH,
    NETWORK_EFFICIENCY,
    NETWORK_LATENCY,
};

/* clang-format off */
static const struct {
    const char *name;
    enum quantity quantity;
} kinds[] = {
    [ENGINE_PEAK]        = {"peak_FLOPps",    QUANTITY_FLOP_PER_S},
    [ENGINE_EFFICIENCY]  = {"efficiency",     QUANTITY_PLAIN},
    [MEMORY_BANDWIDTH]   = {"bandwidth_Bps",  QUANTITY_BYTES_PER_S},
    [MEMORY_EFFICIENCY]  = {"efficiency",     QUANTITY_PLAIN},
    [MEMORY_CAPACITY]    = {"capacity_bytes", QUANTITY_BYTES},
    [NETWORK_BANDWIDTH]  = {"bandwidth_Bps",  QUANTITY_BYTES_PER_S},
    [NETWORK_EFFICIENCY] = {"efficiency",     QUANTITY_PLAIN},
    [NETWORK_LATENCY]    = {"latency_s",      QUANTITY_SECONDS},
};
/* clang-format on */

struct parameter {
    enum parameter_kind kind;
    int tier; /* of memories and networks; engines: 0 matrix, 1 vector */
};

static struct rk_curve *curve_of(struct rk_system *system, const struct parameter *p,
                                 enum rk_datatype datatype)
{
    if (p->kind == MEMORY_BANDWIDTH || p->kind == MEMORY_EFFICIENCY)
        return &system->memory[p->tier].curve;
    return p->tier ? &system->vector[datatype].curve : &system->matrix[datatype].curve;
}

static double *peak_of(struct rk_system *system, const struct parameter *p,
                       enum rk_datatype datatype)
{
    if (p->kind == MEMORY_BANDWIDTH || p->kind == MEMORY_EFFICIENCY)
        return &system->memory[p->tier].bandwidth_Bps;
    return p->tier ? &system->vector[datatype].peak_flops : &system->matrix[datatype].peak_flops;
}

static double largest_efficiency(const struct rk_curve *curve)
{
    double largest = 0;
    for (int i = 0; i < curve->steps; i++)
        largest = fmax(largest, curve->step[i].efficiency);
    return largest;
}

/* The value of a parameter that is a plain number; NULL for curves. */
static double *value_of(struct rk_system *system, const struct parameter *p,
                        enum rk_datatype datatype)
{
    switch (p->kind) {
    case MEMORY_CAPACITY:
        return &system->memory[p->tier].capacity_bytes;
    case NETWORK_BANDWIDTH:
        return &system->network[p->tier].bandwidth_Bps;
    case NETWORK_EFFICIENCY:
        return &system->network[p->tier].efficiency;
    case NETWORK_LATENCY:
        return &system->network[p->tier].latency_s;
    case ENGINE_PEAK:
    case MEMORY_BANDWIDTH:
        return peak_of(system, p, datatype);
    default:
        return NULL;
    }
}

static double read_parameter(const struct rk_system *system, const struct parameter *p,
                             enum rk_datatype datatype)
{
    struct rk_system *s = (struct rk_system *)system; /* only read */
    const double *value = value_of(s, p, datatype);
    return value ? *value : largest_efficiency(curve_of(s, p, datatype));
}

/* An efficiency stays at 1; all steps of a curve change alike. Returns the factor that was used. */
static double scale_parameter(struct rk_system *system, const struct parameter *p,
                              enum rk_datatype datatype, double factor)
{
    const bool efficiency = p->kind == ENGINE_EFFICIENCY || p->kind == MEMORY_EFFICIENCY ||
                            p->kind == NETWORK_EFFICIENCY;
    if (efficiency) factor = fmin(factor, 1 / read_parameter(system, p, datatype));
    double *value = value_of(system, p, datatype);
    if (value) *value = efficiency ? fmin(1, *value * factor) : *value * factor;
    if (p->kind > MEMORY_EFFICIENCY) return factor;
    struct rk_curve *curve = curve_of(system, p, datatype);
    for (int i = 0; !value && i < curve->steps; i++)
        curve->step[i].efficiency = fmin(1, curve->step[i].efficiency * factor);
    rk_curve_set_peak(curve, *peak_of(system, p, datatype));
    return factor;
}

/* ---- one parameter's effect ---- */

struct effect {
    struct parameter parameter;
    double value;
    double less_s, more_s; /* best times; infinite: nothing fits, NaN: the value cannot be so */
    double sensitivity;
};

/* The time that a whole batch takes: of the step, unless its batch is smaller than what was asked.
 */
static double batch_s(const struct rk_problem *problem, const struct search_best *best)
{
    return (double)problem->max_batch / best->estimate.samples_per_s;
}

/* The best time with the parameter changed; *factor is what was possible. */
static double time_with(const struct search *search, const struct parameter *p, double *factor)
{
    struct rk_system system = {0};
    struct rk_error error;
    struct search_best best;
    struct rk_problem problem = search->problem;
    if (rk_system_copy(&system, search->system, &error) != RK_OK) return NAN;
    *factor = scale_parameter(&system, p, problem.datatype, *factor);
    problem.system = &system;
    double step_s = NAN;
    if (*factor != 1)
        step_s =
            search_find_best(&problem, search->args, &best) ? batch_s(&problem, &best) : INFINITY;
    rk_system_release(&system);
    return step_s;
}

static void measure(const struct search *search, double now_s, struct effect *effect)
{
    double more = 1 + STEP, less = 1 - STEP;
    effect->more_s = time_with(search, &effect->parameter, &more);
    effect->less_s = time_with(search, &effect->parameter, &less);
    double high_s = effect->more_s, low_s = effect->less_s;
    if (!isfinite(high_s)) {
        high_s = now_s;
        more = 1;
    }
    if (!isfinite(low_s)) {
        low_s = now_s;
        less = 1;
    }
    effect->sensitivity = more > less ? (high_s - low_s) / now_s / (more - less) : 0;
}

/* ---- all of them ---- */

enum { ENGINES = 2 };

struct effects {
    int count;
    struct effect *effect;
};

static void add(struct effects *effects, const struct search *search, enum parameter_kind kind,
                int tier)
{
    const struct parameter parameter = {kind, tier};
    const double value = read_parameter(search->system, &parameter, search->problem.datatype);
    if (!isfinite(value) || value == 0) return; /* unlimited, or costs nothing: no change of it */
    effects->effect[effects->count++] = (struct effect){.parameter = parameter, .value = value};
}

static bool list_parameters(struct effects *effects, const struct search *search)
{
    const struct rk_system *system = search->system;
    const size_t most = (size_t)(2 * ENGINES + 3 * system->memories + 3 * system->networks);
    effects->effect = calloc(most, sizeof *effects->effect);
    if (!effects->effect) return false;
    for (int engine = 0; engine < ENGINES; engine++)
        for (int kind = ENGINE_PEAK; kind <= ENGINE_EFFICIENCY; kind++)
            add(effects, search, (enum parameter_kind)kind, engine);
    for (int tier = 0; tier < system->memories; tier++)
        for (int kind = MEMORY_BANDWIDTH; kind <= MEMORY_CAPACITY; kind++)
            add(effects, search, (enum parameter_kind)kind, tier);
    for (int tier = 0; tier < system->networks; tier++)
        for (int kind = NETWORK_BANDWIDTH; kind <= NETWORK_LATENCY; kind++)
            add(effects, search, (enum parameter_kind)kind, tier);
    return true;
}

/* What helps most first; equal ones in the order of the list. */
static int compare(const void *a, const void *b)
{
    const struct effect *x = a, *y = b;
    const double size_x = fabs(x->sensitivity), size_y = fabs(y->sensitivity);
    if (size_x != size_y) return size_x > size_y ? -1 : 1;
    if (x->parameter.kind != y->parameter.kind)
        return x->parameter.kind < y->parameter.kind ? -1 : 1;
    return x->parameter.tier - y->parameter.tier;
}

/* ---- the table ---- */

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "part"},
    {.name = "tier"},
    {.name = "name"},
    {.name = "parameter"},
    {.name = "value"},
    {.name = "sensitivity", .digits = 3, .help = "relative change of the best time per relative change of the parameter"},
    {.name = "time_more_s", .title = "10 % more", .unit = "s", .digits = 4},
    {.name = "time_less_s", .title = "10 % less", .unit = "s", .digits = 4},
};
static const struct report_column text_columns[] = {
    {.name = "what"},
    {.name = "now"},
    {.name = "sensitivity"},
    {.name = "best time with 10 % more"},
    {.name = "with 10 % less"},
};
/* clang-format on */

static const char *part_of(const struct parameter *p)
{
    if (p->kind <= ENGINE_EFFICIENCY) return p->tier ? "vector" : "matrix";
    return p->kind <= MEMORY_CAPACITY ? "memory" : "network";
}

static const char *name_of(const struct rk_system *system, const struct parameter *p)
{
    if (p->kind <= ENGINE_EFFICIENCY) return NULL;
    const char *name =
        p->kind <= MEMORY_CAPACITY ? system->memory[p->tier].name : system->network[p->tier].name;
    return *name ? name : NULL;
}

static const char *time_text(struct report *report, double step_s, double now_s)
{
    if (isnan(step_s)) return "not possible";
    if (isinf(step_s)) return "nothing fits";
    return report_text(report, "%.4g s (%+.2f %%)", step_s, 100 * (step_s / now_s - 1) + 0.0);
}

static const char *what_text(struct report *report, const struct rk_system *system,
                             const struct parameter *p)
{
    const char *name = name_of(system, p);
    const int length = (int)strcspn(kinds[p->kind].name, "_"); /* without the unit */
    if (p->kind <= ENGINE_EFFICIENCY)
        return report_text(report, "%s engine: %.*s", part_of(p), length, kinds[p->kind].name);
    return report_text(report, "%s tier %d%s%s%s: %.*s", part_of(p), p->tier, name ? " (" : "",
                       name ? name : "", name ? ")" : "", length, kinds[p->kind].name);
}

static const char *value_text(struct report *report, const struct effect *effect)
{
    char text[QUANTITY_TEXT];
    return report_text(
        report, "%s", quantity_format(text, kinds[effect->parameter.kind].quantity, effect->value));
}

static struct report_cell time_cell(double step_s)
{
    return isfinite(step_s) ? cell_number(step_s) : cell_none();
}

static void add_row(struct report *report, struct report_table *all, struct report_table *text,
                    const struct search *search, double now_s, const struct effect *effect)
{
    const struct parameter *p = &effect->parameter;
    report_row(report, all,
               (const struct report_cell[]){
                   cell_text(part_of(p)),
                   p->kind <= ENGINE_EFFICIENCY ? cell_none() : cell_count((uint64_t)p->tier),
                   cell_text(name_of(search->system, p)),
                   cell_text(kinds[p->kind].name),
                   cell_number(effect->value),
                   cell_number(effect->sensitivity + 0.0),
                   time_cell(effect->more_s),
                   time_cell(effect->less_s),
               });
    report_row(report, text,
               (const struct report_cell[]){
                   cell_text(what_text(report, search->system, p)),
                   cell_text(value_text(report, effect)),
                   cell_text(report_text(report, "%+.3f", effect->sensitivity + 0.0)),
                   cell_text(time_text(report, effect->more_s, now_s)),
                   cell_text(time_text(report, effect->less_s, now_s)),
               });
}

static void fill(struct report *report, const struct search *search, double now_s,
                 const struct effects *effects)
{
    struct report_table *all = report_add(
        report, &(struct report_table){.name = "sensitivity",
                                       .formats = REPORT_IN_JSON | REPORT_IN_CSV,
                                       .columns = columns,
                                       .column_count = sizeof columns / sizeof *columns});
    struct report_table *text = report_add(
        report,
        &(struct report_table){.title = "What the best time depends on: its relative change per "
                                        "relative change of the parameter",
                               .formats = REPORT_IN_TEXT,
                               .columns = text_columns,
                               .column_count = sizeof text_columns / sizeof *text_columns});
    for (int i = 0; i < effects->count; i++)
        add_row(report, all, text, search, now_s, &effects->effect[i]);
}

void search_sensitivity_fill(struct report *report, const struct search *search)
{
    struct effects effects = {0};
    struct search_best best;
    if (!search_find_best(&search->problem, search->args, &best)) return;
    const double now_s = batch_s(&search->problem, &best);
    if (!list_parameters(&effects, search)) {
        report->failed = true;
        return;
    }
    for (int i = 0; i < effects.count && !progress_stopped(); i++)
        measure(search, now_s, &effects.effect[i]);
    if (!progress_stopped()) {
        qsort(effects.effect, (size_t)effects.count, sizeof *effects.effect, compare);
        fill(report, search, now_s, &effects);
    }
    free(effects.effect);
}
