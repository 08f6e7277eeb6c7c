/* clusters_file.h - a plan file of stages over clusters (catalog/clusters_plan.h) as any plan. */
#ifndef RECKON_ADVISE_CLUSTERS_FILE_H
#define RECKON_ADVISE_CLUSTERS_FILE_H

#include "catalog/clusters_plan.h"

/* `draft` holds the file's members for all stages and the words of a line, which override them;
 * then the whole plan. RK_BAD_ARGUMENT when a word sets a member that each stage has of its own. */
enum rk_status clusters_file_settle(struct clusters_file *file, const struct rk_model *model,
                                    const struct rk_system *system, struct plan_draft *draft,
                                    struct rk_error *error);

#endif
