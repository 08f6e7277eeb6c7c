#include "check/memory.h"
#include "check/findings.h"

#include <inttypes.h>
#include <reckon/predict.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GiB = 1024.0 * 1024 * 1024;

/* Predictions of activations go astray, and what a run recomputes or offloads is not always said:
 * measured runs did run although up to so much more was predicted than there is. Beyond these
 * factors it is an error, below them a remark. `reckon check --measured own` lists the two that lie
 * beyond, which cannot have run as their tables say. */
enum { STATES, STAGE };
static const double slack[] = {[STATES] = 1.0, [STAGE] = 1.7};

static double states_of(const struct rk_stage *stage)
{
    return stage->holds[RK_HOLD_weights] + stage->holds[RK_HOLD_gradients] +
           stage->holds[RK_HOLD_optimizer];
}

/* ---- the cheapest single change ---- */

struct change {
    const char *word;
    bool (*apply)(struct rk_plan *plan);
};

static bool shard(struct rk_plan *p)
{
    if (p->zero >= 1 || rk_plan_data(p) * p->context < 2) return false;
    p->zero = 1;
    return true;
}

static bool shard_all(struct rk_plan *p)
{
    if (p->zero == 3 || p->pipeline > 1 || rk_plan_data(p) * p->context < 2) return false;
    p->zero = 3;
    return true;
}

static bool split_norms(struct rk_plan *p)
{
    if (p->sequence_parallel || p->tensor < 2) return false;
    return p->sequence_parallel = true;
}

static bool recompute_parts(struct rk_plan *p)
{
    if (p->recompute != RK_KEEP) return false;
    p->recompute = RK_SELECTIVE;
    p->recompute_parts = 1u << RK_PART_CORE_ATTENTION | 1u << RK_PART_MLP;
    return true;
}

static bool recompute_all(struct rk_plan *p)
{
    if (p->recompute == RK_WHOLE && !p->recompute_layers) return false;
    p->recompute = RK_WHOLE;
    p->recompute_layers = 0;
    p->recompute_parts = 0;
    return true;
}

static bool one_sample(struct rk_plan *p)
{
    if (p->microbatch == 1) return false;
    p->microbatch = 1;
    return true;
}

static const struct change changes[] = {
    {"sp", split_norms},
    {"zero1", shard},
    {"mbs1", one_sample},
    {"recompute=selective:core_attn+mlp", recompute_parts},
    {"recompute=full", recompute_all},
    {"zero3", shard_all},
};

/* "recompute=full needs 74 GiB": the fastest of the changes with which it fits. */
static void fix_memory(const struct rk_model *model, const struct rk_system *system,
                       const struct rk_plan *plan, struct rk_prediction *p, struct rk_finding *f)
{
    double best_s = 0;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct rk_plan other = *plan;
        if (!changes[i].apply(&other)) continue;
        if (rk_predict(model, system, &other, p) != RK_FITS) continue;
        if (best_s > 0 && p->step_s >= best_s) continue;
        best_s = p->step_s;
        snprintf(f->fix, sizeof f->fix, "%s needs %.0f GiB", changes[i].word,
                 p->stage[p->tightest].total_bytes / GiB);
    }
    if (best_s > 0) return;
    snprintf(f->fix, sizeof f->fix, "no single change is enough: reckon fits lists what saves");
}

static void complain(struct rk_findings *findings, const char *rule, int stage, double need,
                     double capacity, const char *what, struct rk_finding **finding)
{
    struct rk_finding *f = findings_add(findings, rule);
    snprintf(f->what, sizeof f->what, "stage %d", stage);
    snprintf(f->have, sizeof f->have, "%.1f GiB", need / GiB);
    snprintf(f->need, sizeof f->need, "%.0f GiB are there for %s", capacity / GiB, what);
    *finding = f;
}

static void judge(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, const struct rk_launch *launch,
                  struct rk_prediction *p, struct rk_findings *findings)
{
    const double capacity = system->memory[0].capacity_bytes;
    const bool exact = launch->exact_memory;
    struct rk_finding *f = NULL;
    int fullest = 0, tightest = 0;
    for (int i = 1; i < p->stages; i++) {
        if (states_of(&p->stage[i]) > states_of(&p->stage[fullest])) fullest = i;
        if (p->stage[i].total_bytes > p->stage[tightest].total_bytes) tightest = i;
    }
    const double states = states_of(&p->stage[fullest]), all = p->stage[tightest].total_bytes;
    if (states > capacity * slack[STATES])
        complain(findings, "5.states", fullest, states, capacity,
                 "weights, gradients and optimizer", &f);
    else if (!launch->states_only && all > capacity) {
        complain(findings, "5.stage", tightest, all, capacity, "all that is held at the peak", &f);
        if (!exact && all <= capacity * slack[STAGE]) f->severity = RK_ASSUMED;
    }
    if (f) fix_memory(model, system, plan, p, f);
}

void check_memory(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, const struct rk_launch *launch,
                  struct rk_findings *findings)
{
    struct rk_prediction *p = malloc(sizeof *p);
    if (!p) return;
    const enum rk_verdict verdict = rk_predict(model, system, plan, p);
    if (verdict == RK_FITS || verdict == RK_MEMORY_EXCEEDED)
        judge(model, system, plan, launch, p, findings);
    free(p);
}

void memory_compare(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, uint64_t inside, struct rk_finding *finding)
{
    struct rk_prediction *p = malloc(sizeof *p);
    struct rk_plan other = *plan;
    if (!p) return;
    other.tensor = inside;
    other.pipeline = plan->pipeline * (plan->tensor / inside);
    const bool timed = rk_predict(model, system, plan, p) == RK_FITS;
    const double now_s = p->step_s;
    if (timed && rk_predict(model, system, &other, p) == RK_FITS && p->step_s < now_s)
        snprintf(finding->fix, sizeof finding->fix,
                 "tp%" PRIu64 " pp%" PRIu64 " is predicted %.0f %% faster", other.tensor,
                 other.pipeline, 100 * (now_s / p->step_s - 1));
    else
        snprintf(finding->fix, sizeof finding->fix, "use tensor %" PRIu64 " or a divisor of it",
                 inside);
    free(p);
}
