/* plan.h - every choice that one training run makes.
 *
 * plan.def lists the members; this header says what they are made of. rk_predict (predict.h) judges
 * a plan: `framework` says whose habits it follows, and which model judges it: rk_answerer().
 *
 * A zeroed plan is not valid: begin with rk_plan_default().
 */
#ifndef RECKON_PLAN_H
#define RECKON_PLAN_H

#include <reckon/model.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a choice can be: X(value, name in files and flags, meaning) ---- */
/* clang-format off */

#define RK_NAMES_framework(X) \
    X(RK_MEGATRON,  "megatron",  "flat buffers of weights and gradients; gradients and optimizer in fp32") \
    X(RK_FSDP,      "fsdp",      "torch FSDP, FSDP2, torchtitan, llm-foundry: fp32 shards, gathered in `precision`") \
    X(RK_DEEPSPEED, "deepspeed", "ZeRO: 16-bit weights and gradients, fp32 master copy and moments in shards") \
    X(RK_CALCULON,  "calculon",  "the Calculon model [isaev2023]: equal layers, without embedding and head")

/* What the matrices are multiplied in. Those below bf16 keep bf16 weights, with casts on the way. */
#define RK_NAMES_precision(X) \
    X(RK_FP32,        "fp32",        "32 bits") \
    X(RK_TF32,        "tf32",        "operands rounded to 10 bits of mantissa") \
    X(RK_FP16,        "fp16",        "16 bits") \
    X(RK_BF16,        "bf16",        "16 bits, 8 of them exponent") \
    X(RK_FP8_DELAYED, "fp8-delayed", "per-tensor scales from the history of maxima") \
    X(RK_FP8_CURRENT, "fp8-current", "per-tensor scales of the tensor itself") \
    X(RK_FP8_ROW,     "fp8-row",     "one scale per row of the left operand and column of the right one") \
    X(RK_FP8_BLOCK,   "fp8-block",   "one scale per 128 or 128 x 128 values (DeepSeek-V3)") \
    X(RK_MXFP8,       "mxfp8",       "one scale per 32 values") \
    X(RK_NVFP4,       "nvfp4",       "4-bit values, one scale per 16") \
    X(RK_INT8,        "int8",        "8-bit integers, with 16 bits for the gradients of weights (AQT)")

/* How ranks are counted, innermost first: every permutation of tensor (tp), context (cp), data (dp)
 * and pipeline (pp). Neighbours of the first share the fastest links. */
#define RK_NAMES_order(X) \
    X(RK_ORDER_TP_CP_DP_PP, "tp-cp-dp-pp", "Megatron-LM's default") \
    X(RK_ORDER_TP_CP_PP_DP, "tp-cp-pp-dp", "its --use-tp-pp-dp-mapping: stages are closer to each other than data ranks") \
    X(RK_ORDER_TP_DP_CP_PP, "tp-dp-cp-pp", "") X(RK_ORDER_TP_DP_PP_CP, "tp-dp-pp-cp", "") \
    X(RK_ORDER_TP_PP_CP_DP, "tp-pp-cp-dp", "") X(RK_ORDER_TP_PP_DP_CP, "tp-pp-dp-cp", "") \
    X(RK_ORDER_CP_TP_DP_PP, "cp-tp-dp-pp", "") X(RK_ORDER_CP_TP_PP_DP, "cp-tp-pp-dp", "") \
    X(RK_ORDER_CP_DP_TP_PP, "cp-dp-tp-pp", "") X(RK_ORDER_CP_DP_PP_TP, "cp-dp-pp-tp", "") \
    X(RK_ORDER_CP_PP_TP_DP, "cp-pp-tp-dp", "") X(RK_ORDER_CP_PP_DP_TP, "cp-pp-dp-tp", "") \
    X(RK_ORDER_DP_TP_CP_PP, "dp-tp-cp-pp", "") X(RK_ORDER_DP_TP_PP_CP, "dp-tp-pp-cp", "") \
    X(RK_ORDER_DP_CP_TP_PP, "dp-cp-tp-pp", "") X(RK_ORDER_DP_CP_PP_TP, "dp-cp-pp-tp", "") \
    X(RK_ORDER_DP_PP_TP_CP, "dp-pp-tp-cp", "") X(RK_ORDER_DP_PP_CP_TP, "dp-pp-cp-tp", "") \
    X(RK_ORDER_PP_TP_CP_DP, "pp-tp-cp-dp", "") X(RK_ORDER_PP_TP_DP_CP, "pp-tp-dp-cp", "") \
    X(RK_ORDER_PP_CP_TP_DP, "pp-cp-tp-dp", "") X(RK_ORDER_PP_CP_DP_TP, "pp-cp-dp-tp", "") \
    X(RK_ORDER_PP_DP_TP_CP, "pp-dp-tp-cp", "") X(RK_ORDER_PP_DP_CP_TP, "pp-dp-cp-tp", "")

