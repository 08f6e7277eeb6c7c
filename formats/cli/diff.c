#include "cli/diff.h"

#include "base/memory.h"
#include "cli/check.h"
#include "cli/launchable.h"

#include <stdlib.h>

/* The rules that neither A nor B breaks are asked of plans between them. */
static bool may_launch(const void *context, const struct rk_plan *plan)
{
    return launch_within(context, plan);
}

static struct launch_limits limits_of(const struct diff_input *in)
{
    const struct rk_model *m = &in->model;
    const struct rk_system *s = &in->system;
    const bool rules =
        !s->machine && !check_forbids(m, s, &in->a, NULL) && !check_forbids(m, s, &in->b, NULL);
    return (struct launch_limits){.model = m, .system = s, .plan = &in->a, .rules = rules};
}

struct diff *diff_open(const struct diff_source *source, struct rk_error *error)
{
    struct diff *d = calloc(1, sizeof *d);
    struct rk_prediction *scratch = malloc(sizeof *scratch);
    enum rk_status status = RK_OK;
    if (!d || !scratch)
        status = no_memory(error);
    else
        status = diff_gather(source, &d->in, error);
    if (status == RK_OK) {
        struct diff_input *in = &d->in;
        in->a = plan_canonical(&in->model, &in->a);
        in->b = plan_canonical(&in->model, &in->b);
        const struct launch_limits limits = limits_of(in);
        const struct plan_launch launch = {may_launch, &limits};
        plan_worths(&in->model, &in->system, &in->a, &in->b, &launch, &d->w, scratch);
        layers_worths(&in->model, &in->system, &in->a, &in->b, &d->layers, scratch);
        rk_predict(&in->model, &in->system, &in->a, &d->a);
        rk_predict(&in->model, &in->system, &in->b, &d->b);
    } else {
        diff_close(d);
        d = NULL;
    }
    free(scratch);
    return d;
}

void diff_close(struct diff *diff)
{
    if (diff) diff_input_release(&diff->in);
    free(diff);
}
