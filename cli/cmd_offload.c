/* reckon offload: which activations leave the accelerator, and what the published rules would do.
 */
#include "cli/commands.h"
#include "cli/offload_files.h"
#include "cli/show.h"

struct offload_args {
    struct option_texts words;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct offload_args, member)

/* clang-format off */
static const struct operand offload_operands[] = {
    {.name = "FILE", .help = "cases of a published formula", AT(words), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};
static const struct option offload_output[] = {
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-); it appears whole or not at all"},
    {.name = NULL},
};

const struct usage offload_usage = {
    .name = "offload",
    .summary = "which activations leave the accelerator, for how long drives last",
    .synopsis = "FILE... [options]",
    .description =
        "Works out published formulas over files of cases:\n\n"
        "A .csv has rows of SSDTrain's model [wu2025ssdtrain] (layers, hidden, heads, vocabulary, sequence, gpus, tensor, pipeline, "
        "data, zero, global_batch, microbatch, accumulation, achieved_TFLOPps, hbm_GBps): the bytes of activations, the step, the "
        "write bandwidth that it asks for, and how long two sets of drives live.\n\n"
        "A .json with \"attention\" and \"mlp\" is a tree of modules: which node SSDTrain's rule keeps first, at each bandwidth of "
        "\"first_kept\".\n\n"
        "A .json with \"cases\" of \"tokens\" is MEMO's choice [zhao2025memo]: the share of the tokens that is swapped, what is "
        "computed again by token and by tensor, and the best share beside it.",
    .operands = offload_operands,
    .groups = {
        {"Output", offload_output, 0},
        {"Form", show_options, offsetof(struct offload_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon offload tests/golden/memory/ssdtrain_fig5.csv --format csv", "SSDTrain's Fig. 5:"},
        {"reckon offload tests/golden/memory/memo_alpha.json", "MEMO's shares, 7B on 8 GPUs:"},
    },
    .see_also = "reckon-predict(1), reckon-place(1)",
};
/* clang-format on */

int cmd_offload(int argc, char **argv)
{
    struct offload_args args = {.output = NULL};
    struct report report = {.first = NULL};
    struct rk_error error;
    const int done = options_read(&offload_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = RK_OK;
    if (args.words.count == 0)
        status = rk_fail(&error, RK_USAGE, NULL, 0, 0, "say which file of cases");
    for (int i = 0; status == RK_OK && i < args.words.count; i++)
        status = offload_file(args.words.text[i], &report, &error);
    const int code = status == RK_OK ? show_report(&report, &args.show, args.output, RK_OK)
                                     : options_fail(&error);
    report_release(&report);
    return code;
}
