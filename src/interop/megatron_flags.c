#include "interop/megatron_flags.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

const struct megatron_flag_facts megatron_flags[MEGATRON_FLAG_COUNT] = {
#define FACTS(id, name, kind, since, until, choices, sets)                                         \
    [MEGATRON_##id##_FLAG] = {name, MEGATRON_##kind, since, until, choices, sets},
    MEGATRON_FLAGS(FACTS)
#undef FACTS
#define FACTS(id, name, kind, tools, choices, sets)                                                \
    [MEGATRON_##id##_FLAG] = {name, MEGATRON_##kind, 0, 0, choices, sets, tools},
        MEGATRON_ELSEWHERE(FACTS)
#undef FACTS
};

/* clang-format off */
static const struct megatron_alias aliases[] = {
    {"model-parallel-size",               MEGATRON_TP_FLAG,                   MEGATRON_2},
    {"batch-size",                        MEGATRON_MICRO_BATCH_FLAG,          MEGATRON_2},
    {"checkpoint-num-layers",             MEGATRON_RECOMPUTE_NUM_LAYERS_FLAG, MEGATRON_OLD},
    {"activations-checkpoint-method",     MEGATRON_RECOMPUTE_METHOD_FLAG,     MEGATRON_2},
    {"activations-checkpoint-num-layers", MEGATRON_RECOMPUTE_NUM_LAYERS_FLAG, MEGATRON_2},
    {"distribute-checkpointed-activations", MEGATRON_DISTRIBUTE_SAVED_FLAG,   MEGATRON_OLD},
    {"use-flash-attn-v1",                 MEGATRON_FLASH_ATTN_FLAG,           MEGATRON_DEEPSPEED},
    {"use-flash-attn-v2",                 MEGATRON_FLASH_ATTN_FLAG,           MEGATRON_DEEPSPEED},
    {"use-flash-attn-triton",             MEGATRON_FLASH_ATTN_FLAG,           MEGATRON_DEEPSPEED},
    {"use-flash-attn-builder",            MEGATRON_FLASH_ATTN_FLAG,           MEGATRON_DEEPSPEED},
    {"moe-expert-parallel-size",          MEGATRON_EP_FLAG,                   MEGATRON_DEEPSPEED},
    {"topk",                              MEGATRON_TOPK_FLAG,                 MEGATRON_DEEPSPEED},
    {"moe-train-capacity-factor",         MEGATRON_CAPACITY_FACTOR_FLAG,      MEGATRON_DEEPSPEED},
    {"deepspeed-config",                  MEGATRON_DEEPSPEED_CONFIG_FLAG,     MEGATRON_DEEPSPEED},
    {"patch-tokenizer-type",              MEGATRON_TOKENIZER_TYPE_FLAG,       MEGATRON_PAI},
    {"multi-head-latent-attention",       MEGATRON_MLA_FLAG,                  MEGATRON_MINDSPEED},
    {"qk-nope-head-dim",                  MEGATRON_QK_HEAD_DIM_FLAG,          MEGATRON_MINDSPEED | MEGATRON_PAI},
    {"qk-rope-head-dim",                  MEGATRON_QK_POS_HEAD_DIM_FLAG,      MEGATRON_MINDSPEED | MEGATRON_PAI},
    {"moe-intermediate-size",             MEGATRON_MOE_FFN_FLAG,              MEGATRON_MINDSPEED},
    {"shared-moe-ffn-hidden-size",        MEGATRON_MOE_SHARED_FLAG,           MEGATRON_PAI},
    {"moe-topk",                          MEGATRON_TOPK_FLAG,                 MEGATRON_PAI},
};
/* clang-format on */

int megatron_flag_find(const char *name, int *tools)
{
    int spare;
    if (!tools) tools = &spare;
    if (strncmp(name, "--", 2) == 0) name += 2;
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
