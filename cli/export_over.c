/* export_over.c - the plan of a machine of several clusters, as launchers can say it. */
#include "base/memory.h"
#include "cli/clusters_ask.h"
#include "cli/export_plan.h"

#include <stdlib.h>

/* Launchers say one plan for all ranks, or (`layered`) one for each layer. */
static enum rk_status plan_of(const struct clusters_input *input, bool layered,
                              struct export_plan *plan, struct rk_error *error)
{
    if (layered ? clusters_layered_plan(input, &plan->plan)
                : clusters_plain_plan(input, &plan->plan))
        return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   layered ? "the plan's stages have different numbers of GPUs, or replicas on "
                             "several clusters, which this target does not say"
                           : "the plan's stages differ in more than their layers, or have replicas "
                             "on several clusters, which this target does not say");
}

enum rk_status export_gather_over(const struct plan_source *source, bool layered,
                                  struct export_plan *plan, struct rk_error *error)
{
    struct clusters_input *input = calloc(1, sizeof *input);
    if (!input) return no_memory(error);
    enum rk_status status = clusters_input_of(input, source, !layered, error);
    if (status == RK_OK) status = plan_of(input, layered, plan, error);
    if (status == RK_OK) {
        plan->model = input->model;
        fprintf(stderr,
                "reckon: over %d clusters: %.4g s a step, %s; reckon clusters --ranks writes its "
                "hosts in their order\n",
                input->machine.clusters, input->answer->best.simulated_s,
                source->file ? "as the file has it"
                : !layered   ? "the best plan whose stages are alike"
                             : "the best plan that the search found");
    }
    clusters_input_release(input);
    free(input);
    return status;
}
