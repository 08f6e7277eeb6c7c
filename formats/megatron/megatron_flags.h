/* megatron_flags.h - arguments of Megatron-LM that a model or a plan depends on.
 *
 * They are those of Megatron Core and those of its ancestors and relatives, from the sources of
 * Megatron-LM v1.0 to v2.6, of Megatron-DeepSpeed (microsoft, bigscience-workshop),
 * Pai-Megatron-Patch and MindSpeed-LLM.
 *
 * One table for reading, writing, version checks and help. Versions are those of Megatron Core, by
 * the minor number of 0.9 to 0.19, as found in megatron/training/arguments.py and the dataclasses
 * that it makes arguments of, at the tags core_v0.9.0 ... core_v0.19.0 [megatron-lm].
 */
#ifndef RECKON_MEGATRON_MEGATRON_FLAGS_H
#define RECKON_MEGATRON_MEGATRON_FLAGS_H

#include <stdbool.h>

enum { MEGATRON_OLDEST = 9, MEGATRON_NEWEST = 19 };

/* Whose arguments they are. */
enum megatron_tool {
    MEGATRON_CORE = 1 << 0,      /* Megatron-LM on Megatron Core */
    MEGATRON_2 = 1 << 1,         /* Megatron-LM before it: 1.0 to 3.0 */
    MEGATRON_DEEPSPEED = 1 << 2, /* Megatron-DeepSpeed */
    MEGATRON_PAI = 1 << 3,       /* Pai-Megatron-Patch */
    MEGATRON_MINDSPEED = 1 << 4,
    MEGATRON_LLM = 1 << 5, /* Megatron-LLM of EPFL, whose arguments have underscores */
    MEGATRON_OLD = MEGATRON_2 | MEGATRON_DEEPSPEED | MEGATRON_LLM
};

enum megatron_kind {
    MEGATRON_SWITCH, /* no value */
    MEGATRON_COUNT,  /* a whole number */
    MEGATRON_COUNTS, /* one or more whole numbers, all the same */
    MEGATRON_NUMBER,
    MEGATRON_WORD,   /* any text, or one of the choices */
    MEGATRON_PATH,   /* any text, which may be missing or unknown */
    MEGATRON_LIST,   /* one or more words, each of the choices */
    MEGATRON_REFUSED /* makes a model or a run that plans do not describe */
};

/* Relatives have more. */
#define MEGATRON_TOKENIZERS                                                                        \
    "BertWordPieceLowerCase|BertWordPieceCase|GPT2BPETokenizer|SentencePieceTokenizer|"            \
    "GPTSentencePieceTokenizer|HuggingFaceTokenizer|Llama2Tokenizer|Llama3Tokenizer|"              \
    "MistralTokenizer|TikTokenizer|MultimodalTokenizer|NullTokenizer|NullMultimodalTokenizer|"     \
    "SFTTokenizer;*"

/* clang-format off */
/* X(id, name, kind, since, until, choices, sets): until 0: still there. Choices are Core's and,
 * after a semicolon, those of its relatives; *: any. */
