#include "check/memory.h"
#include "base/text.h"
#include "check/findings.h"

#include <inttypes.h>
#include <math.h>
#include <reckon/advise.h>
#include <reckon/predict.h>
#include <reckon/sure.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GiB = 1024.0 * 1024 * 1024;

/* Predictions of activations go astray, and what a run recomputes or offloads is not always said:
 * measured runs did run although up to STAGE times what there is was predicted. Beyond that, and
 * where P(fits) is printed as HOPELESS percent or less, it is an error; else a warning where the
 * plan does not fit, a remark where that is unsure. `reckon check --measured own` lists those that
 * ran all the same. */
enum { HOPELESS = 1 };
static const double STAGE = 1.7;

/* How far a change helps: of those that help as far, the ones count that leave numbers as wide as
 * they are. */
enum good { NO_HELP, STATES_FIT, FITS, SURELY };

static enum good good_of(const struct rk_saving *s, const struct rk_model *model,
                         const struct rk_plan *plan, double capacity, bool states_only)
{
    if (s->fits)
        return rk_sure_of(model, plan, s->need_bytes, capacity, NULL) == RK_SURE_FITS ? SURELY
                                                                                      : FITS;
    return states_only && s->states_bytes <= capacity ? STATES_FIT : NO_HELP;
}

/* Of those that help as far as `good`; where states alone fit, the one that leaves most to the
 * rest. */
static const struct rk_saving *best_of(const struct rk_saving *saving, const enum good *goods,
                                       int count, enum good good)
{
    bool counts[RK_MAX_SAVINGS], wide = false;
    const struct rk_saving *least = NULL;
    for (int i = 0; i < count; i++)
        wide |= goods[i] == good && !saving[i].fewer_bits;
    for (int i = 0; i < count; i++) {
        counts[i] = goods[i] == good && !(wide && saving[i].fewer_bits);
        if (counts[i] && (!least || saving[i].states_bytes < least->states_bytes))
            least = &saving[i];
    }
    return good == STATES_FIT ? least : rk_saving_first(saving, counts, count);
}

/* "tp2", where the file has no key for it */
static bool is_fixed(const char *fixed, const char *words)
{
    const size_t n = strcspn(words, "0123456789=");
    return fixed && words[n] && text_word(fixed, words, n, false) >= 0;
}

/* "recompute=full needs 74 GiB": of the single changes that save memory, as reckon fits lists them,
 * the one with which it fits for sure, else with which it may; where states alone are judged, else
 * with which these fit. */
static void fix_memory(const struct rk_model *model, const struct rk_system *system,
                       const struct rk_plan *plan, const struct rk_launch *launch,
                       const struct rk_prediction *p, struct rk_finding *f)
{
    struct rk_saving saving[RK_MAX_SAVINGS];
    enum good good[RK_MAX_SAVINGS], best_good = NO_HELP;
    const double capacity = system->memory[0].capacity_bytes;
    const bool host = /* nothing says how large it is */
        system->memories > 1 && system->memory[1].capacity_bytes == CHECK_HOST_BYTES;
    const int count = rk_savings(model, system, plan, p, saving);
    for (int i = 0; i < count; i++) {
        good[i] = good_of(&saving[i], model, plan, capacity, launch->states_only);
        if (host && strstr(saving[i].words, "offload")) good[i] = NO_HELP;
        if (is_fixed(launch->fixed, saving[i].words)) good[i] = NO_HELP;
        if (good[i] > best_good) best_good = good[i];
    }
    const struct rk_saving *best =
        best_good == NO_HELP ? NULL : best_of(saving, good, count, best_good);
    if (!best)
        snprintf(f->fix, sizeof f->fix, "no single change is enough: reckon fits lists what saves");
    else if (best_good == STATES_FIT)
        snprintf(f->fix, sizeof f->fix, "%.180s needs %.0f GiB for them", best->words,
                 best->states_bytes / GiB);
    else
        snprintf(f->fix, sizeof f->fix, "%.180s needs %.0f GiB", best->words,
                 best->need_bytes / GiB);
}

