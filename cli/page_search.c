/* The page of one search: the best, memory against time, the answer's tables, every axis. */
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "cli/page_effects.h"
#include "cli/progress.h"
#include "cli/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_BARS = 20 };

static const struct rk_plans_problem *problem_of(const struct searched *j)
{
    return &j->search->search->problem;
}

static void fetch(const struct searched *j, uint64_t index, struct found_plan *found)
{
    const struct rk_plans_problem *p = problem_of(j);
    rk_plans_plan(j->search->search->space, index, &found->plan);
    rk_predict(p->model, p->system, &found->plan, &found->prediction);
    found->outcome = found->prediction.outcome;
    const struct forecast f = {p->model, p->system, &found->plan, &found->prediction, "", NULL};
    found->known = forecast_range(&f, found->step_s);
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
    return rk_answerer(problem_of(j)->base.framework)->by;
}

bool page_has_axis(const struct searched *j, enum rk_plan_axis axis)
{
    return rk_plan_axis_info(axis)->by & predictor_of(j);
}

/* Has the axis a meaning in such a plan; NULL: in any? */
bool page_axis_says(const struct searched *j, enum rk_plan_axis axis, const struct rk_plan *plan)
{
    return plan_axis_says(axis, problem_of(j)->model, problem_of(j)->system, plan);
}

static const char *rank_name(const struct searched *j, int i)
{
    return report_text(&j->page->memory, "#%d", i + 1);
}

