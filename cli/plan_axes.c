#include "cli/plan_axes.h"

#include <string.h>

static const char *const no_yes[] = {"no", "yes", NULL};
static const struct option_alias bool_aliases[] = {
    {"yes", 1, 1}, {"no", 0, 0}, {"both", 0, 1}, {"true", 1, 1}, {"false", 0, 0}, {NULL, 0, 0},
};

struct option plan_axes_options[PLAN_AXES_ROWS];
static char keys[RK_PLAN_AXES][32];

/* ---- both spaces ---- */

/* What stands for an axis of the published space; a value of it and of the plan's are the same, but
 * for offload tiers and kinds of overlap, which are on or off here. */
/* clang-format off */
static const struct counterpart {
    int axis;          /* enum rk_plan_axis; -1: none */
    bool on_or_off;
    const char *mend;  /* what to say instead */
} counterparts[RK_AXES] = {
    [RK_AXIS_TENSOR]             = {RK_PLAN_TENSOR,             false, NULL},
    [RK_AXIS_PIPELINE]           = {RK_PLAN_PIPELINE,           false, NULL},
    [RK_AXIS_DATA]               = {RK_PLAN_DATA,               false, NULL},
    [RK_AXIS_INTERLEAVING]       = {RK_PLAN_CHUNKS,             false, NULL},
    [RK_AXIS_RECOMPUTE]          = {RK_PLAN_RECOMPUTE,          false, NULL},
    [RK_AXIS_OPTIMIZER_SHARDING] = {-1,                         false, "--zero 0,1"},
    [RK_AXIS_TENSOR_COMM]        = {-1,                         false, "--sequence-parallel"},
    [RK_AXIS_REDO_ALL_GATHER]    = {-1,                         false, "--space classic"},
    [RK_AXIS_DATA_OVERLAP]       = {RK_PLAN_GRADIENT_OVERLAP,   false, NULL},
    [RK_AXIS_TENSOR_OVERLAP]     = {RK_PLAN_TENSOR_OVERLAP,     true,  NULL},
    [RK_AXIS_WEIGHT_OFFLOAD]     = {RK_PLAN_WEIGHT_OFFLOAD,     true,  NULL},
    [RK_AXIS_ACTIVATION_OFFLOAD] = {RK_PLAN_ACTIVATION_OFFLOAD, true,  NULL},
    [RK_AXIS_OPTIMIZER_OFFLOAD]  = {RK_PLAN_OPTIMIZER_OFFLOAD,  true,  NULL},
    [RK_AXIS_FUSED_ACTIVATION]   = {-1,                         false, "--space classic"},
    [RK_AXIS_MICROBATCH]         = {RK_PLAN_MICROBATCH,         false, NULL},
    [RK_AXIS_TENSOR_NETWORK]     = {-1,                         false, "--space classic"},
    [RK_AXIS_PIPELINE_NETWORK]   = {-1,                         false, "--space classic"},
    [RK_AXIS_DATA_NETWORK]       = {-1,                         false, "--space classic"},
};
/* clang-format on */

static bool is_shared(const char *name)
{
    for (int axis = 0; axis < RK_AXES; axis++)
        if (strcmp(rk_axis((enum rk_axis)axis)->name, name) == 0) return true;
    return false;
}

/* ---- rows ---- */

static void fill_row(struct option *row, enum rk_plan_axis axis)
{
    const struct rk_plan_axis_info *info = rk_plan_axis_info(axis);
    *row = (struct option){.name = info->name,
                           .type = OPTION_VALUES,
                           .help = info->help,
                           .offset = offsetof(struct plan_axis_values, axis) +
                                     (size_t)axis * sizeof(struct option_values),
                           .choices = info->choices};
    if (info->type != RK_PLAN_BOOL) return;
    row->choices = no_yes;
    row->aliases = bool_aliases;
    row->optional = true;
}

