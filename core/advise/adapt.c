#include "advise/adapt.h"

#include "advise/aim.h"
#include "base/memory.h"
#include "machine/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const adapt_factor_names[] = {"compute", "inner", "outer", "memory", NULL};
const char *const adapt_event_names[] = {"nothing", "belief", "switch", "forced", "stranded"};

/* Believed anew beyond the dead band; at once where the newest QUICK records agree. */
#define DEAD_BAND  0.04
#define QUICK_BAND 0.10
#define FAR_OFF    1.0 /* sum of two logarithms; that of two steps 1.5 times as long is 0.81 */
enum { QUICK = 5, SETTLED = 4, FEWER_NODES = 12 };

/* Remaining steps must lose this multiple of the cost of a switch for it to be made at once. */
#define AT_ONCE 2.0

struct left { /* a plan that was left, and how much had to add up */
    struct rk_plan plan;
    double patience;
};

struct window {
    int count, next;
    double value[ADAPT_WINDOW];
};

struct adapt {
    const struct rk_model *model;
    const struct rk_system *system;
    struct adapt_options options;
    struct rk_plan plan;
    double factor[ADAPT_FACTORS];
    struct window window[ADAPT_FACTORS];

    uint64_t sequence, batch, ranks; /* of the last record */
    double slowest;
    struct rk_system believed; /* as plans on all ranks see it: with the straggler */
    struct rk_system spared;   /* ... as those see it that leave a node out */
    bool stale;                /* the best plan is of what was believed before */
    int settled;               /* records since then */
    bool found;
    struct rk_plan best;
    bool best_full; /* it leaves less memory than options say */
    double best_filled;
    double best_s, own_s; /* a step of the best plan and of the one that runs; 0: cannot run */
    double lost_s;
    int lefts;
    struct left *left; /* (lefts) */
};

struct adapt_options adapt_options_default(void)
{
    return (struct adapt_options){.restart_s = 60, .lost_steps = 10, .least_gain = 0.02};
}

/* ---- the machine ---- */

static void change_part(struct rk_system *to, const double factor[ADAPT_FACTORS])
{
    to->kernels.sustained /= factor[ADAPT_COMPUTE];
    to->busy.sustained /= factor[ADAPT_COMPUTE];
    to->memory[0].bandwidth_Bps /= factor[ADAPT_COMPUTE];
    to->memory[0].capacity_bytes /= factor[ADAPT_MEMORY];
    for (int i = 0; i < to->networks; i++)
        network_at(&to->network[i], factor[i == 0 && to->networks > 1 ? ADAPT_INNER : ADAPT_OUTER]);
}

enum rk_status adapt_machine(struct rk_system *to, const struct rk_system *from,
                             const double factor[ADAPT_FACTORS], struct rk_error *error)
{
    const enum rk_status status = rk_system_copy(to, from, error);
    if (status != RK_OK) return status;
    for (int i = 0; i < aim_clusters(to); i++)
        change_part(aim_part(to, i), factor);
    for (int a = 0; to->machine && a < to->machine->clusters; a++)
        for (int b = 0; b < to->machine->clusters; b++) {
            to->machine->link[a][b].bandwidth_Bps *= factor[ADAPT_OUTER];
            to->machine->link[a][b].cap_Bps *= factor[ADAPT_OUTER];
        }
    return RK_OK;
}

/* Ranks that go together when one is left out; of several clusters nobody says where it is. */
static uint64_t node_of(const struct adapt *a)
{
    if (a->system->machine) return a->ranks;
    const uint64_t node = a->system->networks ? a->system->network[0].size : 1;
    return node < a->ranks ? node : 1;
}

/* Does the plan leave out a node, the slow one? */
static bool is_spared(const struct adapt *a, const struct rk_plan *plan)
{
    return plan->ranks + node_of(a) <= a->ranks;
}

/* A step of a plan on the believed machine; 0: it cannot run. */
static double step_of(const struct adapt *a, const struct rk_plan *plan)
{
    struct rk_prediction p;
    if (plan->ranks > a->ranks) return 0;
    const struct rk_system *machine = is_spared(a, plan) ? &a->spared : &a->believed;
    return rk_predict(a->model, machine, plan, &p) == RK_FITS ? p.step_s : 0;
}

