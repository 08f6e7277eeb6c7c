/* prediction.c - times, rates and the plan of a prediction. */
#include "cli/prediction.h"

#include "base/number.h"
#include "base/units.h"
#include "catalog/plan_fields.h"
#include "cli/describe.h"
#include "cli/placement.h"
#include "cli/verdict.h"
#include "rules/rules.h"

#include <math.h>
#include <string.h>

const char *forecast_by(const struct rk_plan *plan)
{
    const struct rk_answerer *by = rk_answerer(plan->framework);
    return by->layers && rk_plan_layout(plan)->parts ? "simulation" : by->name;
}

const char *forecast_model(const struct rk_plan *plan)
{
    const struct rk_answerer *by = rk_answerer(plan->framework);
    return by->layers && rk_plan_layout(plan)->parts ? "simulation" : by->title;
}

/* ---- the plan ---- */

void forecast_plan(struct report *report, const struct forecast *f)
{
    char text[RK_PLAN_TEXT];
    rk_plan_text(f->plan, text, sizeof text);
    report_paragraph(report, report_text(report, "plan: %s", text));
    if (*f->assumed) report_paragraph(report, report_text(report, "assumed: %s", f->assumed));
    placement_say(report, f->system, f->plan);
}

static struct report_cell set_cell(struct report *report, const struct field *field, unsigned bits)
{
    char text[128] = "";
    for (int i = 0; field->choices[i]; i++) {
        const size_t used = strlen(text);
        if (bits >> i & 1)
            snprintf(text + used, sizeof text - used, "%s%s", used ? "+" : "", field->choices[i]);
    }
    return cell_text(*text ? report_text(report, "%s", text) : NULL);
}

static struct report_cell split_cell(struct report *report, const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    char text[RK_MAX_CHUNKS * 6 + 1] = "";
    for (int i = 0, used = 0; i < layout->splits && !plan_has_stages(plan); i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%d", i ? "," : "",
                         layout->split[i]);
    return cell_text(*text ? report_text(report, "%s", text) : NULL);
}

static struct report_cell stages_cell(struct report *report, const struct rk_plan *plan)
{
    char text[RK_PLAN_TEXT];
    plan_stages_text(plan, text, sizeof text);
    return cell_text(*text ? report_text(report, "%s", text) : NULL);
}

/* A number, or "0.3+1.5" where more tiers than one have a share. */
static struct report_cell share_cell(struct report *report, const struct field *field,
                                     const struct plan_draft *draft)
{
    double share[FIELD_COLUMNS];
    const int shares = field_shares(field, draft, share);
    const char *text = "";
    if (shares < 2) return cell_number(shares ? share[0] : 0);
    for (int i = 0; i < shares; i++)
        text = report_text(report, "%s%s%.17g", text, i ? "+" : "", share[i]);
    return cell_text(text);
}

static struct report_cell plan_cell(struct report *report, const struct field *field,
                                    const struct plan_draft *draft)
{
    const double value = field_value(field, draft);
    switch (field->type) {
    case FIELD_BOOL:
        return cell_flag(value != 0);
    case FIELD_CHOICE:
        return cell_text(field->choices[(int)value]);
    case FIELD_SHARE:
        return share_cell(report, field, draft);
    case FIELD_NUMBER:
    case FIELD_TIER: /* it may be negative */
        return cell_number(value);
    case FIELD_SET:
        return set_cell(report, field, (unsigned)value);
    case FIELD_OTHER:
        return (strcmp(field->key, "split") == 0 ? split_cell : stages_cell)(report, &draft->plan);
    default: /* below its least: it has none, as stages of several data degrees have no data */
        return value < field->min ? cell_none() : cell_count((uint64_t)value);
    }
}

void forecast_record(struct report *report, const struct forecast *f)
{
    const struct plan_draft draft = {.plan = *f->plan, .data = rk_plan_data(f->plan)};
    struct report_column *columns = report_alloc(report, PLAN_MAX_FIELDS * sizeof *columns);
    struct report_cell cells[PLAN_MAX_FIELDS];
    int count = 0;
    if (!columns) return;
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!field->word) continue;
        columns[count] = (struct report_column){.name = field->key, .help = field->help};
        cells[count++] = plan_cell(report, field, &draft);
    }
    report_row(report, report_one(report, "plan", NULL, REPORT_IN_JSON, columns, count), cells);
}

