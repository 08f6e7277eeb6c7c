/* One plan and its prediction as a page. */
#include "base/number.h"
#include "base/units.h"
#include "cli/describe.h"
#include "cli/fits.h"
#include "cli/pages.h"
#include "cli/verdict.h"
#include "clusters/predict.h"
#include "machine/part.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *predict_command(struct html_page *page, const struct page_plan *p,
                                   const char *more)
{
    return report_text(&page->memory, "reckon predict %s %s", p->arguments, more);
}

/* The tables for people among those that were added. */
static void show_added(struct html_page *page, const struct report_table *before,
                       const char *source)
{
    for (const struct report_table *t = page_described(page, before); t; t = t->next)
        if (t->formats & REPORT_IN_TEXT) page_show(page, t->title, t, source);
}

static void figure_row(struct html_page *page, struct report_table *table,
                       struct report_column *columns, int count, const struct rk_prediction *p)
{
    struct report_cell *cells = report_alloc(&page->memory, (size_t)count * sizeof *cells);
    for (int i = 0; cells && i < count; i++)
        cells[i] = cell_number(rk_figure_value(&p->outcome, rk_figure_find(columns[i].name)));
    if (cells) report_row(&page->memory, table, cells);
}

static const struct report_table *cards(struct html_page *page, const struct page_plan *p)
{
    static struct report_column columns[] = {
        {.name = "step_s", .title = "time of a step", .unit = "s"},
        {.name = "mfu", .title = "MFU", .unit = "%", .help = "FLOP of the model over peak"},
        {.name = "hfu", .title = "HFU", .unit = "%", .help = "... including recomputation"},
        {.name = "samples_per_s", .title = "samples/s", .help = "all ranks together"},
        {.name = "tokens_per_s", .title = "tokens/s", .unit = "n", .help = "all ranks together"},
        {.name = "hbm_bytes",
         .title = "memory",
         .unit = "B",
         .help = "of the device, that a rank needs"},
        {.name = "parameters", .title = "parameters", .unit = "n", .help = "of the model"},
        {.name = "offload_bytes", .title = "lower tiers", .unit = "B", .help = "needed by a rank"},
    };
    const struct rk_prediction *prediction = p->forecast->prediction;
    const int count = COUNT_OF(columns) - (prediction->outcome.offload_bytes == 0);
    struct report_table *table = page_table(page, columns, count);
    figure_row(page, table, columns, count, prediction);
    return table;
}

/* Does it fit, and what a step takes; of a plan that cannot run, why. */
static void verdict(struct html_page *page, const struct page_plan *p, const char *errors,
                    bool of_run)
{
    const struct forecast *f = p->forecast;
    struct html_block block = {HTML_VERDICT, .text = *errors ? errors : NULL,
                               .source = predict_command(page, p, "--format json")};
    if (f->prediction->timed) block.table = cards(page, p);
    block.tone = verdict_tone(verdict_sure(f, NULL));
    block.title = verdict_line(&page->memory, f);
    const char *price = "", *cost = of_run ? "" : verdict_cost_of(&page->memory, f, &price);
    if (*cost) block.title = report_text(&page->memory, "%s, %s", block.title, cost);
    struct rk_saving change;
    bool helps;
    const char *remedy = verdict_remedy(&page->memory, f, &change, &helps);
    if (*price)
        block.text = report_text(&page->memory, "%s%s.", errors, page_sentence(page, price));
    if (remedy)
        block.text = report_text(&page->memory, "%s%s.\n", block.text ? block.text : "",
                                 page_sentence(page, remedy));
    html_add(page, &block);
}

static void reasons(struct html_page *page, const struct page_plan *p)
{
    const struct report_table *before = page->memory.last;
    if (p->forecast->prediction->verdict == RK_FITS) return;
    const bool unsure = verdict_sure(p->forecast, NULL) == RK_SURE_UNSURE;
    html_add(page,
             &(struct html_block){
                 HTML_WARNING, .text = unsure ? "It is predicted to need more than the memory, by "
                                                "less than predictions are off."
                                       : p->forecast->prediction->timed
                                           ? "What follows is what the plan would cost if the "
                                             "reasons below were gone."
                                           : "The reasons are below."});
    forecast_refusal(&page->memory, p->forecast);
    show_added(page, before, predict_command(page, p, "--format json"));
}

