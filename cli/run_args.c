#include "cli/run_args.h"

#include "advise/clusters_run.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HOUR_S = 3600, MOST_USD = 1000000 };

#define AT(member) .offset = offsetof(struct run_args, member)

static const char *const checkpoint_names[] = {"sync", "async", "memory", NULL};

/* clang-format off */
const struct option run_options[] = {
#define RUN_TOKENS(member, option, text, most, what) \
    {.letter = 't', .name = option, .common = true, .type = OPTION_TEXT, .argument = text, AT(member), \
     .help = what "; adds days, failures, cost and energy of the run"},
#define RUN_PRICE(member, offer, option, text, most, what, offered, usual) \
    {.name = option, .type = OPTION_TEXT, .argument = text, AT(member), .help = what ", or " offered " (" usual ")"},
#define RUN_NAME(member, option, text, what) \
    {.name = option, .type = OPTION_TEXT, .argument = text, AT(member), .help = what},
#define RUN_RARE(member, option, text, key, most, what) \
    {.name = option, .type = OPTION_TEXT, .argument = text, AT(member), .help = what},
#define RUN_COUNT(member, option, text, most, what) \
    {.name = option, .type = OPTION_NUMBER, .argument = text, AT(member), .max = most, .help = what},
#define RUN_MEASURE(member, option, text, quantity, key, unit, what) \
    {.name = option, .type = OPTION_TEXT, .argument = text, AT(member), .help = what},
#define RUN_CHECKPOINTS(member, option, what) \
    {.name = option, .type = OPTION_CHOICE, .choices = checkpoint_names, AT(member), .help = what " (default: sync)"},
#define RUN_NUMBER(member, option, text, most, what) \
    {.name = option, .type = OPTION_COUNT, .argument = text, AT(member), .help = what},
#include <reckon/run.def>
    {.name = "prices", .type = OPTION_TEXT, .argument = "FILE|NAME", AT(prices), .complete = "file"},
    {.name = "phases", .type = OPTION_TEXT, .argument = "LIST", AT(phases)},
    {.name = "elastic", .type = OPTION_FLAG, AT(elastic)},
    {.name = "seed", .type = OPTION_COUNT, .argument = "N", AT(seed)},
    {.name = NULL},
};
/* clang-format on */

/* ---- arguments ---- */

/* A quantity above 0; 0 where nothing is said. */
static enum rk_status read_quantity(const char *name, const char *text, enum quantity quantity,
                                    double *value, struct rk_error *error)
{
    struct units_error problem;
    if (!text) return RK_OK;
    if (!quantity_parse(text, strlen(text), quantity, false, value, &problem))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--%s: %s", name, problem.text);
    if (*value > 0) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--%s: must be more than 0, got %s", name,
                   text);
}

static bool is_number(const char *text, double *value)
{
    return number_parse(text, strlen(text), value) == strlen(text);
}

static enum rk_status read_price(const char *text, struct rk_run *run, struct rk_error *error)
{
    if (!text) return RK_OK;
    run->has_price = is_number(text, &run->price);
    if (run->has_price && !(run->price >= 0 && run->price <= MOST_USD))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--price: %s is %s", text,
                       run->price < 0 ? "negative" : "more than a million US dollars for an hour");
    if (!run->has_price) snprintf(run->offer, sizeof run->offer, "%s", text);
    return RK_OK;
}

static enum rk_status read_mtbf(const char *text, struct rk_run *run, struct rk_error *error)
{
    double hours;
    struct rk_error ignored;
    if (!text) return RK_OK;
    run->mtbf_s = INFINITY;
    if (strcmp(text, "never") == 0) return RK_OK;
    if (option_count("--mtbf", text, &hours, &ignored) != RK_OK)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--mtbf: \"%.40s\" is not a number of hours above 0, nor never", text);
    run->mtbf_s = hours * HOUR_S;
    return RK_OK;
}

static enum rk_status read_run(const struct run_args *args, struct rk_run *run,
                               struct rk_error *error)
{
    *run = (struct rk_run){.checkpoints = (enum rk_checkpoints)args->checkpoints,
                           .carbon = args->carbon,
                           .has_spares = args->spares != UINT64_MAX,
                           .spares = args->spares};
    if (args->logbook) snprintf(run->logbook, sizeof run->logbook, "%s", args->logbook);
    const struct {
        const char *name, *text;
        enum quantity quantity;
        double *value;
    } quantities[] = {
        {"tokens", strcmp(args->tokens, "usual") ? args->tokens : NULL, QUANTITY_COUNT,
         &run->tokens},
#define RUN_MEASURE(member, option, text, quantity, ...)                                           \
    {option, args->member, QUANTITY_##quantity, &run->member},
#include <reckon/run.def>
    };
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < sizeof quantities / sizeof *quantities; i++)
        status = read_quantity(quantities[i].name, quantities[i].text, quantities[i].quantity,
                               quantities[i].value, error);
    if (status == RK_OK) status = read_price(args->price, run, error);
    return status == RK_OK ? read_mtbf(args->mtbf_s, run, error) : status;
}

