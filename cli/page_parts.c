/* What the pages of plans and searches share. */
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/describe.h"
#include "cli/pages.h"
#include "text/output.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* clang-format off */
const struct chart_series page_memory_series[RK_CATEGORIES] = {
    [RK_WEIGHTS]          = {"weights",              CHART_BLUE,   CHART_POINTS},
    [RK_ACTIVATIONS]      = {"activations",          CHART_ORANGE, CHART_POINTS},
    [RK_CHECKPOINTS]      = {"checkpoints",          CHART_YELLOW, CHART_POINTS},
    [RK_ACTIVATION_GRADS] = {"activation gradients", CHART_PINK,   CHART_POINTS},
    [RK_WEIGHT_GRADS]     = {"weight gradients",     CHART_TEAL,   CHART_POINTS},
    [RK_OPTIMIZER]        = {"optimizer",            CHART_GREEN,  CHART_POINTS},
};
/* clang-format on */

/* ---- blocks ---- */

struct report_table *page_table(struct html_page *page, const struct report_column *columns,
                                int count)
{
    return report_add(&page->memory,
                      &(struct report_table){.columns = columns, .column_count = count});
}

const struct report_table *page_described(struct html_page *page, const struct report_table *before)
{
    return before ? before->next : page->memory.first;
}

const char *page_sentence(struct html_page *page, const char *text)
{
    text += strspn(text, " ");
    return report_text(&page->memory, "%c%s", toupper((unsigned char)*text), *text ? text + 1 : "");
}

void page_section(struct html_page *page, const char *id, const char *title, const char *text)
{
    html_add(page, &(struct html_block){HTML_SECTION, .id = id, .title = title, .text = text});
}

void page_show(struct html_page *page, const char *title, const struct report_table *table,
               const char *source)
{
    if (table && table->rows)
        html_add(page, &(struct html_block){HTML_TABLE, .title = title, .table = table,
                                            .source = source});
}

void page_chart(struct html_page *page, const struct chart *chart)
{
    if (chart->table && chart_drawn(chart) > 0)
        html_add(page, &(struct html_block){HTML_CHART, .chart = chart});
}

const char *shell_word(struct report *memory, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=,:+@%";
    const size_t length = strlen(word);
    if (length && strspn(word, plain) == length) return word;
    char *quoted = report_alloc(memory, 4 * length + 3);
    if (!quoted) return "";
    char *to = quoted;
    *to++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            to = stpcpy(to, "'\\''");
        else
            *to++ = *word;
    *to = '\'';
    return quoted;
}

const char *page_word(struct html_page *page, const char *word)
{
    return shell_word(&page->memory, word);
}

/* ---- the whole ---- */

/* The day of SOURCE_DATE_EPOCH, as builds that can be repeated have it. */
static const char *day_of_epoch(struct html_page *page)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    struct tm day;
    char *end;
    if (!epoch || !*epoch) return NULL;
    const time_t seconds = (time_t)strtoll(epoch, &end, 10);
    if (*end || !gmtime_r(&seconds, &day)) return NULL;
    return report_text(&page->memory, "%04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1,
                       day.tm_mday);
}

static void finish(struct html_page *page, const char *title, const char *date)
{
    if (title) page->title = title;
    page->date = date ? date : day_of_epoch(page);
    page->version = report_text(&page->memory, "reckon %s, version %d of its model", RECKON_VERSION,
                                RK_MODEL_VERSION);
}

struct writing {
    const struct html_page *page;
    enum page_format format;
};

static enum rk_status write_as(FILE *out, const void *what, struct rk_error *error)
{
    const struct writing *w = what;
    return (w->format == PAGE_JSON ? html_write_json : html_write)(w->page, out, error);
}

enum rk_status page_write(struct html_page *page, const char *path, const char *title,
                          const char *date, enum page_format format, struct rk_error *error)
{
    finish(page, title, date);
    return output_write(path ? path : "-", write_as, &(struct writing){page, format}, error);
}

enum rk_status page_draws(const char *path, struct rk_error *error)
{
    if (text_ends_in(path, ".html")) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--draw %s: it writes a page, call it FILE.html; a button there saves the "
                   "drawing as SVG",
                   path);
}

