/* search_change.c - single changes that would admit a plan: each one made in a copy of the problem
 * and searched. */
#include "base/units.h"
#include "cli/describe.h"
#include "cli/search_answer.h"
#include "cli/search_why.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ADDED_TIER_BPS 100e9 /* of a second memory tier, where there is none */

/* ---- the table ---- */

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "change"},
    {.name = "tier"},
    {.name = "name"},
    {.name = "helps"},
    {.name = "from"},
    {.name = "to"},
    {.name = "step_s"},
    {.name = "samples_per_s"},
};
static const struct report_column text_columns[] = {
    {.name = "change"},
    {.name = "step", .unit = "s", .digits = 4},
    {.name = "samples/s", .digits = 5},
    {.name = "plan"},
};
/* clang-format on */

enum { CHANGE_COLUMNS = sizeof columns / sizeof *columns };

struct changes {
    struct report *report;
    const struct search_aim *aim;
    const struct rk_problem *problem;
    struct report_table *all, *text;
};

struct change {
    const char *kind; /* "memory", "network", "gpus", "batch", "restriction" */
    int tier;         /* -1: none */
    const char *name;
    double from, to; /* NaN: none */
    const char *sentence;
};

/* `best` NULL: the change does not help. */
static void add_change(const struct changes *c, const struct change *change,
                       const struct search_best *best)
{
    struct report_cell cells[CHANGE_COLUMNS + STRATEGY_COLUMNS] = {
        cell_text(change->kind),
        change->tier < 0 ? cell_none() : cell_count((uint64_t)change->tier),
        cell_text(change->name),
        cell_flag(best != NULL),
        isnan(change->from) ? cell_none() : cell_number(change->from),
        best && !isnan(change->to) ? cell_number(change->to) : cell_none(),
        best ? cell_number(best->estimate.step_s) : cell_none(),
        best ? cell_number(best->estimate.samples_per_s) : cell_none(),
    };
    if (best) strategy_cells(&best->strategy, cells + CHANGE_COLUMNS);
    report_row(c->report, c->all, cells);
    report_row(c->report, c->text,
               (const struct report_cell[]){
                   cell_text(change->sentence), cells[6], cells[7],
                   best ? cell_text(search_plan_text(c->report, &best->strategy)) : cell_none()});
}

/* ---- memory ---- */

static void try_memory(const struct changes *c, int tier)
{
    const struct rk_system *now = c->problem->system;
    const double have = now->memory[tier].capacity_bytes;
    const char *name = memory_name(c->report, now, tier);
    struct change change = {"memory", tier, now->memory[tier].name, have, NAN, NULL};
    struct search_miss missed[SEARCH_MISSES];
    struct rk_system system = {0};
    struct rk_problem problem = *c->problem;
    struct search_best best;
    struct rk_error error;
    char from[QUANTITY_TEXT], to[QUANTITY_TEXT], more[QUANTITY_TEXT];
    if (isinf(have)) return;
    if (search_misses(c->aim, c->problem, LIMIT_MEMORY, tier, missed) > 0 &&
        rk_system_copy(&system, now, &error) == RK_OK) {
        change.to = system.memory[tier].capacity_bytes = missed[0].need;
        problem.system = &system;
        if (search_admits(c->aim, &problem, &best)) {
            change.sentence = report_text(c->report, "%s more of %s: %s instead of %s",
                                          quantity_format(more, QUANTITY_BYTES, change.to - have),
                                          name, quantity_format(to, QUANTITY_BYTES, change.to),
                                          quantity_format(from, QUANTITY_BYTES, have));
            add_change(c, &change, &best);
        }
    }
    if (!change.sentence) {
        change.sentence = report_text(c->report, "more of %s: no amount helps", name);
        add_change(c, &change, NULL);
    }
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
                                .bandwidth_Bps = ADDED_TIER_BPS,
                                .curve = {.steps = 1, .step = {{.from = 0, .efficiency = 1}}}};
    rk_curve_set_peak(&added->curve, ADDED_TIER_BPS);
    return true;
}

/* The least that a plan takes of a tier that was not there. */
static bool least_added(const struct changes *c, struct rk_problem *problem,
                        struct rk_system *system, struct search_best *best)
{
    struct search_miss missed[SEARCH_MISSES];
    struct rk_error error;
    if (rk_system_copy(system, c->problem->system, &error) != RK_OK || !add_tier(system))
        return false;
    const int tier = system->memories - 1;
    problem->system = system;
    system->memory[tier].capacity_bytes = 0; /* what fits then needs no such tier */
    if (search_misses(c->aim, problem, LIMIT_MEMORY, tier, missed) == 0) return false;
    system->memory[tier].capacity_bytes = missed[0].need;
    return search_admits(c->aim, problem, best);
}

