/* reckon train: runs a plan, and compares what it measures with the prediction. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/executor.h"
#include "cli/exit.h"
#include "cli/keys.h"
#include "cli/page_train.h"
#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "cli/show.h"
#include "cli/train_files.h"
#include "cli/train_model.h"
#include "cli/train_show.h"
#include "cli/train_switch.h"
#include "cli/train_trace.h"
#include "cli/train_watch.h"
#include "text/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) .offset = offsetof(struct train_args, member)

static const char *const rate_names[] = {"constant", "linear", "cosine", "wsd", NULL};

/* clang-format off */
static const struct operand operands[] = {
    {.name = "PLAN", AT(words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option input_rows[] = {
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "model"},
    {.letter = 'd', .name = "data", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(data), .complete = "file"},
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(plan), .complete = "plan"},
    {.name = "ranks", .common = true, .type = OPTION_NUMBER, .argument = "N", AT(ranks), .min = 1, .max = 1024},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "system"},
    {.name = NULL},
};
static const struct option run_rows[] = {
    {.letter = 'n', .name = "steps", .common = true, .type = OPTION_NUMBER, AT(steps), .min = 1, .max = 1000000000},
    {.name = "seed", .common = true, .type = OPTION_NUMBER, AT(seed)},
    {.name = "repeat", .type = OPTION_FLAG, AT(repeat)},
    {.letter = 'l', .name = "load", .common = true, .type = OPTION_TEXT, .argument = "FOLDER", AT(load), .complete = "file"},
    {.name = "save", .common = true, .type = OPTION_TEXT, .argument = "FOLDER", AT(save), .complete = "file"},
    {.name = "save-every", .type = OPTION_NUMBER, .argument = "STEPS", AT(save_every), .min = 1, .max = 1000000000},
    {.name = "switch", .type = OPTION_TEXT, .argument = "FILE", AT(changes), .complete = "file"},
    {.name = "drives", .type = OPTION_TEXT, .argument = "FOLDER", AT(drives), .complete = "file"},
    {.name = "adaptive", .type = OPTION_FLAG, AT(adaptive)},
    {.name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = 256},
    {.name = "device", .type = OPTION_TEXT, .argument = "NAME", AT(device)},
    {.name = "double", .type = OPTION_FLAG, AT(wide)},
    {.name = "limit", .type = OPTION_NUMBER, .argument = "SECONDS", AT(limit), .min = 1, .max = 86400},
    {.name = NULL},
};
static const struct option learning_rows[] = {
    {.name = "rate", .common = true, .type = OPTION_COUNT, AT(rate), .argument = "RATE"},
    {.name = "least-rate", .type = OPTION_COUNT, AT(least_rate), .argument = "RATE"},
    {.name = "warmup", .type = OPTION_NUMBER, AT(warmup), .argument = "STEPS"},
    {.name = "schedule", .type = OPTION_CHOICE, .choices = rate_names, AT(rate_kind)},
    {.name = "decay", .type = OPTION_COUNT, AT(decay), .argument = "DECAY"},
    {.name = "clip", .type = OPTION_COUNT, AT(clip), .argument = "NORM"},
    {.name = "momentum", .type = OPTION_COUNT, AT(momentum), .argument = "M"},
    {.name = "balance", .type = OPTION_COUNT, .zero = true, AT(balance), .argument = "COEF"},
    {.name = "ahead", .type = OPTION_COUNT, .zero = true, AT(ahead), .argument = "WEIGHT"},
    {.name = "bias-rate", .type = OPTION_COUNT, AT(bias_rate), .argument = "RATE"},
    {.name = "loss-scale", .type = OPTION_COUNT, AT(loss_scale), .argument = "SCALE"},
    {.name = "scale-interval", .type = OPTION_NUMBER, AT(scale_interval), .argument = "STEPS", .max = 1000000000},
    {.name = NULL},
};
static const struct option model_rows[] = {
    {.name = "rotary-base", .type = OPTION_COUNT, AT(rotary_base), .argument = "BASE"},
    {.name = "norm-eps", .type = OPTION_COUNT, AT(norm_eps), .argument = "EPS"},
    {.name = "blocks", .type = OPTION_NUMBER, .argument = "TOKENS", AT(block_tokens), .min = 1, .max = 4096},
    {.name = "blocks-local", .type = OPTION_NUMBER, AT(block_local), .min = 1, .max = 1024},
    {.name = "blocks-global", .type = OPTION_NUMBER, AT(block_global), .min = 1, .max = 1024},
    {.name = "blocks-patterns", .type = OPTION_NUMBER, AT(block_patterns), .min = 1, .max = 1024},
    {.name = NULL},
};
static const struct option output_rows[] = {
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = "log", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(log), .complete = "file"},
    {.name = "trace", .type = OPTION_TEXT, .argument = "FILE", AT(trace), .complete = "file"},
    {.name = "dump", .type = OPTION_TEXT, .argument = "FOLDER", AT(dump), .complete = "file"},
    {.name = "dump-steps", .type = OPTION_VALUES, .argument = "N,N", AT(dump_steps), .min = 1, .max = 1000000000},
    {.letter = 'q', .name = "quiet", .type = OPTION_FLAG, AT(quiet)},
    {.name = NULL},
};