#define MEGATRON_FLAGS(X) \
    /* the model */ \
    X(NUM_LAYERS,            "num-layers",                      COUNT,  9, 0, "", "layers") \
    X(ENCODER_NUM_LAYERS,    "encoder-num-layers",              COUNT,  9, 0, "", "layers") \
    X(HIDDEN_SIZE,           "hidden-size",                     COUNT,  9, 0, "", "hidden") \
    X(FFN_HIDDEN_SIZE,       "ffn-hidden-size",                 COUNT,  9, 0, "", "feedforward") \
    X(NUM_ATTENTION_HEADS,   "num-attention-heads",             COUNT,  9, 0, "", "heads") \
    X(KV_CHANNELS,           "kv-channels",                     COUNT,  9, 0, "", "head_dim") \
    X(GROUP_QUERY_ATTENTION, "group-query-attention",           SWITCH, 9, 0, "", "kv_heads") \
    X(NUM_QUERY_GROUPS,      "num-query-groups",                COUNT,  9, 0, "", "kv_heads") \
    X(SHARED_GATE,           "moe-shared-expert-gate",          SWITCH, 16, 0, "", "shared_gate") \
    X(ATTENTION_GATE,        "attention-output-gate",           SWITCH, 16, 0, "", "attention_gate") \
    X(ATTENTION_VARIANT,     "experimental-attention-variant",  WORD,   16, 0, "gated_delta_net|gdn|gdn2|dsa;*", "recurrence") \
    X(LINEAR_FREQ,           "linear-attention-freq",           WORD,   16, 0, "", "mixers") \
    X(LINEAR_CONV,           "linear-conv-kernel-dim",          COUNT,  16, 0, "", "convolution") \
    X(LINEAR_KEY_DIM,        "linear-key-head-dim",             COUNT,  16, 0, "", "state") \
    X(LINEAR_VALUE_DIM,      "linear-value-head-dim",           COUNT,  16, 0, "", "recurrent_dim") \
    X(LINEAR_KEY_HEADS,      "linear-num-key-heads",            COUNT,  16, 0, "", "recurrent_groups") \
    X(LINEAR_VALUE_HEADS,    "linear-num-value-heads",          COUNT,  16, 0, "", "recurrent_heads") \
    X(SEQ_LENGTH,            "seq-length",                      COUNT,  9, 0, "", "sequence") \
    X(ENCODER_SEQ_LENGTH,    "encoder-seq-length",              COUNT,  9, 0, "", "sequence") \
    X(MAX_POSITIONS,         "max-position-embeddings",         COUNT,  9, 0, "", "learned positions") \
    X(POSITION_TYPE,         "position-embedding-type",         WORD,   9, 0, "learned_absolute|rope|mrope|yarn|relative|none;absolute|rotary|alibi", "position") \
    X(USE_ROTARY,            "use-rotary-position-embeddings",  SWITCH, 9, 0, "", "position") \
    X(SWIGLU,                "swiglu",                          SWITCH, 9, 0, "", "gated_mlp, activation") \
    X(QUICK_GEGLU,           "quick-geglu",                     SWITCH, 15, 0, "", "gated_mlp, activation") \
    X(SQUARED_RELU,          "squared-relu",                    SWITCH, 9, 0, "", "activation") \
    X(NORMALIZATION,         "normalization",                   WORD,   9, 0, "LayerNorm|RMSNorm", "norm") \
    X(DISABLE_BIAS_LINEAR,   "disable-bias-linear",             SWITCH, 9, 0, "", "biases") \
    X(ADD_QKV_BIAS,          "add-qkv-bias",                    SWITCH, 9, 0, "", "qkv_biases") \
    X(QK_LAYERNORM,          "qk-layernorm",                    SWITCH, 9, 0, "", "qk_norm") \
    X(UNTIE,                 "untie-embeddings-and-output-weights", SWITCH, 9, 0, "", "tied_embeddings") \
    X(VOCAB_SIZE,            "vocab-size",                      COUNT,  9, 0, "", "vocabulary") \
    X(PADDED_VOCAB_SIZE,     "padded-vocab-size",               COUNT,  14, 0, "", "vocabulary") \
    X(VOCAB_DIVISIBLE,       "make-vocab-size-divisible-by",    COUNT,  9, 0, "", "vocabulary_multiple") \
    X(TOKENIZER_TYPE,        "tokenizer-type",                  WORD,   9, 0, MEGATRON_TOKENIZERS, "vocabulary") \
    X(TOKENIZER_MODEL,       "tokenizer-model",                 PATH,   9, 0, "", "vocabulary") \
    X(VOCAB_FILE,            "vocab-file",                      PATH,   9, 0, "", "vocabulary") \
    X(ATTENTION_DROPOUT,     "attention-dropout",               NUMBER, 9, 0, "", "no_dropout") \
    X(HIDDEN_DROPOUT,        "hidden-dropout",                  NUMBER, 9, 0, "", "no_dropout") \
    X(WINDOW_SIZE,           "window-size",                     WORD,   15, 0, "", "window") \
    X(WINDOW_SKIP,           "window-attn-skip-freq",           WORD,   15, 0, "", "window_every") \
    X(MLA,                   "multi-latent-attention",          SWITCH, 10, 0, "", "kv_rank") \
    X(Q_LORA_RANK,           "q-lora-rank",                     COUNT,  10, 0, "", "q_rank") \
    X(KV_LORA_RANK,          "kv-lora-rank",                    COUNT,  10, 0, "", "kv_rank") \
    X(QK_HEAD_DIM,           "qk-head-dim",                     COUNT,  10, 0, "", "head_dim") \
    X(QK_POS_HEAD_DIM,       "qk-pos-emb-head-dim",             COUNT,  10, 0, "", "rope_dim") \
    X(V_HEAD_DIM,            "v-head-dim",                      COUNT,  10, 0, "", "value_dim") \
    X(MTP_NUM_LAYERS,        "mtp-num-layers",                  COUNT,  12, 0, "", "predict_layers") \
    /* experts */ \
    X(NUM_EXPERTS,           "num-experts",                     COUNTS, 9, 0, "", "experts") \
    X(TOPK,                  "moe-router-topk",                 COUNT,  9, 0, "", "active_experts") \
    X(MOE_FFN,               "moe-ffn-hidden-size",             COUNT,  10, 0, "", "expert_feedforward") \
    X(MOE_SHARED,            "moe-shared-expert-intermediate-size", COUNT, 10, 0, "", "shared_experts") \
    X(MOE_LAYER_FREQ,        "moe-layer-freq",                  WORD,   10, 0, "", "dense_layers, expert_every") \
    X(SCORE_FUNCTION,        "moe-router-score-function",       WORD,   11, 0, "softmax|sigmoid|sqrtsoftplus", "how experts are chosen") \
    X(ROUTER_GROUPS,         "moe-router-num-groups",           COUNT,  11, 0, "", "how experts are chosen") \
    X(ROUTER_GROUP_TOPK,     "moe-router-group-topk",           COUNT,  11, 0, "", "how experts are chosen") \
    X(ROUTER_SCALING,        "moe-router-topk-scaling-factor",  NUMBER, 11, 0, "", "how experts are weighed") \
    X(ROTARY_BASE,           "rotary-base",                     NUMBER, 9, 0, "", "numbers, not work") \
    X(ROPE_SCALING,          "use-rope-scaling",                SWITCH, 10, 0, "", "numbers, not work") \
    X(ROPE_SCALING_FACTOR,   "rope-scaling-factor",             NUMBER, 11, 0, "", "numbers, not work") \
    X(NORM_EPSILON,          "norm-epsilon",                    NUMBER, 9, 0, "", "numbers, not work") \
    X(EXPERT_BIAS,           "moe-router-enable-expert-bias",   SWITCH, 11, 0, "", "router_biases") \
    X(GROUPED_GEMM,          "moe-grouped-gemm",                SWITCH, 9, 0, "", "grouped") \
    X(DISPATCHER,            "moe-token-dispatcher-type",       WORD,   9, 0, "allgather|alltoall|alltoall_seq|flex", "dispatcher") \
    X(DEEPEP,                "moe-enable-deepep",               SWITCH, 12, 0, "", "dispatcher") \
    X(FLEX_BACKEND,          "moe-flex-dispatcher-backend",     WORD,   16, 0, "deepep|hybridep", "dispatcher") \
    X(CAPACITY_FACTOR,       "moe-expert-capacity-factor",      NUMBER, 9, 0, "", "capacity_factor") \
    X(PAD_CAPACITY,          "moe-pad-expert-input-to-capacity", SWITCH, 9, 0, "", "capacity_padded") \
    X(SHARED_OVERLAP,        "moe-shared-expert-overlap",       SWITCH, 10, 0, "", "overlap of shared experts with the all-to-all") \
    X(EP_OVERLAP,            "overlap-moe-expert-parallel-comm", SWITCH, 14, 0, "", "expert_overlap") \
    X(MOE_LAYER_RECOMPUTE,   "moe-layer-recompute",             SWITCH, 9, 0, "", "recompute_parts") \
    /* degrees */ \
    X(TP,                    "tensor-model-parallel-size",      COUNT,  9, 0, "", "tensor") \
    X(PP,                    "pipeline-model-parallel-size",    COUNT,  9, 0, "", "pipeline") \
    X(CP,                    "context-parallel-size",           COUNT,  9, 0, "", "context") \
    X(EP,                    "expert-model-parallel-size",      COUNT,  9, 0, "", "expert") \
    X(ETP,                   "expert-tensor-parallel-size",     COUNT,  10, 0, "", "expert_tensor") \
    X(SP,                    "sequence-parallel",               SWITCH, 9, 0, "", "sequence_parallel") \
    X(TP_PP_DP,              "use-tp-pp-dp-mapping",            SWITCH, 9, 0, "", "order") \
    X(TP_OVERLAP,            "tp-comm-overlap",                 SWITCH, 9, 0, "", "tensor_overlap") \
    X(CP_COMM,               "cp-comm-type",                    LIST,   10, 0, "p2p|a2a|all_gather|allgather|a2a+p2p", "context_kind") \
    X(CP_SIZES,              "hierarchical-context-parallel-sizes", LIST, 10, 0, "", "ulysses") \
    /* pipeline */ \
    X(LAYERS_PER_VP,         "num-layers-per-virtual-pipeline-stage", COUNT, 9, 0, "", "chunks") \
    X(VP_STAGES,             "num-virtual-stages-per-pipeline-rank", COUNT, 11, 0, "", "chunks") \
    X(VP_GROUP,              "microbatch-group-size-per-virtual-pipeline-stage", COUNT, 10, 0, "", "microbatch_group") \
    X(FIRST_LAYERS,          "decoder-first-pipeline-num-layers", COUNT, 9, 0, "", "first_layers") \
    X(LAST_LAYERS,           "decoder-last-pipeline-num-layers", COUNT, 9, 0, "", "last_layers") \
    X(COUNT_EMBEDDING,       "account-for-embedding-in-pipeline-split", SWITCH, 11, 0, "", "embedding_counts") \
    X(COUNT_LOSS,            "account-for-loss-in-pipeline-split", SWITCH, 11, 0, "", "head_counts") \
    X(LAYOUT,                "pipeline-model-parallel-layout",  WORD,   13, 0, "", "split") \
    X(NO_P2P_OVERLAP,        "no-overlap-p2p-communication",    SWITCH, 9, 0, "", "pipeline_blocking") \
    /* data */ \
    X(DIST_OPT,              "use-distributed-optimizer",       SWITCH, 9, 0, "", "zero") \
    X(DIST_OPT_INSTANCES,    "num-distributed-optimizer-instances", COUNT, 10, 0, "", "shard_ranks") \
    X(TORCH_FSDP2,           "use-torch-fsdp2",                 SWITCH, 10, 0, "", "framework, zero") \
    X(FSDP2_NO_RESHARD,      "torch-fsdp2-no-reshard-after-forward", SWITCH, 13, 0, "", "keep_gathered") \
    X(CUSTOM_FSDP,           "use-custom-fsdp",                 SWITCH, 12, 13, "", "zero") \
    X(MEGATRON_FSDP,         "use-megatron-fsdp",               SWITCH, 14, 0, "", "zero") \
    X(SHARDING,              "data-parallel-sharding-strategy", WORD,   12, 0, "no_shard|optim|optim_grads|optim_grads_params", "zero") \
    X(OUTER_SHARDING,        "outer-dp-sharding-strategy",      WORD,   16, 0, "no_shard|optim", "shard_ranks") \
    X(GRAD_OVERLAP,          "overlap-grad-reduce",             SWITCH, 9, 0, "", "gradient_overlap") \
    X(PARAM_OVERLAP,         "overlap-param-gather",            SWITCH, 9, 0, "", "weight_overlap") \
    X(GRADS_FP32,            "accumulate-allreduce-grads-in-fp32", SWITCH, 9, 0, "", "gradient_bytes") \
    X(GRAD_REDUCE_BF16,      "grad-reduce-in-bf16",             SWITCH, 12, 0, "", "gradient_bytes") \
    X(NO_GRAD_FUSION,        "no-gradient-accumulation-fusion", SWITCH, 9, 0, "", "needed by --use-torch-fsdp2") \
    X(CKPT_FORMAT,           "ckpt-format",                     WORD,   9, 0, "torch|torch_dist|zarr|torch_dcp|fsdp_dtensor", "needed by FSDP") \
    /* batch */ \
    X(MICRO_BATCH,           "micro-batch-size",                COUNT,  9, 0, "", "microbatch") \
    X(GLOBAL_BATCH,          "global-batch-size",               COUNT,  9, 0, "", "batch") \
    X(RAMPUP,                "rampup-batch-size",               LIST,   9, 0, "", "batch of the first steps") \
    /* recomputation, offload */ \
    X(RECOMPUTE_ACTIVATIONS, "recompute-activations",           SWITCH, 9, 0, "", "recompute") \
    X(RECOMPUTE_GRANULARITY, "recompute-granularity",           WORD,   9, 0, "full|selective", "recompute") \
    X(RECOMPUTE_METHOD,      "recompute-method",                WORD,   9, 0, "uniform|block", "recompute") \
    X(RECOMPUTE_NUM_LAYERS,  "recompute-num-layers",            COUNT,  9, 0, "", "recompute_layers, recompute_every") \
    X(RECOMPUTE_MODULES,     "recompute-modules",               LIST,   12, 0, "core_attn|moe_act|layernorm|mla_up_proj|mlp|moe|shared_experts", "recompute_parts") \
    X(DISTRIBUTE_SAVED,      "distribute-saved-activations",    SWITCH, 9, 0, "", "checkpoint_sharded") \
    X(CPU_OFFLOAD_LAYERS,    "cpu-offloading-num-layers",       COUNT,  16, 0, "", "activation_offload") \
    X(FINE_OFFLOAD,          "fine-grained-activation-offloading", SWITCH, 16, 0, "", "activation_offload") \
    X(OFFLOAD_MODULES,       "offload-modules",                 LIST,   16, 0, "attn_norm|qkv_linear|core_attn|attn_proj|mlp_norm|expert_fc1|moe_act", "activation_offload") \
    X(OPT_OFFLOAD,           "optimizer-cpu-offload",           SWITCH, 12, 0, "", "optimizer_offload") \
    X(OPT_OFFLOAD_FRACTION,  "optimizer-offload-fraction",      NUMBER, 12, 0, "", "optimizer_offload") \
    /* precision */ \
    X(BF16,                  "bf16",                            SWITCH, 9, 0, "", "precision") \
    X(FP16,                  "fp16",                            SWITCH, 9, 0, "", "precision") \
    X(FP8_FORMAT,            "fp8-format",                      WORD,   9, 0, "e4m3|hybrid", "precision") \
    X(FP8_RECIPE,            "fp8-recipe",                      WORD,   12, 0, "tensorwise|delayed|mxfp8|blockwise|custom", "precision") \
    X(FP8_PARAM_GATHER,      "fp8-param-gather",                SWITCH, 9, 0, "", "weights_fp8") \
    X(FP4_FORMAT,            "fp4-format",                      WORD,   15, 0, "e2m1", "precision") \
    X(FP4_RECIPE,            "fp4-recipe",                      WORD,   15, 0, "nvfp4|custom", "precision") \
    X(FP4_PARAM_GATHER,      "fp4-param-gather",                SWITCH, 15, 0, "", "weights") \
    X(FIRST_LAST_BF16,       "first-last-layers-bf16",          SWITCH, 12, 0, "", "precision of the first and last layer") \
    X(PRECISION_AWARE,       "use-precision-aware-optimizer",   SWITCH, 11, 0, "", "bytes of the optimizer") \
    X(MAIN_GRADS,            "main-grads-dtype",                WORD,   11, 0, "fp32|bf16", "gradient_bytes") \
    X(MAIN_PARAMS,           "main-params-dtype",               WORD,   11, 0, "fp32|fp16", "master_bytes") \
    X(EXP_AVG,               "exp-avg-dtype",                   WORD,   11, 0, "fp32|fp16|bf16|fp8", "moment1_bytes") \
    X(EXP_AVG_SQ,            "exp-avg-sq-dtype",                WORD,   11, 0, "fp32|fp16|bf16|fp8", "moment2_bytes") \
    X(OPTIMIZER,             "optimizer",                       WORD,   9, 0, "adam|sgd|muon|dist_muon|lion|soap|adaptive_muon;hybridadam|cpu-adam|adamw|fusedadamw|fusedadam", "optimizer") \
    X(DEFER_WGRAD,           "defer-embedding-wgrad-compute",   SWITCH, 9, 0, "", "deferred_wgrad") \
    X(DEFERRAL_LIMIT,        "wgrad-deferral-limit",            COUNT,  9, 0, "", "deferred_wgrad") \
    X(BUCKET_SIZE,           "ddp-bucket-size",                 COUNT,  9, 0, "", "bucket") \
    /* kernels */ \
    X(TRANSFORMER_IMPL,      "transformer-impl",                WORD,   9, 0, "local|transformer_engine|inference_optimized", "attention") \
    X(FLASH_ATTN,            "use-flash-attn",                  SWITCH, 9, 0, "", "attention") \
    X(ATTENTION_BACKEND,     "attention-backend",               WORD,   11, 0, "flash|fused|unfused|local|auto", "attention") \
    X(ENABLE_CUDA_GRAPH,     "enable-cuda-graph",               SWITCH, 11, 0, "", "cuda_graphs") \
    X(EXTERNAL_CUDA_GRAPH,   "external-cuda-graph",             SWITCH, 12, 0, "", "cuda_graphs") \
    X(CUDA_GRAPH_IMPL,       "cuda-graph-impl",                 WORD,   15, 0, "none|local|transformer_engine|full_iteration", "cuda_graphs") \
    X(CUDA_GRAPH_SCOPE,      "cuda-graph-scope",                LIST,   12, 0, "full|full_iteration|attn|mlp|mamba|moe|moe_router|moe_preprocess|full_iteration_inference", "graph_parts") \
    X(CUDA_GRAPH_MODULES,    "cuda-graph-modules",              LIST,   18, 0, "full_iteration|attn|mlp|mamba|moe|moe_router|moe_preprocess|full_iteration_inference", "graph_parts") \
    X(NO_SWIGLU_FUSION,      "no-bias-swiglu-fusion",           SWITCH, 9, 0, "", "activation_fused") \
    X(NO_GELU_FUSION,        "no-bias-gelu-fusion",             SWITCH, 9, 0, "", "activation_fused") \
    X(ACTIVATION_FP8,        "activation-func-fp8-input-store", SWITCH, 16, 0, "", "activation_fp8") \
    X(ATTENTION_FP8,         "fp8-dot-product-attention",       SWITCH, 9, 0, "", "attention_fp8") \
    X(NO_ROPE_FUSION,        "no-rope-fusion",                  SWITCH, 9, 0, "", "fused") \
    X(CROSS_ENTROPY_FUSION,  "cross-entropy-loss-fusion",       SWITCH, 9, 0, "", "loss_compiled") \
    X(CROSS_ENTROPY_IMPL,    "cross-entropy-fusion-impl",       WORD,   12, 0, "native|te", "loss_in_place") \
    /* what plans do not describe */ \
    X(YAML_CFG,              "yaml-cfg",                        REFUSED, 9, 0, "", "its own file of arguments: give them as flags") \
    X(ENCODER_PP,            "encoder-pipeline-model-parallel-size", REFUSED, 9, 13, "", "a model of encoder and decoder") \
    X(ENCODER_TP,            "encoder-tensor-model-parallel-size", REFUSED, 9, 13, "", "a model of encoder and decoder") \
    X(SPLIT_RANK,            "pipeline-model-parallel-split-rank", REFUSED, 9, 13, "", "a model of encoder and decoder") \
    X(DECODER_NUM_LAYERS,    "decoder-num-layers",              REFUSED, 9, 0, "", "a model of encoder and decoder") \
    X(IS_HYBRID,             "is-hybrid-model",                 REFUSED, 12, 0, "", "state space layers") \
    X(HYBRID_ATTENTION,      "hybrid-attention-ratio",          REFUSED, 9, 16, "", "state space layers") \
    X(HYBRID_PATTERN,        "hybrid-override-pattern",         REFUSED, 9, 0, "", "state space layers") \
    X(HETEROGENEOUS,         "heterogeneous-layers-config-path", REFUSED, 12, 0, "", "layers that differ one by one") \
    X(HYBRID_CP,             "hybrid-context-parallel",         REFUSED, 16, 0, "", "context parallelism that differs by sample") \
    X(MOE_LATENT,            "moe-latent-size",                 REFUSED, 16, 0, "", "projections around the experts")

