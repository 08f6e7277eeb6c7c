/* compare.h - compares a study's results with published ones by a script of SQL with headings.
 *
 * The script is SQLite's SQL over the views of the study's database (reckon-study(5)). Lines that
 * begin with "-- @" cut it into sections and say what each one is for:
 *
 *     -- @heading TEXT
 *     -- @expect TABLE FILE.csv         the file (next to the script) becomes a temporary table
 *     -- @include FILE.sql              another script (next to this one) is run here
 *     -- @answer TABLE | LABEL | WORDS  a command of this program becomes a row of the temporary
 *                                       table TABLE(label, command, json, code, said)
 *     -- @answer TABLE                  the same for each row (label, words) of the query
 *     -- @measured TABLE FILE.csv | SECONDS | COMMAND
 *                                       what an experiment left in the file becomes a temporary
 *                                       table; where hooks run commands, that of COMMAND
 *     -- @estimate NAME | MODEL | SYSTEM | STRATEGY
 *                                       one plan becomes a row of the temporary table `estimate`
 *     -- @distribution NAME | BINS | MODEL | SYSTEM | GPUS | BATCH | DATATYPE
 *                                       samples/s of all strategies that fit: tables NAME
 *                                       (strategies, fits), NAME_bin, NAME_top
 *     -- @setup                         statements without results: temporary tables and views
 *     -- @table NAME TEXT               a query whose rows are shown
 *     -- @chart NAME KIND TEXT          a query whose rows are drawn; KIND is lines, points or
 * bars, the columns are (series, x, y), of bars (bar, series, value)
 *     -- @note TEXT                     a line of text; a query after it adds a line per row
 *     -- @check NAME TEXT               a statement; the query yields (holds, because)
 *     -- @require NAME TEXT             the same; unlike a check, it is an error if it fails
 *
 * A text continues in the lines below it that begin with "--  ". Other comments are SQL's.
 * The database is only read; everything made is temporary.
 */
#ifndef RECKON_STUDY_COMPARE_H
#define RECKON_STUDY_COMPARE_H

#include "study/comparison.h"

/* Runs the script over a study's database; NULL: over none. RK_BAD_INPUT with the script's line
 * when it is wrong. The caller releases the comparison, whatever is returned. */
enum rk_status study_compare(const char *database, const char *script,
                             const struct comparison_hooks *hooks,
                             struct study_comparison *comparison, struct rk_error *error);
void study_comparison_release(struct study_comparison *comparison); /* a zeroed one is fine */

#endif
