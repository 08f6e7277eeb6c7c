/* why.c - which limits keep plans out, and what single change would let one in. */
#include "base/units.h"
#include "cli/describe.h"
#include "cli/questions.h"

#include <inttypes.h>

#define WORTH_IT 1.01 /* of the best rate: what a change must bring when something fits already */

static const char *plan_words_of(struct report *report, const struct rk_plan *plan)
{
    char words[RK_PLAN_TEXT];
    rk_plan_text(plan, words, sizeof words);
    return report_text(report, "%s", words);
}

static const char *bytes_text(struct report *report, double bytes)
{
    char text[QUANTITY_TEXT];
    return report_text(report, "%s", quantity_format(text, QUANTITY_BYTES, bytes));
}

static const char *or_null(const char *name)
{
    return *name ? name : NULL;
}

/* One table for programs, one for people. */
struct tables {
    struct report *report;
    const struct rk_plans_problem *problem;
    struct report_table *all, *text;
};

static void open_tables(struct tables *t, const char *name, const struct report_column *all,
                        int all_count, const char *title, const struct report_column *text,
                        int text_count)
{
    t->all = report_list(t->report, name, NULL, REPORT_IN_JSON, all, all_count);
    t->text = report_list(t->report, NULL, title, REPORT_IN_TEXT, text, text_count);
}

/* ---- misses ---- */

/* clang-format off */
static const struct report_column miss_columns[] = {
    {.name = "limit"},
    {.name = "tier"},
    {.name = "name"},
    {.name = "need"},
    {.name = "have"},
    {.name = "headroom"},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4},
    {.name = "plan"},
};
static const struct report_column miss_text[] = {
    {.name = "constraint"},
    {.name = "needs"},
    {.name = "has"},
    {.name = "headroom"},
    {.name = "lacks"},
    {.name = "step", .unit = "s", .digits = 4},
    {.name = "plan"},
};
/* clang-format on */

enum {
    MISS_COLUMNS = sizeof miss_columns / sizeof *miss_columns,
    MISS_TEXT = sizeof miss_text / sizeof *miss_text
};

static void add_miss(const struct tables *t, enum rk_limit limit, int tier,
                     const struct rk_miss *miss)
{
    struct report *report = t->report;
    const struct rk_system *system = t->problem->system;
    const bool memory = limit == RK_LIMIT_MEMORY;
    const double lack = miss->need + miss->free - miss->have;
    const struct report_cell step = cell_number(miss->found.outcome.step_s);
    const struct report_cell plan = cell_text(plan_words_of(report, &miss->found.plan));
    const char *ranks = lack > 0 ? report_text(report, "%.0f", lack) : "not filled";
    REPORT_ROW(report, t->all, cell_text(memory ? "memory" : "network"), cell_count((uint64_t)tier),
               cell_text(or_null(memory ? system->memory[tier].name : system->network[tier].name)),
               cell_number(miss->need), cell_number(miss->have),
               memory ? cell_number(miss->free) : cell_none(), step, plan);
    REPORT_ROW(report, t->text,
               cell_text((memory ? memory_name : network_name)(report, system, tier)),
               cell_text(memory ? bytes_text(report, miss->need)
                                : report_text(report, "%.0f ranks", miss->need)),
               cell_text(memory ? bytes_text(report, miss->have)
                                : report_text(report, "%.0f", miss->have)),
               cell_text(miss->free > 0 ? bytes_text(report, miss->free) : NULL),
               cell_text(memory ? bytes_text(report, lack) : ranks), step, plan);
}

static int add_misses(const struct tables *t, const struct rk_aim *aim, enum rk_limit limit,
                      int tier)
{
    struct rk_miss missed[RK_MISSES];
    if (aim->stop && aim->stop(aim->context)) return 0;
    const int count = rk_misses(t->problem, aim, limit, tier, missed);
    for (int i = 0; i < count; i++)
        add_miss(t, limit, tier, &missed[i]);
    return count;
}

