#include "advise/clusters_run.h"

#include "base/memory.h"
#include "clusters/predict.h"
#include "search/clusters_space.h"
#include "search/plans_space.h"

#include <stdlib.h>

static enum rk_status check_words(const struct plan_draft *draft, struct rk_error *error)
{
    static const char *const of_stages[] = {"pipeline", "gpus",         "data",
                                            "split",    "stages",       "microbatch",
                                            "chunks",   "first_layers", "last_layers"};
    const struct rk_plan *plan = &draft->plan;
    for (size_t i = 0; i < sizeof of_stages / sizeof *of_stages; i++)
        if (plan_given(draft, of_stages[i]))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s: the file says it stage by stage: leave it out", of_stages[i]);
    if (plan_given(draft, "recompute") && plan->recompute != RK_SELECTIVE && plan->recompute_parts)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "recompute-parts: only recompute=selective has parts");
    return clusters_check_words(plan, error);
}

static enum rk_status check_kernels(const struct plan_draft *draft,
                                    const struct rk_machine *machine, struct rk_error *error)
{
    struct plan_lack lack;
    for (int i = 0; i < machine->clusters; i++)
        if (plan_lacks(&draft->plan, &machine->cluster[i].system, &lack) &&
            plan_given(draft, lack.key))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: %s %s: %s", lack.key, lack.name,
                           lack.why, lack.fix);
    return RK_OK;
}

static enum rk_status take_batch(const struct clusters_file *file, struct plan_draft *draft,
                                 struct rk_error *error)
{
    if (plan_given(draft, "batch")) return RK_OK;
    if (!file->batch)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "how many samples has a step? add \"batch\": 256 to the file, or the word "
                       "gbs256");
    draft->plan.batch = file->batch;
    draft->given[plan_row("batch")] = true;
    return RK_OK;
}

/* As a search over clusters has them. */
static void take_defaults(struct plan_draft *draft, const struct rk_machine *machine)
{
    struct rk_plan *plan = &draft->plan;
    for (int i = 0; i < CLUSTERS_DEFAULTS; i++) {
        const struct clusters_default *d = &clusters_defaults[i];
        if (!plan_given(draft, d->key))
            rk_plan_axis_set(plan, d->axis, clusters_default_of(d, plan));
    }
    if (!plan_given(draft, "messages_sharded")) plan->messages_sharded = CLUSTERS_SHARD_MESSAGES;
    plan_take_precision(draft, &machine->cluster[0].system);
    draft->system = clusters_kernels(machine);
    plan_imply(draft);
}

static enum rk_status take_stages(const struct clusters_file *file, const struct rk_model *model,
                                  const struct rk_machine *machine, struct plan_draft *draft,
                                  struct rk_error *error)
{
    struct given_plan *given = calloc(1, sizeof *given);
    struct rk_plan plan;
    if (!given) return no_memory(error);
    enum rk_status status = clusters_file_stages(file, model, machine, draft, given, error);
    if (status == RK_OK && !plan_of_given(&draft->plan, given, &plan))
        status = rk_fail(error, RK_LIMIT, NULL, 0, 0,
                         "stages: more than %d kinds of layers, or %d kinds of replicas",
                         RK_MAX_LOCALS, RK_MAX_PARTS);
    if (status == RK_OK) *draft = plan_draft_of(&plan);
    free(given);
    return status;
}

enum rk_status clusters_file_settle(struct clusters_file *file, const struct rk_model *model,
                                    const struct rk_system *system, struct plan_draft *draft,
                                    struct rk_error *error)
{
    enum rk_status status = check_words(draft, error);
    if (status == RK_OK) status = take_batch(file, draft, error);
    if (status != RK_OK) return status;
    take_defaults(draft, system->machine);
    status = check_kernels(draft, system->machine, error);
    return status == RK_OK ? take_stages(file, model, system->machine, draft, error) : status;
}
