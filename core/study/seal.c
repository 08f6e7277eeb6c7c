/* seal.c - sums over the rows of a database, so that a damaged one is not believed.
 *
 * SQLite notices damage to its own structure, not a flipped bit in a number. Table `seal` has a sum
 * over each search with its strategies, and one over the grid (kind 'grid', id 0). Whoever writes
 * makes what does not agree anew; whoever reads is told.
 */
#include "base/hash.h"
#include "study/connection.h"

#include <stdio.h>
#include <string.h>

/* The tables that study_write_grid() fills. */
static const char *const grid_tables[] = {"study", "figure", "model", "system", "point", NULL};

/* ---- sums ---- */

static uint64_t add_value(uint64_t sum, sqlite3_stmt *statement, int column)
{
    const int type = sqlite3_column_type(statement, column);
    uint64_t value = 0;
    if (type == SQLITE_INTEGER) {
        value = (uint64_t)sqlite3_column_int64(statement, column);
    } else if (type == SQLITE_FLOAT) {
        const double number = sqlite3_column_double(statement, column);
        memcpy(&value, &number, sizeof value);
    } else if (type != SQLITE_NULL) {
        const void *bytes = sqlite3_column_blob(statement, column);
        value = hash_bytes(bytes, (size_t)sqlite3_column_bytes(statement, column));
    }
    return hash_pair(sum, hash_pair((uint64_t)type, value));
}

/* Takes all rows of the query, whose only parameter is `id`, into the sum. */
static enum rk_status add_rows(struct study_database *database, const char *sql, int64_t id,
                               uint64_t *sum, struct rk_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum rk_status status = database_prepare(database, sql, &statement, error);
    int code = SQLITE_ROW;
    if (status == RK_OK) sqlite3_bind_int64(statement, 1, id);
    while (status == RK_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            *sum = add_value(*sum, statement, i);
    if (status == RK_OK && code != SQLITE_DONE) status = database_fail(database, code, error);
    sqlite3_finalize(statement);
    return status;
}

static enum rk_status sum_search(struct study_database *database, int64_t id, uint64_t *sum,
                                 struct rk_error *error)
{
    *sum = 0;
    const enum rk_status status =
        add_rows(database, "SELECT * FROM search WHERE id = ?", id, sum, error);
    return status == RK_OK
               ? add_rows(database, "SELECT * FROM strategy WHERE search = ? ORDER BY rank", id,
                          sum, error)
               : status;
}

static enum rk_status sum_grid(struct study_database *database, uint64_t *sum,
                               struct rk_error *error)
{
    enum rk_status status = RK_OK;
    char sql[80];
    *sum = 0;
    for (int i = 0; grid_tables[i] && status == RK_OK; i++) {
        snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1, 2", grid_tables[i]);
        status = add_rows(database, sql, 0, sum, error);
    }
    return status;
}

static enum rk_status sum_schema(struct study_database *database, uint64_t *sum,
                                 struct rk_error *error)
{
    *sum = 0;
    return add_rows(database, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
                    0, sum, error);
}

/* ---- writing ---- */

static enum rk_status write_seal(struct study_database *database, const char *kind, int64_t id,
                                 uint64_t sum, struct rk_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum rk_status status = database_prepare(
        database, "INSERT OR REPLACE INTO seal VALUES(?, ?, ?)", &statement, error);
    if (status != RK_OK) return status;
    sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, id);
    sqlite3_bind_int64(statement, 3, (int64_t)sum);
    status = database_step(database, statement, error);
    sqlite3_finalize(statement);
    return status;
}

enum rk_status database_seal_search(struct study_database *database, int64_t id,
                                    struct rk_error *error)
{
    uint64_t sum;
    const enum rk_status status = sum_search(database, id, &sum, error);
    return status == RK_OK ? write_seal(database, "search", id, sum, error) : status;
}

enum rk_status database_seal_grid(struct study_database *database, struct rk_error *error)
{
    uint64_t sum;
    const enum rk_status status = sum_grid(database, &sum, error);
    return status == RK_OK ? write_seal(database, "grid", 0, sum, error) : status;
}

enum rk_status database_seal_schema(struct study_database *database, struct rk_error *error)
{
    uint64_t sum;
    const enum rk_status status = sum_schema(database, &sum, error);
    return status == RK_OK ? write_seal(database, "schema", 0, sum, error) : status;
}

/* ---- checking ---- */

