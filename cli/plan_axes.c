#include "cli/plan_axes.h"

#include "catalog/plan_fields.h"
#include "rules/rules.h"

#include <inttypes.h>
#include <string.h>

/* The first one of each is what the flag alone means. */
static const char *const no_yes[] = {"no", "yes", NULL};
static const struct option_alias bool_aliases[] = {
    {"yes", 1, 1}, {"no", 0, 0}, {"both", 0, 1}, {"true", 1, 1}, {"false", 0, 0}, {NULL, 0, 0},
};
static const struct option_alias offload_aliases[] = {
    {"yes", 1, RK_MAX_TIERS - 1},
    {"no", 0, 0},
    {"both", 0, RK_MAX_TIERS - 1},
    {NULL, 0, 0},
};
static const struct option_alias overlap_aliases[] = {
    {"no", RK_OVERLAP_NONE, RK_OVERLAP_NONE},
    {"yes", RK_OVERLAP_RING, RK_OVERLAP_PIPE},
    {NULL, 0, 0},
};

/* What selective recomputes is said by --recompute-parts; [isaev2023] calls it attention. */
static const char *const recompute_modes[] = {"none", "selective", "full", NULL};
static const struct option_alias recompute_aliases[] = {
    {"attention", RK_SELECTIVE, RK_SELECTIVE},
    {NULL, 0, 0},
};

struct option plan_axes_options[PLAN_AXES_ROWS];
static char keys[RK_PLAN_AXES][32];

/* ---- rows ---- */

/* A count that is at least 1 in every plan. */
static bool is_degree(enum rk_plan_axis axis)
{
    const struct rk_plan preset = rk_plan_default();
    return rk_plan_axis_info(axis)->type == RK_PLAN_NUMBER && rk_plan_axis_get(&preset, axis) > 0;
}

/* The range that plan.def gives the axis' member, if it has one. */
static void set_range(struct option *row, const char *key)
{
    for (const struct field *field = plan_fields; field->key; field++) {
        if (strcmp(field->key, key) != 0 || field->max <= 0) continue;
        row->min = (uint64_t)field->min;
        row->max = (uint64_t)field->max;
    }
}

static void fill_row(struct option *row, enum rk_plan_axis axis)
{
    const struct rk_plan_axis_info *info = rk_plan_axis_info(axis);
    *row = (struct option){.name = info->name,
                           .type = OPTION_VALUES,
                           .help = info->help,
                           .offset = offsetof(struct plan_axis_values, axis) +
                                     (size_t)axis * sizeof(struct option_values),
                           .choices = info->choices,
                           .min = is_degree(axis)};
    if (info->type == RK_PLAN_BOOL) {
        row->choices = no_yes;
        row->aliases = bool_aliases;
        row->optional = true;
    } else if (info->type == RK_PLAN_TIER) {
        const bool offload = axis < RK_PLAN_TENSOR_NETWORK;
        row->max = RK_MAX_TIERS - 1;
        row->aliases = offload ? offload_aliases : NULL;
        row->argument = offload ? "no|yes|TIER" : "TIER";
        row->optional = offload;
    } else if (info->type == RK_PLAN_PARTS) {
        row->choices = recompute_modes;
        row->aliases = recompute_aliases;
    }
    if (axis == RK_PLAN_TENSOR_OVERLAP) row->aliases = overlap_aliases;
}

void plan_axes_prepare(void)
{
    int rows = 0;
    for (int axis = 0; axis < RK_PLAN_AXES; axis++) {
        fill_row(&plan_axes_options[rows], (enum rk_plan_axis)axis);
        snprintf(keys[axis], sizeof keys[axis], "%s", plan_axes_options[rows++].name);
        for (char *c = keys[axis]; *c; c++)
            if (*c == '-') *c = '_';
        if (rk_plan_axis_info((enum rk_plan_axis)axis)->type == RK_PLAN_NUMBER)
            set_range(&plan_axes_options[axis], keys[axis]);
    }
    plan_axes_options[rows++] =
        (struct option){.name = "recompute-parts",
                        .type = OPTION_TEXT,
                        .argument = "PARTS",
                        .offset = offsetof(struct plan_axis_values, parts),
                        .help = "Parts that selective recomputation recomputes, joined by +: "
                                "core_attn+layernorm; several with commas"};
    plan_axes_options[rows++] = (struct option){
        .name = "activation-shares",
        .type = OPTION_TEXT,
        .argument = "LIST",
        .offset = offsetof(struct plan_axis_values, shares),
        .help = "Shares of the activations that may go to a memory tier: 0,0.25,0.5,1; above 1 to "
                "the next tier: 1.5 is a half to tier 2; all: quarters of each tier"};
    plan_axes_options[rows++] = (struct option){
        .name = "uneven",
        .type = OPTION_FLAG,
        .offset = offsetof(struct plan_axis_values, uneven),
        .help = "Search only stage splits balanced by time, as with --split balanced"};
    plan_axes_options[rows] = (struct option){.name = NULL};
}