/* Both machines from the factors. */
static enum rk_status see(struct adapt *a, struct rk_error *error)
{
    double with[ADAPT_FACTORS];
    memcpy(with, a->factor, sizeof with);
    with[ADAPT_COMPUTE] *= a->slowest;
    rk_system_release(&a->believed);
    rk_system_release(&a->spared);
    const enum rk_status status = adapt_machine(&a->believed, a->system, with, error);
    return status == RK_OK ? adapt_machine(&a->spared, a->system, a->factor, error) : status;
}

/* The plan with the sequence and batch of now. */
static struct rk_plan plan_now(const struct adapt *a, const struct rk_plan *plan)
{
    struct rk_plan now = *plan;
    now.sequence = a->sequence;
    now.batch = a->batch;
    return now;
}

/* ---- what a record says ---- */

struct parts {
    double step_s, compute_s, inner_s, outer_s, memory_bytes;
};

static struct parts parts_of(const struct rk_model *model, const struct rk_system *system,
                             const struct rk_plan *plan)
{
    struct rk_prediction p;
    rk_predict(model, system, plan, &p);
    if (!p.timed) return (struct parts){.step_s = 0};
    return (struct parts){.step_s = p.step_s,
                          .compute_s = p.matrix_s + p.attention_s + p.memory_s + p.launch_s +
                                       p.recompute_s + p.optimizer_s,
                          .inner_s = p.tensor_s + p.context_s + p.expert_s,
                          .outer_s = p.data_s + p.pipeline_s,
                          .memory_bytes = p.hbm_bytes};
}

/* What is predicted where one factor is another; false: there is no such machine. */
static bool parts_with(const struct adapt *a, const struct rk_plan *plan, enum adapt_factor which,
                       double value, struct parts *parts)
{
    double factor[ADAPT_FACTORS];
    struct rk_system machine;
    memcpy(factor, a->factor, sizeof factor);
    factor[which] = value;
    if (!is_spared(a, plan)) factor[ADAPT_COMPUTE] *= a->slowest; /* it hides more */
    if (adapt_machine(&machine, a->system, factor, NULL) != RK_OK) return false;
    *parts = parts_of(a->model, &machine, plan);
    rk_system_release(&machine);
    return true;
}

enum { HALVINGS = 24 };

/* Of a step; what is waited for less than this says no more than that it is less. */
#define LEAST_WAIT 0.01

/* The factor of a network at which the prediction waits as long as measured: waiting falls with
 * bandwidth. Where little is waited for there is at least so much bandwidth. 0: it tells nothing.
 */
static double network_factor(const struct adapt *a, const struct rk_plan *plan,
                             enum adapt_factor which, double measured_s, double step_s)
{
    double low = 1.0 / 64, high = 4;
    const bool little = measured_s < LEAST_WAIT * step_s;
    if (little) measured_s = LEAST_WAIT * step_s;
    for (int i = 0; i < HALVINGS; i++) {
        struct parts parts;
        const double middle = sqrt(low * high);
        if (!parts_with(a, plan, which, middle, &parts)) return 0;
        if ((which == ADAPT_INNER ? parts.inner_s : parts.outer_s) > measured_s)
            low = middle;
        else
            high = middle;
    }
    const double found = little ? fmin(1, sqrt(low * high)) : sqrt(low * high);
    return little && found <= a->factor[which] ? 0 : found;
}

/* The factor of the processors at which the prediction takes as long as measured: a bubble grows
 * with it, transfers overlap it. Where none is that fast the networks must be faster, and the
 * processors are as described. */
static double compute_factor(const struct adapt *a, const struct rk_plan *plan, double step_s)
{
    const double least = 0.1;
    double low = least, high = 64;
    for (int i = 0; i < HALVINGS; i++) {
        struct parts parts;
        const double middle = sqrt(low * high);
        if (!parts_with(a, plan, ADAPT_COMPUTE, middle, &parts)) return 0;
        if (parts.step_s < step_s)
            low = middle;
        else
            high = middle;
    }
    return low > least ? sqrt(low * high) : 1;
}

