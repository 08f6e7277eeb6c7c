/* clusters_tables.h - a plan over clusters as tables: of the step, its stages, what each cluster
 * does by itself, what other links would do. */
#ifndef RECKON_CLI_CLUSTERS_TABLES_H
#define RECKON_CLI_CLUSTERS_TABLES_H

#include "clusters/given.h"
#include "report/report.h"

/* `given`: the plan was given, not searched; else NULL. `links`: search again with other links.
 * False: no memory. */
bool clusters_show(struct report *report, const struct clusters_question *question,
                   const struct clusters_answer *answer, const struct given_plan *given,
                   bool links);

#endif
