/* commands.c - the commands that the page asks: those without databases, threads and long runs. */
#include "cli/commands.h"

/* clang-format off */
const struct command main_commands[] = {
    {"fits",     cmd_fits,     "", &fits_usage},
    {"predict",  cmd_predict,  "", &predict_usage},
    {"search",   cmd_search,   "", &search_usage},
    {"budget",   cmd_budget,   "", &budget_usage},
    {"longest",  cmd_longest,  "", &longest_usage},
    {"serve",    cmd_serve,    "", &serve_usage},
    {"models",   cmd_models,   "", &models_usage},
    {"systems",  cmd_systems,  "", &systems_usage},
    {"diff",     cmd_diff,     "", &diff_usage},
    {"report",   cmd_report,   "", &report_usage},
    {"import",   cmd_import,   "", &import_usage},
    {"export",   cmd_export,   "", &export_usage},
    {NULL, NULL, NULL, NULL},
};
/* clang-format on */

bool command_is_for_programs(const struct command *command)
{
    return command->usage;
}