const struct usage train_usage = {
#include "help/train.h"
    .operands = operands,
    .groups = {
        {"Input", input_rows, 0},
        {"Run", run_rows, 0},
        {"Learning", learning_rows, 0},
        {"Model", model_rows, 0},
        {"Output", output_rows, 0},
        {"Form of the table", show_options, offsetof(struct train_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- all of it ---- */

static void defaults(struct train_args *args)
{
    const struct rk_train t = cli_executor->defaults();
    args->steps = t.steps;
    args->seed = t.seed;
    args->threads = (uint64_t)t.threads;
    args->limit = (uint64_t)t.limit_s;
    args->rate = t.rate;
    args->warmup = UINT64_MAX;
    args->rate_kind = (int)t.rate_kind;
    args->decay = t.decay;
    args->clip = t.clip;
    args->momentum = t.momentum;
    args->balance = t.balance;
    args->ahead = t.ahead_weight;
    args->bias_rate = t.bias_rate;
    args->loss_scale = t.loss_scale;
    args->scale_interval = t.scale_interval;
    args->block_local = t.block_local;
    args->block_global = t.block_global;
    args->block_patterns = t.block_patterns;
}

/* `t` has what the model says. */
static struct rk_train settings_of(const struct train_args *args, struct rk_train t)
{
    t.steps = args->steps;
    t.seed = args->seed;
    t.double_precision = args->wide;
    t.device = args->device;
    t.threads = (int)args->threads;
    t.limit_s = (double)args->limit;
    t.rate = args->rate;
    t.least_rate = args->least_rate > 0 ? args->least_rate : args->rate / 10;
    t.warmup = args->warmup == UINT64_MAX ? args->steps / 10 : args->warmup;
    t.rate_kind = (enum rk_rate)args->rate_kind;
    t.decay = args->decay;
    t.clip = args->clip;
    t.momentum = args->momentum;
    t.balance = args->balance;
    t.ahead_weight = args->ahead;
    t.bias_rate = args->bias_rate;
    t.loss_scale = args->loss_scale;
    t.scale_interval = args->scale_interval;
    if (args->rotary_base > 0) t.rotary_base = args->rotary_base;
    if (args->norm_eps > 0) t.norm_eps = args->norm_eps;
    t.repeat = args->repeat;
    t.adaptive = args->adaptive;
    t.block_tokens = (uint32_t)args->block_tokens;
    t.block_local = (uint32_t)args->block_local;
    t.block_global = (uint32_t)args->block_global;
    t.block_patterns = (uint32_t)args->block_patterns;
    return t;
}

/* Without --system any machine with all memory tiers will do: the order of instructions does not
 * depend on it. */
static const char any_system[] = "h100-sxm5-80g mem2=1TiB@25GB/s ssd=4*samsung-980pro-1tb";

static enum rk_status need(const struct train_args *args, const struct rk_train *usual,
                           struct rk_error *error)
{
    if (!args->model)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "say what to train: --model gpt2-124m");
    if (!args->data)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "say what to train on: --data tokens.bin");
    if (args->save_every && !args->save)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--save-every %llu: say where to, --save FOLDER",
                       (unsigned long long)args->save_every);
    if (!args->block_tokens &&
        (args->block_local != usual->block_local || args->block_global != usual->block_global ||
         args->block_patterns != usual->block_patterns))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--blocks-local, --blocks-global and --blocks-patterns are of sparse "
                       "attention: say --blocks TOKENS, too");
    if (args->least_rate > args->rate)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--least-rate %g is above --rate %g",
                       args->least_rate, args->rate);
    return RK_OK;
}

