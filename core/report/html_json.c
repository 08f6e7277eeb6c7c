/* html_json.c - the blocks of a page as JSON, for those who show them in a page of their own. */
#include "base/memory.h"
#include "report/html.h"
#include "report/markup.h"
#include "report/write.h"

#include <errno.h>
#include <string.h>

static const char *const kind_names[] = {
    [HTML_VERDICT] = "verdict", [HTML_SECTION] = "section", [HTML_TEXT] = "text",
    [HTML_WARNING] = "warning", [HTML_TABLE] = "table",     [HTML_CARDS] = "cards",
    [HTML_CHART] = "chart",     [HTML_FILE] = "file",       [HTML_COMMAND] = "command",
};

static void member(FILE *out, const char *name, const char *text)
{
    if (!text) return;
    fprintf(out, ",\"%s\":", name);
    markup_json(out, text);
}

static void block_json(const struct html_block *block, FILE *out)
{
    fprintf(out, "{\"kind\":\"%s\"", kind_names[block->kind]);
    member(out, "id", block->chart ? block->chart->id : block->id);
    member(out, "title", block->chart ? block->chart->title : block->title);
    member(out, "text", block->chart ? block->chart->caption : block->text);
    if (block->kind == HTML_VERDICT) member(out, "tone", html_tone_names[block->tone]);
    member(out, "source", block->chart ? block->chart->source : block->source);
    if (block->table) {
        fprintf(out, ",\n\"record\":%s,", block->table->shape == REPORT_RECORD ? "true" : "false");
        table_write_json(block->table, out);
    }
    if (block->chart) {
        fputs(",\n\"chart\":", out);
        chart_write_json(block->chart, out);
    }
    fputc('}', out);
}

enum rk_status html_write_json(const struct html_page *page, FILE *out, struct rk_error *error)
{
    if (page->memory.failed) return no_memory(error);
    errno = 0;
    fputs("{\"title\":", out);
    markup_json(out, page->title);
    member(out, "subtitle", page->subtitle);
    member(out, "version", page->version);
    member(out, "date", page->date);
    fputs(",\n\"blocks\":[\n", out);
    for (const struct html_block *block = page->first; block; block = block->next) {
        block_json(block, out);
        fputs(block->next ? ",\n" : "\n", out);
    }
    fputs("]}\n", out);
    if (fflush(out) != 0 || ferror(out))
        return rk_fail(error, RK_IO, NULL, 0, 0, "cannot write the page: %s", strerror(errno));
    return RK_OK;
}
