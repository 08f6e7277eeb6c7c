#include "cli/longest_tables.h"

#include "base/units.h"
#include "cli/page_longest.h"
#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "machine/part.h"

#include <inttypes.h>
#include <math.h>

/* clang-format off */
static const struct report_column longest_columns[] = {
    {.name = "gpus", .title = "GPUs"},
    {.name = "tokens", .of_1024 = true},
    {.name = "step_s", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "mfu", .title = "MFU", .unit = "%", .digits = 1},
    {.name = "hbm_bytes", .title = "GPU", .unit = "B", .digits = 1},
    {.name = "fits", .title = "fits in", .unit = "%", .digits = 0},
    {.name = "offload_bytes", .title = "lower tiers", .unit = "B", .digits = 1},
    {.name = "candidates"},
    {.name = "next_tokens", .title = "not", .of_1024 = true},
    {.name = "limit"},
    {.name = "plan"},
};

static const struct report_column end_columns[] = {
    {.name = "gpus", .title = "GPUs"},
    {.name = "kind"},
    {.name = "tokens", .of_1024 = true},
    {.name = "mfu", .title = "MFU", .unit = "%", .digits = 1},
    {.name = "hbm_bytes", .title = "GPU", .unit = "B", .digits = 1},
    {.name = "fits", .title = "fits in", .unit = "%", .digits = 0},
    {.name = "offload_bytes", .title = "lower tiers", .unit = "B", .digits = 1},
    {.name = "limit"},
    {.name = "plan"},
};

static const struct report_column length_columns[] = {
    {.name = "gpus", .title = "GPUs"},
    {.name = "tokens", .of_1024 = true},
    {.name = "mfu_two_buffers", .title = "two buffers", .unit = "%", .digits = 1},
    {.name = "mfu_megatron", .title = "megatron", .unit = "%", .digits = 1},
    {.name = "mfu_deepspeed", .title = "deepspeed", .unit = "%", .digits = 1},
    {.name = "mfu_chunks", .title = "chunks", .unit = "%", .digits = 1},
    {.name = "over_megatron", .digits = 3}, {.name = "over_deepspeed", .digits = 3},
    {.name = "bar", .title = "", .bar = REPORT_BAR_SHARE},
    {.name = "plan"},
};

static const struct report_column gain_columns[] = {
    {.name = "gpus", .title = "GPUs"},
    {.name = "over"},
    {.name = "lengths", .title = "both feasible"},
    {.name = "mean_gain", .title = "mean gain", .digits = 3},
    {.name = "all_lengths", .title = "lengths"},
    {.name = "gain_of_means", .title = "of means, 0 where it does not fit", .digits = 3},
};

/* clang-format on */
enum {
    LONGEST_COLUMNS = sizeof longest_columns / sizeof *longest_columns,
    END_COLUMNS = sizeof end_columns / sizeof *end_columns,
    LENGTH_COLUMNS = sizeof length_columns / sizeof *length_columns,
    GAIN_COLUMNS = sizeof gain_columns / sizeof *gain_columns
};

static const char *longest_plan_text(struct report *report, const struct rk_plan *plan)
{
    char *text = report_alloc(report, RK_PLAN_TEXT);
    if (text) rk_plan_text(plan, text, RK_PLAN_TEXT);
    return text ? text : "";
}

static struct report_table *add_table(struct report *report, const char *name, const char *title,
                                      const struct report_column *columns, int count,
                                      unsigned formats)
{
    return report_list(report, name, title, formats, columns, count);
}

/* How long such runs take, and how many of them fit. */
static void add_range(struct tables *t, const struct rk_plan *plan)
{
    struct rk_prediction prediction;
    const struct forecast f = {t->p->model, &t->input->system, plan, &prediction, "", NULL};
    rk_predict(t->p->model, &t->input->system, plan, &prediction);
    const char *times = learned_times(t->report, &f);
    if (!times) return;
    struct rk_error error; /* without memory the answer stands without them */
    report_note(t->report, report_text(t->report, "%" PRIu64 " GPUs: %s", t->p->gpus, times));
    forecast_nearest(t->report, &f, report_text(t->report, "%" PRIu64 " GPUs", t->p->gpus), false,
                     &error);
    forecast_memory_errors(t->report, &f);
}