static const char *degrees_of(const struct searched *j, const struct rk_plan *s)
{
    return report_text(&j->page->memory, "%" PRIu64 " x %" PRIu64 " x %" PRIu64, s->tensor,
                       s->pipeline, rk_plan_data(s));
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
            REPORT_ROW(
                &j->page->memory, table, cell_text(rank_name(j, i)),
                cell_text(report_text(&j->page->memory, "%.*s", (int)strlen(f->name) - 2, f->name)),
                cell_number(part_s), cell_text(degrees_of(j, s)));
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

/* clang-format off */
static const struct report_column point_columns[] = {
    {.name = "what"},
    {.name = "plan"},
    {.name = "hbm_bytes",     .title = "memory",      .unit = "B"},
    {.name = "step_s",        .title = "step",        .unit = "s"},
    {.name = "low_s",         .title = "25 %",        .unit = "s"},
    {.name = "high_s",        .title = "75 %",        .unit = "s"},
    {.name = "mfu",           .title = "MFU",         .unit = "%"},
    {.name = "offload_bytes", .title = "lower tiers", .unit = "B"},
    {.name = "degrees",       .title = "tensor x pipeline x data"},
    {.name = "recompute"},
};
/* clang-format on */

static void memory_point(const struct searched *j, struct report_table *table, const char *what,
                         const char *name, const struct found_plan *f)
{
    const struct rk_plan *s = &f->plan;
    const bool range = f->known && *name; /* of the best ones alone: whiskers would cover a line */
    REPORT_ROW(&j->page->memory, table, cell_text(what), cell_text(name),
               cell_number(f->outcome.hbm_bytes), cell_number(f->outcome.step_s),
               range ? cell_number(f->step_s[1]) : cell_none(),
               range ? cell_number(f->step_s[3]) : cell_none(), cell_number(f->outcome.mfu),
               cell_number(f->outcome.offload_bytes), cell_text(degrees_of(j, s)),
               cell_text(text_of_axis(j, s, RK_PLAN_RECOMPUTE)));
}

static enum rk_status frontier(const struct searched *j, struct report_table *table,
                               struct rk_error *error)
{
    const struct search *search = j->search->search;
    const struct rk_query query = {
        .pareto = "time / batch, hbm", .top = 1, .threads = (int)search->args->threads};
    struct rk_answer selection = {.found = 0};
    const enum rk_status status =
        progress_ask(j->search->progress, search->space, &query, &selection, error);
    for (uint64_t i = 0; status == RK_OK && i < selection.found; i++) {
        struct found_plan f;
        fetch(j, selection.best[i].index, &f);
        memory_point(j, table, "frontier", "", &f);
    }
    rk_answer_release(&selection);
    return status;
}

static enum rk_status time_against_memory(const struct searched *j, struct rk_error *error)
{
    static const struct chart_series series[] = {{"frontier", CHART_GREY, CHART_LINE},
                                                 {"the best", CHART_BLUE, CHART_POINTS}};
    struct report_table *table = page_table(j->page, point_columns, COUNT_OF(point_columns));
    const enum rk_status status = frontier(j, table, error);
    for (int i = 0; i < j->count && i < MOST_BARS; i++)
        memory_point(j, table, "the best", rank_name(j, i), &j->best[i]);
    page_chart(
        j->page,
        &(struct chart){.id = "frontier",
                        .title = "Step time against memory of a GPU",
                        .caption = "No plan is both faster and smaller than one of the frontier. "
                                   "Whiskers: the 50 % interval of runs like the plan.",
                        .kind = CHART_XY,
                        .table = table,
                        .source = report_text(&j->page->memory, "%s --pareto 'time / batch, hbm'",
                                              j->search->command),
                        .role = {[CHART_X] = "hbm_bytes",
                                 [CHART_Y] = "step_s",
                                 [CHART_SERIES] = "what",
                                 [CHART_LABEL] = "plan",
                                 [CHART_LOW] = "low_s",
                                 [CHART_HIGH] = "high_s"},
                        .x = {.title = "memory of a GPU"},
                        .y = {.title = "step time", .log = true},
                        .series = series,
                        .series_count = COUNT_OF(series)});
    return status;
}

/* ---- the verdict ---- */

static const char *words_of(const struct searched *j, const struct rk_plan *plan)
{
    char words[RK_PLAN_TEXT];
    rk_plan_text(plan, words, sizeof words);
    return report_text(&j->page->memory, "%s", words);
}

static struct report_table *cards(const struct searched *j)
{
    static const struct report_column columns[] = {
        {.name = "step_s", .title = "step", .unit = "s", .help = "of the best plan"},
        {.name = "mfu", .title = "MFU", .unit = "%", .help = "FLOP of the model over peak"},
        {.name = "tokens", .title = "tokens/s per GPU", .help = "of the best plan"},
        {.name = "hbm_bytes", .title = "memory of a GPU", .unit = "B"},
        {.name = "capacity_bytes", .title = "capacity", .unit = "B"},
        {.name = "days", .help = "of the whole run"},
        {.name = "cost_usd", .title = "cost in USD", .unit = "n", .help = "of the whole run"},
        {.name = "plans", .help = "all there are, under the restrictions of the command"},
        {.name = "fits", .title = "feasible", .help = "plans that no constraint refuses"},
    };
    const struct search *search = j->search->search;
    const struct rk_search_counts *c = &search->result.counts;
    const struct found_plan *best = j->count ? j->best : NULL;
    const struct run_sums run =
        best ? run_sums_of(&search->run, best->outcome.step_s) : (struct run_sums){.days = 0};
    struct report_table *table = page_table(j->page, columns, COUNT_OF(columns));
    REPORT_ROW(&j->page->memory, table, best ? cell_number(best->outcome.step_s) : cell_none(),
               best ? cell_number(best->outcome.mfu) : cell_none(),
               best ? cell_number(best->outcome.tokens_per_s / (double)best->plan.ranks)
                    : cell_none(),
               best ? cell_number(best->outcome.hbm_bytes) : cell_none(),
               best ? cell_number(problem_of(j)->system->memory[0].capacity_bytes) : cell_none(),
               run.days > 0 ? cell_number(run.days) : cell_none(),
               run.cost > 0 ? cell_number(run.cost) : cell_none(), cell_count(c->total),
               cell_count(c->verdict[RK_FITS][0]));
    return table;
}

static void verdict(const struct searched *j)
{
    struct report *memory = &j->page->memory;
    struct html_block block = {HTML_VERDICT, .table = cards(j), .source = j->search->command};
    if (j->count == 0) {
        block.tone = REPORT_BAD;
        const struct search *search = j->search->search;
        block.title =
            report_text(memory, "%s%s.", search->result.complete ? "No plan can run: " : "",
                        search_reason(memory, search));
    } else {
        const struct rk_plan *plan = &j->best[0].plan;
        struct rk_prediction prediction;
        const struct forecast f = {
            problem_of(j)->model, problem_of(j)->system, plan, &prediction, "", NULL};
        rk_predict(f.model, f.system, plan, &prediction);
        const enum rk_sure sure = verdict_sure(&f, NULL);
        block.tone = verdict_tone(sure);
        block.title = report_text(memory, "Best plan %s%s", sure == RK_SURE_UNSURE ? "is " : "",
                                  verdict_line(memory, &f));
        const char *price = "", *cost = "";
        if (!j->search->search->args->run.tokens) cost = verdict_cost_of(memory, &f, &price);
        if (*cost) block.title = report_text(memory, "%s, %s", block.title, cost);
        block.text = report_text(memory, "%s%s%s", words_of(j, plan), *price ? "; " : "", price);
    }
    html_add(j->page, &block);
}

/* ---- the command that gives the same ---- */

static const char *with_flag(struct html_page *page, const char *command, const char *flag,
                             const char *value)
{
    if (!value || !*value) return command;
    return report_text(&page->memory, "%s --%s %s", command, flag, page_word(page, value));
}

/* The values of an axis as its flag takes them. */
static const char *with_axis(struct html_page *page, const char *command,
                             const struct option_values *values, enum rk_plan_axis axis)
{
    const char *list = "";
    for (int i = 0; i < values->count; i++) {
        const uint64_t low = values->range[i].low, high = values->range[i].high;
        char first[RK_PLAN_AXIS_TEXT], last[RK_PLAN_AXIS_TEXT];
        list =
            report_text(&page->memory, low == high ? "%s%s%s" : "%s%s%s..%s", list, i ? "," : "",
                        rk_plan_axis_text(axis, low, first), rk_plan_axis_text(axis, high, last));
    }
    return with_flag(page, command, rk_plan_axis_info(axis)->name, list);
}

static const char *with_words(struct html_page *page, const char *command,
                              const struct option_texts *words)
{
    for (int i = 0; i < words->count; i++) {
        if (words->name[i])
            command = report_text(&page->memory, "%s --%s", command, words->name[i]);
        if (words->text[i])
            command = report_text(&page->memory, "%s %s", command, page_word(page, words->text[i]));
    }
    return command;
}

static const char *page_search_command(struct html_page *page, const struct search *search)
{
    const struct search_args *args = search->args;
    const struct rk_plans_problem *p = &search->problem;
    struct report *memory = &page->memory;
    const uint64_t top = args->top                   ? args->top
                         : search->result.found > 10 ? search->result.found
                                                     : 10;
    const char *command =
        report_text(memory,
                    "reckon search --model %s --system %s --gpus %" PRIu64 " --batch %" PRIu64
                    " --framework %s --top %" PRIu64,
                    search_model_word(memory, search), search_system_word(memory, search),
                    p->base.ranks, p->base.batch, rk_framework_name(p->base.framework), top);
    if (!p->pinned[RK_PLAN_PRECISION].count)
        command = with_flag(page, command, "precision", rk_precision_name(p->base.precision));
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        command = with_axis(page, command, &args->axes.axis[axis], (enum rk_plan_axis)axis);
    if (p->base.sequence)
        command = report_text(memory, "%s --sequence %" PRIu64, command, p->base.sequence);
    command = with_flag(page, command, "plan", args->plan);
    command = with_words(page, command, &args->words);
    command = with_flag(page, command, "where", args->where);
    command = with_flag(page, command, "headroom", args->headroom);
    command = with_flag(page, command, "tokens", args->run.tokens);
    command = with_flag(page, command, "pareto", args->pareto);
    return with_flag(page, command, "sort", args->sort);
}

/* ---- the page ---- */

static bool load_best(struct searched *j)
{
    const struct rk_answer *result = &j->search->search->result;
    j->count = result->found < MOST_BARS ? (int)result->found : MOST_BARS;
    j->best = report_alloc(&j->page->memory, (size_t)(j->count + 1) * sizeof *j->best);
    for (int i = 0; j->best && i < j->count; i++)
        fetch(j, result->best[i].index, &j->best[i]);
    return j->best != NULL;
}

static void titles(const struct searched *j)
{
    const struct rk_plans_problem *p = problem_of(j);
    const bool published = !rk_answerer(p->base.framework)->layers;
    j->page->title =
        report_text(&j->page->memory, "The best plans for %s on %s", p->model->id, p->system->id);
    j->page->subtitle =
        report_text(&j->page->memory, "%" PRIu64 " GPUs, batch %s%" PRIu64 ", %s, %s",
                    p->base.ranks, published ? "up to " : "", p->base.batch,
                    rk_framework_name(p->base.framework), search_model_name(j->search->search));
}

enum rk_status page_search(struct html_page *page, const struct page_search *s,
                           struct rk_error *error)
{
    struct page_search asked = *s;
    struct searched j = {.page = page, .search = &asked};
    enum rk_status status = RK_OK;
    if (!load_best(&j)) return no_memory(error);
    asked.command = page_search_command(page, s->search);
    titles(&j);
    verdict(&j);
    const bool more = j.count > 0 && s->search->result.complete && !progress_stopped() &&
                      !search_is_over_clusters(s->search);
    if (j.count > 0) page_section(page, "frontier", "Time and memory", NULL);
    if (more) status = time_against_memory(&j, error);
    if (j.count > 0) time_bars(&j);
    page_section(page, "plans", "Plans", NULL);
    page_report(page, s->answer);
    if (more && status == RK_OK) status = page_effects(&j, error);
    page_inputs(page, problem_of(&j)->model, s->model_name, problem_of(&j)->system, s->system_name,
                NULL);
    return status;
}
