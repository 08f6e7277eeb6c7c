#include "search/plans_unit.h"

#include "estimate/plan_check.h"
#include "search/plans_recall.h"
#include "search/plans_split.h"

#include <math.h>
#include <stddef.h>
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
};

/* A microbatch on a block, and on what stands before the first and behind the last one. */
struct block_times {
    double block_s[TREATMENTS][LAYER_KINDS];
    double ends_s[ENDS];
};

struct family_bounds {
    bool any;
    struct layer_folds least; /* number by number, of all recomputations of the family */
};

/* How blocks are balanced, by what is computed again; the last row: nothing is. */
struct balance {
    bool repeats;     /* another split of the space */
    uint32_t same_as; /* the first row with the same split */
};

/* Schedules that stages' memory is the same under, microbatches in flight apart. */
enum demand_kind { DEMAND_SOME, DEMAND_ALL, DEMAND_PAIRS, DEMANDS };

/* A sharding and offload that pass their checks. */
struct choice {
    uint64_t index;
    uint64_t sharding, offload;
    struct memory_rule rule[DEMANDS];
};

/* Microbatches in flight on a stage; the first one of a class has most of them. With DualPipe those
 * of one direction, as with 1F1B. */
struct stage_flights {
    uint64_t of_timetable; /* which the scratch counts */
    double of[RK_SCHEDULES];
    double least;
};

/* Where memory is needed: a stage of each class, and with DualPipe the ranks with two stages of the
 * same two classes. */
struct place {
    int first, last;              /* rank; class, which is both */
    double least_room, most_room; /* of all choices */
};

enum { MOST_PLACES = RK_MAX_STAGES + RK_MAX_STAGES / 2 };

/* Rooms that were found in the member at hand, by the blocks of the one stage or both. */
enum { KEPT_ROOMS = 1024 };

struct kept_room {
    uint64_t member;                 /* which the scratch counts; 0: none */
    uint16_t blocks[2][LAYER_KINDS]; /* of each kind, and behind them which ends */
};

/* What a place holds that depends on recomputation; with a share of activations offloaded, `held`
 * is less and `moving` counts. */
struct holding {
    int place;
    double held, working, moving;
};

/* How many plans of a shape fit, remembered for members that hold the same: their layers, their
 * stages and what their choices make of the memory. */
enum {
    LAYER_NUMBERS =
        (offsetof(struct layer_fold, spent_s) - offsetof(struct layer_fold, parameters)) /
        sizeof(double),
    RULE_NUMBERS = offsetof(struct memory_rule, ends_in_flight) / sizeof(double),
    CHOICE_NUMBERS = 2 + 2 * RULE_NUMBERS,
    MEMBER_NUMBERS = 4, /* beside its choices and timetables */
    RECALLED_LAYERS = 32,
    RECALLED_MEMBERS = 128
};
static const uint64_t unknown = UINT64_MAX;

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
    uint32_t *same_as;                   /* (divisions) of a shape: rows of splits */
    struct stage_sum sum[RK_MAX_STAGES]; /* (classes) of one division, or the least of several */
    struct stage_end end[RK_MAX_STAGES];
    double pass_s[RK_MAX_STAGES][FOLD_PASSES]; /* of sum, before anything is moved */
    struct stage_flights flights[RK_MAX_STAGES];
    const struct stage_flights *flight[RK_MAX_STAGES]; /* (classes) of the map at hand */
    bool *too_large; /* (shapes) no plan fits that computes all layers again from their inputs */
    struct choice *choice;  /* (run.choices) of the shardings and offloads */
    struct kept_room *kept; /* (KEPT_ROOMS) */
    double *kept_room;      /* (KEPT_ROOMS)(choices) */
    double *room;           /* (places)(choices) see find_room */
    struct place place[MOST_PLACES];
    struct holding holding[2 * MOST_PLACES];
    bool *fits; /* (shardings)(offloads)(RK_SCHEDULES) of a division */
    struct stage_blocks blocks[RK_MAX_STAGES];
    struct stage_map balanced;
    struct choice_state *sharding, *offload;
    struct timetable_state *timetable;
    struct remembered remembered[REMEMBERED];
    uint64_t ids, timetables, members;    /* counted */
    struct block_times least_s[FAMILIES]; /* no recomputation of the family is faster */
    struct block_times *block_s;          /* (recomputes) */
    uint64_t *numbers;                    /* of a list to recall */
    struct recall layers, fitting;        /* see layers_held, fitting_of_member */
    uint64_t held;                        /* which layers, by what they hold: from 1 */
    uint64_t *fitting_plans; /* (shapes) of the member at hand; `unknown`: not found out */
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
    s->timed.known = calloc(KNOWN_PRODUCTS, sizeof *s->timed.known);
    s->fold = calloc(rows, sizeof *s->fold);
    s->block_s = calloc(rows, sizeof *s->block_s);
    s->count = calloc((size_t)parts + 1, sizeof *s->count);
    s->balance = calloc(rows * ((size_t)parts + 1), sizeof *s->balance);
    s->split = calloc((rows + RK_SPLITS) * splits_before(parts + 1), sizeof *s->split);
    s->fixed = calloc((size_t)parts + 1, sizeof *s->fixed);
    s->list = calloc(tuples, sizeof(struct division *));
    s->same_as = calloc(tuples, sizeof *s->same_as);
    s->sharding = calloc(most_choices(plans, BUNDLE_SHARDING), sizeof *s->sharding);
    s->offload = calloc(most_choices(plans, BUNDLE_OFFLOAD), sizeof *s->offload);
    s->timetable = calloc(tuples, sizeof *s->timetable);
    s->too_large = calloc(tuples, sizeof *s->too_large);
    const size_t choices =
        most_choices(plans, BUNDLE_SHARDING) * most_choices(plans, BUNDLE_OFFLOAD);
    s->choice = calloc(choices, sizeof *s->choice);
    s->room = calloc(choices * MOST_PLACES, sizeof *s->room);
    s->kept = calloc(KEPT_ROOMS, sizeof *s->kept);
    s->kept_room = calloc(choices * KEPT_ROOMS, sizeof *s->kept_room);
    s->fits = calloc(choices * RK_SCHEDULES, sizeof *s->fits);
    const size_t layers = (recomputes + 1) * LAYER_KINDS * LAYER_NUMBERS + 1;
    const size_t member = MEMBER_NUMBERS + choices * CHOICE_NUMBERS + tuples;
    s->numbers = calloc(layers + member, sizeof *s->numbers);
    const bool recalls = recall_open(&s->layers, RECALLED_LAYERS, layers, 1) &
                         recall_open(&s->fitting, RECALLED_MEMBERS, member, tuples);
    if (recalls && s->numbers && s->block_s && s->timed.known && s->too_large && s->choice &&
        s->room && s->fits && s->same_as && s->kept && s->kept_room && s->fold && s->count &&
        s->balance && s->split && s->fixed && s->list && s->sharding && s->offload && s->timetable)
        return s;
    plan_scratch_close(s);
    return NULL;
}

