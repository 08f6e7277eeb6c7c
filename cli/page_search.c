/* The page of one search: the best, what sets them apart, memory against time, every axis. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/describe.h"
#include "cli/page_effects.h"
#include "cli/progress.h"
#include "facts/learned.h"

#include <math.h>
#include <string.h>

enum { MOST_BARS = 20 };

static void fetch(const struct searched *j, uint64_t index, struct found_plan *found)
{
    struct rk_prediction prediction;
    rk_plans_plan(j->search->space, index, &found->plan);
    rk_predict(j->search->problem->model, j->search->problem->system, &found->plan, &prediction);
    found->outcome = prediction.outcome;
}

const char *page_value_text(const struct searched *j, enum rk_plan_axis axis, uint64_t value)
{
    char buffer[RK_PLAN_AXIS_TEXT];
    return report_text(&j->page->memory, "%s", rk_plan_axis_text(axis, value, buffer));
}

static const char *text_of_axis(const struct searched *j, const struct rk_plan *plan,
                                enum rk_plan_axis axis)
{
    return page_value_text(j, axis, rk_plan_axis_get(plan, axis));
}

static enum rk_by predictor_of(const struct searched *j)
{
    return j->search->problem->base.framework == RK_CALCULON ? RK_BY_CALCULON : RK_BY_RECKON;
}

bool page_has_axis(const struct searched *j, enum rk_plan_axis axis)
{
    return rk_plan_axis_info(axis)->by & predictor_of(j);
}

/* Has the axis a meaning in such a plan; NULL: in any? */
bool page_axis_says(const struct searched *j, enum rk_plan_axis axis, const struct rk_plan *plan)
{
    return plan_axis_says(axis, j->search->problem->model, j->search->problem->system, plan);
}

static bool varies(const struct searched *j, enum rk_plan_axis axis)
{
    for (int i = 1; page_has_axis(j, axis) && i < j->count; i++)
        if (rk_plan_axis_get(&j->best[i].plan, axis) != rk_plan_axis_get(&j->best[0].plan, axis))
            return true;
    return false;
}

/* By how much it falls behind the best of all. */
static double slower(const struct searched *j, const struct rk_outcome *estimate)
{
    return j->best[0].outcome.samples_per_s / estimate->samples_per_s - 1;
}

/* Share of runs that fitted where the plan `i` is predicted; NAN: nothing is known. */
static double chance(const struct searched *j, int i)
{
    const struct rk_plans_problem *p = j->search->problem;
    return learned_fit(p->model, p->system, &j->best[i].plan, j->best[i].outcome.hbm_bytes);
}

/* ---- headline ---- */

static void cards(const struct searched *j)
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

static void best_table(const struct searched *j)
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

static void common_axes(const struct searched *j)
{
    static const struct report_column columns[] = {
        {.name = "axis"}, {.name = "value"}, {.name = "what it is"}};
    struct report_table *table = page_table(j->page, columns, 3);
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        if (varies(j, axis) || !page_has_axis(j, axis) ||
            !page_axis_says(j, axis, &j->best[0].plan))
            continue;
        const struct report_cell cells[] = {cell_text(rk_plan_axis_info(axis)->name),
                                            cell_text(text_of_axis(j, &j->best[0].plan, axis)),
                                            cell_text(rk_plan_axis_info(axis)->help)};
        report_row(&j->page->memory, table, cells);
    }
    page_show(j->page, "What all of them share", table, j->search->command);
}

/* One value of an axis: how many of the best have it, and the first of these. */
static void value_row(const struct searched *j, struct report_table *table, enum rk_plan_axis axis,
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

static void differences(const struct searched *j)
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

static const char *rank_name(const struct searched *j, int i)
{
    return report_text(&j->page->memory, "#%d", i + 1);
}

static void time_bars(const struct searched *j)
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

static void memory_point(const struct searched *j, struct report_table *table, const char *what,
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

static enum rk_status frontier(const struct searched *j, struct report_table *table,
                               struct rk_error *error)
{
    const struct rk_query query = {
        .pareto = "time / batch, hbm", .top = 1, .threads = j->search->threads};
    struct rk_answer selection = {.found = 0};
    const enum rk_status status =
        progress_ask(j->search->progress, j->search->space, &query, &selection, error);
    for (uint64_t i = 0; status == RK_OK && i < selection.found; i++) {
        struct found_plan f;
        fetch(j, selection.best[i].index, &f);
        memory_point(j, table, "frontier", "", &f.plan, &f.outcome);
    }
    rk_answer_release(&selection);
    return status;
}

static enum rk_status time_against_memory(const struct searched *j, struct rk_error *error)
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

/* ---- what became of all ---- */

static void outcome(const struct searched *j, struct report_table *table, const char *name,
                    uint64_t count)
{
    const uint64_t total = j->search->result->counts.total;
    const struct report_cell cells[] = {cell_text(name), cell_count(count),
                                        cell_number(total ? (double)count / (double)total : 0)};
    if (count) report_row(&j->page->memory, table, cells);
}

static const char *outcome_name(const struct searched *j, enum rk_verdict verdict, int tier)
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

static void outcomes(const struct searched *j)
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
static const char *error_bar(const struct searched *j)
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

static bool load_best(struct searched *j)
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
    struct searched j = {.page = page, .search = s};
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
        if (status == RK_OK) status = page_effects(&j, error);
    }
    outcomes(&j);
    page_inputs(page, p->model, s->model_name, p->system, s->system_name, NULL);
    return status;
}
