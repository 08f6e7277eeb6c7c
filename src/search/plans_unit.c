#include "search/plans_unit.h"

#include "estimate/plan_check.h"
#include "search/plans_split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bounds and times are made of the same numbers in another order. */
static const double rounding = 1 - 1e-9;

/* ---- what a thread keeps ---- */

/* Exchanges that were worked out for the same sharding of as many parameters. */
enum { REMEMBERED = 4096 };

struct remembered {
    uint64_t of; /* which sharding, in which layout and kernels; 0: none */
    double blocks, parameters, expert_parameters;
    struct exchange exchange;
};

struct choice_state { /* of one tuple of sharding or offload */
    bool refused;
    enum rk_verdict verdict;
    struct sharing sharing;
    uint64_t id;
};

struct schedule_state { /* of one tuple of stages */
    bool refused;
    enum rk_verdict verdict;
    enum rk_schedule schedule;
};

/* Schedules that stages' memory is the same under, microbatches in flight apart. */
enum { DEMAND_SOME, DEMAND_ALL, DEMAND_PAIRS, DEMANDS };

struct plan_scratch {
    const struct rk_plans_problem *problem;
    struct rk_plan plan;
    struct timed_layers timed;
    struct layer_folds fold;
    struct stage_sum sum[RK_MAX_STAGES];
    struct stage_end end[RK_MAX_STAGES];
    double pass_s[RK_MAX_STAGES][FOLD_PASSES];          /* of sum, before anything is moved */
    struct stage_demand demand[DEMANDS][RK_MAX_STAGES]; /* (classes); of pairs (p / 2) */
    struct stage_blocks blocks[RK_MAX_STAGES];
    struct stage_map balanced;
    struct choice_state *sharding, *offload;
    struct schedule_state *schedule;
    struct remembered remembered[REMEMBERED];
    uint64_t ids;
};

static uint64_t most_choices(const struct rk_plans *plans, enum plan_bundle bundle)
{
    uint64_t most = 1;
    for (uint64_t i = 0; i < plans->bundles; i++)
        if (plans->bundle[i]->bundle == bundle && plans->bundle[i]->count > most)
            most = plans->bundle[i]->count;
    return most;
}

struct plan_scratch *plan_scratch_open(const struct rk_plans *plans)
{
    struct plan_scratch *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->problem = &plans->problem;
    s->balanced.blocks = s->blocks;
    s->sharding = calloc(most_choices(plans, BUNDLE_SHARDING), sizeof *s->sharding);
    s->offload = calloc(most_choices(plans, BUNDLE_OFFLOAD), sizeof *s->offload);
    s->schedule = calloc(most_choices(plans, BUNDLE_STAGES), sizeof *s->schedule);
    if (s->sharding && s->offload && s->schedule) return s;
    plan_scratch_close(s);
    return NULL;
}

void plan_scratch_close(struct plan_scratch *s)
{
    if (!s) return;
    free(s->sharding);
    free(s->offload);
    free(s->schedule);
    free(s);
}

/* ---- where a unit is ---- */

struct extremes {               /* of all choices of sharing and offload */
    struct sharing least, most; /* over the most ranks, over the fewest */
    int zero, lowest_zero;
    bool gathers, keeps;                  /* ZeRO-2 or 3; keeps what it gathered */
    bool activations, optimizer, weights; /* can be offloaded */
};

struct run {
    struct plan_scratch *s;
    const struct plan_unit *unit;
    struct visitor *visitor;
    const struct choices *stages, *sharding, *offload;
    uint64_t base;        /* index of the first plan of the width and kernels at hand */
    uint64_t leaves;      /* plans of one tuple of stages */
    enum rk_verdict late; /* what refuses those that pass all checks before; RK_FITS: nothing */
    const struct division *division;
    const struct stage_map *map;
    double send_s, microbatches, shortest_s;
    struct extremes extremes;
};