#define RK_NAMES_schedule(X) \
    X(RK_GPIPE,       "gpipe",       "all forward passes, then all backward passes") \
    X(RK_1F1B,        "1f1b",        "with chunks > 1 interleaved [narayanan2021]") \
    X(RK_ZERO_BUBBLE, "zero-bubble", "ZB-H1: weight gradients fill the bubble, memory as 1F1B [qi2023]") \
    X(RK_DUALPIPE,    "dualpipe",    "two directions, two copies of the weights [deepseek2024v3]") \
    X(RK_ZERO_BUBBLE_2P, "zero-bubble-2p", "ZB-H2: twice the microbatches in flight, and no bubble where passes take equal times [qi2023]") \
    X(RK_V_ZERO, "v-zero", "ZB-V, with chunks 2: the second chunk runs back through the ranks, so that the first rank has both ends; memory as 1F1B [qi2023]") \
    X(RK_V_HALF, "v-half", "... with about half of that memory [qi2024]") \
    X(RK_V_MIN,  "v-min",  "... with about a third [qi2024]")

#define RK_NAMES_recompute_mode(X) \
    X(RK_KEEP,      "none",      "recompute nothing") \
    X(RK_SELECTIVE, "selective", "the parts in recompute_parts") \
    X(RK_WHOLE,     "full",      "whole layers, from their inputs")

/* Parts of a layer that can be recomputed. The names are Megatron-LM's --recompute-modules. */
#define RK_NAMES_part(X) \
    X(RK_PART_CORE_ATTENTION, "core_attn",      "scores, softmax, and their product with the values") \
    X(RK_PART_ACTIVATION,     "moe_act",        "the MLP's or the experts' activation function") \
    X(RK_PART_NORM,           "layernorm",      "norms before attention and MLP") \
    X(RK_PART_UP_PROJECTION,  "mla_up_proj",    "up-projections of latent attention") \
    X(RK_PART_MLP,            "mlp",            "the whole dense MLP") \
    X(RK_PART_EXPERTS,        "moe",            "the whole mixture of experts") \
    X(RK_PART_SHARED_EXPERTS, "shared_experts", "experts that every token goes through")

/* Parts of a layer whose kernels a CUDA graph captures. The names are Megatron-LM's
 * --cuda-graph-scope. */
#define RK_NAMES_graph_part(X) \
    X(RK_GRAPH_ATTENTION,  "attn",           "attention and its norm") \
    X(RK_GRAPH_MLP,        "mlp",            "dense MLPs") \
    X(RK_GRAPH_RECURRENCE, "mamba",          "recurrences and their norm") \
    X(RK_GRAPH_ROUTER,     "moe_router",     "the router, and experts that every token goes through") \
    X(RK_GRAPH_PREPROCESS, "moe_preprocess", "what puts tokens in order before they leave") \
    X(RK_GRAPH_EXPERTS,    "moe",            "the whole mixture of experts")

#define RK_NAMES_tensor_overlap(X) \
    X(RK_OVERLAP_NONE, "none", "communication, then computation") \
    X(RK_OVERLAP_RING, "ring", "ring of tiles, overlapped with the matrix products") \
    X(RK_OVERLAP_PIPE, "pipe", "tiles one after the other")

#define RK_NAMES_context_kind(X) \
    X(RK_RING,         "ring",         "keys and values in a ring, overlapped with attention [liu2023]") \
    X(RK_GATHER,       "gather",       "keys and values gathered before attention [dubey2024]") \
    X(RK_ULYSSES,      "ulysses",      "all-to-all between sequence and heads [jacobs2023]") \
    X(RK_RING_ULYSSES, "ring+ulysses", "all-to-all within groups of `ulysses` ranks, ring between them")

