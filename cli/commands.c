#include "cli/commands.h"
#include "cli/published.h"

/* clang-format off */
const struct command main_commands[] = {
    {"fits",       cmd_fits,     "show if a plan fits and what saves memory",    &fits_usage},
    {"search",     cmd_search,   "search for the fastest plans",            &search_usage},
    {"predict",    cmd_predict,  "predict step time and memory of a plan", &predict_usage},
    {"export",     cmd_export,   "write launch files for other tools",    &export_usage},
    {"doctor",     cmd_doctor,   "diagnose a run that is slower than predicted",              &doctor_usage},
    {"budget",     cmd_budget,   "find the largest model or most tokens within a budget", &budget_usage},
    {"models",     cmd_models,   "list the models of the catalog, or show one",     &models_usage},
    {"systems",    cmd_systems,  "list the systems of the catalog, or show one",    &systems_usage},
    {"longest",    cmd_longest,  "find the longest sequence that can be trained",        &longest_usage},
    {"serve",      cmd_serve,    "predict inference: first token, token rate, KV cache",          &serve_usage},
    {"offload",    cmd_offload,  "plan activation offloading and the lifetime of drives",          &offload_usage},
    {"study",      cmd_study,    "run a grid of searches, kept in a database",          &study_usage},
    {"shapes",     cmd_shapes,   "propose model shapes for a number of parameters",   &shapes_usage},
    {"prices",     cmd_prices,   "list prices of accelerators with date and source", &prices_usage},
    {"check",      cmd_check,    "check a plan, launch file or logs of a run for faults",   &check_usage},
    {"diff",       cmd_diff,     "compare two plans and attribute the difference", &diff_usage},
    {"timeline",   cmd_timeline, "simulate the pipeline schedule of one step",  &timeline_usage},
    {"program",    cmd_program,  "print each rank's program, instruction by instruction", &program_usage},
    {"place",      cmd_place,    "plan fixed addresses for buffers with known lifetimes", &place_usage},
    {"report",     cmd_report,   "write a plan, search or study as one page",  &report_usage},
    {"import",     cmd_import,   "read models and plans of other tools",   &import_usage},
    {"capture",    cmd_capture,  "record the arguments that a script really starts", &capture_usage},
    {"adapt",      cmd_adapt,    "watch a run and report when another plan pays off",     &adapt_usage},
    {"calibrate",  cmd_calibrate, "fit a system's kernels and links to measurements", &calibrate_usage},
    {"support",    cmd_support,  "count the measured runs that support a prediction",     &support_usage},
    {"validate",   cmd_validate, "compare predictions with published measurements",        &validate_usage},
    {"mcp",        cmd_mcp,      "answer an assistant's questions (Model Context Protocol)", &mcp_usage},
    {"corpus",     cmd_corpus,   "make training text from raw text",                  &corpus_usage},
    {"tokenizer",  cmd_tokenizer, "train a tokenizer",                             &tokenizer_usage},
    {"tokenize",   cmd_tokenize, "convert texts to token ids and back",                    &tokenize_usage},
    {"measure",    cmd_measure,  "measure this machine and write it as a system file", &measure_usage},
    {"train",      cmd_train,    "train a model under a plan on this machine's processors", &train_usage},
    {"generate",   cmd_generate, "continue a prompt with a trained model",          &generate_usage},
    {"eval",       cmd_eval,     "evaluate a model: perplexity and multiple choice", &eval_usage},
    {"compare",    cmd_compare,  "find where two dumps of a training step diverge",         &compare_usage},
    {"shard",      cmd_shard,    "split a checkpoint by rank under a plan",   &shard_usage},
    {"merge",      cmd_merge,    "merge the shards of a plan into one checkpoint",          &merge_usage},
    {"reshard",    cmd_reshard,  "convert the shards of a plan to those of another plan",    &reshard_usage},
#define COMMAND(name, summary) {#name, cmd_##name, summary, &name##_usage},
    PUBLISHED_COMMANDS(COMMAND)
#undef COMMAND
    {"__man",      cmd_man,      "print a manual page",                             NULL},
    {"__complete", cmd_complete, "print a completion script",                       NULL},
    {"__list",     cmd_list,     "print the ids of models or systems",              NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct command_group main_groups[] = {
    {"Common commands", "fits", false},
    {"Plan", "longest", true},
    {"Catalogs", "shapes", true},
    {"Inspect", "check", true},
    {"Other tools", "import", true},
    {"Monitor and calibrate", "adapt", true},
    {"Train", "corpus", true},
    {"Checkpoints", "shard", true},
    {"Published tools", "calculon", true},
    {NULL, NULL, false},
};

static const struct option main_options[] = {
    {.name = "version", .type = OPTION_HELP, .help = "Print the version"},
    {.name = NULL},
};

const struct usage main_usage = {
    .name = "",
    .summary = "predict time and memory of LLM training plans, and search for the best",
    .synopsis = "COMMAND [options]",
#include "help/reckon.h"
    .groups = {
        {"General", options_help_rows, 0},
        {"Version", main_options, 0},
    },
    .commands = main_commands,
    .command_groups = main_groups,
};
/* clang-format on */

bool command_is_for_programs(const struct command *command)
{
    return command->usage && command->run != cmd_train && command->run != cmd_generate &&
           command->run != cmd_eval && command->run != cmd_measure && command->run != cmd_papers &&
           command->run != cmd_mcp && command->run != cmd_capture;
}