static void print_misses(struct report *report, const struct rk_plans_problem *problem,
                         const struct rk_aim *aim)
{
    struct tables t = {.report = report, .problem = problem};
    const bool faster = aim->samples_per_s > 0;
    int count = 0;
    open_tables(&t, "misses", miss_columns, MISS_COLUMNS,
                faster ? "Closest faster plans that one constraint refuses"
                       : "Closest infeasible plans (one constraint each)",
                miss_text, MISS_TEXT);
    for (int tier = 0; tier < problem->system->memories; tier++)
        count += add_misses(&t, aim, RK_LIMIT_MEMORY, tier);
    for (int tier = 0; tier < problem->system->networks; tier++)
        count += add_misses(&t, aim, RK_LIMIT_NETWORK, tier);
    if (count || !t.text) return;
    t.text->formats = 0;
    report_note(report, "");
    report_note(report, faster ? "No faster plan violates only one constraint."
                               : "No plan violates only one constraint.");
}

/* ---- changes ---- */

/* clang-format off */
static const struct report_column change_columns[] = {
    {.name = "change"},
    {.name = "cluster"},
    {.name = "tier"},
    {.name = "name"},
    {.name = "helps"},
    {.name = "from"},
    {.name = "to"},
    {.name = "step_s"},
    {.name = "samples_per_s"},
    {.name = "plan"},
};
static const struct report_column change_text[] = {
    {.name = "change"},
    {.name = "step", .unit = "s", .digits = 4},
    {.name = "samples/s", .digits = 5},
    {.name = "plan"},
};
/* clang-format on */

enum {
    CHANGE_COLUMNS = sizeof change_columns / sizeof *change_columns,
    CHANGE_TEXT = sizeof change_text / sizeof *change_text
};

/* "new: HBM", of several clusters. */
static const char *of_cluster(const struct tables *t, const struct rk_change *c, const char *what)
{
    const struct rk_machine *machine = t->problem->system->machine;
    return machine ? report_text(t->report, "%s: %s", machine->cluster[c->cluster].name, what)
                   : what;
}

static const char *memory_sentence(const struct tables *t, const struct rk_change *c)
{
    const struct rk_system *system = rk_system_of(t->problem->system, c->cluster);
    const char *name = of_cluster(t, c, memory_name(t->report, system, c->tier));
    if (!c->helps) return report_text(t->report, "more of %s: no amount helps", name);
    return report_text(t->report, "%s more of %s: %s instead of %s",
                       bytes_text(t->report, c->to - c->from), name, bytes_text(t->report, c->to),
                       bytes_text(t->report, c->from));
}

static const char *added_sentence(const struct tables *t, const struct rk_change *c)
{
    char rate[QUANTITY_TEXT];
    quantity_format(rate, QUANTITY_BYTES_PER_S, RK_ADDED_TIER_BPS);
    if (!c->helps) return report_text(t->report, "a second memory tier at %s: no size helps", rate);
    return report_text(t->report, "a second memory tier of %s at %s", bytes_text(t->report, c->to),
                       rate);
}

static const char *network_sentence(const struct tables *t, const struct rk_change *c)
{
    const struct rk_system *system = rk_system_of(t->problem->system, c->cluster);
    const char *name = of_cluster(t, c, network_name(t->report, system, c->tier));
    if (!c->helps) return report_text(t->report, "a larger domain of %s: no size helps", name);
    return report_text(t->report, "a larger domain of %s: %.0f ranks instead of %.0f", name, c->to,
                       c->from);
}

static const char *restriction_sentence(const struct tables *t, const struct rk_change *c)
{
    char value[RK_PLAN_AXIS_TEXT];
    const char *name = rk_plan_axis_info(c->axis)->name;
    if (!c->helps) return report_text(t->report, "without --%s: does not help", name);
    return report_text(
        t->report, "without --%s: %s %s", name, name,
        rk_plan_axis_text(c->axis, rk_plan_axis_get(&c->found.plan, c->axis), value));
}

static const char *start_sentence(const struct tables *t, const struct rk_change *c)
{
    const char *framework = rk_framework_name(t->problem->base.framework);
    return report_text(t->report,
                       c->helps ? "--unstartable, plans that %s cannot start by itself"
                                : "plans that %s cannot start: none helps",
                       framework);
}

