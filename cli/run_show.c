/* run_show.c - the run in the answers of the commands. */
#include "cli/run_args.h"
#include "cli/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { DAY_S = 86400, SIMULATED = 2000 };

/* ---- the record ---- */

/* clang-format off */
static const struct report_column run_columns[] = {
    {.name = "tokens",             .unit = "n", .digits = 3},
    {.name = "steps"},
    {.name = "days",               .digits = 4, .help = "expected, failures and checkpoints included"},
    {.name = "days_p10",           .title = "... with few failures", .digits = 4,
     .help = "10th percentile, of failures alone; the step has a range of its own"},
    {.name = "days_p90",           .title = "... with many failures", .digits = 4, .help = "90th percentile"},
    {.name = "work_days",          .title = "of it training", .digits = 4},
    {.name = "goodput",            .unit = "%", .digits = 2, .help = "training over all of it"},
    {.name = "mtbf_s",             .title = "a failure every", .unit = "s", .digits = 1},
    {.name = "failures",           .digits = 4, .help = "expected"},
    {.name = "down_share",         .title = "noticing, restarting, waiting", .unit = "%", .digits = 2},
    {.name = "lost_share",         .title = "work done again", .unit = "%", .digits = 2},
    {.name = "checkpoint_share",   .title = "checkpoints", .unit = "%", .digits = 2},
    {.name = "interval_s",         .title = "a checkpoint every", .unit = "s", .digits = 1,
     .help = "the best, or that of --interval; a step at least"},
    {.name = "young_s",            .title = "... by Young's formula", .unit = "s", .digits = 1},
    {.name = "daly_s",             .title = "... by Daly's", .unit = "s", .digits = 1},
    {.name = "spares",             .title = "spare nodes"},
    {.name = "checkpoint_bytes",   .title = "a checkpoint has", .unit = "B", .digits = 2},
    {.name = "write_s",            .title = "... and takes", .unit = "s", .digits = 2},
    {.name = "gpu_hours",          .title = "GPU-hours", .unit = "n", .digits = 3},
    {.name = "cost_usd",           .title = "cost in USD", .unit = "n", .digits = 3,
     .help = "spare nodes included"},
    {.name = "cost_per_trillion_usd", .title = "... of 10^12 tokens", .unit = "n", .digits = 3},
    {.name = "energy_kWh",         .title = "energy in kWh", .unit = "n", .digits = 3,
     .help = "boards at the load of the step, times factors for hosts, network and cooling (--prices)"},
    {.name = "carbon_t",           .title = "CO2 in tonnes", .digits = 4},
};
/* clang-format on */
enum { RUN_COLUMNS = sizeof run_columns / sizeof *run_columns };

static struct report_cell positive(double value)
{
    return value > 0 && isfinite(value) ? cell_number(value) : cell_none();
}

/* All phases; what is no sum is of the last. */
static void add_run(struct report *report, const struct run_phases *phases,
                    const struct rk_campaign_outcome *o, const struct rk_campaign_range *range)
{
    const struct rk_campaign *c = &phases->campaign[phases->count - 1];
    const bool fails = isfinite(o->mtbf_s);
    double tokens = 0;
    for (size_t i = 0; i < phases->count; i++)
        tokens += phases->campaign[i].tokens;
    const struct report_cell cells[RUN_COLUMNS] = {
        cell_number(tokens),
        cell_count((uint64_t)o->steps),
        cell_number(o->total_s / DAY_S),
        cell_number(fmin(range->p10_s, o->total_s) / DAY_S), /* rare failures move the mean alone */
        cell_number(fmax(range->p90_s, o->total_s) / DAY_S),
        cell_number(o->work_s / DAY_S),
        cell_number(o->goodput),
        positive(o->mtbf_s),
        cell_number(o->failures),
        cell_number(o->down_s / o->total_s),
        cell_number(o->lost_s / o->total_s),
        cell_number(o->checkpoint_s / o->total_s),
        fails ? cell_number(o->interval_s) : cell_none(),
        fails ? positive(o->young_s) : cell_none(),
        fails ? positive(o->daly_s) : cell_none(),
        cell_count(c->recovery.spares),
        cell_number(c->checkpoint_bytes),
        cell_number(o->write_s),
        cell_number(o->gpu_hours),
        positive(o->cost),
        positive(o->cost_per_trillion),
        positive(o->energy_kWh),
        positive(o->carbon_t),
    };
    report_row(report,
               REPORT_ONE(report, "run", "The run", REPORT_IN_TEXT | REPORT_IN_JSON, run_columns),
               cells);
}