static enum rk_status fail_damaged(const struct study_database *database, const char *what,
                                   struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, database->path, 0, 0,
                   "is damaged (%s): run the study again, which makes anew what is damaged", what);
}

/* Structure, order and indices, as SQLite sees them. */
static enum rk_status check_structure(struct study_database *database, struct rk_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum rk_status status =
        database_prepare(database, "PRAGMA integrity_check(1)", &statement, error);
    if (status != RK_OK) return status;
    const int code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (!text)
        status = database_fail(database, code, error);
    else if (strcmp(text, "ok") != 0)
        status = rk_fail(error, RK_BAD_INPUT, database->path, 0, 0,
                         "is damaged (%.100s): move it away and run the study again", text);
    sqlite3_finalize(statement);
    return status;
}

/* The seal of a kind that has one; false when it is not there. */
static enum rk_status read_seal(struct study_database *database, const char *kind, bool *there,
                                uint64_t *sum, struct rk_error *error)
{
    sqlite3_stmt *statement = NULL;
    const enum rk_status status = database_prepare(
        database, "SELECT sum FROM seal WHERE kind = ? AND id = 0", &statement, error);
    if (status != RK_OK) return status;
    sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC);
    *there = sqlite3_step(statement) == SQLITE_ROW;
    *sum = *there ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return RK_OK;
}

static enum rk_status check_schema(struct study_database *database, struct rk_error *error)
{
    uint64_t sum, sealed = 0;
    bool there = false;
    enum rk_status status = sum_schema(database, &sum, error);
    if (status == RK_OK) status = read_seal(database, "schema", &there, &sealed, error);
    if (status != RK_OK || (there && sum == sealed)) return status;
    return rk_fail(error, RK_BAD_INPUT, database->path, 0, 0,
                   "is damaged (its tables): move it away and run the study again");
}

static enum rk_status check_grid(struct study_database *database, bool repair,
                                 struct rk_error *error)
{
    uint64_t sum, sealed = 0;
    bool there = false;
    enum rk_status status = sum_grid(database, &sum, error);
    if (status == RK_OK) status = read_seal(database, "grid", &there, &sealed, error);
    if (status != RK_OK || (there && sealed == sum) || (!there && sum == 0)) return status;
    if (!repair) return fail_damaged(database, "what the study is", error);
    return database_execute(database, "DELETE FROM study", error); /* all of it is written again */
}

/* Searches without a seal or with another one, and seals without a search. */
static enum rk_status check_searches(struct study_database *database, bool repair,
                                     struct rk_error *error)
{
    sqlite3_stmt *statement = NULL;
    char sql[160], what[64];
    enum rk_status status = database_prepare(
        database,
        "SELECT search.id, seal.sum FROM search LEFT JOIN seal ON seal.kind = 'search' AND "
        "seal.id = search.id UNION ALL SELECT id, NULL FROM seal WHERE kind = 'search' AND id NOT "
        "IN (SELECT id FROM search)",
        &statement, error);
    int code = SQLITE_ROW;
    while (status == RK_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const int64_t id = sqlite3_column_int64(statement, 0);
        const bool sealed = sqlite3_column_type(statement, 1) == SQLITE_INTEGER;
        uint64_t sum;
        status = sum_search(database, id, &sum, error);
        if (status != RK_OK || (sealed && sum == (uint64_t)sqlite3_column_int64(statement, 1)))
            continue;
        snprintf(what, sizeof what, "search %lld", (long long)id);
        if (!repair) status = fail_damaged(database, what, error);
        snprintf(sql, sizeof sql,
                 "DELETE FROM strategy WHERE search = %lld; DELETE FROM search WHERE id = %lld; "
                 "DELETE FROM seal WHERE kind = 'search' AND id = %lld", /* without a search */
                 (long long)id, (long long)id, (long long)id);
        if (status == RK_OK) status = database_execute(database, sql, error);
    }
    if (status == RK_OK && code != SQLITE_DONE) status = database_fail(database, code, error);
    sqlite3_finalize(statement);
    return status;
}

enum rk_status database_check(struct study_database *database, bool repair, struct rk_error *error)
{
    enum rk_status status = check_structure(database, error);
    if (status == RK_OK)
        status = database_execute(database, repair ? "BEGIN IMMEDIATE" : "BEGIN", error);
    if (status == RK_OK) status = check_schema(database, error);
    if (status == RK_OK) status = check_grid(database, repair, error);
    if (status == RK_OK) status = check_searches(database, repair, error);
    return database_end(database, status, error); /* one state of it, whoever else writes */
}
