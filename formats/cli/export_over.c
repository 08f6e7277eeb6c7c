/* export_over.c - the plan of a machine of several clusters, as launchers can say it. */
#include "base/memory.h"
#include "catalog/plan_stages.h"
#include "cli/export_plan.h"
#include "clusters/predict.h"

#include <stdlib.h>

/* Where stages have as many GPUs each, in one cluster, layers are run as their stage's. */
static bool is_layered(const struct rk_plan *plan, struct rk_plan *layered)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    const uint64_t stages = plan->pipeline;
    struct plan_stages said;
    bool good = (uint64_t)layout->parts == stages;
    *layered = *plan;
    plan_stages_begin(&said, layered);
    for (uint64_t i = 0; good && i < stages * plan->chunks; i++) {
        const struct rk_stage_part *part = &layout->part[i % stages];
        struct rk_local own = part->local ? layout->other[part->local - 1] : plan->local;
        own.microbatch = layout->round / part->data;
        good = own.tensor * own.context * part->data * stages == plan->ranks &&
               plan_stages_run(&said, layout->split[i], &own) && plan_stages_end_stage(&said);
    }
    return good && plan_stages_end(&said);
}

const char *clusters_unlaunchable(const struct rk_plan *plan, struct rk_plan *plain)
{
    if (plan->framework != RK_MEGATRON) return "it is of another framework";
    if ((uint64_t)rk_plan_layout(plan)->parts != plan->pipeline)
        return "replicas on several clusters take samples by their speed";
    if (!plan_plain(plan, plain)) return "its stages differ in more than their layers";
    if (plan->schedule != RK_1F1B) return "its schedule is not 1F1B";
    if (rk_plan_offloaded(plan, RK_SHARE_ATTENTION) > 0) return "its activations go to the host";
    return NULL;
}

/* Launchers say one plan for all ranks, or (`layered`) one for each layer. */
static enum rk_status plan_of(const struct rk_plan *found, bool layered, struct export_plan *plan,
                              struct rk_error *error)
{
    if (plan_plain(found, &plan->plan) || (layered && is_layered(found, &plan->plan))) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   layered ? "the plan's stages have different numbers of GPUs, or replicas on "
                             "several clusters, which this target does not say"
                           : "the plan's stages differ in more than their layers, or have replicas "
                             "on several clusters, which this target does not say");
}

enum rk_status export_gather_over(const struct plan_source *source, bool layered,
                                  struct export_plan *plan, struct rk_error *error)
{
    struct plan_input input = {.assumed = ""};
    struct plan_source any = *source;
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    any.several = true;
    any.alike = !layered;
    enum rk_status status = prediction ? plan_gather(&any, &input, error) : no_memory(error);
    if (status == RK_OK) status = plan_settle(&any, &input, NULL, NULL, error);
    const struct rk_plan *found = &input.draft.plan;
    if (status == RK_OK) status = plan_of(found, layered, plan, error);
    if (status == RK_OK) {
        plan->model = input.model;
        rk_predict(&input.model, &input.system, found, prediction);
        fprintf(stderr,
                "reckon: over %d clusters: %.4g s per step, %s; reckon export ranks writes its "
                "hosts in "
                "their order\n",
                input.system.machine->clusters, prediction->step_s,
                !input.searched ? "as its stages are said"
                : !layered      ? "the best plan whose stages are alike"
                                : "the best plan that the search found");
    }
    free(prediction);
    plan_input_release(&input);
    return status;
}