/* How far off such predictions were: the notes of the answer. */
static const char *error_bar(struct html_page *page, const struct page_plan *p)
{
    const struct report_table *before = page->memory.last;
    const char *text = "";
    forecast_errors(&page->memory, p->forecast);
    for (const struct report_table *t = page_described(page, before); t; t = t->next)
        if (t->shape == REPORT_NOTE || t->shape == REPORT_PARAGRAPH)
            text = report_text(&page->memory, "%s%s. ", text, page_sentence(page, t->title));
    return text;
}

/* The measured runs that are most like the plan. */
static enum rk_status nearest(struct html_page *page, const struct page_plan *p,
                              struct rk_error *error)
{
    const struct report_table *before = page->memory.last;
    const enum rk_status status = forecast_nearest(&page->memory, p->forecast, NULL, true, error);
    if (status == RK_OK) show_added(page, before, predict_command(page, p, "--nearest"));
    return status;
}

/* ---- time ---- */

static enum rk_by by_of(const struct page_plan *p)
{
    return rk_answerer(p->forecast->plan->framework)->by;
}

static void time_bars(struct html_page *page, const struct page_plan *p)
{
    static const struct report_column columns[] = {
        {.name = "part"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "share", .unit = "%"},
        {.name = "what"},
    };
    const struct rk_outcome *outcome = &p->forecast->prediction->outcome;
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    for (const struct rk_figure *f = NULL; (f = rk_figure_next(f, by_of(p)));) {
        const double time_s = rk_figure_value(outcome, f);
        if (f->time && time_s != 0)
            REPORT_ROW(
                &page->memory, table,
                cell_text(report_text(&page->memory, "%.*s", (int)strlen(f->name) - 2, f->name)),
                cell_number(time_s), cell_number(time_s / outcome->step_s), cell_text(f->help));
    }
    page_chart(page, &(struct chart){
                         .id = "time",
                         .title = "Where the time of a step goes",
                         .kind = CHART_BARS,
                         .caption = "The parts add up to the step. Communication and offload count "
                                    "as far as the step waits for them.",
                         .source = predict_command(page, p, "--format json"),
                         .table = table,
                         .role = {[CHART_VALUE] = "time_s", [CHART_SERIES] = "part"},
                         .x = {.title = "time"}});
    page_show(page, "Time by part", table, predict_command(page, p, "--format json"));
}

/* ---- the layers and their operations ---- */

struct flame {
    struct html_page *page;
    struct report_table *table;
    double total_s;
};

static void span(const struct flame *f, const char *level, const char *layer, const char *name,
                 double from_s, double time_s)
{
    if (time_s <= 0) return;
    const struct report_cell cells[] = {cell_text(level),
                                        cell_text(layer),
                                        cell_text(name),
                                        cell_number(from_s),
                                        cell_number(from_s + time_s),
                                        cell_number(time_s),
                                        cell_number(time_s / f->total_s)};
    report_row(&f->page->memory, f->table, cells);
}

/* Time of all passes of an operation in all layers of its kind, with exposed communication and
 * recomputation. */
static double operation_s(const struct rk_operation *o)
{
    double time_s = o->recomputed ? o->time_s[RK_FORWARD] + o->comm_exposed_s[RK_FORWARD][0] : 0;
    for (int pass = 0; pass < RK_PASSES; pass++)
        time_s += o->time_s[pass] + o->comm_exposed_s[pass][0];
    return o->layers * time_s;
}

static double operations_s(const struct page_plan *p, int first, int last)
{
    double sum_s = 0;
    for (int i = first; i < last; i++)
        sum_s += operation_s(&p->operation[i]);
    return sum_s;
}

