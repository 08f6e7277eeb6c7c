/* compare_load.h - what a comparison brings along: published values, single plans, distributions.
 */
#ifndef RECKON_STUDY_COMPARE_LOAD_H
#define RECKON_STUDY_COMPARE_LOAD_H

#include "catalog/readers.h"
#include <reckon/status.h>
#include <sqlite3.h>
#include <stdint.h>

/* A CSV file (with a line of names; "#" begins a comment line; empty cells are NULL) becomes a
 * temporary table. */
enum rk_status compare_load_csv(sqlite3 *sqlite, const char *table, const char *path,
                                struct rk_error *error);

/* Estimates one plan into the temporary table `estimate`: name, model, system, verdict, figures. */
enum rk_status compare_load_estimate(sqlite3 *sqlite, model_reader *model_of, const char *name,
                                     const char *model, const char *system, const char *strategy,
                                     struct rk_error *error);

/* Where the samples/s of all strategies that fit lie. Data degrees above the batch run with a batch
 * of one sample each, and the activation is fused or not, as in [isaev2023] Fig. 6. */
struct compare_distribution {
    const char *name, *model, *system, *datatype;
    uint64_t bins, gpus, batch;
    model_reader *model_of;
};
enum rk_status compare_load_distribution(sqlite3 *sqlite, const struct compare_distribution *wanted,
                                         struct rk_error *error);

#endif
