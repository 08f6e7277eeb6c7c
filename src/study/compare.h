/* compare.h - what a study's results say beside published ones: a script of SQL, with headings.
 *
 * The script is SQLite's SQL over the views of the study's database (reckon-study(5)). Lines that
 * begin with "-- @" cut it into sections and say what each one is for:
 *
 *     -- @heading TEXT
 *     -- @expect TABLE FILE.csv         the file (beside the script) becomes a temporary table
 *     -- @estimate NAME | MODEL | SYSTEM | STRATEGY
 *                                       one plan becomes a row of the temporary table `estimate`
 *     -- @distribution NAME | BINS | MODEL | SYSTEM | GPUS | BATCH | DATATYPE
 *                                       samples/s of all strategies that fit: tables NAME
 *                                       (strategies, fits), NAME_bin, NAME_top
 *     -- @setup                         statements without results: temporary tables and views
 *     -- @table NAME TEXT               a query whose rows are shown
 *     -- @note TEXT                     a line of text; a query behind it adds a line per row
 *     -- @check NAME TEXT               a statement; the query yields (holds, because)
 *     -- @require NAME TEXT             the same; unlike a check, it is an error if it fails
 *
 * A text goes on in the lines below it that begin with "--  ". Other comments are SQL's.
 * The database is only read; everything made is temporary.
 */
#ifndef RECKON_STUDY_COMPARE_H
#define RECKON_STUDY_COMPARE_H

#include "study/study.h"

enum comparison_kind { COMPARISON_HEADING, COMPARISON_TABLE, COMPARISON_NOTE, COMPARISON_CHECK };

enum comparison_verdict { COMPARISON_FAILS, COMPARISON_HOLDS, COMPARISON_UNKNOWN };

struct comparison_item {
    enum comparison_kind kind;
    char *name;  /* of tables and checks, "" otherwise */
    char *title; /* the text */
    /* tables: */
    int columns;
    char **column; /* (columns) */
    size_t rows, room;
    struct study_value *value; /* (rows, columns); texts are owned */
    /* checks: */
    bool required;
    enum comparison_verdict verdict; /* unknown: the query had no row or a NULL */
    char *because;
};

struct study_comparison {
    size_t items;
    struct comparison_item *item; /* in the order of the script */
    size_t checks, hold, unknown; /* of all checks, required or not */
    size_t required, broken;      /* broken: required and not holding */
};

/* Runs the script over a study's database. RK_BAD_INPUT with the script's line when it is wrong.
 * The caller releases the comparison, whatever is returned. */
enum rk_status study_compare(const char *database, const char *script,
                             struct study_comparison *comparison, struct rk_error *error);
void study_comparison_release(struct study_comparison *comparison); /* a zeroed one is fine */

#endif
