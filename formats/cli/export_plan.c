#include "cli/export_plan.h"

#include "catalog/hosts.h"
#include "cli/model_input.h"
#include "keys/target.h"
#include "plan/habits.h"

#define AT(member) .offset = offsetof(struct plan_source, member)

/* clang-format off */
const struct option export_source_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models",
     .help = "Model: an id of `reckon models`, a file (also a config.json of Hugging Face), or - (standard input)"},
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(file), .complete = "file",
     .help = "Plan file, as in reckon-plan(5), or words, \"tp8 pp4\""},
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, AT(gpus), .min = 1, .max = 1 << 24,
     .help = "Number of GPUs (default: all of the system, else the product of the degrees)"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems",
     .help = "Print to standard error whether the plan fits on this machine, and with which probability: an id of `reckon systems`, a file, or a description in one line. Over several clusters the plan is a file of reckon search --save-plan, or the best plan with these words"},
    {.name = NULL},
};
/* clang-format on */

bool launch_has_file(const struct rk_system *system)
{
    bool engine = rk_has_engine(system->kernels.platforms);
    for (int i = 0; system->machine && i < system->machine->clusters; i++)
        engine &= rk_has_engine(rk_system_of(system, i)->kernels.platforms);
    return engine && rk_usual_framework(system) == RK_MEGATRON;
}

/* What axolotl's file says and trl's does not: the objective, activations that leave, adapters in
 * fp32 on a narrow base, weights that FSDP shards and trains in 16 bits. */
static bool is_axolotls(const struct rk_plan *plan)
{
    return plan->objective != RK_NEXT_TOKEN || rk_plan_activations_away(plan) > 0 ||
           (plan->lora_element_bytes == 4 && plan->base == RK_BASE_NF4_DQ) ||
           (!plan->lora && plan->zero && plan->weight_element_bytes == 2);
}

const struct launch_tool *launch_tool(const struct rk_plan *plan)
{
    static const struct launch_tool trl = {"trl", EXPORT_TRL, &trl_target};
    static const struct launch_tool axolotl = {"axolotl", EXPORT_AXOLOTL, &axolotl_target};
    static const struct launch_tool units = {"fsdp", EXPORT_FSDP, NULL};
    static const struct launch_tool tools[RK_FRAMEWORKS] = {
        [RK_MEGATRON] = {"megatron", EXPORT_MEGATRON, NULL},
        [RK_FSDP] = {"torchtitan", EXPORT_TORCHTITAN, &torchtitan_target},
        [RK_DEEPSPEED] = {"deepspeed", EXPORT_DEEPSPEED, &deepspeed_target}};
    if (plan_of_trainers(plan)) return is_axolotls(plan) ? &axolotl : &trl;
    return plan->framework == RK_FSDP && plan->recompute_layers ? &units : &tools[plan->framework];
}

const char *launch_format(const struct rk_system *system, const struct rk_plan *plan)
{
    return launch_has_file(system) ? launch_tool(plan)->format : NULL;
}

enum rk_status export_gather(const struct plan_source *source, struct rk_system *system,
                             struct export_plan *plan, struct rk_error *error)
{
    struct plan_draft draft = plan_draft();
    struct plan_fault fault;
    char why[MODEL_WHY], host[HOST_WORD];
    if (!source->model) return model_missing(error);
    if (!source->file && !source->words.count)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "the plan is missing: give --plan FILE, or its words (tp8 pp4 gbs512)");
    enum rk_status status = RK_OK;
    if (source->file) status = plan_named(source->file, &draft, error);
    if (status == RK_OK) status = plan_read_texts(&source->words, &draft, error);
    if (status == RK_OK) status = model_open_why(source->model, &plan->model, why, error);
    if (status != RK_OK) return status;
    model_warn_sequence(source->model, &plan->model, why, draft.plan.sequence);
    if (source->gpus) {
        draft.plan.ranks = source->gpus;
        draft.given[plan_row("gpus")] = true;
        draft.data = 0;
    }
    if (system) plan_take_system(&draft, system);
    plan_take_checkpoint(&draft, source->model);
    if (!plan_complete(&draft, &fault)) return plan_fail(&draft, &fault, error);
    plan->plan = draft.plan;
    if (system && !launch_has_file(system))
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, LAUNCH_NO_FILE, system->id,
                       rk_framework_name(rk_usual_framework(system)));
    return system ? host_add(&plan->plan, source->system, system, host, error) : RK_OK;
}
