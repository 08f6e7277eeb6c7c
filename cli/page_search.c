/* The page of one search: the best, what sets them apart, memory against time, every axis. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/describe.h"
#include "cli/pages.h"
#include "cli/plan_axes.h"
#include "cli/progress.h"
#include "facts/learned.h"

#include <math.h>
#include <string.h>

/* A search for each value of each axis takes too long with more plans. */
enum { MOST_BARS = 20, MOST_VALUES = 256, MOST_PLANS = 4000000 };

/* One of the best. */
struct found {
    struct rk_plan plan;
    struct rk_outcome outcome;
};

struct job {
    struct html_page *page;
    const struct page_search *search;
    struct found *best; /* (count) */
    int count;
};

static void fetch(const struct job *j, uint64_t index, struct found *found)
{
    struct rk_prediction prediction;
    rk_plans_plan(j->search->space, index, &found->plan);
    rk_predict(j->search->problem->model, j->search->problem->system, &found->plan, &prediction);
    found->outcome = prediction.outcome;
}

static const char *text_of_value(const struct job *j, enum rk_plan_axis axis, uint64_t value)
{
    char buffer[RK_PLAN_AXIS_TEXT];
    return report_text(&j->page->memory, "%s", rk_plan_axis_text(axis, value, buffer));
}

static const char *text_of_axis(const struct job *j, const struct rk_plan *plan,
                                enum rk_plan_axis axis)
{
    return text_of_value(j, axis, rk_plan_axis_get(plan, axis));
}

static enum rk_by predictor_of(const struct job *j)
{
    return j->search->problem->base.framework == RK_CALCULON ? RK_BY_CALCULON : RK_BY_RECKON;
}

static bool has_axis(const struct job *j, enum rk_plan_axis axis)
{
    return rk_plan_axis_info(axis)->by & predictor_of(j);
}

/* Has the axis a meaning in such a plan; NULL: in any? */
static bool says(const struct job *j, enum rk_plan_axis axis, const struct rk_plan *plan)
{
    return plan_axis_says(axis, j->search->problem->model, j->search->problem->system, plan);
}

static bool varies(const struct job *j, enum rk_plan_axis axis)
{
    for (int i = 1; has_axis(j, axis) && i < j->count; i++)
        if (rk_plan_axis_get(&j->best[i].plan, axis) != rk_plan_axis_get(&j->best[0].plan, axis))
            return true;
    return false;
}

/* By how much it falls behind the best of all. */
static double slower(const struct job *j, const struct rk_outcome *estimate)
{
    return j->best[0].outcome.samples_per_s / estimate->samples_per_s - 1;
}

/* Share of runs that fitted where the plan `i` is predicted; NAN: nothing is known. */
static double chance(const struct job *j, int i)
{
    const struct rk_plans_problem *p = j->search->problem;
    return learned_fit(p->model, p->system, &j->best[i].plan, j->best[i].outcome.hbm_bytes);
}

/* ---- headline ---- */

static void cards(const struct job *j)
{
    static const struct report_column columns[] = {
        {.name = "step_s", .title = "best step", .unit = "s", .help = "time of one training step"},
        {.name = "mfu", .title = "MFU", .unit = "%", .help = "of the best plan"},
        {.name = "samples_per_s", .title = "samples/s", .help = "of the best plan"},
        {.name = "hbm_bytes",
         .title = "memory",
         .unit = "B",
         .help = "of the device, by the best plan"},
        {.name = "plans", .help = "all there are, under the restrictions of the command"},
        {.name = "fits", .title = "can run", .help = "plans that nothing refuses"},
    };
    const struct rk_search_counts *c = &j->search->result->counts;
    const struct rk_outcome none = {0}, *e = j->count ? &j->best[0].outcome : &none;
    const bool any = j->count > 0;
    const struct report_cell cells[] = {any ? cell_number(e->step_s) : cell_none(),
                                        any ? cell_number(e->mfu) : cell_none(),
                                        any ? cell_number(e->samples_per_s) : cell_none(),
                                        any ? cell_number(e->hbm_bytes) : cell_none(),
                                        cell_count(c->total),
                                        cell_count(c->verdict[RK_FITS][0])};
    struct report_table *table = page_table(j->page, columns, COUNT_OF(columns));
    report_row(&j->page->memory, table, cells);
    if (table)
        html_add(j->page,
                 &(struct html_block){HTML_CARDS, .table = table, .source = j->search->command});
}

