/* main.c - finds the subcommand and runs it. */
#include "cli/capture.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/pages.h"
#include "cli/plan_axes.h"
#include "cli/plan_input.h"
#include "cli/show.h"
#include "cli/signals.h"
#include "cli/stack.h"

#include <signal.h>
#include <string.h>

/* What a first run teaches. */
static int greet(void)
{
    printf("Reckon predicts the time and memory of LLM training plans, and finds the best one.\n\n"
           "What people ask first:\n");
    for (const struct example *e = main_usage.examples; e->command; e++)
        printf("\n  %s\n    %s\n", e->what, e->command);
    printf("\nreckon --help lists all commands; reckon COMMAND --help explains one.\n");
    return RK_OK;
}

static int run(int argc, char **argv)
{
    struct rk_error error;
    if (argc < 2) return greet();
    if (strcmp(argv[1], "--version") == 0) {
        printf("reckon %s\n", RECKON_VERSION);
        return RK_OK;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2) {
        const struct command *topic = options_command(main_commands, argv[2], &error);
        if (!topic || !topic->usage) return topic ? RK_BAD_ARGUMENT : options_fail(&error);
        options_print_help(stdout, topic->usage, HELP_USUAL);
        return RK_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help-all") == 0) {
        options_print_help(stdout, &main_usage,
                           strcmp(argv[1], "--help-all") == 0 ? HELP_ALL : HELP_USUAL);
        return RK_OK;
    }
    const struct command *command = NULL;
    if (argv[1][0] == '-')
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "\"%.40s\" stands where a command does: give one before its flags, or --help, "
                "--version",
                argv[1]);
    else
        command = options_command(main_commands, argv[1], &error);
    page_given(argc - 1, argv + 1);
    return command ? command->run(argc - 1, argv + 1) : options_fail(&error);
}

static int begin(int argc, char **argv)
{
    if (capture_stands_in(argv[0])) return capture_stand_in(argc, argv);
    plan_axes_prepare();
    plan_words_prepare();
    signals_go_to(signals_end);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails, and says so */
    const int code = run(argc, argv);
    return exit_code(show_finish(code));
}

int main(int argc, char **argv)
{
    return stack_run(begin, argc, argv);
}
