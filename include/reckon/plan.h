/* plan.h - how people train today: every choice that one training run makes.
 *
 * A plan says what struct rk_strategy says for the published model [isaev2023], and what came
 * since: expert and context parallelism, sharded data parallelism in all its stages, recomputation
 * by part, narrow datatypes, uneven stages. rk_predict (predict.h) judges it.
 *
 * Ranks are laid out tensor first, then context, expert (within data), data, pipeline last, unless
 * pipeline_inside asks for pipeline before data: neighbours of the first share the fastest links.
 *
 * A zeroed plan is not valid: begin with rk_plan_default().
 */
#ifndef RECKON_PLAN_H
#define RECKON_PLAN_H

#include <reckon/model.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whose habits decide what is stored how: see docs/memory.md. */
enum rk_framework {
    RK_MEGATRON, /* flat buffers of weights and gradients; gradients and optimizer in fp32 */
    RK_FSDP, /* torch FSDP, FSDP2, torchtitan, llm-foundry: fp32 shards, gathered in `precision` */
    RK_DEEPSPEED, /* ZeRO: 16-bit weights and gradients, fp32 master copy and moments in shards */
    RK_FRAMEWORKS
};

/* What the matrices are multiplied in. Those below bf16 keep bf16 weights, with casts on the way.
 */
enum rk_precision {
    RK_FP32,
    RK_TF32,
    RK_FP16,
    RK_BF16,
    RK_FP8_DELAYED, /* per-tensor scales from the history of maxima */
    RK_FP8_CURRENT, /* per-tensor scales of the tensor itself */
    RK_FP8_BLOCK,   /* a scale for each 128 or 128 x 128 values (DeepSeek-V3) */
    RK_MXFP8,       /* a scale for each 32 values */
    RK_NVFP4,       /* 4-bit values, a scale for each 16 */
    RK_PRECISIONS
};

enum rk_schedule {
    RK_GPIPE,
    RK_1F1B,        /* with chunks > 1 interleaved [narayanan2021] */
    RK_ZERO_BUBBLE, /* ZB-H1: weight gradients fill the bubble, memory as 1F1B [qi2023] */
    RK_DUALPIPE,    /* two directions, two copies of the weights [deepseek2024v3] */
    RK_SCHEDULES
};

enum rk_recompute_mode {
    RK_KEEP,      /* nothing is computed again */
    RK_SELECTIVE, /* the parts in recompute_parts */
    RK_WHOLE,     /* whole layers, from their inputs */
    RK_RECOMPUTE_MODES
};

/* Parts of a layer that can be computed again; bits of rk_plan.recompute_parts. The names are
 * Megatron-LM's --recompute-modules. */
enum rk_part {
    RK_PART_CORE_ATTENTION, /* scores, softmax, and their product with the values */
    RK_PART_ACTIVATION,     /* the MLP's or the experts' activation function */
    RK_PART_NORM,           /* norms in front of attention and MLP */
    RK_PART_UP_PROJECTION,  /* of latent attention */
    RK_PART_MLP,            /* the whole dense MLP */
    RK_PART_EXPERTS,        /* the whole mixture */
    RK_PART_SHARED_EXPERTS,
    RK_PARTS
};

enum rk_context_kind {
    RK_RING,         /* keys and values go round, hidden behind attention [liu2023] */
    RK_GATHER,       /* keys and values are gathered before attention [dubey2024] */
    RK_ULYSSES,      /* all-to-all between sequence and heads [jacobs2023] */
    RK_RING_ULYSSES, /* all-to-all within groups of `ulysses` ranks, ring between them */
    RK_CONTEXT_KINDS
};

enum rk_attention_kernel {
    RK_UNFUSED, /* scores in memory */
    RK_FLASH,   /* FlashAttention-2 or an equal of it */
    RK_FLASH_3, /* FlashAttention-3 or cuDNN's on Hopper and later */
    RK_FLASH_1, /* FlashAttention-1 or Triton's */
    RK_ATTENTION_KERNELS
};

enum rk_dispatcher {
    RK_ALL_TO_ALL,
    RK_ALL_GATHER_TOKENS, /* every rank sees all tokens and drops those of others */
    RK_DEEPEP,            /* each token crosses to a node once [deepseek2024v3] */
    RK_DISPATCHERS
};

enum { RK_MAX_CHUNKS = 512 };

struct rk_plan {
    enum rk_framework framework;
    enum rk_precision precision;

    /* degrees; data parallelism is what is left of `ranks` */
    uint64_t ranks;
    uint64_t tensor;   /* t */
    uint64_t context;  /* c */
    uint64_t pipeline; /* p */
    uint64_t expert;   /* ranks that share the experts of a layer; divides context * data * tensor /
                          expert_tensor */
    uint64_t expert_tensor; /* tensor parallelism within an expert; 0: as `tensor` */
    bool pipeline_inside;   /* rank order tensor, context, pipeline, data */

    uint64_t batch;      /* samples of one step, over all ranks */
    uint64_t microbatch; /* samples of one forward pass; b */
    uint64_t sequence;   /* tokens of a sample; 0: the model's */

