/* random_plans.h - plans that tools can express, drawn at random: the same on every machine. Shared
 * by the tests of exports and by bench/exports, which shows them to the tools themselves. */
#ifndef RECKON_TESTS_RANDOM_PLANS_H
#define RECKON_TESTS_RANDOM_PLANS_H

#include <reckon/model.h>
#include <reckon/plan.h>

/* A small linear congruential generator: the same plans on every machine. */
static uint64_t state = 20231112;
static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* What Megatron Core 0.16 can express of a model: degrees that divide, exclusions kept. */
static inline struct rk_plan random_megatron(const struct rk_model *m)
{
    struct rk_plan p = rk_plan_default();
    const uint64_t groups = m->kv_heads ? m->kv_heads : m->heads;
    p.tensor = UINT64_C(1) << draw(4);
    while (groups % p.tensor)
        p.tensor /= 2;
    p.pipeline = UINT64_C(1) << draw(3);
    while (m->layers % p.pipeline)
        p.pipeline /= 2;
    p.context = UINT64_C(1) << draw(2);
    const uint64_t data = UINT64_C(8) << draw(3);
    p.ranks = p.tensor * p.pipeline * p.context * data;
    if (p.pipeline > 1 && draw(2))
        while (m->layers % (p.pipeline * p.chunks * 2) == 0 && draw(2))
            p.chunks *= 2;
    p.microbatch = 1 + draw(2);
    p.batch = data * p.microbatch * p.pipeline * (1 + draw(4));
    p.sequence_parallel = p.tensor > 1 && (m->experts || draw(2));
    p.tensor_overlap = p.sequence_parallel && draw(2);
    if (p.context > 1) p.context_kind = draw(2) ? RK_RING : RK_GATHER;
    p.order = p.pipeline > 1 && draw(4) == 0 ? RK_ORDER_TP_CP_PP_DP : RK_ORDER_TP_CP_DP_PP;
    p.zero = (int)draw(2);
    p.gradient_overlap = draw(2);
    p.weight_overlap = p.zero && p.gradient_overlap && draw(2);
    if (m->experts) {
        p.dispatcher = (enum rk_dispatcher)draw(RK_DISPATCHERS);
        p.expert = UINT64_C(1) << draw(4);
        while (m->experts % p.expert || data % p.expert)
            p.expert /= 2;
        p.expert_tensor = p.tensor > 1 && draw(2) ? 1 : 0;
        p.grouped = draw(2);
    }
    p.precision = draw(3) ? RK_BF16 : (enum rk_precision)(RK_FP16 + draw(RK_NVFP4 - RK_FP16 + 1));
    if (m->experts && p.precision == RK_FP16) p.precision = RK_BF16; /* refused there */
    if (p.precision == RK_FP8_ROW) p.precision = RK_FP8_CURRENT;     /* of torchao alone */
    p.weights_fp8 = p.precision > RK_BF16 && p.precision < RK_NVFP4 && p.zero && draw(2);
    p.recompute = (enum rk_recompute_mode)draw(RK_RECOMPUTE_MODES);
    if (p.recompute == RK_SELECTIVE) p.recompute_parts = 1u << RK_PART_MLP;
    if (p.recompute == RK_WHOLE && draw(2)) p.recompute_layers = 1 + draw(3);
    if (p.recompute == RK_WHOLE && !p.recompute_layers) p.recompute_every = draw(2) ? 2 : 0;
    if (p.zero && draw(3) == 0) p.moment1_element_bytes = p.moment2_element_bytes = 2;
    if (p.moment1_element_bytes > 0 && p.precision >= RK_BF16 && p.precision <= RK_FP8_DELAYED)
        p.master_element_bytes = 2; /* all that Megatron-LM keeps beside bf16 */
    if (p.precision != RK_FP32 && draw(3) == 0) p.gradient_element_bytes = 2;
    static const enum rk_attention_kernel kernels[] = {RK_UNFUSED, RK_FLASH, RK_FLASH_3};
    p.transformer_engine = draw(4) != 0;
    p.attention = kernels[draw(p.transformer_engine ? 3 : 2)];
    p.fused = draw(4) != 0;
    p.cuda_graphs = p.recompute == RK_KEEP && draw(3) == 0; /* they exclude each other */
    p.vocabulary_multiple = draw(2) ? 128 : 0;
    return p;
}

/* What a ds_config.json says. */
static inline struct rk_plan random_deepspeed(void)
{
    struct rk_plan p = rk_plan_default();
    p.framework = RK_DEEPSPEED;
    p.attention = rk_usual_attention(p.framework, 0);
    p.tensor = UINT64_C(1) << draw(2);
    p.context = UINT64_C(1) << draw(2);
    if (p.context > 1) p.context_kind = RK_ULYSSES;
    p.ranks = p.tensor * p.context << draw(4);
    p.microbatch = 1 + draw(4);
    p.batch = rk_plan_data(&p) * p.microbatch * (1 + draw(5));
    p.zero = (int)draw(4);
    p.precision = draw(2) ? RK_BF16 : RK_FP16;
    p.gradient_overlap = draw(2);
    p.weight_overlap = p.zero == 3 && (!p.gradient_overlap || draw(2)); /* one is said */
    if (p.zero && draw(3) == 0) p.share[RK_SHARE_OPTIMIZER][0] = (double)(1 + draw(4)) / 4;
    p.share[RK_SHARE_WEIGHTS][0] = p.zero == 3 && draw(3) == 0;
    p.gradient_element_bytes = draw(2) ? 0 : draw(2) ? 2 : 4;
    return p;
}