const char *plan_axis_key(enum rk_plan_axis axis)
{
    return keys[axis];
}

struct report_column plan_axis_column(enum rk_plan_axis axis)
{
    return (struct report_column){.name = plan_axis_key(axis),
                                  .title = rk_plan_axis_info(axis)->name};
}

struct report_cell plan_axis_cell(const struct rk_plan *plan, enum rk_plan_axis axis,
                                  char buffer[RK_PLAN_AXIS_TEXT])
{
    const uint64_t value = rk_plan_axis_get(plan, axis);
    switch (rk_plan_axis_info(axis)->type) {
    case RK_PLAN_NUMBER:
        return cell_count(value);
    case RK_PLAN_BOOL:
        return cell_flag(value != 0);
    case RK_PLAN_TIER:
        if (axis < RK_PLAN_TENSOR_NETWORK && value <= 1) return cell_flag(value != 0);
        if (value > 255) return cell_text(rk_plan_axis_text(axis, value, buffer));
        return cell_count(value);
    default:
        return cell_text(rk_plan_axis_text(axis, value, buffer));
    }
}

const char *plan_axes_only(const struct plan_axis_values *values, enum rk_by by)
{
    for (int axis = 0; axis < RK_PLAN_AXES; axis++) {
        const struct rk_plan_axis_info *info = rk_plan_axis_info((enum rk_plan_axis)axis);
        if (values->axis[axis].count && info->by == by) return info->name;
    }
    if (by == RK_BY_RECKON && values->parts) return "recompute-parts";
    if (by == RK_BY_RECKON && values->shares) return "activation-shares";
    return by == RK_BY_RECKON && values->uneven ? "uneven" : NULL;
}

/* ---- restrictions ---- */

static enum rk_status pin(struct rk_plans_problem *problem, enum rk_plan_axis axis, uint64_t low,
                          uint64_t high, struct rk_error *error)
{
    int *count = &problem->pinned[axis].count;
    for (int i = 0; i < *count; i++)
        if (problem->pinned[axis].value[i] == low && problem->pinned[axis].to[i] == high)
            return RK_OK;
    if (*count == RK_MAX_PINNED)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--%s: more than %d values",
                       rk_plan_axis_info(axis)->name, RK_MAX_PINNED);
    problem->pinned[axis].value[*count] = low;
    problem->pinned[axis].to[(*count)++] = high;
    return RK_OK;
}

/* The last tier there is; UINT64_MAX for other axes. */
static uint64_t last_tier(const struct rk_system *system, enum rk_plan_axis axis)
{
    if (rk_plan_axis_info(axis)->type != RK_PLAN_TIER) return UINT64_MAX;
    return (uint64_t)(axis < RK_PLAN_TENSOR_NETWORK ? system->memories : system->networks) - 1;
}

static enum rk_status pin_values(struct rk_plans_problem *problem, enum rk_plan_axis axis,
                                 const struct option_values *given, struct rk_error *error)
{
    const uint64_t last = last_tier(problem->system, axis);
    enum rk_status status = RK_OK;
    for (int i = 0; i < given->count && status == RK_OK; i++) {
        if (given->range[i].low > last)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--%s: %s has no %s tier %" PRIu64 ": its last one is %" PRIu64,
                           rk_plan_axis_info(axis)->name, problem->system->id,
                           axis < RK_PLAN_TENSOR_NETWORK ? "memory" : "network",
                           given->range[i].low, last);
        status = pin(problem, axis, given->range[i].low, given->range[i].high, error);
    }
    return status;
}

