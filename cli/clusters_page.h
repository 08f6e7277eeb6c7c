/* clusters_page.h - a plan over clusters as one HTML page: its tables, and where the ranks are. */
#ifndef RECKON_CLI_CLUSTERS_PAGE_H
#define RECKON_CLI_CLUSTERS_PAGE_H

#include "cli/clusters_tables.h"

/* `model`, `system`: as the command line has them. */
enum rk_status clusters_page(const char *path, const char *model, const char *system,
                             const struct clusters_shown *shown, const struct clusters_also *also,
                             struct rk_error *error);

#endif