static bool offloads(const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    bool any = plan->recompute_rest;
    for (int i = 0; i < RK_SHARES * RK_SHARE_TIERS; i++) {
        any |= plan->share[i / RK_SHARE_TIERS][i % RK_SHARE_TIERS] > 0;
        for (int l = 0; l < layout->others; l++)
            any |= layout->other[l].share[i / RK_SHARE_TIERS][i % RK_SHARE_TIERS] > 0;
    }
    return any;
}

/* What the plan does not read would change nothing. */
static enum rk_status check_options(const struct train_args *args, const struct rk_train *usual,
                                    const struct rk_model *model, const struct rk_plan *plan,
                                    struct rk_error *error)
{
    const bool scales = plan->precision == RK_FP16 || args->changes;
    if (args->momentum != usual->momentum && plan->optimizer != RK_MUON)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--momentum %g is of Muon: say optimizer=muon, too", args->momentum);
    const bool moves = offloads(plan) || args->changes;
    if ((args->drives || args->adaptive) && !moves)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s is of plans that offload: say offload-activations=1 or the like, too",
                       args->drives ? "--drives" : "--adaptive");
    if (args->balance != usual->balance && !model->experts)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--balance %g is of experts, and %s has none: leave it out", args->balance,
                       model->id);
    if (args->ahead != usual->ahead_weight && !model->predict_layers)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "--ahead %g is of multi-token prediction, and %s has no such layers: leave it out",
            args->ahead, model->id);
    if (args->bias_rate != usual->bias_rate && !model->router_biases)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--bias-rate %g is of models whose routers have biases (router_biases), and "
                       "%s has none: leave it out",
                       args->bias_rate, model->id);
    if ((args->wide || !scales) &&
        (args->loss_scale != usual->loss_scale || args->scale_interval != usual->scale_interval))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--loss-scale and --scale-interval are of fp16: say precision=fp16, too, "
                       "and leave --double out");
    return RK_OK;
}

/* What the checker refuses, in the words of reckon predict. What is of memory, numbers and networks
 * is not judged: the machine's own are. */
static enum rk_status check_plan(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *plan, struct rk_error *error)
{
    struct rk_prediction p;
    struct report report = {.first = NULL};
    if (!rk_answerer(plan->framework)->runs) return RK_OK; /* the executor has none */
    const enum rk_verdict verdict = rk_predict(model, system, plan, &p);
    if (verdict == RK_FITS || verdict == RK_MEMORY_EXCEEDED || verdict == RK_BAD_DATATYPE ||
        verdict == RK_NETWORK_TOO_SMALL)
        return RK_OK;
    const struct forecast forecast = {model, system, plan, &p, "", NULL};
    rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "the plan cannot run: %s",
            forecast_reason(&report, &forecast, 0));
    report_release(&report);
    return RK_NOTHING_FITS;
}

/* The answer, on a page with the curve of the loss where one was asked for. */
static int show_answer(const struct watch *w, const struct train_asked *asked,
                       const struct rk_train_result *result)
{
    char words[RK_PLAN_TEXT];
    struct report report = {.first = NULL};
    struct rk_error error;
    train_show(&report, asked, result);
    int code = RK_OK;
    if (!w->curve) {
        code = show_report(&report, &w->args->show, w->args->output, RK_OK);
    } else {
        rk_plan_text(asked->plan, words, sizeof words);
        const struct page_train page = {report_text(&report, "%s, trained to step %llu",
                                                    asked->model->id, (unsigned long long)w->done),
                                        report_text(&report, "%llu rank%s: %s",
                                                    (unsigned long long)asked->plan->ranks,
                                                    asked->plan->ranks == 1 ? "" : "s", words),
                                        w->curve, &report};
        if (page_train(&page, w->args->output, &error) != RK_OK) code = options_fail(&error);
    }
    report_release(&report);
    return code;
}

