#include "cli/page_effects.h"

#include "base/number.h"
#include "cli/progress.h"

#include <math.h>
#include <string.h>

/* A search for each value of each axis takes too long with more plans. */
enum { MOST_VALUES = 256, MOST_PLANS = 1000000 };

static bool is_allowed(const struct rk_plans_problem *problem, enum rk_plan_axis axis,
                       uint64_t value)
{
    const int count = problem->pinned[axis].count;
    for (int i = 0; i < count; i++)
        if (value >= problem->pinned[axis].value[i] && value <= problem->pinned[axis].to[i])
            return true;
    return count == 0;
}

/* Divisors of n, ascending; those beyond the room are left out. */
static int divisors(uint64_t n, uint64_t values[MOST_VALUES])
{
    int count = 0;
    for (uint64_t d = 1; d <= n && d <= 1 << 20 && count < MOST_VALUES; d++)
        if (n % d == 0) values[count++] = d;
    return count;
}

/* Numbers up to `last`. */
static int numbers(uint64_t last, uint64_t values[MOST_VALUES])
{
    int count = 0;
    for (uint64_t value = 0; value <= last && count < MOST_VALUES; value++)
        values[count++] = value;
    return count;
}

/* Values that may occur on an axis; searching says which do. */
static int axis_values(const struct rk_plans_problem *p, enum rk_plan_axis axis,
                       uint64_t values[MOST_VALUES])
{
    const struct rk_plan_axis_info *info = rk_plan_axis_info(axis);
    int last = 0;
    if (axis == RK_PLAN_ZERO) return numbers(3, values);
    if (axis == RK_PLAN_CHUNKS) return divisors(p->model->layers, values);
    if (axis == RK_PLAN_MICROBATCH) {
        int count = 0;
        for (uint64_t b = 1; b <= p->base.batch && count < MOST_VALUES; b *= 2)
            values[count++] = b;
        return count;
    }
    switch (info->type) {
    case RK_PLAN_NUMBER:
        return divisors(p->base.ranks, values);
    case RK_PLAN_BOOL:
        return numbers(1, values);
    case RK_PLAN_CHOICE:
        while (info->choices[last])
            last++;
        break;
    case RK_PLAN_PARTS:
        values[0] = RK_RECOMPUTE_VALUE(RK_KEEP, 0);
        values[1] = RK_RECOMPUTE_VALUE(RK_SELECTIVE, 1u << RK_PART_CORE_ATTENTION);
        values[2] = RK_RECOMPUTE_VALUE(RK_WHOLE, 0);
        return 3;
    case RK_PLAN_TIER:
        last = axis < RK_PLAN_TENSOR_NETWORK ? p->system->memories : p->system->networks;
        break;
    }
    return numbers((uint64_t)last - 1, values);
}

/* The best plan that has this value; found is 0 when there is none. */
static enum rk_status search_value(const struct searched *j, enum rk_plan_axis axis, uint64_t value,
                                   struct rk_answer *result, struct rk_error *error)
{
    struct rk_plans_problem problem = j->search->search->problem;
    const struct rk_query options = {.top = 1, .threads = (int)j->search->search->args->threads};
    problem.pinned[axis].count = 1;
    problem.pinned[axis].value[0] = problem.pinned[axis].to[0] = value;
    struct rk_space *space = rk_plans_open(&problem, error);
    if (!space) return error->status == RK_BAD_ARGUMENT ? RK_OK : error->status; /* no such value */
    const enum rk_status status =
        rk_space_count(space) ? progress_ask(j->search->progress, space, &options, result, error)
                              : RK_OK;
    rk_space_close(space);
    return status;
}

static enum rk_status effect_of(const struct searched *j, struct report_table *table,
                                enum rk_plan_axis axis, struct rk_error *error)
{
    uint64_t values[MOST_VALUES];
    const int count = axis_values(&j->search->search->problem, axis, values);
    enum rk_status status = RK_OK;
    for (int i = 0; i < count && status == RK_OK; i++) {
        struct rk_answer result = {.best = NULL};
        if (!is_allowed(&j->search->search->problem, axis, values[i])) continue;
        status = search_value(j, axis, values[i], &result, error);
        const bool any = status == RK_OK && result.found;
        const double rate = any ? result.best[0].samples_per_s : 0;
        const double best_rate = j->best[0].outcome.samples_per_s;
        const char *text = page_value_text(j, axis, values[i]);
        if (status == RK_OK && result.counts.total)
            REPORT_ROW(&j->page->memory, table, cell_text(rk_plan_axis_info(axis)->name),
                       cell_text(text), any ? cell_number(rate) : cell_none(),
                       any ? cell_number(rate / best_rate) : cell_none(),
                       cell_count(result.counts.total),
                       cell_count(result.counts.verdict[RK_FITS][0]),
                       cell_text(report_text(&j->page->memory, "%s %s",
                                             rk_plan_axis_info(axis)->name, text)));
        rk_answer_release(&result);
    }
    return status;
}

