/* run_script_command.h - which command of a script starts a training, and of which tool. */
#ifndef RECKON_MEGATRON_RUN_SCRIPT_COMMAND_H
#define RECKON_MEGATRON_RUN_SCRIPT_COMMAND_H

#include "keys/reader.h"
#include "megatron/megatron_args.h"

enum { MOST_SETS = 512, MOST_FILES = 16 };

struct starter {
    const char *format;
    const char *programs; /* apart from any .py: "a|b"; a command without the file needs one of
                             these */
    const char *files;    /* options that name the configuration */
    bool operand;         /* or it is an operand */
    bool equals;          /* key=value are keys */
    bool counts;          /* the configuration itself tells how many GPUs */
    bool needs_file;      /* arguments alone make no run */
    bool accelerates;     /* what `accelerate launch` is told are keys of it, too */
    const char *prefix;   /* of the keys that options stand for; NULL: none */
};

struct work {
    const struct plan_format *format;
    const struct starter *starter;
    const struct config_source *script;
    struct shell shell;
    struct megatron_slurm slurm;
    struct notes *notes;
    struct rk_error *error;
    const struct shell_word *word; /* (count) of the command */
    size_t count, begin;           /* where its program's arguments do */
    size_t launcher;               /* `axolotl train FILE --launcher torchrun -- ...`: not 0 */
    const char *file[MOST_FILES], *folder;
    const struct shell_word *file_word[MOST_FILES];
    int files;
    const char *found;    /* path of the first of them, where the script does not write it */
    const char *training; /* of the program that accelerate launches; NULL: none */
    const struct shell_word *training_word;
    const char *launching; /* accelerate's, where the program has a configuration; NULL: none */
    const struct shell_word *launching_word;
    const char *sets[MOST_SETS]; /* "KEY=VALUE"; those of the caller first */
    size_t set_count, own_sets;
    struct key_given given[MOST_SETS];
    size_t given_count;
    char *kept[4 * MOST_SETS];
    size_t kept_count;
};

const struct starter *run_script_starter(const char *format); /* NULL: no command is known */

/* By its name. */
bool run_script_is_config(const char *path);

/* Is `text` one of "a|b"? */
bool run_script_is_one(const char *names, const char *text);

char *run_script_keep(struct work *w, char *text);

enum rk_status run_script_fail_at(const struct work *w, const struct shell_word *word,
                                  const char *text);

/* "--per-device-x=4" : its name, with underscores; false: no option. */
bool run_script_option_name(const char *text, char *name, size_t size);

bool run_script_is_neox(const struct work *w);

/* accelerate's own options stand in front of the program. */
bool run_script_is_accelerate(const struct work *w);

enum rk_status run_script_choose(struct work *w);

/* RK_BAD_INPUT where the program is at hand and imports a tool that is not read: by names alone its
 * options look like those of transformers. */
enum rk_status run_script_judge_imports(struct work *w);

#endif
