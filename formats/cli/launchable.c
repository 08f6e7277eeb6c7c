/* launchable.c - whether a file of the tools launches a plan, and what it loses. */
#include "cli/launchable.h"

#include "check/findings.h"
#include "cli/check.h"
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

/* Why none does, and what to give instead (may be ""); NULL: one does, or none is asked for. */
static const char *refusal_of(struct report *report, const struct rk_model *model,
                              const struct rk_system *system, const struct rk_plan *plan,
                              const char **instead)
{
    const struct launch_tool *tool = launch_tool(plan);
    const struct export_plan both = {*model, job_of(plan)};
    struct notes *notes = calloc(1, sizeof *notes);
    struct rk_error error;
    const char *why = NULL;
    *instead = "";
    if (!notes || !is_launched(system, plan)) {
        free(notes);
        return NULL;
    }
    if (tool->to == EXPORT_MEGATRON && rk_plan_is_torchs(plan)) {
        why = "no argument of Megatron-LM says its adapters, base or objective";
        *instead = "framework=fsdp has files of them";
    } else if (export_lost(tool->to, &both, notes, &error) != RK_OK) {
        why = report_text(report, "`reckon export %s` refuses it: %s", tool->format, error.text);
        if (tool->to == EXPORT_MEGATRON && torch_has(model, notes))
            *instead = "framework=fsdp has files of this model";
    }
    free(notes);
    return why;
}

const char *launch_refusal(struct report *report, const struct rk_model *model,
                           const struct rk_system *system, const struct rk_plan *plan)
{
    const char *instead, *why = refusal_of(report, model, system, plan, &instead);
    return why ? report_text(report, "no file launches it: %s%s%s", why, *instead ? "; " : "",
                             instead)
               : NULL;
}

const char *launch_no_file(struct report *report, const struct rk_system *system,
                           const struct rk_plan *plan)
{
    return launch_has_file(system) || !rk_answerer(plan->framework)->runs || !plan->local.training
               ? NULL
               : report_text(report, LAUNCH_NO_FILE, system->id,
                             rk_framework_name(plan->framework));
}

void launch_find(const struct rk_model *model, const struct rk_system *system,
                 const struct rk_plan *plan, struct rk_findings *findings)
{
    struct report report = {.first = NULL};
    const char *instead, *why = refusal_of(&report, model, system, plan, &instead);
    if (!why) why = launch_no_file(&report, system, plan);
    if (why) {
        struct rk_finding *f = findings_add(findings, "15.file");
        snprintf(f->what, sizeof f->what, "framework");
        snprintf(f->have, sizeof f->have, "%s", rk_framework_name(plan->framework));
        snprintf(f->need, sizeof f->need, "no file launches it: %.180s", why);
        snprintf(f->fix, sizeof f->fix, "%s", instead);
    }
    report_release(&report);
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

/* ---- of a changed plan ---- */

/* What a file loses of the plan; false: none launches it. */
static bool file_of(const struct launch_limits *l, const struct rk_plan *plan, struct notes *lost)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    const struct export_plan both = {*l->model, job_of(plan)};
    const bool has = !launch_refusal(&report, l->model, l->system, plan);
    report_release(&report);
    lost->count = 0;
    if (has && is_launched(l->system, plan))
        export_lost(launch_tool(plan)->to, &both, lost, &error);
    return has;
}

static bool loses(const struct notes *lost, const char *what)
{
    for (int i = 0; i < lost->count; i++)
        if (lost->note[i].severity == NOTE_WARNING && strcmp(lost->note[i].what, what) == 0)
            return true;
    return false;
}

struct launch_limits launch_limits_of(const struct rk_model *model, const struct rk_system *system,
                                      const struct rk_plan *plan)
{
    struct launch_limits limits = {model, system, plan, false, false};
    struct notes *lost = calloc(1, sizeof *lost);
    limits.rules = check_forbids(model, system, plan, NULL) == 0;
    limits.file = lost && file_of(&limits, plan, lost);
    free(lost);
    return limits;
}

bool launch_within(const struct launch_limits *limits, const struct rk_plan *plan)
{
    if (limits->rules && check_forbids(limits->model, limits->system, plan, NULL)) return false;
    struct notes *lost = limits->file ? calloc(2, sizeof *lost) : NULL;
    bool good = !lost || file_of(limits, plan, lost);
    if (lost && good && notes_count(lost, NOTE_WARNING)) {
        file_of(limits, limits->plan, lost + 1);
        for (int i = 0; i < lost->count; i++)
            good &= lost->note[i].severity != NOTE_WARNING || loses(lost + 1, lost->note[i].what);
    }
    free(lost);
    return good;
}
