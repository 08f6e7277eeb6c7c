#include "cli/clusters_page.h"

#include "cli/clusters_draw.h"
#include "cli/pages.h"

/* Can its ranks be drawn? */
static bool is_regular(const struct clusters_plan *plan)
{
    for (int i = 0; i < plan->stages; i++)
        if (plan->stage[i].homes && !plan->stage[i].regular) return false;
    return true;
}

/* The tables of the report, in their order. */
static void add_tables(struct html_page *page)
{
    for (const struct report_table *table = page->memory.first; table; table = table->next) {
        struct html_block block = {.kind = HTML_TABLE, .title = table->title, .table = table};
        if (table->shape == REPORT_NOTE)
            block = (struct html_block){.kind = HTML_TEXT, .text = table->title};
        else if (table->shape == REPORT_RECORD)
            block.kind = HTML_CARDS;
        html_add(page, &block);
    }
}

enum rk_status clusters_page(const char *path, const char *model, const char *system,
                             const struct clusters_shown *shown, const struct clusters_also *also,
                             struct rk_error *error)
{
    struct html_page page = {.title = NULL};
    const struct clusters_plan *plan = &shown->answer->best;
    page.title =
        report_text(&page.memory, "%s over %d clusters", model, shown->question->machine->clusters);
    page.subtitle = report_text(&page.memory, "%s", system);
    if (!clusters_show(&page.memory, shown->question, shown->answer, shown->given, also))
        page.memory.failed = true;
    add_tables(&page);
    const char *map = is_regular(plan)
                          ? clusters_drawn(&page.memory, plan, shown->question->machine)
                          : NULL;
    if (map)
        html_add(&page, &(struct html_block){
                            .kind = HTML_DRAWING,
                            .title = "Where the ranks are: devices in nodes, racks and clusters, "
                                     "coloured by stage and replica, tensor groups framed",
                            .text = map});
    const enum rk_status status = page_write(&page, path, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    return status;
}
