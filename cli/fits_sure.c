/* fits_sure.c - `reckon fits`: why it is not sure that a plan fits, and what would decide it. */
#include "cli/fits.h"
#include "cli/verdict.h"

#include <reckon/advise.h>

/* The fastest change that makes it fit surely; "" where no single one does. */
static const char *change_of(struct report *report, const struct fits_question *question,
                             const struct forecast *f)
{
    struct rk_saving changes[RK_MAX_SAVINGS];
    const struct rk_saving *best = NULL;
    const int count = rk_savings(f->model, f->system, f->plan, f->prediction, changes);
    for (int i = 0; i < count; i++) {
        const bool sure = verdict_saving(f, &changes[i], &question->sure) == RK_SURE_FITS;
        if (sure && (!best || changes[i].step_s < best->step_s)) best = &changes[i];
    }
    if (!best) return "";
    return report_text(report, "%s surely fits (step %+.1f %%); or ", best->words,
                       100 * (best->step_s / f->prediction->step_s - 1));
}

void fits_say_unsure(struct report *report, const struct fits_question *question,
                     const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    if (verdict_sure(f, &question->sure) != RK_SURE_UNSURE) return;
    const double capacity = forecast_system(f, p->tightest)->memory[0].capacity_bytes;
    report_note(report, report_text(report,
                                    "  it needs %.0f %% of the memory; unsure is a P(fits) below "
                                    "%.0f %% and not below %.0f %%. To be sure: %smeasure one step "
                                    "on the tightest stage (torch.cuda.max_memory_reserved)",
                                    100 * p->stage[p->tightest].total_bytes / capacity,
                                    100 * question->sure.fits, 100 * question->sure.fails,
                                    change_of(report, question, f)));
}
