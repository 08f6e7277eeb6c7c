#include "cli/clusters_page.h"

#include "cli/clusters_map.h"
#include "cli/pages.h"
#include "report/write.h"

#include <inttypes.h>
#include <string.h>

/* Can its ranks be drawn? */
static bool is_regular(const struct clusters_plan *plan)
{
    for (int i = 0; i < plan->stages; i++)
        if (plan->stage[i].homes && !plan->stage[i].regular) return false;
    return true;
}

/* What people look for first among the figures of a record; the rest stands at the end. */
static void add_cards(struct html_page *page, const struct report_table *record)
{
    static const char *const first[] = {"step_s", "samples_per_s", "days",
                                        "usd",    "gpus_used",     "gap"};
    enum { FIRST = sizeof first / sizeof *first };
    struct report_cell cells[REPORT_MAX_COLUMNS], shown[FIRST];
    struct report_column *columns =
        report_alloc(&page->memory, (size_t)record->column_count * sizeof *columns);
    int count = 0;
    if (!columns) return;
    table_row(record, 0, cells);
    for (int k = 0; k < FIRST; k++)
        for (int i = 0; i < record->column_count; i++)
            if (strcmp(record->columns[i].name, first[k]) == 0 && cells[i].type != REPORT_NONE) {
                columns[count] = record->columns[i];
                shown[count++] = cells[i];
            }
    struct report_table *table = page_table(page, columns, count);
    report_row(&page->memory, table, shown);
    if (count) html_add(page, &(struct html_block){HTML_CARDS, .table = table});
}

/* The tables of the report up to `last` that have the shape, in their order. */
static void add_tables(struct html_page *page, const struct report_table *last,
                       enum report_shape shape)
{
    for (const struct report_table *table = page->memory.first; table; table = table->next) {
        if (table->shape == shape) page_show(page, table->title, table, NULL);
        if (table == last) break;
    }
}

static void add_summary(struct html_page *page, const struct report_table *last)
{
    page_section(page, "summary", "Summary", NULL);
    for (const struct report_table *table = page->memory.first; table; table = table->next) {
        if (table->shape == REPORT_RECORD) add_cards(page, table);
        if (table->shape == REPORT_NOTE)
            html_add(page,
                     &(struct html_block){HTML_TEXT, .text = page_sentence(page, table->title)});
        if (table == last) break;
    }
}

enum rk_status clusters_page(const char *path, const char *model, const char *system,
                             const struct clusters_shown *shown, const struct clusters_also *also,
                             struct rk_error *error)
{
    struct html_page page = {.title = NULL};
    const struct clusters_plan *plan = &shown->answer->best;
    const int clusters = shown->question->machine->clusters;
    page.title = report_text(&page.memory, "%s over %d cluster%s", model, clusters,
                             clusters == 1 ? "" : "s");
    page.subtitle = report_text(&page.memory, "%s, batch %" PRIu64, system,
                                shown->question->words.batch);
    if (!clusters_show(&page.memory, shown->question, shown->answer, shown->given, shown->kept,
                       also))
        page.memory.failed = true;
    const struct report_table *last = page.memory.last;
    add_summary(&page, last);
    page_section(&page, "stages", "Stages and what they send", NULL);
    add_tables(&page, last, REPORT_ROWS);
    if (is_regular(plan)) {
        page_section(&page, "ranks", "Ranks", NULL);
        clusters_map(&page, plan, shown->question->machine);
    }
    page_section(&page, "figures", "Every figure", NULL);
    add_tables(&page, last, REPORT_RECORD);
    const enum rk_status status = page_write(&page, path, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    return status;
}
