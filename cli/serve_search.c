/* serve_search.c - the best layout of GPUs for inference. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/serve.h"
#include "cli/verdict.h"
#include "facts/learned.h"
#include "machine/part.h"
#include "report/chart.h"

#include <math.h>
#include <stdlib.h>

struct layout {
    struct serve_found found; /* of its best batch; 0: none is within the limits */
    int index;
};

/* clang-format off */
static const struct report_column layout_columns[] = {
    {.name = "rank"}, {.name = "tensor"}, {.name = "pipeline"}, {.name = "data"},
    {.name = "expert", .title = "experts"},
    {.name = "batch"},
    {.name = "first_token_s", .title = "first token", .unit = "s", .digits = 3},
    {.name = "token_s", .title = "token", .unit = "s", .digits = 3},
    {.name = "tokens_per_s", .title = "tokens/s", .unit = "", .digits = 5},
    {.name = "tokens_per_s_gpu", .title = "... per GPU", .unit = "", .digits = 5},
    {.name = "memory_bytes", .title = "memory", .unit = "B", .digits = 1},
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
enum { LAYOUT_COLUMNS = sizeof layout_columns / sizeof *layout_columns };

/* ---- one layout ---- */

static bool within(const struct rk_served *served, const struct serve_limits *limits)
{
    return served->verdict == RK_FITS &&
           !(limits->first_s > 0 && served->alone.step_s > limits->first_s) &&
           !(limits->token_s > 0 && served->mean_token_s > limits->token_s);
}

/* Batches of a sequence for each data rank and powers of two of that, while they fit. */
static void best_batch(const struct serve_question *q, const struct serve_limits *limits,
                       struct layout *layout)
{
    struct rk_serving serving = q->serving;
    struct rk_served served;
    serving.batch = rk_plan_data(&layout->found.plan);
    do {
        if (!serving.batch) return;
        rk_serve(q->model, q->system, &layout->found.plan, &serving, &served);
        const bool better =
            within(&served, limits) &&
            (!layout->found.batch || served.tokens_per_s > layout->found.served.tokens_per_s);
        if (better) {
            layout->found.served = served;
            layout->found.batch = serving.batch;
        }
        serving.batch *= 2;
    } while (served.timed && serving.batch <= served.most_batch && serving.batch <= MOST_BATCH);
}

/* ---- all of them ---- */

struct layouts {
    int count;
    struct layout *layout; /* (count) */
    bool no_memory;
};

static void add_layout(struct layouts *all, const struct serve_question *q,
                       const struct serve_limits *limits, const struct rk_plan *plan)
{
    all->no_memory |= !ARRAY_ROOM(all->layout, all->count);
    if (all->no_memory) return;
    struct layout *layout = &all->layout[all->count];
    *layout = (struct layout){.found = {.plan = *plan}, .index = all->count};
    best_batch(q, limits, layout);
    all->count += layout->found.batch > 0;
}

/* Experts whole on each tensor rank or cut there, shared by all tensor ranks, or by all ranks of a
 * stage. */
static void add_experts(struct layouts *all, const struct serve_question *q,
                        const struct serve_limits *limits, struct rk_plan *plan)
{
    const uint64_t tensor = plan->tensor, ranks = tensor * rk_plan_data(plan);
    plan->expert = 1;
    plan->expert_tensor = 0;
    add_layout(all, q, limits, plan);
    if (!q->model->experts) return;
    plan->expert_tensor = 1;
    plan->expert = tensor;
    if (tensor > 1) add_layout(all, q, limits, plan);
    plan->expert = ranks;
    if (ranks > tensor) add_layout(all, q, limits, plan);
}

static void list_layouts(struct layouts *all, const struct serve_question *q,
                         const struct serve_limits *limits)
{
    struct rk_plan plan = *q->plan;
    for (uint64_t pipeline = 1; pipeline <= plan.ranks; pipeline *= 2)
        for (uint64_t tensor = 1; tensor * pipeline <= plan.ranks; tensor *= 2) {
            if (plan.ranks % (tensor * pipeline)) continue;
            plan.tensor = tensor;
            plan.pipeline = pipeline;
            add_experts(all, q, limits, &plan);
        }
}

static int by_rate(const void *a, const void *b)
{
    const struct layout *x = a, *y = b;
    const double p = x->found.served.tokens_per_s, q = y->found.served.tokens_per_s;
    return p != q ? (p < q) - (p > q) : x->index - y->index;
}

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
                    const struct layout *layout, int rank)
{
    const struct rk_plan *plan = &layout->found.plan;
    const struct rk_served *s = &layout->found.served;
    const double chance = learned_fit(q->model, q->system, plan, s->total_bytes);
    report_row(q->report, table,
               (struct report_cell[LAYOUT_COLUMNS]){
                   cell_count((uint64_t)rank), cell_count(plan->tensor), cell_count(plan->pipeline),
                   cell_count(rk_plan_data(plan)), cell_count(plan->expert),
                   cell_count(layout->found.batch), cell_number(s->alone.step_s),
                   cell_number(s->mean_token_s), cell_number(s->tokens_per_s),
                   cell_number(s->tokens_per_s / (double)plan->ranks), cell_number(s->total_bytes),
                   isnan(chance) ? cell_none() : cell_number(chance),
                   cell_text(serve_words(q->report, plan))});
}

