#include "plan/habits.h"

static const enum rk_attention_kernel of_torch[] = {RK_FLASH, RK_FLASH_1, RK_UNFUSED};
static const enum rk_attention_kernel of_engine[] = {RK_FLASH_3, RK_FLASH, RK_UNFUSED};

/* clang-format off */
const struct habits habits_of_framework[RK_FRAMEWORKS] = {
    [RK_MEGATRON] = {
#define HABIT(type, name, megatron, fsdp, deepspeed, what) .name = megatron,
#include "plan/habits.def"
    },
    [RK_FSDP] = {
#define HABIT(type, name, megatron, fsdp, deepspeed, what) .name = fsdp,
#include "plan/habits.def"
    },
    [RK_DEEPSPEED] = {
#define HABIT(type, name, megatron, fsdp, deepspeed, what) .name = deepspeed,
#include "plan/habits.def"
    },
};
/* clang-format on */
