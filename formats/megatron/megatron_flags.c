#include "megatron/megatron_flags.h"
#include "base/text.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const struct megatron_flag_facts megatron_flags[MEGATRON_FLAG_COUNT] = {
#define ROW(id, name, kind, since, until, tools, choices, sets)                                    \
    [MEGATRON_##id##_FLAG] = {name, MEGATRON_##kind, since, until, choices, sets, tools},
#include "tables/megatron-plan.h"
#undef ROW
};

/* clang-format off */
static const struct megatron_alias aliases[] = {
#define ROW(name, id, tools) {name, MEGATRON_##id##_FLAG, tools},
#include "tables/megatron-aliases.h"
#undef ROW
};
/* clang-format on */

/* "num_layers" as "num-layers"; false: it has no such line, or is too long. */
static bool with_dashes(const char *name, char *text, size_t size)
{
    const size_t n = strlen(name);
    if (!strchr(name, '_') || n >= size) return false;
    for (size_t i = 0; i <= n; i++)
        text[i] = name[i] == '_' ? '-' : name[i];
    return true;
}

enum { LONGEST_NAME = 96 };

static int find(const char *name, int *tools)
{
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++)
        if (strcmp(name, megatron_flags[i].name) == 0) {
            *tools = megatron_flags[i].since ? MEGATRON_CORE : megatron_flags[i].tools;
            return i;
        }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(name, aliases[i].name) == 0) {
            *tools = aliases[i].tools;
            return aliases[i].flag;
        }
    return -1;
}

int megatron_flag_find(const char *name, int *tools)
{
    int spare;
    char text[LONGEST_NAME];
    if (!tools) tools = &spare;
    if (strncmp(name, "--", 2) == 0) name += 2;
    const int flag = find(name, tools);
    if (flag >= 0 || !with_dashes(name, text, sizeof text)) return flag;
    return find(text, tools);
}

/* In the order of their names. */
static const struct megatron_other others[] = {
#define FORMAT_KEY(name, effect, words, why, values, since, until, tools)                          \
    {name, MEGATRON_##values, since, until, tools, MEGATRON_##effect, why},
#include "tables/megatron.h"
#undef FORMAT_KEY
};

static int by_name(const void *name, const void *row)
{
    return strcmp(name, ((const struct megatron_other *)row)->name);
}

static bool find_other(const char *name, struct megatron_other *other)
{
    const struct megatron_other *row =
        bsearch(name, others, sizeof others / sizeof *others, sizeof *others, by_name);
    if (row) *other = *row;
    return row != NULL;
}

bool megatron_other_find(const char *name, struct megatron_other *other)
{
    char text[LONGEST_NAME];
    return find_other(name, other) ||
           (with_dashes(name, text, sizeof text) && find_other(text, other));
}

/* What names alone tell: files, names, logs, data, seeds and learning rates change no time. */
bool megatron_name_matters(const char *name)
{
    static const char *const parts[] = {
        "*-path",         "*-paths",      "*-dir",
        "*-file",         "*-folder",     "*-directory",
        "wandb-*",        "*-wandb-*",    "*-wandb",
        "mlflow-*",       "comet-*",      "swanlab-*",
        "aim-*",          "log-*",        "*-log",
        "*-logging",      "logging-*",    "*-log-*",
        "*tensorboard*",  "*-seed",       "seed-*",
        "lr-*",           "*-lr",         "*-lr-*",
        "save-*",         "load-*",       "*-checkpoint-name",
        "run-name",       "run-id",       "exp-name",
        "exp-id",         "experiment-*", "project-*",
        "*-project-name", "job-name",     "job-id",
        "profile-*",      "profiler-*",   "nsys-*",
        "train-data*",    "valid-data*",  "test-data*",
        "dataset-*",      "*-dataset",    "*-datasets",
        "eval-*",         "tokenizer-*",  "*-url",
        "*-split",        "print-*",      "verbose*",
        "debug-log*",
    };
    char text[LONGEST_NAME];
    const char *plain = with_dashes(name, text, sizeof text) ? text : name;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (fnmatch(parts[i], plain, 0) == 0) return false;
    return true;
}

bool megatron_flag_in(enum megatron_flag flag, int minor)
{
    const struct megatron_flag_facts *facts = &megatron_flags[flag];
    return facts->since && minor >= facts->since && (!facts->until || minor <= facts->until);
}

const char *megatron_flag_nearest(const char *name)
{
    const char *names[MEGATRON_FLAG_COUNT + 1];
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++)
        names[i] = megatron_flags[i].name;
    names[MEGATRON_FLAG_COUNT] = NULL;
    return text_nearest(name, names);
}
