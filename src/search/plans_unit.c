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

struct timetable_state {
    bool refused[RK_SCHEDULES];
    enum rk_verdict verdict[RK_SCHEDULES];
    uint64_t passing; /* schedules that are not refused */
    bool pairs;       /* DualPipe among them */
    bool alike;       /* the memory of all of them is that of 1F1B, microbatches in flight apart */
};

/* Layers that are computed again or not: recomputations that keep a layer's inputs alone hold more
 * while they work, so that their extremes are apart. */
enum family { KEEPS_TENSORS, KEEPS_INPUTS, FAMILIES };

struct family_bounds {
    bool any;
    struct layer_folds least, most; /* number by number, of all recomputations of the family */
};

/* How blocks are balanced, by what is computed again; the last row: nothing is. */
struct balance {
    bool repeats;     /* another split of the space */
    uint32_t same_as; /* the first row with the same split */
};

/* Schedules that stages' memory is the same under, microbatches in flight apart. */
enum { DEMAND_SOME, DEMAND_ALL, DEMAND_PAIRS, DEMANDS };

struct plan_scratch {
    const struct rk_plans_problem *problem;
    struct rk_plan plan;
    struct timed_layers timed;
    uint64_t recomputes;
    struct layer_folds *fold; /* (recomputes) */
    struct family_bounds family[FAMILIES];
    struct dealing dealing;
    int most_parts;          /* virtual stages that there can be */
    int counts;              /* numbers of virtual stages that the unit balances blocks on */
    int *count;              /* (counts) */
    struct balance *balance; /* (recomputes + 1)(most_parts + 1) */
    uint16_t *split;         /* (recomputes + 1 + RK_SPLITS)(splits_before(most_parts + 1)) */
    bool *fixed; /* (most_parts + 1) their other splits, behind the last row, are there */
    const struct division **list;
    struct stage_sum sum[RK_MAX_STAGES];
    struct stage_end end[RK_MAX_STAGES];
    double pass_s[RK_MAX_STAGES][FOLD_PASSES];          /* of sum, before anything is moved */
    struct stage_demand demand[DEMANDS][RK_MAX_STAGES]; /* (classes); of pairs (p / 2) */
    struct stage_blocks blocks[RK_MAX_STAGES];
    struct stage_map balanced;
    struct choice_state *sharding, *offload;
    struct timetable_state *timetable;
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

/* Of tables with a row of `parts` for each number of parts: where that row begins. */
static size_t splits_before(int parts)
{
    return (size_t)parts * (size_t)(parts - 1) / 2;
}

static int most_parts(const struct rk_plans *plans)
{
    const uint64_t most = plans->problem.model->layers + 2; /* with embedding and head */
    return (int)(most < RK_MAX_CHUNKS ? most : RK_MAX_CHUNKS);
}

struct plan_scratch *plan_scratch_open(const struct rk_plans *plans)
{
    const uint64_t recomputes = stages_recomputes(plans), rows = recomputes + 1;
    const uint64_t tuples = most_choices(plans, BUNDLE_STAGES);
    struct plan_scratch *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    const int parts = s->most_parts = most_parts(plans);
    s->problem = &plans->problem;
    s->recomputes = recomputes;
    s->balanced.blocks = s->blocks;
    s->fold = calloc(rows, sizeof *s->fold);
    s->count = calloc((size_t)parts + 1, sizeof *s->count);
    s->balance = calloc(rows * ((size_t)parts + 1), sizeof *s->balance);
    s->split = calloc((rows + RK_SPLITS) * splits_before(parts + 1), sizeof *s->split);
    s->fixed = calloc((size_t)parts + 1, sizeof *s->fixed);
    s->list = calloc(tuples, sizeof(struct division *));
    s->sharding = calloc(most_choices(plans, BUNDLE_SHARDING), sizeof *s->sharding);
    s->offload = calloc(most_choices(plans, BUNDLE_OFFLOAD), sizeof *s->offload);
    s->timetable = calloc(tuples, sizeof *s->timetable);
    if (s->fold && s->count && s->balance && s->split && s->fixed && s->list && s->sharding &&
        s->offload && s->timetable)
        return s;
    plan_scratch_close(s);
    return NULL;
}

void plan_scratch_close(struct plan_scratch *s)
{
    if (!s) return;
    free(s->fold);
    free(s->count);
    free(s->balance);
    free(s->split);
    free(s->fixed);
    free(s->list);
    free(s->sharding);
    free(s->offload);
    free(s->timetable);
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
    bool folded; /* the layers of the unit */

    /* of the member at hand */
    const struct stage_set *set;
    const struct choices *stages, *sharding, *offload;
    uint64_t base;    /* index of its first plan */
    uint64_t leaves;  /* plans of one tuple of stages */
    uint64_t choices; /* ... that pass the checks of sharding and offload */
    double microbatches, send_s;
    struct extremes extremes;

    /* of the shape at hand */
    const struct timetable *timetable;
    const struct timetable_state *state;
    const struct stage_map *map;
    uint64_t plans; /* of a division, that pass all checks */

    /* of the division at hand, or several */
    uint64_t tuple;
    const struct layer_folds *fold;
    double shortest_s;
};

/* ---- counting ---- */

static void refuse(struct run *r, enum rk_verdict verdict, uint64_t plans)
{
    r->visitor->counts->verdict[verdict][0] += plans;
    r->visitor->explain->refused += plans;
}

static void count_repeated(struct run *r, uint64_t plans)
{
    r->visitor->counts->repeated += plans;
    r->visitor->explain->refused += plans;
}

static void count_too_large(struct run *r, uint64_t plans)
{
    r->visitor->counts->verdict[RK_MEMORY_EXCEEDED][0] += plans;
    r->visitor->explain->refused_by_memory += plans;
}

static void count_bounded(struct run *r, uint64_t plans)
{
    r->visitor->counts->verdict[RK_FITS][0] += plans;
    r->visitor->explain->bounded += plans;
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

static void check_bundle(struct run *r, const struct choices *choices, unsigned parts,
                         struct choice_state *state)
{
    for (uint64_t i = 0; i < choices->count; i++) {
        plans_set_choice(&r->s->plan, choices, i);
        state[i].refused = refused_by(r, parts, &state[i].verdict);
    }
}

static int demand_kind(enum rk_schedule schedule)
{
    return schedule == RK_DUALPIPE ? DEMAND_PAIRS : schedule == RK_GPIPE ? DEMAND_ALL : DEMAND_SOME;
}

static void check_timetable(struct run *r, const struct timetable *timetable,
                            struct timetable_state *state)
{
    struct rk_plan *plan = &r->s->plan;
    plan->chunks = timetable->chunks;
    *state = (struct timetable_state){.alike = true};
    for (int i = 0; i < timetable->schedules; i++) {
        plan->schedule = timetable->schedule[i];
        state->refused[i] = refused_by(r, 1u << CHECK_SCHEDULE, &state->verdict[i]);
        state->alike &= demand_kind(plan->schedule) == DEMAND_SOME;
        if (state->refused[i]) continue;
        state->passing++;
        state->pairs |= plan->schedule == RK_DUALPIPE;
    }
}

static void check_choices(struct run *r)
{
    struct plan_scratch *s = r->s;
    check_bundle(r, r->sharding, 1u << CHECK_SHARDING, s->sharding);
    check_bundle(r, r->offload, 1u << CHECK_OFFLOAD, s->offload);
    for (uint64_t i = 0; i < r->set->timetables; i++)
        check_timetable(r, &r->set->timetable[i], &s->timetable[i]);
}

/* Counts the plans of a shape that stages or schedule refuse; returns how many tuples are left. */
static uint64_t sift_shape(struct run *r, const struct shape *shape)
{
    const struct timetable *timetable = &r->set->timetable[shape->timetable];
    const struct timetable_state *state = &r->s->timetable[shape->timetable];
    const uint64_t divisions = shape->end - shape->first;
    if (shape->refused) {
        refuse(r, shape->verdict, divisions * (uint64_t)timetable->schedules * r->leaves);
        return 0;
    }
    for (int i = 0; i < timetable->schedules; i++)
        if (state->refused[i]) refuse(r, state->verdict[i], divisions * r->leaves);
    return divisions * state->passing;
}

/* Counts what is refused before layers matter; `late` refuses what passes all that. Returns whether
 * any plans are left. */
static bool sift(struct run *r, enum rk_verdict late)
{
    const struct plan_scratch *s = r->s;
    uint64_t tuples = 0, shardings = 0, offloads = 0;
    for (uint64_t i = 0; i < r->set->shapes; i++)
        tuples += sift_shape(r, &r->set->shape[i]);
    for (uint64_t i = 0; i < r->offload->count; i++)
        offloads += !s->offload[i].refused;
    for (uint64_t i = 0; i < r->sharding->count; i++) {
        shardings += !s->sharding[i].refused;
        if (s->sharding[i].refused) refuse(r, s->sharding[i].verdict, tuples * r->offload->count);
        for (uint64_t k = 0; k < r->offload->count; k++)
            if (!s->sharding[i].refused && s->offload[k].refused)
                refuse(r, s->offload[k].verdict, tuples);
    }
    r->choices = shardings * offloads;
    if (late != RK_FITS) refuse(r, late, tuples * r->choices);
    return late == RK_FITS && tuples * r->choices > 0;
}

/* ---- layers ---- */

static enum family family_of(uint64_t recompute)
{
    return (recompute & 3) == RK_WHOLE ? KEEPS_INPUTS : KEEPS_TENSORS;
}

static void note_layer(struct layer_fold *least, struct layer_fold *most,
                       const struct layer_fold *fold)
{
    enum { NUMBERS = sizeof *fold / sizeof(double) };
    double low[NUMBERS], high[NUMBERS], own[NUMBERS];
    memcpy(low, least, sizeof low);
    memcpy(high, most, sizeof high);
    memcpy(own, fold, sizeof own);
    for (int i = 0; i < NUMBERS; i++) {
        low[i] = own[i] < low[i] ? own[i] : low[i];
        high[i] = own[i] > high[i] ? own[i] : high[i];
    }
    memcpy(least, low, sizeof low);
    memcpy(most, high, sizeof high);
}

static void note_fold(struct family_bounds *bounds, const struct layer_folds *fold)
{
    if (!bounds->any) {
        bounds->any = true;
        bounds->least = bounds->most = *fold;
        return;
    }
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (fold->present[kind])
            note_layer(&bounds->least.layer[kind][RECOMPUTED],
                       &bounds->most.layer[kind][RECOMPUTED], &fold->layer[kind][RECOMPUTED]);
}

static uint16_t *split_at(const struct plan_scratch *s, uint64_t row, int parts)
{
    return s->split + row * splits_before(s->most_parts + 1) + splits_before(parts);
}

/* Is the split another one of the space? */
static bool repeats(struct plan_scratch *s, const uint16_t *split, int parts)
{
    const size_t size = (size_t)parts * sizeof *split;
    bool repeats = false;
    for (int value = 0; value < RK_SPLIT_BALANCED; value++) {
        uint16_t *other = split_at(s, s->recomputes + 1 + (uint64_t)value, parts);
        if (!plans_have_split(s->problem, (uint64_t)value)) continue;
        if (!s->fixed[parts]) plans_fixed_split(other, parts, s->problem->model, (uint64_t)value);
        repeats |= memcmp(split, other, size) == 0;
    }
    s->fixed[parts] = true;
    return repeats;
}

/* The balanced splits of one row, for each number of virtual stages; blocks of a model too deep for
 * that are dealt evenly. */
static void balance_row(struct plan_scratch *s, uint32_t row, const struct layer_folds *fold,
                        enum treatment treatment)
{
    if (s->counts == 0) return;
    const bool deep = !plan_dealing(&s->dealing, s->problem->model, fold, treatment);
    for (int i = 0; i < s->counts; i++) {
        const int parts = s->count[i];
        struct balance *balance =
            &s->balance[row * ((uint64_t)s->most_parts + 1) + (uint64_t)parts];
        uint16_t *split = split_at(s, row, parts);
        const size_t size = (size_t)parts * sizeof *split;
        if (deep)
            plans_fixed_split(split, parts, s->problem->model, RK_SPLIT_EVEN);
        else
            dealing_split(&s->dealing, parts, split);
        balance->repeats = repeats(s, split, parts);
        balance->same_as = 0;
        while (balance->same_as < row &&
               memcmp(split_at(s, balance->same_as, parts), split, size) != 0)
            balance->same_as++;
    }
}

static void note_parts(struct plan_scratch *s, int parts)
{
    int i = 0;
    while (i < s->counts && s->count[i] != parts)
        i++;
    if (i == s->counts) s->count[s->counts++] = parts;
}

static void count_parts(struct run *r)
{
    struct plan_scratch *s = r->s;
    s->counts = 0;
    for (uint32_t m = 0; m < r->unit->group->members; m++) {
        const struct stage_set *set = r->unit->group->member[m].stages;
        for (uint64_t i = 0; i < set->shapes; i++)
            if (set->shape[i].balanced && !set->shape[i].refused)
                note_parts(s, set->shape[i].parts);
    }
}

/* All layers that members of the unit have. */
static void fold_unit(struct run *r)
{
    struct plan_scratch *s = r->s;
    const uint64_t *recompute = r->set->all->recompute;
    if (r->folded) return;
    r->folded = true;
    count_parts(r);
    time_layers(&s->timed, s->problem->model, s->problem->system, &s->plan);
    for (int i = 0; i < FAMILIES; i++)
        s->family[i].any = false;
    for (uint32_t i = 0; i < s->recomputes; i++) {
        rk_plan_axis_set(&s->plan, RK_PLAN_RECOMPUTE, recompute[i]);
        fold_timed(&s->fold[i], &s->timed, s->problem->system, &s->plan);
        note_fold(&s->family[family_of(recompute[i])], &s->fold[i]);
        balance_row(s, i, &s->fold[i], RECOMPUTED);
        r->visitor->explain->folds++;
    }
    balance_row(s, (uint32_t)s->recomputes, &s->fold[0], AS_IT_IS);
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

static void demand_pairs(struct run *r, const struct sharing *sharing)
{
    struct plan_scratch *s = r->s;
    const uint16_t *class_of = r->map->class_of;
    const int p = r->map->stages;
    for (int i = 0; i < p / 2; i++) {
        struct stage_sum pair;
        stage_pair(&pair, &s->sum[class_of[i]], &s->sum[class_of[p - 1 - i]], &s->plan,
                   (uint64_t)i);
        s->demand[DEMAND_PAIRS][i] = stage_demand_of(&pair, r->fold, sharing, &s->plan);
    }
}

/* What stages need under each kind of schedule that there is. */
static void demand_stages(struct run *r, const struct sharing *sharing)
{
    struct plan_scratch *s = r->s;
    bool done[DEMANDS] = {false};
    for (int k = 0; k < r->timetable->schedules; k++) {
        const int kind = demand_kind(r->timetable->schedule[k]);
        if (done[kind] || r->state->refused[k]) continue;
        done[kind] = true;
        s->plan.schedule = r->timetable->schedule[k];
        if (kind == DEMAND_PAIRS) {
            demand_pairs(r, sharing);
            continue;
        }
        for (int i = 0; i < r->map->classes; i++)
            s->demand[kind][i] = stage_demand_of(&s->sum[i], r->fold, sharing, &s->plan);
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

/* Number by number. */
static void note_bytes(struct element_bytes *least, struct element_bytes *most,
                       const struct element_bytes *bytes)
{
    enum { NUMBERS = sizeof *bytes / sizeof(double) };
    double low[NUMBERS], high[NUMBERS], own[NUMBERS];
    memcpy(low, least, sizeof low);
    memcpy(high, most, sizeof high);
    memcpy(own, bytes, sizeof own);
    for (int i = 0; i < NUMBERS; i++) {
        low[i] = fmin(low[i], own[i]);
        high[i] = fmax(high[i], own[i]);
    }
    memcpy(least, low, sizeof low);
    memcpy(most, high, sizeof high);
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
    note_bytes(&e->least.bytes, &e->most.bytes, &sharing->bytes);
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

/* What holds least: the highest ZeRO stage over the most ranks, offloaded what any plan offloads,
 * and nothing gathered. No plan need be like that. The plan at hand is left so: whoever goes on
 * with it sets its own choices. Of a rank with two stages one is counted, whose state DualPipe
 * shares with another rank. */
static struct stage_demand least_demand(const struct run *r, const struct stage_sum *sum)
{
    struct rk_plan *plan = &r->s->plan;
    struct stage_sum lighter = *sum;
    lighter.largest_parameters = lighter.ends_parameters = 0;
    plan->schedule = r->state->pairs ? RK_DUALPIPE : RK_1F1B;
    plan->zero = r->extremes.zero;
    plan->keep_gathered = false;
    rk_plan_offload_activations(plan, 0);
    plan->share[RK_SHARE_OPTIMIZER][0] = r->extremes.optimizer;
    plan->share[RK_SHARE_WEIGHTS][0] = r->extremes.weights;
    return stage_demand_of(&lighter, r->fold, &r->extremes.least, plan);
}

/* What holds most: the lowest ZeRO stage over the fewest ranks, nothing offloaded, and the most
 * that any plan gathers. */
static struct stage_demand most_demand(const struct run *r, const struct stage_sum *sum)
{
    struct rk_plan *plan = &r->s->plan;
    const struct extremes *e = &r->extremes;
    plan->schedule = RK_1F1B; /* see timetable_state.alike */
    plan->zero = e->lowest_zero;
    plan->keep_gathered = false;
    memset(plan->share, 0, sizeof plan->share);
    struct stage_demand most = stage_demand_of(sum, r->fold, &e->most, plan);
    for (int kept = 0; e->gathers && kept <= e->keeps; kept++) {
        plan->zero = 3;
        plan->keep_gathered = kept;
        const struct stage_demand other = stage_demand_of(sum, r->fold, &e->most, plan);
        most.fixed_bytes = fmax(most.fixed_bytes, other.fixed_bytes);
    }
    return most;
}

struct flights {
    double least, most;
};

/* Of the first stage of a class, under all schedules. */
static struct flights flights_of(struct run *r, int class)
{
    struct plan_scratch *s = r->s;
    struct flights flights = {INFINITY, 0};
    for (int i = 0; i < r->timetable->schedules; i++) {
        const enum rk_schedule schedule = r->timetable->schedule[i];
        if (r->state->refused[i]) continue;
        /* of one direction of DualPipe, as 1F1B */
        s->plan.schedule = schedule == RK_DUALPIPE ? RK_1F1B : schedule;
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

/* ---- stages ---- */

static double both_s(const struct stage_sum *sum)
{
    double both_s = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        both_s += sum->pass_s[pass];
    return both_s;
}

static void sum_class(struct run *r, int class)
{
    struct plan_scratch *s = r->s;
    stage_outline(&s->sum[class], r->fold, s->problem->model, &s->plan, &r->map->blocks[class]);
}

/* Whichever stage sets the pace, the step is not shorter than all microbatches on the slowest one;
 * what offload and data parallelism add is not negative. */
static void find_shortest(struct run *r)
{
    double slowest_s = 0;
    for (int i = 0; i < r->map->classes; i++)
        slowest_s = fmax(slowest_s, both_s(&r->s->sum[i]));
    r->shortest_s = r->microbatches * slowest_s * rounding;
}

/* Does no plan fit, whatever its sharding, schedule and offload? Sums the classes on the way, all
 * of them unless it says yes. Offloaded activations are left to each plan. */
static bool none_fits(struct run *r)
{
    const struct rk_system *system = r->s->problem->system;
    for (int i = 0; i < r->map->classes; i++) {
        sum_class(r, i);
        if (!r->visitor->prune || r->extremes.activations) continue;
        const struct flights flights = flights_of(r, i);
        const struct stage_demand least = least_demand(r, &r->s->sum[i]);
        if (demanded_bytes(&least, system, flights.least) * rounding >
            system->memory[0].capacity_bytes)
            return true;
    }
    return false;
}

/* Do all plans fit? */
static bool all_fit(struct run *r)
{
    const struct rk_system *system = r->s->problem->system;
    if (r->extremes.activations || !r->state->alike) return false;
    for (int i = 0; i < r->map->classes; i++) {
        const struct stage_demand most = most_demand(r, &r->s->sum[i]);
        if (demanded_bytes(&most, system, flights_of(r, i).most) >
            system->memory[0].capacity_bytes * rounding)
            return false;
    }
    return true;
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
    for (int i = 0; i < r->timetable->schedules; i++) {
        if (r->state->refused[i]) continue;
        s->plan.schedule = r->timetable->schedule[i];
        if (exceeds(r)) {
            count_too_large(r, 1);
        } else if (bounded(r)) {
            count_bounded(r, 1);
        } else {
            if (!moved) move_classes(r, state);
            moved = true;
            r->visitor->counts->verdict[RK_FITS][0]++;
            const uint64_t tuple = r->tuple + (uint64_t)i;
            time_plan(r, r->base + (tuple * r->sharding->count + sharding) * r->offload->count +
                             offload);
        }
    }
}

/* ---- divisions ---- */

static void each_sharding(struct run *r)
{
    struct plan_scratch *s = r->s;
    for (int i = 0; i < r->map->classes; i++)
        memcpy(s->pass_s[i], s->sum[i].pass_s, sizeof s->pass_s[i]);
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

static void run_division(struct run *r, const struct division *division)
{
    r->fold = &r->s->fold[division->recompute];
    r->tuple = division->tuple;
    if (none_fits(r)) {
        count_too_large(r, r->plans);
        return;
    }
    find_shortest(r);
    if (bounded(r) && all_fit(r))
        count_bounded(r, r->plans);
    else
        each_sharding(r);
}

/* The least of every number bounds the memory and time of all divisions, the most their memory:
 * both grow with each number of a layer. */
static bool settled_at_once(struct run *r, const struct family_bounds *bounds, uint64_t divisions)
{
    r->fold = &bounds->least;
    if (none_fits(r)) {
        count_too_large(r, divisions * r->plans);
        return true;
    }
    find_shortest(r);
    if (!bounded(r) || !r->state->alike || r->extremes.activations) return false;
    r->fold = &bounds->most;
    for (int i = 0; i < r->map->classes; i++)
        sum_class(r, i);
    if (!all_fit(r)) return false;
    count_bounded(r, divisions * r->plans);
    return true;
}

/* Divisions with the same blocks on the same stages. */
static void run_map(struct run *r, const struct division *const *list, uint64_t count)
{
    const uint64_t *recompute = r->set->all->recompute;
    for (int family = 0; family < FAMILIES; family++) {
        uint64_t divisions = 0;
        for (uint64_t i = 0; i < count; i++)
            divisions += family_of(recompute[list[i]->recompute]) == (enum family)family;
        if (divisions == 0) continue;
        if (r->visitor->prune && divisions > 1 &&
            settled_at_once(r, &r->s->family[family], divisions))
            continue;
        for (uint64_t i = 0; i < count; i++)
            if (family_of(recompute[list[i]->recompute]) == (enum family)family)
                run_division(r, list[i]);
    }
}

/* ---- shapes ---- */

static const struct balance *balance_of(const struct run *r, const struct shape *shape,
                                        const struct division *division)
{
    const uint64_t row = shape->some_layers ? r->s->recomputes : division->recompute;
    return &r->s->balance[row * ((uint64_t)r->s->most_parts + 1) + (uint64_t)shape->parts];
}

/* The map of a balanced split. */
static void map_split(struct run *r, const struct shape *shape, uint32_t row)
{
    struct plan_scratch *s = r->s;
    struct rk_plan *plan = &s->plan;
    plan->splits = shape->parts;
    memcpy(plan->split, split_at(s, row, shape->parts), (size_t)shape->parts * sizeof *plan->split);
    stage_map_of(&s->balanced, s->problem->model, plan);
    plan->splits = 0;
    r->map = &s->balanced;
}

/* Divisions of the same split go together. */
static void run_balanced(struct run *r, const struct shape *shape)
{
    struct plan_scratch *s = r->s;
    const struct division *division = r->set->division;
    for (uint64_t i = shape->first; i < shape->end; i++) {
        const struct balance *balance = balance_of(r, shape, &division[i]);
        uint64_t count = 0;
        bool first = true;
        if (balance->repeats) {
            count_repeated(r, r->plans);
            continue;
        }
        for (uint64_t k = shape->first; k < i && first; k++)
            first = balance_of(r, shape, &division[k])->same_as != balance->same_as;
        if (!first) continue;
        for (uint64_t k = i; k < shape->end; k++)
            if (balance_of(r, shape, &division[k])->same_as == balance->same_as)
                s->list[count++] = &division[k];
        map_split(r, shape, balance->same_as);
        run_map(r, s->list, count);
    }
}

static void run_shape(struct run *r, const struct shape *shape)
{
    struct plan_scratch *s = r->s;
    r->timetable = &r->set->timetable[shape->timetable];
    r->state = &s->timetable[shape->timetable];
    r->plans = r->state->passing * r->choices;
    if (shape->refused || r->plans == 0) return;
    plans_set_choice(&s->plan, r->stages, r->set->division[shape->first].tuple);
    if (!shape->some_layers) /* see shape.map */
        rk_plan_axis_set(&s->plan, RK_PLAN_RECOMPUTE, RK_RECOMPUTE_VALUE(RK_WHOLE, 0));
    if (shape->balanced) {
        run_balanced(r, shape);
        return;
    }
    r->map = &shape->map;
    for (uint64_t i = shape->first; i < shape->end; i++)
        s->list[i - shape->first] = &r->set->division[i];
    run_map(r, s->list, shape->end - shape->first);
}

/* ---- members ---- */

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

/* Checks that come before those of stages refuse all plans of a member at once; later ones only
 * those that pass the latter. */
static void run_plans(struct run *r)
{
    struct plan_scratch *s = r->s;
    const struct rk_plans_problem *p = s->problem;
    struct rk_reason reason;
    const int failed = plan_check_parts(p->model, p->system, &s->plan, CHECKS_BEFORE, &reason);
    if (failed < CHECK_STAGES) {
        refuse(r, reason.verdict, r->stages->count * r->leaves);
        return;
    }
    check_choices(r);
    if (!sift(r, failed == PLAN_CHECKS ? RK_FITS : reason.verdict)) return;
    fold_unit(r);
    r->send_s = send_s_of(&s->fold[0], p->system, &s->plan);
    open_sharings(r);
    for (uint64_t i = 0; i < r->set->shapes; i++)
        run_shape(r, &r->set->shape[i]);
}

static void run_member(struct run *r, const struct plan_member *member)
{
    struct rk_plan *plan = &r->s->plan;
    const struct layout *layout = member->layout;
    const struct choices *kernels = layout->choices[BUNDLE_KERNELS];
    const uint64_t width = member->microbatch * layout->choices[BUNDLE_WIDTH]->count;
    const uint64_t local = (width + r->unit->width) * kernels->count + r->unit->kernels;
    r->set = member->stages;
    r->stages = layout->choices[BUNDLE_STAGES];
    r->sharding = layout->choices[BUNDLE_SHARDING];
    r->offload = layout->choices[BUNDLE_OFFLOAD];
    r->leaves = r->sharding->count * r->offload->count;
    r->base = layout->first + local * plans_below(layout, BUNDLE_KERNELS);
    plans_set_layout(plan, layout);
    plans_set_choice(plan, layout->choices[BUNDLE_MICROBATCH], member->microbatch);
    plans_set_choice(plan, layout->choices[BUNDLE_WIDTH], r->unit->width);
    plans_set_choice(plan, kernels, r->unit->kernels);
    r->microbatches = microbatches_of(plan);
    run_plans(r);
}

void plan_unit_run(struct plan_scratch *s, const struct plan_unit *unit, struct visitor *visitor)
{
    struct run r = {.s = s, .unit = unit, .visitor = visitor};
    s->plan = s->problem->base;
    for (uint32_t i = 0; i < unit->group->members; i++)
        run_member(&r, &unit->group->member[i]);
}
