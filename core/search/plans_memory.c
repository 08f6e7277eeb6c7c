#include "search/plans_run.h"

#include "base/extremes.h"
#include "machine/part.h"

#include <math.h>
#include <string.h>

/* ---- extremes of what stages need ---- */

/* Number by number. */
static void note_bytes(struct element_bytes *least, const struct element_bytes *bytes)
{
    enum { NUMBERS = sizeof *bytes / sizeof(double) };
    double low[NUMBERS], own[NUMBERS];
    memcpy(low, least, sizeof low);
    memcpy(own, bytes, sizeof own);
    for (int i = 0; i < NUMBERS; i++)
        low[i] = smaller(low[i], own[i]);
    memcpy(least, low, sizeof low);
}

static void note_sharing(struct extremes *e, const struct sharing *sharing, int zero)
{
    if (e->least.microbatches == 0) e->least = *sharing;
    if (zero > e->zero) e->zero = zero;
    e->least.gradients_late |= sharing->gradients_late;
    note_bytes(&e->least.bytes, &sharing->bytes);
    for (int expert = 0; expert < 2; expert++) {
        const struct rank_group shards = sharing->shards[expert];
        if (shards.ranks > e->least.shards[expert].ranks) e->least.shards[expert] = shards;
    }
}

void run_find_extremes(struct run *r)
{
    const struct plan_scratch *s = r->s;
    struct extremes *e = &r->extremes;
    *e = (struct extremes){.activations = s->plan.recompute_rest};
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

void run_find_least(struct run *r)
{
    struct rk_plan *plan = &r->s->plan;
    plan->schedule = folded_or(r, r->state->pairs ? RK_DUALPIPE : RK_1F1B);
    plan->zero = r->extremes.zero;
    plan->keep_gathered = false;
    rk_plan_offload_activations(plan, 0);
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++) {
        plan->share[RK_SHARE_OPTIMIZER][tier] = tier == 0 && r->extremes.optimizer;
        plan->share[RK_SHARE_WEIGHTS][tier] = tier == 0 && r->extremes.weights;
    }
    r->least = memory_rule_of(r->s->fold, &r->extremes.least, plan);
    r->least.bytes.gathered = r->least.bytes.base = r->least.bytes.sent_gradient = 0;
    r->least.step_element = r->least.step_gathers = 0;
}

/* ---- in flight ---- */

double run_in_flight(struct run *r, enum rk_schedule schedule, uint64_t stage)
{
    r->s->plan.schedule = schedule;
    return in_flight_of_plan(&r->s->plan, r->microbatches, stage);
}

static const struct stage_flights *flights_at(struct run *r, uint64_t stage)
{
    struct stage_flights *flights = &r->s->flights[stage];
    if (flights->of_timetable == r->s->timetables) return flights;
    *flights = (struct stage_flights){.of_timetable = r->s->timetables, .least = INFINITY};
    for (int i = 0; i < r->timetable->schedules; i++) {
        const enum rk_schedule schedule = r->timetable->schedule[i];
        if (r->state->refused[i]) continue;
        flights->of[i] = run_in_flight(r, schedule == RK_DUALPIPE ? RK_1F1B : schedule, stage);
        flights->least = smaller(flights->least, flights->of[i]);
    }
    return flights;
}

/* The first of alike stages has most in flight; in a V another one may. */
const struct stage_flights *run_flights_of(struct run *r, int class)
{
    struct stage_flights *most = &r->s->of_class[class];
    const struct stage_flights *first = flights_at(r, r->map->first_of[class]);
    if (!rk_schedule_folds(r->timetable->schedule[0])) return first;
    *most = *first;
    for (int stage = 0; stage < r->map->stages; stage++) {
        if (r->map->class_of[stage] != class) continue;
        const struct stage_flights *flights = flights_at(r, (uint64_t)stage);
        most->of[0] = larger(most->of[0], flights->of[0]);
        most->least = larger(most->least, flights->least);
    }
    return most;
}