#define RK_NAMES_attention_kernel(X) \
    X(RK_UNFUSED, "unfused", "scores stored in memory") \
    X(RK_FLASH,   "flash",   "FlashAttention-2 or an equivalent") \
    X(RK_FLASH_3, "flash3",  "FlashAttention-3 or cuDNN's on Hopper and later, AITER's assembly on CDNA 3 and 4") \
    X(RK_FLASH_1, "flash1",  "FlashAttention-1, Triton's, or xFormers' on GPUs before Ampere")

#define RK_NAMES_dispatcher(X) \
    X(RK_ALL_TO_ALL,        "alltoall",  "tokens are sent to the ranks of their experts") \
    X(RK_ALL_GATHER_TOKENS, "allgather", "every rank gathers all tokens and drops those of other ranks") \
    X(RK_DEEPEP,            "deepep",    "each token is sent to a node once [deepseek2024v3]")

/* Of a device (system.h). */
#define RK_NAMES_platform(X) \
    X(RK_CUDA,         "cuda", "NVIDIA's libraries, Transformer Engine and NCCL among them") \
    X(RK_ROCM,         "rocm", "AMD's, which has them, too, the latter as RCCL") \
    X(RK_OWN_PLATFORM, "own",  "another maker's: what trains on it is not Megatron-LM, and has no Transformer Engine")

#define RK_NAMES_optimizer(X) \
    X(RK_ADAM, "adam", "two moments of each parameter") \
    X(RK_MUON, "muon", "matrices except tables: one moment, made orthogonal by Newton-Schulz steps; other parameters as adam [jordan2024]") \
    X(RK_ADAM_8BIT,  "adam-8bit",    "two moments in 8 bits, one scale per 256 values [dettmers2022]") \
    X(RK_ADAM_4BIT,  "adam-4bit",    "two moments in 4 bits, one scale per 128 values (torchao)") \
    X(RK_ADAFACTOR,  "adafactor",    "sums of rows and of columns of squared gradients [shazeer2018]") \
    X(RK_LION,       "lion",         "one moment [chen2023lion]") \
    X(RK_SGD,        "sgd",          "no state") \
    X(RK_MOMENTUM,   "sgd-momentum", "one moment") \
    X(RK_GALORE,     "galore",       "matrices: two moments of gradients projected to optimizer-rank, and the projectors [zhao2024]") \
    X(RK_APOLLO,     "apollo",       "as galore, with random projectors that are not stored [zhu2024]")

/* Matrices that have adapters, as Hugging Face's models call them. */
#define RK_NAMES_target(X) \
    X(RK_TARGET_Q,    "q",    "query") \
    X(RK_TARGET_K,    "k",    "key") \
    X(RK_TARGET_V,    "v",    "value") \
    X(RK_TARGET_QKV,  "qkv",  "query, key and value as one matrix with one adapter") \
    X(RK_TARGET_O,    "o",    "attention's output") \
    X(RK_TARGET_GATE, "gate", "the gate of MLPs, of each expert") \
    X(RK_TARGET_UP,   "up",   "the first matrix of MLPs, of each expert") \
    X(RK_TARGET_DOWN, "down", "the second matrix of MLPs, of each expert") \
    X(RK_TARGET_HEAD, "head", "the head")
/* Ends of the model that are trained whole next to adapters. */
#define RK_NAMES_end(X) \
    X(RK_END_EMBEDDING, "embedding", "the table of tokens") \
    X(RK_END_HEAD,      "head",      "the head")

#define RK_NAMES_base(X) \
    X(RK_BASE_PLAIN, "plain",  "as weight-bytes says") \
    X(RK_BASE_NF4,   "nf4",    "4 bits and an fp32 maximum per 64 values [dettmers2023]") \
    X(RK_BASE_NF4_DQ,"nf4-dq", "as nf4, with maxima in 8 bits and one fp32 value per 256 of them: double quantization") \
    X(RK_BASE_GPTQ4, "gptq4",  "4 bits in groups of 128, each with a scale of 16 bits and a zero of 4, and the order of rows") \
    X(RK_BASE_INT8,  "int8",   "8 bits and an fp32 scale per row [dettmers2022int8]")

