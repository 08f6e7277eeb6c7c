/* reckon-run: the commands that run a plan, with the executor's library. */
#include "cli/commands.h"
#include "cli/executor.h"
#include "cli/exit.h"
#include "cli/pages.h"
#include "cli/plan_axes.h"
#include "cli/plan_input.h"
#include "cli/show.h"
#include "cli/signals.h"
#include "cli/stack.h"

#include <stdio.h>
#include <string.h>

static const struct executor threads = {.defaults = rk_train_default,
                                        .check = rk_train_check,
                                        .look = rk_train_look,
                                        .train = rk_train_threads,
                                        .count = rk_train_count,
                                        .generate = rk_generate_tokens,
                                        .score = rk_score_threads,
                                        .measure = rk_measure,
                                        .products = rk_products_here,
                                        .measure_tiers = rk_measure_tiers};

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"train", cmd_train},
    {"generate", cmd_generate},
    {"eval", cmd_eval},
    {"measure", cmd_measure},
};

static int begin(int argc, char **argv)
{
    plan_axes_prepare();
    plan_words_prepare();
    cli_executor = &threads;
    signals_go_to(signals_end);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            page_given(argc - 1, argv + 1);
            return exit_code(show_finish(commands[i].run(argc - 1, argv + 1)));
        }
    fprintf(stderr, "reckon-run: say reckon train --help\n");
    return exit_code(RK_BAD_ARGUMENT);
}

int main(int argc, char **argv)
{
    return stack_run(begin, argc, argv);
}
