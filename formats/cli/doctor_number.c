#include "cli/doctor_number.h"
#include "base/units.h"
#include "facts/error_bar.h"
#include "workload/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int number_count(const struct measured_number *n)
{
    return (n->step_s > 0) + (n->tflops > 0) + (n->tokens_per_s > 0) +
           (n->tokens_per_s_per_gpu > 0) + (n->mfu_percent > 0);
}

static double tokens_of(const struct forecast *f)
{
    return (double)f->plan->batch * tokens_trained(f->model, f->plan);
}

/* Model FLOP/s of all GPUs at the peak: MFU is a share of it. */
static double peak_flops(const struct rk_prediction *p)
{
    return p->mfu > 0 ? p->model_flop / p->step_s / p->mfu : INFINITY;
}

enum rk_status number_step(const struct measured_number *n, const struct forecast *f,
                           double *step_s, char text[static 96], struct rk_error *error)
{
    const struct rk_prediction *p = f->prediction;
    const double gpus = (double)f->plan->ranks, tokens = tokens_of(f);
    char step[QUANTITY_TEXT];
    *step_s = n->step_s;
    if (n->tflops > 0) *step_s = p->model_flop / (n->tflops * 1e12 * gpus);
    if (n->tokens_per_s > 0) *step_s = tokens / n->tokens_per_s;
    if (n->tokens_per_s_per_gpu > 0) *step_s = tokens / (n->tokens_per_s_per_gpu * gpus);
    if (n->mfu_percent > 0) *step_s = p->model_flop / (peak_flops(p) * n->mfu_percent / 100);
    snprintf(text, 96, "%s per step: %.4g TFLOP/s per GPU, %.6g tokens/s, MFU %.1f %%",
             quantity_format(step, QUANTITY_SECONDS, *step_s),
             p->model_flop / *step_s / gpus / 1e12, tokens / *step_s,
             100 * p->model_flop / *step_s / peak_flops(p));
    if (p->model_flop / *step_s <= peak_flops(p)) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "the measured number is %s, more than the peak of the GPUs: check its unit "
                   "(--tflops is per GPU, --tokens-per-second of all GPUs, "
                   "--tokens-per-second-per-gpu of one), the GPUs and the batch",
                   text);
}

/* ---- where it lies ---- */

struct number_place number_place(const struct forecast *f, double step_s)
{
    static const struct {
        double faster; /* share of measured runs, at most */
        struct number_place place;
    } places[] = {{0.05, {"faster than 95 % of measured runs", "check the number", REPORT_GOOD}},
                  {0.25, {"good", "among the fastest quarter of measured runs", REPORT_GOOD}},
                  {0.75, {"usual", "in the 50 % interval", REPORT_GOOD}},
                  {0.95, {"slow", "slower than three of four measured runs", REPORT_UNSURE}},
                  {1.00, {"too slow", "outside the 90 % interval", REPORT_BAD}}};
    static const struct number_place unknown[] = {
        {"usual", "no run like it was measured", REPORT_GOOD},
        {"slow", "no run like it was measured", REPORT_UNSURE},
        {"too slow", "no run like it was measured", REPORT_BAD}};
    const double ratio = step_s / f->prediction->step_s;
    struct error_class c;
    if (!forecast_class(f, &c)) return unknown[(ratio > 1.1) + (ratio > 1.5)];
    const double faster = error_share_below(&c, ratio);
    size_t i = 0;
    while (i + 1 < sizeof places / sizeof *places && faster > places[i].faster)
        i++;
    return places[i].place;
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
    const struct number_place place = number_place(f, step_s);
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

/* clang-format off */
static const struct report_column change_columns[] = {
    {.name = "change"},
    {.name = "saved", .title = "saves", .unit = "%", .digits = 1},
    {.name = "step_s", .title = "the step would take", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "total_bytes", .title = "memory", .unit = "B", .digits = 1},
    {.name = "line"},
    {.name = "in_the_file"},
};
/* clang-format on */

/* What the measured step would take: the prediction says by how much each changes it. */
static void add_change(struct report *report, struct report_table *table, const struct gain *g,
                       double predicted_s, double measured_s)
{
    const double share = g->step_s / predicted_s;
    report_row(report, table,
               (struct report_cell[]){cell_text(g->what), cell_number(1 - share),
                                      cell_number(measured_s * share), cell_number(g->total_bytes),
                                      g->line ? cell_count((uint64_t)g->line) : cell_none(),
                                      cell_text(report_text(report, "%s", g->change))});
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