/* ---- the best, side by side ---- */

static const struct report_column figure_columns[] = {
    {.name = "rank", .help = "by samples per second, then by the position in the enumeration"},
    {.name = "step_s", .title = "step", .unit = "s"},
    {.name = "slower", .unit = "%", .help = "than the best"},
    {.name = "samples_per_s", .title = "samples/s"},
    {.name = "mfu", .title = "MFU", .unit = "%"},
    {.name = "hbm_bytes", .title = "memory", .unit = "B"},
    {.name = "fits_share",
     .title = "fits in",
     .unit = "%",
     .help = "of measured runs whose peak was predicted so close to the memory"},
    {.name = "offload_bytes", .title = "lower tiers", .unit = "B"},
};
enum { FIGURES = COUNT_OF(figure_columns) };

static void best_table(const struct job *j)
{
    struct report *memory = &j->page->memory;
    struct report_column *columns =
        report_alloc(memory, (FIGURES + RK_PLAN_AXES) * sizeof *columns);
    struct report_cell cells[FIGURES + RK_PLAN_AXES];
    int used = FIGURES;
    if (!columns) return;
    memcpy(columns, figure_columns, sizeof figure_columns);
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        if (varies(j, (enum rk_plan_axis)axis))
            columns[used++] =
                (struct report_column){.name = rk_plan_axis_info((enum rk_plan_axis)axis)->name,
                                       .help = rk_plan_axis_info((enum rk_plan_axis)axis)->help};
    struct report_table *table = page_table(j->page, columns, used);
    for (int i = 0; i < j->count; i++) {
        const struct rk_outcome *e = &j->best[i].outcome;
        const struct report_cell figures[FIGURES] = {
            cell_count((uint64_t)i + 1),
            cell_number(e->step_s),
            cell_number(slower(j, e)),
            cell_number(e->samples_per_s),
            cell_number(e->mfu),
            cell_number(e->hbm_bytes),
            isnan(chance(j, i)) ? cell_none() : cell_number(chance(j, i)),
            e->offload_bytes > 0 ? cell_number(e->offload_bytes) : cell_none()};
        memcpy(cells, figures, sizeof figures);
        used = FIGURES;
        for (int axis = 0; axis < RK_PLAN_AXES; axis++)
            if (varies(j, (enum rk_plan_axis)axis))
                cells[used++] =
                    cell_text(text_of_axis(j, &j->best[i].plan, (enum rk_plan_axis)axis));
        report_row(memory, table, cells);
    }
    page_show(j->page, "The best plans, with the axes in which they differ", table,
              j->search->command);
}

static void common_axes(const struct job *j)
{
    static const struct report_column columns[] = {
        {.name = "axis"}, {.name = "value"}, {.name = "what it is"}};
    struct report_table *table = page_table(j->page, columns, 3);
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        if (varies(j, axis) || !has_axis(j, axis) || !says(j, axis, &j->best[0].plan)) continue;
        const struct report_cell cells[] = {cell_text(rk_plan_axis_info(axis)->name),
                                            cell_text(text_of_axis(j, &j->best[0].plan, axis)),
                                            cell_text(rk_plan_axis_info(axis)->help)};
        report_row(&j->page->memory, table, cells);
    }
    page_show(j->page, "What all of them share", table, j->search->command);
}

/* One value of an axis: how many of the best have it, and the first of these. */
static void value_row(const struct job *j, struct report_table *table, enum rk_plan_axis axis,
                      int first)
{
    const uint64_t value = rk_plan_axis_get(&j->best[first].plan, axis);
    uint64_t count = 0;
    for (int i = 0; i < first; i++)
        if (rk_plan_axis_get(&j->best[i].plan, axis) == value) return;
    for (int i = first; i < j->count; i++)
        count += rk_plan_axis_get(&j->best[i].plan, axis) == value;
    const struct report_cell cells[] = {cell_text(rk_plan_axis_info(axis)->name),
                                        cell_text(text_of_axis(j, &j->best[first].plan, axis)),
                                        cell_count(count), cell_count((uint64_t)first + 1),
                                        cell_number(slower(j, &j->best[first].outcome))};
    report_row(&j->page->memory, table, cells);
}

