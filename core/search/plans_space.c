#include "search/plans_space.h"
#include "base/memory.h"
#include "plan/members.h"

#include "estimate/fold.h"
#include "machine/kernels.h"
#include "search/plans_offer.h"
#include "search/plans_split.h"

#include <stdlib.h>
#include <string.h>

/* ---- the problem ---- */

/* As most people train, of what the system can multiply. */
static unsigned frameworks_of(const struct rk_system *system)
{
    const unsigned some = system->kernels.frameworks; /* 0: any */
    return some ? some : ~0u;
}

/* Those that run on all of its clusters. */
static unsigned frameworks_on(const struct rk_system *system)
{
    unsigned all = system->machine ? ~0u : frameworks_of(system);
    for (int i = 0; system->machine && i < system->machine->clusters; i++)
        all &= frameworks_of(rk_system_of(system, i));
    return all;
}

enum rk_framework rk_usual_framework(const struct rk_system *system)
{
    const unsigned all = frameworks_on(system);
    int first = 0;
    if (!all || all >> RK_MEGATRON & 1) return RK_MEGATRON; /* none of all: rules refuse it */
    while (!(all >> first & 1))
        first++;
    return (enum rk_framework)first;
}

enum rk_framework rk_usual_framework_of(const struct rk_system *system, const struct rk_plan *plan)
{
    const enum rk_framework usual = rk_usual_framework(system);
    const bool torch = usual == RK_MEGATRON && rk_plan_is_torchs(plan);
    return torch && frameworks_on(system) >> RK_FSDP & 1 ? RK_FSDP : usual;
}

bool rk_usual_xla(const struct rk_system *system, enum rk_framework framework)
{
    return framework == RK_FSDP && frameworks_on(system) == 1u << RK_FSDP;
}

enum rk_precision rk_usual_precision(const struct rk_system *system)
{
    static const enum rk_precision order[] = {RK_BF16, RK_FP16, RK_FP8_CURRENT, RK_TF32, RK_FP32};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (operand_peak(system, operand_of(order[i], true)) > 0 &&
            operand_peak(system, operand_of(order[i], false)) > 0)
            return order[i];
    return RK_BF16;
}

void rk_plans_problem_init(struct rk_plans_problem *problem, const struct rk_model *model,
                           const struct rk_system *system, enum rk_framework framework,
                           uint64_t ranks, uint64_t batch, uint64_t sequence)
{
    memset(problem, 0, sizeof *problem);
    problem->model = model;
    problem->system = system;
    problem->base = plan_of_framework(framework);
    problem->base.attention = rk_usual_attention(framework, system->kernels.attention_kernels);
    problem->base.precision = rk_usual_precision(system);
    problem->base.xla = rk_usual_xla(system, framework);
    problem->base.ranks = ranks;
    problem->base.batch = batch;
    problem->base.sequence = sequence;
    problem->base.messages_sharded = system->machine && CLUSTERS_SHARD_MESSAGES;
}

/* ---- building ---- */

struct builder {
    struct rk_plans *plans;
    const struct rk_plans_problem *problem;
    bool failed;         /* there was no memory, or: */
    const char *crowded; /* an axis with more values than there is room for; NULL: none */
    /* Of stages, by the pipeline degree: the one axis of a layout that they depend on. */
    const struct choices *stages[RK_MAX_STAGES + 1];
};

static void append_tuple(struct builder *b, struct choices *choices, const uint64_t *tuple)
{
    uint64_t numbers = choices->count * (uint64_t)choices->axes;
    for (int i = 0; i < choices->axes && !b->failed; i++) {
        b->failed = !ARRAY_ROOM(choices->value, numbers);
        if (!b->failed) choices->value[numbers++] = tuple[i];
    }
    choices->count += !b->failed;
}

static void offer_axis(struct builder *b, struct offered *offered, enum rk_plan_axis axis,
                       const struct rk_plan *plan)
{
    plan_axis_offer(offered, b->problem, axis, plan);
    if (!offered->crowded) return;
    b->crowded = rk_plan_axis_info(axis)->name;
    b->failed = true;
}

/* All tuples of the axes from `depth` on, those before it set in `plan`. */
static void grow_choices(struct builder *b, struct choices *choices, struct rk_plan *plan,
                         uint64_t *tuple, int depth)
{
    struct offered offered;
    const enum rk_plan_axis axis = (enum rk_plan_axis)(choices->first + depth);
    if (depth == choices->axes) {
        append_tuple(b, choices, tuple);
        return;
    }
    offer_axis(b, &offered, axis, plan);
    for (int i = 0; i < offered.count && !b->failed; i++) {
        rk_plan_axis_set(plan, axis, tuple[depth] = offered.value[i]);
        grow_choices(b, choices, plan, tuple, depth + 1);
    }
}

static void release_choices(struct choices *choices)
{
    if (choices) free(choices->value);
    free(choices);
}

static bool same_choices(const struct choices *a, const struct choices *b)
{
    return a->bundle == b->bundle && a->count == b->count &&
           memcmp(a->value, b->value, a->count * (uint64_t)a->axes * sizeof *a->value) == 0;
}