/* Bytes of a logit are in workload/layers_ends.c. */
#define RK_NAMES_loss(X) \
    X(RK_LOSS_USUAL,   "usual",   "as framework and fused imply") \
    X(RK_LOSS_HELD,    "held",    "Transformers to 4.44: fp32 logits returned and held by the trainer, shifted into a copy") \
    X(RK_LOSS_SHIFTED, "shifted", "Transformers 4.45 to 4.48: 16-bit logits, an fp32 copy, shifted into another") \
    X(RK_LOSS_PADDED,  "padded",  "Transformers since 4.49: labels are shifted instead of logits") \
    X(RK_LOSS_COPIED,  "copied",  "Transformers to 4.48 with a fused kernel in place: 16-bit logits and an fp32 copy, shifted") \
    X(RK_LOSS_NARROW,  "narrow",  "torch's cross entropy over 16-bit logits, in chunks or whole") \
    X(RK_LOSS_WIDE,    "wide",    "torch's cross entropy over fp32 logits that are kept") \
    X(RK_LOSS_CLONED,  "cloned",  "Megatron-DeepSpeed: the vocabulary-parallel loss over a copy of the fp32 logits") \
    X(RK_LOSS_POLICY,  "policy",  "log-probabilities and entropy of fp32 logits, 2,048 columns at a time, which backward makes again (trainers of reinforcement learning)")

#define RK_NAMES_objective(X) \
    X(RK_NEXT_TOKEN, "next-token", "cross entropy of each token: pretraining, supervised fine-tuning") \
    X(RK_DPO,        "dpo",        "pairs, against a reference [rafailov2023]") \
    X(RK_SIMPO,      "simpo",      "pairs, without one [meng2024]") \
    X(RK_ORPO,       "orpo",       "pairs, without one, with the cross entropy of the preferred answer [hong2024]") \
    X(RK_KTO,        "kto",        "single answers against a reference, with a pass for the divergence [ethayarajh2024]")

#define RK_NAMES_reference(X) \
    X(RK_NO_REFERENCE,       "none",        "no reference, or one evaluated before training") \
    X(RK_REFERENCE_COPY,     "copy",        "a frozen copy of the weights, sharded with ZeRO-3") \
    X(RK_REFERENCE_ADAPTERS, "adapter-off", "the base itself, with adapters switched off")

/* Adapters of a matrix, several of them. */
#define RK_NAMES_adapters_run(X) \
    X(RK_ADAPTERS_MIXED,  "mixed",  "each sample goes through one of them, all are trained at once (prime-rl)") \
    X(RK_ADAPTERS_SUMMED, "summed", "each sample goes through all of them (PEFT's active adapters)") \
    X(RK_ADAPTERS_IDLE,   "idle",   "one is trained, the weights of the others are kept (PEFT's set_adapter)")

