/* plan.c - names, defaults and derived degrees of a plan. */
#include "plan/habits.h"
#include "plan/members.h"
#include "plan/names.h"

#include <stddef.h>
#include <string.h>

/* It is passed by value; what differs by layer is in its layout. */
_Static_assert(sizeof(struct rk_plan) <= 1536, "a plan is small");

#define NAME(value, name, help)    [value] = name,
#define MEANING(value, name, help) [value] = help,
#define NAMES(list)                                                                                \
    const char *const names_of_##list[] = {RK_NAMES_##list(NAME) NULL};                            \
    const char *const meanings_of_##list[] = {RK_NAMES_##list(MEANING) NULL};                      \
    const char *rk_##list##_name(enum rk_##list value)                                             \
    {                                                                                              \
        return (unsigned)value < sizeof names_of_##list / sizeof *names_of_##list                  \
                   ? names_of_##list[value]                                                        \
                   : NULL;                                                                         \
    }
RK_NAMES(NAMES)

enum rk_attention_kernel rk_usual_attention(enum rk_framework framework, unsigned kernels)
{
    const enum rk_attention_kernel *kernel = habits_of_framework[framework].kernels;
    if (!kernel) return RK_FLASH_3; /* means nothing there */
    while (!rk_attends(kernels, *kernel))
        kernel++;
    return *kernel;
}

const char *plan_key_of_word(const char *word)
{
    static const char *const words[][2] = {
#define PLAN_COUNT(scope, by, member, preset, least, most, word, help)      {word, #member},
#define PLAN_RANKS(scope, by, key, member, preset, least, most, word, help) {word, #key},
#define PLAN_LEVEL(scope, by, member, preset, least, most, word, help)      {word, #member},
#define PLAN_FLAG(scope, by, member, preset, word, help)                    {word, #member},
#define PLAN_CHOICE(scope, by, member, list, preset, word, help)            {word, #member},
#define PLAN_SHARE(scope, by, key, first, last, word, help)                 {word, #key},
#define PLAN_DERIVED(scope, by, key, word, help)                            {word, #key},
#include <reckon/plan.def>
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0) return words[i][1];
    return NULL;
}

struct rk_plan rk_plan_default(void)
{
    return (struct rk_plan){
#define PLAN_COUNT(scope, by, member, preset, least, most, word, help)      .member = preset,
#define PLAN_RANKS(scope, by, key, member, preset, least, most, word, help) .member = preset,
#define PLAN_LEVEL(scope, by, member, preset, least, most, word, help)      .member = preset,
#define PLAN_FLAG(scope, by, member, preset, word, help)                    .member = preset,
#define PLAN_NUMBER(scope, by, member, preset, least, most, word, help)     .member = preset,
#define PLAN_CHOICE(scope, by, member, list, preset, word, help)            .member = preset,
#include <reckon/plan.def>
    };
}

struct rk_plan plan_of_framework(enum rk_framework framework)
{
    struct rk_plan plan = rk_plan_default();
    plan.framework = framework;
    plan.attention = rk_usual_attention(framework, 0);
    return plan;
}

/* Are all activations offloaded alike? */
static bool simple_shares(const struct rk_plan *plan)
{
    for (int i = RK_SHARE_ATTENTION + 1; i < RK_SHARES; i++)
        for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
            if (plan->share[i][tier] != plan->share[RK_SHARE_ATTENTION][tier]) return false;
    return true;
}

const struct rk_answerer *rk_answerer(enum rk_framework framework)
{
    static const struct rk_answerer detailed = {RK_BY_RECKON,   "reckon",     "detailed model",
                                                .layers = true, .runs = true, .measured = true};
    static const struct rk_answerer calculon = {RK_BY_CALCULON,  "calculon",    "Calculon model",
                                                .layers = false, .runs = false, .measured = false};
    return framework == RK_CALCULON ? &calculon : &detailed;
}

enum rk_framework rk_framework_of(enum rk_by by)
{
    return by == RK_BY_CALCULON ? RK_CALCULON : RK_MEGATRON;
}

bool rk_plan_is_torchs(const struct rk_plan *plan)
{
    return plan->objective != RK_NEXT_TOKEN || plan->lora || plan->base != RK_BASE_PLAIN;
}

