/* The page of one plan: time, memory, and the operations behind them. */
#include "cli/breakdown.h"
#include "cli/describe.h"
#include "cli/pages.h"

#include <math.h>
#include <string.h>

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* The command that prints the plan's numbers. */
static const char *estimate_command(struct html_page *page, const struct page_plan *p,
                                    const char *more)
{
    return report_text(&page->memory, "reckon estimate --model %s --system %s --strategy %s %s",
                       page_word(page, p->model_name), page_word(page, p->system_name),
                       page_word(page, p->strategy_name), more);
}

/* ---- the headline ---- */

static void cards(struct html_page *page, const struct page_plan *p)
{
    static const struct report_column columns[] = {
        {.name = "step_s", .title = "step", .unit = "s", .help = "time of one training step"},
        {.name = "mfu",
         .title = "MFU",
         .unit = "%",
         .help = "useful FLOP (forward, both gradients, optimizer) over peak times step time"},
        {.name = "samples_per_s", .title = "samples/s", .help = "all ranks together"},
        {.name = "tokens_per_s", .title = "tokens/s", .unit = "n", .help = "all ranks together"},
        {.name = "hbm_bytes", .title = "memory tier 0", .unit = "B", .help = "needed by a rank"},
        {.name = "offload_bytes", .title = "lower tiers", .unit = "B", .help = "needed by a rank"},
        {.name = "ranks", .title = "GPUs", .help = "tensor * pipeline * data"},
        {.name = "batch", .title = "batch", .help = "samples of one step"},
    };
    const struct rk_estimate *e = p->estimate;
    const struct report_cell cells[] = {
        cell_number(e->step_s),         cell_number(e->mfu),
        cell_number(e->samples_per_s),  cell_number(e->tokens_per_s),
        cell_number(e->hbm_bytes),      cell_number(e->offload_bytes),
        cell_count(p->strategy->ranks), cell_count(p->strategy->batch)};
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    report_row(&page->memory, table, cells);
    if (table)
        html_add(page, &(struct html_block){HTML_CARDS, .table = table,
                                            .source = estimate_command(page, p, "--format json")});
}

static void reasons(struct html_page *page, const struct page_plan *p)
{
    const struct report_table *before = page->memory.last;
    if (p->estimate->verdict == RK_FITS) return;
    describe_reasons(&page->memory, p->system, p->estimate);
    const struct report_table *table = page_described(page, before);
    html_add(page,
             &(struct html_block){
                 HTML_WARNING, .text = p->estimate->timed
                                           ? "This plan cannot run. What follows is what it would "
                                             "cost if the reasons below were gone."
                                           : "This plan cannot run, for the reasons below."});
    page_show(page, "Why it cannot run", table ? table->next : NULL,
              estimate_command(page, p, "--format json"));
}

/* ---- time ---- */

static void time_bars(struct html_page *page, const struct page_plan *p)
{
    static const struct report_column columns[] = {
        {.name = "plan"},
        {.name = "part"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "share", .unit = "%"},
        {.name = "figures"},
    };
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    for (int i = 0; i < PAGE_PARTS; i++) {
        const struct page_part *part = &page_parts[i];
        const double time_s = page_part_s(p->estimate, part);
        const struct report_cell cells[] = {
            cell_text("step"), cell_text(part->name), cell_number(time_s),
            cell_number(time_s / p->estimate->step_s),
            cell_text(report_text(&page->memory, part->figure[1] ? "%s + %s" : "%s",
                                  part->figure[0], part->figure[1]))};
        report_row(&page->memory, table, cells);
    }
    page_chart(page,
               &(struct chart){
                   .id = "time",
                   .title = "Where the time of a step goes",
                   .kind = CHART_BARS,
                   .caption = "The parts add up to the step. Communication and offload count "
                              "as far as the step waits for them.",
                   .source = estimate_command(page, p, "--format json"),
                   .table = table,
                   .role = {[CHART_Y] = "plan", [CHART_VALUE] = "time_s", [CHART_SERIES] = "part"},
                   .x = {.title = "time"},
                   .series = page_part_series,
                   .series_count = PAGE_PARTS});
    page_show(page, "The same in numbers", table, estimate_command(page, p, "--format json"));
}

/* ---- the flame graph: step, parts, passes, operations ---- */

struct flame {
    struct html_page *page;
    struct report_table *table;
    const struct rk_operation *operation;
    int operations;
    double step_s;
};

static void span(const struct flame *f, const char *level, const char *part, const char *name,
                 double from_s, double time_s)
{
    if (time_s <= 0) return;
    const struct report_cell cells[] = {cell_text(level),
                                        cell_text(part),
                                        cell_text(name),
                                        cell_number(from_s),
                                        cell_number(from_s + time_s),
                                        cell_number(time_s),
                                        cell_number(time_s / f->step_s)};
    report_row(&f->page->memory, f->table, cells);
}