/* X(id, name, kind, tools, choices, sets): arguments that Megatron Core never had */
#define MEGATRON_ELSEWHERE(X) \
    X(DEEPSPEED,             "deepspeed",                       SWITCH, MEGATRON_DEEPSPEED, "", "framework") \
    X(DEEPSPEED_CONFIG,      "deepspeed_config",                PATH,   MEGATRON_DEEPSPEED, "", "zero") \
    X(ZERO_STAGE,            "zero-stage",                      NUMBER, MEGATRON_DEEPSPEED, "", "zero") \
    X(DS_SEQUENCE,           "ds-sequence-parallel-size",       COUNT,  MEGATRON_DEEPSPEED, "", "context, context_kind") \
    X(FPDT,                  "ds-sequence-parallel-fpdt",       SWITCH, MEGATRON_DEEPSPEED, "", "sequence_chunks, loss_in_chunks") \
    X(FPDT_CHUNK,            "ds-sequence-parallel-fpdt-chunk-size", COUNT, MEGATRON_DEEPSPEED, "", "sequence_chunks") \
    X(FPDT_OFFLOADING,       "ds-sequence-parallel-fpdt-offloading", SWITCH, MEGATRON_DEEPSPEED, "", "sequence_chunks") \
    X(CHECKPOINT_ACTIVATIONS, "checkpoint-activations",         SWITCH, MEGATRON_OLD, "", "recompute") \
    X(DS_CHECKPOINTING,      "deepspeed-activation-checkpointing", SWITCH, MEGATRON_DEEPSPEED, "", "whose function recomputes") \
    X(PARTITION_ACTIVATIONS, "partition-activations",           SWITCH, MEGATRON_DEEPSPEED, "", "checkpoint_sharded") \
    X(CHECKPOINT_IN_CPU,     "checkpoint-in-cpu",               SWITCH, MEGATRON_DEEPSPEED, "", "activation_offload") \
    X(NUM_KV_HEADS,          "num-key-value-heads",             COUNT,  MEGATRON_DEEPSPEED, "", "kv_heads") \
    X(HEAD_TYPE,             "attention-head-type",             WORD,   MEGATRON_2, "multihead|multiquery", "kv_heads") \
    X(EXPERT_INTERVAL,       "expert-interval",                 COUNT,  MEGATRON_DEEPSPEED, "", "expert_every") \
    X(MLP_TYPE,              "mlp-type",                        WORD,   MEGATRON_DEEPSPEED, "standard|residual", "an MLP in parallel to experts") \
    X(ASCEND_SHARED_GATE,    "shared-expert-gate",              SWITCH, MEGATRON_MINDSPEED, "", "shared_gate") \
    X(FULL_INTERVAL,         "full-attention-interval",         COUNT,  MEGATRON_MINDSPEED, "", "mixers") \
    X(CONVOLUTION,           "mamba-d-conv",                    COUNT,  MEGATRON_MINDSPEED, "", "convolution") \
    X(NO_TOKEN_DROP,         "disable-moe-token-dropping",      SWITCH, MEGATRON_DEEPSPEED, "", "capacity_factor") \
    X(EXPERT_TENSOR,         "enable-expert-tensor-parallelism", SWITCH, MEGATRON_DEEPSPEED, "", "expert_tensor") \
    X(EMBED_NORM,            "embed-layernorm",                 SWITCH, MEGATRON_DEEPSPEED, "", "embedding_norm") \
    X(GLU,                   "glu-activation",                  WORD,   MEGATRON_OLD, "geglu|liglu|reglu|swiglu", "gated_mlp, activation") \
    X(PAD_VOCAB_TO,          "pad-vocab-size-to",               COUNT,  MEGATRON_DEEPSPEED, "", "vocabulary") \
    X(CPU_OPTIMIZER,         "cpu-optimizer",                   SWITCH, MEGATRON_DEEPSPEED, "", "optimizer_offload") \
    X(BNB_OPTIMIZER,         "use-bnb-optimizer",               SWITCH, MEGATRON_DEEPSPEED, "", "moment1_bytes, moment2_bytes") \
    X(ZBH1,                  "enable-zbh1-pipeline",            SWITCH, MEGATRON_DEEPSPEED, "", "schedule") \
    X(DDP_IMPL,              "DDP-impl",                        WORD,   MEGATRON_2, "local|torch|FSDP", "gradient_overlap") \
    X(FP32_ALLREDUCE,        "fp32-allreduce",                  SWITCH, MEGATRON_2, "", "gradient_bytes") \
    X(FP8_E4M3,              "fp8-e4m3",                        SWITCH, MEGATRON_OLD, "", "precision") \
    X(FP8_HYBRID,            "fp8-hybrid",                      SWITCH, MEGATRON_OLD, "", "precision") \
    X(TOKENIZER_NAME,        "tokenizer-name-or-path",          PATH,   MEGATRON_DEEPSPEED | MEGATRON_MINDSPEED, "", "vocabulary") \
    X(EXTRA_VOCAB,           "extra-vocab-size",                COUNT,  MEGATRON_PAI, "", "vocabulary") \
    X(SHARED_EXPERTS,        "n-shared-experts",                COUNT,  MEGATRON_MINDSPEED, "", "shared_experts") \
    X(FIRST_DENSE,           "first-k-dense-replace",           NUMBER, MEGATRON_MINDSPEED, "", "dense_layers") \
    X(CP_ALGO,               "context-parallel-algo",           WORD,   MEGATRON_MINDSPEED, "megatron_cp_algo|ulysses_cp_algo|hybrid_cp_algo|kvallgather_cp_algo", "context_kind") \
    X(ULYSSES_DEGREE,        "ulysses-degree-in-cp",            COUNT,  MEGATRON_MINDSPEED, "", "ulysses") \
    X(TP_EXTENDS_EP,         "moe-tp-extend-ep",                SWITCH, MEGATRON_MINDSPEED, "", "expert, expert_tensor") \
    X(RECOMPUTE_ACTIVATION,  "recompute-activation-function",   SWITCH, MEGATRON_MINDSPEED, "", "recompute_parts") \
    X(RECOMPUTE_NORM,        "recompute-norm",                  SWITCH, MEGATRON_MINDSPEED, "", "recompute_parts") \
    X(REUSE_FP32,            "reuse-fp32-param",                SWITCH, MEGATRON_MINDSPEED, "", "master_bytes") \
    X(ASCEND_MC2,            "use-ascend-mc2",                  SWITCH, MEGATRON_MINDSPEED, "", "tensor_overlap") \
    X(SWAP_OPTIMIZER,        "swap-optimizer",                  SWITCH, MEGATRON_MINDSPEED, "", "optimizer_offload") \
    X(GEGLU,                 "geglu",                           SWITCH, MEGATRON_MINDSPEED, "", "gated_mlp, activation") \
    X(GELU_TANH,             "gelu-tanh",                       SWITCH, MEGATRON_MINDSPEED, "", "gated_mlp, activation") \
    X(STAGE,                 "stage",                           WORD,   MEGATRON_MINDSPEED, "pt|sft|dpo", "objective") \
    X(POST_NORM,             "post-norm",                       SWITCH, MEGATRON_MINDSPEED, "", "block_norms") \
    X(SOME_WINDOWS,          "interleave-sliding-window",       COUNT,  MEGATRON_MINDSPEED, "", "window, window_every") \
    X(ATTENTION_CAP,         "attn-logit-softcapping",          NUMBER, MEGATRON_MINDSPEED, "", "attention_cap") \
    X(LOGIT_CAP,             "output-logit-softcapping",        NUMBER, MEGATRON_MINDSPEED, "", "logit_cap") \
    X(RECOMPUTE_PER_RANK,    "enable-recompute-layers-per-pp-rank", SWITCH, MEGATRON_MINDSPEED, "", "recompute_layers") \
    X(LAYER_LIST,            "num-layer-list",                  WORD,   MEGATRON_MINDSPEED, "", "split") \
    X(EXPERTS_BY_DATA,       "moe-expert-model-parallelism",    SWITCH, MEGATRON_2, "", "expert") \
    X(ZERO_BUBBLE,           "enable-zero-bubble",              SWITCH, MEGATRON_CORE, "", "schedule") \
    X(ZERO_BUBBLE_V,         "zero-bubble-v-schedule",          SWITCH, MEGATRON_CORE, "", "schedule, chunks") \
    X(ZERO_BUBBLE_V_MEMORY,  "zero-bubble-v-schedule-mem-setup", WORD,  MEGATRON_CORE, "zb|half|min", "schedule") \
    X(RMS_NORM,              "use-rms-norm",                    SWITCH, MEGATRON_LLM, "", "norm") \
    X(USE_BIAS,              "use-bias",                        SWITCH, MEGATRON_LLM, "", "biases")
