#include "cli/doctor_parts.h"
#include "report/chart.h"

enum { PARTS = 5 };

struct part {
    const char *name, *look;
    double profile_s, predicted_s;
};

/* The profile does not tell recomputation apart: it is in the kernels of each kind. */
static void parts_of(struct part parts[static PARTS], const struct kernel_trace *t,
                     const struct rk_prediction *p)
{
    const double steps = (double)t->steps, computed_s = p->matrix_s + p->attention_s + p->memory_s;
    const double again = computed_s > 0 ? 1 + p->recompute_s / computed_s : 1;
    const struct part all[PARTS] = {
        {"matrix products", "clocks and power under load; shapes that fill tiles; precision",
         t->busy_s[TRACE_MATRIX] / steps, again * p->matrix_s},
        {"attention", "which kernel runs: a fused one, the newest that the GPU has",
         t->busy_s[TRACE_ATTENTION] / steps, again * p->attention_s},
        {"norms, activations, optimizer, copies",
         "torch.compile or fused kernels; casts and copies", t->busy_s[TRACE_MEMORY] / steps,
         again * p->memory_s + p->optimizer_s},
        {"exposed communication",
         "overlap of gradients, weights and tensor communication; nccl-tests", t->exposed_s / steps,
         p->tensor_s + p->context_s + p->expert_s + p->pipeline_s + p->data_s},
        {"GPU idle: host or pipeline",
         "captured graphs, torch.compile, larger microbatches; data loading; more microbatches",
         t->gap_s / steps, p->launch_s + p->bubble_s},
    };
    for (int i = 0; i < PARTS; i++)
        parts[i] = all[i];
}

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "part"},
    {.name = "profile_s", .title = "profile", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "predicted_s", .title = "predicted", .unit = "s", .digits = 3, .own_scale = true},
    {.name = "lost_percent", .title = "lost of the step", .unit = "%", .digits = 1},
};
/* clang-format on */

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
    struct part parts[PARTS];
    const double step_s = t->span_s / (double)t->steps;
    int worst = 0;
    parts_of(parts, t, p);
    struct report_table *table =
        REPORT_LIST(report, "parts", "Profile and prediction", REPORT_IN_ALL, columns);
    if (table) table->chart = &parts_chart;
    for (int i = 0; i < PARTS; i++) {
        const double lost_s = parts[i].profile_s - parts[i].predicted_s;
        if (lost_s > parts[worst].profile_s - parts[worst].predicted_s) worst = i;
        report_row(report, table,
                   (struct report_cell[]){cell_text(parts[i].name), cell_number(parts[i].profile_s),
                                          cell_number(parts[i].predicted_s),
                                          cell_number(100 * lost_s / step_s)});
    }
    const double lost = (parts[worst].profile_s - parts[worst].predicted_s) / step_s;
    if (lost < 0.02) return;
    report_note(report, report_text(report, "the run loses %.0f %% of its step to: %s; look at: %s",
                                    100 * lost, parts[worst].name, parts[worst].look));
}
