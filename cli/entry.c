#include "cli/entry.h"

#include <string.h>

enum rk_status entry_describe(enum catalog_kind kind, const char *name, struct catalog_entry *entry,
                              struct rk_error *error)
{
    return strcmp(name, "-") == 0 ? RK_OK : catalog_describe(kind, name, entry, error);
}

/* A copy that lives as long as the report; NULL for what the file does not have. */
static const char *keep(struct report *report, const char *text)
{
    return text && *text ? report_text(report, "%s", text) : NULL;
}

void entry_headline(struct report *report, const struct catalog_entry *entry)
{
    static const struct report_column columns[] = {
        {.name = "name"}, {.name = "description"}, {.name = "synthetic"}};
    const char *name = keep(report, entry->name);
    const struct report_cell cells[] = {cell_text(name),
                                        cell_text(keep(report, entry->description)),
                                        cell_text(keep(report, entry->synthetic))};
    if (name) report_note(report, report_text(report, "%s: %s", entry->id ? entry->id : "-", name));
    report_paragraph(report, keep(report, entry->description));
    if (entry->synthetic && *entry->synthetic)
        report_note(report, report_text(report, "  in one line: %s", entry->synthetic));
    report_row(report,
               report_add(report, &(struct report_table){.name = "entry",
                                                         .shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_JSON,
                                                         .columns = columns,
                                                         .column_count = 3}),
               cells);
}

void entry_sources(struct report *report, const struct catalog_entry *entry)
{
    static const struct report_column columns[] = {{.name = "of"}, {.name = "source"}};
    if (!entry->sources) return;
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "sources",
                                                  .title = "Sources",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = columns,
                                                  .column_count = 2});
    for (size_t i = 0; i < entry->sources; i++) {
        const char *group = keep(report, entry->source[i].group);
        report_row(report, table,
                   (const struct report_cell[]){
                       cell_text(group ? group : "all"),
                       cell_text(report_text(report, "%s", entry->source[i].text))});
    }
}