/* clang-format on */
#define RK_NAMES_VALUE(value, name, help) value,
enum rk_framework { RK_NAMES_framework(RK_NAMES_VALUE) RK_FRAMEWORKS };
enum rk_precision { RK_NAMES_precision(RK_NAMES_VALUE) RK_PRECISIONS };
enum rk_order { RK_NAMES_order(RK_NAMES_VALUE) RK_ORDERS };
enum rk_schedule { RK_NAMES_schedule(RK_NAMES_VALUE) RK_SCHEDULES };
enum rk_recompute_mode { RK_NAMES_recompute_mode(RK_NAMES_VALUE) RK_RECOMPUTE_MODES };
enum rk_part { RK_NAMES_part(RK_NAMES_VALUE) RK_PARTS };
enum rk_graph_part { RK_NAMES_graph_part(RK_NAMES_VALUE) RK_GRAPH_PARTS };
enum rk_tensor_overlap { RK_NAMES_tensor_overlap(RK_NAMES_VALUE) RK_TENSOR_OVERLAPS };
enum rk_context_kind { RK_NAMES_context_kind(RK_NAMES_VALUE) RK_CONTEXT_KINDS };
enum rk_attention_kernel { RK_NAMES_attention_kernel(RK_NAMES_VALUE) RK_ATTENTION_KERNELS };
enum rk_dispatcher { RK_NAMES_dispatcher(RK_NAMES_VALUE) RK_DISPATCHERS };
enum rk_platform { RK_NAMES_platform(RK_NAMES_VALUE) RK_PLATFORMS };
enum rk_optimizer { RK_NAMES_optimizer(RK_NAMES_VALUE) RK_OPTIMIZERS };
enum rk_target { RK_NAMES_target(RK_NAMES_VALUE) RK_TARGETS };
enum rk_end { RK_NAMES_end(RK_NAMES_VALUE) RK_ENDS };
enum rk_base { RK_NAMES_base(RK_NAMES_VALUE) RK_BASES };
enum rk_loss { RK_NAMES_loss(RK_NAMES_VALUE) RK_LOSSES };
enum rk_objective { RK_NAMES_objective(RK_NAMES_VALUE) RK_OBJECTIVES };
enum rk_reference { RK_NAMES_reference(RK_NAMES_VALUE) RK_REFERENCES };
enum rk_adapters_run { RK_NAMES_adapters_run(RK_NAMES_VALUE) RK_ADAPTERS_RUNS };
#undef RK_NAMES_VALUE

/* Tensors that can be offloaded, each in shares. */
enum rk_share {
    RK_SHARE_WEIGHTS,
    RK_SHARE_OPTIMIZER,
    RK_SHARE_ATTENTION, /* activations of attention */
    RK_SHARE_MLP,       /* ... of dense MLPs */
    RK_SHARE_EXPERTS,
    RK_SHARE_NORMS,
    RK_SHARE_CHECKPOINTS, /* inputs of recomputed layers */
    RK_SHARES
};

enum {
    RK_MAX_CHUNKS = 512,
    RK_MAX_STAGES = 256,
    RK_MAX_SEGMENTS = 128,
    RK_MAX_LOCALS = 32,
    RK_MAX_PARTS = 512,
    RK_MAX_STAGE_PARTS = 4, /* of one stage */
    RK_SHARE_TIERS = 4
};

/* ---- the plan ---- */

/* clang-format off */
#define RK_MEMBERS_OF_LOCAL(type, member) type member;
#define RK_MEMBERS_OF_WHOLE(type, member)
#define RK_LOCAL_MEMBERS_END double share[RK_SHARES][RK_SHARE_TIERS]; /* offloaded; [i]: to memory tier i + 1 */

/* What one layer sees of a plan. */
struct rk_local {
#define PLAN_COUNT(scope, by, member, preset, least, most, word, help)  RK_MEMBERS_OF_##scope(uint64_t, member)
#define PLAN_LEVEL(scope, by, member, preset, least, most, word, help)  RK_MEMBERS_OF_##scope(int, member)
#define PLAN_FLAG(scope, by, member, preset, word, help)                RK_MEMBERS_OF_##scope(bool, member)
#define PLAN_NUMBER(scope, by, member, preset, least, most, word, help) RK_MEMBERS_OF_##scope(double, member)
#define PLAN_CHOICE(scope, by, member, list, preset, word, help)        RK_MEMBERS_OF_##scope(enum rk_##list, member)
#define PLAN_PARTS(scope, by, member, list, word, help)                 RK_MEMBERS_OF_##scope(unsigned, member)
#include <reckon/plan.def>
    RK_LOCAL_MEMBERS_END
};

/* A run of layers, in model order, that are alike. */
struct rk_segment {
    uint16_t layers;
    uint16_t local; /* 0: as the plan says; i: as rk_layout.other[i - 1] says */
};

/* Replicas of a stage that are alike, on one cluster of a machine of several (machine.h). */
struct rk_stage_part {
    uint16_t stage;
    uint16_t cluster;
    uint16_t local; /* as a segment's: how its layers run */
    uint16_t equal; /* 1: all replicas of the stage take as many samples; 0: each by its speed */
    uint32_t data;  /* replicas */
};