static void refuse(struct run *r, enum rk_verdict verdict, uint64_t plans)
{
    r->visitor->counts->verdict[verdict][0] += plans;
    r->visitor->explain->refused += plans;
}

/* ---- checks ---- */

enum {
    CHECKS_INSIDE =
        1 << CHECK_STAGES | 1 << CHECK_SCHEDULE | 1 << CHECK_SHARDING | 1 << CHECK_OFFLOAD,
    CHECKS_BEFORE = ((1 << PLAN_CHECKS) - 1) & ~CHECKS_INSIDE
};

static bool refused_by(struct run *r, unsigned parts, enum rk_verdict *verdict)
{
    const struct rk_plans_problem *p = r->s->problem;
    struct rk_reason reason;
    if (plan_check_parts(p->model, p->system, &r->s->plan, parts, &reason) == PLAN_CHECKS)
        return false;
    *verdict = reason.verdict;
    return true;
}

/* Of the unit: they do not depend on width, kernels and each other. */
static void check_choices(struct run *r)
{
    struct plan_scratch *s = r->s;
    for (uint64_t i = 0; i < r->sharding->count; i++) {
        struct choice_state *state = &s->sharding[i];
        plans_set_choice(&s->plan, r->sharding, i);
        state->refused = refused_by(r, 1u << CHECK_SHARDING, &state->verdict);
    }
    for (uint64_t i = 0; i < r->offload->count; i++) {
        struct choice_state *state = &s->offload[i];
        plans_set_choice(&s->plan, r->offload, i);
        state->refused = refused_by(r, 1u << CHECK_OFFLOAD, &state->verdict);
    }
    for (uint64_t d = 0; d < r->unit->stages->divisions; d++) {
        const struct division *division = &r->unit->stages->division[d];
        for (uint64_t i = division->first; i < division->end; i++) {
            struct schedule_state *state = &s->schedule[i];
            plans_set_choice(&s->plan, r->stages, i);
            state->schedule = s->plan.schedule;
            state->refused = division->refused;
            state->verdict = division->verdict;
            if (!state->refused)
                state->refused = refused_by(r, 1u << CHECK_SCHEDULE, &state->verdict);
        }
    }
}

/* Plans of a division that are refused before their layers matter are counted; returns whether any
 * are left. */
static bool sift_division(struct run *r, const struct division *division)
{
    struct plan_scratch *s = r->s;
    uint64_t left = 0, passing = 0;
    for (uint64_t i = division->first; i < division->end; i++) {
        if (s->schedule[i].refused)
            refuse(r, s->schedule[i].verdict, r->leaves);
        else
            left++;
    }
    for (uint64_t i = 0; left && i < r->sharding->count; i++) {
        if (s->sharding[i].refused) {
            refuse(r, s->sharding[i].verdict, left * r->offload->count);
            continue;
        }
        for (uint64_t k = 0; k < r->offload->count; k++) {
            if (s->offload[k].refused)
                refuse(r, s->offload[k].verdict, left);
            else
                passing += left;
        }
    }
    if (r->late != RK_FITS) refuse(r, r->late, passing);
    return passing > 0 && r->late == RK_FITS;
}

/* ---- time ---- */

static struct exchange exchange_for(struct run *r, const struct stage_sum *sum,
                                    const struct choice_state *sharding)
{
    struct plan_scratch *s = r->s;
    uint64_t a, b;
    memcpy(&a, &sum->parameters, sizeof a);
    memcpy(&b, &sum->expert_parameters, sizeof b);
    const uint64_t hash = (a * 31 + b * 17 + sharding->id) * UINT64_C(0x9e3779b97f4a7c15);
    struct remembered *m = &s->remembered[hash >> 52];
    _Static_assert(REMEMBERED == 1 << 12, "12 bits of the hash");
    if (m->of == sharding->id && m->blocks == sum->blocks && m->parameters == sum->parameters &&
        m->expert_parameters == sum->expert_parameters)
        return m->exchange;
    *m = (struct remembered){
        .of = sharding->id,
        .blocks = sum->blocks,
        .parameters = sum->parameters,
        .expert_parameters = sum->expert_parameters,
        .exchange = exchange_of(sum, s->problem->system, &sharding->sharing, &s->plan),
    };
    return m->exchange;
}

