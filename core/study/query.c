/* query.c - reading with SQL. */
#include "study/query.h"

#include "base/limits.h"
#include "study/connection.h"
#include "study/schema.h"

#include <stdlib.h>
#include <string.h>

/* ---- one SELECT ---- */

static struct study_value column_value(sqlite3_stmt *statement, int column)
{
    struct study_value value = {.type = STUDY_NULL};
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        value.type = STUDY_INTEGER;
        value.integer = sqlite3_column_int64(statement, column);
        value.real = (double)value.integer;
        break;
    case SQLITE_FLOAT:
        value.type = STUDY_REAL;
        value.real = sqlite3_column_double(statement, column);
        break;
    case SQLITE_TEXT:
        value.type = STUDY_TEXT;
        value.text = (const char *)sqlite3_column_text(statement, column);
        break;
    default:
        break;
    }
    return value;
}

static enum rk_status read_rows(struct study_database *database, sqlite3_stmt *statement,
                                study_row_fn *row, void *context, struct rk_error *error)
{
    const char *names[MOST_SQL_COLUMNS];
    struct study_value values[MOST_SQL_COLUMNS];
    const int columns = sqlite3_column_count(statement);
    enum rk_status status = RK_OK;
    int code = SQLITE_ROW;
    for (int i = 0; i < columns; i++)
        names[i] = sqlite3_column_name(statement, i);
    while (status == RK_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++)
            values[i] = column_value(statement, i);
        status = row(context, columns, names, values, error);
    }
    if (status == RK_OK && code != SQLITE_DONE) status = database_fail(database, code, error);
    return status;
}

enum rk_status study_query(struct study_database *database, const char *sql, study_row_fn *row,
                           void *context, struct rk_error *error)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    enum rk_status status;
    const int code = sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, &rest);
    if (code == SQLITE_ERROR)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "SQL: %s",
                         sqlite3_errmsg(database->sqlite));
    else if (code != SQLITE_OK)
        status = database_fail(database, code, error);
    else if (!statement || rest[strspn(rest, " \t\n;")] || !sqlite3_stmt_readonly(statement))
        status =
            rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "SQL: one SELECT is allowed, nothing else");
    else if (sqlite3_column_count(statement) > MOST_SQL_COLUMNS)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "SQL: more than %d columns",
                         MOST_SQL_COLUMNS);
    else
        status = read_rows(database, statement, row, context, error);
    sqlite3_finalize(statement);
    return status;
}

/* ---- exports ---- */

char *study_export_sql(const struct study *study, int figure)
{
    struct sql sql = {0};
    sql_add(&sql, "SELECT ");
    for (int i = 0; schema_point_columns[i]; i++)
        sql_add(&sql, "%s%s", i ? ", " : "", schema_point_columns[i]);
    sql_add(&sql, ", ");
    for (size_t i = 0; i < study->columns; i++)
        sql_add(&sql, "%s(%s) AS \"%s\"", i ? ", " : "", study->column[i].expression,
                study->column[i].name);
    bool over = false;
    for (size_t i = 0; i < study->systems; i++)
        over |= study->system[i].machine != NULL;
    if (!study->columns) schema_default_columns(&sql, study->has_run, over);
    sql_add(&sql, " FROM ranking");
    if (figure >= 0) sql_add(&sql, " WHERE figure_number = %d", figure + 1);
    sql_add(&sql, " ORDER BY figure_number, point, rank");
    if (sql.failed) sql_release(&sql);
    return sql.text;
}

/* ---- expressions ---- */

static enum rk_status check_statement(sqlite3 *memory, const char *expression,
                                      struct rk_error *error)
{
    struct sql sql = {0};
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    enum rk_status status = RK_OK;
    schema_create(&sql);
    if (sql.failed || sqlite3_exec(memory, sql.text, NULL, NULL, NULL) != SQLITE_OK)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to check a column");
    sql_release(&sql);
    sql_add(&sql, "SELECT (%s) AS x FROM ranking", expression);
    if (status == RK_OK && !sql.failed) {
        const int code = sqlite3_prepare_v2(memory, sql.text, -1, &statement, &rest);
        if (code != SQLITE_OK)
            status = rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "%s", sqlite3_errmsg(memory));
        else if (!statement || *rest || !sqlite3_stmt_readonly(statement) ||
                 sqlite3_column_count(statement) != 1 ||
                 strcmp(sqlite3_column_name(statement, 0), "x") != 0)
            status = rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "is not one SQL expression");
    }
    sqlite3_finalize(statement);
    sql_release(&sql);
    return status;
}

enum rk_status query_check_expression(const char *expression, struct rk_error *error)
{
    sqlite3 *memory = NULL;
    enum rk_status status = RK_IO;
    if (sqlite3_open(":memory:", &memory) == SQLITE_OK)
        status = check_statement(memory, expression, error);
    else
        rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to check a column");
    sqlite3_close(memory);
    return status;
}
