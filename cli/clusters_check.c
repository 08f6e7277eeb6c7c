/* clusters_check.c - reckon check of a plan over several clusters: the rules of plans, stage by
 * stage, each on its own cluster; memory; what the environment says of networks. */
#include "base/memory.h"
#include "catalog/plan_fields.h"
#include "check/findings.h"
#include "cli/check.h"
#include "cli/clusters_ask.h"
#include "cli/plan_input.h"
#include "clusters/ranks.h"

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

/* What is found of one part, with the place of its stage in the file. */
static void check_part(const struct clusters_input *input, int stage, int part,
                       const struct rk_launch *launch, struct rk_findings *all)
{
    struct rk_findings *found = calloc(1, sizeof *found);
    const struct given_part *p = &input->given->stage[stage].part[part];
    const struct rk_cluster *cluster = &input->machine.cluster[p->cluster];
    struct rk_plan plan = clusters_plan_like(input, input->given, stage, part);
    struct rk_system system = cluster->system;
    struct rk_launch own = *launch;
    struct rk_error at;
    if (!found) return;
    system.devices = 0;
    plan_attend_on(&plan, &system); /* each kind of device has its own */
    own.environment = NULL; /* of the whole, not of a stage */
    own.pads = own.lone_ends = true; /* as of words */
    rk_check_plan(&input->model, &system, &plan, &own, found);
    clusters_file_fail(&input->file, stage, "", &at);
    for (int i = 0; i < found->count; i++) {
        if (is_memory(&found->finding[i])) continue;
        const bool whole = is_of_model(&found->finding[i]);
        if (whole && is_known(all, &found->finding[i])) continue;
        struct rk_finding *finding = findings_add(all, found->finding[i].rule);
        *finding = found->finding[i];
        if (whole) continue;
        finding->line = at.line;
        finding->column = at.column;
        snprintf(finding->need, sizeof finding->need, "on cluster %s: %.150s", cluster->name,
                 found->finding[i].need);
    }
    free(found);
}

static void check_memory(const struct clusters_input *input, struct rk_findings *all)
{
    for (int i = 0; i < input->answer->best.stages; i++) {
        const struct clusters_stage *stage = &input->answer->best.stage[i];
        struct rk_error at;
        const struct rk_reason *over = &stage->overfull;
        if (over->verdict == RK_FITS) continue;
        struct rk_finding *finding = findings_add(all, "5.stage");
        clusters_file_fail(&input->file, i, "", &at);
        finding->line = at.line;
        finding->column = at.column;
        snprintf(finding->what, sizeof finding->what, over->tier ? "memory tier %d" : "memory",
                 over->tier);
        snprintf(finding->have, sizeof finding->have, "%.2f GiB", over->need / 1073741824);
        snprintf(finding->need, sizeof finding->need, "a GPU of stage %d has %.2f GiB", i,
                 over->have / 1073741824);
        snprintf(finding->fix, sizeof finding->fix, "reckon fits lists what makes room");
    }
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
static void check_networks(const struct clusters_input *input, const struct rk_launch *launch,
                           struct rk_findings *all)
{
    const char *net = variable(launch, "NCCL_NET");
    if (!launch->environment || !crosses(&input->answer->best)) return;
    if (net && strcmp(net, "Socket") != 0) {
        struct rk_finding *finding = findings_add(all, "12.environment");
        snprintf(finding->what, sizeof finding->what, "NCCL_NET");
        snprintf(finding->have, sizeof finding->have, "%.40s", net);
        snprintf(finding->need, sizeof finding->need,
                 "messages between clusters need sockets: a network of each group, as "
                 "reckon clusters --ranks-format nccl has them, instead of one of all");
        snprintf(finding->fix, sizeof finding->fix, "unset NCCL_NET");
    }
    if (!variable(launch, "NCCL_SOCKET_IFNAME")) {
        struct rk_finding *finding = findings_add(all, "12.environment");
        finding->severity = RK_WARNING;
        snprintf(finding->what, sizeof finding->what, "NCCL_SOCKET_IFNAME");
        snprintf(finding->have, sizeof finding->have, "not set");
        snprintf(finding->need, sizeof finding->need,
                 "the interface that joins the clusters: without it NCCL takes the first it finds");
        snprintf(finding->fix, sizeof finding->fix, "NCCL_SOCKET_IFNAME=eth0");
    }
}

int clusters_check(const struct clusters_source *source, const struct rk_launch *launch,
                   enum check_format format, const char *output)
{
    struct clusters_input input;
    struct rk_findings *all = calloc(1, sizeof *all);
    struct rk_error error;
    char title[640];
    enum rk_status status = clusters_input_open(&input, source, &error);
    if (status == RK_OK && !all) status = no_memory(&error);
    if (status == RK_OK) status = clusters_input_answer(&input, true, &error);
    for (int i = 0; status == RK_OK && i < input.given->stages; i++)
        for (int k = 0; k < input.given->stage[i].parts; k++)
            check_part(&input, i, k, launch, all);
    int code;
    if (status == RK_OK) {
        check_memory(&input, all);
        check_networks(&input, launch, all);
        findings_settle(all);
        snprintf(title, sizeof title, "%.255s over %d clusters", input.model.id,
                 input.machine.clusters);
        const struct checked checked = {.title = title, .path = source->plan};
        code = check_write(all, &checked, format, output);
    } else {
        code = options_fail(&error);
    }
    clusters_input_release(&input);
    free(all);
    return code;
}