/* clang-format on */

/* Another name of an argument. */
struct megatron_alias {
    const char *name;
    int flag; /* enum megatron_flag */
    int tools;
};

enum megatron_flag {
#define MEGATRON_FLAG_ENUM(id, name, kind, since, until, choices, sets) MEGATRON_##id##_FLAG,
    MEGATRON_FLAGS(MEGATRON_FLAG_ENUM)
#undef MEGATRON_FLAG_ENUM
#define MEGATRON_FLAG_ENUM(id, name, kind, tools, choices, sets) MEGATRON_##id##_FLAG,
        MEGATRON_ELSEWHERE(MEGATRON_FLAG_ENUM)
#undef MEGATRON_FLAG_ENUM
            MEGATRON_FLAG_COUNT
};

struct megatron_flag_facts {
    const char *name; /* without "--" */
    enum megatron_kind kind;
    int since, until; /* minor versions; until 0: up to the newest; since 0: never in Core */
    const char *choices;
    const char *sets;
    int tools; /* enum megatron_tool of those not in Core */
};

extern const struct megatron_flag_facts megatron_flags[MEGATRON_FLAG_COUNT];

/* Index of the flag called so, with or without "--", perhaps by another name; -1: there is none.
 * *tools (may be NULL): who calls it so. */
int megatron_flag_find(const char *name, int *tools);