static void spans(const struct flame *f, const struct page_plan *p)
{
    double from_s = 0;
    for (int first = 0, last; first < p->operations; first = last) {
        const char *layer = p->operation[first].layer;
        for (last = first; last < p->operations && p->operation[last].layer == layer;)
            last++;
        span(f, "layers", layer,
             report_text(&f->page->memory, "%s x %.0f", layer, p->operation[first].layers), from_s,
             operations_s(p, first, last));
        for (int i = first; i < last; i++) {
            const double time_s = operation_s(&p->operation[i]);
            span(f, "operations", layer, p->operation[i].name, from_s, time_s);
            from_s += time_s;
        }
    }
}

static void flame(struct html_page *page, const struct page_plan *p)
{
    static const struct report_column columns[] = {
        {.name = "level"},
        {.name = "layer"},
        {.name = "what"},
        {.name = "from_s", .title = "from", .unit = "s"},
        {.name = "to_s", .title = "to", .unit = "s"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "share", .title = "of all layers", .unit = "%"},
    };
    const struct flame f = {page, page_table(page, columns, COUNT_OF(columns)),
                            operations_s(p, 0, p->operations)};
    spans(&f, p);
    page_chart(page, &(struct chart){
                         .id = "flame",
                         .title = "One microbatch through all layers",
                         .kind = CHART_SPANS,
                         .caption = "The layers of each kind and their operations, forward and "
                                    "backward together: their exposed time. Drag over "
                                    "a part to enlarge it, double-click to go back.",
                         .source = predict_command(page, p, "--layers --format json"),
                         .table = f.table,
                         .role = {[CHART_X] = "from_s",
                                  [CHART_X_END] = "to_s",
                                  [CHART_Y] = "level",
                                  [CHART_SERIES] = "layer",
                                  [CHART_LABEL] = "what"},
                         .x = {.title = "time, not in the order of events"}});
}

static void operations(struct html_page *page, const struct page_plan *p)
{
    page_section(page, "operations", "Operations of the layers",
                 "One layer of each kind on one rank, one microbatch.");
    flame(page, p);
    page_roofline(page, p);
    const struct report_table *before = page->memory.last;
    forecast_operations(&page->memory, p->forecast);
    show_added(page, before, predict_command(page, p, "--layers --format csv"));
}

/* ---- memory ---- */

/* Where there is but one, its number says nothing. */
static const char *tier_name(struct html_page *page, const struct rk_system *system, int tier)
{
    if (system->memories > 1) return memory_name(&page->memory, system, tier);
    return system->memory[0].name[0] ? system->memory[0].name : "memory";
}

static void tier_rows(struct html_page *page, struct report_table *table, const struct page_plan *p,
                      int tier)
{
    const struct forecast *f = p->forecast;
    const double capacity = memory_part_bytes(&f->system->memory[tier], f->plan->ranks);
    double holds[RK_HOLDING_COUNT];
    const double total = rk_predict_tier(f->prediction, f->plan, tier, holds);
    double known = 0;
    for (int i = 0; i <= RK_HOLDING_COUNT; i++) { /* the last one: what is not told apart */
        const bool rest = i == RK_HOLDING_COUNT;
        const double bytes = rest ? total - known : holds[i];
        const struct report_cell cells[] = {
            cell_text(tier_name(page, f->system, tier)),
            cell_text(rest ? "offloaded" : rk_holding_name((enum rk_holding)i)), cell_number(bytes),
            isfinite(capacity) ? cell_number(capacity) : cell_none(),
            isfinite(capacity) && capacity > 0 ? cell_number(bytes / capacity) : cell_none()};
        known += bytes;
        if (bytes > 1e-9 * total) report_row(&page->memory, table, cells);
    }
}

/* The detailed model knows each stage; the Calculon model only the one with the least memory
 * left. */
