#include "cli/search_beyond.h"

#include "base/units.h"
#include "catalog/plan_fields.h"
#include "cli/launchable.h"
#include "facts/learned.h"

#include <inttypes.h>
#include <reckon/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool exchanges(const struct rk_model *model, const struct rk_plan *plan)
{
    return model->experts && plan->expert > 1;
}

/* Mixtures without a capacity launch by how tokens are routed: graphs hold what comes before. */
static bool captures_routers(const struct rk_model *model, const struct rk_plan *plan)
{
    return model->experts && plan->recompute != RK_WHOLE;
}

static bool captures(const struct rk_model *model, const struct rk_plan *plan)
{
    return !model->experts && plan->recompute != RK_WHOLE;
}

#define MEGATRON (1u << RK_MEGATRON)
#define FSDP     (1u << RK_FSDP)

/* clang-format off */
const struct beyond search_beyond[] = {
    {"dispatcher deepep",      "dispatcher=deepep",        RK_PLAN_DISPATCHER,     MEGATRON | FSDP, exchanges},
    {"precision fp8-delayed",  "precision=fp8-delayed",    RK_PLAN_PRECISION,      MEGATRON,        NULL},
    {"precision fp8-current",  "precision=fp8-current",    RK_PLAN_PRECISION,      MEGATRON,        NULL},
    {"precision fp8-block",    "precision=fp8-block",      RK_PLAN_PRECISION,      MEGATRON,        NULL},
    {"precision fp8-row",      "precision=fp8-row",        RK_PLAN_PRECISION,      FSDP,            NULL},
    {"precision mxfp8",        "precision=mxfp8",          RK_PLAN_PRECISION,      MEGATRON | FSDP, NULL},
    {"precision nvfp4",        "precision=nvfp4",          RK_PLAN_PRECISION,      MEGATRON,        NULL},
    {"tensor-overlap ring",    "tp-overlap",               RK_PLAN_TENSOR_OVERLAP, FSDP,            NULL},
    {"cuda-graphs",            "cuda-graphs",              RK_PLAN_AXES,           MEGATRON,        captures},
    {"cuda-graphs",            "cuda-graphs graph-parts=attn+moe_router+moe_preprocess",
                                                           RK_PLAN_AXES,           MEGATRON,        captures_routers},
    {"loss-in-place",          "loss-in-place",            RK_PLAN_AXES,           MEGATRON,        NULL},
    {NULL,                     NULL,                       RK_PLAN_AXES,           0,               NULL},
};
/* clang-format on */

enum { LISTED = 3 };
static const double worth_saying = 0.999;

struct gain {
    const struct beyond *beyond;
    double step_s;
};

static uint64_t runs_of(const char *choice)
{
    const struct error_bars *bars = learned_bars();
    for (int i = 0; bars && i < bars->seens; i++)
        if (strcmp(bars->seen[i].of, choice) == 0) return bars->seen[i].runs;
    return 0;
}

/* The plan with the choice; false where it has it, or no device, framework or model does. */
static bool apply(const struct search *search, const struct beyond *beyond,
                  const struct rk_plan *plan, struct rk_plan *changed)
{
    const struct rk_plans_problem *p = &search->problem;
    struct plan_draft draft = {.plan = *plan, .system = p->system};
    struct plan_fault fault;
    if (!(beyond->frameworks >> plan->framework & 1)) return false;
    if (beyond->axis < RK_PLAN_AXES && p->pinned[beyond->axis].count) return false;
    if (beyond->means && !beyond->means(p->model, plan)) return false;
    draft.given[plan_row("gpus")] = draft.given[plan_row("batch")] = true;
    draft.given[plan_row("attention")] = true;
    if (plan_read_words(beyond->words, &draft, NULL) != RK_OK || !plan_complete(&draft, &fault))
        return false;
    *changed = draft.plan;
    return true;
}

static bool can_start(const struct search *search, const struct rk_plan *plan)
{
    static const struct rk_launch launch = {.pads = true, .lone_ends = true, .states_only = true};
    struct rk_findings *findings = calloc(1, sizeof *findings);
    if (!findings) return false;
    rk_check_plan(search->problem.model, search->problem.system, plan, &launch, findings);
    const bool good = rk_findings_errors(findings) == 0;
    free(findings);
    return good;
}

/* Does the file that launches the plan lose the choice? What it loses of both is not asked. */
static bool is_lost(struct report *report, const struct search *search, const struct rk_plan *plan,
                    const struct rk_plan *changed)
{
    const struct rk_plans_problem *p = &search->problem;
    const char *before = launch_lost(report, p->model, p->system, plan);
    const char *after = launch_lost(report, p->model, p->system, changed);
    return launch_refusal(report, p->model, p->system, changed) ||
           (after && (!before || strcmp(before, after) != 0));
}

/* The step with the choice, where it is faster and fits as the others do; else 0. */
static double step_with(struct report *report, const struct search *search,
                        const struct beyond *beyond, const struct rk_plan *plan, double before_s)
{
    struct rk_prediction p;
    struct rk_plan changed;
    if (!apply(search, beyond, plan, &changed)) return 0;
    if (rk_predict(search->problem.model, search->problem.system, &changed, &p) != RK_FITS)
        return 0;
    if (p.step_s > worth_saying * before_s) return 0;
    const bool roomy = search->room != SEARCH_NO_ROOM;
    if (roomy && p.hbm_bytes > search->usable_bytes) return 0;
    const bool runs = can_start(search, &changed) && !is_lost(report, search, plan, &changed);
    return runs ? p.step_s : 0;
}

/* The fastest first; of those of one axis the fastest alone. */
static int note_gain(struct gain gain[LISTED], int count, struct gain found)
{
    for (int i = 0; i < count; i++)
        if (found.beyond->axis < RK_PLAN_AXES && gain[i].beyond->axis == found.beyond->axis) {
            if (gain[i].step_s <= found.step_s) return count;
            memmove(gain + i, gain + i + 1, (size_t)(--count - i) * sizeof *gain);
            break;
        }
    int at = count < LISTED ? count++ : LISTED;
    for (; at > 0 && gain[at - 1].step_s > found.step_s; at--)
        if (at < LISTED) gain[at] = gain[at - 1];
    if (at < LISTED) gain[at] = found;
    return count;
}

const char *search_beyond_text(struct report *report, const struct search *search)
{
    const char *text = NULL;
    struct gain gain[LISTED];
    struct rk_prediction now;
    struct rk_plan plan;
    int count = 0;
    if (search->result.found == 0 || search_is_published(search) || search->where[0] ||
        search->sort[0] || search->pareto[0])
        return NULL;
    search_plan(search, 0, &plan);
    rk_predict(search->problem.model, search->problem.system, &plan, &now);
    for (const struct beyond *b = search_beyond; b->choice; b++) {
        const double step_s = step_with(report, search, b, &plan, now.step_s);
        if (step_s > 0) count = note_gain(gain, count, (struct gain){b, step_s});
    }
    for (int i = 0; i < count; i++) {
        char from[QUANTITY_TEXT], to[QUANTITY_TEXT];
        text = report_text(
            report, "%s%s%s would take %s to %s (%" PRIu64 " measured runs have it)",
            text ? text : "not in the default space: ", text ? "; " : "", gain[i].beyond->words,
            quantity_format(from, QUANTITY_SECONDS, now.step_s),
            quantity_format(to, QUANTITY_SECONDS, gain[i].step_s), runs_of(gain[i].beyond->choice));
    }
    return text;
}
