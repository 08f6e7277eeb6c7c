/* predict_nearest.c - the measured runs that are most like a plan, beside their predictions. */
#include "base/memory.h"
#include "cli/prediction.h"
#include "facts/nearest.h"

#include <stdlib.h>

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "run"},
    {.name = "source"},
    {.name = "alike", .digits = 2},
    {.name = "system"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "measured_s", .title = "measured", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "predicted_s", .title = "predicted", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "error", .unit = "%", .digits = 1},
    {.name = "plan"},
};
/* clang-format on */

static void add_run(struct report *report, struct report_table *table, const struct result *r,
                    double likeness)
{
    char plan[RK_PLAN_TEXT];
    rk_plan_text(&r->judgement.plan, plan, sizeof plan);
    report_row(report, table,
               (struct report_cell[]){
                   cell_text(report_text(report, "%s", r->id)),
                   cell_text(report_text(report, "%.40s", r->source)), cell_number(likeness),
                   cell_text(report_text(report, "%s", r->system)), cell_count(r->gpus),
                   cell_number(r->measured_si), cell_number(r->predicted_si), cell_number(r->error),
                   cell_text(report_text(report, "%s", plan))});
}

enum rk_status forecast_nearest(struct report *report, const struct forecast *f,
                                struct rk_error *error)
{
    if (f->plan->framework == RK_CALCULON || !f->prediction->timed) return RK_OK;
    struct nearest *nearest = calloc(1, sizeof *nearest);
    enum rk_status status =
        nearest ? nearest_runs(f->model, f->system, f->plan, nearest, error) : no_memory(error);
    if (status == RK_OK && nearest->count) {
        struct report_table *table =
            REPORT_LIST(report, "nearest",
                        "The nearest measured run of three sources (alike: 1 is the same plan)",
                        REPORT_IN_TEXT | REPORT_IN_JSON, columns);
        for (int i = 0; i < nearest->count; i++)
            add_run(report, table, &nearest->result[i], nearest->likeness[i]);
    }
    free(nearest);
    return status;
}
