#include "report/html.h"
#include "base/memory.h"
#include "report/html_assets.h"
#include "report/markup.h"
#include "report/text_number.h"
#include "report/write.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- blocks ---- */

void html_release(struct html_page *page)
{
    report_release(&page->memory);
    *page = (struct html_page){0};
}

void html_add(struct html_page *page, const struct html_block *block)
{
    struct html_block *copy = report_alloc(&page->memory, sizeof *copy);
    if (!copy) return;
    *copy = *block;
    copy->next = NULL;
    copy->number = page->last ? page->last->number + 1 : 1;
    if (block->chart) {
        struct chart *chart = report_alloc(&page->memory, sizeof *chart);
        if (!chart) return;
        *chart = *block->chart;
        copy->chart = chart;
    }
    if (page->last)
        page->last->next = copy;
    else
        page->first = copy;
    page->last = copy;
}

const struct html_block *html_next_chart(const struct html_page *page,
                                         const struct html_block *block)
{
    block = block ? block->next : page->first;
    while (block && block->kind != HTML_CHART)
        block = block->next;
    return block;
}

/* ---- small pieces ---- */

static void element(FILE *out, const char *tag, const char *class, const char *text)
{
    if (!text) return;
    fprintf(out, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
    markup_text(out, text);
    fprintf(out, "</%s>\n", tag);
}

/* A name without a title as words: "can_run" is "can run"; "step_s" a "step", as its cells have the
 * unit. */
static void title_text(FILE *out, const struct report_column *column)
{
    static const char *const known[][2] = {{"gpus", "GPUs"},
                                           {"mfu", "MFU"},
                                           {"hfu", "HFU"},
                                           {"hbm_bytes", "memory"},
                                           {"help", "what it is"}};
    const bool titled = column->title && *column->title;
    const size_t length = strlen(column->name);
    char words[64];
    snprintf(words, sizeof words, "%s", titled ? column->title : column->name);
    for (size_t i = 0; i < sizeof known / sizeof *known && !titled; i++)
        if (strcmp(words, known[i][0]) == 0) snprintf(words, sizeof words, "%s", known[i][1]);
    if (!titled && column->unit && length > 2 && strcmp(column->name + length - 2, "_s") == 0 &&
        strcmp(column->unit, "s") == 0)
        words[length - 2] = '\0';
    for (char *c = words; *c && !titled; c++)
        if (*c == '_') *c = ' ';
    markup_text(out, words);
}

static void source(FILE *out, const char *command)
{
    if (!command) return;
    fputs("<details class=\"from\"><summary>Command</summary><code>", out);
    markup_text(out, command);
    fputs("</code></details>\n", out);
}

/* ---- tables ---- */

/* Columns: smaller on paper, and still smaller. */
enum { MANY = 9, MOST = 14, TURNED = 18 };

static bool is_number(const struct report_cell *cell)
{
    return cell->type == REPORT_COUNT || cell->type == REPORT_NUMBER;
}

/* Columns that say nothing here are hidden: bars of the terminal, which are charts, and those
 * without a value in any row. Those with a number in any row stand on the right. */
struct looks {
    bool hidden[REPORT_MAX_COLUMNS], number[REPORT_MAX_COLUMNS];
    int decimals[REPORT_MAX_COLUMNS]; /* of the cell that has most, of columns without a unit */
};

static int cell_decimals(const struct report_column *column, const struct report_cell *cell)
{
    char text[MARKUP_CELL];
    if (cell->type != REPORT_NUMBER || (column->unit && *column->unit)) return 0;
    return number_decimals(markup_cell(text, column, cell));
}

static void find_looks(const struct report_table *table, struct looks *looks)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    for (int i = 0; i < table->column_count; i++) {
        looks->hidden[i] = table->rows > 0;
        looks->decimals[i] = 0;
        looks->number[i] = table->columns[i].unit && *table->columns[i].unit;
    }
    for (size_t row = 0; row < table->rows; row++) {
        table_row(table, row, cells);
        for (int i = 0; i < table->column_count; i++) {
            looks->hidden[i] &= cells[i].type == REPORT_NONE ||
                                (cells[i].type == REPORT_TEXT && !*cells[i].as.text);
            looks->number[i] |= is_number(&cells[i]);
            const int decimals = cell_decimals(&table->columns[i], &cells[i]);
            if (decimals > looks->decimals[i]) looks->decimals[i] = decimals;
        }
    }
    for (int i = 0; i < table->column_count; i++)
        looks->hidden[i] |= table->columns[i].bar != REPORT_NO_BAR;
}

