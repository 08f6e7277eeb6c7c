/* reckon budget: the largest model, or the most tokens, that money and days train on a machine. */
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/model_input.h"
#include "cli/prediction.h"
#include "cli/progress.h"
#include "cli/run_args.h"
#include "cli/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DAY_S = 86400, TOKENS_OF_A_STEP = 1 << 22, SEQUENCE = 8192 };

static const double MOST_DAYS = 36525, MOST_USD = 1e15; /* a century; all there is */

struct budget_args {
    struct run_args run;
    const char *model, *system;
    uint64_t gpus, batch, threads;
    double days, cost;
    int law;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct budget_args, member)

static const char *const law_names[] = {"chinchilla", "llama3", NULL};

/* clang-format off */
static const struct option budget_options[] = {
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems",
     .help = "the machine: an id of `reckon systems`, a file, -, or a description in one line"},
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, .argument = "N", AT(gpus), .min = 1,
     .help = "accelerators in use"},
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models",
     .help = "this model alone: the most tokens (models of Llama 3's shape, of 1 to 1,000 billion parameters)"},
    {.name = "days", .type = OPTION_COUNT, .argument = "DAYS", AT(days), .help = "at most so many"},
    {.name = "cost", .type = OPTION_COUNT, .argument = "USD", AT(cost), .help = "at most so much, \"2M\""},
    {.letter = 'b', .name = "batch", .type = OPTION_NUMBER, .argument = "N", AT(batch), .min = 1,
     .help = "samples of one step (what has 4 million tokens, a multiple of the GPUs)"},
    {.name = "law", .type = OPTION_CHOICE, .choices = law_names, AT(law),
     .help = "how many tokens a model should see: 20 a parameter [hoffmann2022], or 0.299 FLOP^0.537 [dubey2024] (chinchilla)"},
    {.letter = 'j', .name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = MOST_THREADS,
     .help = "threads to search with (all cores)"},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage budget_usage = {
    .name = "budget",
    .summary = "the largest model, or most tokens, that money and days train",
    .synopsis = "--system SYSTEM --gpus N [--days N] [--cost USD] [--model MODEL] [options]",
    .description =
        "For each size of a dense model the best plan on the machine is searched, and how many tokens "
        "it trains on within the days and the money, failures and checkpoints included. A size whose "
        "tokens reach what a published scaling law asks for is affordable; the largest such one is "
        "the answer: larger ones would see too few tokens.\n\n"
        "Models have the shape of Llama 3 (heads of 128, eight for keys and values, an MLP 3.5 times "
        "as wide, 128,256 tokens, samples of 8,192), unless --model gives one. The exit status is 1 "
        "when no size is affordable.",
    .groups = {
        {"Budget", budget_options, 0},
        {"The run, as in reckon-predict(1)", run_options, offsetof(struct budget_args, run), true},
        {"Form", show_options, offsetof(struct budget_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon budget -s h100 -g 512 --days 60 --cost 2M", "What 2 million dollars and 60 days train:"},
        {"reckon budget -s h100 -g 512 --days 30 -m llama3.1-8b --law llama3", "How many tokens a model gets:"},
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
    {.name = "tokens", .title = "tokens within", .unit = "n", .digits = 3},
    {.name = "days", .digits = 4},
    {.name = "cost_usd", .title = "cost in USD", .unit = "n", .digits = 3},
    {.name = "tokens_per_parameter", .title = "tokens a parameter", .digits = 3},
    {.name = "asked", .title = "asked for by the law", .unit = "n", .digits = 3},
    {.name = "affordable"},
    {.name = "plan", .title = "best plan"}};
/* clang-format on */
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
struct offer_of {
    struct rk_found found;
    struct rk_campaign campaign;
    struct rk_campaign_outcome outcome;
    double tokens, asked;
    char assumed[RUN_NOTES];
};

static bool stop(void *context)
{
    (void)context;
    return progress_stopped();
}

/* Samples of 4 million tokens, in whole samples of every GPU. */
static uint64_t batch_of(const struct budget_args *args, const struct rk_model *model)
{
    const uint64_t samples = TOKENS_OF_A_STEP / model->sequence;
    if (args->batch) return args->batch;
    return samples <= args->gpus ? args->gpus : samples / args->gpus * args->gpus;
}

/* False: no plan of the model fits. */
static enum rk_status weigh(const struct budget_args *args, const struct run_terms *terms,
                            const struct rk_model *model, const struct rk_system *system,
                            struct offer_of *offer, bool *fits, struct rk_error *error)
{
    struct rk_plans_problem problem;
    const struct rk_aim aim = {.threads = (int)args->threads, .stop = stop};
    rk_plans_problem_init(&problem, model, system, RK_MEGATRON, args->gpus, batch_of(args, model),
                          0);
    *fits = rk_find(&problem, &aim, &offer->found);
    if (!*fits) return RK_OK;
    struct rk_prediction prediction;
    rk_predict(model, system, &offer->found.plan, &prediction);
    const struct forecast forecast = {model, system, &offer->found.plan, &prediction, ""};
    offer->assumed[0] = '\0';
    const enum rk_status status = /* days and money are as many times as much as the tokens */
        run_campaign(terms, &forecast, 1e12, &offer->campaign, offer->assumed, error);
    if (status != RK_OK) return status;
    if (args->cost > 0 && !(offer->campaign.price > 0))
        return rk_fail(error, RK_USAGE, NULL, 0, 0, "--cost: no price of %s is known: give --price",
                       system->id);
    rk_campaign_expect(&offer->campaign, &offer->outcome);
    offer->tokens = INFINITY;
    if (args->days > 0) offer->tokens = 1e12 * args->days * DAY_S / offer->outcome.total_s;
    if (args->cost > 0)
        offer->tokens = fmin(offer->tokens, 1e12 * args->cost / offer->outcome.cost);
    const double parameters = (double)rk_model_parameters(model);
    double best, tokens;
    if (args->law == RK_CHINCHILLA) {
        offer->asked = 20 * parameters;
    } else { /* the FLOP whose optimum has these parameters */
        double low = 1e15, high = 1e30;
        for (int i = 0; i < 200; i++) {
            const double middle = sqrt(low * high);
            rk_compute_optimal(RK_LLAMA_3, middle, &best, &tokens);
            *(best < parameters ? &low : &high) = middle;
        }
        rk_compute_optimal(RK_LLAMA_3, high, &best, &offer->asked);
    }
    return RK_OK;
}

static void add_row(struct report *report, struct report_table *table, const struct rk_model *model,
                    const struct offer_of *offer, bool fits)
{
    char words[RK_PLAN_TEXT] = "none fits";
    const double parameters = (double)rk_model_parameters(model);
    struct report_cell cells[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = cell_none();
    cells[0] = cell_text(report_text(report, "%s", model->id));
    cells[1] = cell_number(parameters);
    if (fits) {
        const double times = offer->tokens / 1e12;
        rk_plan_text(&offer->found.plan, words, sizeof words);
        cells[2] = cell_number(offer->found.outcome.step_s);
        cells[3] = cell_number(offer->found.outcome.mfu);
        cells[4] = cell_number(offer->tokens);
        cells[5] = cell_number(times * offer->outcome.total_s / DAY_S);
        if (offer->outcome.cost > 0) cells[6] = cell_number(times * offer->outcome.cost);
        cells[7] = cell_number(offer->tokens / parameters);
        cells[8] = cell_number(offer->asked);
        cells[9] = cell_flag(offer->tokens >= offer->asked);
    }
    cells[10] = cell_text(report_text(report, "%s", words));
    report_row(report, table, cells);
}

/* "512 h100-sxm5-80g, 60 days, 2 M USD" */
static const char *budget_text(struct report *report, const struct budget_args *args,
                               const struct rk_system *system)
{
    const char *text = report_text(report, "%" PRIu64 " %s", args->gpus, system->id);
    if (args->days > 0) text = report_text(report, "%s, %g days", text, args->days);
    if (!(args->cost > 0)) return text;
    return args->cost < 1e5 ? report_text(report, "%s, %.6g USD", text, args->cost)
                            : report_text(report, "%s, %g million USD", text, args->cost / 1e6);
}

/* How long steps of such runs take. */
static const char *range_text(struct report *report, const struct rk_model *model,
                              const struct rk_system *system, const struct rk_plan *plan)
{
    struct rk_prediction prediction;
    const struct forecast f = {model, system, plan, &prediction, ""};
    rk_predict(model, system, plan, &prediction);
    const char *times = learned_times(report, &f);
    return times ? report_text(report, "its step: %s", times) : NULL;
}

static enum rk_status fill(struct report *report, const struct budget_args *args,
                           const struct run_terms *terms, const struct rk_system *system,
                           bool *found, struct rk_error *error)
{
    struct rk_model own = {.layers = 0};
    struct report_table *table =
        REPORT_LIST(report, "budget", budget_text(report, args, system), REPORT_IN_ALL, columns);
    const char *assumed = "", *best = NULL, *short_of = NULL, *range = NULL;
    enum rk_status status = args->model ? model_open(args->model, &own, error) : RK_OK;
    for (int i = 0; status == RK_OK && i < (args->model ? 1 : SIZES) && !progress_stopped(); i++) {
        const struct rk_model model = args->model ? own : model_of(&sizes[i]);
        struct offer_of offer;
        bool fits = false;
        status = weigh(args, terms, &model, system, &offer, &fits, error);
        if (status != RK_OK) break;
        add_row(report, table, &model, &offer, fits);
        if (!fits) continue;
        assumed = report_text(report, "%s", offer.assumed);
        if (offer.tokens >= offer.asked || args->model)
            range = range_text(report, &model, system, &offer.found.plan);
        if (offer.tokens >= offer.asked)
            best =
                report_text(report, "%s, %.3g billion parameters on %.3g trillion tokens", model.id,
                            (double)rk_model_parameters(&model) / 1e9, offer.tokens / 1e12);
        else if (args->model)
            short_of = report_text(report,
                                   "not affordable: %s gets %.3g billion tokens, the law asks for "
                                   "%.3g billion; more days, more money, or more GPUs",
                                   model.id, offer.tokens / 1e9, offer.asked / 1e9);
    }
    if (status != RK_OK) return status;
    *found = best != NULL;
    if (best)
        report_note(report,
                    report_text(report, "%s: %s",
                                args->model ? "affordable" : "the largest affordable", best));
    else
        report_note(report, short_of
                                ? short_of
                                : "no size is affordable: more days, more money, or more GPUs");
    if (range) report_paragraph(report, range);
    if (*assumed)
        report_paragraph(report, report_text(report, "assumed: %s; megatron, %s", assumed,
                                             "the best plan of a search for each size"));
    return RK_OK;
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
    if (!args.system || !args.gpus)
        status = rk_fail(&error, RK_USAGE, NULL, 0, 0,
                         args.system ? "--gpus is missing: say how many there are"
                                     : "--system is missing: say on which machine");
    else if (!(args.days > 0) && !(args.cost > 0))
        status = rk_fail(&error, RK_USAGE, NULL, 0, 0, "no budget: give --days, --cost or both");
    else if (args.days > MOST_DAYS || args.cost > MOST_USD)
        status = rk_fail(&error, RK_USAGE, NULL, 0, 0, "%s: give at most %g",
                         args.days > MOST_DAYS ? "--days" : "--cost",
                         args.days > MOST_DAYS ? MOST_DAYS : MOST_USD);
    if (status == RK_OK) status = rk_system_load(args.system, &system, &error);
    if (status == RK_OK && (args.run.tokens || args.run.phases))
        status = rk_fail(&error, RK_USAGE, NULL, 0, 0,
                         "--%s is what the budget is to tell: leave it out",
                         args.run.tokens ? "tokens" : "phases");
    args.run.tokens = "1T"; /* what a budget allows is found out */
    struct run_terms terms = {.args = NULL};
    if (status == RK_OK) status = run_terms_open(&terms, &args.run, &error);
    progress_start(&progress, "sizes");
    if (status == RK_OK) status = fill(&report, &args, &terms, &system, &found, &error);
    progress_end(&progress);
    int code = status == RK_OK ? (found ? RK_OK : RK_NOTHING_FITS) : options_fail(&error);
    if (status == RK_OK && progress_stopped()) code = progress_code();
    if (status == RK_OK) code = show_report(&report, &args.show, args.output, code);
    run_terms_close(&terms);
    report_release(&report);
    rk_system_release(&system);
    return code;
}