/* Where the layers of a plan lie and in what they differ, where that is not even and alike. */
struct rk_layout {
    int splits;                    /* entries of split; 0: as even as it goes */
    int segments;                  /* 0: all layers are alike */
    int others;                    /* entries of other */
    int parts;                     /* of all stages, in their order; 0: one cluster, and as many
                                      replicas of each stage as the ranks make */
    uint64_t round;                /* with parts: samples that a stage's replicas take at a time */
    uint16_t split[RK_MAX_CHUNKS]; /* blocks of each virtual stage, in model order: p * v entries */
    struct rk_segment segment[RK_MAX_SEGMENTS];
    struct rk_stage_part part[RK_MAX_PARTS];
    struct rk_local other[RK_MAX_LOCALS];
};

struct rk_plan {
    /* What all layers see: plan.tensor is plan.local.tensor. */
    union {
        struct rk_local local;
        RK_UNNAMED struct {
#define PLAN_COUNT(scope, by, member, preset, least, most, word, help)  RK_MEMBERS_OF_##scope(uint64_t, member)
#define PLAN_LEVEL(scope, by, member, preset, least, most, word, help)  RK_MEMBERS_OF_##scope(int, member)
#define PLAN_FLAG(scope, by, member, preset, word, help)                RK_MEMBERS_OF_##scope(bool, member)
#define PLAN_NUMBER(scope, by, member, preset, least, most, word, help) RK_MEMBERS_OF_##scope(double, member)
#define PLAN_CHOICE(scope, by, member, list, preset, word, help)        RK_MEMBERS_OF_##scope(enum rk_##list, member)
#define PLAN_PARTS(scope, by, member, list, word, help)                 RK_MEMBERS_OF_##scope(unsigned, member)
#include <reckon/plan.def>
            RK_LOCAL_MEMBERS_END
        };
    };
#undef RK_MEMBERS_OF_LOCAL
#undef RK_MEMBERS_OF_WHOLE
#define RK_MEMBERS_OF_LOCAL(type, member)
#define RK_MEMBERS_OF_WHOLE(type, member) type member;
#define PLAN_COUNT(scope, by, member, preset, least, most, word, help)      RK_MEMBERS_OF_##scope(uint64_t, member)
#define PLAN_RANKS(scope, by, key, member, preset, least, most, word, help) RK_MEMBERS_OF_##scope(uint64_t, member)
#define PLAN_LEVEL(scope, by, member, preset, least, most, word, help)      RK_MEMBERS_OF_##scope(int, member)
#define PLAN_FLAG(scope, by, member, preset, word, help)                    RK_MEMBERS_OF_##scope(bool, member)
#define PLAN_NUMBER(scope, by, member, preset, least, most, word, help)     RK_MEMBERS_OF_##scope(double, member)
#define PLAN_CHOICE(scope, by, member, list, preset, word, help)            RK_MEMBERS_OF_##scope(enum rk_##list, member)
#define PLAN_PARTS(scope, by, member, list, word, help)                     RK_MEMBERS_OF_##scope(unsigned, member)
#include <reckon/plan.def>
#undef RK_MEMBERS_OF_LOCAL
#undef RK_MEMBERS_OF_WHOLE
#undef RK_LOCAL_MEMBERS_END
    /* clang-format on */

    /* NULL: even, all layers alike, one cluster. Plans refer to a layout and share it: it is not
     * changed while they do, and lives as long; rk_layout_keep() has one that always does. */
    const struct rk_layout *layout;
};

RK_API extern const struct rk_layout rk_layout_even;

static inline const struct rk_layout *rk_plan_layout(const struct rk_plan *plan)
{
    return plan->layout ? plan->layout : &rk_layout_even;
}

/* What plans may refer to from now on, for ever: NULL for an even one, else a copy, the same for
 * all layouts that are equal, so that plans compare by their bytes. From any thread. */
RK_API const struct rk_layout *rk_layout_keep(const struct rk_layout *layout);

/* Is it one of `kernels`, a system's attention_kernels (0: any)? Scores in memory always are. */
static inline bool rk_attends(unsigned kernels, enum rk_attention_kernel kernel)
{
    return kernel == RK_UNFUSED || !kernels || kernels >> kernel & 1;
}

/* Does Transformer Engine run on a device of `platforms` (0: any), and Megatron-LM on it? */
static inline bool rk_has_engine(unsigned platforms)
{
    return !platforms || platforms & (1u << RK_CUDA | 1u << RK_ROCM);
}