/* Over several clusters, of the fullest stage on its own. */
static struct report_cell fits_cell(const struct tables *t, const struct rk_plan *plan,
                                    const struct rk_outcome *o)
{
    const struct rk_model *model = &t->input->model;
    const struct rk_system *system = &t->input->system;
    struct rk_prediction p;
    if (system->machine) {
        rk_predict(model, system, plan, &p);
        system = rk_system_of(system, p.stage[p.tightest].cluster);
    }
    const double chance = rk_fit_chance(model, system, plan, o->hbm_bytes);
    return isnan(chance) ? cell_none() : cell_number(chance);
}

void longest_add_longest(struct tables *t, const struct found *found)
{
    const bool any = found->any;
    const struct rk_outcome *o = &found->outcome;
    const uint64_t tokens = found->tokens[RK_LONGEST_KINDS];
    report_row(
        t->report, t->longest,
        (struct report_cell[LONGEST_COLUMNS]){
            cell_count(found->gpus), cell_count(tokens), any ? cell_number(o->step_s) : cell_none(),
            any ? cell_number(o->mfu) : cell_none(), any ? cell_number(o->hbm_bytes) : cell_none(),
            any ? fits_cell(t, &found->plan, o) : cell_none(),
            any ? cell_number(o->offload_bytes) : cell_none(), cell_count(t->p->candidates),
            cell_count(tokens + t->p->step), cell_text(found->limit),
            any ? cell_text(longest_plan_text(t->report, &found->plan)) : cell_none()});
    if (any) add_range(t, &found->plan);
}

void longest_add_ends(struct tables *t, const uint64_t tokens[RK_LONGEST_KINDS + 1])
{
    struct rk_longest *p = t->p;
    for (int kind = 0; kind < RK_LONGEST_KINDS; kind++) {
        const enum rk_longest_kind own = (enum rk_longest_kind)kind;
        struct rk_plan plan;
        struct rk_outcome o;
        if (!tokens[kind] || !rk_longest_fastest(p, tokens[kind], own, &plan, &o)) continue;
        report_row(t->report, t->ends,
                   (struct report_cell[END_COLUMNS]){
                       cell_count(p->gpus), cell_text(rk_longest_kind_name(kind)),
                       cell_count(tokens[kind]), cell_number(o.mfu), cell_number(o.hbm_bytes),
                       fits_cell(t, &plan, &o), cell_number(o.offload_bytes),
                       cell_text(rk_longest_limit(p, tokens[kind], own)),
                       cell_text(longest_plan_text(t->report, &plan))});
    }
}

static void note_gains(struct gains *g, const double mfu[RK_LONGEST_KINDS])
{
    g->lengths++;
    for (int kind = 0; kind < RK_LONGEST_KINDS; kind++) {
        const bool both = mfu[RK_LONGEST_SWAPPED] > 0 && mfu[kind] > 0;
        g->sum[kind] += mfu[kind];
        g->both[kind] += both;
        if (both) g->ratios[kind] += mfu[RK_LONGEST_SWAPPED] / mfu[kind];
    }
}

static void add_gains(struct tables *t, const struct gains *g)
{
    for (int kind = RK_LONGEST_MEGATRON; kind < RK_LONGEST_KINDS; kind++) {
        if (!g->both[kind]) continue;
        report_row(t->report, t->gains,
                   (struct report_cell[GAIN_COLUMNS]){
                       cell_count(t->p->gpus), cell_text(rk_longest_kind_name(kind)),
                       cell_count((uint64_t)g->both[kind]),
                       cell_number(g->ratios[kind] / g->both[kind]),
                       cell_count((uint64_t)g->lengths),
                       cell_number(g->sum[RK_LONGEST_SWAPPED] / g->sum[kind])});
    }
}

