/* sensitivity.c - how the best time depends on each number of the machine: each one changed in a
 * copy, and the problem searched again. */
#include "advise/aim.h"
#include "base/memory.h"
#include "estimate/fold.h"

#include <math.h>
#include <stdlib.h>

#define STEP 0.1 /* more and less of a number */

/* ---- numbers of a system ---- */

enum number {
    MATRIX_PEAK,
    VECTOR_PEAK,
    MATRIX_EFFICIENCY,
    VECTOR_EFFICIENCY,
    ATTENTION_EFFICIENCY,
    HOST_LAUNCH,
    MEMORY_BANDWIDTH,
    MEMORY_EFFICIENCY,
    MEMORY_CAPACITY,
    NETWORK_BANDWIDTH,
    NETWORK_EFFICIENCY,
    NETWORK_LATENCY,
    NUMBERS
};

/* clang-format off */
static const struct {
    const char *part, *parameter, *unit;
    enum rk_by by; /* which predictor reads it */
    bool share;    /* at most 1 */
} facts[NUMBERS] = {
    /*                       part         parameter         unit      by              share */
    [MATRIX_PEAK]          = {"matrix",    "peak_FLOPps",    "FLOP/s", RK_BY_BOTH,     false},
    [VECTOR_PEAK]          = {"vector",    "peak_FLOPps",    "FLOP/s", RK_BY_CALCULON, false},
    [MATRIX_EFFICIENCY]    = {"matrix",    "efficiency",     "",       RK_BY_BOTH,     true},
    [VECTOR_EFFICIENCY]    = {"vector",    "efficiency",     "",       RK_BY_CALCULON, true},
    [ATTENTION_EFFICIENCY] = {"attention", "efficiency",     "",       RK_BY_RECKON,   true},
    [HOST_LAUNCH]          = {"host",      "launch_s",       "s",      RK_BY_RECKON,   false},
    [MEMORY_BANDWIDTH]     = {"memory",    "bandwidth_Bps",  "B/s",    RK_BY_BOTH,     false},
    [MEMORY_EFFICIENCY]    = {"memory",    "efficiency",     "",       RK_BY_BOTH,     true},
    [MEMORY_CAPACITY]      = {"memory",    "capacity_bytes", "B",      RK_BY_BOTH,     false},
    [NETWORK_BANDWIDTH]    = {"network",   "bandwidth_Bps",  "B/s",    RK_BY_BOTH,     false},
    [NETWORK_EFFICIENCY]   = {"network",   "efficiency",     "",       RK_BY_BOTH,     true},
    [NETWORK_LATENCY]      = {"network",   "latency_s",      "s",      RK_BY_BOTH,     false},
};
/* clang-format on */

enum { MEMBERS = RK_CURVE_STEPS + 8 };

/* The members of a system that stand for a number and change alike. */
struct members {
    int count;
    double *member[MEMBERS];
};

static void add(struct members *m, double *member)
{
    m->member[m->count++] = member;
}

static void add_curve(struct members *m, struct rk_curve *curve)
{
    for (int i = 0; i < curve->steps; i++)
        add(m, &curve->step[i].efficiency);
}

/* Of calculon, which knows an engine by datatype and by curve. */
static void add_published(struct members *m, struct rk_system *s, enum number number, int tier,
                          enum rk_datatype datatype)
{
    switch (number) {
    case MATRIX_PEAK:
        add(m, &s->matrix[datatype].peak_flops);
        break;
    case MATRIX_EFFICIENCY:
        add_curve(m, &s->matrix[datatype].curve);
        break;
    case VECTOR_PEAK:
        add(m, &s->vector[datatype].peak_flops);
        break;
    case VECTOR_EFFICIENCY:
        add_curve(m, &s->vector[datatype].curve);
        break;
    case MEMORY_EFFICIENCY:
        add_curve(m, &s->memory[tier].curve);
        break;
    case MEMORY_CAPACITY:
        add(m, &s->memory[tier].capacity_bytes);
        break;
    case NETWORK_EFFICIENCY:
        add(m, &s->network[tier].efficiency);
        break;
    case NETWORK_LATENCY:
        add(m, &s->network[tier].latency_s);
        break;
    default:
        break;
    }
}

