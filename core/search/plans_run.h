/* plans_run.h - a unit on its way through the plans of its layers: what a thread keeps, and where
 * it is. Private to plans_unit.c (checks, members), plans_layers.c (folds, balanced splits),
 * plans_shapes.c (divisions of a shape), plans_memory.c (what fits) and plans_times.c (how fast).
 */
#ifndef RECKON_SEARCH_PLANS_RUN_H
#define RECKON_SEARCH_PLANS_RUN_H

#include "search/plans_groups.h"
#include "search/plans_recall.h"
#include "search/plans_split.h"
#include "search/visitor.h"

#include <stddef.h>
#include <string.h>

/* Bounds and times are made of the same numbers in another order. */
static const double rounding = 1 - 1e-9;

/* ---- what a thread keeps ---- */

/* Exchanges that were computed for the same sharding of as many parameters. */
enum { REMEMBERED = 1024 };

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

/* What the checks make of a member's shardings, offloads and timetables. Layers of other widths
 * have the same members: a thread keeps some of these. */
enum { KEPT_CHECKS = 32 };

struct member_checks {
    struct checks_key {
        const struct layout *layout; /* NULL: none */
        uint64_t microbatch, kernels, ulysses;
    } key;
    struct choice_state *sharding, *offload;
    struct timetable_state *timetable;
};

/* Time of a microbatch on each kind of block, and on the layers before the first and after the last
 * block. */
struct block_times {
    double block_s[TREATMENTS][LAYER_KINDS];
    double ends_s[ENDS];
};

struct family_bounds {
    bool any;
    struct layer_folds least; /* number by number, of all recomputations of the family */
};

/* How blocks are balanced, by recomputation; the last row: without recomputation. */
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
    uint16_t blocks[2][LAYER_KINDS]; /* of each kind, followed by flags of the ends */
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
    LAYER_NUMBERS = (offsetof(struct layer_fold, swap) - offsetof(struct layer_fold, parameters)) /
                    sizeof(double),
    RULE_NUMBERS = offsetof(struct memory_rule, ends_in_flight) / sizeof(double),
    AWAY_NUMBERS = sizeof(struct away) / sizeof(double), /* where there are lower tiers */
    CHOICE_NUMBERS = 1 + RULE_NUMBERS + AWAY_NUMBERS,
    MEMBER_NUMBERS = 4, /* in addition to its choices and timetables */
    RECALLED_LAYERS = 32,
    RECALLED_MEMBERS = 128
};
static const uint64_t unknown = UINT64_MAX;

struct plan_scratch {
    const struct rk_plans_problem *problem;
    struct rk_plan plan;
    struct rk_layout layout; /* of the plan where its split is balanced */
    struct timed_layers timed;
    uint64_t recomputes;
    int lower_tiers;          /* memory tiers that offload can use */
    struct layer_folds *fold; /* (recomputes) */
    struct family_bounds family[FAMILIES];
    struct dealing dealing;
    int most_parts;          /* virtual stages that there can be */
    int counts;              /* numbers of virtual stages that the unit balances blocks on */
    int *count;              /* (counts) */
    struct balance *balance; /* (recomputes + 1)(most_parts + 1) */
    uint16_t *split;         /* (recomputes + 1 + RK_SPLITS)(splits_before(most_parts + 1))(2) */
    bool *fixed; /* (most_parts + 1) the balanced splits, after the last row, are filled in */
    const struct division **list;
    uint32_t *same_as;                   /* (divisions) of a shape: rows of splits */
    struct stage_sum sum[RK_MAX_STAGES]; /* (classes) of one division, or the least of several */
    struct stage_end end[RK_MAX_STAGES];
    double pass_s[RK_MAX_STAGES][FOLD_PASSES]; /* of sum, before anything is moved */
    struct rk_outcome work;                    /* of the division at hand, with visitor.works */
    struct stage_flights flights[RK_MAX_STAGES];
    struct stage_flights of_class[RK_MAX_STAGES]; /* (classes) of a V: the most of its stages */
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
    struct member_checks checks[KEPT_CHECKS];
    struct choice_state *sharding, *offload; /* those of the member at hand */
    struct timetable_state *timetable;
    struct remembered remembered[REMEMBERED];
    uint64_t ids, timetables, members;    /* counted */
    struct block_times least_s[FAMILIES]; /* no recomputation of the family is faster */
    struct block_times *block_s;          /* (recomputes) */
    uint64_t *numbers;                    /* of a list to recall */
    struct recall layers, fitting;        /* see layers_held, fitting_of_member */
    uint64_t held;                        /* which layers, by what they hold: from 1 */
    uint64_t *fitting_plans; /* (shapes)(1 + lower_tiers) of the member at hand: plans that fit,
                                then plans that each lower tier is too small for; `unknown`: not
                                counted yet */
};

