#include "facts/judge.h"
#include "clusters/predict.h"
#include "search/plans_axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one plan ---- */

/* What is measured of memory: that of the fullest stage, or of the fact's. */
static void keep_memory(const struct rk_stage *stage, struct judgement *j)
{
    j->static_bytes = fmax(j->static_bytes, stage->static_bytes);
    j->allocated_bytes = fmax(j->allocated_bytes, stage->allocated_bytes);
    j->used_bytes = fmax(j->used_bytes, stage->total_bytes + stage->cached_bytes);
    if (stage->total_bytes <= j->total_bytes) return;
    j->total_bytes = stage->total_bytes;
    memcpy(j->holds, stage->holds, sizeof j->holds);
}

static void keep(const struct fact *fact, const struct rk_prediction *p, struct judgement *j)
{
    j->verdict = p->verdict;
    j->reason = p->reason[0];
    j->timed = p->timed;
    j->step_s = p->step_s;
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) j->name = p->name;
#include <reckon/figures.def>
    j->model_flop = p->model_flop_full; /* published figures count attention in full */
    j->executed_flop = p->executed_flop_full;
    j->parameters = p->parameters;
    for (int i = fact->last_stage ? p->stages - 1 : 0; i < p->stages; i++)
        keep_memory(&p->stage[i], j);
}

/* Each replica on its own kind of GPU; what the row leaves open of the plan is the same for all. */
static void predict_clusters_of(const struct fact *fact, const struct rk_plan *plan,
                                struct judgement *j)
{
    const struct rk_system system = clusters_system(&fact->clusters->machine);
    struct given_plan *given = malloc(sizeof *given);
    struct rk_prediction p = {.verdict = RK_BAD_DEGREES, .reasons = 1};
    struct rk_plan over;
    p.reason[0] =
        (struct rk_reason){.verdict = RK_BAD_DEGREES, .what = "memory for the prediction"};
    if (given) *given = fact->clusters->given;
    for (int i = 0; given && i < given->stages; i++)
        for (int k = 0; k < given->stage[i].parts; k++) {
            given->stage[i].part[k].plan.recompute = plan->recompute;
            given->stage[i].part[k].plan.recompute_parts = plan->recompute_parts;
        }
    if (given && plan_of_given(plan, given, &over)) rk_predict(&fact->model, &system, &over, &p);
    keep(fact, &p, j);
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) j->name = NAN; /* what limits it is another on each kind */
#include <reckon/figures.def>
    j->capacity_bytes =
        rk_system_of(&system, p.stage[p.tightest].cluster)->memory[0].capacity_bytes;
    free(given);
}

static void predict(const struct fact *fact, const struct rk_plan *plan, struct judgement *j)
{
    struct rk_prediction p;
    *j = (struct judgement){.plan = *plan, .capacity_bytes = fact->system.memory[0].capacity_bytes};
    if (fact->clusters) {
        predict_clusters_of(fact, plan, j);
        return;
    }
    rk_predict(&fact->model, &fact->system, plan, &p);
    keep(fact, &p, j);
}

/* Between `less` and `more`, whose batches stand `share` apart. */
static void interpolate(const struct judgement *less, double share, struct judgement *more)
{
    if (!less->timed || !more->timed) return;
    const double whole = more->step_s;
    more->step_s = less->step_s + share * (more->step_s - less->step_s);
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) more->name *= more->step_s / whole;
#include <reckon/figures.def>
}

static void predict_batch(const struct fact *fact, const struct rk_plan *plan, struct judgement *j)
{
    struct rk_plan p = *plan;
    struct judgement less;
    const uint64_t data = rk_plan_data(plan);
    if (data == 0 || p.batch % (data * p.microbatch) == 0) {
        predict(fact, &p, j);
        return;
    }
    const uint64_t mine = (p.batch + data - 1) / data; /* samples of the busiest rank */
    if (p.microbatch > mine) p.microbatch = mine;
    const uint64_t full = mine / p.microbatch, rest = mine % p.microbatch;
    p.batch = (full + (rest > 0)) * p.microbatch * data;
    predict(fact, &p, j);
    if (rest == 0) return;
    p.batch = full * p.microbatch * data;
    predict(fact, &p, &less);
    interpolate(&less, (double)rest / (double)p.microbatch, j);
    const double share = fact->lone_batch / (double)j->plan.batch;
    j->model_flop *= share;
    j->executed_flop *= share;
}

/* ---- open axes ---- */

static bool fits(const struct judgement *j)
{
    return j->timed && j->verdict == RK_FITS;
}

/* Those that fit before those that do not, the faster first. */
static bool better(const struct judgement *a, const struct judgement *b)
{
    if (fits(a) != fits(b)) return fits(a);
    if (a->timed != b->timed) return a->timed;
    return a->timed && a->step_s < b->step_s;
}

static const enum rk_plan_axis axis_of[OPEN_AXES] = {
    [OPEN_TENSOR] = RK_PLAN_TENSOR,
    [OPEN_CONTEXT] = RK_PLAN_CONTEXT,
    [OPEN_PIPELINE] = RK_PLAN_PIPELINE,
    [OPEN_CHUNKS] = RK_PLAN_CHUNKS,
    [OPEN_MICROBATCH] = RK_PLAN_MICROBATCH,
    [OPEN_RECOMPUTE] = RK_PLAN_RECOMPUTE,
    [OPEN_SEQUENCE_PARALLEL] = RK_PLAN_SEQUENCE_PARALLEL,
};

