/* offload_files.h - the published formulas of offloading over a file of cases. */
#ifndef RECKON_CLI_OFFLOAD_FILES_H
#define RECKON_CLI_OFFLOAD_FILES_H

#include "report/report.h"

/* CSV: rows of SSDTrain's model, and with `simulate` each step event by event on an array of the
 * column array_GBps; JSON with "attention": its rule of how much to store; JSON with
 * "cases": MEMO's share. */
enum rk_status offload_file(const char *path, bool simulate, struct report *report,
                            struct rk_error *error);

#endif
