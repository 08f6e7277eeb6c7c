/* schema.h - the tables and views of a study's database, made from the tables of axes and figures.
 */
#ifndef RECKON_STUDY_SCHEMA_H
#define RECKON_STUDY_SCHEMA_H

#include <reckon/predict.h>
#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

/* "RekS": what makes a database one of studies; and the version of the schema. */
enum { SCHEMA_APPLICATION = 0x52656b53, SCHEMA_VERSION = 6 };

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

/* Columns that an export has before the study's own, and those it has by default: of a study that
 * has a run, of one `over` several clusters. */
extern const char *const schema_point_columns[];
void schema_default_columns(struct sql *sql, bool run, bool over);

/* The figures that have a column: those of both predictors, each name once. NULL: the first; NULL
 * is returned after the last. */
const struct rk_figure *schema_next_figure(const struct rk_figure *figure);

/* hbm_NAME_bytes and lower_NAME_bytes: what a rank holds in memory tier 0, and below. */
enum { SCHEMA_TIER_COLUMNS = 6 };
extern const struct schema_tier_column {
    const char *name;
    enum rk_holding holding;
} schema_tier_columns[SCHEMA_TIER_COLUMNS];

#endif
