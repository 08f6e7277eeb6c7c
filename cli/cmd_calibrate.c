/* reckon calibrate: an accelerator's constants from what was measured on it. */
#include "catalog/catalog.h"
#include "catalog/system_text.h"
#include "cli/calibrate_runs.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "interop/measured.h"
#include "study/calibrate.h"
#include "text/output.h"

#include <reckon/catalog.h>

#include <stdlib.h>
#include <string.h>

struct calibrate_args {
    const char *system, *output, *collective;
    struct option_texts products, collectives, runs, profiles;
    struct calibrate_log log;
    uint64_t ranks;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct calibrate_args, member)

/* clang-format off */
static const struct operand calibrate_operands[] = {
    {"SYSTEM", "the system to start from: an id of the catalog, a file, - or a description in one line",
     offsetof(struct calibrate_args, system), false, "systems"},
    {.name = NULL},
};

static const struct option measured_rows[] = {
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems",
     .help = "the system to start from, as SYSTEM"},
    {.name = "gemm", .type = OPTION_TEXTS, .argument = "FILE", AT(products), .complete = "file",
     .help = "matrix products: a table, of commas, tabs or blanks, with the columns m, n, k and time_s, time_ms, time_us or tflops, and where they differ count and datatype; may be repeated"},
    {.name = "nccl", .type = OPTION_TEXTS, .argument = "FILE", AT(collectives), .complete = "file",
     .help = "collectives: what nccl-tests prints, of any version, also with the rank that mpirun or srun puts in front, or the JSON of its -J; may be repeated"},
    {.name = "runs", .type = OPTION_TEXTS, .argument = "FILE", AT(runs), .complete = "file",
     .help = "steps of training: the columns of reckon-validate(1); rows of other accelerators, and those that cannot be predicted, are left out and counted; may be repeated"},
    {.name = "log", .type = OPTION_TEXT, .argument = "FILE", AT(log.path), .complete = "file",
     .help = "what one run printed: lines of Megatron-LM, Megatron-Bridge, NeMo, torchtitan, DeepSpeed or nanotron, else tqdm's progress bar; with --model and --plan"},
    {.name = "galvatron", .type = OPTION_TEXTS, .argument = "FILE", AT(profiles), .complete = "file",
     .help = "profiles in Galvatron's form, of reckon measure --profile or reckon galvatron collect: messages and, with --model, forward times of layers; may be repeated"},
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(log.model), .complete = "models",
     .help = "what the run of --log trained, or whose layers --galvatron has"},
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(log.plan), .complete = "file",
     .help = "the plan of the run of --log: a file, of reckon import or reckon predict --save-plan, or words"},
    {.name = "collective", .type = OPTION_TEXT, .argument = "NAME", AT(collective),
     .help = "which collective the files of --nccl hold: all_reduce, reduce_scatter, all_gather, alltoall, sendrecv (what they say)"},
    {.name = "ranks", .type = OPTION_NUMBER, AT(ranks), .min = 2, .max = UINT64_C(1) << 24,
     .help = "how many accelerators the files of --nccl were measured on (the devices they list)"},
    {.letter = 'o', .name = "output", .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write the system with the fitted constants to FILE, as reckon-system(5) describes; - prints it instead of the report"},
    {.name = NULL},
};