/* Which model fills a figure, has an axis or gives a member its meaning. CLUSTERS: the detailed
 * model, of plans over several clusters only. */
enum rk_by { RK_BY_RECKON = 1, RK_BY_CALCULON = 2, RK_BY_BOTH = 3, RK_BY_CLUSTERS = 4 };

/* Which model answers for the plans of a framework, and what it can say of them. */
struct rk_answerer {
    enum rk_by by;
    const char *name;  /* in files */
    const char *title; /* in text */
    bool layers;   /* it sees each layer, stage and cluster; else all are alike, on one cluster */
    bool runs;     /* something trains such plans; else nothing imposes rules on them */
    bool measured; /* it was compared with measured runs; else its error is not known */
};

RK_API const struct rk_answerer *rk_answerer(enum rk_framework framework);

/* The framework, by default, that has this model answer. */
RK_API enum rk_framework rk_framework_of(enum rk_by by);

/* Of the frameworks that run on a device, or on those of all clusters: Megatron-LM, else the
 * first. */
struct rk_system;
RK_API enum rk_framework rk_usual_framework(const struct rk_system *system);

/* Is it of trainers around torch: preferences, adapters, weights in few bits? No argument of
 * Megatron-LM's says any of them. */
RK_API bool rk_plan_is_torchs(const struct rk_plan *plan);

/* The usual framework for such a plan, whose own is not known: FSDP where it is torch's. */
RK_API enum rk_framework rk_usual_framework_of(const struct rk_system *system,
                                               const struct rk_plan *plan);

/* Does fsdp stand for programs of XLA on the system, which nothing else runs on? */
RK_API bool rk_usual_xla(const struct rk_system *system, enum rk_framework framework);

/* The kernel of attention where nothing is said: Megatron-LM's "auto" has Transformer Engine take
 * the fastest that it has for the device, cuDNN's or FlashAttention-3 on Hopper and later, before
 * FlashAttention-2, and none of its own below Ampere; PyTorch's scaled_dot_product_attention, with
 * FSDP and DeepSpeed, is FlashAttention-2, else xFormers'. `kernels` are a system's. */
RK_API enum rk_attention_kernel rk_usual_attention(enum rk_framework framework, unsigned kernels);

/* One rank, a batch of one, nothing sharded, bf16, Megatron's habits and, as a device with all
 * kernels has it, its kernel of attention: for others, rk_usual_attention(). */
RK_API struct rk_plan rk_plan_default(void);

/* Data parallel degree: ranks / (tensor * context * pipeline); 0 when that is no integer. */
RK_API uint64_t rk_plan_data(const struct rk_plan *plan);
RK_API uint64_t rk_plan_expert_tensor(const struct rk_plan *plan);

/* Data parallel degree of the experts' weights: ranks / (pipeline * expert * expert_tensor). */
RK_API uint64_t rk_plan_expert_data(const struct rk_plan *plan);

/* Ranks that share one copy of optimizer state, of dense weights and of experts' weights. */
RK_API uint64_t rk_plan_shards(const struct rk_plan *plan);
RK_API uint64_t rk_plan_expert_shards(const struct rk_plan *plan);

/* The share of a class of tensors that is in memory tier 1. */
static inline double rk_plan_offloaded(const struct rk_plan *plan, enum rk_share share)
{
    return plan->share[share][0];
}

/* The share of it that is in any lower tier. */
static inline double rk_plan_away(const struct rk_plan *plan, enum rk_share share)
{
    double away = 0;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        away += plan->share[share][tier];
    return away;
}

static inline double rk_plan_activations_away(const struct rk_plan *plan)
{
    return rk_plan_away(plan, RK_SHARE_ATTENTION);
}

/* Are the weights of the model as it came not trained? */
static inline bool rk_plan_freezes(const struct rk_plan *plan)
{
    return plan->frozen || plan->lora > 0;
}

/* What a preference objective compares with unless said otherwise: the weights below adapters that
 * are switched off, or a copy. */
