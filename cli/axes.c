#include "cli/axes.h"

#include "cli/plan_axes.h"

#include <inttypes.h>
#include <string.h>

static const char *const no_yes[] = {"no", "yes", NULL};

/* The first one is what the flag alone means. */
static const struct option_alias bool_aliases[] = {
    {"yes", 1, 1}, {"no", 0, 0}, {"both", 0, 1}, {"true", 1, 1}, {"false", 0, 0}, {NULL, 0, 0},
};
static const struct option_alias offload_aliases[] = {
    {"yes", 1, RK_MAX_TIERS - 1},
    {"no", 0, 0},
    {"both", 0, RK_MAX_TIERS - 1},
    {NULL, 0, 0},
};

/* Both spaces take these: what Megatron-LM calls selective, and overlap that is on or off. */
static const struct option_alias recompute_aliases[] = {
    {"selective", RK_RECOMPUTE_ATTENTION, RK_RECOMPUTE_ATTENTION},
    {NULL, 0, 0},
};
static const struct option_alias overlap_aliases[] = {
    {"no", RK_OVERLAP_NONE, RK_OVERLAP_NONE},
    {"yes", RK_OVERLAP_RING, RK_OVERLAP_PIPE},
    {NULL, 0, 0},
};

struct option axes_options[RK_AXES + 1];
static char keys[RK_AXES][32];

static bool is_network(enum rk_axis axis)
{
    return axis >= RK_AXIS_TENSOR_NETWORK;
}

static void fill_row(struct option *row, enum rk_axis axis)
{
    const struct rk_axis_info *info = rk_axis(axis);
    const bool offload = info->type == RK_AXIS_TIER && !is_network(axis);
    *row = (struct option){.name = info->name,
                           .type = OPTION_VALUES,
                           .help = info->help,
                           .offset = offsetof(struct axis_values, axis) +
                                     (size_t)axis * sizeof(struct option_values),
                           .choices = info->choices,
                           .min = info->type == RK_AXIS_NUMBER};
    if (info->type == RK_AXIS_BOOL) {
        row->choices = no_yes;
        row->aliases = bool_aliases;
    } else if (info->type == RK_AXIS_TIER) {
        row->max = RK_MAX_TIERS - 1;
        row->aliases = offload ? offload_aliases : NULL;
        row->argument = offload ? "no|yes|TIER" : "TIER";
    }
    row->optional = row->aliases != NULL;
    if (axis == RK_AXIS_RECOMPUTE) row->aliases = recompute_aliases;
    if (axis == RK_AXIS_TENSOR_OVERLAP) row->aliases = overlap_aliases;
}

void axes_prepare(void)
{
    plan_axes_prepare();
    for (int axis = 0; axis < RK_AXES; axis++) {
        fill_row(&axes_options[axis], (enum rk_axis)axis);
        snprintf(keys[axis], sizeof keys[axis], "%s", axes_options[axis].name);
        for (char *c = keys[axis]; *c; c++)
            if (*c == '-') *c = '_';
    }
}

const char *axis_key(enum rk_axis axis)
{
    return keys[axis];
}

const char *axis_text(const struct rk_strategy *strategy, enum rk_axis axis, char buffer[24])
{
    const struct rk_axis_info *info = rk_axis(axis);
    const uint64_t value = rk_axis_get(strategy, axis);
    if (info->type == RK_AXIS_BOOL) return no_yes[value != 0];
    if (info->type == RK_AXIS_CHOICE) return info->choices[value];
    snprintf(buffer, 24, "%" PRIu64, value);
    return buffer;
}

/* ---- several values: a search ---- */

/* The last tier there is; UINT64_MAX for other axes. */
static uint64_t last_tier(const struct rk_system *system, enum rk_axis axis)
{
    if (rk_axis(axis)->type != RK_AXIS_TIER) return UINT64_MAX;
    return (uint64_t)(is_network(axis) ? system->networks : system->memories) - 1;
}

static enum rk_status no_such_tier(const struct rk_system *system, enum rk_axis axis, uint64_t tier,
                                   struct rk_error *error)
{
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "--%s: %s has no %s tier %" PRIu64 ": its last one is %" PRIu64,
                   rk_axis(axis)->name, system->id, is_network(axis) ? "network" : "memory", tier,
                   last_tier(system, axis));
}

enum rk_status axes_restrict(const struct axis_values *values, struct rk_problem *problem,
                             struct rk_error *error)
{
    _Static_assert(OPTION_MAX_VALUES <= (int)RK_MAX_PINNED, "all that a flag takes can be pinned");
    for (int i = 0; i < RK_AXES; i++) {
        const enum rk_axis axis = (enum rk_axis)i;
        const struct option_values *given = &values->axis[i];
        for (int k = 0; k < given->count; k++) {
            if (given->range[k].low > last_tier(problem->system, axis))
                return no_such_tier(problem->system, axis, given->range[k].low, error);
            problem->pinned[i].value[k] = given->range[k].low;
            problem->pinned[i].to[k] = given->range[k].high;
        }
        if (given->count) problem->pinned[i].count = given->count;
    }
    return RK_OK;
}
