#include "cli/search_why.h"

#include "base/units.h"
#include "cli/describe.h"
#include "cli/search_answer.h"

#include <math.h>
#include <string.h>

#define WORTH_IT 1.01 /* of the best rate: what a change must bring when something fits already */

/* ---- what a strategy takes of a limit, as an expression of select.h ---- */

enum { EXPRESSION_SIZE = 1024, SELECTED = 1024 };

static void memory_need(const struct rk_system *system, int tier, char text[EXPRESSION_SIZE])
{
    if (tier == 0)
        snprintf(text, EXPRESSION_SIZE, "hbm_bytes");
    else if (system->memories == 2)
        snprintf(text, EXPRESSION_SIZE, "offload_bytes");
    else /* as rk_tier_bytes() */
        snprintf(text, EXPRESSION_SIZE,
                 "((weight_offload == %d) * weight_bytes"
                 " + (activation_offload == %d and checkpoint_bytes == 0) * activation_bytes"
                 " + (activation_offload == %d) * checkpoint_bytes"
                 " + (optimizer_offload == %d) * (weight_grad_reduced_bytes + optimizer_bytes))",
                 tier, tier, tier, tier);
}

/* The ranks of all parallelisms on a tier: their product. */
static void network_need(int tier, char text[EXPRESSION_SIZE])
{
    snprintf(text, EXPRESSION_SIZE,
             "((tensor_network == %d) * (tensor - 1) + 1)"
             " * ((pipeline_network == %d) * (pipeline - 1) + 1)"
             " * ((data_network == %d) * (data - 1) + 1)",
             tier, tier, tier);
}

/* ---- the same system without one limit ---- */

static void lift(struct rk_system *system, uint64_t ranks, enum search_limit limit, int tier)
{
    if (limit == LIMIT_MEMORY) {
        system->memory[tier].capacity_bytes = INFINITY;
        return;
    }
    struct rk_network *network = &system->network[tier];
    if (network->size < ranks) network->size = ranks;
    network->must_be_filled = false;
}

/* What fits without the limit and counts does not fit with it, or something would count already.
 * Returns NULL when everything counts. */
static const char *write_condition(const struct search_aim *aim, char text[EXPRESSION_SIZE])
{
    const char *where = aim->search->args->where;
    size_t used = 0;
    if (aim->rate == 0) return where;
    if (where) used += (size_t)snprintf(text, EXPRESSION_SIZE, "(%.900s) and ", where);
    snprintf(text + used, EXPRESSION_SIZE - used, "samples_per_s > %.17g", aim->rate);
    return text;
}

/* What the strategy takes of the limit. */
static double need_of(const struct rk_strategy *s, const struct rk_estimate *e,
                      enum search_limit limit, int tier)
{
    double need = 0;
    if (limit == LIMIT_MEMORY) {
        for (int i = 0; i < RK_CATEGORIES; i++)
            need += rk_tier_bytes(e, s, tier, (enum rk_category)i);
        return need;
    }
    need = 1;
    if (s->tensor_network == tier) need *= (double)s->tensor;
    if (s->pipeline_network == tier) need *= (double)s->pipeline;
    if (s->data_network == tier) need *= (double)s->data;
    return need;
}

/* Of strategies that need the same, the fastest. */
static int take_misses(const struct rk_problem *without, const struct rk_space *space,
                       const struct rk_answer *selection, enum search_limit limit, int tier,
                       struct search_miss missed[SEARCH_MISSES])
{
    int count = 0;
    for (uint64_t i = 0; i < selection->found; i++) {
        struct search_miss miss;
        rk_space_strategy(space, selection->best[i].index, &miss.strategy);
        rk_estimate(without->model, without->system, &miss.strategy, &miss.estimate);
        miss.need = need_of(&miss.strategy, &miss.estimate, limit, tier);
        struct search_miss *last = &missed[count ? count - 1 : 0];
        if (count == 0 || miss.need != last->need) {
            if (count == SEARCH_MISSES) break;
            missed[count++] = miss;
        } else if (miss.estimate.samples_per_s > last->estimate.samples_per_s) {
            *last = miss;
        }
    }
    return count;
}

int search_misses(const struct search_aim *aim, const struct rk_problem *problem,
                  enum search_limit limit, int tier, struct search_miss missed[SEARCH_MISSES])
{
    char need[EXPRESSION_SIZE], where[EXPRESSION_SIZE];
    struct rk_system lifted = {0};
    struct rk_error error;
    struct rk_answer selection = {.found = 0};
    if (rk_system_copy(&lifted, problem->system, &error) != RK_OK) return 0;
    if (limit == LIMIT_MEMORY)
        memory_need(&lifted, tier, need);
    else
        network_need(tier, need);
    lift(&lifted, problem->ranks, limit, tier);
    struct rk_problem without = *problem;
    without.system = &lifted;
    const struct rk_query query = {.where = write_condition(aim, where),
                                   .sort = need,
                                   .top = SELECTED,
                                   .threads = (int)aim->search->args->threads};
    struct rk_space *space = rk_space_open(&without, &error);
    int count = 0;
    if (space && rk_ask(space, &query, &selection, &error) == RK_OK)
        count = take_misses(&without, space, &selection, limit, tier, missed);
    rk_answer_release(&selection);
    rk_space_close(space);
    rk_system_release(&lifted);
    return count;
}

