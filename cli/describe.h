/* describe.h - models, systems, strategies and refusals as tables of a report. */
#ifndef RECKON_CLI_DESCRIBE_H
#define RECKON_CLI_DESCRIBE_H

#include "report/report.h"
#include <reckon/machine.h>
#include <reckon/reckon.h>

/* Records "model", "system" (with "engines", "memories" and "networks"; of several clusters with
 * "clusters" and "links"). */
void describe_model(struct report *report, const struct rk_model *model, unsigned formats);
void describe_system(struct report *report, const struct rk_system *system, unsigned formats);

/* Record "kernels" and table "links": what predictions know of them, in the keys and units of
 * system files. */
void describe_kernels(struct report *report, const struct rk_system *system, unsigned formats);
void describe_links(struct report *report, const struct rk_system *system, unsigned formats);

/* Memory or network tiers by name: "memory tier 0 (HBM)" */
const char *memory_name(struct report *report, const struct rk_system *system, int tier);
const char *network_name(struct report *report, const struct rk_system *system, int tier);

#endif
