/* pages.h - what stands on the pages of `reckon report`.
 *
 * Everything that a page refers to lives in page->memory.
 */
#ifndef RECKON_CLI_PAGES_H
#define RECKON_CLI_PAGES_H

#include "cli/prediction.h"
#include "cli/run_args.h"
#include "report/html.h"
#include "timeline/timeline.h"

#include <reckon/reckon.h>

struct diff;
struct diff_source;
struct megatron_changes;
struct show_args;
struct step_trace;

/* ---- one plan ---- */

struct page_names { /* as given on the command line; NULL: not there */
    const char *model, *system, *plan, *measured;
    bool addresses; /* draw where each buffer of a step lies */
};

/* The page of a plan and its prediction, by either model; of the run, too, where it has tokens; of
 * a measured step, where there is one (NULL: none). */
enum rk_status page_plan(struct html_page *page, const struct forecast *forecast,
                         const struct page_names *names, const struct run_args *run,
                         const struct step_trace *measured, struct rk_error *error);

/* Writes it to `path`: `-o FILE.html` of predict and fits. */
enum rk_status page_of_plan(const char *path, const struct forecast *forecast,
                            const struct page_names *names, const struct run_args *run,
                            struct rk_error *error);

/* Its section on the whole run, with --tokens; `source` is the command of its numbers. page_run.c
 */
enum rk_status page_run(struct html_page *page, const struct run_args *args,
                        const struct forecast *forecast, const char *source,
                        struct rk_error *error);

/* Sections of it, each left out where there is nothing to show. */
struct page_plan {
    const struct forecast *forecast;
    const char *arguments;             /* of the commands that give the same numbers */
    const char *model, *system;        /* their names */
    const struct step_trace *measured; /* NULL: none */
    const char *trace;                 /* its file */
    bool addresses;                    /* draw where each buffer of a step lies */
    struct rk_operation *operation;
    int operations;
};

void page_layout(struct html_page *page, const struct page_plan *plan);   /* page_layout.c */
void page_roofline(struct html_page *page, const struct page_plan *plan); /* page_roofline.c */

/* The schedule of a plan, simulated; `source` is the command that makes its events.
 * page_schedule.c */
void page_schedule(struct html_page *page, const struct timeline_plan *plan, const char *source);

/* The answer of reckon timeline as show_report() writes it; on a page with that schedule. */
int show_timeline(const struct report *report, const struct timeline_plan *plan,
                  const struct show_args *show, const char *path, int status);

/* A measured step from the file that `reckon train --trace` writes, of at most so many stages; NULL
 * with an error. page_measured.c */
struct step_trace *measured_open(const char *path, uint64_t stages, struct rk_error *error);
void measured_close(struct step_trace *measured); /* NULL is fine */

/* It over the simulated one, and the memory of both. */
void page_measured(struct html_page *page, const struct timeline_plan *plan,
                   const struct step_trace *trace, const char *source);

/* What single changes save; `source` is the command of its numbers. */
void page_savings(struct html_page *page, const struct forecast *forecast, const char *source);

/* The lines that launch a plan and look closer at it. page_advice.c */
void page_launch(struct html_page *page, const char *title, const char *model, const char *system,
                 const struct rk_system *machine, const struct rk_plan *plan);

/* ---- two plans ---- */

/* `from`: what was given; `changes` of the script A, NULL: there is none. */
void page_diff(struct html_page *page, const struct diff *diff, const struct diff_source *from,
               const struct megatron_changes *changes);

/* ---- one search ---- */

struct search;

struct page_search {
    const char *model_name, *system_name; /* as given on the command line */
    const struct search *search;          /* asked and answered: cli/search_job.h */
    const struct report *answer; /* what search_answer_fill() says; lives as long as the page */
    struct progress *progress;
    const char
        *command; /* `reckon search ...`, which gives the same answer; set by page_search() */
};

/* Searches again, with one axis held at a time, and for the frontier. page_search.c */
enum rk_status page_search(struct html_page *page, const struct page_search *search,
                           struct rk_error *error);

/* ---- one study ---- */

/* `path` is its database. */
enum rk_status page_study(struct html_page *page, const char *path, struct rk_error *error);

/* ---- parts that the pages share ---- */

enum page_format { PAGE_HTML, PAGE_JSON };

/* Adds the foot of the page and writes it to `path`; NULL is standard output. `title` and `date`
 * where they are not NULL, else the page's own and the day of SOURCE_DATE_EPOCH. */
enum rk_status page_write(struct html_page *page, const char *path, const char *title,
                          const char *date, enum page_format format, struct rk_error *error);

/* Is it a name for `--draw`, which writes a page with one chart? RK_BAD_ARGUMENT: it does not end
 * in .html.
 */
enum rk_status page_draws(const char *path, struct rk_error *error);

/* Colours of the categories of memory, under the names that people read. */
extern const struct chart_series page_memory_series[RK_CATEGORIES];

/* A table of stored rows in page->memory; NULL when there is no memory, which report_row takes.
 * `columns` must live as long as the page. */
struct report_table *page_table(struct html_page *page, const struct report_column *columns,
                                int count);

/* The table that `describe` functions added last to page->memory, or NULL. */
const struct report_table *page_described(struct html_page *page,
                                          const struct report_table *before);

/* With a capital letter, without the spaces before it. */
const char *page_sentence(struct html_page *page, const char *text);

void page_section(struct html_page *page, const char *id, const char *title, const char *text);
void page_show(struct html_page *page, const char *title, const struct report_table *table,
               const char *source);

/* The tables and lines of a report, which lives as long as the page. Without a title the page gets
 * the first line, or the name of the first table. page_answer.c */
void page_report(struct html_page *page, const struct report *report);

enum rk_status page_of_answer(const struct report *report, const char *path, int status,
                              struct rk_error *error);

/* The title, where the page has none, and the report's verdict or its first line, with the command
 * that was given. */
void page_report_head(struct html_page *page, const struct report *report, int status);

/* The words of the command that runs, from its name on: pages name it. Borrowed. */
void page_given(int count, char **words);

/* Adds the chart unless its table is missing or has nothing to draw. */
void page_chart(struct html_page *page, const struct chart *chart);

/* The last section: models, systems and plan files as they were read, with their text and sources;
 * NULL names are left out. */
void page_inputs(struct html_page *page, const struct rk_model *model, const char *model_name,
                 const struct rk_system *system, const char *system_name, const char *plan_name);

/* `word` as one word of a shell's command line, quoted where it must be; lives as long as `memory`.
 */
const char *shell_word(struct report *memory, const char *word);
const char *page_word(struct html_page *page, const char *word);

#endif
