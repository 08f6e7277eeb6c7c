/* reckon calculon: the commands of the published tool Calculon [isaev2023], with its files, its
 * options and its output. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/progress.h"

#include "calculon/calculon_read.h"
#include "calculon/calculon_search.h"
#include "calculon/calculon_write.h"
#include "commands/calculon_commands.h"
#include "text/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the commands share ---- */

bool calculon_is_json(const char *path)
{
    return text_ends_in(path, ".json") || text_ends_in(path, ".json.gz");
}

static bool is_csv(const char *path)
{
    return text_ends_in(path, ".csv") || text_ends_in(path, ".csv.gz");
}

enum calculon_style calculon_style_of(const char *path)
{
    return text_ends_in(path, ".gz") ? CALCULON_LINE : CALCULON_INDENTED;
}

enum rk_status calculon_refuse_ending(const char *what, const char *path, const char *endings,
                                      struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "%s: \"%.200s\" has an unknown ending: give %s", what, path, endings);
}

enum rk_status calculon_check_inputs(const char *a, const char *b, const char *c,
                                     struct rk_error *error)
{
    const int dashes = (strcmp(a, "-") == 0) + (strcmp(b, "-") == 0) + (strcmp(c, "-") == 0);
    if (dashes <= 1) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "standard input (-) can be read once: give files for the others");
}

/* ---- the searches ---- */

struct search_args {
    const char *model, *ranks, *max_batch, *datatype, *system, *output;
    uint64_t cpus, top;
    int fused; /* index into fused_choices */
    bool debug, none_ok, mbs_break, layers, no_tensor_overlap, no_data_overlap;
};

/* What that tool takes for "without, with fusion, or both". */
static const char *const fused_choices[] = {"true", "t",     "T", "True", "1",   "false", "f",
                                            "F",    "False", "0", "both", "all", "*",     NULL};
enum { FIRST_FALSE = 5, FIRST_BOTH = 10 };

/* clang-format off */
#define SEARCH(member) offsetof(struct search_args, member)
static const struct operand search_operands[] = {
    { .name = "MODEL",          .help = "Model file, .json or .json.gz",              .offset = SEARCH(model),     .complete = "file" },
    { .name = "NUM_PROCS",      .help = "Number of processors of an execution",                 .offset = SEARCH(ranks) },
    { .name = "MAX_BATCH_SIZE", .help = "Largest batch; the search takes the largest multiple of the data degree",
                                                                      .offset = SEARCH(max_batch) },
    { .name = "DATATYPE",       .help = "Datatype: float8, float16, bfloat16 or float32",       .offset = SEARCH(datatype) },
    { .name = "SYSTEM",         .help = "System file, .json or .json.gz",             .offset = SEARCH(system),    .complete = "file" },
    { .name = "OUTPUT",         .help = "Output file",                              .offset = SEARCH(output),    .complete = "file" },
    { .name = NULL },
};
static const struct option search_options[] = {
    { .letter = 'd', .name = "debug",   .type = OPTION_FLAG,   .offset = SEARCH(debug),
      .help = "Count executions, write no file" },
    { .letter = 'c', .name = "cpus",    .type = OPTION_NUMBER, .offset = SEARCH(cpus), .argument = "N",
      .min = 1, .max = 1024, .help = "Use N threads (default: all)" },
    { .letter = 'n', .name = "noneok",  .type = OPTION_FLAG,   .offset = SEARCH(none_ok),
      .help = "Exit with status 0 when no execution can run" },
    { .letter = 'f', .name = "fused_activation", .type = OPTION_CHOICE, .offset = SEARCH(fused),
      .argument = "MODE", .choices = fused_choices,
      .help = "Search executions with a fused activation, without one, or both (default: true)" },
    { .name = NULL },
};
static const struct option optimal_options[] = {
    { .letter = 'm', .name = "mbs-break", .type = OPTION_FLAG,   .offset = SEARCH(mbs_break),
      .help = "Skip larger microbatches once none of one size can run" },
    { .letter = 't', .name = "top-n",     .type = OPTION_NUMBER, .offset = SEARCH(top), .argument = "N",
      .min = 1, .max = 1000000, .help = "Number of executions to write (default: 1)" },
    { .letter = 'l', .name = "layers",    .type = OPTION_FLAG,   .offset = SEARCH(layers),
      .help = "Include the operations of a block in the statistics" },
    { .name = "no-tp-overlap", .type = OPTION_FLAG, .offset = SEARCH(no_tensor_overlap),
      .help = "Disable overlapped tensor parallelism" },
    { .name = "no-dp-overlap", .type = OPTION_FLAG, .offset = SEARCH(no_data_overlap),
      .help = "Disable overlapped data parallelism" },
    { .name = NULL },
};
#undef SEARCH
/* clang-format on */

