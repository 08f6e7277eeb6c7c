#include "cli/run_args.h"

#include "base/units.h"
#include "campaign/prices.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HOUR_S = 3600, DAY_S = 86400, SIMULATED = 2000, USUAL_SEED = 1 };

#define AT(member) .offset = offsetof(struct run_args, member)

static const char *const checkpoint_names[] = {"sync", "async", "memory", NULL};

/* clang-format off */
const struct option run_options[] = {
    {.letter = 't', .name = "tokens", .type = OPTION_TEXT, .argument = "COUNT|usual", AT(tokens),
     .help = "train on so many tokens, \"15.6T\", or on as many as the model was: days, failures, money, energy"},
    {.name = "price", .type = OPTION_TEXT, .argument = "USD|OFFER", AT(price),
     .help = "of a GPU for an hour: a number, or an offer of the list such as reserved (the cheapest of the list)"},
    {.name = "prices", .type = OPTION_TEXT, .argument = "FILE", AT(prices), .complete = "file",
     .help = "the list of prices (campaign.json of the catalog)"},
    {.name = "mtbf", .type = OPTION_TEXT, .argument = "HOURS|never", AT(mtbf),
     .help = "mean time between failures of one GPU; those of hosts and network scale with it (79,200: Llama 3's)"},
    {.name = "spares", .type = OPTION_NUMBER, .argument = "NODES", AT(spares), .max = 100000,
     .help = "nodes that stand ready, and are paid for (as many as leave one failure of fifty waiting)"},
    {.name = "repair", .type = OPTION_TEXT, .argument = "TIME", AT(repair),
     .help = "until a broken node is back (24h)"},
    {.name = "restart", .type = OPTION_TEXT, .argument = "TIME", AT(restart),
     .help = "from a failure until work goes on: noticing it and starting again (15min)"},
    {.name = "checkpoints", .type = OPTION_CHOICE, .choices = checkpoint_names, AT(checkpoints),
     .help = "training waits for them; they are written behind its back; or kept in the memory of other nodes (sync)"},
    {.name = "interval", .type = OPTION_TEXT, .argument = "TIME", AT(interval),
     .help = "between checkpoints (the best)"},
    {.name = "storage", .type = OPTION_TEXT, .argument = "RATE", AT(storage),
     .help = "bandwidth that checkpoints are written with, all nodes together (1GB/s a node)"},
    {.name = "carbon", .type = OPTION_COUNT, .argument = "GRAMS", AT(carbon),
     .help = "of CO2 for a kWh"},
    {.name = "seed", .type = OPTION_COUNT, .argument = "N", AT(seed),
     .help = "of the simulated runs that give the range of days (1)"},
    {.name = NULL},
};
/* clang-format on */

/* ---- arguments ---- */

static enum rk_status read_quantity(const char *name, const char *text, enum quantity quantity,
                                    double *value, struct rk_error *error)
{
    struct units_error problem;
    if (!text) return RK_OK;
    if (quantity_parse(text, strlen(text), quantity, false, value, &problem)) return RK_OK;
    return rk_fail(error, RK_USAGE, NULL, 0, 0, "--%s: %s", name, problem.text);
}

static void note(char assumed[RUN_NOTES], const char *format, ...) RK_PRINTF(2, 3);

static void note(char assumed[RUN_NOTES], const char *format, ...)
{
    const size_t used = strlen(assumed);
    va_list values;
    if (used + 3 >= RUN_NOTES) return;
    snprintf(assumed + used, RUN_NOTES - used, "%s", used ? "; " : "");
    va_start(values, format);
    vsnprintf(assumed + strlen(assumed), RUN_NOTES - strlen(assumed), format, values);
    va_end(values);
}

static enum rk_status set_tokens(const struct run_args *args, const struct forecast *f,
                                 double *tokens, char assumed[RUN_NOTES], struct rk_error *error)
{
    const char *source = "";
    if (strcmp(args->tokens, "usual") != 0)
        return read_quantity("tokens", args->tokens, QUANTITY_COUNT, tokens, error);
    *tokens = usual_tokens(f->model->id, &source);
    if (!(*tokens > 0))
        return rk_fail(
            error, RK_USAGE, NULL, 0, 0,
            "--tokens: the catalog does not know on how many tokens %s was trained: give a "
            "number, 2T",
            f->model->id);
    note(assumed, "tokens %.4g: %s", *tokens, source);
    return RK_OK;
}

