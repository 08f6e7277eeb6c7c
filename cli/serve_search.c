/* serve_search.c - the best layout of GPUs for inference. */
#include "base/units.h"
#include "cli/serve.h"
#include "cli/verdict.h"
#include "report/chart.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const struct report_column layout_columns[] = {
    {.name = "rank"},
    {.name = "tensor", REPORT_OF(struct rk_serve_layout, plan.tensor)},
    {.name = "pipeline", REPORT_OF(struct rk_serve_layout, plan.pipeline)},
    {.name = "data"},
    {.name = "expert", REPORT_OF(struct rk_serve_layout, plan.expert), .title = "experts"},
    {.name = "batch", REPORT_OF(struct rk_serve_layout, batch)},
    {.name = "first_token_s", REPORT_OF(struct rk_serve_layout, served.alone.step_s), .title = "first token", .unit = "s", .digits = 3},
    {.name = "token_s", REPORT_OF(struct rk_serve_layout, served.mean_token_s), .title = "token", .unit = "s", .digits = 3},
    {.name = "tokens_per_s", REPORT_OF(struct rk_serve_layout, served.tokens_per_s), .title = "tokens/s", .unit = "", .digits = 5},
    {.name = "tokens_per_s_gpu", .title = "... per GPU", .unit = "", .digits = 5},
    {.name = "memory_bytes", REPORT_OF(struct rk_serve_layout, served.total_bytes), .title = "memory", .unit = "B", .digits = 1},
    {.name = "fits", .title = "fits in", .unit = "%", .digits = 0},
    {.name = "plan"},
};
/* clang-format on */
static const struct chart layout_chart = {.title = "Throughput against latency of the best layouts",
                                          .caption = "Up and to the left is better.",
                                          .kind = CHART_XY,
                                          .role = {[CHART_X] = "token_s",
                                                   [CHART_Y] = "tokens_per_s_gpu",
                                                   [CHART_SERIES] = "plan",
                                                   [CHART_LABEL] = "plan"},
                                          .x = {.title = "mean time of a token"},
                                          .y = {.title = "tokens per second per GPU"}};

const char *serve_words(struct report *report, const struct rk_plan *plan)
{
    const char *experts =
        plan->expert > 1 ? report_text(report, " ep%llu etp%llu", (unsigned long long)plan->expert,
                                       (unsigned long long)rk_plan_expert_tensor(plan))
                         : "";
    return report_text(report, "gpus%llu tp%llu pp%llu%s", (unsigned long long)plan->ranks,
                       (unsigned long long)plan->tensor, (unsigned long long)plan->pipeline,
                       experts);
}

static void add_row(const struct serve_question *q, struct report_table *table,
                    const struct rk_serve_layout *layout, size_t rank)
{
    const struct rk_plan *plan = &layout->plan;
    const struct rk_served *s = &layout->served;
    const double chance = rk_fit_chance(q->model, q->system, plan, s->total_bytes);
    report_item(q->report, table, layout,
                (const struct report_cell[]){cell_count(rank), cell_count(rk_plan_data(plan)),
                                             cell_number(s->tokens_per_s / (double)plan->ranks),
                                             isnan(chance) ? cell_none() : cell_number(chance),
                                             cell_text(serve_words(q->report, plan))});
}

enum rk_status serve_layouts(const struct serve_question *q, const struct rk_serve_limits *limits,
                             bool search, struct rk_serve_layouts *layouts, struct rk_error *error)
{
    const enum rk_status status =
        rk_serve_layouts(q->model, q->system, q->plan, &q->serving, limits, search, layouts, error);
    if (layouts->count && !layouts->leaves_room)
        report_note(q->report, "  No layout leaves the headroom of the memory: these fit without");
    return status;
}

/* "632.8", "140,926" */
static const char *rate_text(struct report *report, double rate)
{
    char digits[REPORT_DIGITS];
    return rate < 1e4 ? report_text(report, "%.4g", rate)
                      : report_text(report, "%s", report_digits((uint64_t)(rate + 0.5), digits));
}

void serve_verdict(const struct serve_question *q, const struct rk_serve_layout *best,
                   const char *of)
{
    const struct rk_served *served = &best->served;
    const double need = served->total_bytes, have = q->system->memory[0].capacity_bytes;
    const enum rk_sure sure = rk_sure_of(q->model, &best->plan, need, have, NULL);
    const char *chance =
        verdict_chance(q->report, rk_fit_chance(q->model, q->system, &best->plan, need));
    char token[QUANTITY_TEXT], first[QUANTITY_TEXT];
    report_answer(
        q->report, verdict_tone(sure),
        report_text(q->report,
                    "%s%s: %s%s%llu sequence%s at a time, %s tokens/s (%.4g per GPU), %s per "
                    "token, %s to the first of one prompt, %s",
                    of, rk_sure_name(sure), chance, *chance ? ", " : "",
                    (unsigned long long)best->batch, best->batch == 1 ? "" : "s",
                    rate_text(q->report, served->tokens_per_s),
                    served->tokens_per_s / (double)best->plan.ranks,
                    quantity_format(token, QUANTITY_SECONDS, served->mean_token_s),
                    quantity_format(first, QUANTITY_SECONDS, served->alone.step_s),
                    verdict_memory(q->report, need, have)));
}

int serve_search(const struct serve_question *q, const struct rk_serve_limits *limits)
{
    struct rk_serve_layouts all;
    struct rk_error error;
    if (serve_layouts(q, limits, true, &all, &error) != RK_OK) return RK_NO_MEMORY;
    struct report_table *table =
        REPORT_LIST(q->report, "layouts", "Best layouts", REPORT_IN_ALL, layout_columns);
    if (table) table->chart = &layout_chart;
    for (size_t i = 0; i < all.count; i++)
        add_row(q, table, &all.layout[i], i + 1);
    if (all.count)
        serve_verdict(q, &all.layout[0], "best layout ");
    else {
        report_answer(q->report, REPORT_BAD,
                      "no layout fits, or is within the limits: give more GPUs, or longer limits");
        verdict_alone(q->report);
    }
    const bool any = all.count > 0;
    rk_serve_layouts_release(&all);
    return any ? RK_OK : RK_NOTHING_FITS;
}
