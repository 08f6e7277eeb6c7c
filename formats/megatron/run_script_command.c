#include "megatron/run_script_command.h"

#include "base/text.h"
#include "keys/detect.h"
#include "megatron/megatron_args.h"
#include "shell/shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct starter starters[] = {
    {"deepspeed",     "",                                  "deepspeed|deepspeed_config", false, false, false, true, false, NULL},
    {"torchtitan",    "torchtitan.train",                  "job.config_file|config_file|model.config_file|module", false, false, false, true, false, NULL},
    {"accelerate",    "accelerate",                        "config_file", false, false, true, false, true, NULL},
    {"trainer",       "trl",                               "config", true, false, false, false, true, NULL},
    {"axolotl",       "axolotl|axolotl.cli.train",         "", true, false, false, true, false, NULL},
    {"llama-factory", "llamafactory-cli|llama-factory",    "", true, true, false, false, true, NULL},
    {"ms-swift",      "swift",                             "config", true, false, false, false, false, NULL},
    {"torchtune",     "tune",                              "config", false, true, false, true, false, NULL},
    {"gpt-neox",      "deepy.py",                          "", true, false, false, true, false, NULL},
    {"nanotron",      "",                                  "config_file", false, false, true, true, false, NULL},
    {"nemo",          "",                                  "config_name", false, true, true, true, false, NULL},
    {"mindspeed-fsdp2", "",                                "", true, false, false, true, false, NULL},
    {"levanter",      "levanter.main.train_lm",            "config_path|config", false, false, false, true, false, NULL},
    {"maxtext",       "MaxText.train|maxtext.trainers.pre_train.train|MaxText.sft_trainer", "", true, true, false, true, false, NULL},
    {"primus",        "primus-cli|main.py",                "config|exp", false, false, false, true, false, "modules.pre_trainer.overrides."},
};
/* clang-format on */

static const char *const config_endings[] = {".yaml", ".yml", ".json", ".toml", NULL};

const struct starter *run_script_starter(const char *format)
{
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (strcmp(starters[i].format, format) == 0) return &starters[i];
    return NULL;
}

bool run_script_is_config(const char *path)
{
    return text_ends_in_any(path, config_endings);
}

bool run_script_is_one(const char *names, const char *text)
{
    return text_word(names, text, strlen(text), false) >= 0;
}

char *run_script_keep(struct work *w, char *text)
{
    if (!text || w->kept_count == sizeof w->kept / sizeof *w->kept) {
        free(text);
        rk_fail(w->error, RK_NO_MEMORY, w->script->path, 0, 0, "out of memory");
        return NULL;
    }
    return w->kept[w->kept_count++] = text;
}

enum rk_status run_script_fail_at(const struct work *w, const struct shell_word *word,
                                  const char *text)
{
    return rk_fail(w->error, RK_BAD_INPUT, w->script->path, word->place.line, word->place.column,
                   "%.80s %s", word->text, text);
}

bool run_script_option_name(const char *text, char *name, size_t size)
{
    const size_t dashes = strspn(text, "-");
    if (!dashes || dashes > 2 || !isalpha((unsigned char)text[dashes])) return false;
    snprintf(name, size, "%.*s", (int)strcspn(text + dashes, "="), text + dashes);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
    return true;
}

static bool is_program(const struct work *w, const struct shell_word *words, size_t i)
{
    const char *text = words[i].text, *base = strrchr(text, '/');
    base = base ? base + 1 : text;
    if (i && strcmp(words[i - 1].text, "-m") == 0)
        return strncmp(text, "torch.distributed", 17) != 0 && !strstr(text, "accelerate");
    return text_ends_in(base, ".py") || run_script_is_one(w->starter->programs, base);
}

bool run_script_is_neox(const struct work *w)
{
    return strcmp(w->format->name, "gpt-neox") == 0;
}

bool run_script_is_accelerate(const struct work *w)
{
    return strcmp(w->format->name, "accelerate") == 0;
}

/* `tune run --standalone --nnodes 2 RECIPE`: the index after the recipe, which is the program. */
static size_t recipe_end(const struct shell_word *words, size_t count, size_t run)
{
    size_t i = run + 1;
    while (i < count && words[i].text[0] == '-') {
        const bool value =
            !strchr(words[i].text, '=') &&
            !run_script_is_one("--standalone|--no-python|--no_python|--run-path", words[i].text);
        i += value ? 2 : 1;
    }
    return i < count ? i + 1 : 0;
}

