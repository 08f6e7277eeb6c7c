/* megatron.h - the command line of Megatron-LM as a model and a plan, and back.
 *
 * Read are launch scripts (see shell.h), texts of bare arguments, and lists of words; whatever a
 * flag's absence means in Megatron-LM is noted as assumed. A run that Megatron-LM itself would
 * refuse at its start is refused, with all reasons at once, as notes of NOTE_REFUSED.
 */
#ifndef RECKON_MEGATRON_MEGATRON_H
#define RECKON_MEGATRON_MEGATRON_H

#include "keys/launch_file.h"
#include "keys/notes.h"
#include "megatron/megatron_options.h"
#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/status.h>
#include <stddef.h>
#include <stdio.h>

/* A script or a text of arguments; `path` names it in messages, and the model. On failure the
 * import's notes are valid, so that all refusals can be shown; `error` has the first. */
enum rk_status megatron_read(const char *path, const char *text, size_t size,
                             const struct megatron_options *options, struct megatron_import *import,
                             struct rk_error *error);

/* The arguments as words, "--num-layers", "80", ...; `path` is "" in messages. */
enum rk_status megatron_read_words(const char *const *words, size_t count,
                                   const struct megatron_options *options,
                                   struct megatron_import *import, struct rk_error *error);

struct shell_word;

/* The arguments that a configuration file makes, each with its place there; `tool` names the tool
 * whose checks are not Megatron-LM's ("": they are), `deepspeed` that it runs on DeepSpeed. */
enum rk_status megatron_read_list(const char *path, const char *tool, bool deepspeed,
                                  const struct shell_word *words, size_t count,
                                  const struct megatron_options *options,
                                  struct megatron_import *import, struct rk_error *error);

/* "core_v0.14", "0.14", "core_v0.14.0": its minor number; 0 when it is none of those known. */
int megatron_version(const char *text);

/* ---- writing ---- */

struct megatron_target {
    int version;            /* minor; 0: the newest */
    enum launcher launcher; /* none: torchrun */
    struct launch_run run;  /* zeroed: nothing of it is known */
    bool mock_data;         /* trains on made-up data, to check the prediction */
    uint64_t gpus_per_node; /* 0: 8, or all where there are fewer */
    const char *title;      /* of the header: what the plan is and where it is from; may be NULL */
};

/* Writes run.sh. What the target's version cannot express is in `notes` (NOTE_WARNING) and in the
 * header of the script. RK_UNSUPPORTED: the plan cannot run there at all (notes: NOTE_REFUSED). */
enum rk_status megatron_write(FILE *file, const struct rk_model *model, const struct rk_plan *plan,
                              const struct megatron_target *target, struct notes *notes,
                              struct rk_error *error);

/* ---- changing a script ---- */

enum {
    MEGATRON_PLAN_WORDS = 512,                      /* arguments and values that a plan becomes */
    MEGATRON_MAX_CHANGES = MEGATRON_PLAN_WORDS + 1, /* of two plans each, and of a queue */
    MEGATRON_CHANGE_TEXT = 96
};

/* One argument that a script would give otherwise. */
struct megatron_change {
    char flag[64];                     /* as the script spells it, "--tensor-model-parallel-size" */
    char before[MEGATRON_CHANGE_TEXT]; /* its values; "" of a switch, or when it is not given */
    char after[MEGATRON_CHANGE_TEXT];  /* likewise */
    bool was, is;                      /* given before, given then */
    int line;                          /* of the script; 0: it is new */
    const char *keys;                  /* of the plan: "recompute_layers, recompute_every" */
};

struct megatron_changes {
    int count;
    struct megatron_change change[MEGATRON_MAX_CHANGES];
};

/* What turns a script that runs plan `a` into one that runs `b`, in the order of the script, new
 * arguments last; and, with `changed`, the script's text with them in it (the caller frees it).
 * RK_BAD_INPUT when an argument stands where it cannot be changed, or when the script, read once
 * more, would run another plan than `b`. */
enum rk_status megatron_change(const char *path, const char *text, size_t size,
                               const struct megatron_options *options, const struct rk_model *model,
                               const struct rk_plan *a, const struct rk_plan *b,
                               struct megatron_changes *changes, char **changed,
                               struct rk_error *error);

#endif