/* Of tables with a row of `parts` for each number of parts: where that row begins. */
static inline size_t splits_before(int parts)
{
    return (size_t)parts * (size_t)(parts - 1) / 2;
}

/* A split of `parts` numbers, followed by the `parts` numbers of dealing_alike(). */
static inline uint16_t *split_at(const struct plan_scratch *s, uint64_t row, int parts)
{
    return s->split + 2 * (row * splits_before(s->most_parts + 1) + splits_before(parts));
}

static inline struct balance *balances_of(const struct plan_scratch *s, uint64_t row)
{
    return &s->balance[row * ((uint64_t)s->most_parts + 1)];
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
    double longest_s; /* of a step that is wanted */
    struct extremes extremes;
    struct stage_sum model; /* see sum_model */
    bool inputs_are_less;   /* a layer that keeps its inputs alone holds less than one as it is */

    /* of the shape at hand */
    const struct timetable *timetable; /* NULL: none yet */
    const struct timetable_state *state;
    struct memory_rule least; /* what holds least, whatever the sharding, offload and schedule */
    double pair_flights;
    double ends[DEMANDS][ENDS]; /* microbatches of them in flight */
    bool hopeless; /* no plan fits, whatever the split of blocks and the recomputation */
    const struct shape *shape;
    const struct stage_map *map;
    int classes, places; /* places that are classes, all of them */
    uint64_t plans;      /* of a division, that pass all checks */

    /* of the division at hand, or several */
    uint64_t tuple;
    const struct layer_folds *fold;
};

/* ---- counting ---- */

static inline void refuse(struct run *r, enum rk_verdict verdict, uint64_t plans)
{
    r->visitor->counts->verdict[verdict][0] += plans;
    r->visitor->explain->refused += plans;
}

static inline void count_repeated(struct run *r, uint64_t plans)
{
    r->visitor->counts->repeated += plans;
    r->visitor->explain->refused += plans;
}

static inline void count_too_large_for(struct run *r, int tier, uint64_t plans)
{
    r->visitor->counts->verdict[RK_MEMORY_EXCEEDED][tier] += plans;
    r->visitor->explain->refused_by_memory += plans;
}

static inline void count_too_large(struct run *r, uint64_t plans)
{
    count_too_large_for(r, 0, plans);
}

static inline void count_bounded(struct run *r, uint64_t plans)
{
    r->visitor->counts->verdict[RK_FITS][0] += plans;
    r->visitor->explain->bounded += plans;
}

/* ---- short ways ---- */

static inline void set_choice(struct run *r, const struct choice *choice)
{
    plans_set_choice(&r->s->plan, r->sharding, choice->sharding);
    plans_set_choice(&r->s->plan, r->offload, choice->offload);
}

/* The schedule of a timetable of one that is V-shaped, else `other`. */
static inline enum rk_schedule folded_or(const struct run *r, enum rk_schedule other)
{
    const enum rk_schedule first = r->timetable->schedule[0];
    return rk_schedule_folds(first) ? first : other;
}

static inline enum demand_kind demand_kind(enum rk_schedule schedule)
{
    return schedule == RK_DUALPIPE ? DEMAND_PAIRS : schedule == RK_GPIPE ? DEMAND_ALL : DEMAND_SOME;
}

static inline const struct memory_rule *rule_of(const struct run *r, uint64_t choice,
                                                enum rk_schedule schedule)
{
    return &r->s->choice[choice].rule[demand_kind(schedule)];
}