bool search_admits(const struct search_aim *aim, const struct rk_problem *problem,
                   struct search_best *best)
{
    return search_find_best(problem, aim->search->args, best) &&
           best->estimate.samples_per_s > aim->rate;
}

/* ---- the table of misses ---- */

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "limit"},
    {.name = "tier"},
    {.name = "name"},
    {.name = "need"},
    {.name = "have"},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4},
};
static const struct report_column text_columns[] = {
    {.name = "refused by"},
    {.name = "needs"},
    {.name = "has"},
    {.name = "lacks"},
    {.name = "step", .unit = "s", .digits = 4},
    {.name = "strategy"},
};
/* clang-format on */

enum { MISS_COLUMNS = sizeof columns / sizeof *columns };

struct miss_tables {
    struct report *report;
    struct report_table *all, *text;
    const struct search_aim *aim;
};

static void add_text_row(const struct miss_tables *t, enum search_limit limit, int tier,
                         const struct search_miss *miss, double have)
{
    const struct rk_system *system = t->aim->search->system;
    char need[QUANTITY_TEXT], has[QUANTITY_TEXT], lack[QUANTITY_TEXT];
    struct report *report = t->report;
    struct report_cell cells[6] = {[4] = cell_number(miss->estimate.step_s),
                                   [5] = cell_text(search_plan_text(report, &miss->strategy))};
    if (limit == LIMIT_MEMORY) {
        cells[0] = cell_text(memory_name(report, system, tier));
        quantity_format(need, QUANTITY_BYTES, miss->need);
        quantity_format(has, QUANTITY_BYTES, have);
        quantity_format(lack, QUANTITY_BYTES, miss->need - have);
    } else {
        cells[0] = cell_text(network_name(report, system, tier));
        snprintf(need, sizeof need, "%.0f ranks", miss->need);
        snprintf(has, sizeof has, "%.0f", have);
        snprintf(lack, sizeof lack, miss->need > have ? "%.0f" : "not filled", miss->need - have);
    }
    cells[1] = cell_text(report_text(report, "%s", need));
    cells[2] = cell_text(report_text(report, "%s", has));
    cells[3] = cell_text(report_text(report, "%s", lack));
    report_row(report, t->text, cells);
}

static void add_row(const struct miss_tables *t, enum search_limit limit, int tier,
                    const struct search_miss *miss)
{
    const struct rk_system *system = t->aim->search->system;
    const bool memory = limit == LIMIT_MEMORY;
    const double have =
        memory ? system->memory[tier].capacity_bytes : (double)system->network[tier].size;
    struct report_cell cells[MISS_COLUMNS + STRATEGY_COLUMNS] = {
        cell_text(memory ? "memory" : "network"),
        cell_count((uint64_t)tier),
        cell_text(memory ? system->memory[tier].name : system->network[tier].name),
        cell_number(miss->need),
        cell_number(have),
        cell_number(miss->estimate.step_s),
    };
    strategy_cells(&miss->strategy, cells + MISS_COLUMNS);
    report_row(t->report, t->all, cells);
    add_text_row(t, limit, tier, miss, have);
}

/* Rows for one limit; returns how many. */
static int add_misses(const struct miss_tables *t, enum search_limit limit, int tier)
{
    struct search_miss missed[SEARCH_MISSES];
    if (progress_stopped()) return 0;
    const int count = search_misses(t->aim, &t->aim->search->problem, limit, tier, missed);
    for (int i = 0; i < count; i++)
        add_row(t, limit, tier, &missed[i]);
    return count;
}

static void fill_misses(struct report *report, const struct search_aim *aim)
{
    const struct rk_system *system = aim->search->system;
    struct report_column *all =
        report_alloc(report, (MISS_COLUMNS + STRATEGY_COLUMNS) * sizeof *all);
    if (!all) return;
    memcpy(all, columns, sizeof columns);
    strategy_columns(all + MISS_COLUMNS);
    const char *title = aim->rate > 0
                            ? "Faster strategies that one limit alone refuses, the least miss first"
                            : "The strategies that miss by least: one limit alone refuses them";
    struct miss_tables tables = {.report = report, .aim = aim};
    tables.all =
        report_add(report, &(struct report_table){.name = "misses",
                                                  .formats = REPORT_IN_JSON,
                                                  .columns = all,
                                                  .column_count = MISS_COLUMNS + STRATEGY_COLUMNS});
    tables.text = report_add(
        report, &(struct report_table){.title = title,
                                       .formats = REPORT_IN_TEXT,
                                       .columns = text_columns,
                                       .column_count = sizeof text_columns / sizeof *text_columns});
    int count = 0;
    for (int tier = 0; tier < system->memories; tier++)
        count += add_misses(&tables, LIMIT_MEMORY, tier);
    for (int tier = 0; tier < system->networks; tier++)
        count += add_misses(&tables, LIMIT_NETWORK, tier);
    if (count || !tables.text) return;
    tables.text->formats = 0;
    if (aim->search->result.counts.total == 0) return;
    report_note(report, "");
    report_note(report, aim->rate > 0 ? "No faster strategy is refused by one limit alone."
                                      : "Every strategy is refused by more than one limit.");
}

void search_why_fill(struct report *report, const struct search *search)
{
    struct search_aim aim = {.search = search, .rate = 0};
    struct search_best best;
    if (search_find_best(&search->problem, search->args, &best))
        aim.rate = WORTH_IT * best.estimate.samples_per_s;
    fill_misses(report, &aim);
    if (!progress_stopped()) search_changes_fill(report, &aim);
}
