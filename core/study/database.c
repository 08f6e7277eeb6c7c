/* database.c - opening and checking. */
#include "base/memory.h"
#include "study/connection.h"
#include "study/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 20000 };

/* ---- messages ---- */

enum rk_status database_fail(const struct study_database *database, int code,
                             struct rk_error *error)
{
    const char *path = database->path, *said = sqlite3_errmsg(database->sqlite);
    switch (code & 0xff) {
    case SQLITE_FULL:
        return rk_fail(error, RK_IO, path, 0, 0,
                       "the disk is full: make room and run the same command again; what is "
                       "finished is kept");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return rk_fail(error, RK_IO, path, 0, 0,
                       "another program holds the database: close it and run the same command "
                       "again; what is finished is kept");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        if (database->lock < 0)
            return rk_fail(
                error, RK_IO, path, 0, 0,
                "a run that writes it, or was stopped, has its log next to it, which only "
                "who may write there can read (%s): copy both to a folder of yours",
                said);
        return rk_fail(error, RK_IO, path, 0, 0,
                       "cannot be written (%s): check the permissions of the file and its folder",
                       said);
    case SQLITE_NOTADB:
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "is not a database: give another `db`, or remove the file");
    case SQLITE_CORRUPT:
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "is damaged (%s): move it away and run the study again", said);
    case SQLITE_NOMEM:
        return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for the database");
    default:
        return rk_fail(error, RK_IO, path, 0, 0, "the database fails: %s", said);
    }
}

/* ---- statements ---- */

enum rk_status database_execute(struct study_database *database, const char *sql,
                                struct rk_error *error)
{
    const int code = sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? RK_OK : database_fail(database, code, error);
}

enum rk_status database_prepare(struct study_database *database, const char *sql,
                                sqlite3_stmt **statement, struct rk_error *error)
{
    const int code = sqlite3_prepare_v2(database->sqlite, sql, -1, statement, NULL);
    return code == SQLITE_OK ? RK_OK : database_fail(database, code, error);
}

enum rk_status database_step(struct study_database *database, sqlite3_stmt *statement,
                             struct rk_error *error)
{
    const int code = sqlite3_step(statement);
    enum rk_status status = RK_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW) status = database_fail(database, code, error);
    sqlite3_reset(statement);
    return status;
}

