/* What to do with a plan: which single change saves memory, and the lines that launch it. */
#include "base/number.h"
#include "cli/export_plan.h"
#include "cli/pages.h"
#include "cli/verdict.h"
#include "clusters/predict.h"

#include <inttypes.h>
#include <math.h>

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "change"},
    {.name = "saved_bytes", .title = "saves", .unit = "B"},
    {.name = "left_bytes",  .title = "left",  .unit = "B"},
    SAVING_COLUMNS,
    {.name = "step_s",      .title = "step",  .unit = "s"},
    {.name = "step_change", .title = "slower by", .unit = "%"},
    {.name = "what"},
};
/* clang-format on */

static void saving_row(struct html_page *page, struct report_table *table, const struct forecast *f,
                       const struct rk_saving *s)
{
    const double slower = s->step_s / f->prediction->step_s - 1;
    REPORT_ROW(&page->memory, table, cell_text(report_text(&page->memory, "%s", s->words)),
               cell_number(s->saved_bytes), cell_number(s->left_bytes), SAVING_CELLS(f, s, NULL),
               cell_number(s->step_s), cell_number(fabs(slower) < 5e-4 ? 0 : slower),
               cell_text(s->what));
}

void page_savings(struct html_page *page, const struct forecast *f, const char *source)
{
    struct rk_saving saving[RK_MAX_SAVINGS], pair;
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    const int count = verdict_savings(f, NULL, saving);
    bool rescued = f->prediction->verdict == RK_FITS;
    for (int i = 0; i < count; i++) {
        saving_row(page, table, f, &saving[i]);
        rescued |= saving[i].fits;
    }
    page_show(page, "Single changes that save memory", table, source);
    if (rescued) return;
    table = page_table(page, columns, COUNT_OF(columns));
    if (rk_savings_pair(f->model, f->system, f->plan, f->prediction, false, &pair)) {
        pair.what = "both changes";
        saving_row(page, table, f, &pair);
    }
    page_show(page, "No single change makes it fit: the fastest pairs that do", table, source);
}

/* Over several clusters the stages say how many GPUs there are. */
static const char *lines_over(struct html_page *page, const char *model, const char *system,
                              const struct rk_plan *plan, const char *words)
{
    struct rk_plan plain;
    const char *of = report_text(&page->memory, "-m %s -s %s %s", page_word(page, model),
                                 page_word(page, system), words);
    const char *export = plan_plain(plan, &plain)
                             ? report_text(&page->memory, "reckon export megatron %s\n", of)
                             : "";
    return report_text(&page->memory, "%sreckon fits %s\nreckon timeline %s --trace trace.json",
                       export, of, of);
}

void page_launch(struct html_page *page, const char *title, const char *model, const char *system,
                 const struct rk_system *machine, const struct rk_plan *plan)
{
    char words[RK_PLAN_TEXT];
    const char *format = launch_format(machine, plan), *lines = "";
    rk_plan_text(plan, words, sizeof words);
    const bool over = rk_plan_layout(plan)->parts > 0;
    if (format && !over)
        lines = report_text(&page->memory, "reckon export %s -m %s gpus%" PRIu64 " %s\n", format,
                            page_word(page, model), plan->ranks, words);
    if (over)
        lines = lines_over(page, model, system, plan, words);
    else
        lines =
            report_text(&page->memory,
                        "%sreckon fits %s %s --gpus %" PRIu64 " %s\n"
                        "reckon timeline -m %s -s %s -g %" PRIu64 " %s --trace trace.json",
                        lines, page_word(page, model), page_word(page, system), plan->ranks, words,
                        page_word(page, model), page_word(page, system), plan->ranks, words);
    html_add(page, &(struct html_block){HTML_COMMAND, .title = title, .text = lines});
}