/* What a job file of torchtitan says. */
static inline struct rk_plan random_torchtitan(void)
{
    struct rk_plan p = rk_plan_default();
    p.framework = RK_FSDP;
    p.attention = rk_usual_attention(p.framework, 0);
    p.tensor = UINT64_C(1) << draw(4);
    p.sequence_parallel = p.tensor > 1;
    p.tensor_overlap = p.tensor > 1 && draw(2);
    p.pipeline = UINT64_C(1) << draw(3);
    p.context = UINT64_C(1) << draw(2);
    if (p.context > 1) p.context_kind = draw(2) ? RK_RING : RK_GATHER;
    p.ranks = p.tensor * p.pipeline * p.context << (1 + draw(4));
    p.microbatch = 1 + draw(2);
    const uint64_t data = rk_plan_data(&p);
    p.batch = data * p.microbatch * (1 + draw(8));
    if (p.pipeline > 1) {
        p.embedding_counts = p.head_counts = true;
        p.schedule = draw(2) ? RK_1F1B : RK_GPIPE;
    }
    p.zero = 3;
    p.gradient_overlap = p.weight_overlap = true;
    p.keep_gathered = draw(2);
    if (draw(3) == 0 && data > 2) p.shard_ranks = data / 2 * p.context;
    p.precision = draw(2) ? RK_BF16 : draw(2) ? RK_FP8_CURRENT : RK_MXFP8;
    p.weights_fp8 = p.precision == RK_FP8_CURRENT && draw(2);
    p.recompute = draw(2) ? RK_WHOLE : RK_KEEP;
    p.fused = draw(2);
    return p;
}

/* What a configuration of accelerate and its launch line say. */
static inline struct rk_plan random_accelerate(void)
{
    struct rk_plan p = rk_plan_default();
    const bool deepspeed = draw(3) == 0;
    p.framework = deepspeed ? RK_DEEPSPEED : RK_FSDP;
    p.attention = rk_usual_attention(p.framework, 0);
    p.context = UINT64_C(1) << draw(3);
    if (p.context > 1) p.context_kind = draw(2) ? RK_RING : RK_GATHER;
    if (deepspeed && p.context > 1) p.context_kind = RK_ULYSSES;
    if (!deepspeed) p.tensor = UINT64_C(1) << draw(4);
    p.ranks = p.tensor * p.context << (1 + draw(5));
    p.microbatch = 1 + draw(4);
    const uint64_t data = rk_plan_data(&p);
    p.batch = data * p.microbatch * (1 + draw(8));
    p.zero = deepspeed ? (int)draw(4) : p.tensor * p.context > 1 || draw(4) ? 3 : 0;
    p.gradient_overlap = !deepspeed || p.zero == 3;
    p.weight_overlap = p.zero == 3;
    if (!deepspeed && p.zero && draw(2)) {
        p.keep_gathered = draw(2);
        if (data > 2) p.shard_ranks = data / 2 * p.context;
    }
    if (deepspeed && p.zero) p.share[RK_SHARE_OPTIMIZER][0] = draw(2);
    if (p.zero == 3) p.share[RK_SHARE_WEIGHTS][0] = draw(3) == 0;
    if (!deepspeed) p.share[RK_SHARE_OPTIMIZER][0] = p.share[RK_SHARE_WEIGHTS][0];
    p.precision = draw(2) ? RK_BF16 : (enum rk_precision)draw(RK_BF16);
    if (!deepspeed && draw(4) == 0) p.precision = RK_FP8_CURRENT;
    p.weights_fp8 = p.precision == RK_FP8_CURRENT && draw(2);
    p.autocast = !deepspeed && !p.zero && (p.precision == RK_FP16 || p.precision == RK_BF16);
    if (p.context == 1)
        p.attention = (enum rk_attention_kernel[]){RK_UNFUSED, RK_FLASH, RK_FLASH_3}[draw(3)];
    p.recompute = draw(2) ? RK_WHOLE : RK_KEEP;
    p.fused = draw(2);
    if (draw(2)) p.sequence = 4096;
    return p;
}

/* What a training configuration of nanotron says of a model without experts. */
static inline struct rk_plan random_nanotron(const struct rk_model *m)
{
    struct rk_plan p = rk_plan_default();
    const uint64_t groups = m->kv_heads ? m->kv_heads : m->heads;
    p.attention = RK_FLASH;
    p.transformer_engine = false;
    p.tensor = UINT64_C(1) << draw(4);
    while (groups % p.tensor)
        p.tensor /= 2;
    p.pipeline = UINT64_C(1) << draw(3);
    p.context = UINT64_C(1) << draw(2);
    if (p.context > 1) p.context_kind = draw(2) ? RK_RING : RK_GATHER;
    if (p.pipeline > 1) p.schedule = draw(2) ? RK_1F1B : RK_GPIPE;
    const uint64_t data = UINT64_C(1) << draw(5);
    p.ranks = p.tensor * p.pipeline * p.context * data;
    p.microbatch = 1 + draw(4);
    p.batch = data * p.microbatch * p.pipeline * (1 + draw(8));
    p.sequence_parallel = p.tensor > 1 && draw(2);
    p.tensor_overlap = p.sequence_parallel && draw(2);
    p.zero = (int)draw(2);
    p.precision = draw(4) ? RK_BF16 : RK_FP16;
    p.gradient_element_bytes = draw(2) ? 2 : 0;
    p.recompute = draw(2) ? RK_WHOLE : RK_KEEP;
    p.vocabulary_multiple = draw(2) ? 1 : 128;
    if (draw(2)) p.sequence = 4096;
    return p;
}

#endif