/* What one operation takes in a pass of one block. */
static double operation_s(const struct rk_operation *o, const char *pass)
{
    if (strcmp(pass, "forward") == 0) return o->time_s[RK_FORWARD];
    if (strcmp(pass, "activation gradients") == 0) return o->time_s[RK_AGRAD];
    if (strcmp(pass, "weight gradients") == 0) return o->time_s[RK_WGRAD];
    if (strcmp(pass, "recompute") == 0) return o->recomputed ? o->time_s[RK_FORWARD] : 0;
    return strcmp(pass, "optimizer") == 0 ? o->optimizer_s : 0;
}

static double pass_s(const struct flame *f, const char *pass)
{
    double sum_s = 0;
    for (int i = 0; i < f->operations; i++)
        sum_s += operation_s(&f->operation[i], pass);
    return sum_s;
}

/* All blocks and microbatches of a pass, its operations in proportion. */
static void pass(const struct flame *f, const char *part, const char *name, double from_s,
                 double time_s)
{
    const double sum_s = pass_s(f, name);
    span(f, "pass", part, name, from_s, time_s);
    for (int i = 0; i < f->operations && sum_s > 0; i++) {
        const double length_s = operation_s(&f->operation[i], name) / sum_s * time_s;
        span(f, "operation", part, f->operation[i].name, from_s, length_s);
        from_s += length_s;
    }
}

static void part_spans(const struct flame *f, const char *name, double from_s, double time_s)
{
    const double agrad_s = pass_s(f, "activation gradients"),
                 wgrad_s = pass_s(f, "weight gradients");
    span(f, "part", name, name, from_s, time_s);
    if (strcmp(name, "backward") == 0 && agrad_s + wgrad_s > 0) {
        const double first_s = time_s * agrad_s / (agrad_s + wgrad_s);
        pass(f, name, "activation gradients", from_s, first_s);
        pass(f, name, "weight gradients", from_s + first_s, time_s - first_s);
    } else if (pass_s(f, name) > 0) {
        pass(f, name, name, from_s, time_s);
    }
}

static void time_flame(struct html_page *page, const struct page_plan *p)
{
    static const struct report_column columns[] = {
        {.name = "level"},
        {.name = "part"},
        {.name = "what"},
        {.name = "from_s", .title = "from", .unit = "s"},
        {.name = "to_s", .title = "to", .unit = "s"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "share", .title = "of the step", .unit = "%"},
    };
    struct rk_operation operations[RK_MAX_OPERATIONS];
    const struct flame f = {page, page_table(page, columns, COUNT_OF(columns)), operations,
                            rk_block_operations(p->model, p->system, p->strategy, operations),
                            p->estimate->step_s};
    double from_s = 0;
    span(&f, "step", "step", "step", 0, p->estimate->step_s);
    for (int i = 0; i < PAGE_PARTS; i++) {
        const double time_s = page_part_s(p->estimate, &page_parts[i]);
        part_spans(&f, page_parts[i].name, from_s, time_s);
        from_s += time_s;
    }
    page_chart(page, &(struct chart){
                         .id = "flame",
                         .title = "The step from the whole to its operations",
                         .kind = CHART_SPANS,
                         .caption = "Each level divides the one above. Operations are those of all "
                                    "blocks and microbatches together, in proportion to their time "
                                    "in one block. Drag over a part to enlarge it, double-click to "
                                    "go back.",
                         .source = estimate_command(page, p, "--layers --format json"),
                         .table = f.table,
                         .role = {[CHART_X] = "from_s",
                                  [CHART_X_END] = "to_s",
                                  [CHART_Y] = "level",
                                  [CHART_SERIES] = "part",
                                  [CHART_LABEL] = "what"},
                         .x = {.title = "time, not in the order of events"},
                         .series = page_part_series,
                         .series_count = PAGE_PARTS + 1});
}

/* ---- memory ---- */

static void memory_row(struct html_page *page, struct report_table *table,
                       const struct page_plan *p, int tier, int category)
{
    const double capacity = p->system->memory[tier].capacity_bytes;
    const double bytes = rk_tier_bytes(p->estimate, p->strategy, tier, (enum rk_category)category);
    const struct report_cell cells[] = {
        cell_text(memory_name(&page->memory, p->system, tier)),
        cell_text(page_memory_series[category].name), cell_number(bytes),
        isfinite(capacity) ? cell_number(capacity) : cell_none(),
        isfinite(capacity) && capacity > 0 ? cell_number(bytes / capacity) : cell_none()};
    report_row(&page->memory, table, cells);
}

