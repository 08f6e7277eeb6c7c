#include "cli/check_waste.h"

#include "catalog/hosts.h"
#include "check/findings.h"
#include "check/sources.h"
#include "cli/gains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNED = 5 };

/* The plan of words or of a plan file; false: there is none. */
static bool read_plan(const struct rk_check_input *input, struct rk_plan *plan)
{
    struct plan_draft draft;
    struct plan_fault fault;
    if (!check_draft(input, &draft) || !plan_complete(&draft, &fault)) return false;
    *plan = draft.plan;
    return true;
}

static void add_finding(const struct gain *g, double step_s, double capacity_bytes,
                        struct rk_findings *findings)
{
    struct rk_finding *f = findings_add(findings, "14.waste");
    f->line = g->line;
    snprintf(f->what, sizeof f->what, "%.63s", g->what);
    snprintf(f->need, sizeof f->need,
             "would shorten the step by %.1f %%, %.3g s to %.3g s, with %.1f of %.1f GiB",
             100 * (1 - g->step_s / step_s), step_s, g->step_s, g->total_bytes / 0x1p30,
             capacity_bytes / 0x1p30);
    snprintf(f->fix, sizeof f->fix, "%s", g->change);
}

static void find(const struct gain_case *of, double percent, struct rk_findings *findings)
{
    struct gain *gains = calloc(GAINS, sizeof *gains);
    const int count = gains ? gains_of(of, gains) : 0;
    for (int i = 0; i < count && i < WARNED; i++)
        if (100 * (1 - gains[i].step_s / of->step_s) >= percent)
            add_finding(&gains[i], of->step_s, of->system->memory[0].capacity_bytes, findings);
    free(gains);
}

static void judge(const struct rk_check_input *input, const struct rk_model *model,
                  struct rk_plan *plan, const struct launch_source *source,
                  const struct launch *launch, double percent, struct rk_findings *findings)
{
    static struct rk_prediction p;
    plan_attend_on(plan, input->system);
    rk_predict(model, input->system, plan, &p);
    if (!p.timed || !rk_answerer(plan->framework)->runs) return;
    const struct gain_case of = {.model = model,
                                 .system = input->system,
                                 .plan = plan,
                                 .step_s = p.step_s,
                                 .usable_bytes = gains_usable(model, input->system, plan),
                                 .source = source,
                                 .launch = launch};
    find(&of, percent, findings);
}

void waste_find(const struct waste_case *of, struct rk_findings *findings)
{
    const struct rk_check_input *input = of->input;
    struct rk_plan plan;
    struct rk_error ignored;
    if (!input->system || input->launch.states_only) return;
    if (strcmp(input->format, "words") == 0 || strcmp(input->format, "plan") == 0) {
        if (input->model && read_plan(input, &plan))
            judge(input, input->model, &plan, NULL, NULL, of->percent, findings);
        return;
    }
    struct launch *launch = calloc(1, sizeof *launch);
    const struct launch_source source = {.path = input->path,
                                         .model = of->model,
                                         .gpus = input->gpus,
                                         .machine = host_gpus(input->system),
                                         .vocabulary = input->vocabulary,
                                         .sets = input->sets,
                                         .set_count = input->set_count,
                                         .ignored = input->ignored,
                                         .ignored_count = input->ignored_count};
    if (launch && launch_is(input->path) && launch_open(&source, launch, &ignored) == RK_OK)
        judge(input, &launch->model, &launch->plan, &source, launch, of->percent, findings);
    if (launch) launch_release(launch);
    free(launch);
}
