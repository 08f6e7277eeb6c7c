/* layouts.h - plans of tests that say where their layers lie.
 *
 *     edit(&plan)->splits = 2;
 *
 * changes the layout of this plan alone: a copy is made of one that it shares. */
#ifndef RECKON_TESTS_LAYOUTS_H
#define RECKON_TESTS_LAYOUTS_H

#include <reckon/plan.h>
#include <stdlib.h>

struct edited {
    struct rk_layout layout; /* first, so that it is found from the plan */
    const struct rk_plan *owner;
    struct edited *next;
};

static struct edited *edited_layouts; /* until the process ends */

static inline struct rk_layout *edit(struct rk_plan *plan)
{
    struct edited *own = edited_layouts;
    while (own && !(&own->layout == plan->layout && own->owner == plan))
        own = own->next;
    if (own) return &own->layout;
    own = malloc(sizeof *own);
    *own = (struct edited){*rk_plan_layout(plan), plan, edited_layouts};
    edited_layouts = own;
    plan->layout = &own->layout;
    return &own->layout;
}

#endif
