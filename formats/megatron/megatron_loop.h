/* megatron_loop.h - arguments that neither shape nor plan depends on, but that Megatron-LM's start
 * asks something of: validate_args, the scheduler of learning rates, the scaling of losses, dropout
 * and seeds, as of core 0.9 to 0.19 [megatron-lm]. */
#ifndef RECKON_MEGATRON_MEGATRON_LOOP_H
#define RECKON_MEGATRON_MEGATRON_LOOP_H

#include "megatron/megatron_loop_arguments.h"
#include <stdbool.h>
#include <stddef.h>

struct shell_word;
struct megatron_args;
struct megatron_other;

/* Keeps an argument for the rules, and refuses one that has to have a value and has none. */
void megatron_loop_take(struct megatron_args *args, const struct megatron_other *other,
                        const struct shell_word *words, size_t count);

/* What is refused at the start, as notes: where all findings are collected. */
struct rk_model;
struct rk_plan;
void megatron_check_loop(const struct megatron_args *args, const struct rk_model *model,
                         const struct rk_plan *plan);

#endif