static const char *size_sentence(const struct tables *t, const struct rk_change *c)
{
    static const char *const sizes[RK_CHANGE_KINDS] = {
        [RK_CHANGE_FEWER_GPUS] = "fewer GPUs",
        [RK_CHANGE_MORE_GPUS] = "more GPUs",
        [RK_CHANGE_SMALLER_BATCH] = "a smaller batch",
        [RK_CHANGE_LARGER_BATCH] = "a larger batch",
    };
    const bool batch = c->kind == RK_CHANGE_SMALLER_BATCH || c->kind == RK_CHANGE_LARGER_BATCH;
    const char *size = batch ? sizes[c->kind] : of_cluster(t, c, sizes[c->kind]);
    if (!c->helps) return report_text(t->report, "%s: none that was tried helps", size);
    return report_text(t->report, "%s: %.0f instead of %.0f", size, c->to, c->from);
}

static const char *(*const sentences[RK_CHANGE_KINDS])(const struct tables *,
                                                       const struct rk_change *) = {
    [RK_CHANGE_MEMORY] = memory_sentence,     [RK_CHANGE_ADDED_MEMORY] = added_sentence,
    [RK_CHANGE_NETWORK] = network_sentence,   [RK_CHANGE_RESTRICTION] = restriction_sentence,
    [RK_CHANGE_START] = start_sentence,       [RK_CHANGE_FEWER_GPUS] = size_sentence,
    [RK_CHANGE_MORE_GPUS] = size_sentence,    [RK_CHANGE_SMALLER_BATCH] = size_sentence,
    [RK_CHANGE_LARGER_BATCH] = size_sentence,
};

static const char *name_of(const struct rk_plans_problem *p, const struct rk_change *c)
{
    const struct rk_system *system = rk_system_of(p->system, c->cluster);
    if (c->kind == RK_CHANGE_MEMORY) return or_null(system->memory[c->tier].name);
    if (c->kind == RK_CHANGE_NETWORK) return or_null(system->network[c->tier].name);
    return c->kind == RK_CHANGE_RESTRICTION ? rk_plan_axis_info(c->axis)->name : NULL;
}

static bool is_of_cluster(enum rk_change_kind kind)
{
    return kind == RK_CHANGE_MEMORY || kind == RK_CHANGE_NETWORK || kind == RK_CHANGE_FEWER_GPUS ||
           kind == RK_CHANGE_MORE_GPUS;
}

static void add_change(void *context, const struct rk_change *c)
{
    const struct tables *t = context;
    const struct rk_machine *machine = t->problem->system->machine;
    const bool sized = c->kind != RK_CHANGE_RESTRICTION && c->kind != RK_CHANGE_START;
    const struct report_cell step = c->helps ? cell_number(c->found.outcome.step_s) : cell_none();
    const struct report_cell rate =
        c->helps ? cell_number(c->found.outcome.samples_per_s) : cell_none();
    const struct report_cell plan =
        c->helps ? cell_text(plan_words_of(t->report, &c->found.plan)) : cell_none();
    REPORT_ROW(t->report, t->all, cell_text(rk_change_name(c->kind)),
               machine && is_of_cluster(c->kind) ? cell_text(machine->cluster[c->cluster].name)
                                                 : cell_none(),
               c->tier < 0 ? cell_none() : cell_count((uint64_t)c->tier),
               cell_text(name_of(t->problem, c)), cell_flag(c->helps),
               sized ? cell_number(c->from) : cell_none(),
               sized && c->helps ? cell_number(c->to) : cell_none(), step, rate, plan);
    REPORT_ROW(t->report, t->text, cell_text(sentences[c->kind](t, c)), step, rate, plan);
}

void print_why(struct report *report, const struct rk_plans_problem *problem,
               const struct rk_aim *aim)
{
    struct tables t = {.report = report, .problem = problem};
    struct rk_aim better = *aim;
    struct rk_found best;
    if (rk_find(problem, aim, &best)) better.samples_per_s = WORTH_IT * best.outcome.samples_per_s;
    if (!problem->system->machine) print_misses(report, problem, &better);
    if (aim->stop && aim->stop(aim->context)) return;
    open_tables(&t, "changes", change_columns, CHANGE_COLUMNS,
                better.samples_per_s > 0
                    ? "Single changes that make a plan with 1 % more samples per second feasible"
                    : "Single changes that make a plan feasible",
                change_text, CHANGE_TEXT);
    rk_changes(problem, &better, add_change, &t);
}
