#include "cli/launch_run.h"
#include "catalog/hosts.h"
#include "cli/placement.h"

#include <math.h>
#include <stdio.h>

enum { MINUTE_S = 60, HOUR_S = 3600 };

/* What a plan's ranks meet between nodes; "" within one. */
static void take_network(const struct rk_system *system, const struct rk_plan *plan,
                         struct launch_run *run)
{
    int tier = 0;
    while (tier + 1 < system->networks && system->network[tier].size < plan->ranks)
        tier++;
    if (tier && !system->machine)
        snprintf(run->network, sizeof run->network, "%s", system->network[tier].name);
}

static void take_outcome(const struct rk_campaign_outcome *o, double step_s, bool whole,
                         struct launch_run *run)
{
    if (whole) run->time_s = o->total_s;
    if (!isfinite(o->interval_s)) return; /* nothing fails */
    run->save_every = (uint64_t)fmax(1, round(o->interval_s / step_s));
    if (run->steps && run->save_every > run->steps) run->save_every = run->steps;
    snprintf(run->saves_from, sizeof run->saves_from,
             "%.4g minutes, against a failure every %.4g hours, %.3g s for each checkpoint",
             (double)run->save_every * step_s / MINUTE_S, o->mtbf_s / HOUR_S, o->blocking_s);
}

static enum rk_status on_system(const struct run_terms *terms, const struct forecast *f,
                                double tokens, bool whole, struct launch_run *run,
                                struct rk_error *error)
{
    struct rk_campaign campaign;
    struct rk_campaign_outcome outcome;
    const enum rk_status status = run_campaign(terms, f, tokens, &campaign, NULL, error);
    if (status != RK_OK) return status;
    rk_campaign_expect(&campaign, &outcome);
    take_outcome(&outcome, campaign.step_s, whole, run);
    return RK_OK;
}

enum rk_status launch_run_of(const struct run_args *args, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             struct launch_run *run, struct rk_error *error)
{
    struct run_args own = *args;
    struct run_terms terms = {.facts = NULL};
    struct rk_prediction prediction = {.timed = false};
    const struct forecast f = {model, system, plan, &prediction, "", NULL};
    const double step_tokens = (double)plan->batch * rk_tokens_trained(model, plan);
    double tokens;
    *run = (struct launch_run){.steps = 0};
    enum rk_status status = run_check(args, error);
    if (status != RK_OK || args->phases) return status;
    if (system) take_network(system, plan, run);
    if (system) run->node = host_node_size(system);
    if (system) run->together = placement_used(system, plan);
    if (system) run->rocm = system->kernels.platforms == 1u << RK_ROCM;
    if (system) rk_predict(model, system, plan, &prediction);
    if (!args->tokens) own.tokens = "1T"; /* the best interval is that of any number */
    if (!args->tokens && !prediction.timed) return RK_OK;
    status = run_terms_open(&terms, &own, error);
    if (status == RK_OK)
        status = rk_run_tokens(terms.facts, &terms.run, model, &tokens, NULL, error);
    if (status == RK_OK && args->tokens) {
        run->steps = (uint64_t)ceil(tokens / step_tokens);
        snprintf(run->steps_from, sizeof run->steps_from, "%.5g billion tokens, %.0f a step",
                 tokens / 1e9, step_tokens);
    }
    if (status == RK_OK && prediction.timed)
        status = on_system(&terms, &f, tokens, args->tokens, run, error);
    run_terms_close(&terms);
    return status;
}
