/* target.h - what a plan loses when it is written for another tool: read back and compared. */
#ifndef RECKON_KEYS_TARGET_H
#define RECKON_KEYS_TARGET_H

#include "catalog/plan_compare.h"
#include "keys/notes.h"
#include "keys/reader.h"
#include "rules/rules.h"

#include <stdio.h>

/* Keys that decide what is trained, of which a file that says another one trains something else;
 * and all of a tuning that a file next to the training code leaves to that. */
#define TARGET_TRAINED                                                                             \
    "frozen", "lora", "lora_targets", "lora_whole", "adapters", "dora", "base", "objective"
#define TARGET_TUNING                                                                              \
    TARGET_TRAINED, "lora_dropout", "lora_element_bytes", "lora_whole_bytes", "reference"

/* A warning for each key in which the run differs from the plan. `outside`, ended by NULL, are keys
 * that the tool's file does not decide at all; `tool` is its name in the messages. RK_UNSUPPORTED
 * with NOTE_REFUSED where the run would train something else (TARGET_TRAINED), and the tools that
 * would train it. */
enum rk_status target_compare(const struct rk_model *model, const struct rk_plan *plan,
                              const struct rk_plan *run, const char *tool,
                              const char *const *outside, struct notes *notes,
                              struct rk_error *error);

/* What it would not start, as NOTE_REFUSED: the rules of `parts`. */
void target_refuse(const struct rule_case *c, unsigned parts, struct notes *notes);

/* A tool that a plan is written for: its file, and how that is read back. */
struct target {
    const char *name; /* in messages: "nanotron" */
    const char *file; /* what the file is called where it is read back: "nanotron.yaml" */

    unsigned who; /* the rules of rules.def that it imposes */
    /* The file without its head; `gpus_per_node` 0: 8. */
    void (*write)(FILE *file, const struct rk_model *model, const struct rk_plan *plan,
                  uint64_t gpus_per_node);
    /* Its first lines, above those with what it loses; NULL: it has no room for any. */
    void (*head)(FILE *file, const struct rk_model *model, const struct rk_plan *plan);

    plan_reader *read;
    bool given_gpus;     /* reading needs to be told how many */
    const char *ignored; /* a key that is the writer's; NULL: none */
    /* What the file leaves to the training code, as "KEY=VALUE" for the reader; NULL: nothing. */
    int (*sets)(const struct rk_model *model, const struct rk_plan *plan, char (*text)[80]);

    const char *const *outside; /* keys of the plan that the file does not decide, ended by NULL */
    /* Members of a model that are the estimate's or the plan's, ended by NULL, of a file that has
     * the model too; NULL: it has none. */
    const char *const *conventions;
};

enum { TARGET_SETS = 8 };

/* The whole file, with what it loses in its head and in `notes` (NOTE_WARNING). RK_UNSUPPORTED
 * with NOTE_REFUSED where the tool would not start it, or would train another model. */
enum rk_status target_write(const struct target *target, FILE *file, const struct rk_model *model,
                            const struct rk_plan *plan, uint64_t gpus_per_node, struct notes *notes,
                            struct rk_error *error);

/* Does the tool's file of `to`, read back, have all in which that plan differs from `from`? What no
 * file of the tool decides does not count. */
bool target_says_change(const struct target *target, const struct rk_model *model,
                        const struct rk_plan *from, const struct rk_plan *to);

/* The plan that its file of `plan`, read back, has; false: it cannot be read. */
bool target_reads(const struct target *target, const struct rk_model *model,
                  const struct rk_plan *plan, struct rk_plan *run);

extern const struct target bridge_target, nanotron_target, accelerate_target, deepspeed_target,
    torchtitan_target, axolotl_target, llama_factory_target, trl_target, torchtune_target;

#endif