static const struct usage optimal_usage = {
#include "help/calculon-llm-optimal-execution.h"
    .operands = search_operands,
    .abbreviations = true,
    .groups = {{"Options", search_options, 0},
               {"Options of this search", optimal_options, 0},
               {"General", options_help_rows, 0}},
};

static const struct usage all_usage = {
    .name = "calculon llm-all-executions",
    .summary = "write every execution that can run",
    .synopsis = "MODEL NUM_PROCS MAX_BATCH_SIZE DATATYPE SYSTEM OUTPUT [options]",
    .description = "Writes one CSV row (.csv or .csv.gz) for each execution that can run, in the "
                   "order of the enumeration. The short name is lae.",
    .operands = search_operands,
    .abbreviations = true,
    .groups = {{"Options", search_options, 0}, {"General", options_help_rows, 0}},
    .examples = {{"reckon calculon lae model.json 64 16 float8 system.json all.csv.gz", NULL}},
};

static enum rk_status parse_datatype(const char *name, enum rk_datatype *datatype,
                                     struct rk_error *error)
{
    for (enum rk_datatype type = 0; type < RK_DATATYPES; type++) {
        if (strcmp(name, rk_datatype_name(type)) != 0) continue;
        *datatype = type;
        return RK_OK;
    }
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "DATATYPE: \"%.80s\" is unknown: give float8, float16, bfloat16 or float32",
                   name);
}

static enum rk_status check_datatype(const struct search_args *args,
                                     const struct calculon_problem *problem, struct rk_error *error)
{
    const struct rk_system *system = problem->system;
    if (system->matrix[problem->datatype].curve.steps &&
        system->vector[problem->datatype].curve.steps)
        return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, args->system, 0, 0,
                   "the system does not have %s on both engines: choose another DATATYPE",
                   args->datatype);
}

/* Reads numbers and files into `problem`, whose model and system are the caller's to fill. */
static enum rk_status search_open(const struct search_args *args, struct calculon_problem *problem,
                                  struct rk_model *model, struct rk_system *system,
                                  struct rk_error *error)
{
    enum rk_status status;
    *problem =
        (struct calculon_problem){.model = model,
                                  .system = system,
                                  .fused = {args->fused >= FIRST_FALSE,
                                            args->fused < FIRST_FALSE || args->fused >= FIRST_BOTH},
                                  .tensor_overlap = !args->no_tensor_overlap,
                                  .data_overlap = !args->no_data_overlap,
                                  .threads = (int)args->cpus};
    status = option_number("NUM_PROCS", args->ranks, 1, 0, &problem->ranks, error);
    if (status == RK_OK)
        status = option_number("MAX_BATCH_SIZE", args->max_batch, 1, 0, &problem->max_batch, error);
    if (status == RK_OK) status = parse_datatype(args->datatype, &problem->datatype, error);
    if (status == RK_OK) status = calculon_check_inputs(args->model, args->system, "", error);
    if (status == RK_OK) status = calculon_read_model(args->model, model, error);
    if (status == RK_OK) status = calculon_read_system(args->system, system, error);
    if (status != RK_OK) return status;
    calculon_drop_absent_memory(system);
    return check_datatype(args, problem, error);
}

static void print_tally(uint64_t total, uint64_t good, uint64_t bad, double seconds)
{
    printf("Total executions: %" PRIu64 "\n", total);
    printf("Good executions: %" PRIu64 "\n", good);
    printf("Bad executions: %" PRIu64 "\n", bad);
    printf("Calculation rate: %.2f calcs/sec\n", seconds > 0 ? (double)total / seconds : 0);
}

/* No execution can run: a failure unless it was said to be fine. */
static enum rk_status nothing_found(const struct search_args *args, struct rk_error *error)
{
    if (!args->none_ok)
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "no acceptable configuration found (%s)",
                       "--noneok makes this exit with status 0");
    puts("No acceptable configurations found :(");
    return RK_OK;
}

/* ---- llm-optimal-execution ---- */

static void write_ranking_csv(FILE *to, const struct calculon_run *runs, size_t count, bool layers)
{
    struct calculon_columns *columns = calloc(1, sizeof *columns);
    if (!columns) return;
    calculon_write_header(to, true, layers);
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "%zu,", i);
        calculon_write_row(to, runs[i].execution, runs[i].estimate, columns);
        if (layers) calculon_write_layers_cell(to, &runs[i]);
        fputc('\n', to);
    }
    free(columns);
}

