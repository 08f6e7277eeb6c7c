#include "cli/doctor_number.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>

int number_count(const struct rk_speed *n)
{
    return (n->step_s > 0) + (n->tflops > 0) + (n->tokens_per_s > 0) +
           (n->tokens_per_s_per_gpu > 0) + (n->mfu_percent > 0);
}

enum rk_status number_step(const struct rk_speed *n, const struct forecast *f, double *step_s,
                           char text[static 96], struct rk_error *error)
{
    const double rounding = 1e-12;
    *step_s = rk_speed_step_s(n, f->model, f->plan, f->prediction);
    const struct rk_speed all = rk_speed_of(*step_s, f->model, f->plan, f->prediction);
    char step[QUANTITY_TEXT];
    snprintf(text, 96, "%s per step: %.4g TFLOP/s per GPU, %.6g tokens/s, MFU %.1f %%",
             quantity_format(step, QUANTITY_SECONDS, *step_s), all.tflops, all.tokens_per_s,
             all.mfu_percent);
    if (all.mfu_percent <= 100 * (1 + rounding)) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "the measured number is %s, more than the peak of the GPUs: check its unit "
                   "(--tflops is per GPU, --tokens-per-second of all GPUs, "
                   "--tokens-per-second-per-gpu of one), the GPUs and the batch",
                   text);
}

/* ---- where it lies ---- */

struct step_place number_place(const struct forecast *f, double step_s)
{
    struct error_class c;
    return step_place_of(forecast_class(f, &c) ? &c : NULL, step_s / f->prediction->step_s);
}

void number_position(struct report *report, const struct forecast *f, double step_s)
{
    struct error_class c;
    char low[QUANTITY_TEXT], high[QUANTITY_TEXT];
    const double predicted = f->prediction->step_s;
    if (!forecast_class(f, &c)) {
        report_note(report, "  no measured run is like this one: there is no prediction interval");
        return;
    }
    const double faster = error_share_below(&c, step_s / predicted);
    const struct step_place place = number_place(f, step_s);
    const char *verdict = report_text(report, "%s: %s", place.word, place.why);
    report_note(report,
                report_text(report,
                            "  %.0f %% of measured runs are faster; 90 %% interval %s to %s "
                            "(cross-validated on %llu runs from %llu sources: %s)",
                            100 * faster,
                            quantity_format(low, QUANTITY_SECONDS, predicted * c.ratio[0]),
                            quantity_format(high, QUANTITY_SECONDS, predicted * c.ratio[4]),
                            (unsigned long long)c.runs, (unsigned long long)c.sources, c.of));
    REPORT_OBJECT(report, "position", {"measured_s", cell_number(step_s)},
                  {"predicted_s", cell_number(predicted)}, {"faster_share", cell_number(faster)},
                  {"low50_s", cell_number(predicted * c.ratio[1])},
                  {"high50_s", cell_number(predicted * c.ratio[3])},
                  {"low90_s", cell_number(predicted * c.ratio[0])},
                  {"high90_s", cell_number(predicted * c.ratio[4])},
                  {"verdict", cell_text(verdict)});
}

/* ---- what to change ---- */

static const struct report_column change_columns[] = {
    {.name = "change"},
    {.name = "saved", .title = "saves", .unit = "%", .digits = 1},
    {.name = "step_s", .title = "the step would take", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "total_bytes", .title = "memory", .unit = "B", .digits = 1},
    {.name = "line"},
    {.name = "in_the_file"},
};

/* What the measured step would take: the prediction says by how much each changes it. */
static void add_change(struct report *report, struct report_table *table, const struct gain *g,
                       double predicted_s, double measured_s)
{
    const double share = g->step_s / predicted_s;
    REPORT_ROW(report, table, cell_text(g->what), cell_number(1 - share),
               cell_number(measured_s * share), cell_number(g->total_bytes),
               g->line ? cell_count((uint64_t)g->line) : cell_none(),
               cell_text(report_text(report, "%s", g->change)));
}

void number_changes(struct report *report, const struct gain_case *of, double measured_s)
{
    enum { FEW = 3 };
    struct gain *gains = calloc(GAINS, sizeof *gains);
    const int count = gains ? gains_of(of, gains) : 0;
    if (!count) report_note(report, "  no single change of the plan is predicted to be faster");
    struct report_table *table =
        count ? REPORT_LIST(report, "changes", "The single changes that bring most", REPORT_IN_ALL,
                            change_columns)
              : NULL;
    for (int i = 0; i < count && i < FEW; i++)
        add_change(report, table, &gains[i], of->step_s, measured_s);
    free(gains);
}
