/* plan.c - names, presets and derived degrees of a plan. */
#include <reckon/plan.h>
#include <stddef.h>

#define COUNT(names)       (sizeof(names) / sizeof *(names))
#define NAME(names, value) ((unsigned)(value) < COUNT(names) ? (names)[value] : NULL)

const char *rk_framework_name(enum rk_framework framework)
{
    static const char *const names[] = {
        [RK_MEGATRON] = "megatron", [RK_FSDP] = "fsdp", [RK_DEEPSPEED] = "deepspeed"};
    return NAME(names, framework);
}

const char *rk_precision_name(enum rk_precision precision)
{
    static const char *const names[] = {
        [RK_FP32] = "fp32",
        [RK_TF32] = "tf32",
        [RK_FP16] = "fp16",
        [RK_BF16] = "bf16",
        [RK_FP8_DELAYED] = "fp8-delayed",
        [RK_FP8_CURRENT] = "fp8-current",
        [RK_FP8_BLOCK] = "fp8-block",
        [RK_MXFP8] = "mxfp8",
        [RK_NVFP4] = "nvfp4",
    };
    return NAME(names, precision);
}

const char *rk_schedule_name(enum rk_schedule schedule)
{
    static const char *const names[] = {[RK_GPIPE] = "gpipe",
                                        [RK_1F1B] = "1f1b",
                                        [RK_ZERO_BUBBLE] = "zero-bubble",
                                        [RK_DUALPIPE] = "dualpipe"};
    return NAME(names, schedule);
}

const char *rk_recompute_mode_name(enum rk_recompute_mode mode)
{
    static const char *const names[] = {
        [RK_KEEP] = "none", [RK_SELECTIVE] = "selective", [RK_WHOLE] = "full"};
    return NAME(names, mode);
}

const char *rk_part_name(enum rk_part part)
{
    static const char *const names[] = {
        [RK_PART_CORE_ATTENTION] = "core_attn",
        [RK_PART_ACTIVATION] = "moe_act",
        [RK_PART_NORM] = "layernorm",
        [RK_PART_UP_PROJECTION] = "mla_up_proj",
        [RK_PART_MLP] = "mlp",
        [RK_PART_EXPERTS] = "moe",
        [RK_PART_SHARED_EXPERTS] = "shared_experts",
    };
    return NAME(names, part);
}

const char *rk_context_kind_name(enum rk_context_kind kind)
{
    static const char *const names[] = {[RK_RING] = "ring",
                                        [RK_GATHER] = "gather",
                                        [RK_ULYSSES] = "ulysses",
                                        [RK_RING_ULYSSES] = "ring+ulysses"};
    return NAME(names, kind);
}

const char *rk_attention_kernel_name(enum rk_attention_kernel kernel)
{
    static const char *const names[] = {[RK_UNFUSED] = "unfused",
                                        [RK_FLASH] = "flash",
                                        [RK_FLASH_3] = "flash3",
                                        [RK_FLASH_1] = "flash1"};
    return NAME(names, kernel);
}

const char *rk_dispatcher_name(enum rk_dispatcher dispatcher)
{
    static const char *const names[] = {
        [RK_ALL_TO_ALL] = "alltoall", [RK_ALL_GATHER_TOKENS] = "allgather", [RK_DEEPEP] = "deepep"};
    return NAME(names, dispatcher);
}

struct rk_plan rk_plan_default(void)
{
    return (struct rk_plan){
        .framework = RK_MEGATRON,
        .precision = RK_BF16,
        .ranks = 1,
        .tensor = 1,
        .context = 1,
        .pipeline = 1,
        .expert = 1,
        .batch = 1,
        .microbatch = 1,
        .schedule = RK_1F1B,
        .chunks = 1,
        .imbalance = 1,
        .grouped = true,
        .attention = RK_FLASH,
        .fused = true,
        .transformer_engine = true,
        .gradient_fusion = true,
    };
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
    if (plan->splits) return plan->split[i];
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