/* Index of the first word after the program; 0: there is none. */
static size_t arguments_begin(const struct work *w, const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool launcher = run_script_is_accelerate(w) && !text_ends_in(words[i].text, ".py") &&
                              !(i && strcmp(words[i - 1].text, "-m") == 0);
        if (!is_program(w, words, i) || launcher) continue;
        const bool recipe = strcmp(w->starter->programs, "tune") == 0 && i + 1 < count &&
                            strcmp(words[i + 1].text, "run") == 0;
        return recipe ? recipe_end(words, count, i + 1) : i + 1;
    }
    return 0;
}

static bool names_file(const struct work *w, const struct shell_word *words, size_t first,
                       size_t count)
{
    char name[96];
    for (size_t i = first; i < count; i++) {
        if (run_script_option_name(words[i].text, name, sizeof name)) {
            if (run_script_is_one(w->starter->files, name)) return true;
        } else if (w->starter->operand && strncmp(words[i - 1].text, "--", 2) != 0 &&
                   (run_script_is_config(words[i].text) ||
                    (run_script_is_neox(w) && !text_ends_in(words[i].text, ".py")))) {
            return true;
        }
    }
    return false;
}

/* Options that only a training has; its batch may be the tool's default. */
static bool has_batch(const struct shell_word *words, size_t count)
{
    static const char *const options[] = {
        "--per_device_train_batch_size", "--per-device-train-batch-size",
        "--gradient_accumulation_steps", "--num_train_epochs", "--finetuning_type"};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (strncmp(words[i].text, options[k], strlen(options[k])) == 0) return true;
    return false;
}

/* `axolotl preprocess train.yaml`, `python merge_lora.py`, ... */
static bool does_else(const struct shell_word *words, size_t begin, size_t count)
{
    static const char *const parts[] = {"preprocess", "inference", "merge",    "evaluat",
                                        "lm_eval",    "convert",   "generate", "export",
                                        "eval.py",    "eleuther",  NULL};
    for (int i = 0; parts[i]; i++)
        if (strstr(words[begin - 1].text, parts[i]) ||
            (begin < count && words[begin].text[0] != '-' && strstr(words[begin].text, parts[i]) &&
             !run_script_is_config(words[begin].text)))
            return true;
    return false;
}

static bool trains(const struct work *w, const struct shell_command *command)
{
    const struct shell_word *words = &w->shell.word[command->first];
    const size_t begin = arguments_begin(w, words, command->count);
    if (!begin || megatron_launch_prints(words, begin) || does_else(words, begin, command->count))
        return false;
    if (run_script_is_accelerate(w)) {
        for (size_t i = 0; i + 1 < begin; i++)
            if (run_script_is_one("accelerate|accelerate.commands.launch", words[i].text))
                return true;
        return false;
    }
    return names_file(w, words, begin, command->count) ||
           (!w->starter->needs_file && has_batch(words, command->count));
}

static bool same_words(const struct work *w, const struct shell_command *a,
                       const struct shell_command *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(w->shell.word[a->first + i].text, w->shell.word[b->first + i].text) != 0)
            return false;
    return true;
}

/* Launchers that are given a command line as one word: `ssh host "cd run && torchrun ..."`. */
static bool read_quoted(struct work *w)
{
    const size_t commands = w->shell.commands;
    for (size_t i = 0; i < commands; i++) {
        const struct shell_command command = w->shell.command[i];
        for (size_t k = 1;
             k < command.count && !megatron_launch_prints(&w->shell.word[command.first], k); k++)
            if (strstr(w->shell.word[command.first + k].text, " --"))
                shell_read_word(&w->shell, i, k);
    }
    return w->shell.commands > commands;
}

enum { MOST_VARIANTS = 64 };

/* The commands that train, by their places in the script; the same in two branches is one. */
static size_t find_commands(const struct work *w, const struct shell_command **found)
{
    size_t count = 0;
    for (size_t i = 0; i < w->shell.commands && count < MOST_VARIANTS; i++) {
        const struct shell_command *command = &w->shell.command[i];
        bool known = !trains(w, command);
        for (size_t k = 0; !known && k < count; k++)
            known = same_words(w, found[k], command);
        if (!known) found[count++] = command;
    }
    return count;
}

static void take(struct work *w, const struct shell_command *command)
{
    w->word = &w->shell.word[command->first];
    w->count = command->count;
    w->begin = arguments_begin(w, w->word, command->count);
    for (size_t k = w->begin; w->starter->prefix && k < w->count; k++)
        if (strcmp(w->word[k].text, "--") == 0) w->begin = k + 1; /* of the launcher, before */
    megatron_launch_note_unset(&w->shell, w->notes);
    if (command->maybe)
        notes_add(w->notes, NOTE_ASSUMED, command->condition.line, command->condition.column,
                  "the condition", "holds", "the run depends on a condition that is not known");
}