/* What the sharding and offload at hand add to each class. */
static void move_classes(struct run *r, const struct choice_state *sharding)
{
    struct plan_scratch *s = r->s;
    const struct rk_system *system = s->problem->system;
    for (int i = 0; i < r->map->classes; i++) {
        struct stage_sum *sum = &s->sum[i];
        const struct exchange exchange = exchange_for(r, sum, sharding);
        memcpy(sum->pass_s, s->pass_s[i], sizeof sum->pass_s);
        sum->data_s[FOLD_FORWARD] = sum->data_s[FOLD_AGRAD] = 0;
        stage_moves(sum, &exchange, system, &sharding->sharing, &s->plan);
        s->end[i] = stage_end_of(sum, &exchange, system, &sharding->sharing, &s->plan);
    }
}

/* ---- memory ---- */

static int demand_kind(enum rk_schedule schedule)
{
    return schedule == RK_DUALPIPE ? DEMAND_PAIRS : schedule == RK_GPIPE ? DEMAND_ALL : DEMAND_SOME;
}

static void demand_pairs(struct run *r, const struct sharing *sharing)
{
    struct plan_scratch *s = r->s;
    const uint16_t *class_of = r->map->class_of;
    const int p = r->map->stages;
    for (int i = 0; i < p / 2; i++) {
        struct stage_sum pair;
        stage_pair(&pair, &s->sum[class_of[i]], &s->sum[class_of[p - 1 - i]], &s->plan,
                   (uint64_t)i);
        s->demand[DEMAND_PAIRS][i] = stage_demand_of(&pair, &s->fold, sharing, &s->plan);
    }
}

/* What stages need under each kind of schedule that the division has. */
static void demand_stages(struct run *r, const struct sharing *sharing)
{
    struct plan_scratch *s = r->s;
    bool done[DEMANDS] = {false};
    for (uint64_t k = r->division->first; k < r->division->end; k++) {
        const int kind = demand_kind(s->schedule[k].schedule);
        if (done[kind] || s->schedule[k].refused) continue;
        done[kind] = true;
        s->plan.schedule = s->schedule[k].schedule;
        if (kind == DEMAND_PAIRS) {
            demand_pairs(r, sharing);
            continue;
        }
        for (int i = 0; i < r->map->classes; i++)
            s->demand[kind][i] = stage_demand_of(&s->sum[i], &s->fold, sharing, &s->plan);
    }
}

/* What the stages of class `i` need at most, or of pair `i`: of a class the first one has most
 * microbatches in flight; with DualPipe all have as many. */
static double stage_bytes(const struct run *r, int kind, int i)
{
    const struct plan_scratch *s = r->s;
    const uint64_t stage = kind == DEMAND_PAIRS ? (uint64_t)i : r->map->first_of[i];
    const double in_flight = in_flight_of_plan(&s->plan, r->microbatches, stage);
    return demanded_bytes(&s->demand[kind][i], s->problem->system, in_flight);
}

static int stages_of(const struct run *r, int kind)
{
    return kind == DEMAND_PAIRS ? r->map->stages / 2 : r->map->classes;
}

static bool exceeds(const struct run *r)
{
    const double have = r->s->problem->system->memory[0].capacity_bytes;
    const int kind = demand_kind(r->s->plan.schedule), count = stages_of(r, kind);
    for (int i = 0; i < count; i++)
        if (stage_bytes(r, kind, i) > have) return true;
    return false;
}

static double tightest_bytes(const struct run *r)
{
    const int kind = demand_kind(r->s->plan.schedule), count = stages_of(r, kind);
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, stage_bytes(r, kind, i));
    return most;
}