const char *plan_beyond(const struct rk_plan *plan, enum rk_by by)
{
    /* clang-format off */
#define DIFFERS(by_, key, member, value) if (!(RK_BY_##by_ & by) && plan->member != value) return key;
#define PLAN_COUNT(scope, by_, member, value, least, most, word, help)      DIFFERS(by_, #member, member, value)
#define PLAN_RANKS(scope, by_, key, member, value, least, most, word, help) DIFFERS(by_, #key, member, value)
#define PLAN_LEVEL(scope, by_, member, value, least, most, word, help)      DIFFERS(by_, #member, member, value)
#define PLAN_FLAG(scope, by_, member, value, word, help)                    DIFFERS(by_, #member, member, value)
#define PLAN_NUMBER(scope, by_, member, value, least, most, word, help)     DIFFERS(by_, #member, member, value)
#define PLAN_CHOICE(scope, by_, member, list, value, word, help)            DIFFERS(by_, #member, member, value)
#define PLAN_PARTS(scope, by_, member, list, word, help)                    DIFFERS(by_, #member, member, 0)
#define PLAN_SPLIT(scope, by_, key, word, help)                             if (!(RK_BY_##by_ & by) && rk_plan_layout(plan)->splits) return #key;
#include <reckon/plan.def>
    /* clang-format on */
    const struct rk_layout *layout = rk_plan_layout(plan);
    if (layout->segments && by == RK_BY_CALCULON) return "stages: layers that are not alike";
    if (layout->parts && by == RK_BY_CALCULON) return "stages: more than one cluster";
    return simple_shares(plan) ? NULL : "offload";
}

void rk_plan_offload_activations(struct rk_plan *plan, double share)
{
    for (int i = RK_SHARE_ATTENTION; i <= RK_SHARE_CHECKPOINTS; i++)
        plan->share[i][0] = share;
}

uint64_t rk_plan_data(const struct rk_plan *plan)
{
    const uint64_t model = plan->tensor * plan->context * plan->pipeline;
    return model && plan->ranks % model == 0 ? plan->ranks / model : 0;
}

uint64_t rk_plan_expert_tensor(const struct rk_plan *plan)
{
    return plan->expert_tensor ? plan->expert_tensor : plan->tensor;
}

uint64_t rk_plan_expert_data(const struct rk_plan *plan)
{
    const uint64_t model = plan->pipeline * plan->expert * rk_plan_expert_tensor(plan);
    return model && plan->ranks % model == 0 ? plan->ranks / model : 0;
}

uint64_t rk_plan_shards(const struct rk_plan *plan)
{
    if (plan->zero == 0) return 1;
    const uint64_t all = rk_plan_data(plan) * plan->context;
    return plan->shard_ranks && plan->shard_ranks < all ? plan->shard_ranks : all;
}

uint64_t rk_plan_expert_shards(const struct rk_plan *plan)
{
    if (plan->zero == 0) return 1;
    const uint64_t all = rk_plan_expert_data(plan);
    const uint64_t dense = rk_plan_data(plan) * plan->context;
    if (!plan->shard_ranks || plan->shard_ranks >= dense) return all;
    const uint64_t copies = dense / plan->shard_ranks; /* hybrid: as many copies of the experts */
    return all > copies ? all / copies : 1;
}

/* The slots that embedding and head take in an even split, at its two ends. */
static uint64_t slots(const struct rk_plan *plan, const struct rk_model *model)
{
    return model->layers + plan->embedding_counts + plan->head_counts;
}

uint64_t rk_plan_split(const struct rk_plan *plan, const struct rk_model *model, uint64_t i)
{
    const uint64_t stages = plan->pipeline * plan->chunks;
    const bool first = i == 0, last = i == stages - 1;
    if (plan->layout && plan->layout->splits) return plan->layout->split[i];
    if (plan->first_layers || plan->last_layers) {
        /* Megatron-LM: of a rank, spread over its chunks; the other ranks share the rest */
        const uint64_t p = plan->pipeline, stage = i % p;
        const uint64_t given = (plan->first_layers > 0) + (plan->last_layers > 0);
        const uint64_t rest = model->layers - plan->first_layers - plan->last_layers;
        uint64_t layers = p > given ? rest / (p - given) : 0;
        if (stage == 0 && plan->first_layers) layers = plan->first_layers;
        if (stage == p - 1 && plan->last_layers) layers = plan->last_layers;
        return layers / plan->chunks;
    }
    const uint64_t all = slots(plan, model), share = all / stages, more = all % stages;
    /* what is left over goes to the first stages */
    const uint64_t slot = share + (i < more);
    const uint64_t taken = (first && plan->embedding_counts) + (last && plan->head_counts);
    return slot > taken ? slot - taken : 0;
}
