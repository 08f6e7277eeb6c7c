/* predict_nearest.c - the measured runs that are most like a plan, with their predictions. */
#include "cli/prediction.h"
#include "facts/nearest.h"

static const struct report_column columns[] = {
    {.name = "plan_of", .title = "of"},
    {.name = "run"},
    {.name = "source"},
    {.name = "published"},
    {.name = "alike", .digits = 2},
    {.name = "system"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "measured_s", .title = "measured", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "predicted_s", .title = "predicted", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "error", .unit = "%", .digits = 1},
    {.name = "plan"},
};

static void add_run(struct report *report, struct report_table *table, const char *of,
                    const struct nearest *nearest, int i)
{
    const struct measured_step *s = nearest->step[i];
    char plan[RK_PLAN_TEXT];
    rk_plan_text(&nearest->plan[i], plan, sizeof plan);
    REPORT_ROW(report, table, of ? cell_text(of) : cell_none(), cell_text(s->id),
               cell_text(report_text(report, "%.40s", s->source)), cell_text(s->published),
               cell_number(nearest->likeness[i]), cell_text(s->system), cell_count(s->gpus),
               cell_number(s->measured_s), cell_number(s->predicted_s),
               cell_number(s->predicted_s / s->measured_s - 1),
               cell_text(report_text(report, "%s", plan)));
}

static unsigned formats_of(bool in_text)
{
    return REPORT_IN_JSON | (in_text ? REPORT_IN_TEXT : 0);
}

/* One list of the report, for all plans of it. */
static struct report_table *list_of(struct report *report, bool in_text)
{
    for (struct report_table *t = report->first; t; t = t->next)
        if (t->columns == columns) return t;
    return REPORT_LIST(report, "nearest",
                       "Nearest measured runs of three sources (alike: 1 is the same plan)",
                       formats_of(in_text), columns);
}

enum rk_status forecast_nearest(struct report *report, const struct forecast *f, const char *of,
                                bool in_text, struct rk_error *error)
{
    struct nearest nearest;
    const bool none = !rk_answerer(f->plan->framework)->measured || f->system->machine;
    if (none || !f->prediction->timed || !report_shows(report, formats_of(in_text))) return RK_OK;
    const enum rk_status status = nearest_runs(f->model, f->system, f->plan, &nearest, error);
    if (status != RK_OK || !nearest.count) return status;
    struct report_table *table = list_of(report, in_text);
    for (int i = 0; i < nearest.count; i++)
        add_run(report, table, of, &nearest, i);
    return RK_OK;
}
