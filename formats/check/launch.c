#include "check/launch.h"
#include "check/findings.h"
#include "check/variables.h"
#include "machine/kernels.h"
#include "plan/habits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- environment ---- */

static const char *variable(const struct rk_launch *launch, const char *name)
{
    for (const struct rk_variable *v = launch->environment; v->name; v++)
        if (strcmp(v->name, name) == 0) return v->text;
    return NULL;
}

/* A variable as a whole number; false: it is not set, or none. */
static bool counted(const struct rk_launch *launch, const char *name, uint64_t *value)
{
    char *end;
    const char *text = variable(launch, name);
    if (!text || *text < '0' || *text > '9') return false;
    *value = strtoull(text, &end, 10);
    return !*end;
}

static void complain(struct rk_findings *findings, const char *name, const char *have,
                     const char *need, const char *fix)
{
    struct rk_finding *f = findings_add(findings, "12.environment");
    snprintf(f->what, sizeof f->what, "%s", name);
    snprintf(f->have, sizeof f->have, "%s", have ? have : "");
    snprintf(f->need, sizeof f->need, "%s", need);
    snprintf(f->fix, sizeof f->fix, "%s", fix);
}

/* Megatron-LM relies on the order in which kernels of several streams start [megatron-lm], which
 * one queue alone keeps; from Blackwell on there are priorities. FSDP2 needs more than one. */
static void check_queues(const struct rk_system *system, const struct rk_plan *plan,
                         const struct rk_launch *launch, struct rk_findings *findings)
{
    static const char name[] = "CUDA_DEVICE_MAX_CONNECTIONS";
    const char *text = variable(launch, name);
    const bool one = text && strcmp(text, "1") == 0;
    const bool blackwell = operand_peak(system, OPERAND_FLOAT4) > 0;
    if (habits_of(plan)->several_queues || launch->sharded_torch) {
        if (one)
            complain(findings, name, text, "FSDP overlaps over several queues", "leave it out");
    } else if (habits_of(plan)->one_queue && !one && !blackwell &&
               (plan->tensor > 1 || plan->context > 1)) {
        complain(findings, name, text,
                 text ? "must be 1 with tensor or context parallelism before Blackwell"
                      : "is not set: must be 1 with tensor or context parallelism before Blackwell",
                 "set it to 1");
    }
}

static void check_rank(const struct rk_plan *plan, const struct rk_launch *launch,
                       struct rk_findings *findings)
{
    uint64_t rank = 0, world = plan->ranks, local = 0, node = 0;
    char need[160];
    const bool has_world = counted(launch, "WORLD_SIZE", &world);
    const bool has_rank = counted(launch, "RANK", &rank);
    const bool has_local = counted(launch, "LOCAL_RANK", &local);
    bool has_node = counted(launch, "LOCAL_WORLD_SIZE", &node) && node > 0;
    if (!has_node && launch->domain && launch->domain <= 8) {
        node = launch->domain;
        has_node = true;
    }
    if (has_world && world != plan->ranks) {
        snprintf(need, sizeof need, "the plan is for %" PRIu64 " ranks", plan->ranks);
        complain(findings, "WORLD_SIZE", variable(launch, "WORLD_SIZE"), need, "make them agree");
    }
    if (has_rank && rank >= world) {
        snprintf(need, sizeof need, "there are ranks 0 to %" PRIu64, world - 1);
        complain(findings, "RANK", variable(launch, "RANK"), need, "number ranks from 0");
    }
    if (has_local && has_node && (local >= node || (has_rank && rank % node != local))) {
        snprintf(need, sizeof need, "of %" PRIu64 " ranks on a node rank %" PRIu64 " is %" PRIu64,
                 node, rank, rank % node);
        complain(findings, "LOCAL_RANK", variable(launch, "LOCAL_RANK"), need, "make them agree");
    }
}