static enum rk_status pin_modes(struct rk_plans_problem *problem, const struct option_values *given,
                                bool parts, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int i = 0; i < given->count; i++)
        for (uint64_t mode = given->range[i].low; mode <= given->range[i].high; mode++) {
            const unsigned core = mode == RK_SELECTIVE ? 1u << RK_PART_CORE_ATTENTION : 0;
            const uint64_t value = RK_RECOMPUTE_VALUE(mode, core);
            if (mode == RK_SELECTIVE && parts) continue; /* those are what it means */
            if (status == RK_OK) status = pin(problem, RK_PLAN_RECOMPUTE, value, value, error);
        }
    return status;
}

static enum rk_status unknown_parts(const char *text, struct rk_error *error)
{
    char names[256] = "";
    for (int part = 0; part < RK_PARTS; part++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", part ? ", " : "",
                 rk_part_name((enum rk_part)part));
    }
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--recompute-parts: '%s' is not made of parts of a layer (%s)", text, names);
}

/* Quarters of each memory tier. */
static enum rk_status pin_quarters(struct rk_plans_problem *problem, struct rk_error *error)
{
    enum rk_status status = pin(problem, RK_PLAN_ACTIVATION_OFFLOAD, 0, 0, error);
    for (int tier = 1; tier < problem->system->memories && tier <= RK_SHARE_TIERS; tier++)
        for (int quarter = 1; quarter <= 4 && status == RK_OK; quarter++) {
            const uint64_t value = RK_OFFLOAD_VALUE(tier, 250 * quarter);
            status = pin(problem, RK_PLAN_ACTIVATION_OFFLOAD, value, value, error);
        }
    return status;
}

static enum rk_status pin_share(struct rk_plans_problem *problem, const char *text,
                                struct rk_error *error)
{
    uint64_t value;
    if (!rk_plan_axis_parse(RK_PLAN_ACTIVATION_OFFLOAD, text, &value))
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "--activation-shares: '%s' is not a share: give numbers from 0, as 0.25, with "
            "at most three digits after the point, or all",
            text);
    if (value > 255 && !rk_answerer(problem->base.framework)->layers)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--activation-shares: %s: the Calculon model offloads all or nothing: give "
                       "0 or 1, or another framework",
                       text);
    if (RK_OFFLOAD_TIER(value) > last_tier(problem->system, RK_PLAN_ACTIVATION_OFFLOAD))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--activation-shares: %s is of memory tier %d, and %s has %d; a share is at "
                       "most 1, above it means the next tier",
                       text, (int)RK_OFFLOAD_TIER(value), problem->system->id,
                       problem->system->memories - 1);
    return pin(problem, RK_PLAN_ACTIVATION_OFFLOAD, value, value, error);
}

