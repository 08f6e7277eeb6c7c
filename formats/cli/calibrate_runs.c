#include "cli/calibrate_runs.h"

#include "catalog/hosts.h"
#include "catalog/plan_fields.h"
#include "cli/model_input.h"
#include "facts/judge.h"
#include "logs/train_log.h"
#include "workload/layers.h"
#include <reckon/catalog.h>

#include <stdio.h>
#include <stdlib.h>
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
    return name_length(fact->system.id) == length && strncmp(fact->system.id, system, length) == 0;
}

/* Is it a file of one's own, whose name says nothing? */
static bool is_file(const char *system)
{
    const size_t length = name_length(system);
    return strchr(system, '/') || strcmp(system, "-") == 0 ||
           (length > 5 && strncmp(system + length - 5, ".json", 5) == 0);
}

/* Why a row is not a sample of the system (NULL: of any); NULL when it is one, with the measured
 * seconds. The whole fit shares one answer to what the row's source leaves open. */
static const char *refuse(struct fact *fact, const char *system, double *measured_s)
{
    const struct figure *figure = step_of(fact);
    struct judgement judgement;
    if (fact->reason[0]) return fact->reason;
    if (!figure) return "no time of a step";
    if (system && !is_of(fact, system)) return "another accelerator";
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

enum rk_status calibrate_runs(const struct option_texts *paths, const char *given,
                              const struct rk_system *system, struct facts *facts,
                              struct samples *samples, struct rk_error *error)
{
    struct rules rules = {.count = 0};
    enum rk_status status = rules_load_or_own(NULL, &rules, error);
    for (int i = 0; i < paths->count && status == RK_OK; i++)
        status = facts_load(facts, paths->text[i], &rules, error);
    if (status == RK_OK)
        status = add_samples(facts, is_file(given) ? NULL : system->id, samples, error);
    rules_release(&rules);
    return status;
}

/* ---- a log ---- */

enum { LOG_SAMPLES = 4 }; /* the number that calibrate() fits a constant to */

/* How many accelerators the run had, which its degrees alone do not tell; 0: the plan says it. */
static enum rk_status gpus_of(const struct calibrate_log *log, const struct rk_system *system,
                              uint64_t *gpus, struct rk_error *error)
{
    struct plan_draft draft = plan_draft();
    const enum rk_status status = plan_named(log->plan, &draft, error);
    if (status != RK_OK) return status;
    if (plan_given(&draft, "gpus") || plan_given(&draft, "data")) return RK_OK;
    if (!plan_take_devices(&draft, system))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "calibrate: --plan does not say on how many GPUs the run was: add gpus256, "
                       "or dp8, to it");
    *gpus = draft.plan.ranks;
    return RK_OK;
}

static enum rk_status read_run(const struct calibrate_log *log, const char *system,
                               struct fact *fact, struct rk_error *error)
{
    if (!log->model || !log->plan)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "calibrate: --log needs --model and --plan: what the run was");
    enum rk_status status = model_open(log->model, &fact->model, error);
    char host[HOST_WORD];
    uint64_t gpus = 0;
    if (status == RK_OK) status = rk_system_load(system, &fact->system, error);
    if (status == RK_OK) status = gpus_of(log, &fact->system, &gpus, error);
    if (status == RK_OK) status = plan_named_on(log->plan, &fact->system, gpus, &fact->plan, error);
    if (status == RK_OK) status = host_add(&fact->plan, system, &fact->system, host, error);
    fact->lone_batch = (double)fact->plan.batch;
    return status;
}

static enum rk_status add_steps(const struct fact *fact, struct train_log *log,
                                struct samples *samples, struct rk_error *error)
{
    size_t count;
    const double *steps = train_log_sorted(log, &count);
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < LOG_SAMPLES && status == RK_OK; i++) {
        const size_t at = (2 * i + 1) * count / (2 * (size_t)LOG_SAMPLES);
        status = samples_add(
            samples, &(struct sample){.kind = SAMPLE_STEP, .run = fact, .time_s = steps[at]},
            error);
    }
    return status;
}

enum rk_status calibrate_log(const struct calibrate_log *log, const char *system, struct fact *fact,
                             struct samples *samples, struct rk_error *error)
{
    static struct train_log read;
    static struct rk_prediction p;
    *fact = (struct fact){.flop_ratio = 1};
    enum rk_status status = read_run(log, system, fact, error);
    if (status != RK_OK) return status;
    const struct rk_plan *plan = &fact->plan;
    const double sequence = rk_tokens_trained(&fact->model, plan);
    status = train_log_load(
        log->path,
        &(struct train_log_scale){(double)plan->batch,
                                  (double)plan->batch * sequence / (double)plan->ranks},
        &read, error);
    if (status != RK_OK) return status;
    rk_predict(&fact->model, &fact->system, plan, &p);
    if (!p.timed)
        return rk_fail(error, RK_BAD_INPUT, log->plan, 0, 0,
                       "a plan that cannot run (%s): is it the one of the log?",
                       rk_verdict_name(p.verdict));
    return add_steps(fact, &read, samples, error);
}
