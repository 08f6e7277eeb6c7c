/* changes.c - single changes that would let a plan in: each one made in a copy of the problem and
 * searched. */
#include "advise/aim.h"
#include "base/number.h"
#include "machine/part.h"
#include "search/conjuncts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[RK_CHANGE_KINDS] = {
    [RK_CHANGE_MEMORY] = "memory",
    [RK_CHANGE_ADDED_MEMORY] = "added_memory",
    [RK_CHANGE_NETWORK] = "network",
    [RK_CHANGE_RESTRICTION] = "restriction",
    [RK_CHANGE_START] = "start",
    [RK_CHANGE_FEWER_GPUS] = "fewer_gpus",
    [RK_CHANGE_MORE_GPUS] = "more_gpus",
    [RK_CHANGE_SMALLER_BATCH] = "smaller_batch",
    [RK_CHANGE_LARGER_BATCH] = "larger_batch",
};

const char *rk_change_name(enum rk_change_kind kind)
{
    return (unsigned)kind < RK_CHANGE_KINDS ? names[kind] : NULL;
}

/* The question, and what every try begins with. */
struct tries {
    const struct rk_plans_problem *problem;
    const struct rk_aim *aim;
    void (*take)(void *context, const struct rk_change *change);
    void *context;
};

static void report(const struct tries *t, const struct rk_change *change)
{
    t->take(t->context, change);
}

/* ---- memory ---- */

static void try_memory(const struct tries *t, int tier)
{
    const struct rk_system *now = t->problem->system;
    const double part = memory_part_bytes(&now->memory[tier], t->problem->base.ranks);
    struct rk_change change = {.kind = RK_CHANGE_MEMORY, .tier = tier, .from = part};
    struct rk_miss missed[RK_MISSES];
    struct rk_system system = {0};
    struct rk_plans_problem problem = *t->problem;
    struct rk_error error;
    if (isinf(change.from)) return;
    if (rk_misses(t->problem, t->aim, RK_LIMIT_MEMORY, tier, missed) > 0 &&
        rk_system_copy(&system, now, &error) == RK_OK) {
        change.to = tier ? missed[0].need : aim_memory(t->aim, missed[0].need);
        struct rk_memory *memory = &system.memory[tier];
        const uint64_t ranks = t->problem->base.ranks;
        memory->capacity_bytes = change.to / part_factor(memory->capacity_shared_by, ranks);
        while (memory_part_bytes(memory, ranks) < change.to) /* rounded down */
            memory->capacity_bytes = nextafter(memory->capacity_bytes, INFINITY);
        problem.system = &system;
        change.helps = rk_find(&problem, t->aim, &change.found);
    }
    report(t, &change);
    rk_system_release(&system);
}

/* ... of one of several clusters: the first of these sizes. */
static void try_memory_of(const struct tries *t, int cluster, int tier)
{
    static const double factors[] = {1.125, 1.25, 1.5, 2, 3, 4, 8};
    const double now = rk_system_of(t->problem->system, cluster)->memory[tier].capacity_bytes;
    struct rk_change change = {
        .kind = RK_CHANGE_MEMORY, .cluster = cluster, .tier = tier, .from = now};
    struct rk_plans_problem problem = *t->problem;
    struct rk_system system = {0};
    struct rk_error error;
    if (isinf(now) || rk_system_copy(&system, t->problem->system, &error) != RK_OK) return;
    problem.system = &system;
    for (size_t i = 0; i < sizeof factors / sizeof *factors && !change.helps; i++) {
        if (aim_stopped(t->aim)) break;
        change.to = factors[i] * now;
        aim_part(&system, cluster)->memory[tier].capacity_bytes = change.to;
        if (tier == 0 && t->problem->usable_bytes[cluster] > 0) /* as much stays free */
            problem.usable_bytes[cluster] = t->problem->usable_bytes[cluster] + change.to - now;
        change.helps = rk_find(&problem, t->aim, &change.found);
    }
    report(t, &change);
    rk_system_release(&system);
}

/* The system with one more memory tier of any size. */
static bool add_tier(struct rk_system *system)
{
    struct rk_memory *memory =
        realloc(system->memory, (size_t)(system->memories + 1) * sizeof *memory);
    if (!memory) return false;
    system->memory = memory;
    struct rk_memory *added = &memory[system->memories++];
    *added = (struct rk_memory){.name = "added",
                                .capacity_bytes = INFINITY,
                                .bandwidth_Bps = RK_ADDED_TIER_BPS,
                                .curve = {.steps = 1, .step = {{.from = 0, .efficiency = 1}}}};
    rk_curve_set_peak(&added->curve, RK_ADDED_TIER_BPS);
    return true;
}