static bool is_used(const struct page_plan *p, int tier)
{
    double bytes = 0;
    for (int category = 0; category < RK_CATEGORIES; category++)
        bytes += rk_tier_bytes(p->estimate, p->strategy, tier, (enum rk_category)category);
    return bytes > 0;
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
    for (int tier = 0; tier < p->system->memories; tier++)
        for (int category = 0; category < RK_CATEGORIES && (tier == 0 || is_used(p, tier));
             category++)
            memory_row(page, table, p, tier, category);
    page_section(page, "memory", "Memory of a rank", NULL);
    page_chart(page,
               &(struct chart){
                   .id = "memory",
                   .title = "Memory per tier against its capacity",
                   .kind = CHART_BARS,
                   .caption =
                       "What one rank holds at its peak, by category. Tiers below the first are "
                       "shown where something is offloaded to them.",
                   .source = estimate_command(page, p, "--format json"),
                   .table = table,
                   .limit = "capacity",
                   .role = {[CHART_Y] = "tier",
                            [CHART_VALUE] = "bytes",
                            [CHART_SERIES] = "category",
                            [CHART_LIMIT] = "capacity_bytes"},
                   .x = {.title = "memory"},
                   .series = page_memory_series,
                   .series_count = RK_CATEGORIES});
    page_show(page, "The same in numbers", table, estimate_command(page, p, "--format json"));
}

/* ---- operations and all figures ---- */

static void operations(struct html_page *page, const struct page_plan *p)
{
    const struct breakdown b = {p->model, p->system, p->strategy, p->estimate, 0};
    page_section(page, "operations", "Operations of a block",
                 "One transformer block on one rank, one microbatch.");
    page_roofline(page, p);
    const struct report_table *before = page->memory.last;
    breakdown_operations(&page->memory, &b);
    page_show(page, "Operations", page_described(page, before),
              estimate_command(page, p, "--layers --format csv"));
}

/* One row, a column per figure: shown downwards, with what each one means. */
static void figures(struct html_page *page, const struct page_plan *p)
{
    const struct rk_figure *f = NULL;
    int count = 0;
    while ((f = rk_figure_next(f, RK_BY_CALCULON)))
        count++;
    struct report_column *columns = report_alloc(&page->memory, (size_t)count * sizeof *columns);
    struct report_cell *cells = report_alloc(&page->memory, (size_t)count * sizeof *cells);
    if (!columns || !cells) return;
    for (int i = 0; (f = rk_figure_next(f, RK_BY_CALCULON)); i++) {
        columns[i] = (struct report_column){
            .name = f->name, .title = f->name, .unit = f->unit, .help = f->help};
        cells[i] = cell_number(rk_figure_value(p->estimate, f));
    }
    struct report_table *table = report_add(
        &page->memory,
        &(struct report_table){.shape = REPORT_RECORD, .columns = columns, .column_count = count});
    report_row(&page->memory, table, cells);
    page_section(page, "figures", "Every figure",
                 "All that the estimate says, under the names of its JSON and CSV.");
    page_show(page, NULL, table, estimate_command(page, p, "--format json"));
}

static void pipeline(struct html_page *page, const struct page_plan *p)
{
    const struct timeline_options options = timeline_options_of(p->strategy);
    struct timeline_plan plan;
    struct rk_error error;
    if (timeline_plan_of(&plan, p->model, p->system, p->strategy, p->estimate, &options, &error) !=
        RK_OK)
        return;
    page_schedule(page, &plan,
                  report_text(&page->memory,
                              "reckon timeline --model %s --system %s --strategy %s -o trace.json",
                              page_word(page, p->model_name), page_word(page, p->system_name),
                              page_word(page, p->strategy_name)));
    timeline_plan_release(&plan);
}

/* ---- the page ---- */

void page_plan(struct html_page *page, const struct page_plan *p)
{
    struct report *memory_of_page = &page->memory;
    page->title = report_text(memory_of_page, "%s on %s", p->model->id, p->system->id);
    page->subtitle = report_text(
        memory_of_page, "One training step on %llu GPUs: tensor %llu, pipeline %llu, data %llu, %s",
        (unsigned long long)p->strategy->ranks, (unsigned long long)p->strategy->tensor,
        (unsigned long long)p->strategy->pipeline, (unsigned long long)p->strategy->data,
        rk_datatype_name(p->strategy->datatype));
    page_section(page, "summary", "Summary", NULL);
    reasons(page, p);
    if (p->estimate->timed) {
        cards(page, p);
        time_bars(page, p);
        time_flame(page, p);
        memory(page, p);
        pipeline(page, p);
        page_layout(page, p);
        operations(page, p);
        figures(page, p);
    }
    page_inputs(page, p->model, p->model_name, p->system, p->system_name, p->strategy,
                p->strategy_name);
}
