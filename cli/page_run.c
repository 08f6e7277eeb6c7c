/* page_run.c - the whole run of a plan on its page: tables, one run as it may go, and a closer look
 * at its first failure. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/pages.h"

#include <math.h>
#include <stdlib.h>

enum { DAY_S = 86400, MOST_EVENTS = 20000, MOST_DRAWN = 1500, MOST_MARKED = 600, AROUND = 4 };

/* Events of one run, and what undisturbed pieces of it look like. */
struct followed {
    const struct run_phases *phases;
    struct rk_campaign_event *event; /* (count) */
    size_t count;
};

/* ---- all of it ---- */

static const struct report_column progress_columns[] = {
    {.name = "days"},
    {.name = "trained", .title = "trained", .unit = "%", .help = "that checkpoints keep"},
    {.name = "what"}};

static void progress_row(struct html_page *page, struct report_table *table, double at_s,
                         double share, const char *what)
{
    REPORT_ROW(&page->memory, table, cell_number(at_s / DAY_S), cell_number(share),
               cell_text(what));
}

static void whole_run(struct html_page *page, const struct followed *f, const char *source)
{
    static const struct chart_series series[] = {{"trained", CHART_BLUE, CHART_LINE},
                                                 {"failure", CHART_RED, CHART_POINTS},
                                                 {"with fewer GPUs", CHART_ORANGE, CHART_POINTS},
                                                 {"phase", CHART_GREEN, CHART_POINTS}};
    static const char *const names[] = {[RK_EVENT_FAILURE] = "failure",
                                        [RK_EVENT_REDUCED] = "with fewer GPUs",
                                        [RK_EVENT_PHASE] = "phase",
                                        [RK_EVENT_END] = NULL};
    struct report_table *table = page_table(page, progress_columns, COUNT_OF(progress_columns));
    const double work_s = f->event[f->count - 1].done_s;
    const size_t every = f->count / MOST_DRAWN + 1;
    for (size_t i = 0; i < f->count; i++) {
        const struct rk_campaign_event *e = &f->event[i];
        const double share = e->done_s / work_s;
        const char *name = e->kind < COUNT_OF(names) ? names[e->kind] : NULL;
        if (i % every && e->kind != RK_EVENT_PHASE && e->kind != RK_EVENT_END) continue;
        progress_row(page, table, e->at_s, share, "trained");
        if (name && (f->count < MOST_MARKED || e->kind == RK_EVENT_PHASE)) /* else they hide it */
            progress_row(page, table, e->at_s, share, name);
    }
    page_chart(page,
               &(struct chart){
                   .id = "run",
                   .title = "One run, followed from failure to failure",
                   .caption = "Its failures come by chance: --seed gives other ones.",
                   .source = source,
                   .kind = CHART_XY,
                   .table = table,
                   .role = {[CHART_X] = "days", [CHART_Y] = "trained", [CHART_SERIES] = "what"},
                   .series = series,
                   .series_count = COUNT_OF(series)});
}

/* ---- around the first failure ---- */

static const struct report_column span_columns[] = {
    {.name = "from", .unit = "s"}, {.name = "to", .unit = "s"}, {.name = "row"}, {.name = "what"}};

struct look {
    struct html_page *page;
    struct report_table *table;
    double from_s, to_s; /* of the run */
};

static void add_span(const struct look *l, double from_s, double to_s, const char *row,
                     const char *what)
{
    from_s = fmax(from_s, l->from_s);
    to_s = fmin(to_s, l->to_s);
    if (to_s <= from_s) return;
    REPORT_ROW(&l->page->memory, l->table, cell_number(from_s - l->from_s),
               cell_number(to_s - l->from_s), cell_text(row), cell_text(what));
}