/* That of the plan's own datatype first. */
static void add_peaks(struct members *m, struct rk_system *s, enum rk_datatype own)
{
    add(m, &s->matrix[own].peak_flops);
    for (int type = 0; type < RK_DATATYPES; type++)
        if (type != (int)own) add(m, &s->matrix[type].peak_flops);
    for (int busy = 0; busy < 1 + (s->busy_devices > 0); busy++) {
        struct rk_kernels *k = busy ? &s->busy : &s->kernels;
        add(m, &k->float4_FLOPps);
        add(m, &k->int8_FLOPps);
        add(m, &k->tfloat32_FLOPps);
    }
}

static void add_efficiencies(struct members *m, struct rk_kernels *k, enum number number)
{
    if (number == MATRIX_EFFICIENCY) {
        add(m, &k->matrix_efficiency);
        add(m, &k->narrow_efficiency);
        add(m, &k->float4_efficiency);
    } else if (number == MEMORY_EFFICIENCY) {
        add(m, &k->memory_efficiency);
    } else {
        for (int way = 0; way < 2; way++) {
            add(m, &k->attention_efficiency[way]);
            add(m, &k->newest_attention_efficiency[way]);
        }
    }
}

/* For the detailed model, which knows kernels of a lone device and of busy ones. A tier without a
 * description of its link is as in the Calculon model. */
static void add_kernels(struct members *m, struct rk_system *s, enum number number, int tier,
                        enum rk_datatype own)
{
    struct rk_network *network = &s->network[tier];
    const bool described = network->link.efficiency > 0;
    switch (number) {
    case MATRIX_PEAK:
        add_peaks(m, s, own);
        break;
    case MATRIX_EFFICIENCY:
    case ATTENTION_EFFICIENCY:
    case MEMORY_EFFICIENCY:
        if (number == MEMORY_EFFICIENCY && tier > 0) break; /* it is not read */
        add_efficiencies(m, &s->kernels, number);
        if (s->busy_devices) add_efficiencies(m, &s->busy, number);
        break;
    case HOST_LAUNCH:
        add(m, &s->kernels.launch_s);
        break;
    case MEMORY_CAPACITY:
        add(m, &s->memory[tier].capacity_bytes);
        break;
    case NETWORK_EFFICIENCY:
        add(m, described ? &network->link.efficiency : &network->efficiency);
        break;
    case NETWORK_LATENCY:
        add(m, described ? &network->link.base_s : &network->latency_s);
        add(m, &network->link.hop_s);
        break;
    default:
        break;
    }
}

static enum rk_datatype datatype_of(const struct rk_plan *plan)
{
    static const enum rk_datatype types[OPERANDS] = {
        [OPERAND_FLOAT4] = RK_FLOAT8,     [OPERAND_FLOAT8] = RK_FLOAT8,
        [OPERAND_INT8] = RK_FLOAT8,       [OPERAND_FLOAT16] = RK_FLOAT16,
        [OPERAND_BFLOAT16] = RK_BFLOAT16, [OPERAND_TFLOAT32] = RK_FLOAT32,
        [OPERAND_FLOAT32] = RK_FLOAT32,
    };
    return types[operand_of(plan->precision, true)];
}

static struct members members_of(struct rk_system *s, const struct rk_plan *plan,
                                 enum number number, int tier)
{
    struct members m = {.count = 0};
    if (number == MEMORY_BANDWIDTH)
        add(&m, &s->memory[tier].bandwidth_Bps);
    else if (number == NETWORK_BANDWIDTH) { /* as network_at() has it */
        add(&m, &s->network[tier].bandwidth_Bps);
        add(&m, &s->network[tier].link.ramp_bytes);
    } else if (!rk_answerer(plan->framework)->layers)
        add_published(&m, s, number, tier, datatype_of(plan));
    else
        add_kernels(&m, s, number, tier, datatype_of(plan));
    return m;
}