void check_environment(const struct rk_system *system, const struct rk_plan *plan,
                       const struct rk_launch *launch, struct rk_findings *findings)
{
    if (!launch->environment) return;
    check_variables(launch->environment, findings);
    check_queues(system, plan, launch, findings);
    if (plan->ranks) check_rank(plan, launch, findings);
}

/* ---- checkpoint ---- */

/* Formats whose tensors are found by name and offset, so that any layout reads them. */
static const char *const flexible[] = {"torch_dist", "torch_dcp",    "safetensors",
                                       "dcp",        "fsdp_dtensor", "zarr",
                                       "universal",  "hf",           NULL};

static void check_layout(const struct rk_plan *plan, const struct rk_checkpoint *c,
                         struct rk_findings *findings)
{
    const struct {
        const char *name, *word;
        uint64_t written, now;
    } degrees[] = {
        {"tensor", "tp", c->tensor, plan->tensor},
        {"pipeline", "pp", c->pipeline, plan->pipeline},
        {"virtual stages", "vpp", c->chunks, plan->chunks},
        {"expert", "ep", c->expert, plan->expert},
        {"expert tensor", "etp", c->expert_tensor, rk_plan_expert_tensor(plan)},
        {"data", "dp", c->data, rk_plan_data(plan)},
    };
    for (const char *const *format = flexible; *format; format++)
        if (strcmp(c->format, *format) == 0) return;
    if (!*c->format) return;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        if (!degrees[i].written || degrees[i].written == degrees[i].now) continue;
        struct rk_finding *f = findings_add(findings, "13.reshard");
        snprintf(f->what, sizeof f->what, "checkpoint");
        snprintf(f->have, sizeof f->have, "%s", c->format);
        snprintf(f->need, sizeof f->need,
                 "written with %s %" PRIu64 ", the plan has %" PRIu64
                 ": this format is read in its own layout only",
                 degrees[i].name, degrees[i].written, degrees[i].now);
        snprintf(f->fix, sizeof f->fix, "reckon reshard CHECKPOINT --to %s%" PRIu64,
                 degrees[i].word, degrees[i].now);
    }
}

static void check_parameters(const struct rk_model *model, const struct rk_checkpoint *c,
                             struct rk_findings *findings)
{
    const uint64_t counted = rk_model_parameters(model);
    if (!c->parameters || c->parameters == counted) return;
    struct rk_finding *f = findings_add(findings, "11.parameters");
    snprintf(f->what, sizeof f->what, "checkpoint");
    snprintf(f->have, sizeof f->have, "%" PRIu64 " parameters", c->parameters);
    snprintf(f->need, sizeof f->need, "the model has %" PRIu64, counted);
}

static void check_shapes(const struct rk_model *model, const struct rk_checkpoint *c,
                         struct rk_findings *findings)
{
    const struct {
        const char *name;
        uint64_t written, now;
    } sizes[] = {
        {"layers", c->layers, model->layers},
        {"hidden", c->hidden, model->hidden},
        {"feedforward", c->feedforward, model->feedforward},
        {"heads", c->heads, model->heads},
        {"kv_heads", c->kv_heads, model->kv_heads ? model->kv_heads : model->heads},
        {"vocabulary", c->vocabulary, model->vocabulary},
        {"experts", c->experts, model->experts},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!sizes[i].written || sizes[i].written == sizes[i].now) continue;
        struct rk_finding *f = findings_add(findings, "13.model");
        snprintf(f->what, sizeof f->what, "checkpoint");
        snprintf(f->have, sizeof f->have, "%s %" PRIu64, sizes[i].name, sizes[i].written);
        snprintf(f->need, sizeof f->need, "the model has %" PRIu64, sizes[i].now);
    }
}

void check_checkpoint(const struct rk_model *model, const struct rk_plan *plan,
                      const struct rk_checkpoint *checkpoint, struct rk_findings *findings)
{
    if (!checkpoint) return;
    check_layout(plan, checkpoint, findings);
    check_shapes(model, checkpoint, findings);
    check_parameters(model, checkpoint, findings);
}
