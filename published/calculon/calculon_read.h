/* calculon_read.h - the input files of the published tool Calculon [isaev2023].
 *
 * Paths may be "-" (standard input); gzip is seen by its content. Everything wrong is one message
 * with path, line and column, RK_BAD_INPUT; the output is untouched then.
 */
#ifndef RECKON_CALCULON_CALCULON_READ_H
#define RECKON_CALCULON_CALCULON_READ_H

#include "calculon/calculon.h"
#include "text/document.h"

#include <reckon/system.h>

/* The id is the file's name without ending. Attention is multi-head: an execution decides that. */
enum rk_status calculon_read_model(const char *path, struct rk_model *model,
                                   struct rk_error *error);

/* Refuses what that tool refuses without looking at the model: degrees that do not multiply to
 * num_procs, batches that do not divide, options that exclude each other. */
enum rk_status calculon_read_execution(const char *path, struct calculon_execution *execution,
                                       struct rk_error *error);

/* mem1 and mem2 become memory tiers 0 and 1. A second memory of 0 GiB is kept, so that offloading
 * to it is refused for its size; a search wants it dropped. Release with rk_system_release. */
enum rk_status calculon_read_system(const char *path, struct rk_system *system,
                                    struct rk_error *error);

/* The same of texts in memory. */
enum rk_status calculon_parse_model(const struct document *document, struct rk_model *model,
                                    struct rk_error *error);
enum rk_status calculon_parse_execution(const struct document *document,
                                        struct calculon_execution *execution,
                                        struct rk_error *error);
enum rk_status calculon_parse_system(const struct document *document, struct rk_system *system,
                                     struct rk_error *error);

/* Takes a second memory of 0 bytes out of the list, so that no search offloads to it. */
void calculon_drop_absent_memory(struct rk_system *system);

#endif
