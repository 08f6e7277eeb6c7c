/* html.h - a report as one page: sections, tables, charts, and where all of it came from.
 *
 * The page is one file that needs nothing else: no network, no other file. Its style, its
 * scripts and the numbers of its charts are in it; page/charts.js draws them, without scripts the
 * tables stand. The same page from the same blocks is the same file, byte for byte.
 *
 * Blocks appear in the order in which they are added. Texts, tables and charts must live as long
 * as the page; report_text() on page->memory is a good place.
 */
#ifndef RECKON_REPORT_HTML_H
#define RECKON_REPORT_HTML_H

#include "report/chart.h"
#include "report/report.h"

enum html_kind {
    HTML_VERDICT, /* the answer: `title` the sentence, `text` below it, `table` a record of figures
                   */
    HTML_SECTION, /* a heading; `text` below it */
    HTML_TEXT,    /* a paragraph */
    HTML_WARNING, /* a paragraph that must not be missed */
    HTML_TABLE,   /* sorts and filters */
    HTML_CARDS,   /* a record, as a few large figures */
    HTML_CHART,
    HTML_FILE,   /* a text as it is, folded away; `title` names it */
    HTML_COMMAND /* a line to type */
};

/* "plain", "good", "unsure", "bad" */
extern const char *const html_tone_names[];

struct html_block {
    enum html_kind kind;
    const char *id; /* anchor; may be NULL */
    const char *title;
    const char *text;
    const char *source;    /* of a table or verdict: the command that gives its numbers */
    enum report_tone tone; /* of a verdict */
    const struct report_table *table;
    const struct chart *chart;
    int number; /* among the page's, from 1: html_add() counts */
    struct html_block *next;
};

struct html_page {
    const char *title;
    const char *subtitle;
    const char *version;  /* of the program and its model */
    const char *date;     /* NULL: none, so that the page does not change with time */
    struct report memory; /* what the page allocates; nothing is written from its tables */
    struct html_block *first, *last;
};

/* A zeroed page is fine. */
void html_release(struct html_page *page);

/* Appends a copy of the block (and of its chart); a lack of memory shows in html_write. */
void html_add(struct html_page *page, const struct html_block *block);

/* The next chart after `block` (NULL: the first), for writing charts as files. */
const struct html_block *html_next_chart(const struct html_page *page,
                                         const struct html_block *block);

/* RK_NO_MEMORY, or RK_IO when `out` failed. */
enum rk_status html_write(const struct html_page *page, FILE *out, struct rk_error *error);

/* The same as one JSON object: title, subtitle, version, date, and the blocks, each with its kind,
 * its texts, and the columns and rows of its table or chart. */
enum rk_status html_write_json(const struct html_page *page, FILE *out, struct rk_error *error);

#endif