static void note_sharing(struct extremes *e, const struct sharing *sharing, int zero, bool keeps)
{
    if (e->least.microbatches == 0) {
        e->least = e->most = *sharing;
        e->zero = e->lowest_zero = zero;
    }
    if (zero > e->zero) e->zero = zero;
    if (zero < e->lowest_zero) e->lowest_zero = zero;
    e->gathers |= zero >= 2;
    e->keeps |= keeps;
    for (int expert = 0; expert < 2; expert++) {
        const struct rank_group shards = sharing->shards[expert];
        if (shards.ranks > e->least.shards[expert].ranks) e->least.shards[expert] = shards;
        if (shards.ranks < e->most.shards[expert].ranks) e->most.shards[expert] = shards;
    }
}

static void find_extremes(struct run *r)
{
    const struct plan_scratch *s = r->s;
    struct extremes *e = &r->extremes;
    *e = (struct extremes){.zero = 0};
    for (uint64_t i = 0; i < r->sharding->count; i++)
        if (!s->sharding[i].refused)
            note_sharing(e, &s->sharding[i].sharing,
                         (int)choice_value(r->sharding, i, RK_PLAN_ZERO),
                         choice_value(r->sharding, i, RK_PLAN_KEEP_GATHERED) != 0);
    for (uint64_t k = 0; k < r->offload->count; k++) {
        e->activations |= choice_value(r->offload, k, RK_PLAN_ACTIVATION_OFFLOAD) != 0;
        e->optimizer |= choice_value(r->offload, k, RK_PLAN_OPTIMIZER_OFFLOAD) != 0;
        e->weights |= choice_value(r->offload, k, RK_PLAN_WEIGHT_OFFLOAD) != 0;
    }
}

static bool has_pairs(const struct run *r)
{
    for (uint64_t i = r->division->first; i < r->division->end; i++)
        if (r->s->schedule[i].schedule == RK_DUALPIPE && !r->s->schedule[i].refused) return true;
    return false;
}

/* Is the memory of all schedules that of 1F1B, microbatches in flight apart? */
static bool alike(const struct run *r)
{
    for (uint64_t i = r->division->first; i < r->division->end; i++)
        if (demand_kind(r->s->schedule[i].schedule) != DEMAND_SOME) return false;
    return true;
}

/* What holds least: the highest ZeRO stage over the most ranks, offloaded what any plan offloads,
 * and nothing gathered. No plan need be like that. The plan at hand is left so: whoever goes on
 * with it sets its own choices. Of a rank with two stages one is counted, whose state DualPipe
 * shares with another rank. */
static struct stage_demand least_demand(const struct run *r, const struct stage_sum *sum)
{
    struct rk_plan *plan = &r->s->plan;
    struct stage_sum lighter = *sum;
    lighter.largest_parameters = lighter.ends_parameters = 0;
    plan->schedule = has_pairs(r) ? RK_DUALPIPE : RK_1F1B;
    plan->zero = r->extremes.zero;
    plan->keep_gathered = false;
    rk_plan_offload_activations(plan, 0);
    plan->share[RK_SHARE_OPTIMIZER][0] = r->extremes.optimizer;
    plan->share[RK_SHARE_WEIGHTS][0] = r->extremes.weights;
    return stage_demand_of(&lighter, &r->s->fold, &r->extremes.least, plan);
}

/* What holds most: the lowest ZeRO stage over the fewest ranks, nothing offloaded, and the most
 * that any plan gathers. */
static struct stage_demand most_demand(const struct run *r, const struct stage_sum *sum)
{
    struct rk_plan *plan = &r->s->plan;
    const struct extremes *e = &r->extremes;
    plan->schedule = RK_1F1B; /* see alike() */
    plan->zero = e->lowest_zero;
    plan->keep_gathered = false;
    memset(plan->share, 0, sizeof plan->share);
    struct stage_demand most = stage_demand_of(sum, &r->s->fold, &e->most, plan);
    for (int kept = 0; e->gathers && kept <= e->keeps; kept++) {
        plan->zero = 3;
        plan->keep_gathered = kept;
        const struct stage_demand other = stage_demand_of(sum, &r->s->fold, &e->most, plan);
        most.fixed_bytes = fmax(most.fixed_bytes, other.fixed_bytes);
    }
    return most;
}

