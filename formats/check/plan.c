/* plan.c - rules 2 to 6, 9 and 12 of a plan, whatever file it came from: rules.def, asked for all
 * that is broken. */
#include "check/clusters.h"
#include "check/findings.h"
#include "check/launch.h"
#include "check/memory.h"
#include "clusters/predict.h"
#include "rules/rules.h"

#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    struct rule_case rules;
    const struct rk_launch *launch;
    struct rk_findings *out;
};

static void blame(const struct asked *a, enum rule rule, const struct rule_words *w)
{
    const struct rk_plan *p = a->rules.plan;
    struct rk_finding *f = findings_add(a->out, w->id);
    snprintf(f->what, sizeof f->what, "%s", w->key);
    memcpy(f->have, w->have, sizeof f->have);
    memcpy(f->need, w->need, sizeof f->need);
    memcpy(f->fix, w->fix, sizeof f->fix);
    if (rule == RULE_IDLE && !plan_must_fill(p) && !rk_plan_layout(p)->segments &&
        !a->launch->fills_stages)
        f->severity = RK_WARNING; /* it costs time only */
    if (rule == RULE_TENSOR_DOMAIN && a->rules.system) {
        uint64_t inside = 1;
        for (uint64_t t = 1; t < p->tensor; t++)
            if (a->rules.domain % t == 0 && p->tensor % t == 0) inside = t;
        memory_compare(a->rules.model, a->rules.system, p, inside, f);
    }
}

/* Is it named already? Of a rule one finding is enough, but of those of single choices. */
static bool is_named(const struct asked *a, const struct rule_words *w)
{
    const bool choice = strcmp(w->id, "1.value") == 0 || strcmp(w->id, "12.needs") == 0 ||
                        strcmp(w->id, "12.excludes") == 0;
    for (int i = 0; i < a->out->count; i++) {
        const struct rk_finding *f = &a->out->finding[i];
        if (strcmp(f->rule, w->id) == 0 &&
            (!choice || (strcmp(f->what, w->key) == 0 && strcmp(f->need, w->need) == 0)))
            return true;
    }
    return false;
}

static int take_broken(const struct asked *a, unsigned parts)
{
    enum rule broken[RULES];
    const int count = rules_broken(&a->rules, parts, broken);
    for (int i = 0; i < count; i++) {
        const struct rule_words w = rule_words(broken[i], &a->rules);
        if (*w.id && !is_named(a, &w)) blame(a, broken[i], &w);
    }
    return count;
}

/* Layers with degrees of their own: as if all were so. */
static void check_layers(const struct asked *a)
{
    const struct rk_layout *layout = rk_plan_layout(a->rules.plan);
    for (int i = 0; i < layout->others && layout->segments; i++) {
        struct rk_plan own;
        struct asked one = *a;
        one.rules = rule_case_of_local(&a->rules, i + 1, &own);
        if (!take_broken(&one, 1u << CHECK_RUN)) take_broken(&one, LOCAL_CHECKS);
    }
}

static void take_idle(const struct asked *a)
{
    const char *because, *word;
    for (int next = 0;
         (word = rk_plan_idle_word(a->rules.model, a->rules.plan, &next, &because));) {
        struct rk_finding *f = findings_add(a->out, "12.effect");
        snprintf(f->what, sizeof f->what, "%s", word);
        snprintf(f->need, sizeof f->need, "has no effect: %s", because);
    }
}

/* ---- all ---- */

/* Memory is judged of plans that could run. */
static bool can_be_judged(const struct rk_findings *findings)
{
    static const char *const rules[] = {"1.*", "2.*", "3.divide",   "3.interleave",
                                        "4.*", "6.*", "12.datatype"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rk_finding *found = findings_find(findings, rules[i]);
        if (found && found->severity == RK_ERROR) return false;
    }
    return true;
}

void rk_check_plan(const struct rk_model *model, const struct rk_system *system,
                   const struct rk_plan *plan, const struct rk_launch *launch,
                   struct rk_findings *findings)
{
    static const struct rk_launch nothing = {.domain = 0};
    struct asked a = {rule_case_of(model, system, plan), launch ? launch : &nothing, findings};
    a.rules.group = a.launch->group;
    a.rules.lone_ends = a.launch->lone_ends;
    a.rules.pads = a.launch->pads;
    if (system && plan_has_parts(system, plan)) {
        check_clusters(model, system, plan, a.launch, findings);
        findings_settle(findings);
        return;
    }
    if (a.launch->domain) a.rules.domain = a.launch->domain;
    take_broken(&a, ((1u << CHECK_PARTS) - 1) & ~(unsigned)PLAN_STARTS);
    take_broken(&a, PLAN_STARTS);
    if (!rule_holds(RULE_COUNTED, &a.rules)) return;
    check_layers(&a);
    take_idle(&a);
    if (system) check_environment(system, plan, a.launch, findings);
    check_checkpoint(model, plan, a.launch->checkpoint, findings);
    if (system && can_be_judged(findings)) check_memory(model, system, plan, a.launch, findings);
    findings_settle(findings);
}

bool rk_plan_launches(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *plan)
{
    const struct rk_launch launch = {.pads = true, .lone_ends = true};
    struct rk_findings *findings = malloc(sizeof *findings);
    if (!findings) return false;
    findings->count = findings->dropped = 0;
    rk_check_plan(model, system, plan, &launch, findings);
    const bool launches = rk_findings_errors(findings) == 0;
    free(findings);
    return launches;
}