static enum rk_status set_price(const struct run_args *args, const struct forecast *f,
                                struct rk_campaign *c, char assumed[RUN_NOTES],
                                struct rk_error *error)
{
    struct prices prices;
    double usd;
    if (args->price &&
        number_parse(args->price, strlen(args->price), &usd) == strlen(args->price)) {
        if (!(usd >= 0))
            return rk_fail(error, RK_USAGE, NULL, 0, 0, "--price: %s is negative", args->price);
        c->price = usd;
        return RK_OK;
    }
    const enum rk_status status = prices_load(args->prices, &prices, error);
    if (status != RK_OK) return status;
    const struct offer *offer = prices_find(&prices, f->system->id, args->price);
    if (!offer && args->price)
        return rk_fail(
            error, RK_USAGE, NULL, 0, 0,
            "--price: no offer \"%.24s\" of %s in the list: give US dollars for an hour, 2.5",
            args->price, f->system->id);
    if (!offer) {
        note(assumed, "no price of %s is known: --price", f->system->id);
        return RK_OK;
    }
    c->price = offer->usd_per_hour;
    if (offer->preempted_every_h > 0) c->rates.preempt_s = offer->preempted_every_h * HOUR_S;
    note(assumed, "%.4g USD for a GPU-hour, %s of %s: %s", offer->usd_per_hour, offer->offer,
         offer->date, offer->source);
    return RK_OK;
}

static enum rk_status set_failures(const struct run_args *args, struct rk_campaign *c,
                                   char assumed[RUN_NOTES], struct rk_error *error)
{
    double hours;
    if (!args->mtbf) {
        note(assumed, "failures as of Llama 3 on 16,384 H100 [dubey2024]");
        return RK_OK;
    }
    if (strcmp(args->mtbf, "never") == 0) {
        c->rates.device_s = c->rates.network_s = c->rates.node_s = INFINITY;
        return RK_OK;
    }
    if (number_parse(args->mtbf, strlen(args->mtbf), &hours) != strlen(args->mtbf) || !(hours > 0))
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--mtbf: \"%.40s\" is no number of hours above 0, nor never", args->mtbf);
    const double scale = hours * HOUR_S / c->rates.device_s;
    c->rates.device_s *= scale;
    c->rates.network_s *= scale;
    c->rates.node_s *= scale;
    return RK_OK;
}

static enum rk_status set_recovery(const struct run_args *args, struct rk_recovery *r,
                                   struct rk_error *error)
{
    double restart_s = r->detect_s + r->restart_s;
    enum rk_status status =
        read_quantity("storage", args->storage, QUANTITY_BYTES_PER_S, &r->storage_Bps, error);
    if (status == RK_OK)
        status = read_quantity("interval", args->interval, QUANTITY_SECONDS, &r->interval_s, error);
    if (status == RK_OK)
        status = read_quantity("restart", args->restart, QUANTITY_SECONDS, &restart_s, error);
    if (status == RK_OK)
        status = read_quantity("repair", args->repair, QUANTITY_SECONDS, &r->repair_s, error);
    r->detect_s = 0.2 * restart_s;
    r->restart_s = 0.8 * restart_s;
    r->async = args->checkpoints == 1;
    r->in_memory = args->checkpoints == 2;
    if (args->spares != UINT64_MAX) r->spares = args->spares;
    return status;
}