struct flights {
    double least, most;
};

/* Of the first stage of a class, under all schedules of the division. */
static struct flights flights_of(struct run *r, int class)
{
    struct plan_scratch *s = r->s;
    struct flights flights = {INFINITY, 0};
    for (uint64_t i = r->division->first; i < r->division->end; i++) {
        if (s->schedule[i].refused) continue;
        const bool pairs = s->schedule[i].schedule == RK_DUALPIPE; /* of one direction, as 1F1B */
        s->plan.schedule = pairs ? RK_1F1B : s->schedule[i].schedule;
        const double in_flight =
            in_flight_of_plan(&s->plan, r->microbatches, r->map->first_of[class]);
        flights.least = fmin(flights.least, in_flight);
        flights.most = fmax(flights.most, in_flight);
    }
    return flights;
}

static bool bounded(const struct run *r)
{
    return r->visitor->prune && (double)r->s->plan.batch < r->visitor->least * r->shortest_s;
}

enum fitting { ALL_FIT, SOME_FIT, NONE_FITS };

/* What memory says of all shardings, schedules and offloads of a division at once; that all fit is
 * of use when none needs to be timed. Offloaded activations are left to each plan. */
static enum fitting fitting_of(struct run *r)
{
    const struct plan_scratch *s = r->s;
    const struct rk_system *system = s->problem->system;
    const double have = system->memory[0].capacity_bytes;
    bool all = bounded(r) && alike(r);
    if (!r->visitor->prune || r->extremes.activations) return SOME_FIT;
    for (int i = 0; i < r->map->classes; i++) {
        const struct flights flights = flights_of(r, i);
        const struct stage_demand least = least_demand(r, &s->sum[i]);
        if (demanded_bytes(&least, system, flights.least) * rounding > have) return NONE_FITS;
        if (!all) continue;
        const struct stage_demand most = most_demand(r, &s->sum[i]);
        all = demanded_bytes(&most, system, flights.most) <= have * rounding;
    }
    return all ? ALL_FIT : SOME_FIT;
}

/* ---- one division under one sharding and offload ---- */

/* One plan as a batch. */
struct single {
    struct batch batch;
    uint64_t index;
};

static uint64_t single_index(const struct batch *batch, int lane)
{
    (void)lane;
    return ((const struct single *)batch)->index;
}

static bool offloads(const struct rk_plan *plan)
{
    return rk_plan_offloaded(plan, RK_SHARE_ATTENTION) > 0 ||
           rk_plan_offloaded(plan, RK_SHARE_OPTIMIZER) > 0 ||
           rk_plan_offloaded(plan, RK_SHARE_WEIGHTS) > 0;
}

static void report(struct run *r, const double *step_s, uint64_t index)
{
    const double hbm_bytes = r->visitor->needs ? tightest_bytes(r) : 0;
    const double lower_bytes = offloads(&r->s->plan) ? (double)NAN : 0;
    const struct single single = {.batch = {.lanes = 1,
                                            .samples = (double)r->s->plan.batch,
                                            .step_s = step_s,
                                            .hbm_bytes = &hbm_bytes,
                                            .lower_bytes = &lower_bytes,
                                            .index = single_index},
                                  .index = index};
    r->visitor->batch(r->visitor, &single.batch, 1);
}

static void time_plan(struct run *r, uint64_t index)
{
    struct plan_scratch *s = r->s;
    struct step_outline outline;
    const struct staged staged = {.map = r->map,
                                  .sums = s->sum,
                                  .ends = s->end,
                                  .send_s = r->send_s,
                                  .microbatches = r->microbatches};
    step_outline(&outline, &staged, &s->plan);
    r->visitor->explain->timed++;
    if ((double)s->plan.batch / outline.step_s >= r->visitor->least)
        report(r, &outline.step_s, index);
}

