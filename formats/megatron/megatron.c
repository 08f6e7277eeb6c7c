/* megatron.c - from a script to a model and a plan. */
#include "megatron/megatron.h"
#include "base/memory.h"
#include "keys/asks.h"
#include "megatron/megatron_args.h"
#include "megatron/megatron_loop.h"

#include <stdlib.h>
#include <string.h>

int megatron_version(const char *text)
{
    if (strncmp(text, "core_", 5) == 0) text += 5;
    if (strncmp(text, "megatron@", 9) == 0) return megatron_version(text + 9);
    if (*text == 'v' || *text == 'r') text++;
    if (strncmp(text, "0.", 2) != 0) return 0;
    char *end;
    const long minor = strtol(text + 2, &end, 10);
    if (end == text + 2 || (*end && *end != '.')) return 0;
    return minor >= MEGATRON_OLDEST && minor <= MEGATRON_NEWEST ? (int)minor : 0;
}

_Static_assert((int)MEGATRON_FLAG_COUNT <= (int)MEGATRON_MOST_FLAGS, "a place for each");

static const char *tool_name(enum megatron_tool tool)
{
    return tool == MEGATRON_DEEPSPEED   ? "Megatron-DeepSpeed"
           : tool == MEGATRON_LLM       ? "Megatron-LLM"
           : tool == MEGATRON_2         ? "Megatron-LM before Core"
           : tool == MEGATRON_PAI       ? "Pai-Megatron-Patch"
           : tool == MEGATRON_MINDSPEED ? "MindSpeed"
                                        : "Megatron-LM";
}

/* Variables of Transformer Engine, of which the first decides over the argument (docs/envvars.rst
 * of 2.9); NVTE_FP8_DPA, which scripts set, is none of them. */
static void read_engine(const struct shell *shell, struct megatron_import *import)
{
    if (!shell) return;
    const char *recipe = shell_variable(shell, "NVTE_DPA_FP8_RECIPE");
    const char *backward = shell_variable(shell, "NVTE_FP8_DPA_BWD");
    const char *vain = shell_variable(shell, "NVTE_FP8_DPA");
    if (vain)
        notes_add(&import->notes, NOTE_WARNING, 0, 0, "NVTE_FP8_DPA", vain,
                  "is read by nothing: --fp8-dot-product-attention is what multiplies in 8 bits");
    if (!import->plan.attention_fp8) return;
    if (recipe && strcmp(recipe, "F16") == 0) {
        import->plan.attention_fp8 = false;
        notes_add(&import->notes, NOTE_WARNING, 0, 0, "NVTE_DPA_FP8_RECIPE", recipe,
                  "puts attention back to 16 bits, whatever --fp8-dot-product-attention says");
    } else if (backward && strcmp(backward, "0") == 0) {
        notes_add(&import->notes, NOTE_WARNING, 0, 0, "NVTE_FP8_DPA_BWD", backward,
                  "has backward in 16 bits, which is counted in 8");
    }
}