/* The least that a plan which counts takes of it, then the best plan that takes no more. */
static bool find_added(const struct tries *t, const struct rk_plans_problem *problem,
                       struct rk_change *change)
{
    struct aimed roomy;
    char where[AIM_TEXT], within[AIM_TEXT + 64];
    const char *counts = aim_condition(t->aim, where);
    const struct rk_query query = {.where = counts,
                                   .sort = "offload_bytes",
                                   .least_samples_per_s = t->aim->samples_per_s,
                                   .top = 1,
                                   .threads = t->aim->threads};
    struct rk_aim aim = *t->aim;
    struct rk_answer answer = {.found = 0};
    struct rk_error error;
    struct rk_space *space = rk_plans_open(aim_at(&roomy, problem, t->aim), &error);
    const bool any = space && rk_ask(space, &query, &answer, &error) == RK_OK && answer.found > 0;
    if (any) change->to = answer.best[0].key;
    rk_answer_release(&answer);
    rk_space_close(space);
    if (!any || !(change->to > 0)) return false;
    snprintf(within, sizeof within, "%s%s%soffload_bytes <= %.17g", counts ? "(" : "",
             counts ? counts : "", counts ? ") and " : "", change->to);
    aim.where = within;
    return rk_find(problem, &aim, &change->found);
}

static void try_added_memory(const struct tries *t)
{
    struct rk_change change = {.kind = RK_CHANGE_ADDED_MEMORY, .tier = 1};
    struct rk_system system = {0};
    struct rk_plans_problem problem = *t->problem;
    struct rk_error error;
    problem.system = &system;
    change.helps = rk_system_copy(&system, t->problem->system, &error) == RK_OK &&
                   add_tier(&system) && find_added(t, &problem, &change);
    report(t, &change);
    rk_system_release(&system);
}

/* ---- lists of sizes to try ---- */

enum { CANDIDATES = 512 };

struct candidates {
    int count;
    uint64_t value[CANDIDATES];
};

static void offer(struct candidates *list, uint64_t value, uint64_t low, uint64_t high)
{
    if (value < low || value > high || list->count == CANDIDATES) return;
    list->value[list->count++] = value;
}

static void sort(struct candidates *list)
{
    int kept = 0;
    qsort(list->value, (size_t)list->count, sizeof *list->value, by_count);
    for (int i = 0; i < list->count; i++)
        if (i == 0 || list->value[i] != list->value[kept - 1]) list->value[kept++] = list->value[i];
    list->count = kept;
}

static void offer_divisors(struct candidates *list, uint64_t number, uint64_t low, uint64_t high)
{
    for (uint64_t d = 1; d * d <= number; d++) {
        if (number % d) continue;
        offer(list, d, low, high);
        offer(list, number / d, low, high);
    }
}

/* ---- a larger domain of a network ---- */

/* Sizes that matter: only products of degrees are ever compared with them, or divide them. */
static void list_sizes(struct candidates *list, uint64_t ranks, uint64_t size)
{
    *list = (struct candidates){.count = 0};
    offer_divisors(list, ranks, size + 1, ranks);
    for (uint64_t doubled = 2 * size; doubled <= ranks; doubled *= 2)
        offer(list, doubled, size + 1, ranks);
    sort(list);
}

/* The detailed model also gains from larger domains when they are not what makes a plan
 * infeasible. */
static bool may_help(const struct tries *t, int tier)
{
    struct rk_miss missed[RK_MISSES];
    return t->problem->system->machine ||
           rk_misses(t->problem, t->aim, RK_LIMIT_NETWORK, tier, missed) > 0 ||
           (rk_answerer(t->problem->base.framework)->layers && t->aim->samples_per_s > 0);
}

static void try_network(const struct tries *t, int cluster, int tier)
{
    const struct rk_system *now = rk_system_of(t->problem->system, cluster);
    const struct rk_network *network = &now->network[tier];
    const uint64_t ranks = t->problem->system->machine ? now->devices : t->problem->base.ranks;
    struct rk_change change = {
        .kind = RK_CHANGE_NETWORK, .cluster = cluster, .tier = tier, .from = (double)network->size};
    struct candidates list = {.count = 0};
    struct rk_system system = {0};
    struct rk_plans_problem problem = *t->problem;
    struct rk_error error;
    if (network->size >= ranks && !network->must_be_filled) return;
    problem.system = &system;
    if (may_help(t, tier) && rk_system_copy(&system, t->problem->system, &error) == RK_OK)
        list_sizes(&list, ranks, network->size);
    for (int i = 0; i < list.count && !change.helps && !aim_stopped(t->aim); i++) {
        aim_part(&system, cluster)->network[tier].size = list.value[i];
        change.to = (double)list.value[i];
        change.helps = rk_find(&problem, t->aim, &change.found);
    }
    report(t, &change);
    rk_system_release(&system);
}

