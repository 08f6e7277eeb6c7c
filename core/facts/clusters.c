/* clusters.c - a run whose stages or replicas are on several kinds of GPU: the cell "clusters" is
 * its machine in one line, "stages" a plan file over it (catalog/clusters_plan.h) without words.
 * What layers see is the row's plan, which stands for all stages. */
#include "catalog/clusters_plan.h"
#include "facts/fact.h"

#include <stdlib.h>
#include <string.h>

static bool read_stages(const char *text, struct fact *fact, struct fact_clusters *clusters)
{
    struct clusters_file file = {.batch = 0};
    struct plan_draft draft = plan_draft_of(&fact->plan);
    struct rk_error error;
    enum rk_status status = document_parse("stages", text, strlen(text), &file.document, &error);
    if (status == RK_OK) status = clusters_file_read(&file, &error);
    if (status == RK_OK)
        status = clusters_file_stages(&file, &fact->model, &clusters->machine, &draft,
                                      &clusters->given, &error);
    clusters_file_release(&file);
    return status == RK_OK || fact_fail(fact, "stages: %.200s", error.text);
}

bool fact_clusters(const struct row *row, struct fact *fact)
{
    struct rk_error error;
    const char *machine = row_get(row, "clusters"), *stages = row_get(row, "stages");
    if (!machine[0]) return true;
    if (!stages[0]) return fact_fail(fact, "clusters: the row has no stages to place on them");
    if (fact->open & ~(1u << OPEN_RECOMPUTE))
        return fact_fail(fact, "stages: the row leaves degrees of the plan open");
    fact->clusters = calloc(1, sizeof *fact->clusters);
    if (!fact->clusters) return fact_fail(fact, "no memory for the stages");
    if (rk_machine_load(machine, &fact->clusters->machine, &error) != RK_OK)
        return fact_fail(fact, "clusters \"%.80s\": %.140s", machine, error.text);
    return read_stages(stages, fact, fact->clusters);
}

void fact_clusters_release(struct fact *fact)
{
    if (fact->clusters) rk_machine_release(&fact->clusters->machine);
    free(fact->clusters);
    fact->clusters = NULL;
}