/* ---- phases ---- */

static void add_phases(struct report *report, const struct run_phases *phases)
{
    static const struct report_column columns[] = {
        {.name = "phase"},
        {.name = "tokens", .unit = "n", .digits = 6},
        {.name = "batch"},
        {.name = "sequence", .of_1024 = true},
        {.name = "step_s", .title = "step", .unit = "s", .digits = 3},
        {.name = "mfu", .title = "MFU", .unit = "%", .digits = 1},
        {.name = "switch_s", .title = "change of plan", .unit = "s", .digits = 0},
        {.name = "days", .digits = 4},
        {.name = "fits"},
        {.name = "plan"}};
    if (phases->count < 2) return;
    struct report_table *table =
        REPORT_LIST(report, "phases", "Its phases", REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (size_t i = 0; i < phases->count; i++) {
        const struct rk_campaign *c = &phases->campaign[i];
        struct rk_campaign_outcome o;
        char words[RK_PLAN_TEXT];
        rk_campaign_expect(c, &o);
        rk_plan_text(&phases->plan[i], words, sizeof words);
        REPORT_ROW(report, table, cell_count(i + 1), cell_number(c->tokens),
                   cell_count(phases->plan[i].batch),
                   cell_count((uint64_t)(c->tokens_per_step / (double)phases->plan[i].batch) /
                              rk_plan_answers(&phases->plan[i])),
                   cell_number(c->step_s), cell_number(phases->prediction[i].outcome.mfu),
                   c->switch_s > 0 ? cell_number(c->switch_s) : cell_none(),
                   cell_number(o.total_s / DAY_S),
                   cell_flag(phases->prediction[i].verdict == RK_FITS),
                   cell_text(report_text(report, "%s", words)));
    }
}

/* ---- what would bring more ---- */

/* What a change does to one phase. */
struct run_change {
    const char *what;
    void (*make)(struct rk_campaign *c);
};

static void one_more_spare(struct rk_campaign *c)
{
    c->recovery.spares++;
}

static void twice_the_storage(struct rk_campaign *c)
{
    c->recovery.storage_Bps *= 2;
}

static void behind_training(struct rk_campaign *c)
{
    c->recovery.async = true;
}

static void in_memory(struct rk_campaign *c)
{
    c->recovery.in_memory = true;
}

static void half_the_restart(struct rk_campaign *c)
{
    c->recovery.restart_s /= 2;
    c->recovery.detect_s /= 2;
}

static void half_the_failures(struct rk_campaign *c)
{
    c->rates.device_s *= 2;
    c->rates.network_s *= 2;
    c->rates.node_s *= 2;
}

static void add_changes(struct report *report, const struct run_phases *phases,
                        const struct rk_campaign_outcome *now)
{
    static const struct run_change changes[] = {
        {"one more spare node", one_more_spare},
        {"twice the storage bandwidth", twice_the_storage},
        {"checkpoints in the background (--checkpoints async)", behind_training},
        {"checkpoints in memory (--checkpoints memory)", in_memory},
        {"half the time from failure to work", half_the_restart},
        {"half the failures", half_the_failures}};
    static const struct report_column columns[] = {
        {.name = "change"},
        {.name = "days_saved", .title = "saves days", .digits = 3},
        {.name = "goodput", .unit = "%", .digits = 2},
        {.name = "interval_s", .title = "checkpoint every", .unit = "s", .digits = 1},
        {.name = "cost_usd", .title = "cost in USD", .unit = "n", .digits = 3}};
    const struct rk_recovery *v = &phases->campaign[0].recovery;
    if (!isfinite(now->mtbf_s)) return;
    struct report_table *table = REPORT_LIST(report, "run_changes", "What would bring the run more",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct rk_campaign changed[RUN_PHASES];
        struct rk_campaign_outcome o;
        if ((changes[i].make == behind_training && (v->async || v->in_memory)) ||
            (changes[i].make == in_memory && v->in_memory))
            continue;
        for (size_t k = 0; k < phases->count; k++) {
            changed[k] = phases->campaign[k];
            changes[i].make(&changed[k]);
        }
        rk_campaign_expect_phases(changed, phases->count, &o);
        REPORT_ROW(report, table, cell_text(changes[i].what),
                   cell_number((now->total_s - o.total_s) / DAY_S), cell_number(o.goodput),
                   cell_number(o.interval_s), positive(o.cost));
    }
}

/* ---- sections ---- */

static enum rk_status add_section(struct report *report, const struct run_terms *terms,
                                  const struct forecast *f, const struct run_phases *phases,
                                  struct rk_error *error)
{
    struct rk_campaign_outcome outcome;
    struct rk_campaign_range range;
    rk_campaign_expect_phases(phases->campaign, phases->count, &outcome);
    const enum rk_status status = rk_campaign_simulate(phases->campaign, phases->count, SIMULATED,
                                                       run_seed(terms->args), &range, error);
    if (status != RK_OK) return status;
    verdict_run(report, outcome.total_s / DAY_S, outcome.cost,
                phases->campaign[phases->count - 1].recovery.spares);
    add_run(report, phases, &outcome, &range);
    add_phases(report, phases);
    report_paragraph(report, report_text(report, "assumed: %s", phases->assumed));
    add_changes(report, phases, &outcome);
    run_kinds(report, terms, f, &outcome);
    return RK_OK;
}

/* What is not known of several clusters. */
static enum rk_status check_clusters(const struct run_args *args, const struct forecast *f,
                                     struct rk_error *error)
{
    if (!f->system->machine || (!args->phases && !args->elastic)) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--%s does not go with several clusters",
                   args->phases ? "phases" : "elastic");
}