static void stage_bars(struct html_page *page, const struct page_plan *p)
{
    static const struct report_column columns[] = {
        {.name = "stage"},
        {.name = "category"},
        {.name = "bytes", .title = "needed", .unit = "B"},
        {.name = "capacity_bytes", .title = "capacity", .unit = "B"},
        {.name = "share", .title = "of the capacity", .unit = "%"},
    };
    const struct rk_prediction *prediction = p->forecast->prediction;
    const double capacity = p->forecast->system->memory[0].capacity_bytes;
    if (by_of(p) == RK_BY_CALCULON || prediction->stages < 2) return;
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    for (int stage = 0; stage < prediction->stages; stage++)
        for (int i = 0; i < RK_HOLDING_COUNT; i++) {
            const double bytes = prediction->stage[stage].holds[i];
            if (bytes > 1e-6 * capacity)
                REPORT_ROW(&page->memory, table,
                           cell_text(report_text(&page->memory, "stage %d", stage)),
                           cell_text(rk_holding_name((enum rk_holding)i)), cell_number(bytes),
                           cell_number(capacity), cell_number(bytes / capacity));
        }
    page_chart(page, &(struct chart){
                         .id = "memory-stages",
                         .title = "Memory of every stage against its capacity",
                         .kind = CHART_BARS,
                         .caption = "What a rank of each stage holds at its peak, by category.",
                         .source = predict_command(page, p, "--format json"),
                         .table = table,
                         .limit = "capacity",
                         .role = {[CHART_Y] = "stage",
                                  [CHART_VALUE] = "bytes",
                                  [CHART_SERIES] = "category",
                                  [CHART_LIMIT] = "capacity_bytes"},
                         .x = {.title = "memory"}});
}

static void memory(struct html_page *page, const struct page_plan *p)
{
    static const struct report_column columns[] = {
        {.name = "tier"},
        {.name = "category"},
        {.name = "bytes", .title = "needed", .unit = "B"},
        {.name = "capacity_bytes", .title = "capacity", .unit = "B"},
        {.name = "share", .title = "of the capacity", .unit = "%"},
    };
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    for (int tier = 0; tier < p->forecast->system->memories; tier++)
        tier_rows(page, table, p, tier);
    page_section(page, "memory", "Memory of a GPU", NULL);
    page_chart(page,
               &(struct chart){
                   .id = "memory",
                   .title = p->forecast->system->memories > 1
                                ? "Memory of each tier against its capacity"
                                : "Memory against its capacity",
                   .kind = CHART_BARS,
                   .caption = "What one rank of the tightest stage holds at its peak, by category.",
                   .source = predict_command(page, p, "--format json"),
                   .table = table,
                   .limit = "capacity",
                   .role = {[CHART_Y] = "tier",
                            [CHART_VALUE] = "bytes",
                            [CHART_SERIES] = "category",
                            [CHART_LIMIT] = "capacity_bytes"},
                   .x = {.title = "memory"}});
    stage_bars(page, p);
    const struct report_table *before = page->memory.last;
    forecast_stages(&page->memory, p->forecast, false);
    show_added(page, before, predict_command(page, p, ""));
}

static void savings(struct html_page *page, const struct page_plan *p)
{
    const struct forecast *f = p->forecast;
    if (by_of(p) == RK_BY_CALCULON) return;
    page_savings(page, f, report_text(&page->memory, "reckon fits %s --format json", p->arguments));
}

/* ---- all figures ---- */

/* One row, a column per figure: shown downwards, with what each one means. */
static void figures(struct html_page *page, const struct page_plan *p)
{
    const struct rk_figure *f = NULL;
    int count = 0;
    while ((f = rk_figure_next(f, by_of(p))))
        count++;
    struct report_column *columns = report_alloc(&page->memory, (size_t)count * sizeof *columns);
    if (!columns) return;
    for (int i = 0; (f = rk_figure_next(f, by_of(p))); i++)
        columns[i] = (struct report_column){
            .name = f->name, .title = f->name, .unit = f->unit, .help = f->help};
    struct report_table *table = report_add(
        &page->memory,
        &(struct report_table){.shape = REPORT_RECORD, .columns = columns, .column_count = count});
    figure_row(page, table, columns, count, p->forecast->prediction);
    page_section(page, "figures", "Every figure",
                 "All that the prediction says, under the names of its JSON and CSV.");
    page_show(page, NULL, table, predict_command(page, p, "--format json"));
}

