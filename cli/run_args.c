#include "cli/run_args.h"

#include "base/units.h"
#include "campaign/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HOUR_S = 3600 };

#define AT(member) .offset = offsetof(struct run_args, member)

static const char *const checkpoint_names[] = {"sync", "async", "memory", NULL};

/* clang-format off */
const struct option run_options[] = {
    {.letter = 't', .name = "tokens", .type = OPTION_TEXT, .argument = "COUNT|usual", AT(tokens),
     .help = "train on so many tokens, \"15.6T\", or on as many as the model was: days, failures, money, energy"},
    {.name = "price", .type = OPTION_TEXT, .argument = "USD|OFFER", AT(price),
     .help = "of a GPU for an hour: a number, or an offer of the list such as reserved (the cheapest of the list)"},
    {.name = "prices", .type = OPTION_TEXT, .argument = "FILE", AT(prices), .complete = "file",
     .help = "the list of prices, failures and factors: what it has is taken instead of the catalog's campaign.json"},
    {.name = "phases", .type = OPTION_TEXT, .argument = "LIST", AT(phases),
     .help = "batches and sequences that grow: tokens and words of the plan for each phase, \"252M gbs512 seq4096; 2.618T gbs1024; rest\""},
    {.name = "failures", .type = OPTION_TEXT, .argument = "LOGBOOK", AT(failures),
     .help = "how often machines fail, as in a published run: llama3, opt-175b, bloom (llama3)"},
    {.name = "mtbf", .type = OPTION_TEXT, .argument = "HOURS|never", AT(mtbf),
     .help = "mean time between failures of one GPU; those of hosts and network scale with it (the logbook's)"},
    {.name = "spares", .type = OPTION_NUMBER, .argument = "NODES", AT(spares), .max = 100000,
     .help = "nodes that stand ready, and are paid for (as many as leave one failure of fifty waiting)"},
    {.name = "repair", .type = OPTION_TEXT, .argument = "TIME", AT(repair),
     .help = "until a broken node is back (24h)"},
    {.name = "restart", .type = OPTION_TEXT, .argument = "TIME", AT(restart),
     .help = "from a failure until work goes on: noticing it and starting again (15min)"},
    {.name = "checkpoints", .type = OPTION_CHOICE, .choices = checkpoint_names, AT(checkpoints),
     .help = "training waits for them; they are written behind its back; or kept in the memory of other nodes (sync)"},
    {.name = "elastic", .type = OPTION_FLAG, AT(elastic),
     .help = "with no spare node left, go on with fewer under the best plan for these (it waits)"},
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

enum rk_status run_terms_open(struct run_terms *terms, const struct run_args *args,
                              struct rk_error *error)
{
    *terms = (struct run_terms){.args = args};
    return args->tokens ? rk_campaign_facts_load(args->prices, &terms->facts, error) : RK_OK;
}

void run_terms_close(struct run_terms *terms)
{
    rk_campaign_facts_release(terms->facts);
    terms->facts = NULL;
}

enum rk_status run_tokens(const struct run_terms *terms, const struct rk_model *model,
                          double *tokens, char assumed[RUN_NOTES], struct rk_error *error)
{
    const char *said = terms->args->tokens;
    if (strcmp(said, "usual") != 0)
        return read_quantity("tokens", said, QUANTITY_COUNT, tokens, error);
    const struct trained *usual = facts_trained(terms->facts, model->id);
    if (!usual)
        return rk_fail(
            error, RK_USAGE, NULL, 0, 0,
            "--tokens: the catalog does not know on how many tokens %s was trained: give a "
            "number, 2T",
            model->id);
    *tokens = usual->tokens;
    note(assumed, "tokens %.4g: %s", *tokens, usual->source);
    return RK_OK;
}

static enum rk_status set_price(const struct run_terms *terms, const struct forecast *f,
                                struct rk_campaign *c, char assumed[RUN_NOTES],
                                struct rk_error *error)
{
    const struct run_args *args = terms->args;
    double usd;
    if (args->price &&
        number_parse(args->price, strlen(args->price), &usd) == strlen(args->price)) {
        if (!(usd >= 0))
            return rk_fail(error, RK_USAGE, NULL, 0, 0, "--price: %s is negative", args->price);
        c->price = usd;
        return RK_OK;
    }
    const struct offer *offer = facts_offer(terms->facts, f->system->id, args->price);
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
    note(assumed, "%.4g USD for a GPU-hour, %s of %s: %s", offer->usd_per_hour, offer->name,
         offer->date, offer->source);
    return RK_OK;
}

/* "llama3, opt-175b" */
static const char *logbook_names(const struct rk_campaign_facts *facts, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < facts->logbooks && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 facts->logbook[i].name);
    return text;
}

