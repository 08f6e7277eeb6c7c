#include "cli/commands.h"
#include "cli/published.h"

/* clang-format off */
const struct command main_commands[] = {
    {"fits",       cmd_fits,     "does it fit, and what saves how much memory",    &fits_usage},
    {"predict",    cmd_predict,  "the time and memory of a step, as people train today", &predict_usage},
    {"search",     cmd_search,   "the best plans of all there are",            &search_usage},
    {"budget",     cmd_budget,   "the largest model, or most tokens, that money and days train", &budget_usage},
    {"longest",    cmd_longest,  "the longest sequence that can be trained",        &longest_usage},
    {"serve",      cmd_serve,    "inference: prompts, tokens and their cache",          &serve_usage},
    {"offload",    cmd_offload,  "which activations leave the accelerator",          &offload_usage},
    {"study",      cmd_study,    "a grid of searches, kept in a database",          &study_usage},
    {"models",     cmd_models,   "list the models of the catalog, or show one",     &models_usage},
    {"systems",    cmd_systems,  "list the systems of the catalog, or show one",    &systems_usage},
    {"shapes",     cmd_shapes,   "well-shaped models for a number of parameters",   &shapes_usage},
    {"check",      cmd_check,    "what is wrong with a plan, a launch file or a run",   &check_usage},
    {"diff",       cmd_diff,     "what one plan does differently from another, and what it is worth", &diff_usage},
    {"timeline",   cmd_timeline, "the pipeline schedule of one step, event by event",  &timeline_usage},
    {"program",    cmd_program,  "what each rank of a plan does, instruction by instruction", &program_usage},
    {"place",      cmd_place,    "fixed addresses for buffers whose lifetimes are known", &place_usage},
    {"report",     cmd_report,   "a plan, a search or a study as one page to look at",  &report_usage},
    {"import",     cmd_import,   "take over the models and plans of other tools",   &import_usage},
    {"capture",    cmd_capture,  "record the arguments that a script really starts", &capture_usage},
    {"export",     cmd_export,   "a plan as what other tools are launched with",    &export_usage},
    {"doctor",     cmd_doctor,   "why a run is slower than predicted",              &doctor_usage},
    {"adapt",      cmd_adapt,    "watch a run, and say when another plan pays",     &adapt_usage},
    {"calibrate",  cmd_calibrate, "fit a system's constants to what was measured on it", &calibrate_usage},
    {"support",    cmd_support,  "count the measured runs that support a prediction",     &support_usage},
    {"validate",   cmd_validate, "predictions beside published measurements",        &validate_usage},
    {"mcp",        cmd_mcp,      "answer an assistant's questions (Model Context Protocol)", &mcp_usage},
    {"corpus",     cmd_corpus,   "from raw text to training text",                  &corpus_usage},
    {"tokenizer",  cmd_tokenizer, "train a tokenizer",                             &tokenizer_usage},
    {"tokenize",   cmd_tokenize, "texts as token ids, and back",                    &tokenize_usage},
    {"measure",    cmd_measure,  "this machine as a system that plans are predicted for", &measure_usage},
    {"train",      cmd_train,    "train a model under a plan, on this machine's processors", &train_usage},
    {"generate",   cmd_generate, "continue a prompt with a trained model",          &generate_usage},
    {"eval",       cmd_eval,     "how well a trained model foretells texts and answers", &eval_usage},
    {"compare",    cmd_compare,  "where two dumps of a training step part",         &compare_usage},
    {"shard",      cmd_shard,    "which part of which tensor goes to which rank",   &shard_usage},
    {"merge",      cmd_merge,    "the shards of a plan as one checkpoint",          &merge_usage},
    {"reshard",    cmd_reshard,  "the shards of a plan as those of another one",    &reshard_usage},
#define COMMAND(name, summary) {#name, cmd_##name, summary, &name##_usage},
    PUBLISHED_COMMANDS(COMMAND)
#undef COMMAND
    {"__man",      cmd_man,      "print a manual page",                             NULL},
    {"__complete", cmd_complete, "print a completion script",                       NULL},
    {"__list",     cmd_list,     "print the ids of models or systems",              NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct command_group main_groups[] = {
    {"Before a run", "fits"},
    {"What there is to ask about", "models"},
    {"A plan, looked at", "check"},
    {"Plans and models of other tools", "import"},
    {"Beside a run", "doctor"},
    {"From text to a trained model", "corpus"},
    {"Checkpoints in parts", "shard"},
    {"Published tools", "calculon"},
    {NULL, NULL},
};

static const struct option main_options[] = {
    {.name = "version", .type = OPTION_HELP, .help = "print the version"},
    {.name = NULL},
};

const struct usage main_usage = {
    .name = "",
    .summary = "predict the time and memory of LLM training plans, and search for the best",
    .synopsis = "COMMAND [options]",
    .description =
        "Reckon predicts what training a large language model costs on a machine: whether it fits (fits), "
        "the time of a step and the memory of a GPU (predict). It finds the best plan of all (search), "
        "writes what launches it (export), and trains models on this machine (train). Every command "
        "explains itself: reckon COMMAND --help.",
    .groups = {
        {"General", options_help_rows, 0},
        {"Version", main_options, 0},
    },
    .examples = {
        {"reckon fits llama3.1-70b h100-sxm5-80g -g 64", "Does it fit, and how would one split it?"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256", "Which plan is the best?"},
        {"reckon export megatron -m llama3.1-70b gpus64 dp16 tp4 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap",
         "What do I launch?"},
        {"reckon models", "What can be trained:"},
    },
    .see_also = "reckon-predict(1), reckon-fits(1), reckon-search(1), reckon-models(1), reckon-systems(1), reckon-model(5), reckon-system(5), reckon-plan(5)",
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