static void differences(const struct job *j)
{
    static const struct report_column columns[] = {
        {.name = "axis"},
        {.name = "value"},
        {.name = "plans", .help = "of the best ones have this value"},
        {.name = "rank", .title = "best rank", .help = "of those"},
        {.name = "slower", .unit = "%", .help = "that one, than the best of all"},
    };
    struct report_table *table = page_table(j->page, columns, COUNT_OF(columns));
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        if (varies(j, (enum rk_plan_axis)axis))
            for (int i = 0; i < j->count; i++)
                value_row(j, table, (enum rk_plan_axis)axis, i);
    page_show(j->page, "What sets them apart", table, j->search->command);
}

static const char *rank_name(const struct job *j, int i)
{
    return report_text(&j->page->memory, "#%d", i + 1);
}

static void time_bars(const struct job *j)
{
    static const struct report_column columns[] = {
        {.name = "plan"},
        {.name = "part"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "degrees", .title = "tensor x pipeline x data"},
    };
    struct report_table *table = page_table(j->page, columns, COUNT_OF(columns));
    for (int i = 0; i < j->count && i < MOST_BARS; i++)
        for (const struct rk_figure *f = NULL; (f = rk_figure_next(f, predictor_of(j)));) {
            const struct rk_plan *s = &j->best[i].plan;
            const double part_s = rk_figure_value(&j->best[i].outcome, f);
            if (!f->time || part_s == 0) continue;
            const struct report_cell cells[] = {
                cell_text(rank_name(j, i)),
                cell_text(report_text(&j->page->memory, "%.*s", (int)strlen(f->name) - 2, f->name)),
                cell_number(part_s),
                cell_text(report_text(
                    &j->page->memory, "%llu x %llu x %llu", (unsigned long long)s->tensor,
                    (unsigned long long)s->pipeline, (unsigned long long)rk_plan_data(s)))};
            report_row(&j->page->memory, table, cells);
        }
    page_chart(j->page,
               &(struct chart){
                   .id = "best-time",
                   .title = "Where the time of the best ones goes",
                   .kind = CHART_BARS,
                   .source = j->search->command,
                   .table = table,
                   .role = {[CHART_Y] = "plan", [CHART_VALUE] = "time_s", [CHART_SERIES] = "part"},
                   .x = {.title = "time of a step"}});
}

/* ---- time against memory ---- */

static void memory_point(const struct job *j, struct report_table *table, const char *what,
                         const char *name, const struct rk_plan *s, const struct rk_outcome *e)
{
    const struct report_cell cells[] = {cell_text(what),
                                        cell_text(name),
                                        cell_number(e->hbm_bytes),
                                        cell_number(1 / e->samples_per_s),
                                        cell_number(e->step_s),
                                        cell_number(e->offload_bytes),
                                        cell_count(s->tensor),
                                        cell_count(s->pipeline),
                                        cell_count(rk_plan_data(s)),
                                        cell_text(text_of_axis(j, s, RK_PLAN_RECOMPUTE))};
    report_row(&j->page->memory, table, cells);
}

static enum rk_status frontier(const struct job *j, struct report_table *table,
                               struct rk_error *error)
{
    const struct rk_query query = {
        .pareto = "time / batch, hbm", .top = 1, .threads = j->search->threads};
    struct rk_answer selection = {.found = 0};
    const enum rk_status status =
        progress_ask(j->search->progress, j->search->space, &query, &selection, error);
    for (uint64_t i = 0; status == RK_OK && i < selection.found; i++) {
        struct found f;
        fetch(j, selection.best[i].index, &f);
        memory_point(j, table, "frontier", "", &f.plan, &f.outcome);
    }
    rk_answer_release(&selection);
    return status;
}