static void add_point(struct tables *t, enum rk_longest_kind kind, uint64_t tokens, double mfu,
                      const struct rk_outcome *o)
{
    report_row(t->report, t->points,
               (struct report_cell[PAGE_LONGEST_COLUMNS]){
                   cell_count(t->p->gpus), cell_text(rk_longest_kind_name(kind)),
                   cell_count(tokens), cell_number(mfu), cell_number(o->hbm_bytes),
                   cell_number(o->offload_bytes)});
}

static void add_length(struct tables *t, uint64_t tokens, double mfu[RK_LONGEST_KINDS])
{
    struct rk_longest *p = t->p;
    double best = 0;
    const char *text = NULL;
    for (int kind = 0; kind < RK_LONGEST_KINDS; kind++) {
        struct rk_plan plan;
        struct rk_outcome o;
        mfu[kind] = 0;
        if (!rk_longest_fastest(p, tokens, (enum rk_longest_kind)kind, &plan, &o)) continue;
        mfu[kind] = o.mfu;
        add_point(t, (enum rk_longest_kind)kind, tokens, mfu[kind], &o);
        if (mfu[kind] <= best) continue;
        best = mfu[kind];
        text = longest_plan_text(t->report, &plan);
    }
#define OF(value) (value > 0 ? cell_number(value) : cell_none())
    const double a = mfu[RK_LONGEST_SWAPPED], b = mfu[RK_LONGEST_MEGATRON],
                 c = mfu[RK_LONGEST_DEEPSPEED];
    report_row(t->report, t->lengths,
               (struct report_cell[LENGTH_COLUMNS]){
                   cell_count(p->gpus), cell_count(tokens), OF(a), OF(b), OF(c),
                   OF(mfu[RK_LONGEST_CHUNKED]), a > 0 && b > 0 ? cell_number(a / b) : cell_none(),
                   a > 0 && c > 0 ? cell_number(a / c) : cell_none(), cell_number(best),
                   cell_text(text)});
}

void longest_add_lengths(struct tables *t, const uint64_t most[RK_LONGEST_KINDS + 1])
{
    struct gains gains = {.lengths = 0};
    for (uint64_t at = 0, next; at < most[RK_LONGEST_KINDS]; at = next) {
        double mfu[RK_LONGEST_KINDS];
        uint64_t power = t->p->step;
        while (power <= at)
            power *= 2;
        next = power;
        for (int kind = 0; kind < RK_LONGEST_KINDS; kind++)
            if (most[kind] > at && most[kind] < next) next = most[kind];
        add_length(t, next, mfu);
        if ((next == power && next <= most[RK_LONGEST_SWAPPED]) || next == most[RK_LONGEST_SWAPPED])
            note_gains(&gains, mfu);
    }
    add_gains(t, &gains);
}

void longest_open_tables(struct tables *t)
{
    struct report *r = t->report;
    t->longest = add_table(r, "longest", "The longest sequence", longest_columns, LONGEST_COLUMNS,
                           REPORT_IN_ALL);
    t->ends = add_table(r, "ends", "Longest sequence of each kind of plan", end_columns,
                        END_COLUMNS, REPORT_IN_TEXT | REPORT_IN_JSON);
    t->lengths = add_table(r, "lengths",
                           "MFU by length, the best plan of each kind without selective "
                           "recomputation, which reckon search tries, too",
                           length_columns, LENGTH_COLUMNS, REPORT_IN_TEXT | REPORT_IN_JSON);
    t->gains = add_table(r, "gains", "Gain of two buffers", gain_columns, GAIN_COLUMNS,
                         REPORT_IN_TEXT | REPORT_IN_JSON);
    t->points =
        add_table(r, "points", NULL, page_longest_columns, PAGE_LONGEST_COLUMNS, REPORT_IN_JSON);
}

void longest_hide_empty(struct report_table *table)
{
    if (table && !table->rows) table->formats &= REPORT_IN_JSON;
}