static void header(FILE *out, const struct report_table *table, const struct looks *looks)
{
    fputs("<thead><tr>", out);
    for (int i = 0; i < table->column_count; i++) {
        const struct report_column *column = &table->columns[i];
        if (looks->hidden[i]) continue;
        fputs(looks->number[i] ? "<th scope=\"col\" class=\"n\"" : "<th scope=\"col\"", out);
        if (column->help) {
            fputs(" title=\"", out);
            markup_text(out, column->help);
            fputc('"', out);
        }
        fputc('>', out);
        title_text(out, column);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n", out);
}

/* Short enough to stay on one line, for all its hyphens. */
static bool is_word(const char *text)
{
    return strlen(text) <= 24 && !strpbrk(text, " /");
}

/* Numbers carry all their digits, for sorting and for those who look closely. */
static void table_cell(FILE *out, const struct report_column *column,
                       const struct report_cell *cell, bool number, int decimals)
{
    char text[MARKUP_CELL], exact[NUMBER_SIZE];
    if (cell->type == REPORT_COUNT)
        fprintf(out, "<td class=\"n\" data-v=\"%" PRIu64 "\">", cell->as.count);
    else if (cell->type == REPORT_NUMBER)
        fprintf(out, "<td class=\"n\" data-v=\"%s\">", number_exact(cell->as.number, exact));
    else if (cell->type == REPORT_NONE && number)
        fputs("<td class=\"n\">", out);
    else
        fputs(cell->type == REPORT_TEXT && is_word(cell->as.text) ? "<td class=\"w\">" : "<td>",
              out);
    const char *shown = cell->type == REPORT_TEXT ? cell->as.text : markup_cell(text, column, cell);
    if (decimals && cell->type == REPORT_NUMBER) number_align(text, MARKUP_DIGITS, decimals);
    markup_text(out, shown);
    fputs("</td>", out);
}

static void rows(FILE *out, const struct report_table *table)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    struct looks looks;
    find_looks(table, &looks);
    header(out, table, &looks);
    fputs("<tbody>\n", out);
    for (size_t row = 0; row < table->rows; row++) {
        table_row(table, row, cells);
        fputs("<tr>", out);
        for (int i = 0; i < table->column_count; i++)
            if (!looks.hidden[i])
                table_cell(out, &table->columns[i], &cells[i], looks.number[i], looks.decimals[i]);
        fputs("</tr>\n", out);
    }
}

