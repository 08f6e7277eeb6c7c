/* reckon offload: which activations leave the accelerator, and what the published rules would do.
 */
#include "catalog/hosts.h"
#include "cli/commands.h"
#include "cli/offload_files.h"
#include "cli/offload_rules.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/show.h"

struct offload_args {
    struct plan_source source;
    double lifetime_years;
    bool simulate, verbose;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct offload_args, member)

/* clang-format off */
static const struct operand offload_operands[] = {
    KNOWN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", .help = "Words that describe the plan, as in reckon predict; without --model: files of cases",
     .offset = offsetof(struct offload_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option offload_drives[] = {
    {.name = "lifetime", .type = OPTION_COUNT, AT(lifetime_years), .argument = "YEARS",
     .help = "Reject plans whose drives wear out before N years"},
    {.name = NULL},
};
static const struct option offload_simulation[] = {
    {.name = "simulate", .type = OPTION_FLAG, AT(simulate),
     .help = "Simulate SSDTrain's rule event by event: writes and reads have a queue each, and a tensor that is still in the write queue is not read back. Of a plan the first stage, on drives 1 to 16 times as slow; of a .csv each row, with array_GBps"},
    {.name = NULL},
};
static const struct option offload_output[] = {
    OPTION_VERBOSE_ROW(AT(verbose), "the rules where none fits"),
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file",
     .help = "Write to FILE, atomically; - is standard output (default: -)"},
    {.name = NULL},
};

const struct usage offload_usage = {
    .name = "offload",
    .summary = "plan activation offloading and the lifetime of drives",
    .synopsis = "[--model] MODEL [--system] SYSTEM [options] [PLAN]... | FILE...",
    .description =
        "Predicts a plan under each rule of what to keep, offload and recompute: all kept; whole "
        "layers recomputed; MEMO's share of the tokens [zhao2025memo]; the best share; everything "
        "offloaded; SSDTrain's rule [wu2025ssdtrain] for each lower memory; and the fastest fit over "
        "all shares, tiers (host and the next one together, too) and ways to treat the rest. \"By "
        "tensor and layer\" assigns each tensor of each layer to a memory, first those that take "
        "longest to recompute per byte, within the bandwidth: a bound that no plan of equal shares "
        "reaches. Each rule has the bytes in the GPU and the lower memories, exposed transfers and "
        "recomputation (by token, and by tensor: first those that take longest per byte), bytes "
        "written per step, the bandwidth that this needs (writes within half a step), and the lifetime "
        "and cost of drives. Over several clusters a share is the largest that every stage may have on "
        "its own cluster, and the bound by tensor and layer is left out. Exit status 1: none fits.\n\n"
        "Without --model, evaluates published formulas over files of cases. A .csv has rows of "
        "SSDTrain's model (layers, hidden, heads, vocabulary, sequence, gpus, tensor, pipeline, data, "
        "zero, global_batch, microbatch, accumulation, achieved_TFLOPps, hbm_GBps): bytes of "
        "activations, the step, the write bandwidth that it needs, the lifetime of two sets of drives. "
        "A .json with \"attention\" and \"mlp\" is a tree of modules: the node that SSDTrain's rule "
        "keeps first, at each bandwidth of \"first_kept\". A .json with \"cases\" of \"tokens\" is "
        "MEMO's choice: the share of the tokens that is offloaded, the recomputation by token and by "
        "tensor, and for comparison the best share.",
    .operands = offload_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Plan", plan_source_options, offsetof(struct offload_args, source)},
        {"Drives", offload_drives, 0},
        {"Simulation", offload_simulation, 0},
        {"Output", offload_output, 0},
        {"Form", show_options, offsetof(struct offload_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon offload -m memo-7b -s \"a800-sxm4-80g mem2=250GB@12GB/s\" gpus8 cp8 cp-kind=ulysses zero3 gbs1 seq524288 loss-in-chunks",
         "Plan half a million tokens on one node:"},
        {"reckon offload -m llama3.1-8b -s \"a100-pcie-40g mem2=100GiB@25GB/s ssd=4*samsung-980pro-1tb\" --lifetime 3 gpus8 tp8 gbs8",
         "Require drives that last three years:"},
        {"reckon offload tests/golden/memory/ssdtrain_fig5.csv --format csv", "Reproduce SSDTrain's Fig. 5:"},
    },
    .see_also = "reckon-predict(1), reckon-longest(1), reckon-place(1), reckon-system(5)",
};
/* clang-format on */

static enum rk_status one_memory(const struct rk_system *system, struct rk_error *error)
{
    const char *id = system->id;
    for (int i = 0; system->machine && i < system->machine->clusters; i++)
        if (rk_system_of(system, i)->memories < 2) id = rk_system_of(system, i)->id;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "%s has one memory: add a lower one, mem2=1TiB@50GB/s or "
                   "ssd=4*samsung-980pro-1tb",
                   id);
}

/* Of one memory: what its nodes are known to have, as fits and longest assume it. */
static enum rk_status add_host(const struct offload_args *args, struct plan_input *input,
                               struct report *report, struct rk_error *error)
{
    struct rk_system with;
    struct host host;
    char note[HOST_WORD];
    if (rk_offload_tiers(&input->system) >= 1) return RK_OK;
    if (input->system.machine || !host_of(&input->system, input->draft.plan.ranks, &host))
        return one_memory(&input->system, error);
    const enum rk_status status = host_load(&host, args->source.system, &with, error);
    if (status != RK_OK) return status;
    rk_system_release(&input->system);
    input->system = with;
    report_note(report, report_text(report,
                                    "%s, assumed; mem2=1TiB@50GB/s in the system states "
                                    "what exists",
                                    host_note(&host, note)));
    return RK_OK;
}

static enum rk_status of_plan(const struct offload_args *args, struct plan_input *input,
                              struct report *report, struct rk_error *error)
{
    enum rk_status status = plan_gather(&args->source, input, error);
    if (status == RK_OK) status = plan_settle(&args->source, input, NULL, NULL, error);
    if (status == RK_OK) status = add_host(args, input, report, error);
    if (status != RK_OK) return status;
    struct rk_offload_job job = {.model = &input->model,
                                 .system = &input->system,
                                 .plan = input->draft.plan,
                                 .lifetime_years = args->lifetime_years};
    status = rk_offload_open(&job, error);
    if (status == RK_OK && args->simulate) {
        offload_simulated(&job, report);
    } else if (status == RK_OK) {
        status = offload_rules(&job, args->verbose, report);
        error->text[0] = 0;
    }
    rk_offload_release(&job);
    return status;
}

int cmd_offload(int argc, char **argv)
{
    struct offload_args args = {.source = {.several = true}};
    struct plan_input input = {.assumed = ""};
    struct report report = {.first = NULL};
    struct rk_error error;
    plan_words_prepare();
    const int done = options_read(&offload_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = RK_OK;
    if (args.source.model || args.source.system)
        status = of_plan(&args, &input, &report, &error);
    else if (args.source.words.count == 0)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "say which plan, --model and --system, or which file of cases");
    for (int i = 0; status == RK_OK && !args.source.model && i < args.source.words.count; i++)
        status = offload_file(args.source.words.text[i], args.simulate, &report, &error);
    const bool shown = status == RK_OK || (status == RK_NOTHING_FITS && !error.text[0]);
    const int code =
        shown ? show_report(&report, &args.show, args.output, (int)status) : options_fail(&error);
    report_release(&report);
    plan_input_release(&input);
    return code;
}