enum rk_status run_campaign(const struct run_args *args, const struct forecast *f,
                            struct rk_campaign *campaign, char assumed[RUN_NOTES],
                            struct rk_error *error)
{
    double tokens = 0;
    assumed[0] = '\0';
    enum rk_status status = set_tokens(args, f, &tokens, assumed, error);
    if (status != RK_OK) return status;
    *campaign = rk_campaign_of(f->model, f->system, f->plan, f->prediction, tokens);
    campaign->carbon = args->carbon;
    status = set_failures(args, campaign, assumed, error);
    if (status == RK_OK) status = set_price(args, f, campaign, assumed, error);
    if (status == RK_OK) status = set_recovery(args, &campaign->recovery, error);
    if (status != RK_OK) return status;
    const char *fault = rk_campaign_fault(campaign);
    return fault ? rk_fail(error, RK_USAGE, NULL, 0, 0, "the run: %s", fault) : RK_OK;
}

/* ---- the section ---- */

/* clang-format off */
static const struct report_column run_columns[] = {
    {.name = "tokens",             .unit = "n", .digits = 3},
    {.name = "steps"},
    {.name = "days",               .digits = 4, .help = "expected, failures and checkpoints included"},
    {.name = "days_p10",           .title = "... in one of ten runs less than", .digits = 4},
    {.name = "days_p90",           .title = "... in one of ten runs more than", .digits = 4},
    {.name = "work_days",          .title = "of it training", .digits = 4},
    {.name = "goodput",            .unit = "%", .digits = 2, .help = "training over all of it"},
    {.name = "mtbf_s",             .title = "a failure every", .unit = "s", .digits = 1},
    {.name = "failures",           .digits = 4, .help = "expected"},
    {.name = "down_share",         .title = "noticing, restarting, waiting", .unit = "%", .digits = 2},
    {.name = "lost_share",         .title = "work done again", .unit = "%", .digits = 2},
    {.name = "checkpoint_share",   .title = "checkpoints", .unit = "%", .digits = 2},
    {.name = "interval_s",         .title = "a checkpoint every", .unit = "s", .digits = 1,
     .help = "the best interval, unless --interval says another"},
    {.name = "young_s",            .title = "... by Young's formula", .unit = "s", .digits = 1},
    {.name = "daly_s",             .title = "... by Daly's", .unit = "s", .digits = 1},
    {.name = "spares",             .title = "spare nodes"},
    {.name = "checkpoint_bytes",   .title = "a checkpoint has", .unit = "B", .digits = 2},
    {.name = "write_s",            .title = "... and takes", .unit = "s", .digits = 2},
    {.name = "gpu_hours",          .title = "GPU-hours", .unit = "n", .digits = 3},
    {.name = "cost_usd",           .title = "cost in USD", .unit = "n", .digits = 3},
    {.name = "cost_per_trillion_usd", .title = "... of 10^12 tokens", .unit = "n", .digits = 3},
    {.name = "energy_kWh",         .title = "energy in kWh", .unit = "n", .digits = 3,
     .help = "boards as busy as the step has them, x 1.35 for hosts and network, x 1.1 for cooling"},
    {.name = "carbon_t",           .title = "CO2 in tonnes", .digits = 4},
};
/* clang-format on */
enum { RUN_COLUMNS = sizeof run_columns / sizeof *run_columns };

static struct report_cell positive(double value)
{
    return value > 0 && isfinite(value) ? cell_number(value) : cell_none();
}

static void add_run(struct report *report, const struct rk_campaign *c,
                    const struct rk_campaign_outcome *o, const struct rk_campaign_range *range)
{
    const struct report_cell cells[RUN_COLUMNS] = {
        cell_number(c->tokens),
        cell_count((uint64_t)o->steps),
        cell_number(o->total_s / DAY_S),
        cell_number(range->p10_s / DAY_S),
        cell_number(range->p90_s / DAY_S),
        cell_number(o->work_s / DAY_S),
        cell_number(o->goodput),
        positive(o->mtbf_s),
        cell_number(o->failures),
        cell_number(o->down_s / o->total_s),
        cell_number(o->lost_s / o->total_s),
        cell_number(o->checkpoint_s / o->total_s),
        cell_number(o->interval_s),
        positive(o->young_s),
        positive(o->daly_s),
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
               report_add(report, &(struct report_table){.name = "run",
                                                         .title = "The run",
                                                         .shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                         .columns = run_columns,
                                                         .column_count = RUN_COLUMNS}),
               cells);
}

