/* reckon export ranks: where each rank of a plan over several clusters runs, as files that
 * launchers read, or drawn. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/export_plan.h"
#include "cli/plan_operands.h"
#include "cli/ranks_files.h"
#include "cli/ranks_map.h"
#include "clusters/predict.h"

#include <stdlib.h>

struct ranks_args {
    struct plan_source source;
    int format; /* enum ranks_format */
    const char *output;
};

#define AT(member) .offset = offsetof(struct ranks_args, member)

/* clang-format off */
static const struct operand ranks_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option ranks_options[] = {
    {.name = "ranks-format", .type = OPTION_CHOICE, .argument = "FORMAT", AT(format), .choices = ranks_format_names},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};
const struct usage export_ranks_usage = {
#include "help/export-ranks.h"
    .operands = ranks_operands, .words_title = "Words of a plan", .words = plan_words,
    .groups = {
        {"Input", plan_source_options, offsetof(struct ranks_args, source)},
        {"Output", ranks_options, 0},
        {"General", options_help_rows, 0},
        {NULL, plan_options, offsetof(struct ranks_args, source)},
    },
};
/* clang-format on */

/* Why the groups of its ranks cannot be written; NULL: they can. */
static const char *irregular(const struct clusters_plan *plan, enum ranks_format format)
{
    for (int i = 0; i < plan->stages; i++) {
        if (!plan->stage[i].homes) continue;
        if (!plan->stage[i].regular)
            return "replicas of a stage have different tensor or context degrees, whose shards no "
                   "group of ranks can reduce";
        if (!plan->stage[i].even && plan->stages > 1 && format == RANKS_NCCL)
            return "replicas of a stage have different shares of the samples: messages are listed "
                   "with \"shares\": \"equal\" in the plan";
    }
    return NULL;
}

static enum rk_status write_ranks(const struct ranks_args *args, const struct plan_input *input,
                                  struct rk_error *error)
{
    struct clusters_judged *judged = malloc(sizeof *judged);
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    const enum ranks_format format = (enum ranks_format)args->format;
    enum rk_status status = judged && prediction ? RK_OK : no_memory(error);
    if (status == RK_OK) {
        predict_clusters(&input->model, &input->system, &input->draft.plan, prediction, judged);
        const char *why = prediction->timed ? irregular(&judged->plan, format)
                                            : rk_verdict_name(prediction->verdict);
        if (why) status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "ranks: %s", why);
    }
    if (status == RK_OK && args->output && text_ends_in(args->output, ".html"))
        status = clusters_draw(args->output, &judged->plan, input->system.machine, error);
    else if (status == RK_OK)
        status = clusters_ranks_write(args->output ? args->output : "-", format, &input->model,
                                      &judged->plan, input->system.machine, error);
    free(judged);
    free(prediction);
    return status;
}

int export_ranks(int argc, char **argv)
{
    struct ranks_args args = {.source = {.several = true}};
    struct plan_input input = {.assumed = ""};
    struct rk_error error;
    const int done = options_read(&export_ranks_usage, argc, argv, &args);
    if (done >= 0) return done;
    args.source.several = true;
    enum rk_status status = plan_gather(&args.source, &input, &error);
    if (status == RK_OK && !input.system.machine)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "ranks: one cluster, whose launchers give ranks to nodes in order: reckon "
                         "export TARGET --launcher slurm writes that");
    if (status == RK_OK) status = plan_settle(&args.source, &input, NULL, NULL, &error);
    if (status == RK_OK) status = write_ranks(&args, &input, &error);
    plan_input_release(&input);
    return status == RK_OK ? (int)RK_OK : options_fail(&error);
}