/* With --blocks every other layer is one that the model itself could say. */
static struct rk_model model_that_ran(const struct rk_model *model, const struct train_args *args)
{
    struct rk_model ran = *model;
    if (!args->block_tokens) return ran;
    snprintf(ran.mixers, sizeof ran.mixers, "al");
    ran.window_chunks = true;
    ran.window = args->block_tokens * args->block_local;
    ran.window_globals = args->block_tokens * args->block_global;
    return ran;
}

/* A run that was asked to stop says so, and where it continues. */
static int show_stopped(const struct watch *w, int code)
{
    if (!train_asked_to_stop || w->done >= w->steps || code != RK_OK) return code;
    fprintf(stderr, "reckon: stopped after step %llu of %llu: ", (unsigned long long)w->done,
            (unsigned long long)w->steps);
    if (w->args->save)
        fprintf(stderr, "--load %s goes on from there\n", w->args->save);
    else
        fputs("nothing is kept without --save\n", stderr);
    return train_asked_to_stop == SIGUSR1 ? code : exit_stopped(train_asked_to_stop);
}

static enum rk_status open_file(const char *path, const char *mode, FILE **file,
                                struct rk_error *error)
{
    if ((*file = fopen(path, mode))) return RK_OK;
    return rk_fail(error, RK_IO, path, 0, 0, "cannot be %s: %s", *mode == 'r' ? "read" : "written",
                   strerror(errno));
}

/* What a run is of. */
struct train_job {
    struct rk_model model;
    struct rk_system system;
    struct plan_draft draft;
    struct rk_train of_model, train; /* as the model's family has it; with what the line says */
    struct rk_train_result result;
};

/* Is this the process that prints and writes files? */
static bool speaks(void)
{
    return cli_executor && cli_executor->rank == 0;
}

static enum rk_status read_job(const struct train_args *args, struct train_job *job,
                               struct rk_error *error)
{
    struct rk_train_about about = {.step = 0};
    struct rk_plan *plan = &job->draft.plan;
    enum rk_status status = need(args, &job->of_model, error);
    if (status == RK_OK) status = train_model_open(args->model, &job->model, &job->of_model, error);
    job->model.no_dropout = true; /* the executor has none: neither is its time predicted */
    if (status == RK_OK && args->load) status = cli_executor->look(args->load, &about, error);
    if (status == RK_OK)
        status = train_plan_read(args->plan, &args->words, args->ranks, &about, &job->draft, error);
    if (status == RK_OK) status = check_options(args, &job->of_model, &job->model, plan, error);
    if (status == RK_OK)
        status = rk_system_load(args->system ? args->system : any_system, &job->system, error);
    if (status == RK_OK) status = executor_same_products(args->system, error);
    if (status == RK_OK) status = check_plan(&job->model, &job->system, plan, error);
    if (status == RK_OK && !args->system)
        snprintf(job->system.id, sizeof job->system.id, "the machine assumed without --system");
    return status;
}

static enum rk_status open_files(const struct train_args *args, struct watch *watch,
                                 struct rk_error *error)
{
    enum rk_status status = speaks() ? output_try(args->output, error) : RK_OK;
    if (status == RK_OK && args->log && speaks())
        status = open_file(args->log, "a+", &watch->log, error);
    if (status == RK_OK && args->trace && speaks())
        status = open_file(args->trace, "w", &watch->trace.file, error);
    if (status == RK_OK && args->changes)
        status = open_file(args->changes, "r", &watch->changes.file, error);
    if (status == RK_OK && speaks() && show_is_page(&args->show, args->output) &&
        !(watch->curve = calloc(1, sizeof *watch->curve)))
        status = no_memory(error);
    return status;
}

/* What computes: a result's bytes and its time depend on it. */
static void say_head(const struct train_args *args, const struct rk_plan *plan)
{
    char kernels[192];
    executor_warn_of_slow();
    if (args->quiet) return;
    executor_products(args->wide, plan->precision == RK_BF16 && !args->wide, kernels,
                      sizeof kernels);
    FILE *out = args->show.format == REPORT_AS_TEXT ? stdout : stderr;
    fprintf(out, "kernels: %s; %llu thread%s per rank\n", kernels,
            (unsigned long long)args->threads, args->threads == 1 ? "" : "s");
    fflush(out);
}