enum rk_status database_end(struct study_database *database, enum rk_status status,
                            struct rk_error *error)
{
    if (status == RK_OK) status = database_execute(database, "COMMIT", error);
    if (status != RK_OK && !sqlite3_get_autocommit(database->sqlite))
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- versions ---- */

static enum rk_status read_number(struct study_database *database, const char *sql, int64_t *number,
                                  struct rk_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum rk_status status = database_prepare(database, sql, &statement, error);
    if (status != RK_OK) return status;
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    else
        status = database_fail(database, code, error);
    sqlite3_finalize(statement);
    return status;
}

static enum rk_status create_tables(struct study_database *database, struct rk_error *error)
{
    struct sql sql = {0};
    sql_add(&sql, "BEGIN IMMEDIATE; PRAGMA application_id = %d; PRAGMA user_version = %d;\n",
            SCHEMA_APPLICATION, SCHEMA_VERSION);
    schema_create(&sql);
    enum rk_status status =
        sql.failed ? no_memory(error) : database_execute(database, sql.text, error);
    if (status == RK_OK) status = database_seal_schema(database, error);
    status = database_end(database, status, error);
    sql_release(&sql);
    return status;
}

static enum rk_status fail_version(const struct study_database *database, int64_t version,
                                   struct rk_error *error)
{
    char other[64] = "its columns differ";
    if (version != SCHEMA_VERSION)
        snprintf(other, sizeof other, "schema %lld, this one has %d", (long long)version,
                 SCHEMA_VERSION);
    return rk_fail(error, RK_BAD_INPUT, database->path, 0, 0,
                   "was written by another version of reckon (%s): "
                   "give another `db`, or remove the file",
                   other);
}

static enum rk_status check_version(struct study_database *database, bool create,
                                    struct rk_error *error)
{
    int64_t application = 0, version = 0, tables = 0;
    enum rk_status status = read_number(database, "PRAGMA application_id", &application, error);
    if (status == RK_OK) status = read_number(database, "PRAGMA user_version", &version, error);
    if (status == RK_OK)
        status = read_number(database, "SELECT count(*) FROM sqlite_master", &tables, error);
    if (status != RK_OK) return status;
    if (!application && !version && !tables) {
        if (create) return create_tables(database, error);
        return rk_fail(error, RK_BAD_INPUT, database->path, 0, 0, "is empty: run the study first");
    }
    if (application != SCHEMA_APPLICATION)
        return rk_fail(error, RK_BAD_INPUT, database->path, 0, 0,
                       "is a database of another program, not of a study: give another `db`");
    return version == SCHEMA_VERSION ? RK_OK : fail_version(database, version, error);
}

/* The inserts name all columns: those of a version with other figures do not fit. */
static enum rk_status prepare_inserts(struct study_database *database, struct rk_error *error)
{
    struct sql search = {0}, strategy = {0};
    enum rk_status status = RK_OK;
    schema_insert_search(&search);
    schema_insert_strategy(&strategy);
    if (search.failed || strategy.failed)
        status = no_memory(error);
    else if (sqlite3_prepare_v3(database->sqlite, search.text, -1, SQLITE_PREPARE_PERSISTENT,
                                &database->insert_search, NULL) != SQLITE_OK ||
             sqlite3_prepare_v3(database->sqlite, strategy.text, -1, SQLITE_PREPARE_PERSISTENT,
                                &database->insert_strategy, NULL) != SQLITE_OK)
        status = fail_version(database, SCHEMA_VERSION, error);
    else
        status = database_prepare(database, "DELETE FROM search WHERE key = ?",
                                  &database->delete_search, error);
    sql_release(&search);
    sql_release(&strategy);
    return status;
}

/* ---- opening ---- */

/* The lock of a run: one process writes, any number reads. It is apart from SQLite's own locks,
 * is taken before SQLite opens the file and given back after SQLite has closed it: closing any
 * descriptor of the file drops SQLite's. */
static enum rk_status take_lock(struct study_database *database, struct rk_error *error)
{
    const char *path = database->path;
    struct stat info;
    database->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (database->lock < 0)
        return rk_fail(error, RK_IO, path, 0, 0,
                       "cannot be written: %s; give another `db`, in a folder you may write to",
                       strerror(errno));
    if (fstat(database->lock, &info) == 0 && !S_ISREG(info.st_mode))
        return rk_fail(error, RK_IO, path, 0, 0, "is not an ordinary file: give another `db`");
    if (flock(database->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return rk_fail(error, RK_IO, path, 0, 0,
                       "another run of a study is writing it: wait until it has ended, or give "
                       "another `db`");
    return RK_OK;
}

/* Can nobody write the database while it is read, and has it no unmerged log? SQLite creates files
 * next to a database that used a log, which fails in a read-only folder. */
static bool stands_still(const char *name)
{
    char beside[320];
    const char *slash = strrchr(name, '/');
    snprintf(beside, sizeof beside, "%.*s", (int)(slash - name + 1), name);
    if (faccessat(AT_FDCWD, beside, W_OK, AT_EACCESS) == 0) return false;
    snprintf(beside, sizeof beside, "%s-wal", name);
    return faccessat(AT_FDCWD, beside, F_OK, AT_EACCESS) != 0;
}

/* "file:NAME?immutable=1" */
static void name_uri(const char *name, char *uri, size_t size)
{
    size_t used = (size_t)snprintf(uri, size, "file:");
    for (; *name && used + 4 + sizeof "?immutable=1" < size; name++)
        used += (size_t)snprintf(uri + used, size - used, strchr("%?#", *name) ? "%%%02X" : "%c",
                                 (unsigned char)*name);
    snprintf(uri + used, size - used, "?immutable=1");
}

static enum rk_status open_file(struct study_database *database, enum study_access access,
                                struct rk_error *error)
{
    char name[300], uri[3 * sizeof name + 32];
    const bool plain = strchr(database->path, '/') != NULL; /* ":memory:" is a file here */
    const int flags = access == STUDY_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    snprintf(name, sizeof name, "%s%s", plain ? "" : "./", database->path);
    if (access == STUDY_READ && faccessat(AT_FDCWD, name, R_OK, 0) != 0)
        return rk_fail(error, RK_IO, database->path, 0, 0, "cannot open: %s; run the study first",
                       strerror(errno));
    const bool still = access == STUDY_READ && stands_still(name);
    name_uri(name, uri, sizeof uri);
    const int code =
        sqlite3_open_v2(still ? uri : name, &database->sqlite,
                        flags | SQLITE_OPEN_NOMUTEX | (still ? SQLITE_OPEN_URI : 0), NULL);
    if (code != SQLITE_OK) return database_fail(database, code, error);
    sqlite3_busy_timeout(database->sqlite, BUSY_MS);
    sqlite3_extended_result_codes(database->sqlite, 0);
    return RK_OK;
}

static enum rk_status prepare_writing(struct study_database *database, struct rk_error *error)
{
    enum rk_status status =
        database_execute(database,
                         "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; "
                         "PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000",
                         error);
    return status == RK_OK ? prepare_inserts(database, error) : status;
}

enum rk_status study_database_open(const char *path, enum study_access access,
                                   struct study_database **opened, struct rk_error *error)
{
    struct study_database *database = calloc(1, sizeof *database);
    enum rk_status status = RK_OK;
    if (!database) return no_memory(error);
    database->lock = -1;
    if (snprintf(database->path, sizeof database->path, "%s", path) >= (int)sizeof database->path)
        status = rk_fail(error, RK_BAD_ARGUMENT, path, 0, 0, "the path is too long");
    if (status == RK_OK && access == STUDY_WRITE) status = take_lock(database, error);
    if (status == RK_OK) status = open_file(database, access, error);
    if (status == RK_OK) status = check_version(database, access == STUDY_WRITE, error);
    if (status == RK_OK && access == STUDY_WRITE) status = prepare_writing(database, error);
    if (status == RK_OK) status = database_check(database, access == STUDY_WRITE, error);
    if (status == RK_OK)
        *opened = database;
    else
        study_database_close(database);
    return status;
}

void study_database_close(struct study_database *database)
{
    if (!database) return;
    sqlite3_finalize(database->insert_search);
    sqlite3_finalize(database->insert_strategy);
    sqlite3_finalize(database->delete_search);
    /* At rest it is one file that can be read from anywhere; when others are reading it right now
     * the log stays, which is as good. */
    if (database->sqlite && database->lock >= 0) {
        sqlite3_busy_timeout(database->sqlite, 0);
        sqlite3_exec(database->sqlite, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    sqlite3_close(database->sqlite);
    if (database->lock >= 0) close(database->lock);
    free(database);
}

void study_database_limit(struct study_database *database, uint64_t pages)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %llu", (unsigned long long)pages);
    sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL);
}