void plan_scratch_close(struct plan_scratch *s)
{
    if (!s) return;
    free(s->timed.known);
    free(s->fold);
    free(s->block_s);
    free(s->count);
    free(s->balance);
    free(s->split);
    free(s->fixed);
    free(s->list);
    free(s->same_as);
    free(s->sharding);
    free(s->offload);
    free(s->timetable);
    free(s->too_large);
    free(s->choice);
    free(s->room);
    free(s->kept);
    free(s->kept_room);
    free(s->fits);
    free(s->numbers);
    recall_close(&s->layers);
    recall_close(&s->fitting);
    free(s);
}

/* ---- where a unit is ---- */

struct extremes {                         /* of all choices of sharing and offload */
    struct sharing least;                 /* over the most ranks */
    int zero;                             /* the highest */
    bool activations, optimizer, weights; /* can be offloaded */
};

struct run {
    struct plan_scratch *s;
    const struct plan_layers *layers;
    struct visitor *visitor;
    bool folded; /* the layers */

    /* of the member at hand */
    const struct stage_set *set;
    const struct choices *stages, *sharding, *offload;
    uint64_t base;    /* index of its first plan */
    uint64_t leaves;  /* plans of one tuple of stages */
    uint64_t choices; /* ... that pass the checks of sharding and offload */
    double microbatches, send_s;
    struct extremes extremes;
    struct stage_sum model; /* see sum_model */
    bool inputs_are_less;   /* a layer that keeps its inputs alone holds less than one as it is */

    /* of the shape at hand */
    const struct timetable *timetable; /* NULL: none yet */
    const struct timetable_state *state;
    struct memory_rule least; /* what holds least, whatever the sharding, offload and schedule */
    double pair_flights;
    double ends[DEMANDS][ENDS]; /* microbatches of them in flight */
    bool hopeless; /* whatever the blocks of stages and what is computed again, no plan fits */
    const struct shape *shape;
    const struct stage_map *map;
    int classes, places; /* places that are classes, all of them */
    uint64_t plans;      /* of a division, that pass all checks */

