/* megatron_args.h - the arguments of one launch, by the table of flags. */
#ifndef RECKON_MEGATRON_MEGATRON_ARGS_H
#define RECKON_MEGATRON_MEGATRON_ARGS_H

#include "keys/launch_file.h"
#include "keys/notes.h"
#include "megatron/megatron_flags.h"
#include "megatron/megatron_loop_arguments.h"
#include "megatron/megatron_options.h"
#include "shell/shell.h"
#include <reckon/model.h>
#include <reckon/plan.h>

struct megatron_value {
    bool given;
    uint64_t count;
    double number;
    int words;                     /* LIST */
    const struct shell_word *word; /* the value, or its first word; of a switch the flag itself */
};

struct megatron_args {
    const char *path;    /* "" for words of the command line */
    struct shell *shell; /* NULL likewise */
    struct megatron_value value[MEGATRON_FLAG_COUNT];
    struct shell_word joined[MEGATRON_FLAG_COUNT]; /* values of "--flag=value", "rmsnorm" */
    uint64_t gpus;                                 /* 0: nothing says it */
    const char *gpus_from;                         /* static: "torchrun" */
    struct notes *notes;
    struct rk_error *error;
    int since, until;
    int tools, sure; /* tools whose arguments were given in addition to Core's; those of only one */
    char choice[MEGATRON_FLAG_COUNT][24]; /* as the table of flags writes it */
    enum megatron_tool tool;              /* that it is for */
    const struct megatron_options *options;
    char left_out[64]; /* a variable in the place of arguments that nothing sets; "": none */
    size_t unknown;    /* arguments that nothing is known of */
    struct megatron_loop_value loop[LOOP_ARGUMENTS];
    bool deepspeed; /* --deepspeed, or one that begins so, is given */
    int foreign;    /* enum megatron_tool: made of another tool's configuration, so that this holds
                       whoever calls an argument so, and Megatron-LM's checks do not; 0: no */
};

/* Reads the words after the program's name. RK_BAD_INPUT at a value that is wrong or unknown, and
 * at unknown arguments. */
enum rk_status megatron_args_read(struct megatron_args *args, const struct shell_word *words,
                                  size_t count);

/* Fails at a word. */
RK_PRINTF(3, 4)
enum rk_status megatron_args_fail(const struct megatron_args *args, const struct shell_word *word,
                                  const char *format, ...);

/* Fails likewise, under the name of a rule: a note, too, where all are collected. */
RK_PRINTF(4, 5)
enum rk_status megatron_args_break(const struct megatron_args *args, const char *rule,
                                   const struct shell_word *word, const char *format, ...);

/* The words of a script's run, with their places; `use` sees them while the shell lives. */
enum rk_status megatron_with_words(const char *path, const char *text, size_t size,
                                   const struct megatron_options *options,
                                   void (*use)(void *context, const struct shell_word *words,
                                               size_t count),
                                   void *context, struct rk_error *error);

/* The arguments of parallelism and training that a plan is written with: flag, values in one text,
 * flag, ..., for the newest of the versions up to `version`. Returns how many words, at most
 * `most`; the caller frees each. */
size_t megatron_plan_words(const struct rk_model *model, const struct rk_plan *plan, int version,
                           char **words, size_t most);

/* The same with those of the model and its vocabulary. */
size_t megatron_run_words(const struct rk_model *model, const struct rk_plan *plan, int version,
                          char **words, size_t most);

enum { MEGATRON_SLURM_SETS = 8, MEGATRON_SLURM_TEXT = 64 };

/* The #SBATCH lines of a script, and what Slurm sets because of them: "SLURM_NNODES=4". */
struct megatron_slurm {
    uint64_t nodes, tasks, tasks_per_node, gpus_per_node, gpus; /* 0: not said */
    size_t count;
    char text[MEGATRON_SLURM_SETS][MEGATRON_SLURM_TEXT];
};
void megatron_slurm_read(struct megatron_slurm *slurm, const char *text, size_t size);

/* The run of args->shell: the words of its arguments (in *words, *count), and how many GPUs. */
enum rk_status megatron_launch(struct megatron_args *args, const struct megatron_slurm *slurm,
                               const struct shell_word **words, size_t *count);

/* How many GPUs the launchers among the first `begin` words of a command start, or the scheduler;
 * *gpus and *from stay where nothing says it. */