static enum rk_status pin_shares(struct rk_plans_problem *problem, const char *list,
                                 struct rk_error *error)
{
    if (problem->pinned[RK_PLAN_ACTIVATION_OFFLOAD].count)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--activation-shares and --activation-offload say the same: give one of "
                       "them");
    if (strcmp(list, "all") == 0) return pin_quarters(problem, error);
    for (enum rk_status status; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL) {
        char text[RK_PLAN_AXIS_TEXT];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(list, ","), list);
        status = pin_share(problem, text, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

static enum rk_status pin_parts(struct rk_plans_problem *problem, const char *list,
                                struct rk_error *error)
{
    char text[RK_PLAN_AXIS_TEXT];
    uint64_t value;
    for (enum rk_status status; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL) {
        const int length = (int)strcspn(list, ",");
        snprintf(text, sizeof text, "%.*s", length, list);
        if (!rk_plan_axis_parse(RK_PLAN_RECOMPUTE, text, &value)) return unknown_parts(text, error);
        status = pin(problem, RK_PLAN_RECOMPUTE, value, value, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

enum rk_status plan_axes_restrict(const struct plan_axis_values *values,
                                  struct rk_plans_problem *problem, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int axis = 0; axis < RK_PLAN_AXES && status == RK_OK; axis++)
        status = axis == RK_PLAN_RECOMPUTE
                     ? pin_modes(problem, &values->axis[axis], values->parts != NULL, error)
                     : pin_values(problem, (enum rk_plan_axis)axis, &values->axis[axis], error);
    if (status == RK_OK && values->parts) status = pin_parts(problem, values->parts, error);
    if (status == RK_OK && values->shares) status = pin_shares(problem, values->shares, error);
    if (status == RK_OK && values->uneven)
        status = pin(problem, RK_PLAN_SPLIT, RK_SPLIT_BALANCED, RK_SPLIT_BALANCED, error);
    return status;
}

/* ---- words ---- */

static bool is_said(const struct plan_draft *draft, enum rk_plan_axis axis)
{
    if (axis == RK_PLAN_TENSOR_COMM)
        return plan_given(draft, "sequence_parallel") || plan_given(draft, "messages_sharded");
    if (axis == RK_PLAN_RECOMPUTE && plan_given(draft, "recompute_parts")) return true;
    return plan_given(draft, plan_axis_key(axis));
}

/* Of the words that are not the axis of one predictor, the other one takes the member itself. */
static bool is_of(enum rk_plan_axis axis, enum rk_by by)
{
    const bool member_of_both = axis == RK_PLAN_SEQUENCE_PARALLEL || axis == RK_PLAN_FUSED;
    return rk_plan_axis_info(axis)->by & by || (axis != RK_PLAN_TENSOR_COMM && !member_of_both);
}

/* A search has shares of one tier, in thousandths. */
static bool share_is_kept(const struct rk_plan *plan, enum rk_plan_axis axis)
{
    struct rk_plan again = *plan;
    if (rk_plan_axis_info(axis)->type != RK_PLAN_TIER) return true;
    rk_plan_axis_set(&again, axis, rk_plan_axis_get(plan, axis));
    return memcmp(again.share, plan->share, sizeof plan->share) == 0;
}

enum rk_status plan_axes_take(const struct plan_draft *draft, struct rk_plans_problem *problem,
                              struct rk_error *error)
{
    const enum rk_by by = rk_answerer(problem->base.framework)->by;
    for (enum rk_plan_axis axis = 0; axis < RK_PLAN_AXES; axis++) {
        if (!is_of(axis, by) || !is_said(draft, axis)) continue;
        if (problem->pinned[axis].count)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--%s and a word of the plan say the same: give one of them",
                           rk_plan_axis_info(axis)->name);
        if (!share_is_kept(&draft->plan, axis))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "a search offloads to one memory tier, in thousandths: give the share "
                           "of %s as 0.25 or 1.5; reckon offload takes shares of several tiers",
                           rk_plan_axis_info(axis)->name);
        problem->pinned[axis].count = 1;
        problem->pinned[axis].value[0] = problem->pinned[axis].to[0] =
            axis == RK_PLAN_DATA ? draft->data : rk_plan_axis_get(&draft->plan, axis);
    }
    return RK_OK;
}

/* "recompute-parts=..." alone means selective; "selective" alone means core attention. */
static void settle_recompute(struct plan_draft *draft)
{
    struct rk_plan *plan = &draft->plan;
    const bool parts = plan_given(draft, "recompute_parts");
    if (parts && !plan_given(draft, "recompute")) plan->recompute = RK_SELECTIVE;
    if (plan->recompute == RK_SELECTIVE && !parts)
        plan->recompute_parts = 1u << RK_PART_CORE_ATTENTION;
}

enum rk_status plan_objective_check(const struct rk_plan *plan, struct rk_error *error)
{
    const struct rule_case c = {.plan = plan, .who = 1u << plan->framework};
    if (rule_holds(RULE_OBJECTIVE_OF, &c)) return RK_OK;
    const struct rule_words words = rule_words(RULE_OBJECTIVE_OF, &c);
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "objective=%s %s: %s",
                   rk_objective_name(plan->objective), words.need, words.fix);
}

