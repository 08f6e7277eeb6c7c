#include "cli/search_all.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/search_select.h"
#include "cli/search_sink.h"
#include "search/scan.h"

#include <math.h>
#include <stdlib.h>

/* ---- what stands in a row: the index, the main figures, where the time goes, the axes ---- */

static const char *const main_figures[] = {"step_s", "samples_per_s", "tokens_per_s",
                                           "mfu",    "hbm_bytes",     "offload_bytes"};

enum {
    MAIN = sizeof main_figures / sizeof *main_figures,
    MOST_TIMES = 32,
    COLUMNS = 1 + MAIN + MOST_TIMES + 2 + RK_PLAN_AXES
};

/* The columns, in this order; parts of recomputation as words that outlive the rows. */
struct layout {
    int columns, figures, axes;
    bool words; /* after the batch: over several clusters, whose stages differ in the axes */
    const struct rk_figure *figure[MAIN + MOST_TIMES];
    enum rk_plan_axis axis[RK_PLAN_AXES];
    struct report_column column[COLUMNS];
    char recompute[RK_RECOMPUTE_VALUE(3, (1 << RK_PARTS) - 1) + 1][RK_PLAN_AXIS_TEXT];
};

static void add_column(struct layout *l, struct report_column column)
{
    l->column[l->columns++] = column;
}

static void add_figure(struct layout *l, const struct rk_figure *figure)
{
    l->figure[l->figures++] = figure;
    add_column(l, (struct report_column){.name = figure->name});
}

static void lay_out(struct layout *l, enum rk_by by, bool words)
{
    *l = (struct layout){.words = words};
    add_column(l, (struct report_column){.name = "index"});
    for (int i = 0; i < MAIN; i++)
        add_figure(l, rk_figure_find(main_figures[i]));
    for (const struct rk_figure *f = NULL; (f = rk_figure_next(f, by));)
        if (f->time) {
            RK_REQUIRE(l->figures < MAIN + MOST_TIMES);
            add_figure(l, f);
        }
    add_column(l, (struct report_column){.name = "batch"});
    if (words) add_column(l, (struct report_column){.name = "plan"});
    for (int axis = 0; axis < RK_PLAN_AXES && !words; axis++)
        if (rk_plan_axis_info((enum rk_plan_axis)axis)->by & by) {
            l->axis[l->axes++] = (enum rk_plan_axis)axis;
            add_column(l, plan_axis_column((enum rk_plan_axis)axis));
        }
    for (size_t value = 0; value < sizeof l->recompute / sizeof *l->recompute; value++)
        rk_plan_axis_text(RK_PLAN_RECOMPUTE, value, l->recompute[value]);
}

/* `words` is written where rows have them. */
static void fill_cells(const struct layout *l, uint64_t index, const struct rk_plan *plan,
                       const struct rk_outcome *outcome, char words[static RK_PLAN_TEXT],
                       struct report_cell *cells)
{
    char word[RK_PLAN_AXIS_TEXT];
    *cells++ = cell_count(index);
    for (int i = 0; i < l->figures; i++)
        *cells++ = cell_number(rk_figure_value(outcome, l->figure[i]));
    *cells++ = cell_count(plan->batch);
    if (l->words) {
        rk_plan_text(plan, words, RK_PLAN_TEXT);
        *cells++ = cell_text(words);
    }
    for (int i = 0; i < l->axes; i++) {
        *cells = plan_axis_cell(plan, l->axis[i], word);
        if (l->axis[i] == RK_PLAN_RECOMPUTE)
            *cells = cell_text(l->recompute[rk_plan_axis_get(plan, l->axis[i])]);
        else if (cells->type == REPORT_TEXT)
            *cells = cell_text(
                rk_plan_axis_info(l->axis[i])->choices[rk_plan_axis_get(plan, l->axis[i])]);
        cells++;
    }
}

/* ---- the writers by the end of the file's name ---- */

static const struct {
    const char *ending;
    const struct sink_class *sink;
} endings[] = {{".csv", &sink_csv},
               {".csv.gz", &sink_csv},
               {".sqlite", &sink_sqlite},
               {".sqlite3", &sink_sqlite},
               {".db", &sink_sqlite}};

static const struct sink_class *sink_of(const char *path)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_ends_in(path, endings[i].ending)) return endings[i].sink;
    return NULL;
}

enum rk_status search_all_check(const char *path, struct rk_error *error)
{
    if (sink_of(path)) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--all: %.200s: give a name that ends in .csv, .csv.gz or .sqlite", path);
}