static double largest(const struct members *m)
{
    double value = 0;
    for (int i = 0; i < m->count; i++)
        value = fmax(value, *m->member[i]);
    return value;
}

/* What is said of a number: the largest share, else the first that is not 0. */
static double value_of(const struct members *m, bool share)
{
    if (share) return largest(m);
    for (int i = 0; i < m->count; i++)
        if (*m->member[i] != 0) return *m->member[i];
    return 0;
}

/* Rates follow from peaks and efficiencies. */
static void set_rates(struct rk_system *s)
{
    for (int type = 0; type < RK_DATATYPES; type++) {
        rk_curve_set_peak(&s->matrix[type].curve, s->matrix[type].peak_flops);
        rk_curve_set_peak(&s->vector[type].curve, s->vector[type].peak_flops);
    }
    for (int tier = 0; tier < s->memories; tier++)
        rk_curve_set_peak(&s->memory[tier].curve, s->memory[tier].bandwidth_Bps);
}

/* A share stays at 1. Returns the factor that the largest of the members got. */
static double scale(struct rk_system *s, const struct members *m, bool share, double factor)
{
    if (share) factor = fmin(factor, 1 / largest(m));
    for (int i = 0; i < m->count; i++)
        *m->member[i] = share ? fmin(1, *m->member[i] * factor) : *m->member[i] * factor;
    set_rates(s);
    return factor;
}

/* ---- the time of one problem ---- */

struct asked {
    const struct rk_plans_problem *problem;
    const struct rk_aim *aim;
    const struct rk_plan *plan; /* NULL: the best */
    int cluster;                /* whose number is changed */
};

static const struct rk_system *part_of(const struct asked *a)
{
    return rk_system_of(a->problem->system, a->cluster);
}

/* The plan whose framework and precision say which numbers count. */
static const struct rk_plan *words_of(const struct asked *a)
{
    return a->plan ? a->plan : &a->problem->base;
}

/* The time that a whole batch takes: of the step, unless its batch is smaller than what was asked.
 */
static double batch_s(const struct rk_plans_problem *problem, const struct rk_outcome *outcome)
{
    return (double)problem->base.batch / outcome->samples_per_s;
}

static double hold(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                   const struct rk_plan *plan)
{
    struct aimed aimed;
    struct rk_prediction p;
    if (rk_plans_predict(aim_at(&aimed, problem, aim), plan, &p) != RK_FITS) return INFINITY;
    return batch_s(problem, &p.outcome);
}

static double time_of(const struct asked *a, const struct rk_plans_problem *problem)
{
    struct rk_found found;
    if (a->plan) return hold(problem, a->aim, a->plan);
    return rk_find(problem, a->aim, &found) ? batch_s(problem, &found.outcome) : INFINITY;
}

/* On a machine of several clusters one is changed, and as much of its memory stays free. */
static double time_on(const struct asked *a, const struct rk_system *changed)
{
    struct rk_plans_problem problem = *a->problem;
    struct rk_system system = *a->problem->system;
    problem.system = changed;
    if (!system.machine) return time_of(a, &problem);
    struct rk_machine *machine = malloc(sizeof *machine);
    if (!machine) return NAN;
    *machine = *system.machine;
    struct rk_system *part = &machine->cluster[a->cluster].system;
    double *usable_bytes = &problem.usable_bytes[a->cluster];
    if (*usable_bytes > 0)
        *usable_bytes += changed->memory[0].capacity_bytes - part->memory[0].capacity_bytes;
    *part = *changed;
    system.machine = machine;
    problem.system = &system;
    const double time_s = time_of(a, &problem);
    free(machine);
    return time_s;
}

/* ---- one number's effect ---- */