/* The same bundle of another layout, if there is one; the new one is then released. */
static const struct choices *keep_choices(struct builder *b, struct choices *choices)
{
    struct rk_plans *plans = b->plans;
    for (uint64_t i = plans->bundles; i-- > 0;)
        if (same_choices(plans->bundle[i], choices)) {
            release_choices(choices);
            return plans->bundle[i];
        }
    if (!ARRAY_ROOM(plans->bundle, plans->bundles)) {
        b->failed = true;
        release_choices(choices);
        return NULL;
    }
    return plans->bundle[plans->bundles++] = choices;
}

static const struct choices *choices_of(struct builder *b, enum plan_bundle bundle,
                                        const struct rk_plan *layout)
{
    uint64_t tuple[RK_PLAN_AXES];
    struct rk_plan plan = *layout;
    struct choices *choices = calloc(1, sizeof *choices);
    if (!choices) {
        b->failed = true;
        return NULL;
    }
    choices->bundle = bundle;
    choices->first = (int)plan_bundle_axis(bundle);
    choices->axes = (int)plan_bundle_axis((enum plan_bundle)(bundle + 1)) - choices->first;
    grow_choices(b, choices, &plan, tuple, 0);
    if (!b->failed && choices->count > 0) return keep_choices(b, choices);
    release_choices(choices);
    return NULL;
}

static const struct choices *bundle_of(struct builder *b, enum plan_bundle bundle,
                                       const struct rk_plan *layout)
{
    const struct choices **known =
        &b->stages[layout->pipeline <= RK_MAX_STAGES ? layout->pipeline : 0];
    if (bundle != BUNDLE_STAGES) return choices_of(b, bundle, layout);
    if (!*known || known == b->stages) *known = choices_of(b, bundle, layout);
    return *known;
}

/* A layout of which some bundle has no choice has no plans. */
static void add_layout(struct builder *b, const struct rk_plan *plan)
{
    struct rk_plans *plans = b->plans;
    struct layout layout = {.first = plans->space.count};
    for (int axis = 0; axis <= RK_PLAN_ORDER; axis++)
        layout.value[axis] = rk_plan_axis_get(plan, (enum rk_plan_axis)axis);
    for (int bundle = BUNDLE_LAYOUT + 1; bundle < BUNDLES; bundle++) {
        layout.choices[bundle] = bundle_of(b, (enum plan_bundle)bundle, plan);
        if (!layout.choices[bundle]) return;
    }
    layout.count = plans_below(&layout, BUNDLE_LAYOUT);
    b->failed |= !ARRAY_ROOM(plans->layout, plans->layouts);
    if (b->failed) return;
    plans->layout[plans->layouts++] = layout;
    plans->space.count += layout.count;
}

static void add_layouts(struct builder *b, struct rk_plan *plan, int axis)
{
    struct offered offered;
    if (axis > RK_PLAN_ORDER) {
        add_layout(b, plan);
        return;
    }
    offer_axis(b, &offered, (enum rk_plan_axis)axis, plan);
    for (int i = 0; i < offered.count && !b->failed; i++) {
        rk_plan_axis_set(plan, (enum rk_plan_axis)axis, offered.value[i]);
        add_layouts(b, plan, axis + 1);
    }
    /* the degrees of axes further in do not count before they are chosen */
    static const struct rk_plan one = {.tensor = 1, .context = 1, .pipeline = 1, .expert = 1};
    rk_plan_axis_set(plan, (enum rk_plan_axis)axis,
                     rk_plan_axis_get(&one, (enum rk_plan_axis)axis));
}

/* The first restricted axis that the detailed model does not have; RK_PLAN_AXES: none. */
static int foreign_axis(const struct rk_plans_problem *problem)
{
    int axis = 0;
    while (axis < RK_PLAN_AXES && (!problem->pinned[axis].count ||
                                   rk_plan_axis_info((enum rk_plan_axis)axis)->by & RK_BY_RECKON))
        axis++;
    return axis;
}

/* A schedule that is asked for and that offer_schedule never offers; RK_SCHEDULES: none. */
static uint64_t unsearched_schedule(const struct rk_plans_problem *problem)
{
    const bool v = plans_search_v(problem->model);
    for (int i = 0; i < problem->pinned[RK_PLAN_SCHEDULE].count; i++) {
        const uint64_t value = problem->pinned[RK_PLAN_SCHEDULE].value[i];
        if (value == RK_ZERO_BUBBLE_2P || (rk_schedule_folds((enum rk_schedule)value) && !v))
            return value;
    }
    return RK_SCHEDULES;
}

