/* clusters_plan.h - a plan that was found over several clusters, as a file of
 * catalog/clusters_plan.h. */
#ifndef RECKON_CLI_CLUSTERS_PLAN_H
#define RECKON_CLI_CLUSTERS_PLAN_H

#include "catalog/clusters_plan.h"

/* `words`: what the search was told of all stages. */
enum rk_status clusters_file_write(const char *path, const struct clusters_question *question,
                                   const struct clusters_plan *plan, const char *words,
                                   struct rk_error *error);

#endif