/* Tries the usual values of the search; those that rk_predict refuses cost nothing but the call. */
static void walk(const struct fact *fact, const struct rk_plans_problem *problem,
                 struct rk_plan plan, int axis, struct judgement *best)
{
    struct offered offered;
    while (axis < OPEN_AXES && !(fact->open & 1u << axis))
        axis++;
    if (axis == OPEN_AXES) {
        struct judgement j;
        predict_batch(fact, &plan, &j);
        if (best->plan.ranks == 0 || better(&j, best)) *best = j;
        return;
    }
    const uint64_t data = rk_plan_data(&plan);
    if (axis > OPEN_PIPELINE && data == 0) return; /* not that many ranks */
    struct rk_plan whole = plan;
    if (data) whole.batch = (plan.batch + data - 1) / data * data; /* as predict_batch() rounds */
    plan_axis_offer(&offered, problem, axis_of[axis], &whole);
    for (int i = 0; i < offered.count; i++) {
        rk_plan_axis_set(&plan, axis_of[axis], offered.value[i]);
        walk(fact, problem, plan, axis + 1, best);
    }
}

/* ---- the whole ---- */

/* One layer: what a second one adds. */
static double layer_time(const struct fact *fact)
{
    double both[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        struct rk_model model = fact->model;
        struct rk_plan plan = fact->plan;
        struct rk_prediction p;
        model.layers = (uint64_t)i + 1;
        plan.pipeline = 1;
        plan.chunks = 1;
        plan.ranks = plan.tensor * plan.context;
        plan.batch = plan.microbatch;
        rk_predict(&model, &fact->system, &plan, &p);
        if (!p.timed) return NAN;
        both[i] = p.stage[0].forward_s + p.stage[0].backward_s;
    }
    return both[1] - both[0];
}

void judge(const struct fact *fact, struct judgement *judgement)
{
    *judgement = (struct judgement){.verdict = RK_BAD_DEGREES};
    const struct rk_plans_problem problem = {
        .model = &fact->model, .system = &fact->system, .base = fact->plan, .unstartable = true};
    walk(fact, &problem, fact->plan, 0, judgement);
    for (int i = 0; i < fact->figures; i++)
        if (fact->figure[i].kind == FIGURE_LAYER) judgement->layer_s = layer_time(fact);
}

/* FLOP of a step as the source counts them. */
static double flop_of(const struct fact *fact, const struct judgement *j)
{
    const struct rk_model *m = &fact->model;
    const double s = (double)fact->plan.sequence, h = (double)m->hidden, l = (double)m->layers;
    const double v = (double)m->vocabulary, b = fact->lone_batch;
    switch (fact->formula) {
    case FLOP_EXECUTED:
        return fact->flop_ratio * j->executed_flop;
    case FLOP_MEGATRON:
        return fact->flop_ratio * 96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
    case FLOP_MEGATRON_OLD:
        return fact->flop_ratio * 96 * b * s * l * h * h * (1 + s / (6 * h));
    case FLOP_SIX_N:
        return fact->flop_ratio * 6 * j->parameters * b * s;
    default:
        return fact->flop_ratio * j->model_flop;
    }
}

static double time_of(const struct figure *f, const struct judgement *j)
{
    return f->kind == FIGURE_LAYER ? j->layer_s : j->step_s;
}

static double bytes_of(const struct figure *f, const struct judgement *j)
{
    return f->kind == FIGURE_STATIC      ? j->static_bytes
           : f->kind == FIGURE_ALLOCATED ? j->allocated_bytes
           : f->kind == FIGURE_USED      ? j->used_bytes
                                         : j->total_bytes;
}

double judge_figure(const struct fact *fact, const struct figure *f, const struct judgement *j)
{
    switch (f->form) {
    case FORM_SECONDS:
        return time_of(f, j) / f->scale;
    case FORM_RATE:
        return f->scale / time_of(f, j);
    case FORM_FLOPS:
    case FORM_SHARE:
        return flop_of(fact, j) / time_of(f, j) / f->scale;
    case FORM_BYTES:
        return bytes_of(f, j);
    default:
        return NAN;
    }
}

double judge_measured(const struct fact *fact, const struct figure *f, const struct judgement *j)
{
    switch (f->form) {
    case FORM_SECONDS:
        return f->measured * f->scale;
    case FORM_RATE:
        return f->scale / f->measured;
    case FORM_FLOPS:
    case FORM_SHARE:
        return flop_of(fact, j) / (f->measured * f->scale);
    case FORM_BYTES:
        return f->measured;
    default:
        return NAN;
    }
}

const char *judge_open(const struct fact *fact, const struct judgement *j,
                       char buffer[static FACT_REASON])
{
    const struct rk_plan *p = &j->plan;
    size_t used = 0;
    buffer[0] = '\0';
    for (int i = 0; i < OPEN_AXES; i++) {
        char value[RK_PLAN_AXIS_TEXT];
        if (!(fact->open & 1u << i)) continue;
        rk_plan_axis_text(axis_of[i], rk_plan_axis_get(p, axis_of[i]), value);
        used += (size_t)snprintf(buffer + used, FACT_REASON - used, "%s%s %s", used ? ", " : "",
                                 open_axis_names[i], value);
    }
    return buffer;
}