static void pipeline(struct html_page *page, const struct page_plan *p)
{
    const struct forecast *f = p->forecast;
    struct timeline_plan plan;
    struct rk_error error;
    if (step_timeline(&plan, f->model, f->system, f->plan, f->prediction, NULL, -1, &error) !=
        RK_OK)
        return;
    page_schedule(
        page, &plan,
        report_text(&page->memory, "reckon timeline %s --trace trace.json", p->arguments));
    if (p->measured)
        page_measured(page, &plan, p->measured,
                      report_text(&page->memory, "reckon report %s --measured %s", p->arguments,
                                  page_word(page, p->trace)));
    timeline_plan_release(&plan);
}

/* ---- the page ---- */

static enum rk_status sections(struct html_page *page, struct page_plan *p, struct rk_error *error)
{
    const struct forecast *f = p->forecast;
    enum rk_status status = RK_OK;
    p->operations = rk_predict_operations(f->model, f->system, f->plan, NULL, 0);
    p->operation = report_alloc(&page->memory, (size_t)(p->operations + 1) * sizeof *p->operation);
    if (!p->operation) return status; /* html_write says that memory ran out */
    rk_predict_operations(f->model, f->system, f->plan, p->operation, p->operations);
    time_bars(page, p);
    memory(page, p);
    savings(page, p);
    if (p->addresses)
        status = fits_chart(
            page, f, report_text(&page->memory, "reckon report %s --addresses", p->arguments),
            error);
    pipeline(page, p);
    page_layout(page, p);
    if (p->operations) operations(page, p);
    if (f->prediction->verdict == RK_FITS && by_of(p) != RK_BY_CALCULON) {
        page_section(page, "launch", "Launch it", NULL);
        page_launch(page, "What starts it, what it holds, and each event of a step:", p->model,
                    p->system, f->system, f->plan);
    }
    figures(page, p);
    return status;
}

enum rk_status page_plan(struct html_page *page, const struct forecast *f,
                         const struct page_names *names, const struct run_args *run,
                         const struct step_trace *measured, struct rk_error *error)
{
    struct report *memory_of_page = &page->memory;
    char words[RK_PLAN_TEXT];
    rk_plan_text(f->plan, words, sizeof words);
    struct page_plan p = {
        .forecast = f,
        .arguments =
            report_text(memory_of_page, "--model %s --system %s %s", page_word(page, names->model),
                        page_word(page, names->system), words),
        .model = names->model,
        .system = names->system,
        .measured = measured,
        .trace = names->measured,
        .addresses = names->addresses,
    };
    page->title = report_text(memory_of_page, "%s on %s", f->model->id, f->system->id);
    page->subtitle = report_text(memory_of_page, "One training step on %" PRIu64 " GPUs, %s: %s",
                                 f->plan->ranks, forecast_model(f->plan), words);
    verdict(page, &p, error_bar(page, &p), run->tokens);
    page_section(page, "summary", "Time of a step", NULL);
    reasons(page, &p);
    enum rk_status status = f->prediction->timed ? sections(page, &p, error) : RK_OK;
    if (status == RK_OK) status = nearest(page, &p, error);
    if (status == RK_OK)
        status = page_run(
            page, run, f,
            predict_command(page, &p, report_text(memory_of_page, "--tokens %s", run->tokens)),
            error);
    page_inputs(page, f->model, names->model, f->system, names->system, names->plan);
    return status;
}

enum rk_status page_of_plan(const char *path, const struct forecast *f,
                            const struct page_names *names, const struct run_args *run,
                            struct rk_error *error)
{
    struct html_page page = {.title = NULL};
    enum rk_status status = page_plan(&page, f, names, run, NULL, error);
    if (status == RK_OK) status = page_write(&page, path, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    return status;
}
