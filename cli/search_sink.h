/* search_sink.h - where the rows of `--all FILE` go: CSV or SQLite, each in a file of its own. */
#ifndef RECKON_CLI_SEARCH_SINK_H
#define RECKON_CLI_SEARCH_SINK_H

#include "cli/search_job.h"
#include "report/report.h"

/* Rows of one block, made by the thread that owns it. */
struct sink_rows {
    size_t count;
    int columns;
    char *data; /* text, or cells: the sink's business */
    size_t size, room;
    bool failed; /* out of memory */
};

/* Makes room for `more` bytes after rows->size; NULL marks the rows as failed. */
void *sink_rows_grow(struct sink_rows *rows, size_t more);

struct sink_class {
    /* Opens a temporary file next to `path` with these columns, for the answers of `search`. */
    enum rk_status (*open)(void **sink, const char *path, const struct search *search,
                           const struct report_column *columns, int count, struct rk_error *error);
    /* Appends one row of cells to a block; on any thread. */
    void (*row)(struct sink_rows *rows, const struct report_cell *cells);
    /* Writes a block; one thread at a time. */
    enum rk_status (*write)(void *sink, const struct sink_rows *rows, struct rk_error *error);
    /* Puts the file in its place. */
    enum rk_status (*commit)(void *sink, struct rk_error *error);
    /* Releases all; a file that was not committed vanishes. NULL is fine. */
    void (*close)(void *sink);
};

extern const struct sink_class sink_csv, sink_sqlite;

#endif
