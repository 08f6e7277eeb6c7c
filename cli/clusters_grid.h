/* clusters_grid.h - many machines in one line: "h100-sxm5-80g x{64,128} + a100-sxm4-80g x64
 * link={50Gb/s,100Gb/s}@50us" are four, of which each is searched, with each batch of a list. */
#ifndef RECKON_CLI_CLUSTERS_GRID_H
#define RECKON_CLI_CLUSTERS_GRID_H

#include "cli/clusters_ask.h"
#include "report/report.h"

/* Does the line have alternatives in braces, or is there a list of batches? */
bool clusters_grid_is(const struct clusters_source *source);

/* A row for each machine and batch: its choices, the best plan there. Of one on which nothing fits
 * the row says so. */
enum rk_status clusters_grid(struct report *report, const struct clusters_source *source,
                             struct rk_error *error);

#endif