/* ---- the stream ---- */

struct stream {
    const struct search *search;
    struct search_session *session;
    const struct sink_class *sink;
    void *to;
    struct layout layout;
    struct search_key where; /* NULL condition: all */
    bool any;
    double most_bytes; /* that are to be left are not taken */
    uint64_t scanned, written;
    enum rk_status status;
    struct rk_error *error;
};

/* A thread's part of it. */
struct block {
    struct stream *stream;
    struct sink_rows rows;
    uint64_t scanned;
};

void *sink_rows_grow(struct sink_rows *rows, size_t more)
{
    if (rows->room - rows->size < more) {
        const size_t room = 2 * rows->room + more + 65536;
        char *grown = rows->failed ? NULL : realloc(rows->data, room);
        if (!grown) {
            rows->failed = true;
            return NULL;
        }
        rows->data = grown;
        rows->room = room;
    }
    return rows->data + rows->size;
}

static void *block_open(void *context)
{
    struct block *block = calloc(1, sizeof *block);
    if (block) {
        block->stream = context;
        block->rows.columns = block->stream->layout.columns;
    }
    return block;
}

static void block_close(void *state)
{
    struct block *block = state;
    free(block->rows.data);
    free(block);
}

static void visit(void *state, uint64_t index)
{
    struct block *block = state;
    const struct stream *stream = block->stream;
    const struct rk_plans_problem *p = &stream->search->problem;
    struct report_cell cells[COLUMNS];
    struct rk_prediction prediction;
    struct rk_plan plan;
    char words[RK_PLAN_TEXT];
    block->scanned++;
    if (!rk_plans_plan(stream->search->space, index, &plan)) return; /* has been */
    if (rk_plans_predict(p, &plan, &prediction) != RK_FITS) return;
    if (prediction.hbm_bytes > stream->most_bytes) return;
    if (!stream->any && search_key_value(&stream->where, &plan, &prediction.outcome) == 0) return;
    fill_cells(&stream->layout, index, &plan, &prediction.outcome, words, cells);
    stream->sink->row(&block->rows, cells);
    block->rows.count++;
}

static bool flush(void *context, void *state)
{
    struct stream *stream = context;
    struct block *block = state;
    stream->scanned += block->scanned;
    stream->written += block->rows.count;
    if (block->rows.failed)
        stream->status = no_memory(stream->error);
    else if (block->rows.count)
        stream->status = stream->sink->write(stream->to, &block->rows, stream->error);
    block->scanned = block->rows.count = block->rows.size = 0;
    return stream->status == RK_OK &&
           progress_step(&stream->session->progress, stream->scanned,
                         rk_space_count(stream->search->space), INFINITY);
}

static enum rk_status run_stream(struct stream *stream)
{
    const struct search *search = stream->search;
    const struct scan scan = {.space = search->space,
                              .threads = (int)search->args->threads,
                              .context = stream,
                              .open = block_open,
                              .visit = visit,
                              .flush = flush,
                              .close = block_close};
    struct rk_error error;
    const enum rk_status status = scan_run(&scan, &error);
    if (stream->status != RK_OK) return stream->status;
    if (status != RK_OK) *stream->error = error;
    return status;
}

enum rk_status search_all_write(const struct search *search, struct search_session *session,
                                uint64_t *written, struct rk_error *error)
{
    const char *path = search->args->all;
    const enum rk_by by = search_is_published(search) ? RK_BY_CALCULON : RK_BY_RECKON;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream) return no_memory(error);
    stream->search = search;
    stream->session = session;
    stream->sink = sink_of(path);
    stream->error = error;
    const bool over = search_is_over_clusters(search);
    stream->any = !search->where[0] || over; /* the space has those alone that satisfy it */
    stream->most_bytes = search->room == SEARCH_NO_ROOM ? INFINITY : search->usable_bytes;
    lay_out(&stream->layout, (enum rk_by)(over ? by | RK_BY_CLUSTERS : by), over);
    enum rk_status status = RK_OK;
    if (!stream->any)
        status = search_condition_open(search->where, search->problem.base.framework,
                                       &stream->where, error);
    if (status == RK_OK)
        status = stream->sink->open(&stream->to, path, search, stream->layout.column,
                                    stream->layout.columns, error);
    if (status == RK_OK) status = run_stream(stream);
    if (status == RK_OK) status = stream->sink->commit(stream->to, error);
    stream->sink->close(stream->to);
    *written = stream->written;
    free(stream);
    return status;
}