enum { DUMPS = 256 };

/* The first step, where none is said. */
static uint64_t dump_steps(const struct train_args *args, uint64_t *step)
{
    uint64_t count = 0;
    for (int i = 0; i < args->dump_steps.count; i++)
        for (uint64_t n = args->dump_steps.range[i].low;
             n <= args->dump_steps.range[i].high && count < DUMPS; n++)
            step[count++] = n;
    return count ? count : 1;
}

static enum rk_status run_job(const struct train_args *args, struct train_job *job,
                              struct watch *watch, struct train_files *files,
                              struct rk_error *error)
{
    struct rk_plan *plan = &job->draft.plan;
    uint64_t steps[DUMPS] = {1};
    const uint64_t dumps = dump_steps(args, steps);
    job->train = settings_of(args, job->of_model);
    watch->plan = plan;
    watch->trace.ranks_of_stage = plan->ranks / plan->pipeline;
    watch->changes.path = args->changes;
    watch->changes.model = &job->model;
    watch->changes.system = &job->system;
    watch->changes.train = &job->train;
    if (args->save && speaks())
        train_files_collect(args->model, args->load, &job->model, &job->train, files);
    const struct rk_train_run run = {.data = args->data,
                                     .system = &job->system,
                                     .load = args->load,
                                     .save = args->save,
                                     .drives = args->drives,
                                     .dump = args->dump,
                                     .dump_step = steps,
                                     .dumps = dumps,
                                     .save_every = args->save_every,
                                     .file = files->file,
                                     .files = files->count,
                                     .step = train_watch_step,
                                     .warn = train_warn,
                                     .trace = watch->trace.file ? train_take_trace : NULL,
                                     .next_plan = watch->changes.file ? train_next_plan : NULL,
                                     .context = watch};
    train_catch_signals();
    if (speaks()) say_head(args, plan);
    return cli_executor->train(&job->model, plan, &job->train, &run, &job->result, error);
}

static enum rk_status close_files(const struct train_args *args, struct watch *watch,
                                  enum rk_status status, struct rk_error *error)
{
    if (!train_trace_end(&watch->trace) && status == RK_OK)
        status = rk_fail(error, RK_IO, args->trace, 0, 0, "not everything could be written");
    if (watch->changes.file) fclose(watch->changes.file);
    if (watch->log && fclose(watch->log) != 0 && status == RK_OK)
        status = rk_fail(error, RK_IO, args->log, 0, 0, "not everything could be written");
    return status;
}

int cmd_train(int argc, char **argv)
{
    struct train_args args = {.model = NULL};
    struct train_files files = {.count = 0};
    struct train_job job = {.system = {.id = ""}};
    struct rk_error error;
    if (!cli_executor && !executor_is_asked_for_help(argc, argv))
        return executor_become(argc, argv);
    if (cli_executor) defaults(&args);
    const int done = options_read(&train_usage, argc, argv, &args);
    if (done >= 0) return done;

    struct watch watch = {.args = &args, .steps = args.steps};
    job.of_model = cli_executor->defaults();
    enum rk_status status = read_job(&args, &job, &error);
    if (status == RK_OK) status = open_files(&args, &watch, &error);
    if (status == RK_OK) status = run_job(&args, &job, &watch, &files, &error);
    status = close_files(&args, &watch, status, &error);
    int code = status;
    if (status != RK_OK) {
        code = options_fail(&error);
    } else if (speaks() && job.result.steps) {
        const struct rk_model ran = model_that_ran(&job.model, &args);
        const struct train_asked asked = {&ran, &job.system, &job.draft.plan, &job.train,
                                          args.system != NULL};
        code = show_stopped(&watch, show_answer(&watch, &asked, &job.result));
    }
    if (code == RK_OK && watch.log_lost) code = RK_IO;
    train_files_release(&files);
    free(watch.curve);
    rk_system_release(&job.system);
    return code;
}