static enum rk_status write_ranking(const struct search_args *args,
                                    const struct calculon_problem *problem,
                                    const struct calculon_ranking *ranking, struct rk_error *error)
{
    const size_t count = ranking->count;
    struct output output = {.file = NULL};
    struct calculon_run *runs = calloc(count + 1, sizeof *runs);
    struct rk_estimate *estimates = calloc(count + 1, sizeof *estimates);
    enum rk_status status = RK_OK;
    if (!runs || !estimates) {
        status = no_memory(error);
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        rk_estimate(problem->model, problem->system, &ranking->best[i].strategy, &estimates[i]);
        runs[i] = (struct calculon_run){problem->model, problem->system, &ranking->best[i],
                                        &estimates[i]};
    }
    if (count) {
        char rate[CALCULON_NUMBER];
        calculon_number(rate, estimates[0].samples_per_s, false);
        printf("Best sample rate: %s\n", rate);
    }
    printf("Output: %s\n", args->output);
    status = output_open(&output, args->output, error);
    if (status != RK_OK) goto out;
    if (is_csv(args->output))
        write_ranking_csv(output.file, runs, count, args->layers);
    else
        calculon_write_ranking(output.file, calculon_style_of(args->output), runs, count,
                               args->layers);
    status = output_commit(&output, error);
out:
    output_abandon(&output);
    free(estimates);
    free(runs);
    return status;
}

static enum rk_status search_optimal(const struct search_args *args,
                                     const struct calculon_problem *problem, struct rk_error *error)
{
    struct calculon_ranking ranking = {.best = NULL};
    const double start_s = now_s();
    enum rk_status status;
    if (args->debug) {
        status = calculon_search_count(problem, &ranking.total, error);
        if (status == RK_OK) print_tally(ranking.total, 0, 0, now_s() - start_s);
        return status;
    }
    status = calculon_search_best(problem, (size_t)args->top, args->mbs_break, &ranking, error);
    if (status == RK_OK) {
        print_tally(ranking.total, ranking.good, ranking.total - ranking.good, now_s() - start_s);
        if (!ranking.count) status = nothing_found(args, error);
    }
    if (status == RK_OK) status = write_ranking(args, problem, &ranking, error);
    calculon_ranking_release(&ranking);
    return status;
}

/* ---- llm-all-executions ---- */

static enum rk_status search_all(const struct search_args *args,
                                 const struct calculon_problem *problem, struct rk_error *error)
{
    struct output output = {.file = NULL};
    uint64_t total = 0, good = 0;
    const double start_s = now_s();
    enum rk_status status = RK_OK;
    if (!args->debug) {
        status = output_open(&output, args->output, error);
        if (status == RK_OK) calculon_write_header(output.file, false, false);
    }
    if (status == RK_OK) status = calculon_search_all(problem, output.file, &total, &good, error);
    if (status == RK_OK) {
        print_tally(total, good, total - good, now_s() - start_s);
        if (!good) status = nothing_found(args, error);
    }
    if (status == RK_OK && !args->debug) {
        printf("Output: %s\n", args->output);
        status = output_commit(&output, error);
    }
    output_abandon(&output);
    return status;
}

/* ---- both ---- */

typedef enum rk_status search_fn(const struct search_args *args,
                                 const struct calculon_problem *problem, struct rk_error *error);

