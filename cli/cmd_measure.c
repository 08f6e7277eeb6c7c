/* reckon measure: this machine as a system file. */
#include "cli/commands.h"
#include "cli/executor.h"
#include "cli/show.h"
#include "interop/output.h"

#include <string.h>

struct measure_args {
    const char *output;
    uint64_t seconds;
};

#define AT(member) .offset = offsetof(struct measure_args, member)

/* clang-format off */
static const struct option rows[] = {
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-); it appears whole or not at all"},
    {.name = "seconds", .type = OPTION_NUMBER, AT(seconds), .min = 1, .max = 3600,
     .help = "how long to measure: more find a quieter moment (20)"},
    {.name = NULL},
};

const struct usage measure_usage = {
    .name = "measure",
    .summary = "this machine as a system that plans are predicted for",
    .synopsis = "[options]",
    .description =
        "Measures what one processor does with the kernels of reckon train (products, attention, memory, the "
        "optimizer) and what messages between two threads take, and writes a system file: --system of reckon "
        "train and reckon predict. Each number is the least processor time of many runs, so that other work "
        "on the machine disturbs little. An accelerator of that system is one processor; ranks are threads.",
    .groups = {
        {"Output", rows, 0},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon measure -o here.json", "This machine:"},
        {"reckon predict -m gpt2-124m -s here.json dp2 gbs8 seq64 precision=fp32", "... and what a step takes on it:"},
    },
    .see_also = "reckon-train(1), reckon-system(5), reckon-calibrate(1)",
};
/* clang-format on */

static const char system_text[] =
    "{\n"
    "    \"name\": \"This machine\",\n"
    "    \"description\": \"One processor of %ld, as reckon measure found it; ranks are "
    "threads.\",\n"
    "    \"processing\": \"no_overlap\",\n"
    "    \"matrix\": {\n"
    "        \"float32\": { \"peak_TFLOPps\": %.6g },\n"
    "        \"efficiency_from_GFLOP\": [[0, 1]],\n"
    "        \"source\": \"measured\"\n"
    "    },\n"
    "    \"vector\": {\n"
    "        \"float32\": { \"peak_TFLOPps\": %.6g },\n"
    "        \"efficiency_from_GFLOP\": [[0, 1]],\n"
    "        \"source\": \"assumed: that of products\"\n"
    "    },\n"
    "    \"memory\": [\n"
    "        {\n"
    "            \"name\": \"DRAM\",\n"
    "            \"capacity_GiB\": %.6g,\n"
    "            \"bandwidth_GBps\": %.6g,\n"
    "            \"efficiency_from_MB\": [[0, 1]],\n"
    "            \"source\": \"measured: the optimizer's pass over 128 MiB\"\n"
    "        }\n"
    "    ],\n"
    "    \"network\": [\n"
    "        {\n"
    "            \"name\": \"threads\",\n"
    "            \"bandwidth_GBps\": %.6g,\n"
    "            \"efficiency\": 1,\n"
    "            \"latency_us\": %.6g,\n"
    "            \"size\": 65536,\n"
    "            \"must_be_filled\": false,\n"
    "            \"processor_usage\": 0,\n"
    "            \"collectives\": {\n"
    "                \"point_to_point\": { \"scale\": 1 },\n"
    "                \"reduce_scatter\": { \"scale\": 1, \"offset\": -1 },\n"
    "                \"all_gather\": { \"scale\": 1, \"offset\": -1 },\n"
    "                \"all_reduce\": { \"scale\": 2, \"offset\": -1 }\n"
    "            },\n"
    "            \"link\": {\n"
    "                \"efficiency\": 1,\n"
    "                \"base_us\": %.6g,\n"
    "                \"hop_us\": %.6g,\n"
    "                \"ramp_MB\": 0,\n"
    "                \"source\": \"measured: all-reduce of two threads\"\n"
    "            },\n"
    "            \"source\": \"measured: all-reduce of two threads\"\n"
    "        }\n"
    "    ],\n"
    "    \"kernels\": {\n"
    "        \"multiprocessors\": 1,\n"
    "        \"tile_m\": 16,\n"
    "        \"tile_n\": 16,\n"
    "        \"matrix_efficiency\": 1,\n"
    "        \"tile_efficiency\": 1,\n"
    "        \"tile_loss\": 0,\n"
    "        \"matrix_k_half\": %.6g,\n"
    "        \"attention_forward\": %.6g,\n"
    "        \"attention_backward\": %.6g,\n"
    "        \"attention_dim_half\": 0,\n"
    "        \"attention_key_half\": 0,\n"
    "        \"memory_efficiency\": 1,\n"
    "        \"kernel_us\": 0.5,\n"
    "        \"launch_us\": 0,\n"
    "        \"reserve_GiB\": 0,\n"
    "        \"source\": \"measured; kernel_us assumed\"\n"
    "    },\n"
    "    \"source\": \"reckon measure\"\n"
    "}\n";

int cmd_measure(int argc, char **argv)
{
    struct measure_args args = {.output = "-", .seconds = 20};
    struct rk_measured m;
    struct output output;
    struct rk_error error;
    if (!cli_executor && !executor_is_asked_for_help(argc, argv))
        return executor_become(argc, argv);
    const int done = options_read(&measure_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = cli_executor->measure((double)args.seconds, &m, &error);
    if (status == RK_OK) status = output_open(&output, args.output, &error);
    if (status != RK_OK) return options_fail(&error);
    fprintf(output.file, system_text, m.processors, m.peak_FLOPps / 1e12, m.peak_FLOPps / 1e12,
            (double)m.memory_bytes / (double)m.processors / 1073741824.0, m.stream_Bps / 1e9,
            m.link_Bps / 1e9, m.latency_s * 1e6, m.latency_s * 1e6, m.latency_s * 1e6, m.k_half,
            m.attention[0], m.attention[1]);
    status = output_commit(&output, &error);
    return status == RK_OK ? (int)RK_OK : options_fail(&error);
}