static inline enum rk_reference rk_usual_reference(const struct rk_plan *plan)
{
    if (plan->objective != RK_DPO && plan->objective != RK_KTO) return RK_NO_REFERENCE;
    return plan->lora ? RK_REFERENCE_ADAPTERS : RK_REFERENCE_COPY;
}

/* Bytes per element of adapters where nothing is said: PEFT, whose they are in FSDP and DeepSpeed,
 * casts them to fp32 (autocast_adapter_dtype, since 0.12); 0: as other trained weights. */
static inline double rk_usual_lora_bytes(const struct rk_plan *plan)
{
    const bool peft = plan->framework == RK_FSDP || plan->framework == RK_DEEPSPEED;
    return plan->lora && peft ? 4 : 0;
}

/* Answers of a sample: preferences are between two. */
static inline uint64_t rk_plan_answers(const struct rk_plan *plan)
{
    return plan->objective >= RK_DPO && plan->objective <= RK_ORPO ? 2 : 1;
}

/* Tokens of a sample as it runs, in the mean: padded, else the sequence. */
static inline double rk_tokens_of_sample(const struct rk_model *model, const struct rk_plan *plan)
{
    return (double)(plan->padded     ? plan->padded
                    : plan->sequence ? plan->sequence
                                     : model->sequence);
}

/* Tokens that a sample trains on: those of both answers where it is a pair of them. */
static inline double rk_tokens_trained(const struct rk_model *model, const struct rk_plan *plan)
{
    return rk_tokens_of_sample(model, plan) * (double)rk_plan_answers(plan);
}

/* Forward passes of a microbatch that no backward follows. */
static inline int rk_plan_bare_passes(const struct rk_plan *plan)
{
    const int divergence = plan->objective == RK_KTO;
    return divergence + (plan->reference != RK_NO_REFERENCE ? 1 + divergence : 0);
}

/* The activations of layers, all of them alike. */
RK_API void rk_plan_offload_activations(struct rk_plan *plan, double share);

/* Does the second chunk of a rank run back through the ranks, so that virtual stages p ... 2p - 1
 * are on ranks p - 1 ... 0? */
static inline bool rk_schedule_folds(enum rk_schedule schedule)
{
    return schedule >= RK_V_ZERO && schedule <= RK_V_MIN;
}

/* The stage of the pipeline that has virtual stage `i` (of p * v, in model order). */
static inline uint64_t rk_plan_stage_of(const struct rk_plan *plan, uint64_t i)
{
    const uint64_t stage = i % plan->pipeline;
    return rk_schedule_folds(plan->schedule) && i >= plan->pipeline ? plan->pipeline - 1 - stage
                                                                    : stage;
}

/* Does reckon train sum gradients apart from those of a microbatch? ZeRO-2 shards the sum, and that
 * of fp16 has 16 bits. Then each step sets it to zero; else its first product writes it. */
static inline bool rk_plan_sums_apart(const struct rk_plan *plan)
{
    return plan->zero >= 2 || plan->precision == RK_FP16;
}

/* Are embedding and head on the same ranks? */
static inline bool rk_plan_joins_ends(const struct rk_plan *plan)
{
    return plan->pipeline == 1 || rk_schedule_folds(plan->schedule);
}

/* Blocks of virtual stage `i` (of p * v, in model order). */
RK_API uint64_t rk_plan_split(const struct rk_plan *plan, const struct rk_model *model, uint64_t i);

/* All lists of names, and the name of a value as files and flags spell it; NULL outside the range.
 */
#define RK_NAMES(X)                                                                                \
    X(framework)                                                                                   \
    X(precision)                                                                                   \
    X(order)                                                                                       \
    X(schedule)                                                                                    \
    X(recompute_mode)                                                                              \
    X(part)                                                                                        \
    X(graph_part)                                                                                  \
    X(tensor_overlap)                                                                              \
    X(context_kind)                                                                                \
    X(attention_kernel)                                                                            \
    X(dispatcher)                                                                                  \
    X(platform)                                                                                    \
    X(optimizer) X(target) X(end) X(base) X(loss) X(objective) X(reference) X(adapters_run)
#define RK_NAMES_FUNCTION(list) RK_API const char *rk_##list##_name(enum rk_##list value);
RK_NAMES(RK_NAMES_FUNCTION)
#undef RK_NAMES_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