enum rk_status run_section(struct report *report, const struct run_args *args,
                           const struct forecast *f, const struct rk_plans_problem *space,
                           const struct run_share *share, struct rk_error *error)
{
    struct run_terms terms;
    if (!args->tokens) return run_check(args, error);
    if (!f->prediction->timed) return RK_OK;
    enum rk_status status = check_clusters(args, f, error);
    if (status != RK_OK) return status;
    status = run_terms_open(&terms, args, error);
    terms.space = space;
    terms.share = share;
    struct run_phases *phases = status == RK_OK ? run_phases_open(&terms, f, error) : NULL;
    status = phases ? add_section(report, &terms, f, phases, error) : error->status;
    free(phases);
    run_terms_close(&terms);
    return status;
}

enum rk_status run_compare(struct report *report, const struct run_args *args,
                           const struct forecast *a, const struct forecast *b,
                           struct rk_error *error)
{
    static const struct report_column columns[] = {
        {.name = "plan"},
        {.name = "days", .digits = 4},
        {.name = "goodput", .unit = "%", .digits = 2},
        {.name = "gpu_hours", .title = "GPU-hours", .unit = "n", .digits = 3},
        {.name = "cost_usd", .title = "cost in USD", .unit = "n", .digits = 3},
        {.name = "energy_kWh", .title = "energy in kWh", .unit = "n", .digits = 3}};
    const struct forecast *const plans[] = {a, b};
    struct run_phases *phases = NULL;
    struct run_terms terms;
    if (!args->tokens) return run_check(args, error);
    if (!a->prediction->timed || !b->prediction->timed) return RK_OK;
    enum rk_status status = run_terms_open(&terms, args, error);
    struct report_table *table =
        REPORT_LIST(report, "runs", "The whole run", REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (int i = 0; i < 2 && status == RK_OK; i++) {
        struct rk_campaign_outcome o;
        free(phases);
        phases = run_phases_open(&terms, plans[i], error);
        status = phases ? RK_OK : error->status;
        if (!phases) break;
        rk_campaign_expect_phases(phases->campaign, phases->count, &o);
        REPORT_ROW(report, table, cell_text(i ? "B" : "A"), cell_number(o.total_s / DAY_S),
                   cell_number(o.goodput), cell_number(o.gpu_hours), positive(o.cost),
                   positive(o.energy_kWh));
    }
    if (status == RK_OK)
        report_paragraph(report, report_text(report, "assumed: %s", phases->assumed));
    free(phases);
    run_terms_close(&terms);
    return status;
}
