#include "cli/calibrate_runs.h"

#include "facts/judge.h"

#include <stdio.h>
#include <string.h>

static const struct figure *step_of(const struct fact *fact)
{
    for (int i = 0; i < fact->figures; i++)
        if (fact->figure[i].kind == FIGURE_STEP) return &fact->figure[i];
    return NULL;
}

/* The first word of a system's description: its accelerator's name. */
static size_t name_length(const char *system)
{
    return strcspn(system, " ");
}

static bool is_of(const struct fact *fact, const char *system)
{
    const size_t length = name_length(system);
    if (strchr(system, '/') || strcmp(system, "-") == 0) return true;
    if (length > 5 && strncmp(system + length - 5, ".json", 5) == 0) return true;
    return name_length(fact->system.id) == length && strncmp(fact->system.id, system, length) == 0;
}

/* Why a row is no sample; NULL when it is one, with what was measured in seconds. What its source
 * leaves open is settled for the whole fit. */
static const char *refuse(struct fact *fact, const char *system, double *measured_s)
{
    const struct figure *figure = step_of(fact);
    struct judgement judgement;
    if (fact->reason[0]) return fact->reason;
    if (!figure) return "no time of a step";
    if (!is_of(fact, system)) return "another accelerator";
    judge(fact, &judgement);
    if (!judgement.timed) return "a plan that cannot run";
    *measured_s = judge_measured(fact, figure, &judgement);
    fact->plan = judgement.plan;
    fact->open = 0;
    return *measured_s > 0 ? NULL : "no time of a step";
}

static enum rk_status add_samples(struct facts *facts, const char *system, struct samples *samples,
                                  struct rk_error *error)
{
    enum rk_status status = RK_OK;
    const struct fact *first = NULL;
    const char *why = NULL;
    size_t used = 0;
    for (size_t i = 0; i < facts->count && status == RK_OK; i++) {
        struct fact *fact = &facts->fact[i];
        struct sample sample = {.kind = SAMPLE_STEP, .run = fact};
        const char *refused = refuse(fact, system, &sample.time_s);
        if (refused && !first) {
            first = fact;
            why = refused;
        }
        if (refused) continue;
        status = samples_add(samples, &sample, error);
        used++;
    }
    if (status == RK_OK && first)
        fprintf(stderr, "reckon: calibrate: %zu of %zu rows are left out; the first, %s: %s\n",
                facts->count - used, facts->count, first->id, why);
    return status;
}

enum rk_status calibrate_runs(const struct option_texts *paths, const char *system,
                              struct facts *facts, struct samples *samples, struct rk_error *error)
{
    struct rules rules = {.count = 0};
    enum rk_status status = rules_load_or_own(NULL, &rules, error);
    for (int i = 0; i < paths->count && status == RK_OK; i++)
        status = facts_load(facts, paths->text[i], &rules, error);
    if (status == RK_OK) status = add_samples(facts, system, samples, error);
    rules_release(&rules);
    return status;
}
