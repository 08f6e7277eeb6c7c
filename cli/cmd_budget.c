/* reckon budget: the largest model, or the most tokens, that money and days train on a machine. */
#include "base/memory.h"
#include "base/threads.h"
#include "base/units.h"
#include "catalog/hosts.h"
#include "cli/commands.h"
#include "cli/model_input.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/progress.h"
#include "cli/run_args.h"
#include "cli/show.h"
#include "cli/verdict.h"
#include "report/chart.h"

#include <reckon/budget.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_S = 86400 };

static const double MOST_DAYS = 36525, MOST_USD = 1e15; /* a century; all there is */

struct budget_args {
    struct run_args run;
    const char *model, *system;
    uint64_t gpus, batch, threads;
    double days, cost;
    int law;
    const char *output, *headroom;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct budget_args, member)

static const char *const law_names[] = {"chinchilla", "llama3", NULL};

/* clang-format off */
static const struct operand budget_operands[] = {
    KNOWN_OPERANDS(AT(model), AT(system)),
    {.name = NULL},
};
static const struct option budget_options[] = {
    {.letter = 's', .name = "system", .common = true, .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems"},
    {.letter = 'g', .name = "gpus", .common = true, .type = OPTION_NUMBER, .argument = "N", AT(gpus), .min = 1},
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models"},
    {.name = "days", .common = true, .type = OPTION_COUNT, .argument = "DAYS", AT(days)},
    {.name = "cost", .common = true, .type = OPTION_COUNT, .argument = "USD", AT(cost)},
    {.letter = 'b', .name = "batch", .common = true, .type = OPTION_NUMBER, .argument = "N", AT(batch), .min = 1},
    {.name = "law", .common = true, .type = OPTION_CHOICE, .choices = law_names, AT(law)},
    {.letter = 'j', .name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = MOST_THREADS},
    OPTION_HEADROOM_ROW(AT(headroom)),
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage budget_usage = {
#include "help/budget.h"
    .operands = budget_operands,
    .groups = {
        {"Budget", budget_options, 0},
        {"The run, as in reckon-predict(1)", run_options, offsetof(struct budget_args, run), true},
        {"Form", show_options, offsetof(struct budget_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct report_column columns[] = {
    {.name = "model"},
    {.name = "parameters", .unit = "n", .digits = 2},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 3},
    {.name = "mfu", .title = "MFU", .unit = "%", .digits = 1},
    {.name = "hbm_bytes", .title = "memory", .unit = "B", .digits = 1},
    {.name = "fits", .title = "fits in", .unit = "%", .digits = 0},
    {.name = "tokens", .title = "tokens within", .unit = "n", .digits = 3},
    {.name = "days", .digits = 4},
    {.name = "cost_usd", .title = "cost in USD", .unit = "n", .digits = 3},
    {.name = "tokens_per_parameter", .title = "tokens per active parameter", .digits = 3},
    {.name = "asked", .title = "asked for by the law", .unit = "n", .digits = 3},
    {.name = "affordable"},
    {.name = "plan", .title = "best plan"}};
/* clang-format on */
static const char *const tokens_and_asked[] = {"tokens", "asked", NULL};
static const struct chart budget_chart = {
    .title = "Tokens that the budget trains on, and tokens that the law asks for",
    .caption = "A size is affordable where the first line is above the second.",
    .kind = CHART_XY,
    .role = {[CHART_X] = "parameters", [CHART_LABEL] = "model"},
    .wide = tokens_and_asked,
    .mark = CHART_LINE,
    .x = {.log = true},
    .y = {.title = "tokens", .log = true}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What one model gets for the budget, and what was assumed of its run. */
struct weighed {
    struct rk_budgeted of;
    char assumed[RUN_NOTES];
};

static bool stop(void *context)
{
    (void)context;
    return progress_stopped();
}

/* What is the same for all models. */
struct weighing {
    struct rk_budget budget;
    const struct budget_args *args;
    const struct run_terms *terms;
    struct progress *progress; /* a bar over the sizes */
    char assumed[RUN_NOTES];   /* of the run asked about last */
};

static enum rk_status leave(void *context, struct rk_plans_problem *problem, struct rk_aim *aim,
                            struct rk_error *error)
{
    const struct weighing *at = context;
    return problem->system->machine
               ? rk_headroom_of_clusters(at->args->headroom, problem, error)
               : rk_headroom_share(at->args->headroom, problem->model, problem->system,
                                   &problem->base, &aim->room, error);
}

static enum rk_status run(void *context, const struct rk_budgeted *w,
                          const struct rk_prediction *prediction, struct rk_campaign *campaign,
                          struct rk_error *error)
{
    struct weighing *at = context;
    const struct forecast forecast = {&w->model,  w->system, &w->offer.found.plan,
                                      prediction, "",        NULL};
    at->assumed[0] = '\0';
    const enum rk_status status =
        run_campaign(at->terms, &forecast, RK_BUDGET_TOKENS, campaign, at->assumed, error);
    if (status == RK_OK && at->args->cost > 0 && !(campaign->price > 0))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--cost: no price of %s is known: give --price", w->system->id);
    return status;
}

static enum rk_status weigh(struct weighing *at, struct weighed *w, struct rk_error *error)
{
    const enum rk_status status = rk_budget_weigh(&at->budget, &w->of, error);
    if (w->of.fits) memcpy(w->assumed, at->assumed, sizeof w->assumed);
    return status;
}

/* ---- what is said ---- */

static void add_row(struct report *report, struct report_table *table, const struct rk_budgeted *w)
{
    char words[RK_PLAN_TEXT] = "none fits";
    struct report_cell cells[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = cell_none();
    cells[0] = cell_text(w->model.id);
    cells[1] = cell_number((double)rk_model_parameters(&w->model));
    if (w->fits) {
        const struct rk_outcome *o = &w->offer.found.outcome;
        const double times = w->tokens / RK_BUDGET_TOKENS;
        const double chance =
            w->system->machine
                ? NAN /* each stage has its own */
                : rk_fit_chance(&w->model, w->system, &w->offer.found.plan, o->hbm_bytes);
        rk_plan_text(&w->offer.found.plan, words, sizeof words);
        cells[2] = cell_number(o->step_s);
        cells[3] = cell_number(o->mfu);
        cells[4] = cell_number(o->hbm_bytes);
        if (!isnan(chance)) cells[5] = cell_number(chance);
        cells[6] = cell_number(w->tokens);
        cells[7] = cell_number(times * w->outcome.total_s / DAY_S);
        if (w->outcome.cost > 0) cells[8] = cell_number(times * w->outcome.cost);
        cells[9] = cell_number(w->tokens / (double)rk_model_active_parameters(&w->model));
        cells[10] = cell_number(w->asked);
        cells[11] = cell_flag(rk_budget_affords(w));
    }
    cells[12] = cell_text(report_text(report, "%s", words));
    report_row(report, table, cells);
}

/* "512 h100-sxm5-80g, 60 days, 2 million USD" */
static const char *budget_text(struct report *report, const struct budget_args *args,
                               const struct rk_system *system)
{
    const char *text = system->machine
                           ? system->id
                           : report_text(report, "%" PRIu64 " %s", args->gpus, system->id);
    if (args->days > 0) text = report_text(report, "%s, %g days", text, args->days);
    if (args->cost > 0)
        text = report_text(report, "%s, %s", text, verdict_money(report, args->cost));
    return text;
}

/* The run over the tokens that the law asks for. */
static struct rk_campaign asked_of(const struct rk_budget *budget, const struct rk_budgeted *w,
                                   struct rk_campaign_outcome *outcome)
{
    struct rk_campaign asked = w->campaign;
    asked.tokens = w->asked;
    if (!budget->spares_said) asked.recovery.spares = rk_campaign_spares(&asked);
    rk_campaign_expect(&asked, outcome);
    return asked;
}

/* ", 50.2 days and 1.3 million USD" that it takes. */
static const char *asked_text(struct report *report, const struct rk_budget *budget,
                              const struct rk_budgeted *w)
{
    struct rk_campaign_outcome outcome;
    const struct rk_campaign asked = asked_of(budget, w, &outcome);
    return verdict_bill(report, outcome.total_s / DAY_S, outcome.cost, asked.recovery.spares);
}

/* More accelerators shorten a run, and hardly make it cheaper. */
static bool money_binds(const struct weighing *at, const struct rk_budgeted *w)
{
    struct rk_campaign_outcome outcome;
    if (!w->fits || !(at->args->cost > 0)) return false;
    asked_of(&at->budget, w, &outcome);
    return outcome.cost > at->args->cost;
}

/* How far GPUs were doubled. */
static const char *most_text(struct report *report, const struct rk_system *system)
{
    if (!system->devices) return report_text(report, ", %d times", RK_BUDGET_DOUBLINGS);
    return report_text(report, ", up to the %" PRIu64 " of the machine", system->devices);
}

/* What would do for a model that is not affordable. */
static enum rk_status note_short(struct report *report, const struct weighing *at,
                                 const struct rk_budgeted *w, struct rk_error *error)
{
    const struct budget_args *args = at->args;
    struct rk_budgeted more = {.model = w->model};
    uint64_t gpus = 0;
    char gets[QUANTITY_TEXT], asks[QUANTITY_TEXT];
    const char *text = report_text(
        report, "not affordable: no plan of %s fits these GPUs%s", w->model.id,
        at->budget.hosted ? ", nor with the memory of their nodes" : " without offload");
    if (w->fits)
        text = report_text(
            report, "not affordable: %s gets %s tokens, the law asks for %s, which take %s",
            w->model.id, quantity_format(gets, QUANTITY_COUNT, w->tokens),
            quantity_format(asks, QUANTITY_COUNT, w->asked), asked_text(report, &at->budget, w));
    enum rk_status status = RK_OK;
    if (args->days > 0 || !w->fits) status = rk_budget_enough(&at->budget, &more, &gpus, error);
    if (gpus)
        text = report_text(report, "%s; %" PRIu64 " GPUs suffice, %s", text, gpus,
                           asked_text(report, &at->budget, &more));
    else if (status == RK_OK && money_binds(at, w))
        text = report_text(report, "%s; more GPUs make it no cheaper", text);
    else if (status == RK_OK && (args->days > 0 || !w->fits))
        text = report_text(report, "%s; doubling the GPUs does not suffice%s", text,
                           most_text(report, at->budget.system));
    report_answer(report, REPORT_BAD, text);
    return status;
}

/* Of which models no plan leaves what is to be left. */
static void note_full(struct report *report, const struct weighed *all, int count)
{
    const char *names = NULL;
    for (int i = 0; i < count; i++)
        if (all[i].of.fits && !all[i].of.offer.leaves_room)
            names = report_text(report, "%s%s%s", names ? names : "", names ? ", " : "",
                                all[i].of.model.id);
    if (names)
        report_note(report,
                    report_text(report,
                                "no plan leaves the headroom of the memory with %s: the best "
                                "plans that fit are shown",
                                names));
}

/* Of which models all plans need the nodes' memory, which is assumed. */
static void note_hosts(struct report *report, const struct rk_budget *budget,
                       const struct weighed *all, int count)
{
    struct host host;
    char note[HOST_WORD];
    const char *names = NULL;
    for (int i = 0; budget->hosted && i < count; i++)
        if (all[i].of.fits && all[i].of.system == budget->hosted)
            names = report_text(report, "%s%s%s", names ? names : "", names ? ", " : "",
                                all[i].of.model.id);
    if (names && host_of(budget->system, budget->gpus, &host))
        report_note(report,
                    report_text(report, "no plan fits the GPUs alone with %s: %s is assumed", names,
                                host_note(&host, note)));
}

static enum rk_status weigh_all(struct weighing *at, struct weighed all[RK_BUDGET_SIZES],
                                int *count, struct rk_error *error)
{
    const struct budget_args *args = at->args;
    struct rk_model own = {.layers = 0};
    enum rk_status status = args->model ? model_open(args->model, &own, error) : RK_OK;
    const int models = args->model ? 1 : RK_BUDGET_SIZES;
    for (*count = 0; status == RK_OK && *count < models && !progress_stopped(); (*count)++) {
        progress_step(at->progress, (uint64_t)*count, (uint64_t)models, 0);
        all[*count].of.model = args->model ? own : rk_budget_model(*count);
        status = weigh(at, &all[*count], error);
    }
    return status;
}

/* How long steps of the runs of a model take; before it, where it is the answer, `what` it is. */
static void add_plan(struct report *report, const struct rk_budgeted *w, const char *what)
{
    struct rk_prediction prediction;
    const struct forecast f = {&w->model, w->system, &w->offer.found.plan, &prediction, "", NULL};
    struct rk_error error; /* without memory the answer stands without them */
    rk_predict(f.model, f.system, f.plan, &prediction);
    if (what) return verdict_of(report, what, &f);
    const char *times = learned_times(report, &f);
    if (!times) return;
    report_paragraph(report, report_text(report, "its step: %s", times));
    forecast_nearest(report, &f, w->model.id, false, &error);
}

/* `count`: how many sizes were weighed. */
static const char *best_text(struct report *report, const struct budget_args *args,
                             const struct rk_budgeted *best, int count)
{
    const double times = best->tokens / RK_BUDGET_TOKENS, usd = times * best->outcome.cost;
    return report_text(report, "%s: %s, %.3g billion parameters on %.3g trillion tokens in %s; ",
                       args->model           ? "affordable"
                       : !progress_stopped() ? "the largest affordable"
                                             : report_text(report,
                                                           "INCOMPLETE, stopped by a signal: the "
                                                           "largest affordable of the first %d "
                                                           "sizes",
                                                           count),
                       best->model.id, (double)rk_model_parameters(&best->model) / 1e9, times,
                       verdict_bill(report, times * best->outcome.total_s / DAY_S, usd,
                                    best->campaign.recovery.spares));
}

/* Which limit keeps the next size of the ladder out. */
static void note_next(struct report *report, const struct budget_args *args,
                      const struct rk_budgeted *best, const struct weighed *all, int count)
{
    int i = 0;
    while (i < count && &all[i].of != best)
        i++;
    if (i + 1 >= count) return;
    const struct rk_budgeted *next = &all[i + 1].of;
    const char *what = report_text(
        report, "sizes are steps of a ladder: the next one, %s, %.3g billion parameters",
        next->model.id, (double)rk_model_parameters(&next->model) / 1e9);
    if (!next->fits) {
        report_paragraph(report, report_text(report, "%s, does not fit", what));
        return;
    }
    const double times = next->asked / RK_BUDGET_TOKENS;
    const double days = times * next->outcome.total_s / DAY_S, usd = times * next->outcome.cost;
    const bool late = args->days > 0 && days > args->days;
    const bool dear = args->cost > 0 && usd > args->cost;
    report_paragraph(report, report_text(report, "%s, needs %s: %s the limit", what,
                                         verdict_bill(report, days, usd, 0),
                                         late && dear ? "both are over"
                                         : dear       ? "the money is over"
                                                      : "the days are over"));
}

static void add_rows(struct report *report, const struct weighing *at, const struct weighed *all,
                     int count)
{
    const char *title = budget_text(report, at->args, at->budget.system);
    struct report_table *table = REPORT_LIST(report, "budget", title, REPORT_IN_ALL, columns);
    if (table) table->chart = &budget_chart;
    report->title = report_text(report, "What a budget trains: %s", title);
    for (int i = 0; i < count; i++)
        add_row(report, table, &all[i].of);
}

static enum rk_status fill(struct report *report, struct weighing *at,
                           struct weighed all[RK_BUDGET_SIZES], bool *found, struct rk_error *error)
{
    const struct budget_args *args = at->args;
    const struct rk_budgeted *best = NULL;
    const char *assumed = "", *batch = "";
    if (!args->batch)
        batch = report_text(report,
                            "batch of %d million tokens, rounded to a multiple of the GPUs "
                            "(--batch), ",
                            RK_BUDGET_STEP_TOKENS >> 20);
    int count;
    enum rk_status status = weigh_all(at, all, &count, error);
    if (status != RK_OK) return status;
    for (int i = 0; i < count; i++) {
        if (rk_budget_affords(&all[i].of)) best = &all[i].of;
        if (all[i].of.fits) assumed = all[i].assumed;
    }
    *found = best != NULL;
    REPORT_OBJECT(report, NULL, {"complete", cell_flag(!progress_stopped())});
    if (best)
        add_plan(report, best, best_text(report, args, best, count));
    else if (count)
        status = note_short(report, at, &all[0].of, error);
    if (best) note_next(report, args, best, all, count);
    note_full(report, all, count);
    note_hosts(report, &at->budget, all, count);
    add_rows(report, at, all, count);
    if (!best && args->model && count && all[0].of.fits) best = &all[0].of;
    if (best) add_plan(report, best, NULL);
    if (*assumed)
        report_paragraph(report,
                         report_text(report, "assumed: %s%s; %s, %s", batch, assumed,
                                     rk_framework_name(rk_usual_framework(at->budget.system)),
                                     "the best plan of a search for each size"));
    return status;
}

static enum rk_status check_arguments(const struct budget_args *args, struct rk_error *error)
{
    const bool long_run = args->days > MOST_DAYS;
    if (!args->system) return system_missing(error);
    if (args->gpus && rk_machine_is_several(args->system))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--gpus does not go with several clusters: each says how many it has");
    if (!(args->days > 0) && !(args->cost > 0))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "no budget: give --days, --cost or both");
    if (long_run || args->cost > MOST_USD)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: give at most %g",
                       long_run ? "--days" : "--cost", long_run ? MOST_DAYS : MOST_USD);
    return RK_OK;
}

int cmd_budget(int argc, char **argv)
{
    struct budget_args args = {.run = RUN_ARGS_INIT};
    struct rk_system system = {.memories = 0}, hosted = {.memories = 0};
    struct report report;
    struct progress progress;
    struct host host;
    struct rk_error error;
    bool found = false;
    const int done = options_read(&budget_usage, argc, argv, &args);
    if (done >= 0) return done;
    report = show_begin(&args.show, args.output);
    enum rk_status status = check_arguments(&args, &error);
    const bool several = status == RK_OK && rk_machine_is_several(args.system);
    if (status == RK_OK) status = rk_system_load_several(args.system, &system, &error);
    if (!args.gpus) args.gpus = status == RK_OK ? host_gpus(&system) : 0;
    if (status == RK_OK && !args.gpus) status = gpus_missing(&system, &error);
    if (status == RK_OK && (args.run.tokens || args.run.phases))
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--%s is what the budget is to tell: leave it out",
                         args.run.tokens ? "tokens" : "phases");
    args.run.tokens = "1T"; /* what a budget allows is found out */
    struct run_terms terms = {.args = NULL};
    if (status == RK_OK) status = run_terms_open(&terms, &args.run, &error);
    progress_start(&progress, "sizes");
    if (status == RK_OK && !several && host_of(&system, args.gpus, &host))
        status = host_load(&host, args.system, &hosted, &error);
    struct weighing at = {.args = &args, .terms = &terms, .progress = &progress};
    at.budget = (struct rk_budget){.system = &system,
                                   .hosted = hosted.memories ? &hosted : NULL,
                                   .days = args.days,
                                   .cost = args.cost,
                                   .law = (enum rk_scaling_law)args.law,
                                   .spares_said = terms.run.has_spares,
                                   .gpus = args.gpus,
                                   .batch = args.batch,
                                   .threads = (int)args.threads,
                                   .stop = stop,
                                   .leave = leave,
                                   .run = run,
                                   .context = &at};
    struct weighed *all = calloc(RK_BUDGET_SIZES, sizeof *all);
    if (!all && status == RK_OK) status = no_memory(&error);
    if (status == RK_OK) status = fill(&report, &at, all, &found, &error);
    progress_end(&progress);
    int code = status == RK_OK ? (found ? RK_OK : RK_NOTHING_FITS) : options_fail(&error);
    if (status == RK_OK && progress_stopped()) code = RK_INTERRUPTED;
    if (status == RK_OK) code = show_report(&report, &args.show, args.output, code);
    run_terms_close(&terms);
    report_release(&report);
    free(all);
    rk_system_release(&system);
    rk_system_release(&hosted);
    return code;
}