static enum rk_status interpret(struct megatron_args *args, const struct shell_word *words,
                                size_t count, const struct megatron_options *options,
                                struct megatron_import *import)
{
    char multiple[MEGATRON_WHY];
    enum rk_status status = megatron_args_read(args, words, count);
    import->since = args->since;
    import->until = args->until;
    import->tool = tool_name(args->tool);
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++)
        if (args->value[i].given) {
            import->place[i].line = args->value[i].word->place.line;
            import->place[i].column = args->value[i].word->place.column;
        }
    if (options->gpus) args->gpus = options->gpus;
    if (status == RK_OK) status = megatron_model(args, options->vocabulary, &import->model);
    if (status != RK_OK) return status;
    if (!args->gpus) args->gpus = notes_machine(args->notes, options->machine);
    if (!args->gpus)
        return megatron_args_fail(args, NULL,
                                  "nothing says how many GPUs are used%s: give --gpus N",
                                  megatron_multiple(args, multiple));
    status = megatron_plan(args, &import->model, &import->plan);
    if (status == RK_OK) status = megatron_deepspeed(args, &import->plan);
    if (status != RK_OK) return status;
    read_engine(args->shell, import);
    import->complete = true;
    import->fsdp = megatron_has(args, MEGATRON_TORCH_FSDP2_FLAG) ||
                   megatron_has(args, MEGATRON_MEGATRON_FSDP_FLAG) ||
                   megatron_has(args, MEGATRON_CUSTOM_FSDP_FLAG);
    import->group = megatron_count(args, MEGATRON_VP_GROUP_FLAG, 0);
    if (import->plan.chunks > 1 && import->group != import->plan.pipeline)
        import->plan.microbatch_group = import->group;
    import->model.flash_attention = import->plan.attention != RK_UNFUSED;
    import->model.causal_skip = import->model.flash_attention;
    megatron_check(args, &import->model, &import->plan);
    import->plan_notes = import->notes.count;
    megatron_check_loop(args, &import->model, &import->plan);
    return notes_refusal(&import->notes, args->path, args->error);
}

/* The arguments' table is too large for the stack of a thread. */
static struct megatron_args *args_new(const char *path, struct shell *shell,
                                      const struct megatron_options *options,
                                      struct megatron_import *import, struct rk_error *error)
{
    struct megatron_args *args = calloc(1, sizeof *args);
    *import = (struct megatron_import){.since = 0};
    if (!args) {
        rk_fail(error, RK_NO_MEMORY, path, 0, 0, "out of memory");
        return NULL;
    }
    args->path = path;
    args->shell = shell;
    args->options = options;
    args->notes = &import->notes;
    args->error = error;
    return args;
}

/* Does the text begin with an argument, comments aside? */
static bool is_bare(const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *p = text; p < end;) {
        const char *line = memchr(p, '\n', (size_t)(end - p));
        if (*p == '#')
            p = line ? line + 1 : end;
        else if (strchr(" \t\r\n", *p) && *p)
            p++;
        else
            return end - p > 2 && p[0] == '-' && p[1] == '-';
    }
    return false;
}

/* The command of the script that trains, and its words. */
static enum rk_status find_words(struct megatron_args *args, struct shell *shell, const char *text,
                                 size_t size, const struct megatron_options *options,
                                 const struct shell_word **words, size_t *word_count)
{
    struct megatron_slurm slurm;
    megatron_slurm_read(&slurm, text, size);
    const size_t count = slurm.count + options->set_count;
    const char **sets = calloc(count + 1, sizeof *sets);
    if (!sets) return rk_fail(args->error, RK_NO_MEMORY, args->path, 0, 0, "out of memory");
    for (size_t i = 0; i < slurm.count; i++)
        sets[i] = slurm.text[i];
    for (size_t i = 0; i < options->set_count; i++)
        sets[slurm.count + i] = options->sets[i];
    enum rk_status status = (is_bare(text, size) ? shell_read_words : shell_read)(
        shell, args->path, text, size, sets, count, args->error);
    free(sets);
    args->gpus = options->gpus;
    return status == RK_OK ? megatron_launch(args, &slurm, words, word_count) : status;
}

static enum rk_status read_script(struct megatron_args *args, struct shell *shell, const char *text,
                                  size_t size, const struct megatron_options *options,
                                  struct megatron_import *import)
{
    const struct shell_word *words = NULL;
    size_t word_count = 0;
    enum rk_status status = find_words(args, shell, text, size, options, &words, &word_count);
    if (status != RK_OK) return status;
    const char *connections = shell_variable(shell, "CUDA_DEVICE_MAX_CONNECTIONS");
    snprintf(import->connections, sizeof import->connections, "%s", connections ? connections : "");
    return interpret(args, words, word_count, options, import);
}

