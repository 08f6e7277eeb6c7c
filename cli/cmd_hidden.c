/* The hidden commands: what is made from the tables, for the source tree and for shells. */
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/plan_input.h"

#include <string.h>

static int refuse(const char *text)
{
    struct rk_error error;
    rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", text);
    return options_fail(&error);
}

int cmd_man(int argc, char **argv)
{
    struct rk_error error;
    if (argc == 2 && strcmp(argv[1], "plan-keys") == 0) {
        plan_keys_print(stdout);
        return RK_OK;
    }
    const struct command *command =
        argc > 1 ? options_command(main_commands, argv[1], &error) : NULL;
    if (argc > 1 && !command) return options_fail(&error);
    if (command && !command->usage) return refuse("that command has no manual page");
    options_print_man(stdout, command ? command->usage : &main_usage);
    return RK_OK;
}

int cmd_complete(int argc, char **argv)
{
    if (argc == 2 && options_print_completion(stdout, argv[1], main_commands)) return RK_OK;
    return refuse("__complete takes one of bash, zsh, fish");
}

/* The commands that have a manual page. */
static int list_commands(void)
{
    for (const struct command *command = main_commands; command->name; command++)
        if (command->usage) puts(command->name);
    return RK_OK;
}

static int list_catalog(enum catalog_kind kind)
{
    struct catalog_list list = {.count = 0};
    struct rk_error error;
    const enum rk_status status = catalog_list(kind, &list, &error);
    for (size_t i = 0; status == RK_OK && i < list.count; i++)
        puts(list.id[i]);
    catalog_list_release(&list);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

int cmd_list(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "commands") == 0) return list_commands();
    if (strcmp(what, "models") == 0) return list_catalog(CATALOG_MODELS);
    if (strcmp(what, "systems") == 0) return list_catalog(CATALOG_SYSTEMS);
    if (strcmp(what, "plan") == 0) {
        plan_words_print(stdout);
        return RK_OK;
    }
    return refuse("__list takes one of commands, models, systems, plan");
}
