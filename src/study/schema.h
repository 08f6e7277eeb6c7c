/* schema.h - the tables and views of a study's database, made from the tables of axes and figures.
 */
#ifndef RECKON_STUDY_SCHEMA_H
#define RECKON_STUDY_SCHEMA_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

/* "RekS": what makes a database one of studies; and the version of the schema. */
enum { SCHEMA_APPLICATION = 0x52656b53, SCHEMA_VERSION = 1 };

/* Text that grows; failed when there was no memory. */
struct sql {
    char *text;
    size_t used, room;
    bool failed;
};

void sql_add(struct sql *sql, const char *format, ...) RK_PRINTF(2, 3);
void sql_release(struct sql *sql);

/* CREATE statements for an empty database. */
void schema_create(struct sql *sql);

/* INSERT of one row of `search` or `strategy`, a ? per column, in the order below. */
void schema_insert_search(struct sql *sql);
void schema_insert_strategy(struct sql *sql);

/* Columns that an export has before the study's own, and those it has by default. */
extern const char *const schema_point_columns[];
void schema_default_columns(struct sql *sql);

#endif