const struct usage calibrate_usage = {
    .name = "calibrate",
    .summary = "fit a system's kernels and links to what was measured on it",
    .synopsis = "[--system] SYSTEM [--gemm FILE] [--nccl FILE] [--runs FILE] [--galvatron FILE [-m MODEL]] [--log FILE -m MODEL --plan FILE] [-o FILE]",
    .description =
        "Predictions take an accelerator's kernels and links from a few constants, the groups kernels and link "
        "of a system file. This command fits them to measurements: it makes the mean of "
        "|log(predicted / measured)| the least, and keeps constants that the measurements say little about near "
        "where they were. One constant is fitted for each four measurements, the most telling ones first; steps of runs fit one from the first on, "
        "pulled towards the catalog's, which counts as 2.6 runs.\n\n"
        "Printed are the errors before and after, and cross-validated: each fifth of the measurements "
        "predicted by a fit to the other four. When that column is not better than the one before, the "
        "measurements are too few or do not agree with each other. Constants are of the accelerator and of its links; estimates by the "
        "published model use none of them.",
    .operands = calibrate_operands,
    .groups = {
        {"Measurements", measured_rows, 0},
        {"Form", show_options, offsetof(struct calibrate_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon calibrate h100-sxm5-80g --gemm gemm.csv --nccl all_reduce.txt -o mine.json",
         "Fit both, and use the result as a system:"},
        {"reckon calibrate a100-sxm4-80g --runs mine.csv -o mine.json",
         "From the steps of runs alone, which say what a long run sustains:"},
        {"reckon calibrate a100-sxm4-80g --galvatron profiles.json -m llama2-7b -o mine.json",
         "From what Galvatron's profilers measured:"},
        {"reckon calibrate h100-sxm5-80g --log train.log -m llama3.1-8b --plan plan.json -o mine.json",
         "From the log of one run:"},
        {"all_reduce_perf -b 64K -e 1G -f 2 -g 8 | reckon calibrate h100-sxm5-80g --nccl -",
         "What collectives of eight achieve here:"},
    },
    .sections = {
        {"FILES OF MEASUREMENTS",
         "A table of products begins with the names of its columns, in any order; other columns are "
         "skipped, lines that begin with # are comments:\n\n"
         "    m,n,k,count,datatype,time_us\n"
         "    8192,8192,8192,1,bfloat16,1520\n"
         "    4096,28672,8192,1,float8,1490\n\n"
         "count products of (m, k) x (k, n) run as one kernel. Measure with random data, after a warm-up, and as "
         "long as training would: cold or idle accelerators have faster clocks.\n\n"
         "Sizes of collectives are those of nccl-tests, the whole vector. Accelerators are taken to be "
         "neighbours; with fewer of a node than it has, each uses its own adapter.\n\n"
         "Runs are fitted last, to what is left when operations are as measured: how much of an isolated kernel's "
         "rate a long run sustains, then memory's, then the host's launches."},
    },
    .see_also = "reckon-systems(1), reckon-system(5)",
};

static const struct report_column error_columns[] = {
    {.name = "of"}, {.name = "network"}, {.name = "measurements"},
    {.name = "before_mean",    .title = "before", .unit = "%", .digits = 1},
    {.name = "before_ninety",    .title = "90 % within", .unit = "%", .digits = 1},
    {.name = "after_mean",     .title = "after", .unit = "%", .digits = 1},
    {.name = "after_ninety",     .title = "90 % within", .unit = "%", .digits = 1},
    {.name = "validated_mean", .title = "cross-validated", .unit = "%", .digits = 1},
    {.name = "validated_ninety", .title = "90 % within", .unit = "%", .digits = 1},
};
static const struct report_column constant_columns[] = {
    {.name = "constant"}, {.name = "network"},
    {.name = "before", .digits = 4}, {.name = "after", .digits = 4},
};
/* clang-format on */

static struct report_cell tier_cell(int tier)
{
    return tier < 0 ? cell_none() : cell_count((uint64_t)tier);
}

static void add_errors(struct report *report, const struct calibration *calibration)
{
    struct report_table *table = REPORT_LIST(report, "errors", "Error of predicted times, mean",
                                             REPORT_IN_ALL, error_columns);
    for (int i = 0; i < calibration->groups; i++) {
        const struct calibration_group *g = &calibration->group[i];
        const struct report_cell cells[] = {
            cell_text(g->name),
            tier_cell(g->tier),
            cell_count(g->samples),
            cell_number(g->before.mean),
            cell_number(g->before.ninety),
            cell_number(g->after.mean),
            cell_number(g->after.ninety),
            g->validation ? cell_number(g->validated.mean) : cell_none(),
            g->validation ? cell_number(g->validated.ninety) : cell_none(),
        };
        report_row(report, table, cells);
    }
}

static void add_constants(struct report *report, const struct calibration *calibration)
{
    struct report_table *table =
        REPORT_LIST(report, "constants", "Constants, in the units of system files", REPORT_IN_ALL,
                    constant_columns);
    for (int i = 0; i < calibration->constants; i++) {
        const struct calibration_constant *c = &calibration->constant[i];
        const struct report_cell cells[] = {cell_text(c->key), tier_cell(c->tier),
                                            cell_number(c->before), cell_number(c->after)};
        report_row(report, table, cells);
    }
}

/* ---- the file ---- */

/* "fitted to 400 products: mean error 4.1 %, cross-validated 4.6 %; else as h100-sxm5-80g" */
static void fitted_text(const struct calibration *calibration, int tier, const char *base,
                        char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < calibration->groups; i++) {
        const struct calibration_group *g = &calibration->group[i];
        if (g->tier != tier || used >= size) continue;
        used += (size_t)snprintf(
            text + used, size - used, "%s to %zu %s: mean error %.1f %%, before %.1f %%",
            used ? "," : "fitted", g->samples, g->name, g->after.mean * 100, g->before.mean * 100);
        if (g->validation && used < size)
            used += (size_t)snprintf(text + used, size - used, ", cross-validated %.1f %%",
                                     g->validated.mean * 100);
    }
    if (used < size)
        snprintf(text + used, size - used, "%sas %.200s", used ? "; the others " : "", base);
}

enum { SOURCE_SIZE = 1024, MOST_LINKS = 16 };