/* Of all stages. */
static double least_flights(struct run *r)
{
    const uint64_t last = r->set->pipeline - 1;
    double least = INFINITY;
    for (uint64_t stage = folded_or(r, RK_1F1B) == RK_1F1B ? last : 0; stage <= last; stage++)
        for (int i = 0; i < r->timetable->schedules; i++) {
            const enum rk_schedule schedule = r->timetable->schedule[i];
            if (r->state->refused[i]) continue;
            least = smaller(least,
                            run_in_flight(r, schedule == RK_DUALPIPE ? RK_1F1B : schedule, stage));
        }
    return least;
}

/* ---- what stages need ---- */

void run_sum_class(struct run *r, struct stage_sum *sums, int class)
{
    const struct plan_scratch *s = r->s;
    stage_outline(&sums[class], r->fold, s->problem->model, &s->plan, &r->map->blocks[class]);
}

static double class_bytes(struct run *r, const struct memory_rule *rule, int class, int schedule)
{
    return stage_demanded_bytes(rule, &r->s->sum[class], r->s->problem->system,
                                r->s->flight[class]->of[schedule]);
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
    return stage_demanded_bytes(rule, &pair, r->s->problem->system, r->pair_flights);
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
        if (larger(first, other) <= limit * rounding) continue;
        for (int k = i + 1; k < last; k++)
            if (pair_bytes(r, rule, k) > limit) return true;
    }
    return false;
}

bool run_exceeds(struct run *r, uint64_t choice, int schedule, double limit)
{
    const enum rk_schedule order = r->timetable->schedule[schedule];
    const struct memory_rule *rule = rule_of(r, choice, order);
    if (demand_kind(order) == DEMAND_PAIRS) return pairs_exceed(r, rule, limit);
    for (int i = 0; i < r->map->classes; i++)
        if (class_bytes(r, rule, i, schedule) > limit) return true;
    return false;
}

/* The first lower tier that is too small for some stage; 0: none is. */
static int lower_exceeded(struct run *r, uint64_t choice, int schedule)
{
    const struct rk_system *system = r->s->problem->system;
    const enum rk_schedule order = r->timetable->schedule[schedule];
    const struct memory_rule *rule = rule_of(r, choice, order);
    const bool pairs = demand_kind(order) == DEMAND_PAIRS;
    const int count = pairs ? r->map->stages / 2 : r->map->classes;
    for (int tier = 0; tier < r->s->lower_tiers; tier++) {
        if (!rule_lowers(rule, tier)) continue;
        for (int i = 0; i < count; i++) {
            struct stage_sum pair;
            if (pairs) pair_outline(r, &pair, i);
            const double flight = pairs ? r->pair_flights : r->s->flight[i]->of[schedule];
            const struct stage_sum *sum = pairs ? &pair : &r->s->sum[i];
            if (lowered_bytes(rule, sum, flight, tier) >
                memory_part_bytes(&system->memory[tier + 1], r->s->plan.ranks))
                return tier + 1;
        }
    }
    return 0;
}

double run_tightest_bytes(struct run *r, uint64_t choice, int schedule)
{
    const enum rk_schedule order = r->timetable->schedule[schedule];
    const struct memory_rule *rule = rule_of(r, choice, order);
    const bool pairs = demand_kind(order) == DEMAND_PAIRS;
    const int count = pairs ? r->map->stages / 2 : r->map->classes;
    double most = 0;
    for (int i = 0; i < count; i++)
        most = larger(most, pairs ? pair_bytes(r, rule, i) : class_bytes(r, rule, i, schedule));
    return most;
}

/* Bytes that rounding may be. */
static double closeness(const struct run *r)
{
    return capacity(r) * (1 - rounding);
}

/* ---- bounds ---- */