/* Is it in that version of core? */
bool megatron_flag_in(enum megatron_flag flag, int minor);

/* What an argument does that is in none of the tables above. */
enum megatron_effect {
    MEGATRON_NONE,         /* on shape and plan: data, logging, checkpoints, learning rates */
    MEGATRON_NOT_FOLLOWED, /* on time or memory, slightly */
    MEGATRON_NOT_COVERED   /* on both, or on the shape: such runs are refused */
};

/* Values that an argument takes. */
enum megatron_values {
    MEGATRON_NO_VALUE,
    MEGATRON_ONE_VALUE,
    MEGATRON_MANY_VALUES,
    MEGATRON_ONE_COUNT, /* a whole number, in all versions of Core */
    MEGATRON_ONE_NUMBER
};

struct megatron_other {
    const char *name;
    int values;       /* enum megatron_values */
    int since, until; /* of core; since 0: never there */
    int tools;        /* of those not in Core */
    enum megatron_effect effect;
    const char *why; /* what it changes; NULL where it has no effect */
};

/* False: its name says that it is about files, logs, data, seeds or learning rates, which change
 * neither time nor memory. */
bool megatron_name_matters(const char *name);

/* The row of data/formats/megatron.csv with that name, with underscores for dashes, too. False:
 * nothing is known of it. */
bool megatron_other_find(const char *name, struct megatron_other *other);

/* The known argument nearest to a misspelled one; NULL: none is near. */
const char *megatron_flag_nearest(const char *name);

#endif