/* The best time with the number changed; *factor is what was possible. */
static double time_with(const struct asked *a, enum number number, int tier, double *factor)
{
    struct rk_system system = {0};
    struct rk_error error;
    if (rk_system_copy(&system, part_of(a), &error) != RK_OK) return NAN;
    const struct members m = members_of(&system, words_of(a), number, tier);
    *factor = scale(&system, &m, facts[number].share, *factor);
    const double best_s = *factor != 1 ? time_on(a, &system) : NAN;
    rk_system_release(&system);
    return best_s;
}

/* The relative change of the time per that of the number, which was once `more` times, once `less`
 * times as much; a side that is not finite is left out. */
static double sensitivity_of(double now_s, double more_s, double more, double less_s, double less)
{
    const bool above = isfinite(more_s), below = isfinite(less_s);
    const double high_s = above ? more_s : now_s, low_s = below ? less_s : now_s;
    const double change = (above ? more : 1) - (below ? less : 1);
    return change > 0 ? (high_s - low_s) / now_s / change : 0;
}

static void measure(const struct asked *a, enum number number, double now_s,
                    struct rk_effect *effect)
{
    const int tier = effect->tier < 0 ? 0 : effect->tier;
    double more = 1 + STEP, less = 1 - STEP;
    effect->more_s = time_with(a, number, tier, &more);
    effect->less_s = time_with(a, number, tier, &less);
    effect->sensitivity = sensitivity_of(now_s, effect->more_s, more, effect->less_s, less);
}

/* ---- all of them ---- */

/* One more; NULL: no memory. */
static struct rk_effect *effects_room(struct rk_effects *effects)
{
    return ARRAY_ROOM(effects->effect, effects->count) ? &effects->effect[effects->count++] : NULL;
}

/* Unlimited, or costs nothing: there is no change of it. False: no memory. */
static bool try_number(const struct asked *a, enum number number, int tier,
                       struct rk_effects *effects)
{
    const enum rk_by by = rk_answerer(words_of(a)->framework)->by;
    struct rk_system *system = (struct rk_system *)part_of(a); /* only read */
    const struct members m = members_of(system, words_of(a), number, tier < 0 ? 0 : tier);
    const double value = value_of(&m, facts[number].share);
    if (!(facts[number].by & by) || !isfinite(value) || value == 0 || aim_stopped(a->aim))
        return true;
    struct rk_effect *effect = effects_room(effects);
    if (!effect) return false;
    *effect = (struct rk_effect){.cluster = a->cluster,
                                 .other = -1,
                                 .part = facts[number].part,
                                 .parameter = facts[number].parameter,
                                 .unit = facts[number].unit,
                                 .tier = tier,
                                 .value = value};
    measure(a, number, effects->now_s, effect);
    return true;
}

/* Of a system, or of one cluster of several, in the order of the numbers. */
static bool add_numbers(const struct asked *a, struct rk_effects *effects)
{
    const struct rk_system *system = part_of(a);
    bool good = true;
    for (int number = 0; number < NUMBERS && good; number++) {
        const int tiers = number >= NETWORK_BANDWIDTH  ? system->networks
                          : number >= MEMORY_BANDWIDTH ? system->memories
                                                       : 0;
        if (!tiers) good = try_number(a, (enum number)number, -1, effects);
        for (int tier = 0; tier < tiers && good; tier++)
            good = try_number(a, (enum number)number, tier, effects);
    }
    return good;
}

/* What helps most first; equal ones stay in the order of the list, which is short. */
static void sort(struct rk_effects *effects)
{
    for (int i = 1; i < effects->count; i++)
        for (int k = i; k > 0 && fabs(effects->effect[k].sensitivity) >
                                     fabs(effects->effect[k - 1].sensitivity);
             k--) {
            const struct rk_effect swapped = effects->effect[k];
            effects->effect[k] = effects->effect[k - 1];
            effects->effect[k - 1] = swapped;
        }
}

/* ---- links between clusters ---- */

