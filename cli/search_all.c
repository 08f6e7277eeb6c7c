#include "cli/search_all.h"

#include "cli/describe.h"
#include "cli/search_sink.h"
#include "interop/output.h"
#include "published/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what stands in a row: the index, the main figures, the strategy ---- */

static const char *const figures[] = {
    "step_s",
    "samples_per_s",
    "tokens_per_s",
    "mfu",
    "hbm_bytes",
    "offload_bytes",
    "forward_s",
    "backward_s",
    "optimizer_s",
    "recompute_s",
    "recompute_comm_exposed_s",
    "bubble_s",
    "tensor_comm_exposed_s",
    "pipeline_comm_exposed_s",
    "data_comm_exposed_s",
    "forward_offload_exposed_s",
    "backward_offload_exposed_s",
    "weight_bytes",
    "activation_bytes",
    "checkpoint_bytes",
    "weight_grad_bytes",
    "optimizer_bytes",
    "offload_required_Bps",
};

enum {
    FIGURES = sizeof figures / sizeof *figures,
    FIRST_STRATEGY = 1 + FIGURES,
    COLUMNS = FIRST_STRATEGY + STRATEGY_COLUMNS
};

static void fill_columns(struct report_column columns[COLUMNS])
{
    columns[0] = (struct report_column){.name = "index"};
    for (int i = 0; i < FIGURES; i++)
        columns[1 + i] = (struct report_column){.name = figures[i]};
    strategy_columns(columns + FIRST_STRATEGY);
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
        if (output_ends_in(path, endings[i].ending)) return endings[i].sink;
    return NULL;
}

enum rk_status search_all_check(const char *path, struct rk_error *error)
{
    if (sink_of(path)) return RK_OK;
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "--all: %.200s: give a name that ends in .csv, .csv.gz or .sqlite", path);
}

/* ---- the stream ---- */

struct stream {
    const struct search *search;
    struct search_session *session;
    const struct sink_class *sink;
    void *to;
    struct rk_condition *where; /* NULL: all */
    const struct rk_figure *figure[FIGURES];
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
        block->rows.columns = COLUMNS;
    }
    return block;
}

static void block_close(void *state)
{
    struct block *block = state;
    free(block->rows.data);
    free(block);
}

static void visit(void *state, uint64_t index, const struct rk_strategy *strategy,
                  const struct rk_estimate *estimate)
{
    struct block *block = state;
    const struct stream *stream = block->stream;
    struct report_cell cells[COLUMNS];
    block->scanned++;
    if (estimate->verdict != RK_FITS) return;
    if (!rk_condition_holds(stream->where, strategy, estimate)) return;
    cells[0] = cell_count(index);
    for (int i = 0; i < FIGURES; i++)
        cells[1 + i] = cell_number(rk_figure_value(estimate, stream->figure[i]));
    strategy_cells(strategy, cells + FIRST_STRATEGY);
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
        stream->status = rk_fail(stream->error, RK_IO, NULL, 0, 0, "out of memory");
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
                              .model = search->model,
                              .system = search->system,
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
    struct report_column columns[COLUMNS];
    struct stream stream = {
        .search = search, .session = session, .sink = sink_of(path), .error = error};
    enum rk_status status = RK_OK;
    for (int i = 0; i < FIGURES; i++)
        stream.figure[i] = rk_figure_find(figures[i]);
    fill_columns(columns);
    if (search->args->where) {
        stream.where = rk_condition_open(search->args->where, error);
        if (!stream.where) return error->status;
    }
    status = stream.sink->open(&stream.to, path, search, columns, COLUMNS, error);
    if (status == RK_OK) status = run_stream(&stream);
    if (status == RK_OK) status = stream.sink->commit(stream.to, error);
    stream.sink->close(stream.to);
    rk_condition_close(stream.where);
    *written = stream.written;
    return status;
}
