/* calculon_llm.c - `reckon calculon llm`: one strategy. */
#include "calculon/calculon_read.h"
#include "calculon/calculon_refusal.h"
#include "calculon/calculon_search.h"
#include "calculon/calculon_write.h"
#include "cli/commands.h"
#include "commands/calculon_commands.h"
#include "text/output.h"

#include <math.h>
#include <string.h>

struct llm_args {
    const char *model, *execution, *system, *stats, *peers;
    bool layers, upstream;
};

/* clang-format off */
static const struct operand llm_operands[] = {
    { .name = "MODEL", .offset = offsetof(struct llm_args, model),     .complete = "file" },
    { .name = "EXECUTION", .offset = offsetof(struct llm_args, execution), .complete = "file" },
    { .name = "SYSTEM", .offset = offsetof(struct llm_args, system),    .complete = "file" },
    { .name = "STATS", .offset = offsetof(struct llm_args, stats),     .complete = "file" },
    { .name = NULL },
};

static const struct option llm_options[] = {
    { .letter = 'p', .name = "peers",  .type = OPTION_TEXT, .argument = "FILE", .offset = offsetof(struct llm_args, peers), .complete = "file"},
    { .letter = 'l', .name = "layers", .type = OPTION_FLAG, .offset = offsetof(struct llm_args, layers)},
    { .name = "upstream", .type = OPTION_FLAG, .offset = offsetof(struct llm_args, upstream)},
    { .name = NULL },
};

/* clang-format on */

const struct usage calculon_llm_usage = {
#include "help/calculon-llm.h"
    .operands = llm_operands,
    .abbreviations = true,
    .groups = {{"Options", llm_options, 0}, {"General", options_help_rows, 0}},
};

/* Writes what was asked for; both files or none. */
static enum rk_status llm_write(const struct llm_args *args, const struct calculon_run *run,
                                struct rk_error *error)
{
    struct output stats = {.file = NULL}, peers = {.file = NULL};
    enum rk_status status = output_open(&stats, args->stats, error);
    if (status == RK_OK && args->peers) status = output_open(&peers, args->peers, error);
    if (status != RK_OK) goto out;
    if (stats.file == stdout)
        calculon_write_text(stats.file, run);
    else
        calculon_write_stats(stats.file, calculon_style_of(args->stats), run, args->layers);
    if (args->peers) {
        calculon_write_peers(peers.file, calculon_style_of(args->peers), &run->execution->strategy);
        status = output_commit(&peers, error);
    }
    if (status == RK_OK) status = output_commit(&stats, error);
out:
    output_abandon(&peers);
    output_abandon(&stats);
    return status;
}

static enum rk_status llm_estimate(const struct llm_args *args, struct calculon_run *run,
                                   struct rk_estimate *estimate, struct rk_error *error)
{
    const struct rk_strategy *strategy = &run->execution->strategy;
    struct calculon_refusal refusal;
    run->estimate = estimate;
    const bool fits = rk_estimate(run->model, run->system, strategy, estimate) == RK_FITS;
    if (strategy->upstream && !strategy->training)
        estimate->checkpoint_min_bytes = (double)NAN; /* which that tool has not */
    if (fits) return RK_OK;
    calculon_refuse(run->model, run->system, strategy, estimate, &refusal);
    if (!refusal.infeasible)
        return rk_fail(error, RK_BAD_INPUT, args->execution, 0, 0,
                       "no valid execution of this model on this system: %s", refusal.text);
    fprintf(stderr, "ERROR: %s\n", refusal.text);
    return RK_NOTHING_FITS;
}

int calculon_run_llm(int argc, char **argv)
{
    struct llm_args args = {.peers = NULL};
    struct rk_model model;
    struct rk_system system = {.memories = 0};
    struct calculon_execution execution;
    struct rk_estimate estimate;
    struct calculon_run run = {&model, &system, &execution, NULL};
    struct rk_error error = {.status = RK_OK};
    const int done = options_read(&calculon_llm_usage, argc, argv, &args);
    if (done >= 0) return done;

    enum rk_status status = RK_OK;
    if (strcmp(args.stats, "-") != 0 && !calculon_is_json(args.stats))
        status = calculon_refuse_ending("STATS", args.stats, ".json, .json.gz or -", &error);
    if (status == RK_OK && args.peers && !calculon_is_json(args.peers))
        status = calculon_refuse_ending("--peers", args.peers, ".json or .json.gz", &error);
    if (status == RK_OK)
        status = calculon_check_inputs(args.model, args.execution, args.system, &error);
    if (status == RK_OK) status = calculon_read_model(args.model, &model, &error);
    if (status == RK_OK) status = calculon_read_execution(args.execution, &execution, &error);
    if (status == RK_OK) status = calculon_read_system(args.system, &system, &error);
    if (status == RK_OK) {
        model.attention = execution.attention;
        execution.strategy.upstream = args.upstream;
        status = llm_estimate(&args, &run, &estimate, &error);
    }
    if (status == RK_OK) status = llm_write(&args, &run, &error);
    rk_system_release(&system);
    return status == RK_OK || status == RK_NOTHING_FITS ? (int)status : options_fail(&error);
}
