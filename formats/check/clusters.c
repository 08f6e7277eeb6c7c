/* clusters.c - plans over several clusters: the rules of plans, stage by stage, each on its own
 * cluster; memory; what the environment says of networks. */
#include "check/clusters.h"

#include "catalog/plan_fields.h"
#include "check/findings.h"
#include "check/memory.h"
#include "clusters/predict.h"
#include "clusters/ranks.h"

#include <reckon/machine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_memory(const struct rk_finding *finding)
{
    return strncmp(finding->rule, "5.", 2) == 0;
}

/* Of the model, not of a stage, and said already. */
static bool is_known(const struct rk_findings *all, const struct rk_finding *f)
{
    for (int i = 0; i < all->count; i++) {
        const struct rk_finding *other = &all->finding[i];
        if (strcmp(other->rule, f->rule) == 0 && strcmp(other->what, f->what) == 0 &&
            strcmp(other->have, f->have) == 0 && strcmp(other->need, f->need) == 0)
            return true;
    }
    return false;
}

static bool is_of_model(const struct rk_finding *f)
{
    return strcmp(f->rule, "13.model") == 0 || strcmp(f->rule, "11.parameters") == 0;
}

struct question {
    const struct rk_model *model;
    const struct rk_machine *machine;
    const struct rk_plan *plan;
    const struct rk_launch *launch;
    const struct given_plan *given;
    const struct clusters_plan *found;
};

/* What is found of one part. */
static void check_part(const struct question *q, int stage, int part, struct rk_findings *all)
{
    struct rk_findings *found = calloc(1, sizeof *found);
    const struct given_part *p = &q->given->stage[stage].part[part];
    const struct rk_cluster *cluster = &q->machine->cluster[p->cluster];
    struct rk_plan plan = plan_like_part(q->plan, q->given, stage, part);
    struct rk_system system = cluster->system;
    struct rk_launch own = *q->launch;
    if (!found) return;
    system.devices = 0;
    plan_attend_on(&plan, &system);  /* each kind of device has its own */
    own.environment = NULL;          /* of the whole, not of a stage */
    own.pads = own.lone_ends = true; /* as of words */
    rk_check_plan(q->model, &system, &plan, &own, found);
    for (int i = 0; i < found->count; i++) {
        if (is_memory(&found->finding[i])) continue;
        if (strcmp(found->finding[i].rule, "12.effect") == 0) continue; /* elsewhere it may have */
        const bool whole = is_of_model(&found->finding[i]);
        if (whole && is_known(all, &found->finding[i])) continue;
        struct rk_finding *finding = findings_add(all, found->finding[i].rule);
        *finding = found->finding[i];
        if (whole) continue;
        finding->stage = stage + 1;
        snprintf(finding->need, sizeof finding->need, "on cluster %s: %.150s", cluster->name,
                 found->finding[i].need);
    }
    free(found);
}

static void check_stages(const struct question *q, struct rk_findings *all)
{
    for (int i = 0; i < q->found->stages; i++) {
        const struct rk_reason *over = &q->found->stage[i].overfull;
        if (over->verdict == RK_FITS) continue;
        struct rk_finding *finding = memory_blame(q->model, q->plan, q->launch->exact_memory,
                                                  over->tier, over->need, over->have, all);
        if (!finding) continue;
        finding->stage = i + 1;
        if (over->tier)
            snprintf(finding->what, sizeof finding->what, "memory tier %d of stage %d", over->tier,
                     i);
        else
            snprintf(finding->what, sizeof finding->what, "stage %d", i);
        snprintf(finding->fix, sizeof finding->fix, "reckon fits lists what makes room");
    }
}

/* What no stage of its own is refused for: nodes of a cluster, samples of a round. */
static void check_reason(const struct question *q, const struct rk_prediction *prediction,
                         struct rk_findings *all)
{
    const struct rk_reason *r = &prediction->reason[0];
    if (prediction->timed || all->count) return;
    struct rk_finding *finding = findings_add(all, "2.product");
    finding->stage = prediction->stages ? prediction->tightest + 1 : 0;
    snprintf(finding->what, sizeof finding->what, "%.60s", r->what ? r->what : "");
    snprintf(finding->have, sizeof finding->have, "%.12g", r->need);
    snprintf(finding->need, sizeof finding->need, "there is %.12g", r->have);
    (void)q;
}

static bool crosses(const struct clusters_plan *plan)
{
    for (int i = 0; i < plan->stages; i++)
        if (clusters_crosses(&plan->stage[0], &plan->stage[i])) return true;
    return false;
}

static const char *variable(const struct rk_launch *launch, const char *name)
{
    for (const struct rk_variable *v = launch->environment; v && v->name; v++)
        if (strcmp(v->name, name) == 0) return v->text;
    return NULL;
}

/* Across a link there are sockets alone; which adapters they take is left to chance without
 * NCCL_SOCKET_IFNAME. */
static void check_networks(const struct question *q, struct rk_findings *all)
{
    const char *net = variable(q->launch, "NCCL_NET");
    if (!q->launch->environment || !crosses(q->found)) return;
    if (net && strcmp(net, "Socket") != 0) {
        struct rk_finding *finding = findings_add(all, "12.environment");
        snprintf(finding->what, sizeof finding->what, "NCCL_NET");
        snprintf(finding->have, sizeof finding->have, "%.40s", net);
        snprintf(finding->need, sizeof finding->need,
                 "messages between clusters need sockets: a network of each group, as "
                 "reckon export ranks --ranks-format nccl has them, instead of one of all");
        snprintf(finding->fix, sizeof finding->fix, "unset NCCL_NET");
    }
    if (!variable(q->launch, "NCCL_SOCKET_IFNAME")) {
        struct rk_finding *finding = findings_add(all, "12.environment");
        finding->severity = RK_WARNING;
        snprintf(finding->what, sizeof finding->what, "NCCL_SOCKET_IFNAME");
        snprintf(finding->have, sizeof finding->have, "not set");
        snprintf(finding->need, sizeof finding->need,
                 "the interface that joins the clusters: without it NCCL takes the first it finds");
        snprintf(finding->fix, sizeof finding->fix, "NCCL_SOCKET_IFNAME=eth0");
    }
}

void check_clusters(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, const struct rk_launch *launch,
                    struct rk_findings *findings)
{
    struct clusters_judged *judged = malloc(sizeof *judged);
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    if (judged && prediction) {
        const struct question q = {model,  system->machine, plan,
                                   launch, &judged->given,  &judged->plan};
        predict_clusters(model, system, plan, prediction, judged);
        for (int i = 0; prediction->stages && i < judged->given.stages; i++)
            for (int k = 0; k < judged->given.stage[i].parts; k++)
                check_part(&q, i, k, findings);
        check_reason(&q, prediction, findings);
        if (prediction->timed) check_stages(&q, findings);
        if (prediction->timed) check_networks(&q, findings);
    }
    free(prediction);
    free(judged);
}