bool run_none_fits(struct run *r, bool again)
{
    const struct plan_scratch *s = r->s;
    if (r->extremes.activations) return false;
    if (again)
        stage_holds_again(&r->s->sum[0], r->fold, s->problem->model, &s->plan, &r->map->blocks[0]);
    else
        run_sum_class(r, r->s->sum, 0);
    /* of the first stage itself: of a balanced split no other is known yet */
    const double flights = flights_at(r, r->map->first_of[0])->least;
    return stage_demanded_bytes(&r->least, &r->s->sum[0], r->s->problem->system, flights) *
               rounding >
           capacity(r);
}

bool run_mean_exceeds(struct run *r)
{
    const double stages = (double)r->set->pipeline;
    struct stage_sum mean;
    struct memory_rule rule = r->least;
    rule.expert_engines = 0; /* where stages have no experts */
    if (!r->visitor->prune || r->extremes.activations) return false;
    stage_copy_outline(&mean, &r->model);
    if (r->state->pairs) mean.parameters -= mean.copied_parameters;
    mean.parameters /= stages;
    mean.expert_parameters /= stages;
    mean.narrow_parameters /= stages;
    for (int i = 0; i < 2; i++) {
        mean.adapter_parameters[i] /= stages;
        mean.whole_parameters[i] /= stages;
    }
    mean.long_sides /= stages;
    mean.short_sides /= stages;
    mean.saved_total_bytes /= stages;
    const double flights = least_flights(r);
    return stage_demanded_bytes(&rule, &mean, r->s->problem->system, flights) * rounding >
           capacity(r);
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
    if (demand.late_bytes > 0) return NAN; /* of which less is there, the more activations are */
    const double left = capacity(r) - demand.static_bytes - demanded_workspaces(&demand, system) -
                        demand.outside_bytes - system->kernels.reserve_bytes;
    const double between = left - kept * larger(demand.between_bytes, demand.step_bytes);
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
        if (room[choice] < place->least_room) place->least_room = room[choice];
        if (room[choice] > place->most_room) place->most_room = room[choice];
        close |= isnan(room[choice]);
    }
    if (close) place->least_room = place->most_room = NAN;
}

void run_find_rooms(struct run *r)
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

/* ---- divisions ---- */

enum answer { NO, CLOSE, YES };

/* Does some place of `count` hold more than it has room for? */
static enum answer overflows(const struct run *r, const struct memory_rule *rule, uint64_t choice,
                             int count)
{
    const struct plan_scratch *s = r->s;
    const double close = closeness(r);
    enum answer answer = NO;
    if (rule->swaps) return CLOSE; /* holdings are not those of two buffers */
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

/* A plan that the accelerator has room for, or not. */
static void settle(struct run *r, uint64_t choice, int schedule, bool fits, struct sifted *sifted)
{
    const int lower = fits ? lower_exceeded(r, choice, schedule) : 0;
    sifted->plans++;
    sifted->too_large[lower] += !fits || lower;
    sifted->fit += fits && !lower;
    sifted->sure &= !lower;
    r->s->fits[choice * RK_SCHEDULES + (uint64_t)schedule] = fits && !lower;
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
    for (uint64_t choice = 0; choice < r->choices; choice++) {
        enum answer answer = all;
        if (answer == CLOSE) answer = overflows(r, rule_of(r, choice, order), choice, count);
        sifted->sure &= answer != CLOSE;
        if (answer == CLOSE) answer = run_exceeds(r, choice, schedule, capacity(r)) ? YES : NO;
        settle(r, choice, schedule, answer == NO, sifted);
    }
}

struct sifted run_sift_division(struct run *r)
{
    struct sifted sifted = {.sure = true};
    for (int i = 0; i < r->timetable->schedules; i++)
        if (!r->state->refused[i]) sift_schedule(r, i, &sifted);
    return sifted;
}

struct sifted run_judge_division(struct run *r)
{
    struct sifted sifted = {.plans = 0};
    for (uint64_t choice = 0; choice < r->choices; choice++)
        for (int i = 0; i < r->timetable->schedules; i++)
            if (!r->state->refused[i])
                settle(r, choice, i, !run_exceeds(r, choice, i, capacity(r)), &sifted);
    return sifted;
}