static void try_added_memory(const struct changes *c)
{
    struct change change = {"added_memory", 1, NULL, 0, NAN, NULL};
    struct rk_system system = {0};
    struct rk_problem problem = *c->problem;
    struct search_best best;
    char size[QUANTITY_TEXT], rate[QUANTITY_TEXT];
    quantity_format(rate, QUANTITY_BYTES_PER_S, ADDED_TIER_BPS);
    const bool helps = least_added(c, &problem, &system, &best);
    if (helps) {
        change.to = system.memory[1].capacity_bytes;
        change.sentence = report_text(c->report, "a second memory tier of %s at %s",
                                      quantity_format(size, QUANTITY_BYTES, change.to), rate);
    } else {
        change.sentence = report_text(c->report, "a second memory tier at %s: no size helps", rate);
    }
    add_change(c, &change, helps ? &best : NULL);
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

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort(struct candidates *list)
{
    int kept = 0;
    qsort(list->value, (size_t)list->count, sizeof *list->value, ascending);
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

static bool find_size(const struct changes *c, int tier, struct rk_problem *problem,
                      struct rk_system *system, struct search_best *best)
{
    struct candidates list;
    struct search_miss missed[SEARCH_MISSES];
    struct rk_error error;
    if (search_misses(c->aim, c->problem, LIMIT_NETWORK, tier, missed) == 0) return false;
    if (rk_system_copy(system, c->problem->system, &error) != RK_OK) return false;
    problem->system = system;
    list_sizes(&list, problem->ranks, system->network[tier].size);
    for (int i = 0; i < list.count && !progress_stopped(); i++) {
        system->network[tier].size = list.value[i];
        if (search_admits(c->aim, problem, best)) return true;
    }
    return false;
}

static void try_network(const struct changes *c, int tier)
{
    const struct rk_network *network = &c->problem->system->network[tier];
    const char *name = network_name(c->report, c->problem->system, tier);
    struct change change = {"network", tier, network->name, (double)network->size, NAN, NULL};
    struct rk_system system = {0};
    struct rk_problem problem = *c->problem;
    struct search_best best;
    if (network->size >= c->problem->ranks && !network->must_be_filled) return;
    const bool helps = find_size(c, tier, &problem, &system, &best);
    if (helps) {
        change.to = (double)system.network[tier].size;
        change.sentence =
            report_text(c->report, "a larger domain of %s: %.0f ranks instead of %.0f", name,
                        change.to, change.from);
    } else {
        change.sentence = report_text(c->report, "a larger domain of %s: no size helps", name);
    }
    add_change(c, &change, helps ? &best : NULL);
    rk_system_release(&system);
}

/* ---- fewer or more GPUs ---- */

enum { NODES_NEARBY = 16, MOST_DOUBLINGS = 10 };

/* The nearest numbers of whole nodes, and eighths between doublings beyond. */
static void list_more_gpus(struct candidates *list, const struct rk_problem *p)
{
    const uint64_t node = p->system->network[0].size;
    const uint64_t most = p->system->devices ? p->system->devices : UINT64_C(1) << 40;
    *list = (struct candidates){.count = 0};
    for (uint64_t i = 1; i <= NODES_NEARBY; i++)
        offer(list, p->ranks / node * node + i * node, p->ranks + 1, most);
    for (uint64_t factor = 1, k = 0; k < MOST_DOUBLINGS; k++, factor *= 2)
        for (uint64_t eighths = 8; eighths <= 16; eighths++)
            if (p->ranks * factor * eighths % 8 == 0)
                offer(list, p->ranks * factor * eighths / 8, p->ranks + 1, most);
    sort(list);
}

static void list_fewer_gpus(struct candidates *list, const struct rk_problem *p)
{
    const uint64_t node = p->system->network[0].size;
    *list = (struct candidates){.count = 0};
    for (uint64_t i = 0; i <= NODES_NEARBY && i * node < p->ranks; i++)
        offer(list, (p->ranks - i * node) / node * node, 1, p->ranks - 1);
    offer_divisors(list, p->ranks, 1, p->ranks - 1);
    sort(list);
}

static void add_sized(const struct changes *c, const char *kind, const char *what, uint64_t from,
                      uint64_t to, const struct search_best *best)
{
    struct change change = {kind, -1, NULL, (double)from, (double)to, NULL};
    if (best)
        change.sentence =
            report_text(c->report, "%s: %" PRIu64 " instead of %" PRIu64, what, to, from);
    else
        change.sentence = report_text(c->report, "%s: none that was tried helps", what);
    add_change(c, &change, best);
}

/* The candidate nearest to the ranks there are. */
static void try_gpus(const struct changes *c, bool more)
{
    struct candidates list;
    struct rk_problem problem = *c->problem;
    struct search_best best;
    bool helps = false;
    if (more)
        list_more_gpus(&list, c->problem);
    else
        list_fewer_gpus(&list, c->problem);
    for (int i = 0; i < list.count && !helps && !progress_stopped(); i++) {
        problem.ranks = list.value[more ? i : list.count - 1 - i];
        helps = search_admits(c->aim, &problem, &best);
    }
    if (list.count == 0) return;
    add_sized(c, more ? "more_gpus" : "fewer_gpus", more ? "more GPUs" : "fewer GPUs",
              c->problem->ranks, problem.ranks, helps ? &best : NULL);
}

/* ---- another batch ---- */

/* Between a batch that admits a plan and one that does not, the former as near to the latter as
 * halving finds. */
static void approach(const struct changes *c, struct rk_problem *problem, uint64_t fails,
                     struct search_best *best)
{
    uint64_t admits = problem->max_batch;
    struct search_best found;
    while ((admits > fails ? admits - fails : fails - admits) > 1 && !progress_stopped()) {
        problem->max_batch = admits / 2 + fails / 2 + (admits & fails & 1);
        if (search_admits(c->aim, problem, &found)) {
            admits = problem->max_batch;
            *best = found;
        } else {
            fails = problem->max_batch;
        }
    }
    problem->max_batch = admits;
}

static void try_batch(const struct changes *c, bool more)
{
    const uint64_t now = c->problem->max_batch;
    struct rk_problem problem = *c->problem;
    struct search_best best;
    uint64_t fails = now;
    bool helps = false;
    for (int i = 0; i < (more ? MOST_DOUBLINGS : 64) && !helps && !progress_stopped(); i++) {
        problem.max_batch = more ? 2 * fails : fails / 2;
        if (problem.max_batch == 0 || problem.max_batch > UINT64_C(1) << 50) break;
        helps = search_admits(c->aim, &problem, &best);
        if (!helps) fails = problem.max_batch;
    }
    if (helps) approach(c, &problem, fails, &best);
    if (!more && now == 1) return;
    add_sized(c, more ? "larger_batch" : "smaller_batch",
              more ? "a larger batch" : "a smaller batch", now, problem.max_batch,
              helps ? &best : NULL);
}

/* ---- without a restriction ---- */

static void try_restriction(const struct changes *c, enum rk_axis axis)
{
    struct rk_problem problem = *c->problem;
    struct search_best best;
    problem.pinned[axis].count = 0;
    const bool helps = search_admits(c->aim, &problem, &best);
    char value[24];
    const char *name = rk_axis(axis)->name;
    const struct change change = {
        "restriction",
        -1,
        name,
        NAN,
        NAN,
        helps ? report_text(c->report, "without --%s: %s %s", name, name,
                            axis_text(&best.strategy, axis, value))
              : report_text(c->report, "without --%s: does not help", name)};
    add_change(c, &change, helps ? &best : NULL);
}

/* ---- all of them ---- */

static void try_all(const struct changes *c)
{
    const struct rk_system *system = c->problem->system;
    for (int tier = 0; tier < system->memories && !progress_stopped(); tier++)
        try_memory(c, tier);
    if (system->memories == 1) try_added_memory(c);
    for (int tier = 0; tier < system->networks && !progress_stopped(); tier++)
        try_network(c, tier);
    for (int i = 0; i < RK_AXES && !progress_stopped(); i++)
        if (axis_given(&c->aim->search->args->axes, (enum rk_axis)i))
            try_restriction(c, (enum rk_axis)i);
    if (c->aim->rate > 0) return; /* steps of other sizes are not comparable */
    for (int more = 0; more < 2 && !progress_stopped(); more++)
        try_gpus(c, more);
    for (int more = 0; more < 2 && !progress_stopped(); more++)
        try_batch(c, more);
}

void search_changes_fill(struct report *report, const struct search_aim *aim)
{
    struct report_column *all =
        report_alloc(report, (CHANGE_COLUMNS + STRATEGY_COLUMNS) * sizeof *all);
    if (!all) return;
    memcpy(all, columns, sizeof columns);
    strategy_columns(all + CHANGE_COLUMNS);
    struct changes changes = {.report = report, .aim = aim, .problem = &aim->search->problem};
    changes.all = report_add(
        report, &(struct report_table){.name = "changes",
                                       .formats = REPORT_IN_JSON,
                                       .columns = all,
                                       .column_count = CHANGE_COLUMNS + STRATEGY_COLUMNS});
    changes.text = report_add(
        report,
        &(struct report_table){
            .title = aim->rate > 0
                         ? "What single change would admit a plan with 1 % more samples per second"
                         : "What single change would admit a plan",
            .formats = REPORT_IN_TEXT,
            .columns = text_columns,
            .column_count = sizeof text_columns / sizeof *text_columns});
    try_all(&changes);
}