static enum rk_status set_failures(const struct run_terms *terms, struct rk_campaign *c,
                                   char assumed[RUN_NOTES], struct rk_error *error)
{
    const struct run_args *args = terms->args;
    const struct logbook *logbook = facts_logbook(terms->facts, args->failures);
    char names[MOST_LOGBOOKS * sizeof logbook->name];
    double hours;
    if (!logbook)
        return rk_fail(error, RK_USAGE, NULL, 0, 0, "--failures: no logbook \"%.24s\": one of %s",
                       args->failures, logbook_names(terms->facts, names, sizeof names));
    c->rates = logbook_rates(logbook);
    if (!args->mtbf) {
        note(assumed, "failures as of %s: %.*s", logbook->name,
             (int)strcspn(logbook->source, ":,."), logbook->source);
        return RK_OK;
    }
    if (strcmp(args->mtbf, "never") == 0) {
        c->rates.device_s = c->rates.network_s = c->rates.node_s = INFINITY;
        return RK_OK;
    }
    if (number_parse(args->mtbf, strlen(args->mtbf), &hours) != strlen(args->mtbf) || !(hours > 0))
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--mtbf: \"%.40s\" is no number of hours above 0, nor never", args->mtbf);
    if (!isfinite(c->rates.device_s))
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--mtbf: the logbook %s has no failures of GPUs to scale: give another "
                       "--failures",
                       logbook->name);
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

/* The run on fewer accelerators: a data-parallel replica less, of half of them where there is only
 * one; the batch is what still divides. False: no plan of theirs fits. */
static bool set_reduced(const struct forecast *f, struct rk_campaign *c)
{
    const struct rk_plan *plan = f->plan;
    const uint64_t replica = plan->ranks / rk_plan_data(plan);
    const uint64_t replicas = rk_plan_data(plan) - 1;
    const uint64_t ranks = replicas ? replicas * replica : plan->ranks / 2;
    const uint64_t samples = (replicas ? replicas : 1) * plan->local.microbatch;
    const uint64_t batch = plan->batch / samples * samples;
    struct rk_plans_problem problem;
    const struct rk_aim aim = {.threads = 0};
    struct rk_found found;
    if (!ranks || !batch || c->recovery.node > plan->ranks - ranks) return false;
    rk_plans_problem_init(&problem, f->model, f->system, plan->framework, ranks, batch,
                          plan->sequence);
    problem.base.precision = plan->precision;
    if (!rk_find(&problem, &aim, &found)) return false;
    c->reduced_ranks = ranks;
    c->reduced_pace = fmin(1, (double)found.plan.batch / found.outcome.step_s /
                                  ((double)plan->batch / f->prediction->step_s));
    return true;
}

enum rk_status run_campaign(const struct run_terms *terms, const struct forecast *f, double tokens,
                            struct rk_campaign *campaign, char assumed[RUN_NOTES],
                            struct rk_error *error)
{
    const struct run_args *args = terms->args;
    char unsaid[RUN_NOTES] = "";
    char *notes = assumed ? assumed : unsaid;
    *campaign = rk_campaign_of(terms->facts, f->model, f->system, f->plan, f->prediction, tokens);
    campaign->carbon = args->carbon;
    enum rk_status status = set_failures(terms, campaign, notes, error);
    if (status == RK_OK) status = set_price(terms, f, campaign, notes, error);
    if (status == RK_OK) campaign->recovery.spares = rk_campaign_spares(campaign);
    if (status == RK_OK) status = set_recovery(args, &campaign->recovery, error);
    if (status != RK_OK) return status;
    if (args->elastic && !set_reduced(f, campaign))
        note(notes, "no plan for fewer GPUs fits: the run waits for nodes");
    else if (args->elastic)
        note(notes, "with no spare node left it goes on with %llu GPUs at %.1f %% of its pace",
             (unsigned long long)campaign->reduced_ranks, 100 * campaign->reduced_pace);
    const char *fault = rk_campaign_fault(campaign);
    return fault ? rk_fail(error, RK_USAGE, NULL, 0, 0, "the run: %s", fault) : RK_OK;
}