/* What of a run is said although none is asked for; NULL: nothing. */
static const char *said_of_a_run(const struct run_args *args)
{
    static const size_t sizes[] = {[OPTION_TEXT] = sizeof(char *),
                                   [OPTION_NUMBER] = sizeof(uint64_t),
                                   [OPTION_COUNT] = sizeof(double),
                                   [OPTION_CHOICE] = sizeof(int),
                                   [OPTION_FLAG] = sizeof(bool)};
    const struct run_args nothing = RUN_ARGS_INIT;
    for (const struct option *o = run_options; o->name; o++)
        if (memcmp((const char *)args + o->offset, (const char *)&nothing + o->offset,
                   sizes[o->type]) != 0)
            return o->name;
    return NULL;
}

enum rk_status run_check(const struct run_args *args, struct rk_error *error)
{
    const char *said = args->tokens ? NULL : said_of_a_run(args);
    if (!said) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--%s is of a whole run: say on how many tokens, --tokens 15T or usual", said);
}

enum rk_status run_terms_open(struct run_terms *terms, const struct run_args *args,
                              struct rk_error *error)
{
    *terms = (struct run_terms){.args = args};
    if (!args->tokens) return run_check(args, error);
    const enum rk_status status = read_run(args, &terms->run, error);
    return status == RK_OK ? rk_campaign_facts_load(args->prices, &terms->facts, error) : status;
}

void run_terms_close(struct run_terms *terms)
{
    rk_campaign_facts_release(terms->facts);
    terms->facts = NULL;
}

uint64_t run_seed(const struct run_args *args)
{
    return args->seed > 0 ? (uint64_t)args->seed : 1;
}

/* ---- campaigns ---- */

/* What a search restricts all plans to holds for these, too, but for a data degree, which changes.
 */
static void open_reduced(struct rk_plans_problem *problem, const struct rk_plans_problem *space,
                         const struct forecast *f, uint64_t ranks, uint64_t batch)
{
    const struct rk_plan *plan = f->plan;
    rk_plans_problem_init(problem, f->model, f->system, plan->framework, ranks, batch,
                          plan->sequence);
    problem->base.precision = plan->precision;
    if (!space) return;
    *problem = *space;
    problem->pinned[RK_PLAN_DATA].count = 0;
    problem->base.ranks = ranks;
    problem->base.batch = batch;
    problem->base.sequence = plan->sequence;
}

/* The run on fewer accelerators: without the data-parallel replicas of a node, or with half of them
 * where that leaves none; the batch is the largest that divides. False: no such plan fits. */
static bool set_reduced(const struct rk_plans_problem *space, const struct forecast *f,
                        struct rk_campaign *c)
{
    const struct rk_plan *plan = f->plan;
    const uint64_t replica = plan->ranks / rk_plan_data(plan);
    const uint64_t left_out = (c->recovery.node + replica - 1) / replica;
    const uint64_t replicas = rk_plan_data(plan) > left_out ? rk_plan_data(plan) - left_out : 0;
    const uint64_t ranks = replicas ? replicas * replica : plan->ranks / 2;
    const uint64_t samples = (replicas ? replicas : 1) * plan->local.microbatch;
    const uint64_t batch = plan->batch / samples * samples;
    struct rk_plans_problem problem;
    const struct rk_aim aim = {.threads = 0};
    struct rk_found found;
    if (!ranks || !batch || c->recovery.node > plan->ranks - ranks) return false;
    open_reduced(&problem, space, f, ranks, batch);
    if (!rk_find(&problem, &aim, &found)) return false;
    c->reduced_ranks = ranks;
    c->reduced_pace = fmin(1, (double)found.plan.batch / found.outcome.step_s /
                                  ((double)plan->batch / f->prediction->step_s));
    return true;
}

void run_keep_spares(struct rk_campaign *phase, double tokens)
{
    struct rk_campaign whole = *phase;
    whole.tokens = fmax(tokens, phase->tokens);
    phase->recovery.spares = rk_campaign_spares(&whole);
}

enum rk_status run_campaign(const struct run_terms *terms, const struct forecast *f, double tokens,
                            struct rk_campaign *campaign, char assumed[RUN_NOTES],
                            struct rk_error *error)
{
    struct clusters_run whole;
    double all; /* tokens of all phases */
    const enum rk_status status =
        f->system->machine
            ? clusters_run_of(terms->facts, &terms->run, f->model, f->system, f->plan, tokens,
                              &whole, assumed, RUN_NOTES, error)
            : rk_run_campaign(terms->facts, &terms->run, f->model, f->system, f->plan,
                              f->prediction, tokens, campaign, assumed, RUN_NOTES, error);
    if (status == RK_OK && f->system->machine) *campaign = whole.campaign;
    if (status == RK_OK && !f->system->machine && !terms->run.has_spares &&
        rk_run_tokens(terms->facts, &terms->run, f->model, &all, NULL, error) == RK_OK)
        run_keep_spares(campaign, all);
    if (status != RK_OK || !terms->args->elastic) return status;
    const bool goes_on = set_reduced(terms->space, f, campaign);
    if (!assumed) return RK_OK;
    const size_t used = strlen(assumed);
    if (goes_on)
        snprintf(assumed + used, RUN_NOTES - used,
                 "; with no spare node left it goes on with %llu GPUs at %.1f %% of its pace",
                 (unsigned long long)campaign->reduced_ranks, 100 * campaign->reduced_pace);
    else
        snprintf(assumed + used, RUN_NOTES - used,
                 "; no plan for fewer GPUs fits: the run waits for nodes");
    return RK_OK;
}
