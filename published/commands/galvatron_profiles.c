/* galvatron_profiles.c - Galvatron's profiles: predicted, or put together from its files. */
#include "commands/galvatron.h"
#include "galvatron/predicted.h"
#include "text/output.h"
#include <reckon/catalog.h>

/* ---- profile ---- */

struct profile_args {
    const char *model, *system, *output;
    uint64_t gpus, sequence;
    int precision; /* of galvatron_precision_names */
};

/* clang-format off */
#define PROFILE(member) offsetof(struct profile_args, member)
static const struct option profile_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", .offset = PROFILE(model), .complete = "models"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", .offset = PROFILE(system), .complete = "systems"},
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, .argument = "N", .offset = PROFILE(gpus), .min = 2, .max = GALVATRON_MAX_DEGREE},
    {.name = "sequence", .type = OPTION_NUMBER, .argument = "TOKENS", .offset = PROFILE(sequence), .min = 1, .max = 1 << 24},
    {.name = "precision", .type = OPTION_CHOICE, .offset = PROFILE(precision), .choices = galvatron_precision_names},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", .offset = PROFILE(output), .complete = "file"},
    {.name = NULL},
};
/* clang-format on */

const struct usage galvatron_profile_usage = {
#include "help/galvatron-profile.h"
    .groups = {{"Options", profile_options, 0}, {"General", options_help_rows, 0}},
};

int run_galvatron_profile(int argc, char **argv)
{
    struct profile_args args = {.gpus = 8, .output = "-"};
    struct rk_model model;
    struct rk_system system = {.memories = 0};
    struct rk_error error = {.status = RK_OK};
    struct output output = {.file = NULL};
    json_t *profiles = NULL;
    bool mixed = false;
    static const enum rk_precision precisions[] = {RK_BF16, RK_FP16, RK_FP32};
    const int done = options_read(&galvatron_profile_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = RK_OK;
    if (!args.model || !args.system)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "give --model and --system");
    if (status == RK_OK) status = rk_model_load(args.model, &model, &error);
    if (status == RK_OK) status = rk_system_load(args.system, &system, &error);
    if (status == RK_OK)
        status = galvatron_predict(&model, &system, args.gpus, args.sequence,
                                   precisions[args.precision], &profiles, &mixed, &error);
    if (status == RK_OK) status = output_open(&output, args.output, &error);
    if (status == RK_OK) {
        json_dumpf(profiles, output.file, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
        fputc('\n', output.file);
        status = output_commit(&output, &error);
    }
    if (status == RK_OK && mixed)
        fprintf(stderr,
                "reckon: %s has kinds of layers that take turns: the profile has one kind of "
                "%ju layers, their mean\n",
                model.id, (uintmax_t)model.layers);
    output_abandon(&output);
    json_decref(profiles);
    rk_system_release(&system);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

/* ---- collect ---- */

struct collect_args {
    const char *model, *system, *output;
    const char *file[6];
    uint64_t hidden, nodes, per_node;
    int time_mode, memory_mode;
};

static const char *const time_modes[] = {"static", "batch", "sequence", NULL};
static const char *const memory_modes[] = {"static", "sequence", NULL};

/* clang-format off */
#define COLLECT(member) offsetof(struct collect_args, member)
#define PROFILED(name_, i, text) \
    {.name = name_, .type = OPTION_TEXT, .argument = "FILE", .offset = COLLECT(file[i]), .complete = "file", .help = text}
static const struct option collect_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "NAME", .offset = COLLECT(model), .help = "Name of the model"},
    {.name = "hidden", .type = OPTION_NUMBER, .offset = COLLECT(hidden), .min = 1, .max = 1 << 20, .help = "Hidden size of the model"},
    PROFILED("time", 0, "computation_profiling_*.json"),
    PROFILED("memory", 1, "memory_profiling_*.json"),
    {.name = "time-mode", .type = OPTION_CHOICE, .choices = time_modes, .offset = COLLECT(time_mode), .help = "How the times were profiled (default: static)"},
    {.name = "memory-mode", .type = OPTION_CHOICE, .choices = memory_modes, .offset = COLLECT(memory_mode), .help = "How the memory was profiled (default: static)"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "NAME", .offset = COLLECT(system), .help = "Name of the machine"},
    {.name = "nodes", .type = OPTION_NUMBER, .offset = COLLECT(nodes), .min = 1, .max = GALVATRON_MAX_DEGREE, .help = "Number of nodes (default: 1)"},
    {.name = "gpus-per-node", .type = OPTION_NUMBER, .offset = COLLECT(per_node), .min = 1, .max = GALVATRON_MAX_DEGREE, .help = "Number of GPUs per node (default: 8)"},
    PROFILED("allreduce", 2, "allreduce_bandwidth_*.json"),
    PROFILED("p2p", 3, "p2p_bandwidth_*.json"),
    PROFILED("overlap", 4, "overlap_coefficient.json"),
    PROFILED("sp", 5, "sp_time_*.json"),
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", .offset = COLLECT(output), .complete = "file",
     .help = "Write to FILE (default: -, standard output)"},
    {.name = NULL},
};
/* clang-format on */

