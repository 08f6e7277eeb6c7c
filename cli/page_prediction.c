/* One plan and its prediction as a page. */
#include "cli/pages.h"

#include <inttypes.h>

/* The tables for people among those that were added. */
static void show_added(struct html_page *page, const struct report_table *before,
                       const char *source)
{
    for (const struct report_table *t = page_described(page, before); t; t = t->next)
        if (t->formats & REPORT_IN_TEXT) page_show(page, t->title, t, source);
}

static const char *verdict(struct html_page *page, const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    if (p->verdict != RK_FITS) return "This plan cannot run.";
    return report_text(&page->memory,
                       "%.4g s a step, %.4g TFLOP/s a GPU, MFU %.1f %%, %.4g tokens a second.",
                       p->step_s, p->model_flop / p->step_s / (double)f->plan->ranks / 1e12,
                       100 * p->mfu, p->tokens_per_s);
}

static void pipeline(struct html_page *page, const struct forecast *f, const char *source)
{
    struct timeline_plan plan;
    struct rk_error error;
    if (timeline_plan_of_plan(&plan, f->model, f->system, f->plan, f->prediction, -1, &error) !=
        RK_OK)
        return;
    page_schedule(page, &plan, source);
    timeline_plan_release(&plan);
}

void page_prediction(struct html_page *page, const struct forecast *f, const char *model_name,
                     const char *system_name, const char *plan_name)
{
    struct report *memory = &page->memory;
    const char *arguments =
        report_text(memory, "--model %s --system %s --plan %s", page_word(page, model_name),
                    page_word(page, system_name), page_word(page, plan_name));
    const char *predict = report_text(memory, "reckon predict %s", arguments);
    char words[RK_PLAN_TEXT];
    rk_plan_text(f->plan, words, sizeof words);
    page->title = report_text(memory, "%s on %s", f->model->id, f->system->id);
    page->subtitle =
        report_text(memory, "One training step on %" PRIu64 " GPUs: %s", f->plan->ranks, words);
    page_section(page, "summary", "Summary", verdict(page, f));
    const struct report_table *before = memory->last;
    forecast_refusal(memory, f);
    show_added(page, before, predict);
    if (f->prediction->timed) {
        before = memory->last;
        forecast_times(memory, f);
        show_added(page, before, predict);
        before = memory->last;
        forecast_stages(memory, f, false);
        show_added(page, before, predict);
        pipeline(page, f, report_text(memory, "reckon timeline %s -o trace.json", arguments));
    }
    page_inputs(page, f->model, model_name, f->system, system_name, NULL, NULL);
}