/* ---- without a restriction ---- */

static void try_restriction(const struct tries *t, enum rk_plan_axis axis)
{
    struct rk_change change = {.kind = RK_CHANGE_RESTRICTION, .tier = -1, .axis = axis};
    struct rk_plans_problem problem = *t->problem;
    problem.pinned[axis].count = 0;
    change.helps = rk_find(&problem, t->aim, &change.found);
    report(t, &change);
}

/* Plans that are not searched by themselves, for the framework cannot start them. */
static void try_unstartable(const struct tries *t)
{
    struct rk_change change = {.kind = RK_CHANGE_START, .tier = -1};
    struct rk_plans_problem problem = *t->problem;
    if (problem.unstartable || !rk_answerer(problem.base.framework)->runs ||
        problem.system->machine)
        return;
    problem.unstartable = true;
    change.helps = rk_find(&problem, t->aim, &change.found);
    report(t, &change);
}

/* ---- another size ---- */

/* What is asked of a plan is asked of the size that is tried: a run's days are other steps there.
 */
static bool find_sized(const struct tries *t, const struct rk_plans_problem *problem,
                       struct rk_found *found)
{
    char where[AIM_TEXT];
    struct rk_aim aim = *t->aim;
    if (!aim.where || !aim.where_at) return rk_find(problem, &aim, found);
    aim.where = where;
    return aim.where_at(aim.context, problem, where, sizeof where) && rk_find(problem, &aim, found);
}

/* A condition on other figures than the step has to be worked out for every plan: few sizes are
 * tried then, doubled or halved. */
static bool is_slow(const struct tries *t)
{
    const struct rk_plans_problem *p = t->problem;
    return t->aim->where && rk_answerer(p->base.framework)->layers && !p->system->machine &&
           isinf(condition_limits(t->aim->where, p->base.framework).longest_s);
}

enum { FEW_SIZES = 2 };

static void list_few(struct candidates *list, uint64_t now, bool more)
{
    for (int i = 1; i <= FEW_SIZES; i++)
        if (more || now % (UINT64_C(1) << i) == 0)
            offer(list, more ? now << i : now >> i, 1, UINT64_C(1) << 40);
    sort(list);
}

/* ---- fewer or more GPUs ---- */

enum { NODES_NEARBY = 16, MOST_DOUBLINGS = 10, MOST_HALVINGS = 64 };

/* The nearest numbers of whole nodes, and eighths between doublings beyond. */
static void list_more_gpus(struct candidates *list, const struct rk_plans_problem *p)
{
    const uint64_t node = p->system->network[0].size, ranks = p->base.ranks;
    const uint64_t most = p->system->devices ? p->system->devices : UINT64_C(1) << 40;
    for (uint64_t i = 1; i <= NODES_NEARBY; i++)
        offer(list, ranks / node * node + i * node, ranks + 1, most);
    for (uint64_t factor = 1, k = 0; k < MOST_DOUBLINGS; k++, factor *= 2)
        for (uint64_t eighths = 8; eighths <= 16; eighths++)
            if (ranks * factor * eighths % 8 == 0)
                offer(list, ranks * factor * eighths / 8, ranks + 1, most);
    sort(list);
}

static void list_fewer_gpus(struct candidates *list, const struct rk_plans_problem *p)
{
    const uint64_t node = p->system->network[0].size, ranks = p->base.ranks;
    for (uint64_t i = 0; i <= NODES_NEARBY && i * node < ranks; i++)
        offer(list, (ranks - i * node) / node * node, 1, ranks - 1);
    offer_divisors(list, ranks, 1, ranks - 1);
    sort(list);
}

/* The candidate nearest to the ranks there are. */
static void try_gpus(const struct tries *t, bool more)
{
    struct candidates list = {.count = 0};
    struct rk_plans_problem problem = *t->problem;
    struct rk_change change = {.kind = more ? RK_CHANGE_MORE_GPUS : RK_CHANGE_FEWER_GPUS,
                               .tier = -1,
                               .from = (double)problem.base.ranks};
    if (is_slow(t))
        list_few(&list, problem.base.ranks, more);
    else
        (more ? list_more_gpus : list_fewer_gpus)(&list, t->problem);
    for (int i = 0; i < list.count && !change.helps && !aim_stopped(t->aim); i++) {
        problem.base.ranks = list.value[more ? i : list.count - 1 - i];
        change.to = (double)problem.base.ranks;
        change.helps = find_sized(t, &problem, &change.found);
    }
    if (list.count) report(t, &change);
}

