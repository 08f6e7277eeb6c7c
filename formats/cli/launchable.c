/* launchable.c - whether a file of the tools launches a plan, and what it loses. */
#include "cli/launchable.h"

#include "cli/export_plan.h"

#include <stdlib.h>
#include <string.h>

static bool is_launched(const struct rk_system *system, const struct rk_plan *plan)
{
    return launch_has_file(system) && rk_answerer(plan->framework)->runs && plan->local.training;
}

/* The plan as one job runs it; of several clusters that no job runs, one that asks for the model
 * alone. */
static struct rk_plan job_of(const struct rk_plan *plan)
{
    struct rk_plan job = *plan;
    if (!rk_plan_layout(plan)->parts || !clusters_unlaunchable(plan, &job)) return job;
    job = rk_plan_default();
    job.framework = plan->framework;
    return job;
}

/* Has torchtitan a file of the model? */
static bool torch_has(const struct rk_model *model, struct notes *notes)
{
    struct rk_error ignored;
    struct export_plan torch = {*model, rk_plan_default()};
    torch.plan.framework = RK_FSDP;
    torch.plan.zero = 3;
    torch.plan.ranks = torch.plan.batch = 8;
    notes->count = 0;
    return export_lost(EXPORT_TORCHTITAN, &torch, notes, &ignored) == RK_OK;
}

const char *launch_refusal(struct report *report, const struct rk_model *model,
                           const struct rk_system *system, const struct rk_plan *plan)
{
    const struct launch_tool *tool = launch_tool(plan);
    const struct export_plan both = {*model, job_of(plan)};
    struct notes *notes = calloc(1, sizeof *notes);
    struct rk_error error;
    const char *why = NULL;
    if (!notes || !is_launched(system, plan)) {
        free(notes);
        return NULL;
    }
    if (tool->to == EXPORT_MEGATRON && rk_plan_is_torchs(plan))
        why = "no argument of Megatron-LM says its adapters, base or objective; framework=fsdp has "
              "files of them";
    else if (export_lost(tool->to, &both, notes, &error) != RK_OK)
        why = report_text(report, "`reckon export %s` refuses it: %s%s", tool->format, error.text,
                          tool->to == EXPORT_MEGATRON && torch_has(model, notes)
                              ? "; framework=fsdp has files of this model"
                              : "");
    free(notes);
    return why ? report_text(report, "no file launches it: %s", why) : NULL;
}

const char *launch_lost(struct report *report, const struct rk_model *model,
                        const struct rk_system *system, const struct rk_plan *plan)
{
    static const char runs[] = "the run has ";
    const struct export_plan both = {*model, job_of(plan)};
    const struct launch_tool *tool = launch_tool(plan);
    struct notes *notes = calloc(1, sizeof *notes);
    struct rk_error error;
    const char *text = NULL;
    if (notes && is_launched(system, plan) && export_lost(tool->to, &both, notes, &error) == RK_OK)
        for (int i = 0; i < notes->count; i++) {
            const struct rk_finding *note = &notes->note[i];
            const char *has = strstr(note->need, runs);
            if (note->severity == NOTE_WARNING)
                text = report_text(report, "%s %s %s (%s)",
                                   text ? report_text(report, "%s,", text) : "", note->what,
                                   note->have, has ? has : "left to the training code");
        }
    free(notes);
    return text ? report_text(report, "`reckon export %s` cannot say%s", tool->format, text) : NULL;
}
