#include "cli/diff.h"

#include "base/memory.h"

#include <stdlib.h>

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
        plan_worths(&in->model, &in->system, &in->a, &in->b, &d->w, scratch);
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