static enum rk_status choose(struct work *w, const struct shell_command *const *found, size_t count)
{
    const size_t wanted = w->script->variant;
    if (wanted > count)
        return rk_fail(w->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--variant: only %zu command%s train%s", count, count > 1 ? "s" : "",
                       count > 1 ? "" : "s");
    if (!wanted && count > 1) {
        const struct shell_word *first = &w->shell.word[found[0]->first],
                                *second = &w->shell.word[found[1]->first];
        return rk_fail(w->error, RK_BAD_INPUT, w->script->path, second->place.line,
                       second->place.column,
                       "a second command trains, besides that of line %d: choose with --variant 1 "
                       "to %zu",
                       first->place.line, count);
    }
    take(w, found[wanted ? wanted - 1 : 0]);
    return RK_OK;
}

/* "$header ...", where a condition decides what stands there: that is what to ask for. */
static const struct shell_word *find_undecided(const struct shell *shell)
{
    for (size_t i = 0; i < shell->words; i++) {
        const size_t unknown = shell->word[i].unknown;
        const char *was = unknown ? shell->unknown[unknown - 1].was : NULL;
        if (was && strstr(was, " --") && !strstr(was, "echo ")) return &shell->word[i];
    }
    return NULL;
}

static bool names_batch(const char *text)
{
    return strstr(text, "--per_device_train_batch_size") || strstr(text, "--learning_rate");
}

/* What it does instead, as far as its variables and programs tell. */
static enum rk_status fail_none(struct work *w)
{
    const char *program = NULL, *variable = shell_variable_with(&w->shell, names_batch);
    const char *tool = w->format->tool,
               *file = w->starter->needs_file ? " with a configuration file" : "";
    size_t length = detect_program(w->script->text, &program);
    for (size_t i = 0; !length && i < w->shell.commands; i++) {
        const struct shell_word *words = &w->shell.word[w->shell.command[i].first];
        if (!has_batch(words, w->shell.command[i].count)) continue;
        program = words->text; /* an installed program of one's own */
        length = strlen(program);
    }
    if (variable && !shell_program(&w->shell))
        return rk_fail(w->error, RK_BAD_INPUT, w->script->path, 0, 0,
                       "no command trains in this script: it only sets %.60s, arguments for the "
                       "script that reads it: give that one",
                       variable);
    if (length && !shell_stopped(&w->shell))
        return rk_fail(w->error, RK_BAD_INPUT, w->script->path, 0, 0,
                       "no command of this script starts %s%s: it starts %.*s, a program of no "
                       "tool that reckon reads: say model, batch and sharding as words of reckon "
                       "predict",
                       tool, file, length < 120 ? (int)length : 120, program);
    if (!shell_stopped(&w->shell))
        length = detect_script(w->script->path, w->script->text, &program);
    if (length)
        return rk_fail(w->error, RK_BAD_INPUT, w->script->path, 0, 0,
                       "starts the script %.*s: give that one", length < 120 ? (int)length : 120,
                       program);
    return rk_fail(w->error, RK_BAD_INPUT, w->script->path, 0, 0,
                   "no command of this script starts %s%s%s", tool, file,
                   shell_stopped(&w->shell) ? ": it ends by exit before. Give what its arguments "
                                              "would set with --set NAME=VALUE"
                   : w->shell.commands      ? ""
                                            : ": it has no commands at all");
}

enum rk_status run_script_choose(struct work *w)
{
    const struct shell_command *found[MOST_VARIANTS];
    size_t count = find_commands(w, found);
    if (!count && read_quoted(w)) count = find_commands(w, found);
    if (count) return choose(w, found, count);
    const struct shell_word *undecided = find_undecided(&w->shell);
    if (undecided) return shell_fail_unknown(&w->shell, undecided, w->error);
    if (shell_fail_stopped(&w->shell, w->error) != RK_OK) return w->error->status;
    return fail_none(w);
}

enum rk_status run_script_judge_imports(struct work *w)
{
    const struct shell_word *program = &w->word[w->begin - 1];
    const char *text =
        text_ends_in(program->text, ".py") ? shell_beside(&w->shell, program->text) : NULL;
    if (!text || !run_script_is_one("trainer|deepspeed", w->format->name)) return RK_OK;
    const struct tool_sign *sign = detect_imports(text);
    if (!sign || sign->format) return RK_OK;
    char why[400];
    snprintf(why, sizeof why, "is a program of %s, which reckon does not read: %.300s", sign->tool,
             sign->instead ? sign->instead
                           : "say model, batch and sharding as words of reckon predict");
    return run_script_fail_at(w, program, why);
}
