/* fuzz_options.c - any words as a command line: the first byte picks the command, the rest is
 * words with an end-of-line between them. Parsing must end with RK_OK, RK_BAD_ARGUMENT, help or, of
 * a file that cannot be written, RK_IO, and a message where it fails; nothing is run. */
#include "cli/commands.h"
#include "cli/plan_axes.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_WORDS = 256, ARGS_SIZE = 1 << 17 };

/* The command below one with commands of its own comes first. */
static const struct usage *pick(uint8_t byte)
{
    const struct usage *all[256];
    size_t count = 0;
    for (const struct command *c = main_commands; c->name; c++) {
        if (c->usage) all[count++] = c->usage;
        const struct command *below = c->usage ? c->usage->commands : NULL;
        for (; below && below->name; below++)
            if (below->usage) all[count++] = below->usage;
    }
    return all[byte % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static _Alignas(16) char args[ARGS_SIZE]; /* more than any command's struct */
    char *words[MOST_WORDS + 1] = {"command"};
    struct rk_error error = {.status = RK_OK};
    enum help help;
    int count = 1;
    if (size == 0) return 0;
    plan_axes_prepare();
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    char *rest = text, *word;
    while (count < MOST_WORDS && (word = strsep(&rest, "\n")))
        words[count++] = word;
    memset(args, 0, sizeof args);
    const enum rk_status status = options_parse(pick(data[0]), count, words, args, &help, &error);
    if (status != RK_OK && ((status != RK_BAD_ARGUMENT && status != RK_IO) || !error.text[0]))
        abort();
    options_command(main_commands, words[count - 1], &error);
    free(text);
    return 0;
}