    /* of the division at hand, or several */
    uint64_t tuple;
    const struct layer_folds *fold;
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

static void set_choice(struct run *r, const struct choice *choice)
{
    plans_set_choice(&r->s->plan, r->sharding, choice->sharding);
    plans_set_choice(&r->s->plan, r->offload, choice->offload);
}

static void check_bundle(struct run *r, const struct choices *choices, unsigned parts,
                         struct choice_state *state)
{
    for (uint64_t i = 0; i < choices->count; i++) {
        plans_set_choice(&r->s->plan, choices, i);
        state[i].refused = refused_by(r, parts, &state[i].verdict);
        if (parts & 1u << CHECK_SHARDING && !state[i].refused)
            state[i].sharing = sharing_of(&r->s->plan);
    }
}

static enum demand_kind demand_kind(enum rk_schedule schedule)
{
    return schedule == RK_DUALPIPE ? DEMAND_PAIRS : schedule == RK_GPIPE ? DEMAND_ALL : DEMAND_SOME;
}

static void check_timetable(struct run *r, const struct timetable *timetable,
                            struct timetable_state *state)
{
    struct rk_plan *plan = &r->s->plan;
    plan->chunks = timetable->chunks;
    *state = (struct timetable_state){.passing = 0};
    for (int i = 0; i < timetable->schedules; i++) {
        plan->schedule = timetable->schedule[i];
        state->refused[i] = refused_by(r, 1u << CHECK_SCHEDULE, &state->verdict[i]);
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

/* Of the outlines. */
static void note_layer(struct layer_fold *least, const struct layer_fold *fold)
{
    enum { NUMBERS = offsetof(struct layer_fold, spent_s) / sizeof(double) };
    double low[NUMBERS], own[NUMBERS];
    memcpy(low, least, sizeof low);
    memcpy(own, fold, sizeof own);
    for (int i = 0; i < NUMBERS; i++)
        low[i] = own[i] < low[i] ? own[i] : low[i];
    memcpy(least, low, sizeof low);
}

static void note_fold(struct family_bounds *bounds, const struct layer_folds *fold)
{
    if (!bounds->any) {
        bounds->any = true;
        fold_copy_outline(&bounds->least, fold);
        return;
    }
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (fold->present[kind])
            note_layer(&bounds->least.layer[kind][RECOMPUTED], &fold->layer[kind][RECOMPUTED]);
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

static struct balance *balances_of(const struct plan_scratch *s, uint64_t row)
{
    return &s->balance[row * ((uint64_t)s->most_parts + 1)];
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
        struct balance *balance = &balances_of(s, row)[parts];
        uint16_t *split = split_at(s, row, parts);
        const size_t size = (size_t)parts * sizeof *split;
        if (deep)
            plans_fixed_split(split, parts, s->problem->model, RK_SPLIT_EVEN);
        else
            dealing_split(&s->dealing, parts, split);
        balance->repeats = repeats(s, split, parts);
        balance->same_as = 0;
        while (!balance->repeats && balance->same_as < row &&
               memcmp(split_at(s, balance->same_as, parts), split, size) != 0)
            balance->same_as++;
    }
}

/* The last row: that of the first fold where it computes nothing again. */
static void balance_as_it_is(struct plan_scratch *s)
{
    const struct block_times *first = &s->block_s[0];
    const uint32_t row = (uint32_t)s->recomputes;
    if (memcmp(first->block_s[RECOMPUTED], first->block_s[AS_IT_IS], sizeof first->block_s[0])) {
        balance_row(s, row, &s->fold[0], AS_IT_IS);
        return;
    }
    for (int i = 0; i < s->counts; i++) {
        const int parts = s->count[i];
        balances_of(s, row)[parts] = balances_of(s, 0)[parts];
        memcpy(split_at(s, row, parts), split_at(s, 0, parts), (size_t)parts * sizeof *s->split);
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
    for (uint32_t m = 0; m < r->layers->group->members; m++) {
        const struct stage_set *set = r->layers->group->member[m].stages;
        for (uint64_t i = 0; i < set->shapes; i++)
            if (set->shape[i].balanced && !set->shape[i].refused)
                note_parts(s, set->shape[i].parts);
    }
}

static void find_inputs_are_less(struct run *r)
{
    const struct family_bounds *bounds = &r->s->family[KEEPS_INPUTS];
    r->inputs_are_less = bounds->any;
    for (int kind = 0; kind < LAYER_KINDS && bounds->any; kind++) {
        const struct layer_fold *layer = bounds->least.layer[kind];
        if (bounds->least.present[kind])
            r->inputs_are_less &=
                layer[RECOMPUTED].saved_total_bytes <= layer[AS_IT_IS].saved_total_bytes;
    }
}

/* The least of all blocks of the model, but for what is not shared out among stages. */
static void sum_model(struct run *r)
{
    const struct plan_scratch *s = r->s;
    const struct rk_model *model = s->problem->model;
    r->model.saved_total_bytes = INFINITY;
    for (int i = 0; i < FAMILIES * TREATMENTS; i++) {
        const struct family_bounds *bounds = &s->family[i / TREATMENTS];
        const double saved_bytes = r->model.saved_total_bytes;
        struct stage_blocks blocks = {.all = (double)model->layers};
        if (!bounds->any) continue;
        layer_count(model, 0, model->layers, blocks.counts[i % TREATMENTS]);
        stage_outline(&r->model, &bounds->least, model, &s->plan, &blocks);
        r->model.saved_total_bytes = fmin(r->model.saved_total_bytes, saved_bytes);
    }
    find_inputs_are_less(r);
    r->model.working_bytes = r->model.buffer_bytes = r->model.block_shapes = 0;
}

static uint64_t *add_numbers(uint64_t *to, const double *numbers, size_t count)
{
    memcpy(to, numbers, count * sizeof *numbers);
    return to + count;
}

static uint64_t *add_layers(uint64_t *to, const struct layer_folds *fold, enum treatment treatment)
{
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (fold->present[kind])
            to = add_numbers(to, &fold->layer[kind][treatment].parameters, LAYER_NUMBERS);
    return to;
}

/* Units differ in which layers are how fast; what these hold is often the same. */
static void find_layers_held(struct plan_scratch *s)
{
    bool known;
    uint64_t *end = add_layers(s->numbers, &s->fold[0], AS_IT_IS);
    for (uint64_t i = 0; i < s->recomputes; i++)
        end = add_layers(end, &s->fold[i], RECOMPUTED);
    uint64_t *id = recall_find(&s->layers, s->numbers, (size_t)(end - s->numbers), &known);
    if (!known) *id = ++s->ids;
    s->held = *id;
}

static double fold_s(const struct layer_fold *layer)
{
    double sum_s = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum_s += layer->pass_s[pass];
    return sum_s;
}

/* Both ends are computed once; what is predicted behind the last one, maybe again. */
static void find_block_times(struct block_times *times, const struct layer_folds *fold,
                             const struct rk_model *model)
{
    for (int i = 0; i < TREATMENTS; i++)
        for (int kind = 0; kind < LAYER_KINDS; kind++)
            times->block_s[i][kind] = fold->present[kind] ? fold_s(&fold->layer[kind][i]) : 0;
    const double *once_s = times->block_s[AS_IT_IS];
    const double predict_s = fmin(once_s[LAYER_PREDICT], times->block_s[RECOMPUTED][LAYER_PREDICT]);
    times->ends_s[FIRST_END] = once_s[LAYER_EMBEDDING];
    times->ends_s[LAST_END] = once_s[LAYER_HEAD] + (double)model->predict_layers * predict_s;
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
        fold_outline(&s->fold[i], &s->timed, s->problem->system, &s->plan);
        note_fold(&s->family[family_of(recompute[i])], &s->fold[i]);
        find_block_times(&s->block_s[i], &s->fold[i], s->problem->model);
        balance_row(s, i, &s->fold[i], RECOMPUTED);
        r->visitor->explain->folds++;
    }
    balance_as_it_is(s);
    sum_model(r);
    find_layers_held(s);
    for (int i = 0; i < FAMILIES; i++)
        if (s->family[i].any)
            find_block_times(&s->least_s[i], &s->family[i].least, s->problem->model);
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

/* ---- extremes of what stages need ---- */

/* Number by number. */
static void note_bytes(struct element_bytes *least, const struct element_bytes *bytes)
{
    enum { NUMBERS = sizeof *bytes / sizeof(double) };
    double low[NUMBERS], own[NUMBERS];
    memcpy(low, least, sizeof low);
    memcpy(own, bytes, sizeof own);
    for (int i = 0; i < NUMBERS; i++)
        low[i] = fmin(low[i], own[i]);
    memcpy(least, low, sizeof low);
}

static void note_sharing(struct extremes *e, const struct sharing *sharing, int zero)
{
    if (e->least.microbatches == 0) e->least = *sharing;
    if (zero > e->zero) e->zero = zero;
    note_bytes(&e->least.bytes, &sharing->bytes);
    for (int expert = 0; expert < 2; expert++) {
        const struct rank_group shards = sharing->shards[expert];
        if (shards.ranks > e->least.shards[expert].ranks) e->least.shards[expert] = shards;
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
                         (int)choice_value(r->sharding, i, RK_PLAN_ZERO));
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
static void find_least(struct run *r)
{
    struct rk_plan *plan = &r->s->plan;
    plan->schedule = r->state->pairs ? RK_DUALPIPE : RK_1F1B;
    plan->zero = r->extremes.zero;
    plan->keep_gathered = false;
    rk_plan_offload_activations(plan, 0);
    plan->share[RK_SHARE_OPTIMIZER][0] = r->extremes.optimizer;
    plan->share[RK_SHARE_WEIGHTS][0] = r->extremes.weights;
    r->least = memory_rule_of(r->s->fold, &r->extremes.least, plan);
    r->least.bytes.gathered = r->least.bytes.sent_gradient = 0;
}

/* ---- memory ---- */

static double in_flight(struct run *r, enum rk_schedule schedule, uint64_t stage)
{
    r->s->plan.schedule = schedule;
    return in_flight_of_plan(&r->s->plan, r->microbatches, stage);
}

/* Of the first stage of a class. */
static const struct stage_flights *flights_of(struct run *r, int class)
{
    const uint64_t stage = r->map->first_of[class];
    struct stage_flights *flights = &r->s->flights[stage];
    if (flights->of_timetable == r->s->timetables) return flights;
    *flights = (struct stage_flights){.of_timetable = r->s->timetables, .least = INFINITY};
    for (int i = 0; i < r->timetable->schedules; i++) {
        const enum rk_schedule schedule = r->timetable->schedule[i];
        if (r->state->refused[i]) continue;
        flights->of[i] = in_flight(r, schedule == RK_DUALPIPE ? RK_1F1B : schedule, stage);
        flights->least = fmin(flights->least, flights->of[i]);
    }
    return flights;
}

static const struct memory_rule *rule_of(const struct run *r, uint64_t choice,
                                         enum rk_schedule schedule)
{
    return &r->s->choice[choice].rule[demand_kind(schedule)];
}

static double class_bytes(struct run *r, const struct memory_rule *rule, int class, int schedule)
{
    const struct stage_demand demand = stage_demand_by(rule, &r->s->sum[class]);
    return demanded_bytes(&demand, r->s->problem->system, r->s->flight[class]->of[schedule]);
}

/* Of the two stages on rank i, under DualPipe. */
static void pair_outline(const struct run *r, struct stage_sum *pair, int i)
{
    const uint16_t *class_of = r->map->class_of;
    const struct stage_sum *sums = r->s->sum;
    stage_pair_outline(pair, &sums[class_of[i]], &sums[class_of[r->map->stages - 1 - i]],
                       &r->s->plan, (uint64_t)i);
}

static double pair_bytes(const struct run *r, const struct memory_rule *rule, int i)
{
    struct stage_sum pair;
    pair_outline(r, &pair, i);
    const struct stage_demand demand = stage_demand_by(rule, &pair);
    return demanded_bytes(&demand, r->s->problem->system, r->pair_flights);
}

static bool same_pair(const struct stage_map *map, int a, int b)
{
    return map->class_of[a] == map->class_of[b] &&
           map->class_of[map->stages - 1 - a] == map->class_of[map->stages - 1 - b];
}

/* Between two pairs of the same classes all pairs of these need what lies between: their saved
 * tensors are a mean whose weights go with the rank. */
static bool pairs_exceed(const struct run *r, const struct memory_rule *rule, double limit)
{
    const int count = r->map->stages / 2;
    for (int i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && same_pair(r->map, i, last + 1);)
            last++;
        const double first = pair_bytes(r, rule, i);
        const double other = last > i ? pair_bytes(r, rule, last) : first;
        if (first > limit || other > limit) return true;
        if (fmax(first, other) <= limit * rounding) continue;
        for (int k = i + 1; k < last; k++)
            if (pair_bytes(r, rule, k) > limit) return true;
    }
    return false;
}

/* Does some stage need more than `limit`? */
static bool exceeds(struct run *r, uint64_t choice, int schedule, double limit)
{
    const enum rk_schedule order = r->timetable->schedule[schedule];
    const struct memory_rule *rule = rule_of(r, choice, order);
    if (demand_kind(order) == DEMAND_PAIRS) return pairs_exceed(r, rule, limit);
    for (int i = 0; i < r->map->classes; i++)
        if (class_bytes(r, rule, i, schedule) > limit) return true;
    return false;
}

static double tightest_bytes(struct run *r, uint64_t choice, int schedule)
{
    const enum rk_schedule order = r->timetable->schedule[schedule];
    const struct memory_rule *rule = rule_of(r, choice, order);
    const bool pairs = demand_kind(order) == DEMAND_PAIRS;
    const int count = pairs ? r->map->stages / 2 : r->map->classes;
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, pairs ? pair_bytes(r, rule, i) : class_bytes(r, rule, i, schedule));
    return most;
}

static double capacity(const struct run *r)
{
    return r->s->problem->system->memory[0].capacity_bytes;
}

/* Bytes that rounding may be. */
static double closeness(const struct run *r)
{
    return capacity(r) * (1 - rounding);
}

/* Whichever stage sets the pace, the step is not shorter than all microbatches on the slowest one;
 * what offload and data parallelism add is not negative. */
static double slowest_s(const struct run *r, const struct stage_map *map,
                        const struct block_times *times)
{
    const struct layer_folds *fold = &r->s->fold[0];
    double most_s = 0;
    for (int i = 0; i < map->classes; i++) {
        const struct stage_blocks *blocks = &map->blocks[i];
        double sum_s = (blocks->first ? times->ends_s[FIRST_END] : 0) +
                       (blocks->last ? times->ends_s[LAST_END] : 0);
        for (int k = 0; k < fold->blocks; k++)
            for (int treatment = 0; treatment < TREATMENTS; treatment++)
                sum_s += blocks->counts[treatment][fold->block[k]] *
                         times->block_s[treatment][fold->block[k]];
        most_s = sum_s > most_s ? sum_s : most_s;
    }
    return most_s;
}

/* Is a step too slow whose slowest stage takes that long for a microbatch? */
static bool bounded(const struct run *r, double stage_s)
{
    const double shortest_s = r->microbatches * stage_s * rounding;
    return r->visitor->prune && (double)r->s->plan.batch < r->visitor->least * shortest_s;
}

/* Is any plan too slow, whatever divisions of these families compute again? */
static bool all_bounded(const struct run *r, const struct stage_map *map,
                        const uint64_t divisions[FAMILIES])
{
    bool all = r->visitor->prune;
    for (int i = 0; i < FAMILIES && all; i++)
        if (divisions[i]) all = bounded(r, slowest_s(r, map, &r->s->least_s[i]));
    return all;
}

/* ---- stages ---- */

static void sum_class(struct run *r, struct stage_sum *sums, int class)
{
    const struct plan_scratch *s = r->s;
    stage_outline(&sums[class], r->fold, s->problem->model, &s->plan, &r->map->blocks[class]);
}

/* Does no plan fit, whatever its sharding, schedule and offload? The first stage decides, which has
 * most microbatches in flight. Offloaded activations are left to each plan. */
static bool none_fits(struct run *r)
{
    if (r->extremes.activations) return false;
    sum_class(r, r->s->sum, 0);
    const struct stage_demand least = stage_demand_by(&r->least, &r->s->sum[0]);
    return demanded_bytes(&least, r->s->problem->system, flights_of(r, 0)->least) * rounding >
           capacity(r);
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

static void report(struct run *r, const double *step_s, uint64_t index, double hbm_bytes)
{
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

static void time_plan(struct run *r, uint64_t choice, int schedule)
{
    struct plan_scratch *s = r->s;
    struct step_outline outline;
    const struct staged staged = {.map = r->map,
                                  .sums = s->sum,
                                  .ends = s->end,
                                  .send_s = r->send_s,
                                  .microbatches = r->microbatches};
    s->plan.schedule = r->timetable->schedule[schedule];
    step_outline(&outline, &staged, &s->plan);
    r->visitor->explain->timed++;
    if ((double)s->plan.batch / outline.step_s < r->visitor->least) return;
    const double hbm_bytes = r->visitor->needs ? tightest_bytes(r, choice, schedule) : 0;
    report(r, &outline.step_s,
           r->base + (r->tuple + (uint64_t)schedule) * r->leaves + s->choice[choice].index,
           hbm_bytes);
}

/* ---- what is left for activations ---- */

/* Bytes of a place for what depends on recomputation, under a choice: a demand is the sum of both.
 * NAN where that is too close to say. */
static double room_of(const struct run *r, const struct memory_rule *rule,
                      const struct stage_sum *sum)
{
    const struct rk_system *system = r->s->problem->system;
    struct stage_sum bare;
    stage_bare_outline(&bare, sum);
    const struct stage_demand demand = stage_demand_by(rule, &bare);
    const double kept = 1 + system->kernels.fragmentation;
    const double left = capacity(r) - demand.static_bytes - demanded_workspaces(&demand, system) -
                        demand.outside_bytes - system->kernels.reserve_bytes;
    const double between = left - kept * demand.between_bytes;
    if (fabs(between) <= closeness(r)) return NAN;
    return between < 0 ? -INFINITY : left / kept - demand.fixed_bytes;
}

static void note_blocks(uint16_t blocks[LAYER_KINDS], const struct layer_folds *fold,
                        const struct stage_blocks *of)
{
    for (int i = 0; i < fold->blocks; i++)
        blocks[i] = (uint16_t)(of->counts[AS_IT_IS][fold->block[i]] +
                               of->counts[RECOMPUTED][fold->block[i]]);
    blocks[fold->blocks] = (uint16_t)(1 + of->first + 2 * of->last);
}

/* Where the rooms of a class, or of two of them under DualPipe, are kept. */
static struct kept_room *kept_for(struct run *r, const struct kept_room *room)
{
    uint64_t hash = 0;
    for (int i = 0; i <= r->fold->blocks; i++)
        hash = (hash ^ room->blocks[0][i] ^ (uint64_t)room->blocks[1][i] << 16) *
               UINT64_C(0x9e3779b97f4a7c15);
    _Static_assert(KEPT_ROOMS == 1 << 10, "10 bits of the hash");
    return &r->s->kept[hash >> 54];
}

/* Of stages of the class, or with `other` of ranks with a stage of each. */
static void find_room(struct run *r, int place, const struct stage_sum *sum, int class, int other)
{
    struct plan_scratch *s = r->s;
    struct kept_room room = {.member = s->members};
    double *to = s->room + (uint64_t)place * r->choices;
    note_blocks(room.blocks[0], r->fold, &r->map->blocks[class]);
    if (other >= 0) note_blocks(room.blocks[1], r->fold, &r->map->blocks[other]);
    struct kept_room *kept = kept_for(r, &room);
    double *from = s->kept_room + (uint64_t)(kept - s->kept) * r->choices;
    if (memcmp(kept, &room, sizeof room) != 0) {
        *kept = room;
        for (uint64_t choice = 0; choice < r->choices; choice++)
            from[choice] = room_of(r, rule_of(r, choice, other >= 0 ? RK_DUALPIPE : RK_1F1B), sum);
    }
    memcpy(to, from, r->choices * sizeof *to);
}

static void add_place(struct run *r, int first, int last)
{
    const double *room = r->s->room + (uint64_t)r->places * r->choices;
    struct place *place = &r->s->place[r->places++];
    *place = (struct place){first, last, INFINITY, -INFINITY};
    bool close = false;
    for (uint64_t choice = 0; choice < r->choices; choice++) {
        place->least_room = fmin(place->least_room, room[choice]);
        place->most_room = fmax(place->most_room, room[choice]);
        close |= isnan(room[choice]);
    }
    if (close) place->least_room = place->most_room = NAN;
}

static void find_rooms(struct run *r)
{
    const struct plan_scratch *s = r->s;
    r->places = 0;
    for (int i = 0; i < r->map->classes; i++) {
        find_room(r, r->places, &s->sum[i], i, -1);
        add_place(r, i, i);
    }
    r->classes = r->places;
    const int count = r->state->pairs ? r->map->stages / 2 : 0;
    for (int i = 0, last; i < count; i = last + 1) {
        struct stage_sum pair;
        for (last = i; last + 1 < count && same_pair(r->map, i, last + 1);)
            last++;
        pair_outline(r, &pair, i);
        find_room(r, r->places, &pair, r->map->class_of[i],
                  r->map->class_of[r->map->stages - 1 - i]);
        add_place(r, i, last);
    }
}

static struct holding holding_of(const struct run *r, const struct stage_sum *sum, int place,
                                 const double ends_in_flight[ENDS], double in_flight)
{
    const bool moves = r->extremes.activations && sum->blocks > 0;
    double flight = sum->saved_total_bytes, held = 0;
    for (int end = 0; end < ENDS; end++) {
        flight -= sum->ends_total_bytes[end];
        held += sum->ends_total_bytes[end] * ends_in_flight[end];
    }
    return (struct holding){.place = place,
                            .held = held + flight * in_flight,
                            .working = sum->working_bytes,
                            .moving = moves ? 2 / sum->blocks * sum->saved_total_bytes : 0};
}

/* Of the division at hand under a schedule; `ends` are microbatches in flight. Of ranks with the
 * same two classes the first or the last one holds most: it is a mean whose weights go with the
 * rank. Returns how many. */
static int list_holdings(struct run *r, int schedule, const double ends[ENDS])
{
    struct plan_scratch *s = r->s;
    int count = 0;
    if (demand_kind(r->timetable->schedule[schedule]) != DEMAND_PAIRS) {
        for (int i = 0; i < r->classes; i++)
            s->holding[count++] = holding_of(r, &s->sum[i], i, ends, s->flight[i]->of[schedule]);
        return count;
    }
    for (int i = r->classes; i < r->places; i++) {
        const struct place *place = &s->place[i];
        struct stage_sum pair;
        for (int k = 0; k < 1 + (place->last > place->first); k++) {
            pair_outline(r, &pair, k ? place->last : place->first);
            s->holding[count++] = holding_of(r, &pair, i, ends, r->pair_flights);
        }
    }
    return count;
}

enum answer { NO, CLOSE, YES };

/* Does some place of `count` hold more than it has room for? */
static enum answer overflows(const struct run *r, const struct memory_rule *rule, uint64_t choice,
                             int count)
{
    const struct plan_scratch *s = r->s;
    const double close = closeness(r);
    enum answer answer = NO;
    for (int i = 0; i < count; i++) {
        const struct holding *h = &s->holding[i];
        const double over = h->working + h->held * rule->kept_here +
                            h->moving * rule->activations_away -
                            s->room[(uint64_t)h->place * r->choices + choice];
        if (over > close) return YES;
        if (!(over < -close)) answer = CLOSE;
    }
    return answer;
}

/* ---- divisions ---- */

/* Plans of the division at hand, and those of them that fit. `sure`: all others do not, by far. */
struct sifted {
    uint64_t plans, fit;
    bool sure;
};

static void set_fits(struct run *r, uint64_t choice, int schedule, bool fits)
{
    r->s->fits[choice * RK_SCHEDULES + (uint64_t)schedule] = fits;
}

/* The same for all choices, or CLOSE: they differ, or have to be looked at. */
static enum answer all_overflow(const struct run *r, int count)
{
    const struct plan_scratch *s = r->s;
    const double close = closeness(r);
    enum answer answer = NO;
    if (r->extremes.activations) return CLOSE;
    for (int i = 0; i < count; i++) {
        const struct holding *h = &s->holding[i];
        const struct place *place = &s->place[h->place];
        const double held = h->working + h->held;
        if (held - place->most_room > close) return YES;
        if (!(held - place->least_room < -close)) answer = CLOSE;
    }
    return answer;
}

/* Of one schedule. */
static void sift_schedule(struct run *r, int schedule, struct sifted *sifted)
{
    const enum rk_schedule order = r->timetable->schedule[schedule];
    const int count = list_holdings(r, schedule, r->ends[demand_kind(order)]);
    const enum answer all = all_overflow(r, count);
    sifted->plans += r->choices;
    for (uint64_t choice = 0; choice < r->choices; choice++) {
        enum answer answer = all;
        if (answer == CLOSE) answer = overflows(r, rule_of(r, choice, order), choice, count);
        sifted->sure &= answer != CLOSE;
        if (answer == CLOSE) answer = exceeds(r, choice, schedule, capacity(r)) ? YES : NO;
        sifted->fit += answer == NO;
        set_fits(r, choice, schedule, answer == NO);
    }
}

static struct sifted sift_division(struct run *r)
{
    struct sifted sifted = {.sure = true};
    for (int i = 0; i < r->timetable->schedules; i++)
        if (!r->state->refused[i]) sift_schedule(r, i, &sifted);
    return sifted;
}

/* Times the plans of a choice that fit. */
static void time_choice(struct run *r, uint64_t choice)
{
    struct plan_scratch *s = r->s;
    bool moved = false;
    for (int i = 0; i < r->timetable->schedules; i++) {
        if (r->state->refused[i] || !s->fits[choice * RK_SCHEDULES + (uint64_t)i]) continue;
        if (!moved) {
            set_choice(r, &s->choice[choice]);
            move_classes(r, &s->sharding[s->choice[choice].sharding]);
        }
        moved = true;
        r->visitor->counts->verdict[RK_FITS][0]++;
        time_plan(r, choice, i);
    }
}

static void time_division(struct run *r)
{
    struct plan_scratch *s = r->s;
    for (int i = 0; i < r->map->classes; i++) {
        stage_again(&s->sum[i], r->fold, s->problem->model, &s->plan, &r->map->blocks[i]);
        memcpy(s->pass_s[i], s->sum[i].pass_s, sizeof s->pass_s[i]);
    }
    for (uint64_t choice = 0; choice < r->choices; choice++)
        time_choice(r, choice);
}

/* Every plan by itself. */
static struct sifted judge_division(struct run *r)
{
    struct sifted sifted = {.plans = 0};
    for (uint64_t choice = 0; choice < r->choices; choice++)
        for (int i = 0; i < r->timetable->schedules; i++) {
            if (r->state->refused[i]) continue;
            const bool fits = !exceeds(r, choice, i, capacity(r));
            set_fits(r, choice, i, fits);
            sifted.plans++;
            sifted.fit += fits;
        }
    return sifted;
}

static enum family family_of_division(const struct run *r, const struct division *division)
{
    return family_of(r->set->all->recompute[division->recompute]);
}

/* Whose classes are summed, as far as memory goes. */
static void run_division(struct run *r, const struct division *division)
{
    struct plan_scratch *s = r->s;
    r->tuple = division->tuple;
    const struct sifted sifted = r->visitor->prune ? sift_division(r) : judge_division(r);
    count_too_large(r, sifted.plans - sifted.fit);
    if (sifted.fit == 0) {
        s->too_large[r->shape - r->set->shape] |=
            sifted.sure && family_of_division(r, division) == KEEPS_INPUTS;
        return;
    }
    if (bounded(r, slowest_s(r, r->map, &s->block_s[division->recompute])))
        count_bounded(r, sifted.fit);
    else
        time_division(r);
}

/* Divisions with the same blocks on the same stages. */
static void run_map(struct run *r, const struct division *const *list, uint64_t count)
{
    struct plan_scratch *s = r->s;
    r->fold = &s->fold[list[0]->recompute];
    for (int i = 0; i < r->map->classes; i++)
        sum_class(r, s->sum, i);
    for (int i = 0; i < r->map->classes; i++)
        s->flight[i] = flights_of(r, i);
    if (r->visitor->prune) find_rooms(r);
    for (uint64_t i = 0; i < count; i++) {
        r->fold = &s->fold[list[i]->recompute];
        for (int k = 0; k < r->map->classes && i > 0; k++)
            stage_holds_again(&s->sum[k], r->fold, s->problem->model, &s->plan, &r->map->blocks[k]);
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

/* Leaves out the divisions in s->list of families of which no plan fits. */
static uint64_t sift_families(struct run *r, uint64_t count)
{
    struct plan_scratch *s = r->s;
    bool there[FAMILIES] = {false}, none[FAMILIES];
    uint64_t left = 0;
    for (uint64_t i = 0; i < count; i++)
        there[family_of_division(r, s->list[i])] = true;
    for (int family = 0; family < FAMILIES; family++) {
        r->fold = &s->family[family].least;
        none[family] = there[family] && none_fits(r);
    }
    for (uint64_t i = 0; i < count; i++) {
        const enum family family = family_of_division(r, s->list[i]);
        if (!none[family]) {
            s->list[left++] = s->list[i];
            continue;
        }
        s->too_large[r->shape - r->set->shape] |= family == KEEPS_INPUTS;
        count_too_large(r, r->plans);
    }
    return left;
}

/* Divisions in s->list that have the balanced split of `row`. */
static void run_split(struct run *r, const struct shape *shape, uint32_t row, uint64_t count)
{
    struct plan_scratch *s = r->s;
    struct rk_plan *plan = &s->plan;
    plan->splits = shape->parts;
    memcpy(plan->split, split_at(s, row, shape->parts), (size_t)shape->parts * sizeof *plan->split);
    if (r->visitor->prune) {
        stage_map_of_first(&s->balanced, s->problem->model, plan);
        count = sift_families(r, count);
    }
    if (count > 0) {
        stage_map_of(&s->balanced, s->problem->model, plan);
        run_map(r, s->list, count);
    }
    plan->splits = 0;
}

/* Divisions of the same split go together. */
static void run_balanced(struct run *r, const struct shape *shape)
{
    enum { TAKEN = UINT32_MAX };
    struct plan_scratch *s = r->s;
    const struct division *division = r->set->division + shape->first;
    const uint64_t divisions = shape->end - shape->first;
    r->map = &s->balanced;
    for (uint64_t i = 0; i < divisions; i++) {
        const struct balance *balance = balance_of(r, shape, &division[i]);
        s->same_as[i] = balance->repeats ? TAKEN : balance->same_as;
    }
    for (uint64_t i = 0; i < divisions; i++) {
        const uint32_t row = s->same_as[i];
        uint64_t count = 0;
        if (row == TAKEN) continue;
        for (uint64_t k = i; k < divisions; k++)
            if (s->same_as[k] == row) {
                s->list[count++] = &division[k];
                s->same_as[k] = TAKEN;
            }
        run_split(r, shape, row, count);
    }
}

/* ---- all shapes ---- */

/* What a stage needs grows with its blocks no slower the more there are: so however they are dealt,
 * some stage needs no less than one with the mean of everything. */
static bool mean_exceeds(struct run *r)
{
    const double stages = (double)r->set->pipeline;
    struct stage_sum mean = r->model;
    struct memory_rule rule = r->least;
    rule.expert_engines = 0; /* where stages have no experts */
    if (!r->visitor->prune || r->extremes.activations) return false;
    mean.parameters /= stages;
    mean.expert_parameters /= stages;
    mean.narrow_parameters /= stages;
    mean.saved_total_bytes /= stages;
    double flights = INFINITY;
    for (int i = 0; i < r->timetable->schedules; i++) {
        const enum rk_schedule schedule = r->timetable->schedule[i];
        if (r->state->refused[i]) continue;
        flights = fmin(flights, in_flight(r, schedule == RK_DUALPIPE ? RK_1F1B : schedule,
                                          r->set->pipeline - 1));
    }
    const struct stage_demand least = stage_demand_by(&rule, &mean);
    return demanded_bytes(&least, r->s->problem->system, flights) * rounding > capacity(r);
}

/* Divisions whose split no other shape has; the others are counted as repeated. */
static uint64_t sift_repeated(struct run *r, const struct shape *shape)
{
    const uint64_t divisions = shape->end - shape->first;
    uint64_t repeated = 0;
    if (!shape->balanced) return divisions;
    for (uint64_t i = shape->first; i < shape->end; i++)
        repeated += balance_of(r, shape, &r->set->division[i])->repeats;
    count_repeated(r, repeated * r->plans);
    return divisions - repeated;
}

/* Do no plans of the shape fit since none do where the same stages compute all layers again from
 * their inputs? */
static bool outweighed(const struct run *r, const struct shape *shape)
{
    const struct shape *lighter = &r->set->shape[shape->lighter];
    return r->inputs_are_less && lighter != shape && r->s->too_large[shape->lighter];
}

/* The ends of the model are in flight as the timetable has it. */
static void set_ends(struct run *r)
{
    struct plan_scratch *s = r->s;
    static const enum rk_schedule order[DEMANDS] = {
        [DEMAND_SOME] = RK_1F1B, [DEMAND_ALL] = RK_GPIPE, [DEMAND_PAIRS] = RK_DUALPIPE};
    for (int kind = 0; kind < DEMANDS; kind++) {
        s->plan.schedule = order[kind];
        ends_in_flight(r->ends[kind], &s->plan, r->microbatches);
        for (uint64_t i = 0; i < r->choices; i++)
            memcpy(s->choice[i].rule[kind].ends_in_flight, r->ends[kind], sizeof r->ends[kind]);
    }
}

static void set_timetable(struct run *r, uint32_t timetable)
{
    struct plan_scratch *s = r->s;
    if (r->timetable == &r->set->timetable[timetable]) return;
    r->timetable = &r->set->timetable[timetable];
    s->timetables++;
    r->state = &s->timetable[timetable];
    s->plan.chunks = r->timetable->chunks;
    find_least(r);
    r->hopeless = mean_exceeds(r);
    if (r->state->pairs) r->pair_flights = in_flight(r, RK_DUALPIPE, 0);
    set_ends(r);
}

/* How many plans of the shape fit is known, and none of them can be among the best. */
static bool settled(struct run *r, const struct shape *shape, uint64_t plans)
{
    const uint64_t fitting = r->s->fitting_plans[shape - r->set->shape];
    if (!r->visitor->prune || shape->balanced || fitting == unknown) return false;
    if (fitting > 0 && !all_bounded(r, &shape->map, shape->divisions)) return false;
    count_bounded(r, fitting);
    count_too_large(r, plans - fitting);
    return true;
}

static void run_divisions(struct run *r, const struct shape *shape)
{
    struct plan_scratch *s = r->s;
    uint64_t count = shape->end - shape->first;
    r->map = &shape->map;
    for (uint64_t i = 0; i < count; i++)
        s->list[i] = &r->set->division[shape->first + i];
    if (r->visitor->prune) count = sift_families(r, count);
    if (count > 0) run_map(r, s->list, count);
}

/* The plans of `divisions`, none of which repeat. */
static void judge_shape(struct run *r, const struct shape *shape, uint64_t divisions)
{
    struct plan_scratch *s = r->s;
    set_timetable(r, shape->timetable);
    if (r->hopeless || outweighed(r, shape)) {
        count_too_large(r, divisions * r->plans);
        return;
    }
    plans_set_choice(&s->plan, r->stages, r->set->division[shape->first].tuple);
    if (!shape->some_layers && !shape->as_it_is) /* see shape.map */
        rk_plan_axis_set(&s->plan, RK_PLAN_RECOMPUTE, RK_RECOMPUTE_VALUE(RK_WHOLE, 0));
    if (shape->balanced)
        run_balanced(r, shape);
    else
        run_divisions(r, shape);
}

static void run_shape(struct run *r, const struct shape *shape)
{
    struct plan_scratch *s = r->s;
    const uint64_t *fits = &r->visitor->counts->verdict[RK_FITS][0], before = *fits;
    r->shape = shape;
    r->plans = s->timetable[shape->timetable].passing * r->choices;
    s->too_large[shape - r->set->shape] = false;
    if (shape->refused || r->plans == 0) return;
    const uint64_t divisions = sift_repeated(r, shape);
    if (divisions == 0 || settled(r, shape, divisions * r->plans)) return;
    judge_shape(r, shape, divisions);
    s->fitting_plans[shape - r->set->shape] = *fits - before;
}

/* ---- members ---- */

/* Rules but for the ends of the model. */
static void open_choices(struct run *r)
{
    struct plan_scratch *s = r->s;
    r->choices = 0;
    for (uint64_t i = 0; i < r->leaves; i++) {
        struct choice *choice = &s->choice[r->choices];
        choice->index = i;
        choice->sharding = i / r->offload->count;
        choice->offload = i % r->offload->count;
        if (s->sharding[choice->sharding].refused || s->offload[choice->offload].refused) continue;
        set_choice(r, choice);
        r->choices++;
        for (int kind = 0; kind < DEMANDS; kind++) {
            s->plan.schedule = kind == DEMAND_PAIRS ? RK_DUALPIPE : RK_1F1B;
            choice->rule[kind] =
                kind == DEMAND_ALL
                    ? choice->rule[DEMAND_SOME]
                    : memory_rule_of(s->fold, &s->sharding[choice->sharding].sharing, &s->plan);
        }
    }
}

static uint64_t *add_rule(uint64_t *to, const struct memory_rule *rule)
{
    *to++ = (uint64_t)rule->zero << 2 | (uint64_t)rule->keep_gathered << 1 | rule->by_matrix;
    return add_numbers(to, &rule->bytes.weight, RULE_NUMBERS);
}

/* What it takes to know which plans of a member fit: layers, stages, microbatches, what each choice
 * makes of a stage's memory, and which schedules there are. */
static void recall_member(struct run *r)
{
    struct plan_scratch *s = r->s;
    uint64_t *to = s->numbers;
    bool known;
    *to++ = s->held;
    *to++ = (uint64_t)(r->set - r->set->all->set);
    *to++ = r->choices;
    to = add_numbers(to, &r->microbatches, 1);
    for (uint64_t i = 0; i < r->choices; i++) {
        to = add_rule(to, &s->choice[i].rule[DEMAND_SOME]);
        to = add_rule(to, &s->choice[i].rule[DEMAND_PAIRS]);
    }
    for (uint64_t i = 0; i < r->set->timetables; i++) {
        *to = 0;
        for (int k = 0; k < r->set->timetable[i].schedules; k++)
            *to |= (uint64_t)s->timetable[i].refused[k] << k;
        to++;
    }
    s->fitting_plans = recall_find(&s->fitting, s->numbers, (size_t)(to - s->numbers), &known);
    for (uint64_t i = 0; i < r->set->shapes && !known; i++)
        s->fitting_plans[i] = unknown;
}

static void open_sharings(struct run *r)
{
    struct plan_scratch *s = r->s;
    for (uint64_t i = 0; i < r->sharding->count; i++) {
        if (!s->sharding[i].refused) s->sharding[i].id = ++s->ids;
    }
    s->members++;
    find_extremes(r);
    open_choices(r);
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
    recall_member(r);
    r->timetable = NULL;
    for (uint64_t i = 0; i < r->set->shapes; i++)
        run_shape(r, &r->set->shape[i]);
}

static void run_member(struct run *r, const struct plan_member *member)
{
    struct rk_plan *plan = &r->s->plan;
    const struct layout *layout = member->layout;
    const struct choices *kernels = layout->choices[BUNDLE_KERNELS];
    const uint64_t width = member->microbatch * layout->choices[BUNDLE_WIDTH]->count;
    const uint64_t local = (width + r->layers->width) * kernels->count + r->layers->kernels;
    r->set = member->stages;
    r->stages = layout->choices[BUNDLE_STAGES];
    r->sharding = layout->choices[BUNDLE_SHARDING];
    r->offload = layout->choices[BUNDLE_OFFLOAD];
    r->leaves = r->sharding->count * r->offload->count;
    r->base = layout->first + local * plans_below(layout, BUNDLE_KERNELS);
    plans_set_layout(plan, layout);
    plans_set_choice(plan, layout->choices[BUNDLE_MICROBATCH], member->microbatch);
    plans_set_choice(plan, layout->choices[BUNDLE_WIDTH], r->layers->width);
    plans_set_choice(plan, kernels, r->layers->kernels);
    r->microbatches = microbatches_of(plan);
    run_plans(r);
}

static void run_layers(struct plan_scratch *s, const struct plan_layers *layers,
                       struct visitor *visitor)
{
    struct run r = {.s = s, .layers = layers, .visitor = visitor};
    s->plan = s->problem->base;
    for (uint32_t i = 0; i < layers->group->members; i++)
        run_member(&r, &layers->group->member[i]);
}

void plan_unit_run(struct plan_scratch *s, const struct plan_unit *unit, struct visitor *visitor)
{
    for (uint64_t i = 0; i < unit->count; i++)
        run_layers(s, &unit->layers[i], visitor);
}