/* One row, read downwards. */
static void record(FILE *out, const struct report_table *table)
{
    static const struct report_column columns[] = {
        {.name = "name"}, {.name = "value"}, {.name = "what it is"}};
    struct report_cell cells[REPORT_MAX_COLUMNS];
    bool helps = false;
    table_row(table, 0, cells);
    for (int i = 0; i < table->column_count; i++)
        helps |= table->columns[i].help != NULL;
    header(out, &(struct report_table){.columns = columns, .column_count = helps ? 3 : 2},
           &(struct looks){.number = {false}});
    fputs("<tbody>\n", out);
    for (int i = 0; i < table->column_count; i++) {
        fputs("<tr><td>", out);
        title_text(out, &table->columns[i]);
        fputs("</td>", out);
        table_cell(out, &table->columns[i], &cells[i], true, 0);
        if (helps) {
            fputs("<td>", out);
            markup_text(out, table->columns[i].help ? table->columns[i].help : "");
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
}

static int shown_columns(const struct report_table *table)
{
    struct looks looks;
    int shown = 0;
    find_looks(table, &looks);
    for (int i = 0; i < table->column_count; i++)
        shown += !looks.hidden[i];
    return shown;
}

static void table_block(const struct html_block *block, FILE *out)
{
    const struct report_table *table = block->table;
    fprintf(out, "<div class=\"data\" id=\"part-%d\">\n", block->number);
    element(out, "h3", NULL, block->title);
    element(out, "p", NULL, block->text);
    const int count = table->shape == REPORT_ROWS ? shown_columns(table) : 0;
    fprintf(out, "<div class=\"wide\"><table%s>\n",
            count > TURNED ? " class=\"turned\""
            : count > MOST ? " class=\"most\""
            : count > MANY ? " class=\"many\""
                           : "");
    if (table->shape == REPORT_RECORD && table->rows)
        record(out, table);
    else
        rows(out, table);
    fputs("</tbody></table></div>\n", out);
    source(out, block->source);
    fputs("</div>\n", out);
}

static void cards(const struct report_table *table, FILE *out)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    char text[MARKUP_CELL];
    if (!table || !table->rows) return;
    table_row(table, 0, cells);
    fputs("<dl class=\"cards\">\n", out);
    for (int i = 0; i < table->column_count; i++) {
        if (cells[i].type == REPORT_NONE) continue;
        fputs("<div", out);
        if (table->columns[i].help) {
            fputs(" title=\"", out);
            markup_text(out, table->columns[i].help);
            fputc('"', out);
        }
        fputs("><dt>", out);
        title_text(out, &table->columns[i]);
        fputs("</dt><dd>", out);
        markup_text(out, markup_cell(text, &table->columns[i], &cells[i]));
        fputs("</dd></div>\n", out);
    }
    fputs("</dl>\n", out);
}

static void cards_block(const struct html_block *block, FILE *out)
{
    cards(block->table, out);
    source(out, block->source);
}

/* ---- the answer ---- */

const char *const html_tone_names[] = {[REPORT_PLAIN] = "plain",
                                       [REPORT_GOOD] = "good",
                                       [REPORT_UNSURE] = "unsure",
                                       [REPORT_BAD] = "bad"};

static void verdict_block(const struct html_block *block, FILE *out)
{
    fprintf(out, "<section class=\"verdict %s\" aria-label=\"answer\">\n",
            html_tone_names[block->tone]);
    element(out, "p", "says", block->title);
    element(out, "p", NULL, block->text);
    cards(block->table, out);
    source(out, block->source);
    fputs("</section>\n", out);
}

/* ---- charts ---- */

static void chart_block(const struct html_block *block, FILE *out)
{
    const struct chart *chart = block->chart;
    fprintf(out, "<figure id=\"%s\" data-rows=\"%zu\">\n<figcaption><h3>", chart->id,
            chart_drawn(chart));
    markup_text(out, chart->title);
    fputs("</h3>", out);
    element(out, "p", NULL, chart->caption);
    fputs("</figcaption>\n<div class=\"plot\"></div>\n<script type=\"application/json\">", out);
    chart_write_json(chart, out);
    fputs("</script>\n", out);
    source(out, chart->source);
    fputs("</figure>\n", out);
}

/* ---- the page ---- */

static void section_block(const struct html_block *block, FILE *out)
{
    if (block->id)
        fprintf(out, "<h2 id=\"section-%s\">", block->id);
    else
        fprintf(out, "<h2 id=\"part-%d\">", block->number);
    markup_text(out, block->title);
    fputs("</h2>\n", out);
    element(out, "p", NULL, block->text);
}

static void text_block(const struct html_block *block, FILE *out)
{
    element(out, "p", NULL, block->text);
}

static void warning_block(const struct html_block *block, FILE *out)
{
    element(out, "p", "warning", block->text);
}

static void file_block(const struct html_block *block, FILE *out)
{
    fputs("<details><summary>", out);
    markup_text(out, block->title);
    fputs("</summary>\n", out);
    element(out, "pre", NULL, block->text);
    fputs("</details>\n", out);
}

static void command_block(const struct html_block *block, FILE *out)
{
    element(out, "p", NULL, block->title);
    element(out, "pre", "command", block->text);
}

static bool is_section(const struct html_block *block)
{
    return block->kind == HTML_SECTION;
}

static bool is_titled(const struct html_block *block)
{
    return block->kind == HTML_SECTION || block->kind == HTML_CHART ||
           (block->kind == HTML_TABLE && block->title);
}

static int count_blocks(const struct html_page *page, bool (*is)(const struct html_block *))
{
    int count = 0;
    for (const struct html_block *block = page->first; block; block = block->next)
        count += is(block);
    return count;
}

/* Of a page of one section or none its charts and tables. */
static void contents(const struct html_page *page, FILE *out)
{
    bool (*const is)(const struct html_block *) =
        count_blocks(page, is_section) > 1 ? is_section : is_titled;
    const char *last = "";
    if (count_blocks(page, is) < 2) return;
    fputs("<nav aria-label=\"sections\">", out);
    for (const struct html_block *block = page->first; block; block = block->next) {
        const char *title = block->kind == HTML_CHART ? block->chart->title : block->title;
        if (!is(block) || strcmp(title, last) == 0) continue;
        last = title;
        if (block->kind == HTML_CHART)
            fprintf(out, "<a href=\"#%s\">", block->chart->id);
        else if (block->id)
            fprintf(out, "<a href=\"#section-%s\">", block->id);
        else
            fprintf(out, "<a href=\"#part-%d\">", block->number);
        markup_text(out, title);
        fputs("</a>\n", out);
    }
    fputs("</nav>\n", out);
}

static void head(const struct html_page *page, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
          "img-src data: blob:\">\n<title>",
          out);
    markup_text(out, page->title);
    fprintf(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<header>\n", html_style,
            html_drawn);
    element(out, "h1", NULL, page->title);
    element(out, "p", NULL, page->subtitle);
    fputs("</header>\n", out);
    contents(page, out);
    fputs("<main>\n", out);
}

static void foot(const struct html_page *page, FILE *out)
{
    fputs("</main>\n<footer><p>", out);
    markup_text(out, page->version);
    if (page->date) {
        fputs(", ", out);
        markup_text(out, page->date);
    }
    fprintf(out, ".</p></footer>\n<script>\n%s</script>\n<script>\n%s</script>\n</body>\n</html>\n",
            html_charts, html_script);
}

enum rk_status html_write(const struct html_page *page, FILE *out, struct rk_error *error)
{
    static void (*const write[])(const struct html_block *block, FILE *out) = {
        [HTML_VERDICT] = verdict_block, [HTML_SECTION] = section_block,
        [HTML_TEXT] = text_block,       [HTML_WARNING] = warning_block,
        [HTML_TABLE] = table_block,     [HTML_CARDS] = cards_block,
        [HTML_CHART] = chart_block,     [HTML_FILE] = file_block,
        [HTML_COMMAND] = command_block,
    };
    if (page->memory.failed) return no_memory(error);
    errno = 0;
    head(page, out);
    for (const struct html_block *block = page->first; block; block = block->next)
        write[block->kind](block, out);
    foot(page, out);
    if (fflush(out) != 0 || ferror(out))
        return rk_fail(error, RK_IO, NULL, 0, 0, "cannot write the page: %s", strerror(errno));
    return RK_OK;
}
