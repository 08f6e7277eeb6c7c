/* options_command.c - how every command begins: its options are read, or its help is printed. */
#include "base/text.h"
#include "cli/keys.h"
#include "cli/options.h"

#include <string.h>

struct rk_error *options_failure;

int options_fail(const struct rk_error *error)
{
    char text[sizeof error->path + sizeof error->text + 32]; /* "path:line:column: text" */
    if (options_failure) *options_failure = *error;
    keys_say_error(error, text, sizeof text);
    fprintf(stderr, "reckon: %s\n", text);
    return (int)error->status;
}

int options_read(const struct usage *usage, int argc, char **argv, void *args)
{
    struct rk_error error;
    enum help help;
    if (options_parse(usage, argc, argv, args, &help, &error) != RK_OK) return options_fail(&error);
    if (help == HELP_NONE) return -1;
    options_print_help(stdout, usage, help);
    return RK_OK; /* show_finish() says what could not be written */
}

/* "hf, megatron or slurm"; hidden ones stand last, and are not named. */
static void list_commands(const struct command *commands, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct command *c = commands; c->name && c->usage && used < size; c++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 c == commands ? ""
                                 : c[1].usage  ? ", "
                                               : " or ",
                                 c->name);
}

/* `group`: the command whose commands they are, "import"; "" for those of reckon. */
static const struct command *find_command(const struct command *commands, const char *group,
                                          const char *name, struct rk_error *error)
{
    enum { FEW = 16 }; /* are listed */
    const char *names[MAX_NAMES + 1] = {NULL};
    char quoted[TEXT_QUOTE], all[300];
    size_t count = 0;
    for (const struct command *c = commands; c->name; c++) {
        if (strcmp(c->name, name) == 0) return c;
        if (c->usage && count < MAX_NAMES) names[count++] = c->name;
    }
    const char *nearest = text_nearest(name, names);
    text_quote(quoted, name, strlen(name));
    if (nearest)
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "unknown command %s: did you mean \"%s\"?",
                quoted, nearest);
    else if (list_commands(commands, all, sizeof all), count <= FEW)
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "unknown command %s: give %s", quoted, all);
    else
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "unknown command %s: reckon %s%s--help lists them", quoted, group,
                *group ? " " : "");
    return NULL;
}

const struct command *options_command(const struct command *commands, const char *name,
                                      struct rk_error *error)
{
    return find_command(commands, "", name, error);
}

int options_run_command(const struct usage *usage, int argc, char **argv)
{
    struct rk_error error;
    char none, names[300];
    if (argc > 1 && argv[1][0] != '-') {
        const struct command *command = find_command(usage->commands, usage->name, argv[1], &error);
        return command ? command->run(argc - 1, argv + 1) : options_fail(&error);
    }
    const int done = options_read(usage, argc, argv, &none);
    if (done >= 0) return done;
    list_commands(usage->commands, names, sizeof names);
    rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: say which: reckon %s %s", usage->name,
            usage->name, names);
    return options_fail(&error);
}