/* ... of one of several clusters, by whole nodes. */
static void try_nodes(const struct tries *t, int cluster, bool more)
{
    const struct rk_cluster *now = &t->problem->system->machine->cluster[cluster];
    const uint64_t node = rk_cluster_node(now), nodes = rk_cluster_nodes(now);
    struct rk_change change = {.kind = more ? RK_CHANGE_MORE_GPUS : RK_CHANGE_FEWER_GPUS,
                               .cluster = cluster,
                               .tier = -1,
                               .from = (double)now->system.devices};
    struct rk_plans_problem problem = *t->problem;
    struct rk_system system = {0};
    struct rk_error error;
    if (rk_system_copy(&system, t->problem->system, &error) != RK_OK) return;
    problem.system = &system;
    uint64_t tried = more ? nodes + 1 : nodes - 1;
    for (int i = 0; i < MOST_DOUBLINGS && tried && !change.helps && !aim_stopped(t->aim); i++) {
        aim_part(&system, cluster)->devices = tried * node;
        change.to = (double)(tried * node);
        change.helps = find_sized(t, &problem, &change.found);
        tried = more ? 2 * tried : tried / 2;
    }
    if (more || nodes > 1) report(t, &change);
    rk_system_release(&system);
}

/* ---- another batch ---- */

/* Between a batch that helps and one that does not, the former as near to the latter as halving
 * finds. With calculon, whose plans round a batch down; others would have to divide it. */
static void approach(const struct tries *t, struct rk_plans_problem *problem, uint64_t fails,
                     struct rk_change *change)
{
    uint64_t admits = problem->base.batch;
    struct rk_found found;
    while ((admits > fails ? admits - fails : fails - admits) > 1 && !aim_stopped(t->aim)) {
        problem->base.batch = admits / 2 + fails / 2 + (admits & fails & 1);
        if (find_sized(t, problem, &found)) {
            admits = problem->base.batch;
            change->found = found;
        } else {
            fails = problem->base.batch;
        }
    }
    change->to = (double)admits;
}

static void try_batch(const struct tries *t, bool more)
{
    const uint64_t now = t->problem->base.batch;
    struct rk_plans_problem problem = *t->problem;
    struct rk_change change = {.kind = more ? RK_CHANGE_LARGER_BATCH : RK_CHANGE_SMALLER_BATCH,
                               .tier = -1,
                               .from = (double)now};
    const int most = is_slow(t) ? FEW_SIZES : more ? MOST_DOUBLINGS : MOST_HALVINGS;
    uint64_t fails = now;
    for (int i = 0; i < most && !change.helps; i++) {
        problem.base.batch = more ? 2 * fails : fails / 2;
        if (!problem.base.batch || problem.base.batch > UINT64_C(1) << 50 || aim_stopped(t->aim))
            break;
        change.to = (double)problem.base.batch;
        change.helps = find_sized(t, &problem, &change.found);
        if (!change.helps) fails = problem.base.batch;
    }
    if (change.helps && !rk_answerer(problem.base.framework)->layers)
        approach(t, &problem, fails, &change);
    if (more || now > 1) report(t, &change);
}

/* ---- all of them ---- */

static void try_sizes(const struct tries *t)
{
    const struct rk_system *system = t->problem->system;
    for (int more = 0; more < 2; more++)
        for (int i = 0; i < aim_clusters(system) && !aim_stopped(t->aim); i++)
            if (system->machine)
                try_nodes(t, i, more);
            else
                try_gpus(t, more);
    for (int more = 0; more < 2 && !aim_stopped(t->aim); more++)
        try_batch(t, more);
}

static void try_hardware(const struct tries *t, int cluster)
{
    const struct rk_system *system = rk_system_of(t->problem->system, cluster);
    const bool several = t->problem->system->machine != NULL;
    for (int tier = 0; tier < system->memories && !aim_stopped(t->aim); tier++)
        if (several)
            try_memory_of(t, cluster, tier);
        else
            try_memory(t, tier);
    if (system->memories == 1 && !several && !aim_stopped(t->aim)) try_added_memory(t);
    for (int tier = 0; tier < system->networks && !aim_stopped(t->aim); tier++)
        try_network(t, cluster, tier);
}

void rk_changes(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                void (*take)(void *context, const struct rk_change *change), void *context)
{
    const struct tries t = {problem, aim, take, context};
    for (int i = 0; i < aim_clusters(problem->system); i++)
        try_hardware(&t, i);
    for (int axis = 0; axis < RK_PLAN_AXES && !aim_stopped(aim); axis++)
        if (problem->pinned[axis].count) try_restriction(&t, (enum rk_plan_axis)axis);
    if (!aim_stopped(aim)) try_unstartable(&t);
    if (!(aim->samples_per_s > 0)) try_sizes(&t);
}