static inline double capacity(const struct run *r)
{
    return r->s->problem->system->memory[0].capacity_bytes;
}

static inline enum family family_of_division(const struct run *r, const struct division *division)
{
    return family_of(r->set->all->recompute[division->recompute]);
}

static inline uint64_t *add_numbers(uint64_t *to, const double *numbers, size_t count)
{
    memcpy(to, numbers, count * sizeof *numbers);
    return to + count;
}

static inline uint64_t *fitting_of(const struct run *r, const struct shape *shape)
{
    return r->s->fitting_plans + (shape - r->set->shape) * (1 + r->s->lower_tiers);
}

/* ---- layers: plans_layers.c ---- */

/* All layers that members of the unit have. */
void run_fold_layers(struct run *r);

/* ---- memory: plans_memory.c ---- */

/* Plans of the division at hand, and those of them that fit. `sure`: all others are too large for
 * tier 0, by far. */
struct sifted {
    uint64_t plans, fit;
    uint64_t too_large[1 + RK_SHARE_TIERS]; /* for memory tier i, and not for those above it */
    bool sure;
};

/* Of all shardings and offloads of the member at hand that pass their checks. */
void run_find_extremes(struct run *r);

/* What holds least: the highest ZeRO stage over the most ranks, offloaded what any plan offloads,
 * and nothing gathered. No plan need be like that. The plan at hand is left so: whoever continues
 * with it sets its own choices. Of a rank with two stages one is counted, whose state DualPipe
 * shares with another rank. */
void run_find_least(struct run *r);

/* Microbatches, of a stage under a schedule. */
double run_in_flight(struct run *r, enum rk_schedule schedule, uint64_t stage);

/* Of the first stage of a class. */
const struct stage_flights *run_flights_of(struct run *r, int class);

/* The layers at hand as a stage of a class. */
void run_sum_class(struct run *r, struct stage_sum *sums, int class);

/* Does no plan fit, whatever its sharding, schedule and offload? The first stage decides, which has
 * most microbatches in flight. Offloaded activations are left to each plan. `again`: it was asked
 * of the same stage just before, with other recomputations. */
bool run_none_fits(struct run *r, bool again);

/* What a stage needs grows with its blocks no slower the more there are: so however they are dealt,
 * some stage needs no less than one with the mean of everything. */
bool run_mean_exceeds(struct run *r);

/* What the places of the map at hand have left for what depends on recomputation. */
void run_find_rooms(struct run *r);

/* Does some stage need more than `limit`? */
bool run_exceeds(struct run *r, uint64_t choice, int schedule, double limit);

/* Of the stage that needs most. */
double run_tightest_bytes(struct run *r, uint64_t choice, int schedule);

/* Which plans of the division at hand fit, into fits of the scratch: by rooms. */
struct sifted run_sift_division(struct run *r);

/* The same with every plan by itself. */
struct sifted run_judge_division(struct run *r);

/* ---- time: plans_times.c ---- */

/* Whichever stage sets the pace, the step is not shorter than all microbatches on the slowest one,
 * or on the slowest pair where DualPipe is among the schedules; what offload and data parallelism
 * add is not negative. */
double run_slowest_s(const struct run *r, const struct stage_map *map,
                     const struct block_times *times, bool pairs);

/* Is a step too slow whose slowest stage takes that long for a microbatch? */
static inline bool run_bounded(const struct run *r, double stage_s)
{
    const double shortest_s = r->microbatches * stage_s * rounding;
    return r->visitor->prune &&
           ((double)r->s->plan.batch < r->visitor->least * shortest_s || shortest_s > r->longest_s);
}

/* Is any plan too slow, whatever divisions of these families compute again? */
bool run_all_bounded(const struct run *r, const struct shape *shape);

/* Of the member at hand, whatever its plans recompute. */
double run_longest_s(struct run *r);

/* Tells the visitor of those that fit. */
void run_time_division(struct run *r);

/* ---- shapes: plans_shapes.c ---- */

/* Every plan of the member at hand whose stages have this shape, which nothing refuses. */
void run_shape(struct run *r, const struct shape *shape);

#endif