    /* pipeline */
    enum rk_schedule schedule;
    uint64_t chunks;               /* virtual stages of a rank; v */
    int splits;                    /* entries of split; 0: as even as it goes */
    uint16_t split[RK_MAX_CHUNKS]; /* blocks of each virtual stage, in model order: p * v entries */
    uint64_t first_layers, last_layers; /* of the first and last stage; 0: as the others */
    bool embedding_counts, head_counts; /* they take the place of a block in the even split */
    bool messages_sharded;  /* between stages each tensor rank sends its share, gathered behind
                               [narayanan2021] */
    bool pipeline_blocking; /* messages between stages wait for computing and it for them */

    /* tensor */
    bool sequence_parallel; /* norms and dropout on shards of the sequence [korthikanti2022] */
    bool tensor_overlap;    /* communication in tiles beside the matrices */

    /* context */
    enum rk_context_kind context_kind;
    uint64_t ulysses; /* RK_RING_ULYSSES: ranks of an all-to-all */

    /* data */
    int zero;              /* 0 ... 3: optimizer, gradients, weights are sharded */
    uint64_t shard_ranks;  /* ranks that share one copy; 0: all of data * context (hybrid: less) */
    bool whole_gradients;  /* ZeRO-1: all-reduced all the same, as simple implementations do */
    bool gradient_overlap; /* reduced while backward runs */
    bool weight_overlap;   /* gathered while forward runs */
    bool keep_gathered;    /* ZeRO-3: forward's weights stay until backward */

    /* experts */
    enum rk_dispatcher dispatcher;
    double capacity_factor; /* 0: no token is dropped; else each expert takes factor * share */
    bool capacity_padded;   /* ... and is filled up to it */
    double imbalance;       /* tokens of the busiest rank over the mean, at least 1 */
    bool expert_overlap;    /* all-to-all beside the computing of another microbatch */
    bool grouped;           /* experts of a rank in one grouped product */

    /* recomputation */
    enum rk_recompute_mode recompute;
    unsigned recompute_parts;  /* 1 << enum rk_part; RK_SELECTIVE */
    uint64_t recompute_layers; /* of a virtual stage, its first ones; 0: all ("block") */
    uint64_t
        recompute_every; /* whole layers are checkpointed in groups of so many ("uniform"); 0: 1 */
    bool checkpoint_sharded; /* checkpoints split over tensor ranks */

    /* kernels */
    enum rk_attention_kernel attention;
    bool full_attention;     /* the kernel does not skip what the causal mask hides */
    bool fused;              /* norms, rotary, activation and cross entropy in one kernel each */
    bool transformer_engine; /* RK_MEGATRON: its layers, not Megatron-LM's own ("local") */
    bool gradient_fusion;    /* RK_MEGATRON: products add weight gradients to the main ones */
    bool whole_logits;       /* tensor ranks gather them before the loss, which torch works out */
    bool cuda_graphs;        /* no launch overhead of the host */

    /* bytes of one element; 0: what framework and precision imply */
    double weight_element_bytes, gradient_element_bytes, master_element_bytes;
    double moment1_element_bytes, moment2_element_bytes;
    bool weights_fp8; /* weights are kept and gathered in 8 bits */

    /* offload to memory tier 1, shares from 0 to 1 */
    double activation_offload, optimizer_offload, weight_offload;

    uint64_t vocabulary_multiple; /* the vocabulary is padded to multiples of it times t; 0: not */
};

/* One rank, a batch of one, nothing sharded, bf16, Megatron's habits, flash attention. */
RK_API struct rk_plan rk_plan_default(void);

/* Data parallel degree: ranks / (tensor * context * pipeline); 0 when that is no integer. */
RK_API uint64_t rk_plan_data(const struct rk_plan *plan);
RK_API uint64_t rk_plan_expert_tensor(const struct rk_plan *plan);

/* Data parallel degree of the experts' weights: ranks / (pipeline * expert * expert_tensor). */
RK_API uint64_t rk_plan_expert_data(const struct rk_plan *plan);

/* Ranks that share one copy of optimizer state, of dense weights and of experts' weights. */
RK_API uint64_t rk_plan_shards(const struct rk_plan *plan);
RK_API uint64_t rk_plan_expert_shards(const struct rk_plan *plan);

/* Blocks of virtual stage `i` (of p * v, in model order). */
RK_API uint64_t rk_plan_split(const struct rk_plan *plan, const struct rk_model *model, uint64_t i);

/* Names as files and flags spell them; NULL outside the range. */
RK_API const char *rk_framework_name(enum rk_framework framework);
RK_API const char *rk_precision_name(enum rk_precision precision);
RK_API const char *rk_schedule_name(enum rk_schedule schedule);
RK_API const char *rk_recompute_mode_name(enum rk_recompute_mode mode);
RK_API const char *rk_part_name(enum rk_part part);
RK_API const char *rk_context_kind_name(enum rk_context_kind kind);
RK_API const char *rk_attention_kernel_name(enum rk_attention_kernel kernel);
RK_API const char *rk_dispatcher_name(enum rk_dispatcher dispatcher);

#ifdef __cplusplus
}
#endif
#endif