/* Estimates of the factors; 0: none. Where a record has no parts, all that differs is laid to the
 * processors. */
static void estimate(const struct adapt *a, const struct adapt_record *record,
                     double factor[ADAPT_FACTORS])
{
    const struct rk_plan plan = plan_now(a, &a->plan);
    const struct parts described = parts_of(a->model, a->system, &plan);
    const double slowest = is_spared(a, &plan) ? 1 : a->slowest;
    memset(factor, 0, ADAPT_FACTORS * sizeof *factor);
    if (described.compute_s <= 0) return;
    if (record->compute_s > 0)
        factor[ADAPT_COMPUTE] = record->compute_s / described.compute_s / slowest;
    if (record->inner_s > 0)
        factor[ADAPT_INNER] =
            network_factor(a, &plan, ADAPT_INNER, record->inner_s, record->step_s);
    if (record->outer_s > 0)
        factor[ADAPT_OUTER] =
            network_factor(a, &plan, ADAPT_OUTER, record->outer_s, record->step_s);
    if (record->memory_bytes > 0 && described.memory_bytes > 0)
        factor[ADAPT_MEMORY] = record->memory_bytes / described.memory_bytes;
    if (record->compute_s <= 0 && record->step_s > 0)
        factor[ADAPT_COMPUTE] = compute_factor(a, &plan, record->step_s);
}