enum rk_status plan_problem_take(const struct plan_draft *said, struct rk_plans_problem *problem,
                                 struct rk_error *error)
{
    const struct rk_plan before = problem->base;
    struct plan_draft draft = *said;
    if (draft.plan.expert > 1 && !problem->model->experts)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "ep%" PRIu64 ": %s has no experts: leave ep out", draft.plan.expert,
                       problem->model->id);
    if (draft.plan.padded && !plan_given(&draft, "microbatch"))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "padded=%" PRIu64 ": what samples are padded to depends on how many are in "
                       "a microbatch: give it, mbsN",
                       draft.plan.padded);
    settle_recompute(&draft);
    problem->base = draft.plan;
    problem->base.ranks = before.ranks;
    problem->base.batch = before.batch;
    problem->base.sequence = before.sequence;
    if (!plan_given(&draft, "framework")) problem->base.framework = before.framework;
    if (!plan_given(&draft, "xla"))
        problem->base.xla =
            rk_usual_xla(problem->system, problem->base.framework) && !problem->base.flat_units;
    if (!plan_given(&draft, "attention"))
        problem->base.attention =
            rk_usual_attention(problem->base.framework, problem->system->kernels.attention_kernels);
    if (!plan_given(&draft, "lora_element_bytes"))
        problem->base.lora_element_bytes = rk_usual_lora_bytes(&problem->base);
    if (!plan_given(&draft, "precision")) problem->base.precision = before.precision;
    if (!plan_given(&draft, "messages_sharded"))
        problem->base.messages_sharded = before.messages_sharded;
    const enum rk_status status =
        problem->unstartable ? RK_OK : plan_objective_check(&problem->base, error);
    return status == RK_OK ? plan_axes_take(&draft, problem, error) : status;
}

enum rk_status plan_axes_check(const struct rk_plans_problem *problem, struct rk_error *error)
{
    static const struct {
        enum rk_plan_axis axis;
        uint64_t least; /* that a model without experts has no use for */
    } of_experts[] = {{RK_PLAN_EXPERT, 2},
                      {RK_PLAN_EXPERT_TENSOR, 2},
                      {RK_PLAN_DISPATCHER, RK_ALL_TO_ALL + 1},
                      {RK_PLAN_EXPERT_OVERLAP, 1}};
    for (size_t k = 0; k < sizeof of_experts / sizeof *of_experts; k++) {
        const enum rk_plan_axis axis = of_experts[k].axis;
        for (int i = 0; i < problem->pinned[axis].count; i++) {
            const uint64_t value = problem->pinned[axis].value[i];
            char text[RK_PLAN_AXIS_TEXT];
            if (value < of_experts[k].least || problem->model->experts) continue;
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s %s: %s has no experts: leave it out", rk_plan_axis_info(axis)->name,
                           rk_plan_axis_text(axis, value, text), problem->model->id);
        }
    }
    return RK_OK;
}

/* ---- what an axis says ---- */

bool plan_axis_says(enum rk_plan_axis axis, const struct rk_model *model,
                    const struct rk_system *system, const struct rk_plan *plan)
{
    switch (axis) {
    case RK_PLAN_EXPERT_TENSOR:
    case RK_PLAN_EXPERT:
    case RK_PLAN_DISPATCHER:
    case RK_PLAN_EXPERT_OVERLAP:
        return model->experts > 0;
    case RK_PLAN_SEQUENCE_CHUNKS:
        return system->memories > 1;
    case RK_PLAN_CONTEXT_KIND:
        return !plan || plan->context > 1;
    case RK_PLAN_ULYSSES:
        return !plan || (plan->context > 1 && plan->context_kind == RK_RING_ULYSSES);
    case RK_PLAN_SEQUENCE_PARALLEL:
    case RK_PLAN_TENSOR_OVERLAP:
    case RK_PLAN_TENSOR_COMM:
    case RK_PLAN_REGATHER:
        return !plan || plan->tensor > 1;
    case RK_PLAN_CHUNKS:
    case RK_PLAN_SPLIT:
    case RK_PLAN_PIPELINE_BLOCKING:
    case RK_PLAN_SCHEDULE:
        return !plan || plan->pipeline > 1;
    case RK_PLAN_RECOMPUTE_LAYERS:
        return !plan || plan->recompute == RK_WHOLE;
    case RK_PLAN_SHARD_RANKS:
    case RK_PLAN_WEIGHT_OVERLAP:
        return !plan || plan->zero > 0;
    case RK_PLAN_KEEP_GATHERED:
        return !plan || plan->zero == 3;
    case RK_PLAN_GRADIENT_OVERLAP:
        return !plan || rk_plan_data(plan) * plan->context > 1;
    case RK_PLAN_ACTIVATION_OFFLOAD:
    case RK_PLAN_OPTIMIZER_OFFLOAD:
    case RK_PLAN_WEIGHT_OFFLOAD:
        return system->memories > 1;
    default:
        return true;
    }
}