/* ---- why it cannot run ---- */

/* The stage that has most in memory tier `tier`. */
static int fullest_stage(const struct forecast *f, int tier)
{
    const struct rk_prediction *p = f->prediction;
    int stage = p->tightest;
    double most = 0;
    for (int i = 0; tier > 0 && i < p->stages; i++) {
        const struct rk_system *system = forecast_system(f, i);
        if (tier >= system->memories) continue;
        const double share = p->stage[i].away_bytes[tier - 1] / system->memory[tier].capacity_bytes;
        if (share > most) stage = i;
        most = fmax(most, share);
    }
    return stage;
}

static const char *say_memory(struct report *report, const struct forecast *f,
                              const struct rk_reason *r)
{
    char need[QUANTITY_TEXT], have[QUANTITY_TEXT], lack[QUANTITY_TEXT];
    const int stage = fullest_stage(f, r->tier);
    return report_text(report, "%s needs %s on stage %d, has %s: %s too little",
                       memory_name(report, forecast_system(f, stage), r->tier < 0 ? 0 : r->tier),
                       quantity_format(need, QUANTITY_BYTES, r->need), stage,
                       quantity_format(have, QUANTITY_BYTES, r->have),
                       quantity_format(lack, QUANTITY_BYTES, r->need - r->have));
}

/* The rule whose reason it is, in words; false: it is of something else. */
static bool find_words(const struct rule_case *c, const struct rk_reason *r,
                       struct rule_words *words)
{
    enum rule broken[RULES];
    const int count = rules_broken(c, (1u << PLAN_CHECKS) - 1, broken);
    for (int i = 0; i < count; i++) {
        *words = rule_words(broken[i], c);
        if (strcmp(words->what, r->what) == 0) return true;
    }
    return false;
}

const char *forecast_reason(struct report *report, const struct forecast *f, int i)
{
    const struct rk_reason *r = &f->prediction->reason[i];
    const char *what = r->what ? r->what : rk_verdict_name(r->verdict);
    if (f->prediction->verdict == RK_FITS) return NULL;
    if (!rk_answerer(f->plan->framework)->layers) return published_reason(report, f->system, r);
    if (r->verdict == RK_MEMORY_EXCEEDED) return say_memory(report, f, r);
    if (f->system->machine && f->prediction->stages)
        return report_text(
            report, "stage %d, on cluster %s: %s: asked for %.12g, there is %.12g",
            f->prediction->tightest,
            f->system->machine->cluster[f->prediction->stage[f->prediction->tightest].cluster].name,
            what, r->need, r->have);
    if (!r->what) return report_text(report, "%s", what);
    const struct rule_case c = rule_case_of(f->model, f->system, f->plan);
    struct rule_words words;
    char text[sizeof words];
    if (find_words(&c, r, &words)) {
        rule_text(&words, text, sizeof text);
        return report_text(report, "%s", text);
    }
    if (r->need == 0 && r->have == 0) return report_text(report, "%s", r->what);
    return report_text(report, "%s: got %.6g", r->what, r->have); /* of single runs of layers */
}