/* One change of how failures are met. */
static void change_row(struct report *report, struct report_table *table, const char *what,
                       const struct rk_campaign *changed, const struct rk_campaign_outcome *now)
{
    struct rk_campaign_outcome o;
    rk_campaign_expect(changed, &o);
    report_row(report, table,
               (const struct report_cell[]){
                   cell_text(what), cell_number((now->total_s - o.total_s) / DAY_S),
                   cell_number(o.goodput), cell_number(o.interval_s), positive(o.cost)});
}

static void add_changes(struct report *report, const struct rk_campaign *c,
                        const struct rk_campaign_outcome *o)
{
    static const struct report_column columns[] = {
        {.name = "change"},
        {.name = "days_saved", .title = "saves days", .digits = 3},
        {.name = "goodput", .unit = "%", .digits = 2},
        {.name = "interval_s", .title = "checkpoint every", .unit = "s", .digits = 1},
        {.name = "cost_usd", .title = "cost in USD", .unit = "n", .digits = 3}};
    if (!isfinite(o->mtbf_s)) return;
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "run_changes",
                                                  .title = "What would bring the run more",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = columns,
                                                  .column_count = 5});
    struct rk_campaign changed = *c;
    changed.recovery.spares++;
    change_row(report, table, "one more spare node", &changed, o);
    changed = *c;
    changed.recovery.storage_Bps *= 2;
    change_row(report, table, "twice the storage bandwidth", &changed, o);
    changed = *c;
    changed.recovery.async = true;
    if (!c->recovery.async && !c->recovery.in_memory)
        change_row(report, table, "checkpoints behind training's back (--checkpoints async)",
                   &changed, o);
    changed = *c;
    changed.recovery.in_memory = true;
    if (!c->recovery.in_memory)
        change_row(report, table, "checkpoints in memory (--checkpoints memory)", &changed, o);
    changed = *c;
    changed.recovery.restart_s /= 2;
    changed.recovery.detect_s /= 2;
    change_row(report, table, "half the time from failure to work", &changed, o);
    changed = *c;
    changed.rates.device_s *= 2;
    changed.rates.network_s *= 2;
    changed.rates.node_s *= 2;
    change_row(report, table, "half the failures", &changed, o);
}

enum rk_status run_section(struct report *report, const struct run_args *args,
                           const struct forecast *f, struct rk_error *error)
{
    struct rk_campaign campaign;
    struct rk_campaign_outcome outcome;
    struct rk_campaign_range range;
    char assumed[RUN_NOTES];
    if (!args->tokens || !f->prediction->timed) return RK_OK;
    enum rk_status status = run_campaign(args, f, &campaign, assumed, error);
    if (status != RK_OK) return status;
    rk_campaign_expect(&campaign, &outcome);
    status =
        rk_campaign_simulate(&campaign, outcome.interval_s, SIMULATED,
                             args->seed > 0 ? (uint64_t)args->seed : USUAL_SEED, &range, error);
    if (status != RK_OK) return status;
    add_run(report, &campaign, &outcome, &range);
    report_paragraph(report, report_text(report, "assumed: %s", assumed));
    add_changes(report, &campaign, &outcome);
    return RK_OK;
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
    char assumed[RUN_NOTES];
    if (!args->tokens || !a->prediction->timed || !b->prediction->timed) return RK_OK;
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "runs",
                                                  .title = "The whole run",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = columns,
                                                  .column_count = 6});
    for (int i = 0; i < 2; i++) {
        struct rk_campaign campaign;
        struct rk_campaign_outcome o;
        const enum rk_status status = run_campaign(args, plans[i], &campaign, assumed, error);
        if (status != RK_OK) return status;
        rk_campaign_expect(&campaign, &o);
        report_row(report, table,
                   (const struct report_cell[]){cell_text(i ? "B" : "A"),
                                                cell_number(o.total_s / DAY_S),
                                                cell_number(o.goodput), cell_number(o.gpu_hours),
                                                positive(o.cost), positive(o.energy_kWh)});
    }
    report_paragraph(report, report_text(report, "assumed: %s", assumed));
    return RK_OK;
}
