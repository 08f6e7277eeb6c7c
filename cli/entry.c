#include "cli/entry.h"
#include "catalog/model_fields.h"

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
    const char *name = keep(report, entry->name);
    if (name) report_note(report, report_text(report, "%s: %s", entry->id ? entry->id : "-", name));
    report_paragraph(report, keep(report, entry->description));
    if (entry->synthetic && *entry->synthetic)
        report_note(report, report_text(report, "  in one line: %s", entry->synthetic));
    REPORT_OBJECT(report, "entry", {"name", cell_text(name)},
                  {"description", cell_text(keep(report, entry->description))},
                  {"synthetic", cell_text(keep(report, entry->synthetic))});
}

void entry_sources(struct report *report, const struct catalog_entry *entry)
{
    static const struct report_column columns[] = {{.name = "of"}, {.name = "source"}};
    if (!entry->sources) return;
    struct report_table *table =
        REPORT_LIST(report, "sources", "Sources", REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (size_t i = 0; i < entry->sources; i++) {
        const char *group = keep(report, entry->source[i].group);
        REPORT_ROW(report, table, cell_text(group ? group : "all"),
                   cell_text(report_text(report, "%s", entry->source[i].text)));
    }
}

/* ---- members that describe_model does not show ---- */

enum { MOST_FIELDS = 96 };

/* Those that describe_model shows. */
static bool is_classic(const struct field *field)
{
    static const char *const classic[] = {
        "layers",   "hidden",         "feedforward",      "heads",    "head_dim",
        "sequence", "vocabulary",     "attention",        "position", "tied_embeddings",
        "biases",   "embedding_norm", "count_embeddings", NULL};
    const char *const *key = classic;
    while (*key && strcmp(*key, field->key) != 0)
        key++;
    return *key != NULL;
}

static struct report_cell field_cell(const struct rk_model *model, const struct field *field)
{
    const char *text = model_field_text(model, field);
    if (text) return *text ? cell_text(text) : cell_none();
    const uint64_t value = model_field_value(model, field);
    if (field->type == FIELD_BOOL) return cell_flag(value != 0);
    if (field->type == FIELD_CHOICE) return cell_text(field->choices[value]);
    if (value || field->min < 1) return cell_count(value);
    return cell_none();
}

static void add_shape(struct report *report, const struct rk_model *model,
                      const struct report_table *parent, bool all)
{
    struct report_column *columns = report_alloc(report, MOST_FIELDS * sizeof *columns);
    struct report_cell cells[MOST_FIELDS];
    int count = 0;
    if (!columns) return;
    if (all || model->experts) {
        columns[count] = (struct report_column){.name = "active_parameters",
                                                .unit = "n",
                                                .digits = 2,
                                                .help = "those that one token meets"};
        cells[count++] = cell_count(rk_model_active_parameters(model));
    }
    for (const struct field *field = model_fields; field->key && count < MOST_FIELDS; field++) {
        const bool shown = model_field_counts(field) || model_field_text(model, field);
        if (!shown || is_classic(field)) continue;
        if (!all && !model_field_given(model, field)) continue;
        columns[count] = (struct report_column){.name = field->key, .help = field->help};
        cells[count++] = field_cell(model, field);
    }
    if (!count) return;
    report_row(
        report,
        report_add(report, &(struct report_table){.title = all ? NULL : "Unlike GPT-3",
                                                  .shape = REPORT_RECORD,
                                                  .formats = all ? REPORT_IN_JSON : REPORT_IN_TEXT,
                                                  .parent = all ? parent : NULL,
                                                  .columns = columns,
                                                  .column_count = count}),
        cells);
}

/* With what 0 stands for. */
static struct rk_model spelled_out(const struct rk_model *model)
{
    const bool multiquery = model->attention == RK_ATTENTION_MULTIQUERY;
    struct rk_model full = *model;
    if (!full.kv_heads && !full.kv_rank) full.kv_heads = multiquery ? 1 : full.heads;
    if (!full.block_norms) full.block_norms = 2;
    return full;
}

void entry_shape(struct report *report, const struct rk_model *model)
{
    const struct report_table *record = report->last;
    const struct rk_model full = spelled_out(model);
    add_shape(report, model, record, false);
    add_shape(report, &full, record, true);
}
