/* layer_cases.h - a layer of a model under a plan, and its operations, for tests. */
#ifndef RECKON_TESTS_LAYER_CASES_H
#define RECKON_TESTS_LAYER_CASES_H

#include "workload/layers.h"

#include <criterion/criterion.h>
#include <string.h>

/* h 4096, f 14336, 32 heads of 128, 8 key heads, 8192 tokens, as Llama-3.1-8B. */
static const struct rk_model llama = {.layers = 32,
                                      .hidden = 4096,
                                      .feedforward = 14336,
                                      .heads = 32,
                                      .head_dim = 128,
                                      .sequence = 8192,
                                      .vocabulary = 128256,
                                      .position = RK_POSITION_ROPE,
                                      .kv_heads = 8,
                                      .norm = RK_RMS_NORM,
                                      .gated_mlp = true,
                                      .no_dropout = true,
                                      .activation = RK_SILU};

static inline struct layer layer_of(const struct rk_model *model, enum layer_kind kind,
                                    const struct rk_plan *plan)
{
    struct layer layer;
    layer_build(&layer, kind, model, plan);
    return layer;
}

/* NULL: the layer has none of that name. */
static inline const struct operation *operation_of(const struct layer *layer, const char *name)
{
    for (int i = 0; i < layer->operations; i++)
        if (strcmp(op_name(layer->operation[i].op), name) == 0) return &layer->operation[i];
    return NULL;
}

static inline const struct operation *find(const struct layer *layer, const char *name)
{
    const struct operation *o = operation_of(layer, name);
    cr_assert(o, "no operation %s", name);
    return o;
}

#endif
