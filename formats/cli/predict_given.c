/* predict_given.c - a prediction corrected by measured steps that are like its plan. */
#include "base/units.h"
#include "cli/prediction.h"
#include "facts/error_bar.h"
#include "facts/likeness.h"

#include <math.h>

static enum rk_status ask(const char *path, const struct forecast *f, struct likeness_says *says,
                          struct rk_error *error)
{
    struct facts facts = {.count = 0};
    struct rules rules = {0};
    struct results given = {.count = 0};
    enum rk_status status = rules_load_or_own(NULL, &rules, error);
    if (status == RK_OK) status = facts_load(&facts, path, &rules, error);
    if (status == RK_OK) status = results_add(&given, &facts, error);
    if (status == RK_OK)
        status = likeness_of_plan(&given, f->model, f->system->id, f->plan, says, error);
    results_release(&given);
    facts_release(&facts);
    rules_release(&rules);
    return status;
}

/* What runs of the class take, over the corrected step; all NAN where there is no class. */
static struct error_class bar_of(const struct forecast *f, double left)
{
    struct error_class bar = {.ratio = {NAN, NAN, NAN, NAN, NAN}};
    if (forecast_class(f, &bar)) error_bar_narrow(&bar, left);
    return bar;
}

static const char *bar_text(struct report *report, const struct error_class *bar, double step_s)
{
    char half[2 * QUANTITY_TEXT], most[2 * QUANTITY_TEXT];
    if (isnan(bar->ratio[0])) return "";
    quantity_interval(half, QUANTITY_SECONDS, step_s * bar->ratio[1], step_s * bar->ratio[3]);
    quantity_interval(most, QUANTITY_SECONDS, step_s * bar->ratio[0], step_s * bar->ratio[4]);
    return report_text(report, "; 50 %% interval %s, 90 %% interval %s", half, most);
}

enum rk_status forecast_given(struct report *report, const struct forecast *f, const char *path,
                              struct rk_error *error)
{
    struct likeness_says says;
    char step[QUANTITY_TEXT];
    const enum rk_status status = ask(path, f, &says, error);
    if (status != RK_OK || !f->prediction->timed) return status;
    const double step_s = f->prediction->step_s * says.factor;
    const struct error_class bar = bar_of(f, says.left);
    report_note(
        report,
        report_text(report,
                    "  by %zu measured step%s of %s, the nearest %.2f alike (1: the same plan, "
                    "0: nothing in common): %s per step, %+.1f %%%s",
                    says.steps, says.steps == 1 ? "" : "s", path, says.nearest,
                    quantity_format(step, QUANTITY_SECONDS, step_s), 100 * (says.factor - 1),
                    bar_text(report, &bar, step_s)));
    REPORT_OBJECT(
        report, "given", {"steps", cell_count(says.steps)}, {"nearest", cell_number(says.nearest)},
        {"factor", cell_number(says.factor)}, {"step_s", cell_number(step_s)},
        {"left", cell_number(says.left)}, {"p5", cell_number(step_s * bar.ratio[0])},
        {"p25", cell_number(step_s * bar.ratio[1])}, {"p50", cell_number(step_s * bar.ratio[2])},
        {"p75", cell_number(step_s * bar.ratio[3])}, {"p95", cell_number(step_s * bar.ratio[4])});
    return RK_OK;
}