static void settle(struct run *r, uint64_t sharding, uint64_t offload)
{
    struct plan_scratch *s = r->s;
    const struct choice_state *state = &s->sharding[sharding];
    bool moved = false;
    demand_stages(r, &state->sharing);
    for (uint64_t i = r->division->first; i < r->division->end; i++) {
        if (s->schedule[i].refused) continue;
        s->plan.schedule = s->schedule[i].schedule;
        if (exceeds(r)) {
            r->visitor->counts->verdict[RK_MEMORY_EXCEEDED][0]++;
            r->visitor->explain->refused_by_memory++;
            continue;
        }
        r->visitor->counts->verdict[RK_FITS][0]++;
        if (bounded(r)) {
            r->visitor->explain->bounded++;
            continue;
        }
        if (!moved) move_classes(r, state);
        moved = true;
        time_plan(r, r->base + (i * r->sharding->count + sharding) * r->offload->count + offload);
    }
}

/* ---- one division ---- */

/* Whichever stage sets the pace, the step is not shorter than all microbatches on the slowest one;
 * what offload and data parallelism add is not negative. */
static void sum_classes(struct run *r)
{
    struct plan_scratch *s = r->s;
    double slowest_s = 0;
    for (int i = 0; i < r->map->classes; i++) {
        struct stage_sum *sum = &s->sum[i];
        stage_outline(sum, &s->fold, s->problem->model, &s->plan, &r->map->blocks[i]);
        memcpy(s->pass_s[i], sum->pass_s, sizeof sum->pass_s);
        double both_s = 0;
        for (int pass = 0; pass < FOLD_PASSES; pass++)
            both_s += sum->pass_s[pass];
        if (both_s > slowest_s) slowest_s = both_s;
    }
    r->shortest_s = r->microbatches * slowest_s * rounding;
}

/* False when the balanced split repeats another: its plans are then counted. */
static bool map_stages(struct run *r)
{
    struct plan_scratch *s = r->s;
    r->map = &r->division->map;
    if (!r->division->balanced) return true;
    plan_balance(&s->plan, s->problem->model, &s->fold);
    r->map = &s->balanced;
    if (plan_repeats(&s->plan, s->problem)) return false;
    stage_map_of(&s->balanced, s->problem->model, &s->plan);
    return true;
}

static void each_sharding(struct run *r)
{
    struct plan_scratch *s = r->s;
    for (uint64_t i = 0; i < r->sharding->count; i++) {
        if (s->sharding[i].refused) continue;
        plans_set_choice(&s->plan, r->sharding, i);
        for (uint64_t k = 0; k < r->offload->count; k++) {
            if (s->offload[k].refused) continue;
            plans_set_choice(&s->plan, r->offload, k);
            settle(r, i, k);
        }
    }
}

/* Plans of the division that passed all checks. */
static uint64_t passing(const struct run *r)
{
    const struct plan_scratch *s = r->s;
    uint64_t schedules = 0, shardings = 0, offloads = 0;
    for (uint64_t i = r->division->first; i < r->division->end; i++)
        schedules += !s->schedule[i].refused;
    for (uint64_t i = 0; i < r->sharding->count; i++)
        shardings += !s->sharding[i].refused;
    for (uint64_t i = 0; i < r->offload->count; i++)
        offloads += !s->offload[i].refused;
    return schedules * shardings * offloads;
}

