/* search_sink_sqlite.c - rows in a database: table "plan" with a row each, table "problem" with the
 * question. A temporary file is written in transactions and renamed. The journal is off, because a
 * failed write discards the file. */
#include "base/memory.h"
#include "cli/search_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS_OF_TRANSACTION = 65536, SQL_SIZE = 8192 };

struct database {
    char path[4000], beside[4040];
    sqlite3 *sqlite;
    sqlite3_stmt *insert;
    size_t rows; /* of the open transaction */
    bool committed;
};

static enum rk_status fail(const struct database *d, struct rk_error *error)
{
    return rk_fail(error, RK_IO, d->path, 0, 0, "cannot write: %s",
                   d->sqlite ? sqlite3_errmsg(d->sqlite) : "out of memory");
}

static enum rk_status execute(struct database *d, const char *sql, struct rk_error *error)
{
    return sqlite3_exec(d->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ? RK_OK : fail(d, error);
}

static bool is_real(const char *column)
{
    return rk_figure_find(column) != NULL;
}

static bool is_text(const char *column)
{
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        if (strcmp(column, plan_axis_key((enum rk_plan_axis)axis)) == 0)
            return rk_plan_axis_info((enum rk_plan_axis)axis)->type == RK_PLAN_CHOICE ||
                   rk_plan_axis_info((enum rk_plan_axis)axis)->type == RK_PLAN_PARTS;
    return false;
}

static enum rk_status make_table(struct database *d, const struct report_column *columns, int count,
                                 struct rk_error *error)
{
    char create[SQL_SIZE] = "CREATE TABLE plan (", insert[SQL_SIZE] = "INSERT INTO plan VALUES (";
    size_t used = strlen(create), values = strlen(insert);
    for (int i = 0; i < count; i++) {
        const char *name = columns[i].name;
        const char *type = is_real(name) ? "REAL" : is_text(name) ? "TEXT" : "INTEGER";
        used += (size_t)snprintf(create + used, sizeof create - used, "%s\"%s\" %s", i ? ", " : "",
                                 name, i ? type : "INTEGER PRIMARY KEY");
        values += (size_t)snprintf(insert + values, sizeof insert - values, "%s?", i ? ", " : "");
    }
    snprintf(create + used, sizeof create - used, ")");
    snprintf(insert + values, sizeof insert - values, ")");
    const enum rk_status status = execute(d, create, error);
    if (status != RK_OK) return status;
    return sqlite3_prepare_v2(d->sqlite, insert, -1, &d->insert, NULL) == SQLITE_OK
               ? RK_OK
               : fail(d, error);
}

/* What was searched and what came of it, in one row. */
static enum rk_status describe(struct database *d, const struct search *search,
                               struct rk_error *error)
{
    const struct rk_plans_problem *p = &search->problem;
    char *sql = sqlite3_mprintf(
        "CREATE TABLE problem (model TEXT, system TEXT, gpus INTEGER, batch INTEGER, "
        "framework TEXT, condition TEXT, plans INTEGER, fits INTEGER);"
        "INSERT INTO problem VALUES (%Q, %Q, %lld, %lld, %Q, %Q, %lld, %lld)",
        p->model->id, p->system->id, (sqlite3_int64)p->base.ranks, (sqlite3_int64)p->base.batch,
        rk_framework_name(p->base.framework), search->where[0] ? search->where : NULL,
        (sqlite3_int64)search->result.counts.total,
        (sqlite3_int64)search->result.counts.verdict[RK_FITS][0]);
    const enum rk_status status = sql ? execute(d, sql, error) : fail(d, error);
    sqlite3_free(sql);
    return status;
}

static enum rk_status sqlite_open(void **sink, const char *path, const struct search *search,
                                  const struct report_column *columns, int count,
                                  struct rk_error *error)
{
    struct database *d = calloc(1, sizeof *d);
    *sink = d;
    if (!d) return no_memory(error);
    if ((size_t)snprintf(d->path, sizeof d->path, "%s", path) >= sizeof d->path)
        return rk_fail(error, RK_IO, NULL, 0, 0, "--all: the name is too long");
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return rk_fail(error, RK_IO, path, 0, 0,
                       "cannot write: a database needs a file of its own");
    snprintf(d->beside, sizeof d->beside, "%s.part-%ld", path, (long)getpid());
    const int created = open(d->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (created < 0) {
        d->beside[0] = '\0'; /* not ours to remove */
        return rk_fail(error, RK_IO, path, 0, 0, "cannot write: %s", strerror(errno));
    }
    close(created);
    if (sqlite3_open_v2(d->beside, &d->sqlite, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return fail(d, error);
    enum rk_status status = execute(
        d, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE",
        error);
    if (status == RK_OK) status = describe(d, search, error);
    if (status == RK_OK) status = make_table(d, columns, count, error);
    return status == RK_OK ? execute(d, "BEGIN", error) : status;
}

static void sqlite_row(struct sink_rows *rows, const struct report_cell *cells)
{
    const size_t bytes = (size_t)rows->columns * sizeof *cells;
    void *to = sink_rows_grow(rows, bytes);
    if (!to) return;
    memcpy(to, cells, bytes); /* texts in it are static: names of choices, parts of recomputation */
    rows->size += bytes;
}

static void bind(sqlite3_stmt *insert, int i, const struct report_cell *cell)
{
    switch (cell->type) {
    case REPORT_TEXT:
        sqlite3_bind_text(insert, i, cell->as.text, -1, SQLITE_STATIC);
        break;
    case REPORT_COUNT:
        sqlite3_bind_int64(insert, i, (sqlite3_int64)cell->as.count);
        break;
    case REPORT_NUMBER:
        sqlite3_bind_double(insert, i, cell->as.number);
        break;
    case REPORT_FLAG:
        sqlite3_bind_int(insert, i, cell->as.flag);
        break;
    default:
        sqlite3_bind_null(insert, i);
        break;
    }
}

static enum rk_status sqlite_write(void *sink, const struct sink_rows *rows, struct rk_error *error)
{
    struct database *d = sink;
    const struct report_cell *cells = (const struct report_cell *)(const void *)rows->data;
    for (size_t row = 0; row < rows->count; row++, cells += rows->columns) {
        for (int i = 0; i < rows->columns; i++)
            bind(d->insert, i + 1, &cells[i]);
        const int code = sqlite3_step(d->insert);
        sqlite3_reset(d->insert);
        if (code != SQLITE_DONE) return fail(d, error);
    }
    d->rows += rows->count;
    if (d->rows < ROWS_OF_TRANSACTION) return RK_OK;
    d->rows = 0;
    return execute(d, "COMMIT; BEGIN", error);
}

/* To the disk, then in its place. */
static bool put_in_place(const struct database *d)
{
    const int descriptor = open(d->beside, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool ok = fsync(descriptor) == 0;
    close(descriptor);
    return ok && rename(d->beside, d->path) == 0;
}

static enum rk_status sqlite_commit(void *sink, struct rk_error *error)
{
    struct database *d = sink;
    const enum rk_status status = execute(d, "COMMIT", error);
    if (status != RK_OK) return status;
    sqlite3_finalize(d->insert);
    d->insert = NULL;
    if (sqlite3_close(d->sqlite) != SQLITE_OK) return fail(d, error);
    d->sqlite = NULL;
    d->committed = put_in_place(d);
    if (d->committed) return RK_OK;
    return rk_fail(error, RK_IO, d->path, 0, 0, "cannot write: %s", strerror(errno));
}

static void sqlite_close(void *sink)
{
    struct database *d = sink;
    if (!d) return;
    sqlite3_finalize(d->insert);
    sqlite3_close(d->sqlite);
    if (!d->committed && d->beside[0]) unlink(d->beside);
    free(d);
}

const struct sink_class sink_sqlite = {sqlite_open, sqlite_row, sqlite_write, sqlite_commit,
                                       sqlite_close};