enum rk_status megatron_with_words(const char *path, const char *text, size_t size,
                                   const struct megatron_options *options,
                                   void (*use)(void *context, const struct shell_word *words,
                                               size_t count),
                                   void *context, struct rk_error *error)
{
    struct megatron_import *import = calloc(1, sizeof *import);
    struct shell shell = {.words = 0};
    struct megatron_args *args = import ? args_new(path, &shell, options, import, error) : NULL;
    const struct shell_word *words = NULL;
    size_t count = 0;
    enum rk_status status = args ? find_words(args, &shell, text, size, options, &words, &count)
                                 : rk_fail(error, RK_NO_MEMORY, path, 0, 0, "out of memory");
    if (status == RK_OK) use(context, words, count);
    shell_release(&shell);
    free(args);
    free(import);
    return status;
}

static enum rk_status read_once(const char *path, const char *text, size_t size,
                                const struct megatron_options *options,
                                struct megatron_import *import, struct rk_error *error)
{
    struct shell shell = {.words = 0};
    struct megatron_args *args = args_new(path, &shell, options, import, error);
    if (!args) return RK_NO_MEMORY;
    const enum rk_status status = read_script(args, &shell, text, size, options, import);
    shell_release(&shell);
    free(args);
    return status;
}

/* A script that is read again, with what it asks for. */
struct again {
    const char *path, *text;
    size_t size;
    const struct megatron_options *options;
    struct megatron_import *import;
};

static enum rk_status read_again(void *of, const struct asks *with, struct rk_error *error)
{
    const struct again *again = of;
    struct megatron_options options = *again->options;
    options.sets = with->sets;
    options.set_count = with->set_count;
    options.ignored = with->ignored;
    options.ignored_count = with->ignored_count;
    options.gpus = with->gpus;
    options.vocabulary = with->vocabulary;
    options.variant = with->variant;
    options.collect = false;
    return read_once(again->path, again->text, again->size, &options, again->import, error);
}

enum rk_status megatron_read(const char *path, const char *text, size_t size,
                             const struct megatron_options *options, struct megatron_import *import,
                             struct rk_error *error)
{
    const enum rk_status status = read_once(path, text, size, options, import, error);
    struct again again = {path, text, size, options, NULL};
    if (status != RK_BAD_INPUT || !(again.import = calloc(1, sizeof *import))) return status;
    struct asks asks =
        asks_of(path, options->sets, options->set_count, options->ignored, options->ignored_count);
    asks.gpus = options->gpus;
    asks.vocabulary = options->vocabulary;
    asks.variant = options->variant;
    asks_tell_all(read_again, &again, &asks, error);
    free(again.import);
    return status;
}

enum rk_status megatron_read_list(const char *path, const char *tool, bool deepspeed,
                                  const struct shell_word *words, size_t count,
                                  const struct megatron_options *options,
                                  struct megatron_import *import, struct rk_error *error)
{
    struct megatron_args *args = args_new(path, NULL, options, import, error);
    if (!args) return RK_NO_MEMORY;
    args->foreign = !*tool ? 0 : deepspeed ? MEGATRON_DEEPSPEED : MEGATRON_CORE;
    const enum rk_status status = interpret(args, words, count, options, import);
    if (*tool) import->tool = tool;
    free(args);
    return status;
}

enum rk_status megatron_read_words(const char *const *words, size_t count,
                                   const struct megatron_options *options,
                                   struct megatron_import *import, struct rk_error *error)
{
    struct megatron_args *args = args_new("", NULL, options, import, error);
    struct shell_word *list = calloc(count + 1, sizeof *list);
    enum rk_status status = RK_NO_MEMORY;
    if (args && list) {
        for (size_t i = 0; i < count; i++)
            list[i].text = words[i];
        status = interpret(args, list, count, options, import);
    } else {
        no_memory(error);
    }
    free(list);
    free(args);
    return status;
}
