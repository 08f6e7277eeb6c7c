/* reckon check --measured: what the rules say of runs that did run. */
#include "catalog/catalog.h"
#include "cli/check.h"
#include "facts/facts.h"
#include "facts/judge.h"

#include <stdlib.h>
#include <string.h>

static bool ran(const struct fact *fact)
{
    for (int i = 0; i < fact->figures; i++)
        if (fact->figure[i].kind == FIGURE_OOM) return false;
    return true;
}

static void print_row(const struct fact *fact, const struct rk_findings *findings)
{
    for (int i = 0; i < findings->count; i++) {
        const struct rk_finding *f = &findings->finding[i];
        if (f->severity == RK_ERROR)
            printf("%s: %s: %s%s%s: %s\n", fact->id, f->rule, f->what, *f->have ? " " : "", f->have,
                   f->need);
    }
}

/* What the table leaves open may be any value: that of the prediction, or the least. */
static void check_open(const struct fact *fact, const struct rk_plan *plan,
                       const struct rk_launch *launch, struct rk_findings *findings)
{
    struct rk_plan least = *plan;
    if (fact->open & 1u << OPEN_MICROBATCH) least.microbatch = 1;
    if (fact->open & 1u << OPEN_CHUNKS) least.chunks = 1;
    findings->count = 0;
    rk_check_plan(&fact->model, &fact->system, plan, launch, findings);
    if (!rk_findings_errors(findings) || !fact->open) return;
    findings->count = 0;
    rk_check_plan(&fact->model, &fact->system, &least, launch, findings);
}

static int judge_facts(const struct facts *facts)
{
    struct rk_findings *findings = calloc(1, sizeof *findings);
    struct judgement *judgement = malloc(sizeof *judgement);
    size_t runs = 0, wrong = 0, left = 0;
    for (size_t i = 0; findings && judgement && i < facts->count; i++) {
        const struct fact *fact = &facts->fact[i];
        const struct rk_launch launch = {.pads = true};
        if (!ran(fact)) continue;
        runs++;
        if (*fact->reason) {
            left++;
            continue;
        }
        judge(fact, judgement);
        check_open(fact, &judgement->plan, &launch, findings);
        wrong += rk_findings_errors(findings) > 0;
        print_row(fact, findings);
    }
    printf("%zu runs, %zu of them with errors, %zu not judged: no model or plan describes them\n",
           runs, wrong, left);
    free(findings);
    free(judgement);
    return wrong ? RK_CHECK_FAILED : RK_OK;
}

int check_measured(const char *path)
{
    struct facts facts = {.count = 0};
    struct rules rules = {.count = 0};
    struct rk_error error;
    char folder[3072], own[4096];
    enum rk_status status = rules_load_or_own(NULL, &rules, &error);
    if (status == RK_OK && strcmp(path, "own") == 0) {
        status = catalog_folder(folder, sizeof folder, &error);
        snprintf(own, sizeof own, "%s/measured/runs.csv", folder);
        path = own;
    }
    if (status == RK_OK) status = facts_load(&facts, path, &rules, &error);
    const int code = status == RK_OK ? judge_facts(&facts) : options_fail(&error);
    facts_release(&facts);
    rules_release(&rules);
    return code;
}