static int compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Of the newest `count`. */
static double median_of(const struct window *w, int count)
{
    double sorted[ADAPT_WINDOW];
    for (int i = 0; i < count; i++)
        sorted[i] = w->value[(w->next - 1 - i + 2 * ADAPT_WINDOW) % ADAPT_WINDOW];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* How many of the newest are on the same side of what is believed, each far off: enough of them, or
 * two that are so far off that no pair of outliers is. 0: neither. */
static int agreed(const struct window *w, double believed)
{
    double sum = 0;
    for (int i = 0; i < QUICK && i < w->count; i++) {
        const double value = w->value[(w->next - 1 - i + 2 * ADAPT_WINDOW) % ADAPT_WINDOW];
        const double off = log(value / believed);
        if (fabs(off) < QUICK_BAND || off * sum < 0) return 0;
        sum += off;
        if (i == QUICK - 1 || (i > 0 && fabs(sum) > FAR_OFF)) return i + 1;
    }
    return 0;
}

/* Takes an estimate in; true when something else is believed. */
static bool believe(struct adapt *a, enum adapt_factor which, double value)
{
    struct window *w = &a->window[which];
    double *believed = &a->factor[which];
    if (value <= 0) return false;
    w->value[w->next] = value;
    w->next = (w->next + 1) % ADAPT_WINDOW;
    if (w->count < ADAPT_WINDOW) w->count++;
    double moved = 0;
    const int same = agreed(w, *believed);
    if (same)
        moved = median_of(w, same);
    else if (w->count == ADAPT_WINDOW && fabs(log(median_of(w, w->count) / *believed)) > DEAD_BAND)
        moved = median_of(w, w->count);
    if (moved <= 0) return false;
    *believed = moved;
    w->count = 0; /* what comes tells whether it stays */
    w->next = 0;
    return true;
}

/* ---- the best plan ---- */

static bool search(const struct adapt *a, const struct rk_system *machine, uint64_t ranks,
                   struct rk_offer *offer)
{
    struct rk_plans_problem problem;
    const struct rk_aim aim = {.room = a->options.room,
                               .threads = a->options.threads,
                               .stop = a->options.stop,
                               .context = a->options.context};
    rk_plans_problem_init(&problem, a->model, machine, a->plan.framework, ranks, a->batch,
                          a->sequence);
    problem.base.precision = a->plan.precision;
    problem.base.attention = a->plan.attention;
    return rk_offer(&problem, &aim, offer);
}

/* One that leaves room before one that does not, then the faster one. */
static bool is_better(const struct adapt *a, const struct rk_offer *offer)
{
    if (!a->found || offer->leaves_room == a->best_full) return !a->found || offer->leaves_room;
    return offer->found.outcome.step_s < a->best_s;
}

/* The share of the tightest stage's memory that it is predicted to take. */
static double filled_by(const struct adapt *a, const struct rk_system *machine,
                        const struct rk_plan *plan)
{
    struct rk_prediction p;
    rk_predict(a->model, machine, plan, &p);
    const struct rk_stage *tightest = &p.stage[p.tightest];
    return p.hbm_bytes / rk_system_of(machine, tightest->cluster)->memory[0].capacity_bytes;
}

/* On all ranks; on fewer nodes where no plan divides by them; without the node of a straggler. */
static void find_best(struct adapt *a)
{
    const uint64_t node = node_of(a);
    const bool straggles = a->slowest > 1 && a->ranks > node;
    struct rk_offer offer;
    bool full = false, fewer = !straggles;
    uint64_t ranks = a->ranks;
    a->found = false;
    a->best_s = 0;
    for (int i = 0; i < FEWER_NODES && ranks > 0 && !(full && fewer); i++) {
        const bool spares = ranks + node <= a->ranks;
        const struct rk_system *machine = spares ? &a->spared : &a->believed;
        const bool any = search(a, machine, ranks, &offer);
        if (any && is_better(a, &offer)) {
            a->best = offer.found.plan;
            a->best_s = offer.found.outcome.step_s;
            a->best_full = !offer.leaves_room;
            a->best_filled = filled_by(a, machine, &a->best);
        }
        a->found |= any;
        full |= any;
        fewer |= any && spares;
        ranks -= ranks > node ? node : ranks;
    }
}

/* ---- switching ---- */

static bool same_plan(const struct rk_plan *a, const struct rk_plan *b)
{
    struct rk_plan x = *a, y = *b;
    x.sequence = y.sequence = x.batch = y.batch = 0;
    return memcmp(&x, &y, sizeof x) == 0;
}

/* How much must add up, in costs of the switch: twice as much each time a plan is gone back to. */
static double patience_of(const struct adapt *a, const struct rk_plan *to)
{
    for (int i = 0; i < a->lefts; i++)
        if (same_plan(&a->left[i].plan, to)) return 2 * a->left[i].patience;
    return 1;
}

/* In room that was made before: see adapt_take. */
static void leave(struct adapt *a, double patience)
{
    int at = 0;
    while (at < a->lefts && !same_plan(&a->left[at].plan, &a->plan))
        at++;
    if (at == a->lefts) a->lefts++;
    a->left[at] = (struct left){a->plan, patience};
}

static void fill(const struct adapt *a, const struct adapt_record *record,
                 struct adapt_event *event)
{
    event->step = record->step;
    memcpy(event->factor, a->factor, sizeof event->factor);
    event->from = event->to = a->plan;
    event->from_s = a->own_s;
    event->to_s = a->best_s;
}

static void go(struct adapt *a, struct adapt_event *event, enum adapt_event_kind kind,
               const char *why)
{
    const double gain_s = a->own_s - a->best_s;
    event->kind = kind;
    event->to = a->best;
    event->full = a->best_full;
    event->filled = a->best_filled;
    event->pays_steps = kind == ADAPT_SWITCH && gain_s > 0 ? event->cost_s / gain_s : 0;
    event->why = why;
    leave(a, patience_of(a, &a->best));
    a->plan = a->best;
    a->own_s = a->best_s;
    a->lost_s = 0;
    for (int i = 0; i < ADAPT_FACTORS; i++)
        a->window[i].count = a->window[i].next = 0;
}

/* Whether to switch, and why. */
static void decide(struct adapt *a, const struct adapt_record *record, struct adapt_event *event)
{
    const bool can = a->own_s > 0;
    if (can && !a->found) return;
    if (!a->found) {
        event->kind = ADAPT_STRANDED;
        event->why = "no plan can run on what is left";
        return;
    }
    event->move = switching_of(a->model, &a->spared, &a->plan, &a->best);
    event->cost_s = event->move.move_s + a->options.restart_s;
    if (!can) {
        event->cost_s += a->options.lost_steps * a->best_s;
        go(a, event, ADAPT_FORCED,
           a->plan.ranks > a->ranks ? "ranks are gone" : "the plan does not fit any more");
        return;
    }
    const double gain_s = a->own_s - a->best_s;
    a->lost_s = fmax(0, a->lost_s + gain_s);
    if (gain_s < a->options.least_gain * a->own_s) return;
    const double patience = patience_of(a, &a->best);
    const bool ends = a->options.steps || record->phase_left;
    double left = a->options.steps > record->step ? (double)(a->options.steps - record->step) : 0;
    if (record->phase_left && (left <= 0 || (double)record->phase_left < left))
        left = (double)record->phase_left;
    if (patience <= 1 && a->settled >= SETTLED && gain_s * left > AT_ONCE * event->cost_s)
        go(a, event, ADAPT_SWITCH, "the steps that are left pay for it");
    else if (a->lost_s > patience * event->cost_s && (!ends || gain_s * left > event->cost_s))
        go(a, event, ADAPT_SWITCH, "what was lost has come to its cost");
}

/* ---- records ---- */

struct adapt *adapt_open(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_plan *plan, const struct adapt_options *options,
                         struct rk_error *error)
{
    if (!rk_answerer(plan->framework)->runs) {
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "the Calculon model has no steps to watch: leave framework calculon out");
        return NULL;
    }
    struct adapt *a = calloc(1, sizeof *a);
    if (!a) {
        no_memory(error);
        return NULL;
    }
    *a = (struct adapt){.model = model,
                        .system = system,
                        .options = *options,
                        .plan = *plan,
                        .factor = {1, 1, 1, 1},
                        .sequence = plan->sequence,
                        .batch = plan->batch,
                        .ranks = plan->ranks,
                        .slowest = 1,
                        .stale = true};
    if (see(a, error) == RK_OK) return a;
    adapt_close(a);
    return NULL;
}

