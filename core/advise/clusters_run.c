#include "advise/clusters_run.h"

#include "base/memory.h"
#include "clusters/predict.h"

#include <stdio.h>
#include <stdlib.h>

struct asked {
    const struct rk_model *model;
    const struct rk_machine *machine;
    struct clusters_judged judged;
    struct rk_plan plan; /* what the campaign of one cluster's kind asks: GPUs, samples, tokens */
    struct rk_prediction prediction;
};

/* GPUs of each cluster that the plan uses. */
static void count_gpus(struct clusters_run *whole, const struct asked *asked)
{
    const struct given_plan *given = &asked->judged.given;
    for (int i = 0; i < given->stages; i++)
        for (int k = 0; k < given->stage[i].parts; k++) {
            const struct given_part *part = &given->stage[i].part[k];
            whole->gpus[part->cluster] +=
                (double)(part->plan.tensor * part->plan.context * part->data);
        }
    for (int i = 0; i < asked->machine->clusters; i++)
        whole->all += whole->gpus[i];
}

static void add_work(struct rk_prediction *p, const struct stage_work *work, double share, double m)
{
    p->matrix_s += share * m * work->matrix_s;
    p->attention_s += share * m * work->attention_s;
    p->memory_s += share * m * work->memory_s;
    p->recompute_s += share * m * work->again_s;
    p->optimizer_s += share * work->optimizer_s;
}

/* What the accelerators of a cluster do in a step, in the mean; the rest of it they wait. */
static void fill_work(struct asked *asked, int cluster, double gpus)
{
    const struct clusters_plan *best = &asked->judged.plan;
    struct rk_prediction *p = &asked->prediction;
    *p = (struct rk_prediction){.timed = true};
    p->step_s = best->simulated_s;
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *s = &best->stage[i];
        const double m = (double)best->microbatches;
        if (!s->homes && s->cluster == cluster) add_work(p, &s->work, (double)s->gpus / gpus, m);
        for (int k = 0; k < s->homes; k++)
            if (s->home[k].cluster == cluster)
                add_work(p, &s->home[k].work, (double)s->home[k].gpus / gpus, m);
    }
}

/* A machine of that kind, whose line says the cluster's price: nothing of a list is assumed. */
static struct rk_system priced_system(const struct rk_cluster *c)
{
    struct rk_system system = c->system;
    if (c->price_USDph > 0) snprintf(system.price, sizeof system.price, "%.10g", c->price_USDph);
    return system;
}

enum rk_status clusters_run_check(const struct rk_campaign_facts *facts, const struct rk_run *run,
                                  const struct rk_machine *machine, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int i = 0; i < machine->clusters && status == RK_OK; i++) {
        const struct rk_system system = priced_system(&machine->cluster[i]);
        status = rk_run_check_price(facts, run, &system, error);
    }
    return status;
}

/* The campaign of a machine that is all of one cluster's kind, and what is said of the kind. */
static enum rk_status run_of_kind(const struct rk_campaign_facts *facts, const struct rk_run *run,
                                  struct asked *asked, int cluster, double tokens,
                                  struct clusters_run *whole, struct rk_campaign *campaign,
                                  char *assumed, size_t size, struct rk_error *error)
{
    const struct rk_cluster *c = &asked->machine->cluster[cluster];
    const struct rk_system system = priced_system(c);
    fill_work(asked, cluster, whole->gpus[cluster]);
    if (assumed) *assumed = '\0';
    const enum rk_status status =
        rk_run_campaign(facts, run, asked->model, &system, &asked->plan, &asked->prediction, tokens,
                        campaign, assumed, size, error);
    if (status != RK_OK) return status;
    whole->power_W[cluster] = campaign->power_W;
    whole->listed[cluster] = !run->has_price && !*system.price;
    whole->price_USDph[cluster] = campaign->price;
    return RK_OK;
}

/* The campaign of the kind with the largest host, which can take the place of any, with the means
 * of all. */
static enum rk_status run_of_all(const struct rk_campaign_facts *facts, const struct rk_run *run,
                                 struct asked *asked, double tokens, struct clusters_run *whole,
                                 char *assumed, size_t size, struct rk_error *error)
{
    struct rk_campaign *all = &whole->campaign;
    double price_USDph = 0, power_W = 0;
    bool priced = true, powered = true; /* those of every kind are known */
    uint64_t largest = 0;
    int lead = 0;
    enum rk_status status = RK_OK;
    for (int i = 0; i < asked->machine->clusters && status == RK_OK; i++) {
        if (!(whole->gpus[i] > 0)) continue;
        status = run_of_kind(facts, run, asked, i, tokens, whole, all, NULL, 0, error);
        if (status == RK_OK && all->recovery.node > largest) {
            largest = all->recovery.node;
            lead = i;
        }
        price_USDph += whole->gpus[i] / whole->all * whole->price_USDph[i];
        power_W += whole->gpus[i] / whole->all * whole->power_W[i];
        priced &= whole->price_USDph[i] > 0;
        powered &= whole->power_W[i] > 0;
    }
    if (status == RK_OK)
        status = run_of_kind(facts, run, asked, lead, tokens, whole, all, assumed, size, error);
    if (status != RK_OK) return status;
    all->step_usd = whole->links_usd = clusters_link_price(asked->machine, &asked->judged.plan);
    all->price = priced ? price_USDph : 0;
    all->power_W = powered ? power_W : 0;
    return RK_OK;
}

enum rk_status clusters_run_of(const struct rk_campaign_facts *facts, const struct rk_run *run,
                               const struct rk_model *model, const struct rk_system *system,
                               const struct rk_plan *plan, double tokens,
                               struct clusters_run *whole, char *assumed, size_t size,
                               struct rk_error *error)
{
    struct asked *asked = calloc(1, sizeof *asked);
    if (!asked) return no_memory(error);
    asked->model = model;
    asked->machine = system->machine;
    predict_clusters(model, system, plan, &asked->prediction, &asked->judged);
    *whole = (struct clusters_run){.all = 0};
    count_gpus(whole, asked);
    asked->plan = *plan;
    asked->plan.layout = NULL;
    asked->plan.ranks = (uint64_t)whole->all;
    const enum rk_status status =
        run_of_all(facts, run, asked, tokens, whole, assumed, size, error);
    free(asked);
    return status;
}
