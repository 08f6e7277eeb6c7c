/* plan_operands.h - the model and the machine as first words of a command: reckon predict
 * llama3.1-8b "h100 x8" tp8. A word of a plan is neither; --model and --system come first. */
#ifndef RECKON_CLI_PLAN_OPERANDS_H
#define RECKON_CLI_PLAN_OPERANDS_H

#include "cli/options.h"

/* Any word that is not a plan's. One that is not known either is refused, with both readings. */
enum rk_status operand_model(const char *word, const char *given, enum operand_fit *fit,
                             struct rk_error *error);
/* ... and words that continue with a machine, "x8", "nvl8", "mem2=1TiB@50GB/s". */
enum rk_status operand_system(const char *word, const char *given, enum operand_fit *fit,
                              struct rk_error *error);

/* Of commands whose first words may be files: ids of the catalog alone. */
enum rk_status operand_known_model(const char *word, const char *given, enum operand_fit *fit,
                                   struct rk_error *error);
enum rk_status operand_known_system(const char *word, const char *given, enum operand_fit *fit,
                                    struct rk_error *error);

/* Rows of struct operand before the words of a plan; `to_model`, `to_system`: .offset = ... */
/* clang-format off */
#define PLAN_OPERANDS(to_model, to_system) \
    {.name = "MODEL", to_model, .optional = true, .complete = "models", .fit = operand_model, \
     .help = "Model, as --model takes it"}, \
    {.name = "SYSTEM", to_system, .optional = true, .complete = "systems", .fit = operand_system, \
     .help = "Machine, as --system takes it; its words may stand alone, h100-sxm5-80g x8"}
#define KNOWN_OPERANDS(to_model, to_system) \
    {.name = "MODEL", to_model, .optional = true, .complete = "models", .fit = operand_known_model, \
     .help = "Model: an id of `reckon models`; --model also takes a file"}, \
    {.name = "SYSTEM", to_system, .optional = true, .complete = "systems", .fit = operand_known_system, \
     .help = "Machine: an id of `reckon systems`, and words after it, h100-sxm5-80g x8; --system also takes a file"}
/* clang-format on */

#endif
