/* reckon budget: the largest model, or the most tokens, that money and days train on a machine. */
#include "base/memory.h"
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/model_input.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/progress.h"
#include "cli/run_args.h"
#include "cli/show.h"
#include "cli/verdict.h"
#include "facts/headroom.h"
#include "facts/learned.h"
#include "report/chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_S = 86400, TOKENS_OF_A_STEP = 1 << 22, SEQUENCE = 8192 };

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
    {.letter = 's', .name = "system", .common = true, .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems",
     .help = "Machine: an id of `reckon systems`, a file, -, or a description in one line"},
    {.letter = 'g', .name = "gpus", .common = true, .type = OPTION_NUMBER, .argument = "N", AT(gpus), .min = 1,
     .help = "Number of GPUs (default: all of the system)"},
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models",
     .help = "Find the most tokens for this model (default: models of Llama 3's shape with 1 to 1,000 billion parameters)"},
    {.name = "days", .common = true, .type = OPTION_COUNT, .argument = "DAYS", AT(days), .help = "At most N days"},
    {.name = "cost", .common = true, .type = OPTION_COUNT, .argument = "USD", AT(cost), .help = "At most N US dollars, \"2M\""},
    {.letter = 'b', .name = "batch", .common = true, .type = OPTION_NUMBER, .argument = "N", AT(batch), .min = 1,
     .help = "Samples per step (default: 4 million tokens, rounded to a multiple of the GPUs)"},
    {.name = "law", .common = true, .type = OPTION_CHOICE, .choices = law_names, AT(law),
     .help = "Number of tokens that a model should see: chinchilla, 20 per parameter [hoffmann2022], or llama3, 0.299 FLOP^0.537 [dubey2024]; active parameters count in mixtures of experts (default: chinchilla)"},
    {.letter = 'j', .name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = MOST_THREADS,
     .help = "Search with N threads (default: all cores)"},
    OPTION_HEADROOM_ROW(AT(headroom)),
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage budget_usage = {
    .name = "budget",
    .summary = "find the largest model or most tokens within a budget",
    .synopsis = "[--system] SYSTEM [--gpus N] [--days N] [--cost USD] [--model MODEL] [options]",
    .description =
        "For each size of a dense model, searches for the best plan on the machine and computes how "
        "many tokens it trains on within the days and the money, failures and checkpoints included. A "
        "size is affordable if it reaches the number of tokens that a published scaling law asks for; "
        "the answer is the largest affordable size. Larger models would see too few tokens.\n\n"
        "Models have the shape of Llama 3 (heads of 128, eight for keys and values, an MLP 3.5 times "
        "as wide, 128,256 tokens, samples of 8,192), unless --model gives one. When no size is "
        "affordable, the exit status is 1 and the answer says how many days and how much money, or how "
        "many GPUs, suffice.",
    .operands = budget_operands,
    .groups = {
        {"Budget", budget_options, 0},
        {"The run, as in reckon-predict(1)", run_options, offsetof(struct budget_args, run), true},
        {"Form", show_options, offsetof(struct budget_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon budget -s h100 -g 512 --days 60 --cost 2M", "What do 2 million dollars and 60 days train?"},
        {"reckon budget -s h100 -g 512 --days 30 -m llama3.1-8b --law llama3", "How many tokens does a model get?"},
    },
    .see_also = "reckon-predict(1), reckon-search(1), reckon-shapes(1)",
};

/* Blocks and hidden size: the ratio of Llama 3's, 102 to 130. */
static const struct size {
    uint64_t layers, hidden;
} sizes[] = {{16, 2048},  {24, 2560},  {28, 3072},  {32, 4096},  {40, 5120},   {48, 6144},   {60, 7168},
             {80, 8192},  {88, 10240}, {96, 12288}, {110, 14336}, {126, 16384}, {140, 18432}, {150, 22528}};

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
enum { COLUMNS = sizeof columns / sizeof *columns, SIZES = sizeof sizes / sizeof *sizes };

static struct rk_model model_of(const struct size *size)
{
    struct rk_model model = {.layers = size->layers,
                             .hidden = size->hidden,
                             .feedforward = size->hidden * 7 / 2,
                             .heads = size->hidden / 128,
                             .kv_heads = 8,
                             .head_dim = 128,
                             .sequence = SEQUENCE,
                             .vocabulary = 128256,
                             .position = RK_POSITION_ROPE,
                             .norm = RK_RMS_NORM,
                             .gated_mlp = true,
                             .activation = RK_SILU,
                             .no_dropout = true,
                             .flash_attention = true,
                             .causal_skip = true};
    snprintf(model.id, sizeof model.id, "%" PRIu64 "x%" PRIu64, size->layers, size->hidden);
    return model;
}

/* What one model gets for the budget. */
struct weighed {
    struct rk_model model;
    bool fits;
    struct rk_offer offer;
    struct rk_campaign campaign;
    struct rk_campaign_outcome outcome; /* of 1e12 tokens */
    double tokens, asked;
    char assumed[RUN_NOTES];
};

static bool affordable(const struct weighed *w)
{
    return w->fits && w->tokens >= w->asked;
}

static bool stop(void *context)
{
    (void)context;
    return progress_stopped();
}

/* Samples of 4 million tokens, in whole samples of every GPU. */
static uint64_t batch_of(const struct budget_args *args, uint64_t gpus,
                         const struct rk_model *model)
{
    const uint64_t samples = TOKENS_OF_A_STEP / model->sequence;
    if (args->batch) return args->batch;
    return samples <= gpus ? gpus : samples / gpus * gpus;
}

/* What is the same for all models. */
struct weighing {
    const struct budget_args *args;
    const struct run_terms *terms;
    const struct rk_system *system;
    struct progress *progress; /* a bar over the sizes */
};

static enum rk_status find_plan(const struct weighing *at, uint64_t gpus, struct weighed *w,
                                struct rk_error *error)
{
    struct rk_plans_problem problem;
    struct rk_aim aim = {.threads = (int)at->args->threads, .stop = stop};
    rk_plans_problem_init(&problem, &w->model, at->system, RK_MEGATRON, gpus,
                          batch_of(at->args, gpus, &w->model), 0);
    const enum rk_status status = at->system->machine
                                      ? headroom_of_clusters(at->args->headroom, &problem, error)
                                      : headroom_room(at->args->headroom, &w->model, at->system,
                                                      &problem.base, &aim.room, error);
    w->fits = status == RK_OK && rk_offer(&problem, &aim, &w->offer);
    return status;
}

/* Days and money are as many times as much as the tokens. */
static enum rk_status weigh(const struct weighing *at, uint64_t gpus, struct weighed *w,
                            struct rk_error *error)
{
    const struct budget_args *args = at->args;
    enum rk_status status = find_plan(at, gpus, w, error);
    if (status != RK_OK || !w->fits) return status;
    const struct rk_plan *plan = &w->offer.found.plan;
    struct rk_prediction prediction;
    rk_predict(&w->model, at->system, plan, &prediction);
    const struct forecast forecast = {&w->model, at->system, plan, &prediction, ""};
    w->assumed[0] = '\0';
    status = run_campaign(at->terms, &forecast, 1e12, &w->campaign, w->assumed, error);
    if (status != RK_OK) return status;
    if (args->cost > 0 && !(w->campaign.price > 0))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--cost: no price of %s is known: give --price", at->system->id);
    rk_campaign_expect(&w->campaign, &w->outcome);
    w->tokens = INFINITY;
    if (args->days > 0) w->tokens = 1e12 * args->days * DAY_S / w->outcome.total_s;
    if (args->cost > 0) w->tokens = fmin(w->tokens, 1e12 * args->cost / w->outcome.cost);
    w->asked = rk_optimal_tokens((enum rk_scaling_law)args->law,
                                 (double)rk_model_active_parameters(&w->model));
    return RK_OK;
}

/* ---- what is said ---- */

static void add_row(struct report *report, struct report_table *table, const struct weighed *w,
                    const struct rk_system *system)
{
    char words[RK_PLAN_TEXT] = "none fits";
    struct report_cell cells[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = cell_none();
    cells[0] = cell_text(w->model.id);
    cells[1] = cell_number((double)rk_model_parameters(&w->model));
    if (w->fits) {
        const struct rk_outcome *o = &w->offer.found.outcome;
        const double times = w->tokens / 1e12;
        const double chance =
            system->machine ? NAN /* each stage has its own */
                            : learned_fit(&w->model, system, &w->offer.found.plan, o->hbm_bytes);
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
        cells[11] = cell_flag(affordable(w));
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

/* ", 50.2 days and 1.3 million USD" that the tokens take that the law asks for. */
static const char *asked_text(struct report *report, const struct weighed *w)
{
    const double times = w->asked / 1e12, usd = times * w->outcome.cost;
    const char *days = report_text(report, "%.4g days", times * w->outcome.total_s / DAY_S);
    return usd > 0 ? report_text(report, "%s and %s", days, verdict_money(report, usd)) : days;
}

enum { DOUBLINGS = 10 };

/* Twice as many, four times, ...: the first number of GPUs that is enough for the budget; 0: none.
 */
static enum rk_status enough_gpus(const struct weighing *at, const struct rk_model *model,
                                  struct weighed *w, uint64_t *enough, struct rk_error *error)
{
    const uint64_t most = at->system->devices ? at->system->devices : UINT64_MAX;
    enum rk_status status = RK_OK;
    uint64_t gpus = at->args->gpus;
    *enough = 0;
    for (int i = 0; i < DOUBLINGS && !*enough && !progress_stopped() && status == RK_OK; i++) {
        gpus *= 2;
        if (gpus > most) break;
        w->model = *model;
        status = weigh(at, gpus, w, error);
        if (affordable(w)) *enough = gpus;
    }
    return status;
}

/* What would do for a model that is not affordable. */
static enum rk_status note_short(struct report *report, const struct weighing *at,
                                 const struct weighed *w, struct rk_error *error)
{
    const struct budget_args *args = at->args;
    struct weighed more = {.fits = false};
    uint64_t gpus = 0;
    const char *text = report_text(
        report, "not affordable: no plan of %s fits these GPUs without offload", w->model.id);
    if (w->fits)
        text = report_text(report,
                           "not affordable: %s gets %.3g billion tokens, the law asks for %.3g "
                           "billion, which take %s",
                           w->model.id, w->tokens / 1e9, w->asked / 1e9, asked_text(report, w));
    enum rk_status status = RK_OK;
    if (args->days > 0 || !w->fits) status = enough_gpus(at, &w->model, &more, &gpus, error);
    if (gpus)
        text = report_text(report, "%s; %" PRIu64 " GPUs suffice, %s", text, gpus,
                           asked_text(report, &more));
    else if (status == RK_OK && (args->days > 0 || !w->fits))
        text =
            report_text(report, "%s; no number of GPUs suffices, of %" PRIu64 " doubled %d times",
                        text, args->gpus, DOUBLINGS);
    report_answer(report, REPORT_BAD, text);
    return status;
}

/* Of which models no plan leaves what is to be left. */
static void note_full(struct report *report, const struct weighed *all, int count)
{
    const char *names = NULL;
    for (int i = 0; i < count; i++)
        if (all[i].fits && !all[i].offer.leaves_room)
            names = report_text(report, "%s%s%s", names ? names : "", names ? ", " : "",
                                all[i].model.id);
    if (names)
        report_note(report,
                    report_text(report,
                                "no plan leaves the headroom of the memory with %s: the best "
                                "plans that fit are shown",
                                names));
}

static enum rk_status weigh_all(const struct weighing *at, struct weighed all[SIZES], int *count,
                                struct rk_error *error)
{
    const struct budget_args *args = at->args;
    struct rk_model own = {.layers = 0};
    enum rk_status status = args->model ? model_open(args->model, &own, error) : RK_OK;
    const int models = args->model ? 1 : SIZES;
    for (*count = 0; status == RK_OK && *count < models && !progress_stopped(); (*count)++) {
        progress_step(at->progress, (uint64_t)*count, (uint64_t)models, 0);
        all[*count].model = args->model ? own : model_of(&sizes[*count]);
        status = weigh(at, args->gpus, &all[*count], error);
    }
    return status;
}

/* How long steps of the runs of a model take; before it, where it is the answer, `what` it is. */
static void add_plan(struct report *report, const struct weighing *at, const struct weighed *w,
                     const char *what)
{
    struct rk_prediction prediction;
    const struct forecast f = {&w->model, at->system, &w->offer.found.plan, &prediction, ""};
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
                             const struct weighed *best, int count)
{
    const double times = best->tokens / 1e12, usd = times * best->outcome.cost;
    return report_text(report,
                       "%s: %s, %.3g billion parameters on %.3g trillion tokens in %.4g days%s%s; ",
                       args->model           ? "affordable"
                       : !progress_stopped() ? "the largest affordable"
                                             : report_text(report,
                                                           "INCOMPLETE, stopped by a signal: the "
                                                           "largest affordable of %d of %d sizes",
                                                           count, SIZES),
                       best->model.id, (double)rk_model_parameters(&best->model) / 1e9, times,
                       times * best->outcome.total_s / DAY_S, usd > 0 ? " for " : "",
                       usd > 0 ? verdict_money(report, usd) : "");
}

static void add_rows(struct report *report, const struct weighing *at, const struct weighed *all,
                     int count)
{
    const char *title = budget_text(report, at->args, at->system);
    struct report_table *table = REPORT_LIST(report, "budget", title, REPORT_IN_ALL, columns);
    if (table) table->chart = &budget_chart;
    report->title = report_text(report, "What a budget trains: %s", title);
    for (int i = 0; i < count; i++)
        add_row(report, table, &all[i], at->system);
}

static enum rk_status fill(struct report *report, const struct weighing *at,
                           struct weighed all[SIZES], bool *found, struct rk_error *error)
{
    const struct budget_args *args = at->args;
    const struct weighed *best = NULL;
    const char *assumed = "";
    int count;
    enum rk_status status = weigh_all(at, all, &count, error);
    if (status != RK_OK) return status;
    for (int i = 0; i < count; i++) {
        if (affordable(&all[i])) best = &all[i];
        if (all[i].fits) assumed = all[i].assumed;
    }
    *found = best != NULL;
    report_record(report, NULL, (const struct report_column[]){{.name = "complete"}}, 1,
                  (const struct report_cell[]){cell_flag(!progress_stopped())});
    if (best)
        add_plan(report, at, best, best_text(report, args, best, count));
    else if (count)
        status = note_short(report, at, &all[0], error);
    note_full(report, all, count);
    add_rows(report, at, all, count);
    if (!best && args->model && count && all[0].fits) best = &all[0];
    if (best) add_plan(report, at, best, NULL);
    if (*assumed)
        report_paragraph(report, report_text(report, "assumed: %s; megatron, %s", assumed,
                                             "the best plan of a search for each size"));
    return status;
}

int cmd_budget(int argc, char **argv)
{
    struct budget_args args = {.run = RUN_ARGS_INIT};
    struct rk_system system = {.memories = 0};
    struct report report = {.first = NULL};
    struct progress progress;
    struct rk_error error;
    bool found = false;
    const int done = options_read(&budget_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = RK_OK;
    const bool several = args.system && rk_machine_is_several(args.system);
    if (!args.system)
        status = system_missing(&error);
    else if (several && args.gpus)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--gpus does not go with several clusters: each says how many it has");
    else if (!(args.days > 0) && !(args.cost > 0))
        status =
            rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "no budget: give --days, --cost or both");
    else if (args.days > MOST_DAYS || args.cost > MOST_USD)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: give at most %g",
                         args.days > MOST_DAYS ? "--days" : "--cost",
                         args.days > MOST_DAYS ? MOST_DAYS : MOST_USD);
    if (status == RK_OK) status = rk_system_load_several(args.system, &system, &error);
    if (!args.gpus) args.gpus = system.devices;
    if (status == RK_OK && !args.gpus)
        status = gpus_missing(&system, &error);
    if (status == RK_OK && (args.run.tokens || args.run.phases))
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--%s is what the budget is to tell: leave it out",
                         args.run.tokens ? "tokens" : "phases");
    args.run.tokens = "1T"; /* what a budget allows is found out */
    struct run_terms terms = {.args = NULL};
    if (status == RK_OK) status = run_terms_open(&terms, &args.run, &error);
    progress_start(&progress, "sizes");
    const struct weighing at = {&args, &terms, &system, &progress};
    struct weighed *all = calloc(SIZES, sizeof *all);
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
    return code;
}