const struct usage galvatron_collect_usage = {
    .name = "galvatron collect",
    .summary = "merge Galvatron's profile files into one",
    .synopsis = "-m NAME --hidden N --time FILE --memory FILE -s NAME --allreduce FILE --p2p FILE "
                "--overlap FILE --sp FILE [options]",
    .description = "Puts the files of Galvatron's profilers into one file. Their contents are "
                   "checked when it is used.",
    .groups = {{"Options", collect_options, 0}, {"General", options_help_rows, 0}},
    .examples = {{"reckon galvatron collect -m llama2-7b --hidden 4096 --time-mode batch "
                  "--time computation_profiling_bf16_llama2-7b_all.json "
                  "--memory memory_profiling_bf16_llama2-7b_all.json -s node "
                  "--allreduce allreduce_bandwidth_1nodes_8gpus_per_node.json "
                  "--p2p p2p_bandwidth_1nodes_8gpus_per_node.json "
                  "--overlap overlap_coefficient.json --sp sp_time_1nodes_8gpus_per_node.json "
                  "-o profiles.json",
                  NULL}},
};

/* NULL: `error` says why. */
static json_t *collect(const struct collect_args *args, struct rk_error *error)
{
    static const char *const names[] = {"time", "memory", "allreduce", "p2p", "overlap", "sp"};
    struct document document[6] = {{.text = NULL}};
    json_t *all = NULL;
    enum rk_status status = RK_OK;
    if (!args->model || !args->system || !args->hidden)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "give --model, --hidden and --system");
    for (int i = 0; status == RK_OK && i < 6; i++) {
        status = galvatron_want(args->file[i], names[i], "see --help for what it is", error);
        if (status == RK_OK) status = document_load(args->file[i], &document[i], error);
    }
    if (status == RK_OK) {
        all = json_pack("{s{s{s[I] sO sO ss ss}} s{s{sI sI sO sO sO sO}}}", "models", args->model,
                        "hidden", (json_int_t)args->hidden, "time", document[0].root, "memory",
                        document[1].root, "time_mode", time_modes[args->time_mode], "memory_mode",
                        memory_modes[args->memory_mode], "hardware", args->system, "nodes",
                        (json_int_t)args->nodes, "gpus_per_node", (json_int_t)args->per_node,
                        "allreduce", document[2].root, "p2p", document[3].root, "overlap",
                        document[4].root, "sp", document[5].root);
        if (!all) galvatron_no_memory(error);
    }
    for (int i = 0; i < 6; i++)
        document_release(&document[i]);
    return all;
}

int run_galvatron_collect(int argc, char **argv)
{
    struct collect_args args = {.nodes = 1, .per_node = 8, .output = "-"};
    struct rk_error error = {.status = RK_OK};
    struct output output = {.file = NULL};
    const int done = options_read(&galvatron_collect_usage, argc, argv, &args);
    if (done >= 0) return done;
    json_t *all = collect(&args, &error);
    enum rk_status status = all ? output_open(&output, args.output, &error) : error.status;
    if (status == RK_OK) {
        json_dumpf(all, output.file, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        fputc('\n', output.file);
        status = output_commit(&output, &error);
    }
    output_abandon(&output);
    json_decref(all);
    return status == RK_OK ? RK_OK : options_fail(&error);
}
