#include "facts/nearest.h"

#include "base/memory.h"
#include "catalog/catalog.h"
#include "facts/likeness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- how near ---- */

static bool is_step(const struct fact *fact)
{
    for (int i = 0; i < fact->figures; i++)
        if (fact->figure[i].kind == FIGURE_STEP) return !fact->reason[0] && !fact->clusters;
    return false;
}

/* What likeness() looks at. A model of the same width and depth is of the same family. */
static void describe(struct result *r, const struct rk_model *model, const char *system,
                     const struct rk_plan *plan)
{
    r->gpus = plan->ranks;
    r->model = *model;
    r->judgement.plan = *plan;
    if (!r->judgement.plan.sequence) r->judgement.plan.sequence = model->sequence;
    snprintf(r->system, sizeof r->system, "%.63s", system);
    snprintf(r->class_of[CLASS_FAMILY], FACT_TEXT, "%llu x %llu", (unsigned long long)model->layers,
             (unsigned long long)model->hidden);
}

/* ---- the nearest ---- */

struct near {
    const struct fact *fact;
    double likeness;
};

/* Takes the source's run that was kept out of the list, unless that is nearer. */
static bool takes_place(struct near near[NEAREST_RUNS], const struct fact *fact, double likeness)
{
    int at = 0;
    while (at < NEAREST_RUNS && near[at].fact &&
           strcmp(near[at].fact->class_of[CLASS_SOURCE], fact->class_of[CLASS_SOURCE]) != 0)
        at++;
    if (at == NEAREST_RUNS || !near[at].fact) return true;
    if (near[at].likeness >= likeness) return false;
    memmove(&near[at], &near[at + 1], (size_t)(NEAREST_RUNS - 1 - at) * sizeof *near);
    near[NEAREST_RUNS - 1] = (struct near){NULL, 0};
    return true;
}

static void keep(struct near near[NEAREST_RUNS], const struct fact *fact, double likeness)
{
    int at = NEAREST_RUNS;
    if (!takes_place(near, fact, likeness)) return;
    while (at > 0 && (!near[at - 1].fact || likeness > near[at - 1].likeness))
        at--;
    if (at == NEAREST_RUNS) return;
    memmove(&near[at + 1], &near[at], (size_t)(NEAREST_RUNS - 1 - at) * sizeof *near);
    near[at] = (struct near){fact, likeness};
}

/* Predicts one run; false where its step cannot be compared. */
static enum rk_status predict(const struct fact *fact, struct result *step, bool *found,
                              struct rk_error *error)
{
    const struct facts one = {.count = 1, .fact = (struct fact *)fact};
    struct results results = {.count = 0};
    const enum rk_status status = results_add(&results, &one, error);
    for (size_t i = 0; status == RK_OK && i < results.count && !*found; i++) {
        if (results.result[i].kind != FIGURE_STEP || !(results.result[i].predicted_si > 0))
            continue;
        *step = results.result[i];
        *found = true;
    }
    results_release(&results);
    return status;
}

enum rk_status nearest_among(const struct facts *facts, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             struct nearest *nearest, struct rk_error *error)
{
    struct near near[NEAREST_RUNS] = {{NULL, 0}};
    struct result *pair = calloc(2, sizeof *pair);
    enum rk_status status = pair ? RK_OK : no_memory(error);
    nearest->count = 0;
    if (pair) describe(&pair[0], model, system->id, plan);
    for (size_t i = 0; pair && i < facts->count; i++) {
        const struct fact *fact = &facts->fact[i];
        if (!is_step(fact)) continue;
        describe(&pair[1], &fact->model, fact->system.id, &fact->plan);
        keep(near, fact, likeness(&pair[0], &pair[1]));
    }
    for (int i = 0; status == RK_OK && i < NEAREST_RUNS && near[i].fact; i++) {
        bool found = false;
        status = predict(near[i].fact, &nearest->result[nearest->count], &found, error);
        if (found) nearest->likeness[nearest->count++] = near[i].likeness;
    }
    free(pair);
    return status;
}

enum rk_status nearest_runs(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_plan *plan, struct nearest *nearest,
                            struct rk_error *error)
{
    struct facts facts = {.count = 0};
    struct rules rules = {0};
    char folder[3072], path[4096];
    enum rk_status status = catalog_folder(folder, sizeof folder, error);
    if (status == RK_OK) status = rules_load_or_own(NULL, &rules, error);
    rules.use = RULES_BLIND;
    if (status == RK_OK) snprintf(path, sizeof path, "%s/measured/runs.csv", folder);
    if (status == RK_OK) status = facts_load(&facts, path, &rules, error);
    if (status == RK_OK) status = nearest_among(&facts, model, system, plan, nearest, error);
    facts_release(&facts);
    rules_release(&rules);
    return status;
}