/* clang-format off */
static const struct {
    const char *parameter, *unit;
    size_t offset; /* in struct rk_cluster_link */
} link_numbers[] = {
    {"bandwidth_Bps", "B/s", offsetof(struct rk_cluster_link, bandwidth_Bps)},
    {"cap_Bps",       "B/s", offsetof(struct rk_cluster_link, cap_Bps)},
    {"latency_s",     "s",   offsetof(struct rk_cluster_link, latency_s)},
};
/* clang-format on */
enum { LINK_NUMBERS = sizeof link_numbers / sizeof *link_numbers };

static double *link_number(struct rk_machine *machine, int a, int b, int number)
{
    return (double *)((char *)&machine->link[a][b] + link_numbers[number].offset);
}

static double time_with_link(const struct asked *asked, int a, int b, int number, double factor)
{
    struct rk_plans_problem problem = *asked->problem;
    struct rk_system system = *problem.system;
    struct rk_machine *machine = malloc(sizeof *machine);
    if (!machine) return NAN;
    *machine = *system.machine;
    *link_number(machine, a, b, number) *= factor;
    *link_number(machine, b, a, number) *= factor;
    system.machine = machine;
    problem.system = &system;
    const double time_s = time_of(asked, &problem);
    free(machine);
    return time_s;
}

static bool add_link(const struct asked *asked, int a, int b, int number,
                     struct rk_effects *effects)
{
    const double value = *link_number(asked->problem->system->machine, a, b, number);
    if (!isfinite(value) || value == 0 || aim_stopped(asked->aim)) return true;
    struct rk_effect *e = effects_room(effects);
    if (!e) return false;
    *e = (struct rk_effect){.cluster = a,
                            .other = b,
                            .part = "link",
                            .parameter = link_numbers[number].parameter,
                            .unit = link_numbers[number].unit,
                            .tier = -1,
                            .value = value,
                            .more_s = time_with_link(asked, a, b, number, 1 + STEP),
                            .less_s = time_with_link(asked, a, b, number, 1 - STEP)};
    e->sensitivity = sensitivity_of(effects->now_s, e->more_s, 1 + STEP, e->less_s, 1 - STEP);
    return true;
}

static bool add_links(const struct asked *asked, struct rk_effects *effects)
{
    const int clusters = aim_clusters(asked->problem->system);
    bool good = true;
    for (int a = 0; a < clusters; a++)
        for (int b = a + 1; b < clusters; b++)
            for (int n = 0; n < LINK_NUMBERS && good; n++)
                good = add_link(asked, a, b, n, effects);
    return good;
}

/* ---- the answer ---- */

static enum rk_status find_effects(struct asked *asked, struct rk_effects *effects,
                                   struct rk_error *error)
{
    const struct rk_plans_problem *problem = asked->problem;
    bool good = true;
    *effects = (struct rk_effects){.now_s = time_of(asked, problem)};
    if (isinf(effects->now_s)) return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "no plan fits");
    for (int i = 0; i < aim_clusters(problem->system) && good; i++) {
        asked->cluster = i;
        good = add_numbers(asked, effects);
    }
    if (!good || !add_links(asked, effects)) return no_memory(error);
    sort(effects);
    if (aim_stopped(asked->aim)) return rk_fail(error, RK_INTERRUPTED, NULL, 0, 0, "stopped");
    return RK_OK;
}

enum rk_status rk_effects_find(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                               struct rk_effects *effects, struct rk_error *error)
{
    return find_effects(&(struct asked){problem, aim, NULL, 0}, effects, error);
}

enum rk_status rk_effects_of_plan(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                                  const struct rk_plan *plan, struct rk_effects *effects,
                                  struct rk_error *error)
{
    return find_effects(&(struct asked){problem, aim, plan, 0}, effects, error);
}

void rk_effects_release(struct rk_effects *effects)
{
    free(effects->effect);
    *effects = (struct rk_effects){.count = 0};
}
