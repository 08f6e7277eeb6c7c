/* offload_files.h - the published formulas of offloading over a file of cases. */
#ifndef RECKON_CLI_OFFLOAD_FILES_H
#define RECKON_CLI_OFFLOAD_FILES_H

#include "report/report.h"

/* CSV: rows of SSDTrain's model; JSON with "attention": its rule of how much to store; JSON with
 * "cases": MEMO's share. */
enum rk_status offload_file(const char *path, struct report *report, struct rk_error *error);

#endif