static enum rk_status write_system(const struct calibrate_args *args,
                                   const struct rk_system *system,
                                   const struct calibration *calibration, struct rk_error *error)
{
    char kernels[SOURCE_SIZE], whole[SOURCE_SIZE], name[320];
    char(*link)[SOURCE_SIZE] = calloc((size_t)system->networks, SOURCE_SIZE);
    const char **links = calloc((size_t)system->networks, sizeof *links);
    struct output output = {.file = NULL};
    char *text = NULL;
    enum rk_status status = RK_OK;
    if (link && links) {
        for (int i = 0; i < system->networks; i++) {
            fitted_text(calibration, i, system->id, link[i], SOURCE_SIZE);
            links[i] = link[i];
        }
        fitted_text(calibration, -1, system->id, kernels, sizeof kernels);
        snprintf(whole, sizeof whole, "reckon calibrate; what is not fitted as %.255s", system->id);
        snprintf(name, sizeof name, "%.255s, calibrated", system->id);
        text = system_text(system, name, NULL, &(struct system_sources){whole, kernels, links});
    }
    if (!text)
        status = rk_fail(error, RK_NO_MEMORY, args->output, 0, 0, "cannot write: out of memory");
    if (status == RK_OK) status = output_open(&output, args->output, error);
    if (status == RK_OK) {
        fprintf(output.file, "%s\n", text);
        status = output_commit(&output, error);
    }
    free(text);
    free(links);
    free(link);
    return status;
}

/* ---- the command ---- */

/* What samples of steps point to. */
struct runs {
    struct facts tables;
    struct fact log;
    struct rk_model model; /* of profiles */
};

static enum rk_status read_measurements(const struct calibrate_args *args,
                                        const struct rk_system *system, struct runs *runs,
                                        struct samples *samples, struct rk_error *error)
{
    const struct collectives_options options = {args->collective, args->ranks,
                                                system->network[0].size};
    enum rk_status status = RK_OK;
    for (int i = 0; status == RK_OK && i < args->products.count; i++)
        status = measured_products(args->products.text[i], samples, error);
    for (int i = 0; status == RK_OK && i < args->collectives.count; i++)
        status = measured_collectives(args->collectives.text[i], &options, samples, error);
    const bool layers = args->profiles.count && args->log.model;
    if (status == RK_OK && layers) status = rk_model_load(args->log.model, &runs->model, error);
    for (int i = 0; status == RK_OK && i < args->profiles.count; i++)
        status = measured_galvatron(args->profiles.text[i], layers ? &runs->model : NULL, samples,
                                    error);
    if (status == RK_OK && args->runs.count)
        status = calibrate_runs(&args->runs, args->system, system, &runs->tables, samples, error);
    if (status == RK_OK && args->log.path)
        status = calibrate_log(&args->log, args->system, &runs->log, samples, error);
    if (status == RK_OK && !samples->count)
        status = args->runs.count
                     ? rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                               "calibrate: no row of --runs is a time on %s that can be predicted",
                               system->id)
                     : rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                               "calibrate: no measurements: give --gemm FILE, --nccl FILE, --runs "
                               "FILE, --galvatron FILE or --log FILE");
    return status;
}

static int print_calibration(const struct calibrate_args *args,
                             const struct calibration *calibration)
{
    struct report report = {.first = NULL};
    add_errors(&report, calibration);
    add_constants(&report, calibration);
    const int code = show_report(&report, &args->show, NULL, RK_OK);
    report_release(&report);
    return code;
}

/* A share that the fit drives to 1 cannot be true. */
static void warn(const struct calibration *calibration)
{
    for (int i = 0; i < calibration->constants; i++) {
        const struct calibration_constant *c = &calibration->constant[i];
        if (!strstr(c->key, "efficiency") || c->after < 0.995) continue;
        fprintf(stderr,
                "reckon: warning: calibrate: %s would have to be 1 or more: the measurements are "
                "faster than the system's peak; is it the right system?\n",
                c->key);
    }
}

int cmd_calibrate(int argc, char **argv)
{
    struct calibrate_args args = {.system = NULL};
    struct rk_system system = {.memories = 0};
    struct samples samples = {.count = 0};
    struct runs runs = {.tables = {.count = 0}};
    struct calibration calibration;
    struct rk_error error;
    const int done = options_read(&calibrate_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = rk_system_load(args.system, &system, &error);
    if (status == RK_OK) status = read_measurements(&args, &system, &runs, &samples, &error);
    if (status == RK_OK) status = calibrate(&samples, &system, &calibration, &error);
    if (status == RK_OK && args.output) status = write_system(&args, &system, &calibration, &error);
    samples_release(&samples);
    facts_release(&runs.tables);
    fact_release(&runs.log);
    rk_system_release(&system);
    if (status != RK_OK) return options_fail(&error);
    warn(&calibration);
    if (args.output && strcmp(args.output, "-") == 0) return RK_OK;
    return print_calibration(&args, &calibration);
}