/* A kernel that is asked for and that the system does not have; NULL: none. */
static const char *missing_kernel(const struct rk_plans_problem *problem)
{
    const struct rk_kernels *kernels = &problem->system->kernels;
    const struct {
        enum rk_plan_axis axis;
        unsigned have;
    } sets[] = {{RK_PLAN_ATTENTION, kernels->attention_kernels | 1u << RK_UNFUSED},
                {RK_PLAN_DISPATCHER, kernels->dispatchers}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        for (int i = 0; i < problem->pinned[sets[k].axis].count; i++) {
            const uint64_t value = problem->pinned[sets[k].axis].value[i];
            const bool any = sets[k].have == (sets[k].axis == RK_PLAN_ATTENTION);
            if (!any && !(sets[k].have >> value & 1))
                return rk_plan_axis_info(sets[k].axis)->choices[value];
        }
    return NULL;
}

enum rk_status plans_check_counts(const struct rk_plans_problem *problem, struct rk_error *error)
{
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"gpus", problem->base.ranks},
                  {"batch", problem->base.batch},
                  {"sequence", problem->base.sequence},
                  {"sequence", problem->model->sequence}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value > UINT32_MAX)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s %llu: plans are searched for up to %u: give fewer", counts[i].name,
                           (unsigned long long)counts[i].value, UINT32_MAX);
    return RK_OK;
}

/* Is it nothing that the search does not do? */
static enum rk_status check_problem(const struct rk_plans_problem *problem, struct rk_error *error)
{
    const enum rk_status status = plans_check_counts(problem, error);
    const int foreign = foreign_axis(problem);
    if (status != RK_OK) return status;
    if (foreign < RK_PLAN_AXES)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "framework %s has no axis %s: leave it out, or take framework calculon",
                       rk_framework_name(problem->base.framework),
                       rk_plan_axis_info((enum rk_plan_axis)foreign)->name);
    const uint64_t schedule = unsearched_schedule(problem);
    if (schedule != RK_SCHEDULES)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "schedule %s is not searched%s: give another one, and ask reckon predict for a plan "
            "with it",
            rk_schedule_name((enum rk_schedule)schedule),
            schedule == RK_ZERO_BUBBLE_2P
                ? ""
                : " for models with a tied embedding or layers that predict further tokens");
    const char *missing = missing_kernel(problem);
    if (missing)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s is not on %.80s: leave it out; reckon systems %.80s lists its attention "
                       "kernels and dispatchers",
                       missing, problem->system->id, problem->system->id);
    if (rk_plan_layout(&problem->base)->segments)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "stages: the search runs all layers of a plan alike; leave out runs of other layers");
    return RK_OK;
}

struct rk_space *plans_open(const struct rk_plans_problem *problem, struct rk_error *error)
{
    if (check_problem(problem, error) != RK_OK) return NULL;
    struct rk_plans *plans = calloc(1, sizeof *plans);
    if (!plans) {
        no_memory(error);
        return NULL;
    }
    plans->space =
        (struct rk_space){.predictor = &plans_predictor,
                          .model = problem->model,
                          .system = problem->system,
                          .sequence = (uint64_t)rk_tokens_trained(problem->model, &problem->base)};
    plans->problem = *problem;
    struct builder b = {.plans = plans, .problem = &plans->problem};
    struct rk_plan plan = problem->base;
    plan.tensor = plan.context = plan.pipeline = plan.expert = 1;
    plan.expert_tensor = 0;
    if (plan.ranks > 0 && plan.batch > 0) add_layouts(&b, &plan, 0);
    if (!b.failed) return &plans->space;
    plans_close(&plans->space);
    if (b.crowded)
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "more than %d values of %s: restrict it to fewer", MAX_OFFERED, b.crowded);
    else
        no_memory(error);
    return NULL;
}

void plans_close(struct rk_space *space)
{
    struct rk_plans *plans = (struct rk_plans *)space;
    for (uint64_t i = 0; i < plans->bundles; i++)
        release_choices(plans->bundle[i]);
    free(plans->bundle);
    free(plans->layout);
    free(plans);
}

/* ---- one plan ---- */

void plans_set_layout(struct rk_plan *plan, const struct layout *layout)
{
    plan_axes_set(plan, RK_PLAN_TENSOR, RK_PLAN_ORDER + 1, layout->value);
}

void plans_set_choice(struct rk_plan *plan, const struct choices *choices, uint64_t i)
{
    plan_axes_set(plan, (enum rk_plan_axis)choices->first, choices->axes,
                  choices->value + i * (uint64_t)choices->axes);
}

static const struct layout *layout_of(const struct rk_plans *plans, uint64_t index)
{
    uint64_t low = 0, high = plans->layouts - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (plans->layout[middle].first <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return &plans->layout[low];
}

bool plans_plan_at(const struct rk_space *space, uint64_t index, struct rk_plan *plan)
{
    const struct rk_plans *plans = plans_of(space);
    const struct layout *layout = layout_of(plans, index);
    uint64_t rest = index - layout->first, split = RK_SPLIT_EVEN;
    *plan = plans->problem.base;
    plans_set_layout(plan, layout);
    for (int bundle = BUNDLES - 1; bundle > BUNDLE_LAYOUT; bundle--) {
        const struct choices *choices = layout->choices[bundle];
        plans_set_choice(plan, choices, rest % choices->count);
        if (bundle == BUNDLE_STAGES)
            split = choice_value(choices, rest % choices->count, RK_PLAN_SPLIT);
        rest /= choices->count;
    }
    if (split != RK_SPLIT_BALANCED) return true;
    return plans_balance(plan, &plans->problem);
}