void forecast_refusal(struct report *report, const struct forecast *f)
{
    static const struct report_column columns[] = {{.name = "reason"}, {.name = "message"},
                                                   {.name = "tier"},   {.name = "what"},
                                                   {.name = "need"},   {.name = "have"}};
    const struct rk_prediction *p = f->prediction;
    if (p->verdict == RK_FITS) return;
    const char *title = verdict_sure(f, NULL) == RK_SURE_UNSURE
                            ? "Predicted above what there is, which is not sure"
                            : "Constraints violated";
    struct report_table *text = report_list(report, NULL, title, REPORT_IN_TEXT, columns, 2);
    struct report_table *table = REPORT_LIST(report, "reasons", NULL, REPORT_IN_JSON, columns);
    for (int i = 0; i < p->reasons && i < RK_MAX_REASONS; i++) {
        const struct rk_reason *r = &p->reason[i];
        const struct report_cell cells[] = {cell_text(rk_verdict_name(r->verdict)),
                                            cell_text(!rk_answerer(f->plan->framework)->layers
                                                          ? published_reason(report, f->system, r)
                                                          : forecast_reason(report, f, i)),
                                            r->tier < 0 ? cell_none()
                                                        : cell_count((uint64_t)r->tier),
                                            cell_text(r->what),
                                            cell_number(r->need),
                                            cell_number(r->have)};
        report_row(report, text, cells);
        report_row(report, table, cells);
    }
    if (p->reasons > RK_MAX_REASONS)
        report_note(report,
                    report_text(report, "and %d more reasons", p->reasons - RK_MAX_REASONS));
}

/* ---- time ---- */

/* clang-format off */
static const struct report_column time_columns[] = {
    {.name = "part", .title = ""},
    {.name = "time",  .unit = "s", .digits = 4},
    {.name = "share", .unit = "%", .digits = 1},
    {.name = "what",  .title = ""},
    {.name = "bar",   .bar = REPORT_BAR_SHARE},
};
static const struct report_column link_columns[] = {
    {.name = "group", .title = ""},
    {.name = "link time", .unit = "s", .digits = 4},
    {.name = "exposed",  .unit = "s", .digits = 4},
    {.name = "share",       .title = "of step", .unit = "%", .digits = 1},
    {.name = "sent",        .title = "sent, all GPUs", .unit = "B", .digits = 2},
};
static const struct {
    const char *name, *help;
    size_t offset;
} times[] = {
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) {#name, help, offsetof(struct rk_prediction, name)},
#include <reckon/figures.def>
};
/* clang-format on */

static double figure(const struct rk_prediction *prediction, size_t offset)
{
    double value;
    memcpy(&value, (const char *)prediction + offset, sizeof value);
    return value;
}

#define FIGURE_AT(name) offsetof(struct rk_prediction, name)
enum { NOT_COUNTED = 0 };

/* clang-format off */
static const struct {
    const char *name;
    size_t link_s, waited_s, sent_bytes;
} links[] = {
    {"tensor parallel",   FIGURE_AT(tensor_link_s),         FIGURE_AT(tensor_s),                 FIGURE_AT(tensor_sent_bytes)},
    {"... recomputed",    FIGURE_AT(recompute_comm_link_s), FIGURE_AT(recompute_comm_exposed_s), NOT_COUNTED},
    {"context parallel",  FIGURE_AT(context_link_s),        FIGURE_AT(context_s),                FIGURE_AT(context_sent_bytes)},
    {"expert parallel",   FIGURE_AT(expert_link_s),         FIGURE_AT(expert_s),                 FIGURE_AT(expert_sent_bytes)},
    {"pipeline parallel", FIGURE_AT(pipeline_comm_link_s),  FIGURE_AT(pipeline_s),               NOT_COUNTED},
    {"data parallel",     FIGURE_AT(data_link_s),           FIGURE_AT(data_s),                   NOT_COUNTED},
};
/* clang-format on */

static void add_links(struct report *report, const struct rk_prediction *p)
{
    struct report_table *table = REPORT_LIST(report, NULL, "Communication of the slowest stage",
                                             REPORT_IN_TEXT, link_columns);
    for (int i = 0; i < COUNT_OF(links); i++) {
        const double link_s = figure(p, links[i].link_s), waited_s = figure(p, links[i].waited_s);
        const double sent = links[i].sent_bytes ? figure(p, links[i].sent_bytes) : 0;
        if (link_s > 0)
            REPORT_ROW(report, table, cell_text(links[i].name), cell_number(link_s),
                       cell_number(waited_s), cell_number(p->step_s > 0 ? waited_s / p->step_s : 0),
                       sent > 0 ? cell_number(sent) : cell_none());
    }
}

