#include "search/plans_axes.h"

#include <string.h>

/* The axis furthest in that had no value, and the plan with all before it. */
struct dead_end {
    const struct rk_plans_problem *problem;
    int axis; /* -1: none */
    struct rk_plan plan;
};

static bool walk(struct dead_end *end, struct rk_plan *plan, int axis, int last);

/* Does each bundle after the layout have a choice? */
static bool walk_bundles(struct dead_end *end, const struct rk_plan *layout)
{
    for (int bundle = BUNDLE_LAYOUT + 1; bundle < BUNDLES; bundle++) {
        struct rk_plan plan = *layout;
        if (!walk(end, &plan, (int)plan_bundle_axis((enum plan_bundle)bundle),
                  (int)plan_bundle_axis((enum plan_bundle)(bundle + 1))))
            return false;
    }
    return true;
}

/* Is there a value for each axis from `axis` to `last`, and for what follows a layout? */
static bool walk(struct dead_end *end, struct rk_plan *plan, int axis, int last)
{
    static const struct rk_plan one = {.tensor = 1, .context = 1, .pipeline = 1, .expert = 1};
    struct offered offered;
    if (axis == last) return axis > RK_PLAN_ORDER + 1 || walk_bundles(end, plan);
    plan_axis_offer(&offered, end->problem, (enum rk_plan_axis)axis, plan);
    if (offered.count == 0 && axis > end->axis) {
        end->axis = axis;
        end->plan = *plan;
    }
    for (int i = 0; i < offered.count; i++) {
        rk_plan_axis_set(plan, (enum rk_plan_axis)axis, offered.value[i]);
        if (walk(end, plan, axis + 1, last)) return true;
    }
    if (last == RK_PLAN_ORDER + 1)
        rk_plan_axis_set(plan, (enum rk_plan_axis)axis,
                         rk_plan_axis_get(&one, (enum rk_plan_axis)axis));
    return false;
}

static void append_word(char text[RK_PLANS_EMPTY_TEXT], const char *word)
{
    const size_t used = strlen(text), more = strlen(word);
    if (used + more < RK_PLANS_EMPTY_TEXT) memcpy(text + used, word, more + 1);
}

static void append(char text[RK_PLANS_EMPTY_TEXT], const char *before, const char *name,
                   const char *value)
{
    append_word(text, before);
    append_word(text, name);
    if (*name) append_word(text, " ");
    append_word(text, value);
}

static void append_asked(char text[RK_PLANS_EMPTY_TEXT], const struct rk_plans_problem *problem,
                         enum rk_plan_axis axis)
{
    char value[RK_PLAN_AXIS_TEXT];
    append(text, "", rk_plan_axis_info(axis)->name, "");
    for (int i = 0; i < problem->pinned[axis].count; i++) {
        const uint64_t low = problem->pinned[axis].value[i], high = problem->pinned[axis].to[i];
        append(text, i ? "," : "", "", rk_plan_axis_text(axis, low, value));
        if (high > low) append(text, "..", "", rk_plan_axis_text(axis, high, value));
    }
}

/* First axis of its bundle. */
static int bundle_begin(int axis)
{
    int bundle = BUNDLES - 1;
    while ((int)plan_bundle_axis((enum plan_bundle)bundle) > axis)
        bundle--;
    return (int)plan_bundle_axis((enum plan_bundle)bundle);
}

/* What else is asked of axes before it: of its bundle, and of the layout. */
static void append_before(char text[RK_PLANS_EMPTY_TEXT], const struct dead_end *end)
{
    char value[RK_PLAN_AXIS_TEXT];
    const int first = bundle_begin(end->axis);
    int asked = 0;
    append(text, ":", "", "");
    for (int axis = 0; axis < end->axis; axis++) {
        const uint64_t has = rk_plan_axis_get(&end->plan, (enum rk_plan_axis)axis);
        if (!end->problem->pinned[axis].count || (axis > RK_PLAN_ORDER && axis < first)) continue;
        append(text, asked++ ? ", " : " with ", rk_plan_axis_info((enum rk_plan_axis)axis)->name,
               rk_plan_axis_text((enum rk_plan_axis)axis, has, value));
    }
}

static void append_offered(char text[RK_PLANS_EMPTY_TEXT], const struct dead_end *end)
{
    enum { MOST = 16 };
    char value[RK_PLAN_AXIS_TEXT];
    const enum rk_plan_axis axis = (enum rk_plan_axis)end->axis;
    struct rk_plans_problem open = *end->problem;
    struct offered offered;
    open.pinned[axis].count = 0;
    plan_axis_offer(&offered, &open, axis, &end->plan);
    append(text, " the space has ", offered.count ? rk_plan_axis_info(axis)->name : "", "");
    if (!offered.count) append(text, "none", "", "");
    for (int i = 0; i < offered.count && i < MOST; i++)
        append(text, i ? ", " : "", "", rk_plan_axis_text(axis, offered.value[i], value));
    if (offered.count > MOST) append(text, ", ...", "", "");
}

bool rk_plans_empty(const struct rk_plans_problem *problem, char text[RK_PLANS_EMPTY_TEXT])
{
    struct dead_end end = {.problem = problem, .axis = -1};
    struct rk_plan plan = problem->base;
    plan.tensor = plan.context = plan.pipeline = plan.expert = 1;
    plan.expert_tensor = 0;
    if (!plan.ranks || !plan.batch || !rk_answerer(plan.framework)->runs) return false;
    if (walk(&end, &plan, 0, RK_PLAN_ORDER + 1)) return false;
    if (end.axis < 0 || !problem->pinned[end.axis].count) return false;
    text[0] = '\0';
    append_asked(text, problem, (enum rk_plan_axis)end.axis);
    append_before(text, &end);
    append_offered(text, &end);
    return true;
}