void adapt_close(struct adapt *a)
{
    if (!a) return;
    rk_system_release(&a->believed);
    rk_system_release(&a->spared);
    free(a->left);
    free(a);
}

const struct rk_plan *adapt_plan(const struct adapt *a)
{
    return &a->plan;
}

/* What the record says of the run itself; true when it is another phase. */
static bool take_phase(struct adapt *a, const struct adapt_record *record)
{
    const uint64_t sequence = record->sequence ? record->sequence : a->sequence;
    const uint64_t batch = record->batch ? record->batch : a->batch;
    const uint64_t ranks = record->ranks ? record->ranks : a->ranks;
    const double slowest = record->slowest > 1.05 ? record->slowest
                           : record->slowest > 0  ? 1
                                                  : a->slowest;
    const bool straggles = fabs(log(slowest / a->slowest)) > QUICK_BAND;
    const bool other = sequence != a->sequence || batch != a->batch || ranks != a->ranks;
    a->sequence = sequence;
    a->batch = batch;
    a->ranks = ranks;
    if (straggles) a->slowest = slowest;
    return other || straggles;
}

enum rk_status adapt_take(struct adapt *a, const struct adapt_record *record,
                          struct adapt_event *event, struct rk_error *error)
{
    double factor[ADAPT_FACTORS];
    bool changed = false;
    if (a->system->machine && record->ranks && record->ranks != a->ranks)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "gpus: of several clusters it does not say which one has lost or won some: "
                       "start again on the machine that is left");
    *event = (struct adapt_event){.kind = ADAPT_NOTHING};
    const bool phase = take_phase(a, record);
    if (!phase && record->step_s > 0) {
        estimate(a, record, factor);
        for (int i = 0; i < ADAPT_FACTORS; i++)
            changed |= believe(a, (enum adapt_factor)i, factor[i]);
    }
    a->settled = changed || phase ? 0 : a->settled + 1;
    if (changed || phase || a->stale) {
        const enum rk_status status = see(a, error);
        if (status != RK_OK) return status;
        find_best(a);
        const struct rk_plan now = plan_now(a, &a->plan);
        a->plan.sequence = now.sequence;
        a->plan.batch = now.batch;
        a->own_s = step_of(a, &now);
        a->stale = false;
    }
    if (!ARRAY_ROOM(a->left, a->lefts)) return no_memory(error);
    fill(a, record, event);
    if (changed) event->kind = ADAPT_BELIEF;
    decide(a, record, event);
    return RK_OK;
}