static enum rk_status time_against_memory(const struct job *j, struct rk_error *error)
{
    static const struct report_column columns[] = {
        {.name = "what"},
        {.name = "plan"},
        {.name = "hbm_bytes", .title = "memory", .unit = "B"},
        {.name = "sample_s", .title = "time per sample", .unit = "s"},
        {.name = "step_s", .title = "step", .unit = "s"},
        {.name = "offload_bytes", .title = "lower tiers", .unit = "B"},
        {.name = "tensor"},
        {.name = "pipeline"},
        {.name = "data"},
        {.name = "recompute"},
    };
    static const struct chart_series series[] = {{"frontier", CHART_GREY, CHART_LINE},
                                                 {"the best", CHART_BLUE, CHART_POINTS}};
    struct report_table *table = page_table(j->page, columns, COUNT_OF(columns));
    const enum rk_status status = frontier(j, table, error);
    for (int i = 0; i < j->count; i++)
        memory_point(j, table, "the best", rank_name(j, i), &j->best[i].plan, &j->best[i].outcome);
    page_section(j->page, "frontier", "Time against memory",
                 "No plan is both faster and smaller than one on the frontier.");
    page_chart(
        j->page,
        &(struct chart){
            .id = "frontier",
            .title = "Time per sample against memory of a rank",
            .kind = CHART_XY,
            .table = table,
            .source = report_text(&j->page->memory, "%s --pareto 'time / batch, hbm'",
                                  j->search->command),
            .role = {[CHART_X] = "hbm_bytes", [CHART_Y] = "sample_s", [CHART_SERIES] = "what"},
            .x = {.title = "memory of a GPU"},

            .series = series,
            .series_count = COUNT_OF(series)});
    return status;
}