/* Pieces from one event to the next, each followed by a checkpoint. */
static void add_pieces(const struct look *l, double from_s, double to_s,
                       const struct rk_campaign_outcome *o)
{
    const double piece_s = o->interval_s + o->blocking_s;
    const double passed = floor(fmax(0, l->from_s - from_s) / piece_s);
    double last_s = from_s + passed * piece_s;
    for (double at_s = last_s; at_s < fmin(to_s, l->to_s); at_s += piece_s) {
        const double end_s = at_s + o->interval_s;
        add_span(l, at_s, fmin(end_s, to_s), "training", "training");
        if (end_s < to_s)
            add_span(l, end_s, fmin(end_s + o->blocking_s, to_s), "checkpoints", "checkpoint");
        last_s = end_s < to_s ? end_s : last_s;
    }
    if (to_s < l->to_s) add_span(l, last_s, to_s, "lost", "done again later");
}

static void first_failure(struct html_page *page, const struct followed *f, const char *source)
{
    static const struct chart_series series[] = {{"training", CHART_BLUE, CHART_LINE},
                                                 {"checkpoint", CHART_GREEN, CHART_LINE},
                                                 {"done again later", CHART_RED, CHART_LINE},
                                                 {"noticing, restarting", CHART_GREY, CHART_LINE}};
    struct rk_campaign_outcome o;
    size_t first = 0;
    while (first + 1 < f->count && f->event[first].kind != RK_EVENT_FAILURE)
        first++;
    if (first + 2 >= f->count) return; /* none */
    rk_campaign_expect(&f->phases->campaign[0], &o);
    const double around_s = AROUND * (o.interval_s + o.blocking_s);
    struct look l = {.page = page,
                     .table = page_table(page, span_columns, COUNT_OF(span_columns)),
                     .from_s = fmax(0, f->event[first].at_s - around_s),
                     .to_s = f->event[first + 1].at_s + around_s};
    for (size_t i = 0; i + 1 < f->count && f->event[i].at_s < l.to_s; i++) {
        const struct rk_campaign_event *e = &f->event[i];
        if (e->kind == RK_EVENT_FAILURE)
            add_span(&l, e->at_s, e[1].at_s, "standing still", "noticing, restarting");
        else
            add_pieces(&l, e->at_s, e[1].at_s, &o);
    }
    page_chart(page, &(struct chart){.id = "failure",
                                     .title = "Around its first failure",
                                     .caption = "What was done since the last checkpoint is lost.",
                                     .source = source,
                                     .kind = CHART_SPANS,
                                     .table = l.table,
                                     .role = {[CHART_X] = "from",
                                              [CHART_X_END] = "to",
                                              [CHART_Y] = "row",
                                              [CHART_SERIES] = "what"},
                                     .series = series,
                                     .series_count = COUNT_OF(series),
                                     .x = {.title = "time"}});
}

/* ---- the section ---- */

static enum rk_status follow(struct html_page *page, const struct run_args *args,
                             const struct run_phases *phases, const char *source,
                             struct rk_error *error)
{
    struct followed f = {.phases = phases, .event = malloc(MOST_EVENTS * sizeof *f.event)};
    if (!f.event) return no_memory(error);
    f.count =
        rk_campaign_follow(phases->campaign, phases->count, run_seed(args), f.event, MOST_EVENTS);
    if (f.count > 1 && f.count <= MOST_EVENTS) {
        whole_run(page, &f, source);
        first_failure(page, &f, source);
    }
    free(f.event);
    return RK_OK;
}

enum rk_status page_run(struct html_page *page, const struct run_args *args,
                        const struct forecast *forecast, const char *source, struct rk_error *error)
{
    const struct report_table *before = page->memory.last;
    struct run_terms terms;
    if (!args->tokens) return run_check(args, error);
    if (!forecast->prediction->timed) return RK_OK;
    page_section(page, "the-run", "The whole run",
                 "Failures, checkpoints and prices: docs/campaign.md.");
    enum rk_status status = run_section(&page->memory, args, forecast, NULL, NULL, error);
    if (status != RK_OK) return status;
    for (const struct report_table *t = page_described(page, before); t; t = t->next)
        if (t->formats & REPORT_IN_TEXT && t->shape != REPORT_NOTE)
            page_show(page, t->title, t, source);
    status = run_terms_open(&terms, args, error);
    struct run_phases *phases = status == RK_OK ? run_phases_open(&terms, forecast, error) : NULL;
    status = phases ? follow(page, args, phases, source, error) : error->status;
    free(phases);
    run_terms_close(&terms);
    return status;
}
