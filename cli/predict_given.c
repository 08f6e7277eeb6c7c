/* predict_given.c - a prediction corrected by measured steps that are like its plan. */
#include "base/units.h"
#include "cli/prediction.h"
#include "facts/likeness.h"

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "steps"}, {.name = "nearest"}, {.name = "factor"}, {.name = "step_s"}};
/* clang-format on */

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

enum rk_status forecast_given(struct report *report, const struct forecast *f, const char *path,
                              struct rk_error *error)
{
    struct likeness_says says;
    char step[QUANTITY_TEXT];
    const enum rk_status status = ask(path, f, &says, error);
    if (status != RK_OK || !f->prediction->timed) return status;
    const double step_s = f->prediction->step_s * says.factor;
    report_note(report, report_text(report,
                                    "  by %zu measured step%s of %s, the nearest %.2f alike: %s a "
                                    "step, %+.1f %% (1: the same plan, 0: nothing in common)",
                                    says.steps, says.steps == 1 ? "" : "s", path, says.nearest,
                                    quantity_format(step, QUANTITY_SECONDS, step_s),
                                    100 * (says.factor - 1)));
    report_row(report, REPORT_ONE(report, "given", NULL, REPORT_IN_JSON, columns),
               (struct report_cell[]){cell_count(says.steps), cell_number(says.nearest),
                                      cell_number(says.factor), cell_number(step_s)});
    return RK_OK;
}