/* ---- the effect of each axis ---- */

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
static enum rk_status search_value(const struct job *j, enum rk_plan_axis axis, uint64_t value,
                                   struct rk_answer *result, struct rk_error *error)
{
    struct rk_plans_problem problem = *j->search->problem;
    const struct rk_query options = {.top = 1, .threads = j->search->threads};
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

static enum rk_status effect_of(const struct job *j, struct report_table *table,
                                enum rk_plan_axis axis, struct rk_error *error)
{
    uint64_t values[MOST_VALUES];
    const int count = axis_values(j->search->problem, axis, values);
    enum rk_status status = RK_OK;
    for (int i = 0; i < count && status == RK_OK; i++) {
        struct rk_answer result = {.best = NULL};
        if (!is_allowed(j->search->problem, axis, values[i])) continue;
        status = search_value(j, axis, values[i], &result, error);
        const bool any = status == RK_OK && result.found;
        const double rate = any ? result.best[0].samples_per_s : 0;
        const double best_rate = j->best[0].outcome.samples_per_s;
        const char *text = text_of_value(j, axis, values[i]);
        const struct report_cell cells[] = {
            cell_text(rk_plan_axis_info(axis)->name),
            cell_text(text),
            any ? cell_number(rate) : cell_none(),
            any ? cell_number(rate / best_rate) : cell_none(),
            cell_count(result.counts.total),
            cell_count(result.counts.verdict[RK_FITS][0]),
            cell_text(report_text(&j->page->memory, "%s %s", rk_plan_axis_info(axis)->name, text))};
        if (status == RK_OK && result.counts.total) report_row(&j->page->memory, table, cells);
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
static struct report_table *effects_that_matter(const struct job *j,
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
static struct report_table *without_pair(const struct job *j, const struct report_table *table)
{
    struct report_table *shown = page_table(j->page, table->columns, EFFECT_PAIR);
    for (size_t row = 0; row < table->rows; row++)
        report_row(&j->page->memory, shown, &table->cells[row * EFFECT_COLUMNS]);
    return shown;
}

static enum rk_status effects(const struct job *j, struct rk_error *error)
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
    if (j->search->result->counts.total > MOST_PLANS) return RK_OK;
    for (int axis = 0; axis < RK_PLAN_AXES && status == RK_OK; axis++)
        if (has_axis(j, (enum rk_plan_axis)axis) && says(j, (enum rk_plan_axis)axis, NULL))
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
    page_show(j->page, "The same in numbers", table, j->search->command);
    return status;
}

/* ---- what became of all ---- */

static void outcome(const struct job *j, struct report_table *table, const char *name,
                    uint64_t count)
{
    const uint64_t total = j->search->result->counts.total;
    const struct report_cell cells[] = {cell_text(name), cell_count(count),
                                        cell_number(total ? (double)count / (double)total : 0)};
    if (count) report_row(&j->page->memory, table, cells);
}

static const char *outcome_name(const struct job *j, enum rk_verdict verdict, int tier)
{
    struct report *memory = &j->page->memory;
    const struct rk_system *system = j->search->problem->system;
    char words[64];
    snprintf(words, sizeof words, "%s", rk_verdict_name(verdict));
    for (char *c = words; *c; c++)
        if (*c == '_') *c = ' ';
    const char *name = report_text(memory, "%s", words);
    const bool network = verdict == RK_NETWORK_TOO_SMALL || verdict == RK_NETWORK_NOT_FILLED;
    if (verdict == RK_MEMORY_EXCEEDED && tier < system->memories)
        return report_text(memory, "%s: %s", name, memory_name(memory, system, tier));
    if (network && predictor_of(j) == RK_BY_CALCULON && tier < system->networks)
        return report_text(memory, "%s: %s", name, network_name(memory, system, tier));
    return name;
}

static void outcomes(const struct job *j)
{
    static const struct report_column columns[] = {
        {.name = "outcome"}, {.name = "plans"}, {.name = "share", .unit = "%"}};
    const struct rk_search_counts *c = &j->search->result->counts;
    struct report_table *table = page_table(j->page, columns, 3);
    outcome(j, table, "can run", c->verdict[RK_FITS][0]);
    for (int i = RK_FITS + 1; i < RK_VERDICTS; i++)
        for (int tier = 0; tier < RK_MAX_TIERS; tier++)
            outcome(j, table, outcome_name(j, (enum rk_verdict)i, tier), c->verdict[i][tier]);
    outcome(j, table, "repeated", c->repeated);
    page_section(j->page, "refusals", "What became of the plans",
                 "A plan that several things refuse counts for the first of them.");
    page_chart(j->page, &(struct chart){.id = "outcomes",
                                        .title = "Plans by outcome",
                                        .kind = CHART_BARS,
                                        .table = table,
                                        .source = j->search->command,
                                        .role = {[CHART_Y] = "outcome", [CHART_VALUE] = "plans"},
                                        .x = {.title = "plans"}});
    page_show(j->page, "The same in numbers", table, j->search->command);
}

/* How far off the time of the best may be; NULL: it is not known. */
static const char *error_bar(const struct job *j)
{
    const struct rk_plans_problem *p = j->search->problem;
    if (!j->count) return NULL;
    struct rk_prediction prediction;
    rk_predict(p->model, p->system, &j->best[0].plan, &prediction);
    const struct forecast best = {p->model, p->system, &j->best[0].plan, &prediction, ""};
    const char *times = learned_times(&j->page->memory, &best);
    const char *fit =
        chance(j, 0) < LEARNED_SURE
            ? report_text(&j->page->memory,
                          " It may not fit: of measured runs whose peak was predicted so close to "
                          "the memory, %.0f %% did.",
                          100 * chance(j, 0))
            : "";
    return times ? report_text(&j->page->memory, "The best: %s.%s", times, fit) : NULL;
}

/* ---- the page ---- */

static bool load_best(struct job *j)
{
    const struct rk_answer *result = j->search->result;
    j->count = (int)result->found;
    j->best = report_alloc(&j->page->memory, (result->found + 1) * sizeof *j->best);
    for (int i = 0; j->best && i < j->count; i++)
        fetch(j, result->best[i].index, &j->best[i]);
    return j->best != NULL;
}

enum rk_status page_search(struct html_page *page, const struct page_search *s,
                           struct rk_error *error)
{
    const struct rk_plans_problem *p = s->problem;
    struct job j = {.page = page, .search = s};
    enum rk_status status = RK_OK;
    if (!load_best(&j)) return no_memory(error);
    page->title =
        report_text(&page->memory, "The best plans for %s on %s", p->model->id, p->system->id);
    page->subtitle = report_text(
        &page->memory, "%llu GPUs, batch %s%llu, %s, by %s", (unsigned long long)p->base.ranks,
        p->base.framework == RK_CALCULON ? "up to " : "", (unsigned long long)p->base.batch,
        rk_framework_name(p->base.framework),
        p->base.framework == RK_CALCULON ? "the published model (calculon)"
                                         : "the model of today's plans");
    page_section(page, "summary", "Summary", error_bar(&j));
    cards(&j);
    if (j.count == 0)
        html_add(page,
                 &(struct html_block){HTML_WARNING, .text = "Nothing can run: below is why."});
    if (j.count > 0) {
        page_section(page, "best", "The best, side by side", NULL);
        best_table(&j);
        if (p->base.framework != RK_CALCULON)
            page_launch(page, "To launch the best, and to look closer at it:", s->model_name,
                        s->system_name, &j.best[0].plan);
        differences(&j);
        common_axes(&j);
        time_bars(&j);
        status = time_against_memory(&j, error);
        if (status == RK_OK) status = effects(&j, error);
    }
    outcomes(&j);
    page_inputs(page, p->model, s->model_name, p->system, s->system_name, NULL);
    return status;
}