/* ---- inputs ---- */

/* The text of the file that the name stands for, folded away; nothing for standard input, which
 * was read already, and for descriptions in one line, which say it all. */
static void input_text(struct html_page *page, enum catalog_kind kind, const char *name)
{
    struct document document = {.text = NULL};
    char id[64];
    const enum catalog_form form = catalog_form(kind, name);
    if (form == CATALOG_STDIN || form == CATALOG_SYNTHETIC) return;
    if (catalog_open(kind, name, &document, id, sizeof id, NULL) == RK_OK) {
        struct report *memory = &page->memory;
        const char *title = report_text(memory, "%s %s: the text of the file that was read",
                                        catalog_kind_name(kind), id);
        char *text = report_alloc(memory, document.size + 1);
        if (text) memcpy(text, document.text, document.size);
        html_add(page, &(struct html_block){HTML_FILE, .title = title, .text = text});
    }
    document_release(&document);
}

/* Where an entry's numbers come from, as its file says. */
static void input_sources(struct html_page *page, struct report_table *table,
                          enum catalog_kind kind, const char *name)
{
    struct catalog_entry entry = {.id = NULL};
    if (catalog_form(kind, name) == CATALOG_STDIN) return;
    if (catalog_describe(kind, name, &entry, NULL) == RK_OK)
        for (size_t i = 0; i < entry.sources; i++) {
            const char *group = entry.source[i].group;
            REPORT_ROW(
                &page->memory, table,
                cell_text(report_text(&page->memory, "%s %s", catalog_kind_name(kind), entry.id)),
                cell_text(report_text(&page->memory, "%s", *group ? group : "all of it")),
                cell_text(report_text(&page->memory, "%s", entry.source[i].text)));
        }
    catalog_entry_release(&entry);
}

static void input_row(struct html_page *page, struct report_table *table, const char *what,
                      const char *name)
{
    if (name) REPORT_ROW(&page->memory, table, cell_text(what), cell_text(name));
}

/* All tables after `before`; `reckon COMMAND NAME` shows the same ones. */
static void described_tables(struct html_page *page, const struct report_table *before,
                             const char *command, const char *name)
{
    const char *source =
        command && name ? report_text(&page->memory, "reckon %s %s", command, page_word(page, name))
                        : NULL;
    for (const struct report_table *t = page_described(page, before); t; t = t->next)
        page_show(page, t->title, t, source);
}

void page_inputs(struct html_page *page, const struct rk_model *model, const char *model_name,
                 const struct rk_system *system, const char *system_name, const char *plan_name)
{
    static const struct report_column columns[] = {{.name = "input"}, {.name = "as given"}};
    static const struct report_column source_columns[] = {
        {.name = "input"}, {.name = "numbers"}, {.name = "source"}};
    struct report_table *names = page_table(page, columns, 2);
    struct report_table *sources = page_table(page, source_columns, 3);
    page_section(page, "inputs", "Inputs",
                 "All that the numbers of this page follow from. Tables show SI values in units "
                 "for people; the text of each file stands below.");
    input_row(page, names, "model", model_name);
    input_row(page, names, "system", system_name);
    input_row(page, names, "plan", plan_name);
    page_show(page, NULL, names, NULL);
    const struct report_table *before = page->memory.last;
    describe_model(&page->memory, model, REPORT_IN_ALL);
    described_tables(page, before, "models", model_name);
    before = page->memory.last;
    describe_system(&page->memory, system, REPORT_IN_ALL);
    described_tables(page, before, "systems", system_name);
    if (model_name) input_sources(page, sources, CATALOG_MODELS, model_name);
    input_sources(page, sources, CATALOG_SYSTEMS, system_name);
    if (plan_name) input_sources(page, sources, CATALOG_PLANS, plan_name);
    page_show(page, "Sources, as the inputs name them", sources, NULL);
    if (model_name) input_text(page, CATALOG_MODELS, model_name);
    input_text(page, CATALOG_SYSTEMS, system_name);
    if (plan_name) input_text(page, CATALOG_PLANS, plan_name);
}