void plan_axes_prepare(void)
{
    int rows = 0;
    for (int axis = 0; axis < RK_PLAN_AXES; axis++) {
        const char *name = rk_plan_axis_info((enum rk_plan_axis)axis)->name;
        if (!is_shared(name)) fill_row(&plan_axes_options[rows++], (enum rk_plan_axis)axis);
        snprintf(keys[axis], sizeof keys[axis], "%s", name);
        for (char *c = keys[axis]; *c; c++)
            if (*c == '-') *c = '_';
    }
    plan_axes_options[rows++] = (struct option){
        .name = "recompute-parts",
        .type = OPTION_TEXT,
        .argument = "PARTS",
        .offset = offsetof(struct plan_axis_values, parts),
        .help = "what selective recomputation computes again, parts with + between them: "
                "core_attn+layernorm; several with commas"};
    plan_axes_options[rows++] =
        (struct option){.name = "uneven",
                        .type = OPTION_FLAG,
                        .offset = offsetof(struct plan_axis_values, uneven),
                        .help = "only stages balanced by time: as --split balanced"};
    plan_axes_options[rows] = (struct option){.name = NULL};
}

const char *plan_axis_key(enum rk_plan_axis axis)
{
    return keys[axis];
}

bool plan_axes_given(const struct plan_axis_values *values)
{
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        if (values->axis[axis].count) return true;
    return values->parts || values->uneven;
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
        return rk_fail(error, RK_USAGE, NULL, 0, 0, "--%s: more than %d values",
                       rk_plan_axis_info(axis)->name, RK_MAX_PINNED);
    problem->pinned[axis].value[*count] = low;
    problem->pinned[axis].to[(*count)++] = high;
    return RK_OK;
}

static enum rk_status pin_values(struct rk_plans_problem *problem, enum rk_plan_axis axis,
                                 const struct option_values *given, bool on_or_off,
                                 struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int i = 0; i < given->count && status == RK_OK; i++) {
        const uint64_t low = given->range[i].low, high = given->range[i].high;
        status = on_or_off ? pin(problem, axis, low > 0, high > 0, error)
                           : pin(problem, axis, low, high, error);
    }
    return status;
}

/* "attention" of the published space is core_attn; --recompute-parts says what else it may be. */
static enum rk_status pin_recompute(struct rk_plans_problem *problem,
                                    const struct option_values *given, bool parts,
                                    struct rk_error *error)
{
    static const uint64_t values[RK_RECOMPUTES] = {
        [RK_RECOMPUTE_FULL] = RK_RECOMPUTE_VALUE(RK_WHOLE, 0),
        [RK_RECOMPUTE_ATTENTION] = RK_RECOMPUTE_VALUE(RK_SELECTIVE, 1u << RK_PART_CORE_ATTENTION),
        [RK_RECOMPUTE_NONE] = RK_RECOMPUTE_VALUE(RK_KEEP, 0),
    };
    enum rk_status status = RK_OK;
    for (int i = 0; i < given->count; i++)
        for (uint64_t v = given->range[i].low; v <= given->range[i].high; v++) {
            if (v == RK_RECOMPUTE_ATTENTION && parts) continue;
            if (status == RK_OK)
                status = pin(problem, RK_PLAN_RECOMPUTE, values[v], values[v], error);
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
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "--recompute-parts: '%s' is not made of parts of a layer (%s)", text, names);
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

static enum rk_status pin_published(const struct plan_axis_values *values,
                                    const struct axis_values *published,
                                    struct rk_plans_problem *problem, struct rk_error *error)
{
    for (int i = 0; i < RK_AXES; i++) {
        const struct counterpart *other = &counterparts[i];
        const struct option_values *given = &published->axis[i];
        if (!given->count) continue;
        if (other->axis < 0)
            return rk_fail(error, RK_USAGE, NULL, 0, 0,
                           "--%s is an axis of the published space alone: use %s",
                           rk_axis((enum rk_axis)i)->name, other->mend);
        const enum rk_status status =
            i == RK_AXIS_RECOMPUTE ? pin_recompute(problem, given, values->parts != NULL, error)
                                   : pin_values(problem, (enum rk_plan_axis)other->axis, given,
                                                other->on_or_off, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

enum rk_status plan_axes_restrict(const struct plan_axis_values *values,
                                  const struct axis_values *published,
                                  struct rk_plans_problem *problem, struct rk_error *error)
{
    enum rk_status status = pin_published(values, published, problem, error);
    for (int axis = 0; axis < RK_PLAN_AXES && status == RK_OK; axis++)
        status = pin_values(problem, (enum rk_plan_axis)axis, &values->axis[axis], false, error);
    if (status == RK_OK && values->parts) status = pin_parts(problem, values->parts, error);
    if (status == RK_OK && values->uneven)
        status = pin(problem, RK_PLAN_SPLIT, RK_SPLIT_BALANCED, RK_SPLIT_BALANCED, error);
    return status;
}