static void run_division(struct run *r)
{
    plans_set_choice(&r->s->plan, r->stages, r->division->first);
    if (!map_stages(r)) {
        r->visitor->counts->repeated += passing(r);
        r->visitor->explain->refused += passing(r);
        return;
    }
    sum_classes(r);
    const enum fitting fitting = fitting_of(r);
    if (fitting == NONE_FITS) {
        r->visitor->counts->verdict[RK_MEMORY_EXCEEDED][0] += passing(r);
        r->visitor->explain->refused_by_memory += passing(r);
    } else if (fitting == ALL_FIT) {
        r->visitor->counts->verdict[RK_FITS][0] += passing(r);
        r->visitor->explain->bounded += passing(r);
    } else {
        each_sharding(r);
    }
    r->s->plan.splits = 0;
}

/* ---- one width and kernels ---- */

static void open_sharings(struct run *r)
{
    struct plan_scratch *s = r->s;
    for (uint64_t i = 0; i < r->sharding->count; i++) {
        if (s->sharding[i].refused) continue;
        plans_set_choice(&s->plan, r->sharding, i);
        s->sharding[i].sharing = sharing_of(&s->plan);
        s->sharding[i].id = ++s->ids;
    }
    find_extremes(r);
}

/* Divisions that share the recomputation share a fold. */
static void run_stages(struct run *r)
{
    struct plan_scratch *s = r->s;
    const struct stage_set *set = r->unit->stages;
    uint64_t folded = UINT64_MAX; /* the recomputation in s->fold; none */
    bool timed = false;
    open_sharings(r);
    for (uint64_t d = 0; d < set->divisions; d++) {
        const struct division *division = r->division = &set->division[d];
        if (!sift_division(r, division)) continue;
        const uint64_t recompute = choice_value(r->stages, division->first, RK_PLAN_RECOMPUTE);
        if (recompute != folded) {
            rk_plan_axis_set(&s->plan, RK_PLAN_RECOMPUTE, recompute);
            if (!timed) time_layers(&s->timed, s->problem->model, s->problem->system, &s->plan);
            timed = true;
            fold_timed(&s->fold, &s->timed, s->problem->system, &s->plan);
            r->send_s = send_s_of(&s->fold, s->problem->system, &s->plan);
            r->visitor->explain->folds++;
            folded = recompute;
        }
        run_division(r);
    }
}

/* Checks that come before those of stages refuse all plans of the width and kernels at once; later
 * ones only those that pass the latter. */
static void run_local(struct run *r)
{
    const struct rk_plans_problem *p = r->s->problem;
    struct rk_reason reason;
    const int failed = plan_check_parts(p->model, p->system, &r->s->plan, CHECKS_BEFORE, &reason);
    r->late = failed == PLAN_CHECKS ? RK_FITS : reason.verdict;
    if (failed < CHECK_STAGES)
        refuse(r, reason.verdict, r->stages->count * r->leaves);
    else
        run_stages(r);
}

void plan_unit_run(struct plan_scratch *s, const struct plan_unit *unit, struct visitor *visitor)
{
    const struct layout *layout = unit->layout;
    const struct choices *width = layout->choices[BUNDLE_WIDTH];
    const struct choices *kernels = layout->choices[BUNDLE_KERNELS];
    struct run r = {.s = s,
                    .unit = unit,
                    .visitor = visitor,
                    .stages = layout->choices[BUNDLE_STAGES],
                    .sharding = layout->choices[BUNDLE_SHARDING],
                    .offload = layout->choices[BUNDLE_OFFLOAD]};
    const uint64_t local = plans_below(layout, BUNDLE_KERNELS);
    s->plan = s->problem->base;
    plans_set_layout(&s->plan, layout);
    plans_set_choice(&s->plan, layout->choices[BUNDLE_MICROBATCH], unit->microbatch);
    r.leaves = r.sharding->count * r.offload->count;
    r.microbatches = microbatches_of(&s->plan);
    r.base = layout->first + unit->microbatch * plan_unit_count(unit);
    check_choices(&r);
    for (uint64_t w = 0; w < width->count; w++)
        for (uint64_t k = 0; k < kernels->count; k++) {
            plans_set_choice(&s->plan, width, w);
            plans_set_choice(&s->plan, kernels, k);
            run_local(&r);
            r.base += local;
        }
}
