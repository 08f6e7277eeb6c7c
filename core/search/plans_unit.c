#include "search/plans_unit.h"

#include "search/plans_run.h"

#include "estimate/plan_check.h"
#include "plan/habits.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a thread keeps ---- */

static uint64_t most_choices(const struct rk_plans *plans, enum plan_bundle bundle)
{
    uint64_t most = 1;
    for (uint64_t i = 0; i < plans->bundles; i++)
        if (plans->bundle[i]->bundle == bundle && plans->bundle[i]->count > most)
            most = plans->bundle[i]->count;
    return most;
}

static int most_parts(const struct rk_plans *plans)
{
    const uint64_t most = plans->problem.model->layers + 2; /* with embedding and head */
    return (int)(most < RK_MAX_CHUNKS ? most : RK_MAX_CHUNKS);
}

static bool open_checks(struct plan_scratch *s, const struct rk_plans *plans)
{
    const uint64_t shardings = most_choices(plans, BUNDLE_SHARDING);
    const uint64_t offloads = most_choices(plans, BUNDLE_OFFLOAD);
    const uint64_t tuples = most_choices(plans, BUNDLE_STAGES);
    bool opened = true;
    for (int i = 0; i < KEPT_CHECKS; i++) {
        struct member_checks *checks = &s->checks[i];
        checks->sharding = calloc(shardings, sizeof *checks->sharding);
        checks->offload = calloc(offloads, sizeof *checks->offload);
        checks->timetable = calloc(tuples, sizeof *checks->timetable);
        opened &= checks->sharding && checks->offload && checks->timetable;
    }
    return opened;
}

static void close_checks(struct plan_scratch *s)
{
    for (int i = 0; i < KEPT_CHECKS; i++) {
        free(s->checks[i].sharding);
        free(s->checks[i].offload);
        free(s->checks[i].timetable);
    }
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
    s->lower_tiers = plans->problem.system->memories - 1;
    if (s->lower_tiers > RK_SHARE_TIERS) s->lower_tiers = RK_SHARE_TIERS;
    s->balanced.blocks = s->blocks;
    s->timed.known = calloc(KNOWN_PRODUCTS, sizeof *s->timed.known);
    s->fold = calloc(rows, sizeof *s->fold);
    s->block_s = calloc(rows, sizeof *s->block_s);
    s->count = calloc((size_t)parts + 1, sizeof *s->count);
    s->balance = calloc(rows * ((size_t)parts + 1), sizeof *s->balance);
    s->split = calloc(2 * (rows + RK_SPLITS) * splits_before(parts + 1), sizeof *s->split);
    s->fixed = calloc((size_t)parts + 1, sizeof *s->fixed);
    s->list = calloc(tuples, sizeof(struct division *));
    s->same_as = calloc(tuples, sizeof *s->same_as);
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
    const bool layers_kept = recall_open(&s->layers, RECALLED_LAYERS, layers, 1);
    const bool members_kept =
        recall_open(&s->fitting, RECALLED_MEMBERS, member, tuples * (1 + (uint64_t)s->lower_tiers));
    if (open_checks(s, plans) && layers_kept && members_kept && s->numbers && s->block_s &&
        s->timed.known && s->too_large && s->choice && s->room && s->fits && s->same_as &&
        s->kept && s->kept_room && s->fold && s->count && s->balance && s->split && s->fixed &&
        s->list)
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
    close_checks(s);
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

/* ---- checks ---- */

enum {
    CHECKS_OF_SCHEDULE = 1 << CHECK_SCHEDULE | 1 << CHECK_START,
    CHECKS_INSIDE =
        1 << CHECK_STAGES | CHECKS_OF_SCHEDULE | 1 << CHECK_SHARDING | 1 << CHECK_OFFLOAD,
    /* what layers in chunks or through two buffers compute again is all that is offered with them
     */
    CHECKS_BEFORE =
        ((1 << PLAN_CHECKS) - 1) & ~CHECKS_INSIDE & ~(1 << CHECK_AGAIN) & ~(1 << CHECK_PAIRS)
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
        if (parts & 1u << CHECK_SHARDING && !state[i].refused)
            state[i].sharing = sharing_of(&r->s->plan);
    }
}