/* Where none leaves what is to be left, and one is there without: the first lines say so. */
static void list_roomy(struct layouts *all, const struct serve_question *q,
                       const struct serve_limits *limits)
{
    struct serve_question roomy = *q;
    struct roomy_system machine;
    roomy.system = system_with_room(&machine, q->system, limits->room);
    list_layouts(all, &roomy, limits);
    if (all->count || all->no_memory || roomy.system == q->system) return;
    list_layouts(all, q, limits);
    if (all->count)
        report_note(q->report, "  No layout leaves the headroom of the memory: these fit without");
}

bool serve_best(const struct serve_question *q, const struct serve_limits *limits, bool search,
                struct serve_found *found)
{
    struct layouts all = {.layout = NULL};
    if (search)
        list_roomy(&all, q, limits);
    else
        add_layout(&all, q, limits, q->plan);
    if (all.count) qsort(all.layout, (size_t)all.count, sizeof *all.layout, by_rate);
    if (all.count) *found = all.layout[0].found;
    const bool any = all.count > 0;
    free(all.layout);
    return any;
}

/* "632.8", "140,926" */
static const char *rate_text(struct report *report, double rate)
{
    char digits[REPORT_DIGITS];
    return rate < 1e4 ? report_text(report, "%.4g", rate)
                      : report_text(report, "%s", report_digits((uint64_t)(rate + 0.5), digits));
}

void serve_verdict(const struct serve_question *q, const struct serve_found *best, const char *of)
{
    const struct rk_served *served = &best->served;
    const double need = served->total_bytes, have = q->system->memory[0].capacity_bytes;
    const enum sure sure = sure_of(q->model, &best->plan, need, have, NULL);
    const char *chance =
        verdict_chance(q->report, learned_fit(q->model, q->system, &best->plan, need));
    char token[QUANTITY_TEXT], first[QUANTITY_TEXT];
    report_answer(
        q->report, verdict_tone(sure),
        report_text(q->report,
                    "%s%s: %s%s%llu sequence%s at a time, %s tokens/s (%.4g per GPU), %s per "
                    "token, %s to the first of one prompt, %s",
                    of, sure_name(sure), chance, *chance ? ", " : "",
                    (unsigned long long)best->batch, best->batch == 1 ? "" : "s",
                    rate_text(q->report, served->tokens_per_s),
                    served->tokens_per_s / (double)best->plan.ranks,
                    quantity_format(token, QUANTITY_SECONDS, served->mean_token_s),
                    quantity_format(first, QUANTITY_SECONDS, served->alone.step_s),
                    verdict_memory(q->report, need, have)));
}

int serve_search(const struct serve_question *q, const struct serve_limits *limits)
{
    struct layouts all = {.layout = NULL};
    const uint64_t top = limits->top ? limits->top : 5;
    list_roomy(&all, q, limits);
    if (all.no_memory) {
        free(all.layout);
        return RK_NO_MEMORY;
    }
    if (all.count) qsort(all.layout, (size_t)all.count, sizeof *all.layout, by_rate);
    struct report_table *table =
        report_add(q->report, &(struct report_table){.name = "layouts",
                                                     .title = "Best layouts",
                                                     .formats = REPORT_IN_ALL,
                                                     .chart = &layout_chart,
                                                     .columns = layout_columns,
                                                     .column_count = LAYOUT_COLUMNS});
    for (int i = 0; i < all.count && (uint64_t)i < top; i++)
        add_row(q, table, &all.layout[i], i + 1);
    if (all.count)
        serve_verdict(q, &all.layout[0].found, "best layout ");
    else {
        report_answer(q->report, REPORT_BAD,
                      "no layout fits, or is within the limits: give more GPUs, or longer limits");
        verdict_alone(q->report);
    }
    const bool any = all.count > 0;
    free(all.layout);
    return any ? RK_OK : RK_NOTHING_FITS;
}