/* Columns of the effects. */
enum {
    EFFECT_AXIS,
    EFFECT_VALUE,
    EFFECT_RATE,
    EFFECT_SPEED,
    EFFECT_PLANS,
    EFFECT_FITS,
    EFFECT_PAIR,
    EFFECT_COLUMNS
};

/* Is one value of the axis that begins at `first` better than another? Rows end at *last. */
static bool matters(const struct report_table *table, size_t first, size_t *last)
{
    const struct report_cell *cells = &table->cells[first * EFFECT_COLUMNS], *row = cells;
    double least = INFINITY, most = 0;
    bool all = true;
    for (*last = first;
         *last < table->rows && strcmp(row[EFFECT_AXIS].as.text, cells[EFFECT_AXIS].as.text) == 0;
         row = &table->cells[++*last * EFFECT_COLUMNS]) {
        const bool runs = row[EFFECT_SPEED].type == REPORT_NUMBER;
        all &= runs;
        if (runs) least = fmin(least, row[EFFECT_SPEED].as.number);
        if (runs) most = fmax(most, row[EFFECT_SPEED].as.number);
    }
    return !all || most - least > 1e-3;
}

/* Those of the axes that make a difference. */
static struct report_table *effects_that_matter(const struct searched *j,
                                                const struct report_table *table)
{
    struct report_table *some = page_table(j->page, table->columns, EFFECT_COLUMNS);
    for (size_t row = 0, last; row < table->rows; row = last) {
        const bool shown = matters(table, row, &last);
        for (; shown && row < last; row++)
            report_row(&j->page->memory, some, &table->cells[row * EFFECT_COLUMNS]);
    }
    return some;
}

/* Without the names of the chart's bars, the last column: they are its first two. */
static struct report_table *without_pair(const struct searched *j, const struct report_table *table)
{
    struct report_table *shown = page_table(j->page, table->columns, EFFECT_PAIR);
    for (size_t row = 0; row < table->rows; row++)
        report_row(&j->page->memory, shown, &table->cells[row * EFFECT_COLUMNS]);
    return shown;
}

enum rk_status page_effects(const struct searched *j, struct rk_error *error)
{
    static const struct report_column columns[] = {
        {.name = "axis"},
        {.name = "value"},
        {.name = "samples_per_s", .title = "samples/s", .help = "of the best one with this value"},
        {.name = "speed", .unit = "%", .help = "of the best plan of all"},
        {.name = "plans"},
        {.name = "fits", .title = "can run"},
        {.name = "pair", .title = "axis and value"},
    };
    struct report_table *table = page_table(j->page, columns, COUNT_OF(columns));
    enum rk_status status = RK_OK;
    if (j->search->search->result.counts.total > MOST_PLANS) return RK_OK;
    for (int axis = 0; axis < RK_PLAN_AXES && status == RK_OK; axis++)
        if (page_has_axis(j, (enum rk_plan_axis)axis) &&
            page_axis_says(j, (enum rk_plan_axis)axis, NULL))
            status = effect_of(j, table, (enum rk_plan_axis)axis, error);
    page_section(j->page, "axes", "The effect of each axis",
                 "For each value of an axis, the best of all plans that have it, the other "
                 "axes being free: one search each.");
    page_chart(
        j->page,
        &(struct chart){
            .id = "axes",
            .title = "Speed of the best plan with each value",
            .kind = CHART_BARS,
            .caption = "100 % is the best plan of all. Values with which nothing can run have no "
                       "bar; axes of which each value does as well stand in the table alone.",
            .source = report_text(&j->page->memory, "%s --AXIS VALUE --top 1", j->search->command),
            .table = table ? effects_that_matter(j, table) : NULL,
            .role = {[CHART_Y] = "pair", [CHART_VALUE] = "speed", [CHART_SERIES] = "axis"},
            .x = {.title = "speed"}});
    if (table) table = without_pair(j, table);
    page_show(j->page, "Numbers of the chart", table, j->search->command);
    return status;
}
