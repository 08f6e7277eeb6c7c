#include "cli/doctor_parts.h"
#include "report/chart.h"

static const struct report_column columns[] = {
    {.name = "part"},
    {.name = "profile_s", .title = "profile", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "predicted_s", .title = "predicted", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "lost_percent", .title = "lost of the step", .unit = "%", .digits = 1},
};

static const char *const both[] = {"profile_s", "predicted_s", NULL};
static const struct chart parts_chart = {.title = "Measured and predicted time by part",
                                         .kind = CHART_BARS,
                                         .role = {[CHART_Y] = "part"},
                                         .wide = both,
                                         .beside = true,
                                         .x = {.title = "time per step"}};

void doctor_parts(struct report *report, const struct kernel_trace *t,
                  const struct rk_prediction *p)
{
    const double steps = (double)t->steps, step_s = t->span_s / steps;
    const struct rk_profile profile = {.matrix_s = t->busy_s[TRACE_MATRIX] / steps,
                                       .attention_s = t->busy_s[TRACE_ATTENTION] / steps,
                                       .memory_s = t->busy_s[TRACE_MEMORY] / steps,
                                       .exposed_s = t->exposed_s / steps,
                                       .gap_s = t->gap_s / steps};
    struct rk_step_part parts[RK_STEP_PARTS];
    int worst = 0;
    rk_step_parts(&profile, p, parts);
    struct report_table *table =
        REPORT_LIST(report, "parts", "Profile and prediction", REPORT_IN_ALL, columns);
    if (table) table->chart = &parts_chart;
    for (int i = 0; i < RK_STEP_PARTS; i++) {
        const double lost_s = parts[i].profile_s - parts[i].predicted_s;
        if (lost_s > parts[worst].profile_s - parts[worst].predicted_s) worst = i;
        REPORT_ROW(report, table, cell_text(parts[i].name), cell_number(parts[i].profile_s),
                   cell_number(parts[i].predicted_s), cell_number(100 * lost_s / step_s));
    }
    const double lost = (parts[worst].profile_s - parts[worst].predicted_s) / step_s;
    if (lost < 0.02) return;
    report_note(report, report_text(report, "the run loses %.0f %% of its step to: %s; look at: %s",
                                    100 * lost, parts[worst].name, parts[worst].look));
}

/* ---- causes ---- */

static const struct report_column cause_columns[] = {
    {.name = "if"},
    {.name = "step_s", .title = "the step would take", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "measured_over", .title = "measured over that", .digits = 2},
    {.name = "look_at", .title = "look at"},
};

void doctor_causes(struct report *report, const struct rk_cause *causes, int count,
                   double measured_s)
{
    if (count == 0) {
        report_note(report, "  nothing that was tried brings the prediction nearer to the run");
        return;
    }
    struct report_table *table = REPORT_LIST(
        report, "causes", "What would explain it, the nearest first", REPORT_IN_ALL, cause_columns);
    for (int i = 0; i < count; i++)
        REPORT_ROW(report, table, cell_text(causes[i].what), cell_number(causes[i].step_s),
                   cell_number(measured_s / causes[i].step_s), cell_text(causes[i].look));
}