static int run_search(const struct search_args *args, search_fn *search)
{
    struct calculon_problem problem;
    struct rk_model model;
    struct rk_system system = {.memories = 0};
    struct rk_error error = {.status = RK_OK};
    struct progress progress;
    enum rk_status status = search_open(args, &problem, &model, &system, &error);
    if (status == RK_OK) {
        progress_start(&progress, "executions");
        problem.progress = progress_step;
        problem.context = &progress;
        status = search(args, &problem, &error);
        progress_end(&progress);
    }
    rk_system_release(&system);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

static int run_optimal(int argc, char **argv)
{
    struct search_args args = {.top = 1};
    struct rk_error error;
    const int done = options_read(&optimal_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (calculon_is_json(args.output) || is_csv(args.output))
        return run_search(&args, search_optimal);
    calculon_refuse_ending("OUTPUT", args.output, ".json, .json.gz, .csv or .csv.gz", &error);
    return options_fail(&error);
}

static int run_all(int argc, char **argv)
{
    struct search_args args = {.top = 1};
    struct rk_error error;
    const int done = options_read(&all_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (is_csv(args.output)) return run_search(&args, search_all);
    calculon_refuse_ending("OUTPUT", args.output, ".csv or .csv.gz", &error);
    return options_fail(&error);
}

/* ---- llm-parameter-calculator ---- */

struct parameter_args {
    const char *model;
    uint64_t alignment;
};

static const struct operand parameter_operands[] = {
    {.name = "MODEL",
     .help = "Model file, .json or .json.gz",
     .offset = offsetof(struct parameter_args, model),
     .complete = "file"},
    {.name = NULL},
};
static const struct option parameter_options[] = {
    {.letter = 'a',
     .name = "alignment",
     .type = OPTION_NUMBER,
     .argument = "N",
     .max = 256,
     .offset = offsetof(struct parameter_args, alignment),
     .help = "Width of the name column (default: 13)"},
    {.name = NULL},
};

static const struct usage parameter_usage = {
    .name = "calculon llm-parameter-calculator",
    .summary = "count the parameters of a model",
    .synopsis = "MODEL [options]",
    .description = "Counts parameters as the published tool does, with a vocabulary of 51,200 "
                   "entries. The short name is lpc.",
    .operands = parameter_operands,
    .abbreviations = true,
    .groups = {{"Options", parameter_options, 0}, {"General", options_help_rows, 0}},
};

static int run_parameters(int argc, char **argv)
{
    struct parameter_args args = {.alignment = 13};
    struct rk_model model;
    struct rk_error error;
    char count[CALCULON_NUMBER];
    const int done = options_read(&parameter_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (calculon_read_model(args.model, &model, &error) != RK_OK) return options_fail(&error);
    calculon_human(count, calculon_parameters(&model), CALCULON_BASE10);
    printf("%-*s -> %s\n", (int)args.alignment, model.id, count);
    return RK_OK;
}

/* ---- the command ---- */

static const struct command calculon_commands[] = {
    {"llm", calculon_run_llm, "compute the time and memory of one execution", &calculon_llm_usage},
    {"llm-optimal-execution", run_optimal, "find the executions with the best sample rate",
     &optimal_usage},
    {"loe", run_optimal, "llm-optimal-execution", NULL},
    {"llm-all-executions", run_all, "write every execution that can run", &all_usage},
    {"lae", run_all, "llm-all-executions", NULL},
    {"llm-parameter-calculator", run_parameters, "count the parameters of a model",
     &parameter_usage},
    {"lpc", run_parameters, "llm-parameter-calculator", NULL},
    {.name = NULL},
};

const struct usage calculon_usage = {
    .name = "calculon",
    .summary = "run the commands of the published tool Calculon",
    .synopsis = "[-l LOG] [-v LEVEL] COMMAND ...",
#include "help/calculon.h"
    .groups = {{"General", options_help_rows, 0}},
    .commands = calculon_commands,
};

/* The tool's options in front of the command: where its log goes, and from which level on. What it
 * logs is what is printed here; errors are not part of it. */
struct log_args {
    const char *file;
    int level;
};

static const char *const levels[] = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", NULL};
enum { LEVEL_INFO = 1 };

/* Takes them off argv; how many words they were, or -1. */
static int read_log_args(int argc, char **argv, struct log_args *log, struct rk_error *error)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at += 2) {
        const bool file = !strcmp(argv[at], "-l") || !strcmp(argv[at], "--log");
        const bool level = !strcmp(argv[at], "-v") || !strcmp(argv[at], "--verbosity");
        if (!file && !level) break;
        if (at + 1 == argc) {
            rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "calculon %s needs a value", argv[at]);
            return -1;
        }
        if (file) log->file = argv[at + 1];
        for (log->level = level ? 0 : log->level; level && levels[log->level]; log->level++)
            if (!strcmp(levels[log->level], argv[at + 1])) break;
        if (level && !levels[log->level]) {
            rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                    "calculon %s: %.40s is not a level: DEBUG, INFO, WARNING, ERROR or CRITICAL",
                    argv[at], argv[at + 1]);
            return -1;
        }
    }
    return at - 1;
}

static enum rk_status open_log(const struct log_args *log, struct rk_error *error)
{
    const char *file = log->level > LEVEL_INFO ? "/dev/null" : log->file;
    if (strcmp(file, "-") == 0 || freopen(file, "w", stdout)) return RK_OK;
    return rk_fail(error, RK_IO, file, 0, 0, "cannot be written: name another file with --log");
}

int cmd_calculon(int argc, char **argv)
{
    struct rk_error error;
    struct log_args log = {"-", LEVEL_INFO};
    char none;
    const int words = read_log_args(argc, argv, &log, &error);
    if (words < 0) return options_fail(&error);
    argc -= words;
    argv += words;
    if (argc > 1 && argv[1][0] != '-') {
        const struct command *command = options_command(calculon_commands, argv[1], &error);
        if (!command || open_log(&log, &error) != RK_OK) return options_fail(&error);
        return command->run(argc - 1, argv + 1);
    }
    const int done = options_read(&calculon_usage, argc, argv, &none);
    if (done >= 0) return done;
    rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "calculon: give a command: llm, llm-optimal-execution, llm-all-executions or "
            "llm-parameter-calculator");
    return options_fail(&error);
}
