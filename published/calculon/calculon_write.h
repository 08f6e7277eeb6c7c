/* calculon_write.h - what the published tool Calculon [isaev2023] writes, with its names.
 *
 * Everything goes to a stdio stream of the caller, who looks at ferror(). Numbers are the shortest
 * text that reads back as the same double, integers where that tool counts in integers.
 */
#ifndef RECKON_CALCULON_CALCULON_WRITE_H
#define RECKON_CALCULON_CALCULON_WRITE_H

#include "calculon/calculon.h"

#include <reckon/system.h>
#include <stdbool.h>
#include <stdio.h>

/* How objects are laid out: indented JSON (its .json), JSON on one line (its .json.gz), or as
 * Python prints them (its readable text). */
enum calculon_style { CALCULON_INDENTED, CALCULON_LINE, CALCULON_PYTHON };

/* One plan and what was found out about it. Nothing is owned. */
struct calculon_run {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct calculon_execution *execution;
    const struct rk_estimate *estimate; /* timed */
};

/* ---- numbers ---- */

enum { CALCULON_NUMBER = 32 }; /* bytes that a number needs */

/* Returns the length. "null" for what is not finite, which JSON cannot say. */
int calculon_number(char text[CALCULON_NUMBER], double value, bool integer);

enum calculon_scale { CALCULON_BASE10, CALCULON_BYTES, CALCULON_BANDWIDTH };

/* "79.554 GiB", "3.488 GB/s", "1.008 T". */
int calculon_human(char text[CALCULON_NUMBER], double value, enum calculon_scale scale);

/* ---- documents ---- */

/* The statistics; with `layers` also the operations of a block, under "layers". */
void calculon_write_stats(FILE *to, enum calculon_style style, const struct calculon_run *run,
                          bool layers);

/* Ranked plans: { "0": { "execution": ..., "stats": ... }, "1": ... }. */
void calculon_write_ranking(FILE *to, enum calculon_style style, const struct calculon_run *runs,
                            size_t count, bool layers);

/* Of each rank the peers under each parallelism above 1. */
void calculon_write_peers(FILE *to, enum calculon_style style, const struct rk_strategy *strategy);

/* The readable text. */
void calculon_write_text(FILE *to, const struct calculon_run *run);

/* ---- CSV ---- */

/* The last text of each column of a CSV file: neighbouring plans share most figures, and printing
 * a number costs more than estimating it. Zero-initialise; one per thread. */
struct calculon_columns {
    struct {
        double value;
        int length;
        char text[CALCULON_NUMBER];
    } cell[CALCULON_STATISTICS];
};

/* The names of all columns. With `indexed` the first column is nameless, with `layers` the last is
 * "layers". */
void calculon_write_header(FILE *to, bool indexed, bool layers);

/* The fields and figures of one plan, without a newline. */
void calculon_write_row(FILE *to, const struct calculon_execution *execution,
                        const struct rk_estimate *estimate, struct calculon_columns *columns);

/* One more column: the operations of a block as quoted JSON. */
void calculon_write_layers_cell(FILE *to, const struct calculon_run *run);

#endif
