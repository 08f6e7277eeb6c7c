/* megatron_cases.h - launch scripts of a small model, for tests of what is read from them. */
#ifndef RECKON_TESTS_MEGATRON_CASES_H
#define RECKON_TESTS_MEGATRON_CASES_H

#include "megatron/megatron.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A small model; what is behind it is added. */
#define BARE                                                                                       \
    "--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 "                \
    "--max-position-embeddings 2048 --micro-batch-size 1 --bf16 "
#define SMALL BARE "--vocab-size 32000 "

static struct megatron_import import; /* large */

static inline enum rk_status read_text(const char *text, const struct megatron_options *options,
                                       struct rk_error *error)
{
    return megatron_read("x.sh", text, strlen(text), options, &import, error);
}

static inline void take(const char *arguments)
{
    const struct megatron_options options = {.gpus = 64};
    struct rk_error error = {.text = ""};
    cr_assert_eq(read_text(arguments, &options, &error), RK_OK, "%s: %s", arguments, error.text);
}

static inline const struct rk_model *model_with(const char *arguments)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", SMALL, arguments);
    take(text);
    return &import.model;
}

static inline const struct rk_plan *plan_with(const char *arguments)
{
    model_with(arguments);
    return &import.plan;
}

#endif