void forecast_times(struct report *report, const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    struct report_table *table =
        REPORT_LIST(report, NULL, "Where the time of a step goes", REPORT_IN_TEXT, time_columns);
    for (int i = 0; i < COUNT_OF(times); i++) {
        const double time_s = figure(p, times[i].offset), share = time_s / p->step_s;
        const char *name = times[i].name;
        if (time_s == 0) continue;
        REPORT_ROW(
            report, table, cell_text(report_text(report, "%.*s", (int)strlen(name) - 2, name)),
            cell_number(time_s), cell_number(share), cell_text(times[i].help), cell_number(share));
    }
    REPORT_ROW(report, table, cell_text("step"), cell_number(p->step_s), cell_number(1),
               cell_text(""), cell_none());
    add_links(report, p);
}

/* ---- rates ---- */

/* clang-format off */
static const struct report_column rate_columns[] = {
    {.name = "step_s",              .title = "step",              .unit = "s", .digits = 4},
    {.name = "tokens_per_s",        .title = "tokens per second", .unit = "n", .digits = 3},
    {.name = "tokens_per_s_per_gpu",.title = "... per GPU",      .unit = "n", .digits = 3},
    {.name = "samples_per_s",       .title = "samples per second", .digits = 6},
    {.name = "model_FLOPps_per_gpu",.title = "FLOP/s per GPU",   .unit = "FLOP/s", .digits = 1,
     .help = "model FLOP: three times forward"},
    {.name = "executed_FLOPps_per_gpu", .title = "... executed",  .unit = "FLOP/s", .digits = 1,
     .help = "model FLOP, with recomputation"},
    {.name = "mfu",                 .title = "MFU",               .unit = "%", .digits = 2,
     .help = "model FLOP over peak of the plan's precision"},
    {.name = "hfu",                 .title = "HFU",               .unit = "%", .digits = 2,
     .help = "model FLOP with recomputation over peak"},
    {.name = "mfu_full",            .title = "... in full",       .unit = "%", .digits = 2,
     .help = "MFU that also counts masked attention scores"},
    {.name = "mfu_as_megatron",        .title = "... Megatron-LM's", .unit = "%", .digits = 2,
     .help = "MFU as its log counts FLOP: half of all token pairs, the padded vocabulary"},
};
/* clang-format on */

static void rate_cells(const struct forecast *f, struct report_cell cells[COUNT_OF(rate_columns)])
{
    const struct rk_prediction *p = f->prediction;
    const double gpu_s = p->step_s * (double)f->plan->ranks;
    const bool published = !rk_answerer(f->plan->framework)->layers; /* which counts otherwise */
    const struct report_cell filled[] = {
        cell_number(p->step_s),
        cell_number(p->tokens_per_s),
        cell_number(p->tokens_per_s / (double)f->plan->ranks),
        cell_number(p->samples_per_s),
        cell_number(p->model_flop / gpu_s),
        cell_number(p->executed_flop / gpu_s),
        cell_number(p->mfu),
        cell_number(p->hfu),
        published ? cell_none() : cell_number(p->mfu_full),
        published ? cell_none() : cell_number(p->mfu_as_megatron),
    };
    memcpy(cells, filled, sizeof filled);
}

/* ---- every figure ---- */

static enum rk_by by_of(const struct forecast *f)
{
    return rk_answerer(f->plan->framework)->by;
}

static bool is_rate(const struct rk_figure *figure)
{
    for (int i = 0; i < COUNT_OF(rate_columns); i++)
        if (strcmp(rate_columns[i].name, figure->name) == 0) return true;
    return false;
}

/* Those that the plan's predictor fills and `rates` leaves out; returns how many. */
static int other_figures(const struct forecast *f, struct report_column *columns,
                         struct report_cell *cells)
{
    int count = 0;
    for (const struct rk_figure *of = NULL; (of = rk_figure_next(of, by_of(f)));) {
        if (is_rate(of)) continue;
        columns[count] =
            (struct report_column){.name = of->name, .unit = of->unit, .help = of->help};
        cells[count++] = f->prediction->timed
                             ? cell_number(rk_figure_value(&f->prediction->outcome, of))
                             : cell_none();
    }
    return count;
}

static int all_figures(void)
{
    int count = 0;
    while (rk_figures()[count].name)
        count++;
    return count;
}

