/* Two plans side by side as a page. */
#include "base/number.h"
#include "base/units.h"
#include "cli/diff.h"
#include "cli/pages.h"

#include <string.h>

/* A note, and the paragraphs that belong to it. */
static const char *said(struct html_page *page, const struct report_table *note)
{
    const char *text = report_text(&page->memory, "%s", note->title + strspn(note->title, " "));
    for (const struct report_table *t = note->next; t && t->shape == REPORT_PARAGRAPH; t = t->next)
        text = report_text(&page->memory, "%s; %s", text, t->title + strspn(t->title, " "));
    return text;
}

/* What `reckon diff` prints, its tables and its notes. */
static void tables(struct html_page *page, const struct diff *d,
                   const struct megatron_changes *changes, const char *command)
{
    const struct report_table *before = page->memory.last;
    diff_tables(&page->memory, d, changes);
    const struct report_table *first = page_described(page, before);
    page_section(page, "differences", "What differs", NULL);
    for (const struct report_table *t = first; t; t = t->next)
        if (t->shape == REPORT_NOTE)
            html_add(page, &(struct html_block){HTML_TEXT, .text = said(page, t)});
    for (const struct report_table *t = first; t; t = t->next)
        if (t->formats & REPORT_IN_TEXT) page_show(page, t->title, t, command);
}

static void add_part(struct html_page *page, struct report_table *table, const char *plan,
                     const char *part, double value, double limit, const char *help)
{
    if (value == 0) return;
    REPORT_ROW(&page->memory, table, cell_text(plan), cell_text(part), cell_number(value),
               cell_number(limit), cell_text(help));
}

static void times(struct html_page *page, const struct diff *d, const char *command)
{
    static const struct report_column columns[] = {
        {.name = "plan"},
        {.name = "part"},
        {.name = "time_s", .title = "time", .unit = "s"},
        {.name = "step_s", .title = "of", .unit = "s"},
        {.name = "what"},
    };
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    for (const struct rk_figure *f = NULL; (f = rk_figure_next(f, RK_BY_BOTH));) {
        const char *part = report_text(&page->memory, "%.*s", (int)strlen(f->name) - 2, f->name);
        if (!f->time) continue;
        add_part(page, table, "A", part, rk_figure_value(&d->a.outcome, f), d->a.step_s, f->help);
        add_part(page, table, "B", part, rk_figure_value(&d->b.outcome, f), d->b.step_s, f->help);
    }
    page_chart(page,
               &(struct chart){
                   .id = "time",
                   .title = "Where the time of a step goes",
                   .kind = CHART_BARS,
                   .caption = "The parts add up to the step. Communication and offload count "
                              "as far as the step waits for them.",
                   .source = command,
                   .table = table,
                   .role = {[CHART_Y] = "plan", [CHART_VALUE] = "time_s", [CHART_SERIES] = "part"},
                   .x = {.title = "time"}});
}

static void memory(struct html_page *page, const struct diff *d, const char *command)
{
    static const struct report_column columns[] = {
        {.name = "plan"},
        {.name = "part"},
        {.name = "bytes", .title = "needed", .unit = "B"},
        {.name = "capacity_bytes", .title = "capacity", .unit = "B"},
        {.name = "what"},
    };
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    const struct forecast b = {&d->in.model, &d->in.system, &d->in.b, &d->b, "", NULL};
    const double capacity = forecast_system(&b, d->b.tightest)->memory[0].capacity_bytes;
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        const enum rk_holding h = (enum rk_holding)i;
        add_part(page, table, "A", rk_holding_name(h), d->a.stage[d->a.tightest].holds[i], capacity,
                 rk_holding_help(h));
        add_part(page, table, "B", rk_holding_name(h), d->b.stage[d->b.tightest].holds[i], capacity,
                 rk_holding_help(h));
    }
    page_chart(page, &(struct chart){.id = "memory",
                                     .title = "What the fullest GPU holds",
                                     .kind = CHART_BARS,
                                     .caption = "One rank of the tightest stage at its peak.",
                                     .source = command,
                                     .table = table,
                                     .limit = "capacity",
                                     .role = {[CHART_Y] = "plan",
                                              [CHART_VALUE] = "bytes",
                                              [CHART_SERIES] = "part",
                                              [CHART_LIMIT] = "capacity_bytes"},
                                     .x = {.title = "memory"}});
}

/* What prints the same; a script that A is says its model itself. */
static const char *command_of(struct html_page *page, const struct diff *d,
                              const struct diff_source *from, const char *a, const char *b)
{
    const char *system = page_word(page, from->system);
    if (d->in.tool)
        return report_text(&page->memory, "reckon diff %s '%s' --system %s",
                           page_word(page, from->a), b, system);
    return report_text(&page->memory, "reckon diff '%s' '%s' --model %s --system %s", a, b,
                       page_word(page, from->model ? from->model : d->in.model.id), system);
}

/* A script's model has to be written before commands can name it. */
static void launch(struct html_page *page, const struct diff *d, const struct diff_source *from)
{
    const char *model = from->model ? from->model : d->in.model.id;
    if (d->in.script) {
        model = "model.json";
        html_add(page, &(struct html_block){
                           HTML_COMMAND, .title = "The script's model, for other commands:",
                           .text = report_text(&page->memory,
                                               "reckon import megatron %s --model-output %s",
                                               page_word(page, from->a), model)});
    }
    page_launch(page, "To launch B, and to look closer at it:", model, from->system, &d->in.system,
                &d->in.b);
}

void page_diff(struct html_page *page, const struct diff *d, const struct diff_source *from,
               const struct megatron_changes *changes)
{
    char a[RK_PLAN_TEXT], b[RK_PLAN_TEXT];
    rk_plan_text(&d->in.a, a, sizeof a);
    rk_plan_text(&d->in.b, b, sizeof b);
    const char *model = d->in.tool ? NULL : from->model ? from->model : d->in.model.id;
    const char *command = command_of(page, d, from, a, b);
    page->title =
        report_text(&page->memory, "Two plans for %s on %s", d->in.model.id, d->in.system.id);
    page->subtitle =
        report_text(&page->memory, "A, %s: %s; B, %s: %s", d->in.name_a, a, d->in.name_b, b);
    struct html_block verdict = {HTML_VERDICT, .source = command};
    verdict.title =
        report_text(&page->memory, "%s.", diff_verdict(&page->memory, d, &verdict.tone));
    html_add(page, &verdict);
    if (d->w.a.timed && d->w.b.timed) {
        page_section(page, "summary", "Side by side", NULL);
        times(page, d, command);
        memory(page, d, command);
    }
    tables(page, d, changes, command);
    if (d->w.b.verdict == RK_FITS && rk_answerer(d->in.b.framework)->runs) launch(page, d, from);
    page_inputs(page, &d->in.model, model, &d->in.system, from->system, NULL);
}
