#include "cli/axes.h"

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
}

void axes_prepare(void)
{
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

/* ---- one value: an estimate ---- */

/* "yes" to offloading is the first lower tier. */
static bool is_single(const struct option_values *values, enum rk_axis axis)
{
    const bool tier = rk_axis(axis)->type == RK_AXIS_TIER;
    return values->count == 1 &&
           (values->range[0].low == values->range[0].high || (tier && values->range[0].low == 1));
}

enum rk_status axes_apply(const struct axis_values *values, struct rk_strategy *strategy,
                          struct rk_error *error)
{
    for (int i = 0; i < RK_AXES; i++) {
        const enum rk_axis axis = (enum rk_axis)i;
        if (!axis_given(values, axis)) continue;
        if (!is_single(&values->axis[i], axis))
            return rk_fail(error, RK_USAGE, NULL, 0, 0,
                           "--%s: an estimate takes one value; reckon search takes several",
                           rk_axis(axis)->name);
        rk_axis_set(strategy, axis, values->axis[i].range[0].low);
    }
    return RK_OK;
}

/* ---- several values: a search ---- */

enum { WIDEST = 1 << 22 }; /* a wider range of values that might occur is not walked through */

/* What decides which values of an axis can occur at all. */
struct domain {
    const struct rk_problem *problem;
    enum rk_axis axis;
    uint64_t last; /* no larger value occurs */
};

/* Some data degree leaves a share of the batch that the microbatch divides. */
static bool microbatch_occurs(const struct rk_problem *problem, uint64_t value)
{
    const uint64_t last = problem->ranks < problem->max_batch ? problem->ranks : problem->max_batch;
    for (uint64_t data = 1; data <= last && data * value <= problem->max_batch; data++)
        if (problem->ranks % data == 0 && problem->max_batch / data % value == 0) return true;
    return false;
}

static bool occurs(const struct domain *domain, uint64_t value)
{
    const struct rk_problem *p = domain->problem;
    switch (domain->axis) {
    case RK_AXIS_TENSOR:
        return p->model->heads % value == 0 && p->ranks % value == 0;
    case RK_AXIS_PIPELINE:
        return p->model->layers % value == 0 && p->ranks % value == 0;
    case RK_AXIS_DATA:
        return p->ranks % value == 0;
    case RK_AXIS_INTERLEAVING:
        return p->model->layers % value == 0;
    case RK_AXIS_MICROBATCH:
        return microbatch_occurs(p, value);
    default:
        return true;
    }
}

static struct domain domain_of(const struct rk_problem *problem, enum rk_axis axis)
{
    uint64_t last = UINT64_MAX;
    if (axis == RK_AXIS_TENSOR) last = problem->model->heads;
    if (axis == RK_AXIS_PIPELINE || axis == RK_AXIS_INTERLEAVING) last = problem->model->layers;
    if (axis == RK_AXIS_DATA || axis == RK_AXIS_MICROBATCH) last = problem->max_batch;
    if (rk_axis(axis)->type == RK_AXIS_TIER)
        last =
            (uint64_t)(is_network(axis) ? problem->system->networks : problem->system->memories) -
            1;
    return (struct domain){problem, axis, last};
}

static bool pin(struct rk_problem *problem, enum rk_axis axis, uint64_t value)
{
    const int count = problem->pinned[axis].count;
    for (int i = 0; i < count; i++)
        if (problem->pinned[axis].value[i] == value) return true;
    if (count == RK_MAX_PINNED) return false;
    problem->pinned[axis].value[problem->pinned[axis].count++] = value;
    return true;
}

static enum rk_status too_many(enum rk_axis axis, struct rk_error *error)
{
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "--%s: more than %d possible values are allowed: give fewer, or leave the flag "
                   "out to allow all",
                   rk_axis(axis)->name, RK_MAX_PINNED);
}

static enum rk_status pin_range(struct rk_problem *problem, const struct domain *domain,
                                uint64_t low, uint64_t high, struct rk_error *error)
{
    const bool single = low == high;
    const uint64_t last = high < domain->last ? high : domain->last;
    if (last > low && last - low > WIDEST) return too_many(domain->axis, error);
    if (single) return pin(problem, domain->axis, low) ? RK_OK : too_many(domain->axis, error);
    for (uint64_t value = low; value <= last; value++)
        if (occurs(domain, value) && !pin(problem, domain->axis, value))
            return too_many(domain->axis, error);
    /* nothing of the range can occur: an impossible value keeps the axis restricted */
    if (problem->pinned[domain->axis].count == 0) pin(problem, domain->axis, high);
    return RK_OK;
}

/* A tier that is asked for by number must be there. */
static enum rk_status check_tier(const struct domain *domain, const struct option_values *values,
                                 struct rk_error *error)
{
    const struct rk_axis_info *info = rk_axis(domain->axis);
    for (int i = 0; i < values->count; i++)
        if (info->type == RK_AXIS_TIER && values->range[i].low > domain->last)
            return rk_fail(error, RK_USAGE, NULL, 0, 0,
                           "--%s: %s has no %s tier %" PRIu64 ": its last one is %" PRIu64,
                           info->name, domain->problem->system->id,
                           is_network(domain->axis) ? "network" : "memory", values->range[i].low,
                           domain->last);
    return RK_OK;
}

enum rk_status axes_restrict(const struct axis_values *values, struct rk_problem *problem,
                             struct rk_error *error)
{
    for (int i = 0; i < RK_AXES; i++) {
        const enum rk_axis axis = (enum rk_axis)i;
        const struct domain domain = domain_of(problem, axis);
        const struct option_values *given = &values->axis[i];
        if (!given->count) continue;
        enum rk_status status = check_tier(&domain, given, error);
        problem->pinned[i].count = 0;
        for (int k = 0; k < given->count && status == RK_OK; k++)
            status = pin_range(problem, &domain, given->range[k].low, given->range[k].high, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}
