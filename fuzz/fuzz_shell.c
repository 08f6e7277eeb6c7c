/* fuzz_shell.c - any bytes as a launch script: read, never run; as arguments of Megatron-LM. */
#include "megatron/megatron.h"
#include "shell/shell.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_words(const struct shell *shell)
{
    for (size_t i = 0; i < shell->commands; i++) {
        const struct shell_command *command = &shell->command[i];
        assert(command->first + command->count <= shell->words);
        for (size_t k = 0; k < command->count; k++) {
            const struct shell_word *word = &shell->word[command->first + k];
            assert(word->text && word->unknown <= shell->unknowns &&
                   word->maybe <= shell->unknowns);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const sets[] = {"N=8", "NAME=a b"};
    const struct megatron_options options = {.sets = sets, .set_count = 2, .gpus = 64};
    struct rk_error error = {0};
    struct shell shell;
    if (shell_read(&shell, "x.sh", (const char *)data, size, sets, 2, &error) == RK_OK)
        check_words(&shell);
    else
        assert(error.text[0]);
    shell_release(&shell);
    struct megatron_import *import = malloc(sizeof *import);
    assert(import);
    if (megatron_read("x.sh", (const char *)data, size, &options, import, &error) == RK_OK) {
        assert(rk_model_parameters(&import->model) <= UINT64_C(1) << 53);
        assert(import->plan.pipeline * import->plan.chunks <= RK_MAX_CHUNKS);
        assert(rk_plan_data(&import->plan) > 0);
    }
    assert(import->notes.count <= NOTES_MAX);
    free(import);
    return 0;
}