static void check_timetable(struct run *r, const struct timetable *timetable,
                            struct timetable_state *state)
{
    struct rk_plan *plan = &r->s->plan;
    const unsigned parts = CHECKS_OF_SCHEDULE & plans_checks(r->s->problem);
    plan->chunks = timetable->chunks;
    plan->recompute = timetable->whole ? RK_WHOLE : RK_KEEP;
    *state = (struct timetable_state){.passing = 0};
    for (int i = 0; i < timetable->schedules; i++) {
        plan->schedule = timetable->schedule[i];
        state->refused[i] = refused_by(r, parts, &state->verdict[i]);
        if (state->refused[i]) continue;
        state->passing++;
        state->pairs |= plan->schedule == RK_DUALPIPE;
    }
}

/* What is left in the plan at hand. */
static void set_last_choices(struct run *r)
{
    const struct timetable *last = &r->set->timetable[r->set->timetables - 1];
    plans_set_choice(&r->s->plan, r->sharding, r->sharding->count - 1);
    plans_set_choice(&r->s->plan, r->offload, r->offload->count - 1);
    r->s->plan.chunks = last->chunks;
    r->s->plan.schedule = last->schedule[last->schedules - 1];
}

static void check_choices(struct run *r, const struct plan_member *member)
{
    struct plan_scratch *s = r->s;
    const bool both = s->plan.context_kind == RK_RING_ULYSSES; /* divide the ranks of a context */
    const struct checks_key key = {member->layout, member->microbatch, r->layers->kernels,
                                   both ? s->plan.ulysses : 0};
    struct member_checks *kept = &s->checks[(r->set - r->set->all->set) % KEPT_CHECKS];
    s->sharding = kept->sharding;
    s->offload = kept->offload;
    s->timetable = kept->timetable;
    if (memcmp(&kept->key, &key, sizeof key) == 0) {
        set_last_choices(r);
        return;
    }
    kept->key = key;
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

/* What is offloaded only where ZeRO shards it: no other pair of the two is refused (CHECK_PAIRS).
 */
static bool has_pairs(const struct run *r)
{
    const struct habits *habits = habits_of(&r->s->problem->base);
    return (habits->zero_of_optimizer || habits->zero_of_weights) && !r->s->problem->unstartable;
}

static bool excludes(const struct run *r, uint64_t sharding, uint64_t offload)
{
    if (!has_pairs(r)) return false;
    const struct habits *habits = habits_of(&r->s->problem->base);
    const int zero = (int)choice_value(r->sharding, sharding, RK_PLAN_ZERO);
    return (zero < habits->zero_of_optimizer &&
            choice_value(r->offload, offload, RK_PLAN_OPTIMIZER_OFFLOAD)) ||
           (zero < habits->zero_of_weights &&
            choice_value(r->offload, offload, RK_PLAN_WEIGHT_OFFLOAD));
}

static uint64_t count_excluded(const struct run *r)
{
    uint64_t excluded = 0;
    for (uint64_t i = 0; i < r->sharding->count && has_pairs(r); i++)
        for (uint64_t k = 0; k < r->offload->count; k++)
            excluded +=
                !r->s->sharding[i].refused && !r->s->offload[k].refused && excludes(r, i, k);
    return excluded;
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
    const uint64_t excluded = late == RK_FITS ? count_excluded(r) : 0;
    if (late != RK_FITS) refuse(r, late, tuples * r->choices);
    if (excluded) refuse(r, RK_BAD_OPTION, tuples * excluded);
    r->choices -= excluded;
    return late == RK_FITS && tuples * r->choices > 0;
}

/* ---- members ---- */

/* But for the ends of the model. Schedules differ in them, and in how many ranks hold a stage. */
static void open_rules(struct plan_scratch *s, struct choice *choice)
{
    const struct sharing *sharing = &s->sharding[choice->sharding].sharing;
    struct memory_rule *rule = choice->rule;
    s->plan.schedule = RK_1F1B;
    rule[DEMAND_SOME] = memory_rule_of(s->fold, sharing, &s->plan);
    rule[DEMAND_ALL] = rule[DEMAND_PAIRS] = rule[DEMAND_SOME];
    s->plan.schedule = RK_DUALPIPE;
    memory_rule_share(&rule[DEMAND_PAIRS], sharing, &s->plan);
}

static void open_choices(struct run *r)
{
    struct plan_scratch *s = r->s;
    uint64_t sharding = UINT64_MAX, offload = UINT64_MAX; /* those that are set */
    r->choices = 0;
    for (uint64_t i = 0; i < r->leaves; i++) {
        struct choice *choice = &s->choice[r->choices];
        choice->index = i;
        choice->sharding = i / r->offload->count;
        choice->offload = i % r->offload->count;
        if (s->sharding[choice->sharding].refused || s->offload[choice->offload].refused ||
            excludes(r, choice->sharding, choice->offload))
            continue;
        if (choice->sharding != sharding)
            plans_set_choice(&s->plan, r->sharding, sharding = choice->sharding);
        if (choice->offload != offload)
            plans_set_choice(&s->plan, r->offload, offload = choice->offload);
        r->choices++;
        open_rules(s, choice);
    }
}

static uint64_t *add_rule(uint64_t *to, const struct memory_rule *rule, bool lower)
{
    *to++ = (uint64_t)rule->zero << 3 | (uint64_t)rule->xla << 2 |
            (uint64_t)rule->keep_gathered << 1 | rule->by_matrix;
    to = add_numbers(to, &rule->bytes.weight, RULE_NUMBERS);
    return lower ? add_numbers(to, rule->away.activations, AWAY_NUMBERS) : to;
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
    for (uint64_t i = 0; i < r->choices; i++) /* by which the rules of pairs go */
        to = add_rule(to, &s->choice[i].rule[DEMAND_SOME], s->lower_tiers > 0);
    for (uint64_t i = 0; i < r->set->timetables; i++) {
        *to = 0;
        for (int k = 0; k < r->set->timetable[i].schedules; k++)
            *to |= (uint64_t)s->timetable[i].refused[k] << k;
        to++;
    }
    s->fitting_plans = recall_find(&s->fitting, s->numbers, (size_t)(to - s->numbers), &known);
    for (uint64_t i = 0; i < r->set->shapes && !known; i++)
        *fitting_of(r, &r->set->shape[i]) = unknown;
}

static void open_sharings(struct run *r)
{
    struct plan_scratch *s = r->s;
    for (uint64_t i = 0; i < r->sharding->count; i++) {
        if (!s->sharding[i].refused) s->sharding[i].id = ++s->ids;
    }
    s->members++;
    run_find_extremes(r);
    open_choices(r);
}

/* Checks that come before those of stages refuse all plans of a member at once; later ones only
 * those that pass the latter. */
static void run_plans(struct run *r, const struct plan_member *member)
{
    struct plan_scratch *s = r->s;
    const struct rk_plans_problem *p = s->problem;
    struct rk_reason reason;
    const int failed = plan_check_parts(p->model, p->system, &s->plan, CHECKS_BEFORE, &reason);
    if (failed < CHECK_STAGES) {
        refuse(r, reason.verdict, r->stages->count * r->leaves);
        return;
    }
    check_choices(r, member);
    if (!sift(r, failed == PLAN_CHECKS ? RK_FITS : reason.verdict)) return;
    run_fold_layers(r);
    r->longest_s = run_longest_s(r);
    r->send_s = send_s_of(&s->fold[0], p->system, &s->plan);
    open_sharings(r);
    recall_member(r);
    r->timetable = NULL;
    memset(s->too_large, 0, r->set->shapes * sizeof *s->too_large);
    for (uint64_t i = 0; i < r->set->shapes; i++) {
        const struct shape *shape = &r->set->shape[i];
        if (!shape->refused && s->timetable[shape->timetable].passing > 0) run_shape(r, shape);
    }
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
    run_plans(r, member);
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
