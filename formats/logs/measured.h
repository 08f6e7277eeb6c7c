/* measured.h - tables of measured kernels and collectives.
 *
 * Products: CSV with a header line; columns m, n, k, one of time_s, time_ms, time_us, and
 * optionally count (1) and datatype (bfloat16), in any order; others are skipped. '#' begins a
 * comment line.
 *
 * Collectives: what nccl-tests prints, or writes with -J. Sizes are as there: the whole vector. The
 * operation is taken from its heading, from the first argument, or from `collective`; the ranks and
 * how many of them share a host from the list of devices, or from `ranks`.
 *
 * Files may be compressed with gzip; "-" is standard input. RK_BAD_INPUT names line and column.
 */
#ifndef RECKON_LOGS_MEASURED_H
#define RECKON_LOGS_MEASURED_H

#include "facts/samples.h"
#include <stdint.h>

enum rk_status measured_products(const char *path, struct samples *samples, struct rk_error *error);

struct collectives_options {
    const char *collective; /* "all_reduce", ...; NULL: as the file says */
    uint64_t ranks;         /* 0: as the file says */
    uint64_t node;          /* accelerators of a node, tier 0 of the system */
};

enum rk_status measured_collectives(const char *path, const struct collectives_options *options,
                                    struct samples *samples, struct rk_error *error);

/* Profiles of Galvatron's, as reckon galvatron collect or profile writes them: the times of its
 * messages, bandwidths as messages of 256 MB, and, where `model` is given, forward times of layers.
 * Those of embedding and head are differences of larger times, and are left out. RK_BAD_INPUT: more
 * than one machine or model, values that are no times. */
enum rk_status measured_galvatron(const char *path, const struct rk_model *model,
                                  struct samples *samples, struct rk_error *error);

#endif