static void add_figures(struct report *report, const struct forecast *f)
{
    const size_t most = (size_t)all_figures();
    struct report_column *columns = report_alloc(report, most * sizeof *columns);
    struct report_cell *cells = report_alloc(report, most * sizeof *cells);
    if (!columns || !cells) return;
    const int count = other_figures(f, columns, cells);
    report_row(report, report_one(report, "figures", NULL, REPORT_IN_JSON, columns, count), cells);
}

/* Bandwidths that would hide all transfers; text alone, the figures have them. */
static void add_required(struct report *report, const struct forecast *f)
{
    static const struct report_column columns[] = {
        {.name = "bandwidth", .title = ""},
        {.name = "needed", .unit = "B/s", .digits = 2},
        {.name = "what", .title = ""},
    };
    struct report_table *table = NULL;
    for (const struct rk_figure *of = NULL; (of = rk_figure_next(of, by_of(f)));) {
        const char *end = strstr(of->name, "_required_Bps");
        const double needed = rk_figure_value(&f->prediction->outcome, of);
        if (!end || needed == 0) continue;
        if (!table)
            table =
                REPORT_LIST(report, NULL, "Bandwidth for full overlap", REPORT_IN_TEXT, columns);
        REPORT_ROW(report, table,
                   cell_text(report_text(report, "%.*s", (int)(end - of->name), of->name)),
                   cell_number(needed), cell_text(of->help));
    }
}

void forecast_rates(struct report *report, const struct forecast *f)
{
    enum { COLUMNS = COUNT_OF(rate_columns) };
    struct report_cell cells[COLUMNS];
    struct report_column *columns = report_alloc(report, sizeof rate_columns);
    if (!columns) return;
    memcpy(columns, rate_columns, sizeof rate_columns);
    for (int i = 0; i < COLUMNS && (f->plan->lora || f->plan->frozen); i++)
        if (strcmp(columns[i].name, "model_FLOPps_per_gpu") == 0)
            columns[i].help = "model FLOP: three times forward, twice of frozen weights";
    rate_cells(f, cells);
    report_row(report,
               report_one(report, "rates", "Throughput", REPORT_IN_TEXT | REPORT_IN_JSON, columns,
                          COLUMNS),
               cells);
    if (rk_plan_answers(f->plan) > 1)
        report_note(report, "  a sample is a pair of answers: tokens are those of both");
    add_required(report, f);
    add_figures(report, f);
}

/* ---- one line ---- */

void forecast_line(struct report *report, const struct forecast *f)
{
    static const char *const names[] = {
        "model", "system", "gpus", "plan", "verdict", "tightest_stage_bytes", "capacity_bytes"};
    enum { NAMES = COUNT_OF(names), FIRST = NAMES + COUNT_OF(rate_columns) };
    const struct rk_prediction *p = f->prediction;
    const size_t most = FIRST + (size_t)all_figures();
    struct report_column *columns = report_alloc(report, most * sizeof *columns);
    struct report_cell *cells = report_alloc(report, most * sizeof *cells);
    char text[RK_PLAN_TEXT];
    if (!columns || !cells) return;
    rk_plan_text(f->plan, text, sizeof text);
    const struct report_cell named[NAMES] = {
        cell_text(report_text(report, "%s", f->model->id)),
        cell_text(report_text(report, "%s", f->system->id)),
        cell_count(f->plan->ranks),
        cell_text(report_text(report, "%s", text)),
        cell_text(rk_verdict_name(p->verdict)),
        p->timed ? cell_number(p->stage[p->tightest].total_bytes) : cell_none(),
        cell_number(f->system->memory[0].capacity_bytes),
    };
    memcpy(cells, named, sizeof named);
    for (int i = 0; i < NAMES; i++)
        columns[i].name = names[i];
    memcpy(columns + NAMES, rate_columns, sizeof rate_columns);
    if (p->timed) rate_cells(f, cells + NAMES);
    const int count = FIRST + other_figures(f, columns + FIRST, cells + FIRST);
    report_row(report, report_one(report, NULL, NULL, REPORT_IN_CSV, columns, count), cells);
}
