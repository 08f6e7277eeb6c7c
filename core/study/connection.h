/* connection.h - an open database of a study, as the files of this room share it. */
#ifndef RECKON_STUDY_CONNECTION_H
#define RECKON_STUDY_CONNECTION_H

#include "study/study.h"
#include <sqlite3.h>

struct study_database {
    char path[256];
    sqlite3 *sqlite;
    int lock; /* file that holds the lock of a run; -1: reading */
    sqlite3_stmt *insert_search, *insert_strategy, *delete_search;
};

/* What SQLite last complained about, as a message with a way out; returns its status. */
enum rk_status database_fail(const struct study_database *database, int code,
                             struct rk_error *error);

/* One or more statements without results. */
enum rk_status database_execute(struct study_database *database, const char *sql,
                                struct rk_error *error);

/* RK_OK and a statement that the caller finalizes. */
enum rk_status database_prepare(struct study_database *database, const char *sql,
                                sqlite3_stmt **statement, struct rk_error *error);

/* Runs a statement that returns nothing, and resets it. */
enum rk_status database_step(struct study_database *database, sqlite3_stmt *statement,
                             struct rk_error *error);

/* Ends a transaction: commits when `status` is RK_OK and all went well, else rolls back. */
enum rk_status database_end(struct study_database *database, enum rk_status status,
                            struct rk_error *error);

/* ---- seal.c ---- */

/* Sums over what was just written, in the transaction that wrote it. */
enum rk_status database_seal_search(struct study_database *database, int64_t id,
                                    struct rk_error *error);
enum rk_status database_seal_schema(struct study_database *database, struct rk_error *error);
enum rk_status database_seal_grid(struct study_database *database, struct rk_error *error);

/* Structure and sums. What does not agree is removed when `repair` (the next run makes it anew),
 * else RK_BAD_INPUT. */
enum rk_status database_check(struct study_database *database, bool repair, struct rk_error *error);

#endif