struct rk_finding *memory_blame(const struct rk_model *model, const struct rk_plan *plan,
                                bool exact, int tier, double need, double capacity,
                                struct rk_findings *findings)
{
    const bool learned = !tier && !exact;
    const double chance = learned ? rk_fit_chance_within(model, plan, need, capacity) : NAN;
    const enum rk_sure sure = learned           ? rk_sure_of(model, plan, need, capacity, NULL)
                              : need > capacity ? RK_SURE_NOT
                                                : RK_SURE_FITS;
    char of[32] = "";
    if (sure == RK_SURE_FITS) return NULL;
    struct rk_finding *f = findings_add(findings, "5.stage");
    if (need <= capacity * (exact ? 1 : STAGE) && !(round(100 * chance) <= HOPELESS))
        f->severity = sure == RK_SURE_NOT ? RK_WARNING : RK_ASSUMED;
    if (!isnan(chance)) snprintf(of, sizeof of, ", P(fits) %.0f %%", 100 * chance);
    snprintf(f->have, sizeof f->have, "%.1f GiB", need / GiB);
    snprintf(f->need, sizeof f->need, "%s%s: %.0f GiB are there", rk_sure_name(sure), of,
             capacity / GiB);
    return f;
}

/* What lies in lower memory. */
static void judge_lower(const struct rk_model *model, const struct rk_system *system,
                        const struct rk_plan *plan, bool exact, const struct rk_prediction *p,
                        struct rk_findings *findings)
{
    for (int tier = 1; tier < system->memories; tier++) {
        int fullest = 0;
        for (int i = 1; i < p->stages; i++)
            if (p->stage[i].away_bytes[tier - 1] > p->stage[fullest].away_bytes[tier - 1])
                fullest = i;
        struct rk_finding *f =
            memory_blame(model, plan, exact, tier, p->stage[fullest].away_bytes[tier - 1],
                         system->memory[tier].capacity_bytes, findings);
        if (!f) continue;
        snprintf(f->what, sizeof f->what, "memory tier %d of stage %d", tier, fullest);
        snprintf(f->fix, sizeof f->fix, "offload less");
    }
}

static void judge_plan(const struct rk_model *model, const struct rk_system *system,
                       const struct rk_plan *plan, const struct rk_launch *launch,
                       struct rk_prediction *p, struct rk_findings *findings)
{
    const double capacity = system->memory[0].capacity_bytes;
    struct rk_finding *f = NULL;
    int fullest = 0, tightest = 0;
    for (int i = 1; i < p->stages; i++) {
        if (rk_sure_states(p->stage[i].holds) > rk_sure_states(p->stage[fullest].holds))
            fullest = i;
        if (p->stage[i].total_bytes > p->stage[tightest].total_bytes) tightest = i;
    }
    const double states = rk_sure_states(p->stage[fullest].holds);
    if (!launch->states_only) judge_lower(model, system, plan, launch->exact_memory, p, findings);
    if (states > capacity) {
        f = findings_add(findings, "5.states");
        snprintf(f->have, sizeof f->have, "%.1f GiB", states / GiB);
        snprintf(f->need, sizeof f->need, "%.0f GiB are there for weights, gradients and optimizer",
                 capacity / GiB);
    } else if (!launch->states_only)
        f = memory_blame(model, plan, launch->exact_memory, 0, p->stage[tightest].total_bytes,
                         capacity, findings);
    if (!f) return;
    snprintf(f->what, sizeof f->what, "stage %d", strcmp(f->rule, "5.states") ? tightest : fullest);
    fix_memory(model, system, plan, launch, p, f);
}

void check_memory(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, const struct rk_launch *launch,
                  struct rk_findings *findings)
{
    struct rk_prediction *p = malloc(sizeof *p);
    if (!p) return;
    const enum rk_verdict verdict = rk_predict(model, system, plan, p);
    if (verdict == RK_FITS || verdict == RK_MEMORY_EXCEEDED)
        judge_plan(model, system, plan, launch, p, findings);
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