enum rk_status megatron_launch_gpus(const struct shell *shell, const struct shell_word *words,
                                    size_t begin, const struct megatron_slurm *slurm,
                                    uint64_t *gpus, const char **from, struct rk_error *error);

/* Do the first words of a command only show the rest: echo, cat, ...? */
bool megatron_launch_prints(const struct shell_word *words, size_t count);

/* Variables and arguments that the script asks for, and that were taken as not set. */
void megatron_launch_note_unset(const struct shell *shell, struct notes *notes);

/* Names the argument that a finding about a key of the plan is about, and where it stands. */
void megatron_blame(const struct megatron_args *args, struct rk_finding *finding);

/* Is `text` one of Core's choices? */
bool megatron_is_choice(const char *choices, const char *text);

/* Refuses what --spec builds where the arguments do not say it. */
void megatron_judge_spec(struct megatron_args *args, const struct shell_word *words, size_t count);

/* megatron_values.c: notes a value of a type that argparse refuses, where all are collected. */
void megatron_judge_value(struct megatron_args *args, const struct megatron_other *other,
                          const struct shell_word *words, size_t count);

/* A NOTE_REFUSED under the name of a rule, at a flag's place. */
RK_PRINTF(4, 5)
void megatron_refuse(const struct megatron_args *args, const char *rule, enum megatron_flag flag,
                     const char *format, ...);

/* Notes at a flag's place, or nowhere when it was not given. */
RK_PRINTF(5, 6)
void megatron_note(const struct megatron_args *args, enum rk_severity kind, enum megatron_flag flag,
                   const char *value, const char *format, ...);

static inline bool megatron_has(const struct megatron_args *args, enum megatron_flag flag)
{
    return args->value[flag].given;
}

static inline uint64_t megatron_count(const struct megatron_args *args, enum megatron_flag flag,
                                      uint64_t preset)
{
    return args->value[flag].given ? args->value[flag].count : preset;
}

static inline double megatron_number(const struct megatron_args *args, enum megatron_flag flag,
                                     double preset)
{
    return args->value[flag].given ? args->value[flag].number : preset;
}

/* Megatron-LM before Core, or Megatron-DeepSpeed, which grew from it. */
static inline bool megatron_is_old(const struct megatron_args *args)
{
    return (args->tool & MEGATRON_OLD) != 0;
}

/* "" when it was not given. */
static inline const char *megatron_text(const struct megatron_args *args, enum megatron_flag flag)
{
    return args->value[flag].given ? args->value[flag].word->text : "";
}

bool megatron_is(const struct megatron_args *args, enum megatron_flag flag, const char *text);

/* Is `text` one of the words of a list? */
bool megatron_lists(const struct megatron_args *args, enum megatron_flag flag, const char *text);

/* ---- the parts of an import ---- */

/* " (a multiple of 64)": how many GPUs the degrees need; "" for one. `text` has 160 bytes. */
const char *megatron_multiple(const struct megatron_args *args, char *text);

/* megatron_model.c: the shape. */
enum rk_status megatron_model(const struct megatron_args *args, uint64_t vocabulary,
                              struct rk_model *model);

/* megatron_plan.c: degrees and choices; args->gpus must be set. */
enum rk_status megatron_plan(const struct megatron_args *args, const struct rk_model *model,
                             struct rk_plan *plan);

/* megatron_deepspeed.c: ZeRO and offload as DeepSpeed's own file has them. */
enum rk_status megatron_deepspeed(const struct megatron_args *args, struct rk_plan *plan);

/* megatron_check.c: what Megatron-LM would refuse, as notes. */
void megatron_check(const struct megatron_args *args, const struct rk_model *model,
                    const struct rk_plan *plan);

/* megatron_layout.c: "Et*3|(tt|)*29,m|L": blocks of each stage, and how many stages; false with
 * `why` (at least 160 bytes) when it is none. `predict` stages hold multi-token prediction. */
struct megatron_layout {
    int stages;
    uint16_t blocks[RK_MAX_CHUNKS];
    uint64_t all, predict;
    int predict_stage; /* -1: none */
    bool lost;         /* of one that is none: embedding or head are not on one stage */
};
enum { MEGATRON_WHY = 160 };
bool megatron_layout_read(const char *text, struct megatron_layout *layout, char *why);

/* "([0]*3+[1]*58)" or "2", as Python has it: for each of `layers`, whether it is a mixture. */
bool megatron_pattern_read(const char *text, uint64_t layers, unsigned char *pattern, char *why);

#endif
