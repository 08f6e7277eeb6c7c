#include "megatron/bridge.h"
#include "catalog/model_fields.h"
#include "keys/target.h"
#include "megatron/megatron_args.h"
#include "plan/members.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of Megatron Core's arguments, which megatron_write.c makes of a plan: the key that says the same
 * in a ConfigContainer. */
enum kind { VALUE, ON, OFF, LIST, TEXT };

/* clang-format off */
static const struct row {
    const char *flag, *key;
    enum kind kind;
    const char *text; /* TEXT: whatever the argument's value */
} rows[] = {
    {"num-layers", "model.num_layers", VALUE, NULL},
    {"hidden-size", "model.hidden_size", VALUE, NULL},
    {"ffn-hidden-size", "model.ffn_hidden_size", VALUE, NULL},
    {"num-attention-heads", "model.num_attention_heads", VALUE, NULL},
    {"num-query-groups", "model.num_query_groups", VALUE, NULL},
    {"kv-channels", "model.kv_channels", VALUE, NULL},
    {"seq-length", "model.seq_length", VALUE, NULL},
    {"seq-length", "dataset.seq_length", VALUE, NULL},
    {"position-embedding-type", "model.position_embedding_type", VALUE, NULL},
    {"rotary-base", "model.rotary_base", VALUE, NULL},
    {"swiglu", "model.gated_linear_unit", ON, NULL},
    {"swiglu", "model.activation_func", TEXT, "silu"},
    {"normalization", "model.normalization", VALUE, NULL},
    {"norm-epsilon", "model.layernorm_epsilon", VALUE, NULL},
    {"disable-bias-linear", "model.add_bias_linear", OFF, NULL},
    {"add-qkv-bias", "model.add_qkv_bias", ON, NULL},
    {"qk-layernorm", "model.qk_layernorm", ON, NULL},
    {"untie-embeddings-and-output-weights", "model.share_embeddings_and_output_weights", OFF, NULL},
    {"attention-dropout", "model.attention_dropout", VALUE, NULL},
    {"hidden-dropout", "model.hidden_dropout", VALUE, NULL},
    {"vocab-size", "model.vocab_size", VALUE, NULL},
    {"vocab-size", "tokenizer.vocab_size", VALUE, NULL},
    {"make-vocab-size-divisible-by", "model.make_vocab_size_divisible_by", VALUE, NULL},
    {"make-vocab-size-divisible-by", "model.should_pad_vocab", TEXT, "true"},
    {"padded-vocab-size", "model.make_vocab_size_divisible_by", TEXT, "1"},
    {"mtp-num-layers", "model.mtp_num_layers", VALUE, NULL},
    {"num-experts", "model.num_moe_experts", VALUE, NULL},
    {"moe-router-topk", "model.moe_router_topk", VALUE, NULL},
    {"moe-ffn-hidden-size", "model.moe_ffn_hidden_size", VALUE, NULL},
    {"moe-shared-expert-intermediate-size", "model.moe_shared_expert_intermediate_size", VALUE, NULL},
    {"moe-layer-freq", "model.moe_layer_freq", VALUE, NULL},
    {"moe-router-score-function", "model.moe_router_score_function", VALUE, NULL},
    {"moe-router-num-groups", "model.moe_router_num_groups", VALUE, NULL},
    {"moe-router-group-topk", "model.moe_router_group_topk", VALUE, NULL},
    {"moe-router-topk-scaling-factor", "model.moe_router_topk_scaling_factor", VALUE, NULL},
    {"moe-router-enable-expert-bias", "model.moe_router_enable_expert_bias", ON, NULL},
    {"moe-grouped-gemm", "model.moe_grouped_gemm", ON, NULL},
    {"moe-token-dispatcher-type", "model.moe_token_dispatcher_type", VALUE, NULL},
    {"moe-expert-capacity-factor", "model.moe_expert_capacity_factor", VALUE, NULL},
    {"moe-pad-expert-input-to-capacity", "model.moe_pad_expert_input_to_capacity", ON, NULL},
    {"moe-shared-expert-overlap", "model.moe_shared_expert_overlap", ON, NULL},
    {"tensor-model-parallel-size", "model.tensor_model_parallel_size", VALUE, NULL},
    {"pipeline-model-parallel-size", "model.pipeline_model_parallel_size", VALUE, NULL},
    {"microbatch-group-size-per-virtual-pipeline-stage", "model.microbatch_group_size_per_vp_stage", VALUE, NULL},
    {"decoder-first-pipeline-num-layers", "model.num_layers_in_first_pipeline_stage", VALUE, NULL},
    {"decoder-last-pipeline-num-layers", "model.num_layers_in_last_pipeline_stage", VALUE, NULL},
    {"account-for-embedding-in-pipeline-split", "model.account_for_embedding_in_pipeline_split", ON, NULL},
    {"account-for-loss-in-pipeline-split", "model.account_for_loss_in_pipeline_split", ON, NULL},
    {"pipeline-model-parallel-layout", "model.pipeline_model_parallel_layout", VALUE, NULL},
    {"no-overlap-p2p-communication", "model.overlap_p2p_comm", OFF, NULL},
    {"context-parallel-size", "model.context_parallel_size", VALUE, NULL},
    {"cp-comm-type", "model.cp_comm_type", VALUE, NULL},
    {"expert-model-parallel-size", "model.expert_model_parallel_size", VALUE, NULL},
    {"expert-tensor-parallel-size", "model.expert_tensor_parallel_size", VALUE, NULL},
    {"sequence-parallel", "model.sequence_parallel", ON, NULL},
    {"tp-comm-overlap", "model.tp_comm_overlap", ON, NULL},
    {"use-tp-pp-dp-mapping", "dist.use_tp_pp_dp_mapping", ON, NULL},
    {"use-distributed-optimizer", "ddp.use_distributed_optimizer", ON, NULL},
    {"use-distributed-optimizer", "optimizer.use_distributed_optimizer", ON, NULL},
    {"num-distributed-optimizer-instances", "ddp.num_distributed_optimizer_instances", VALUE, NULL},
    {"use-megatron-fsdp", "ddp.use_megatron_fsdp", ON, NULL},
    {"use-megatron-fsdp", "dist.use_megatron_fsdp", ON, NULL},
    {"data-parallel-sharding-strategy", "ddp.data_parallel_sharding_strategy", VALUE, NULL},
    {"ckpt-format", "checkpoint.ckpt_format", VALUE, NULL},
    {"overlap-grad-reduce", "ddp.overlap_grad_reduce", ON, NULL},
    {"overlap-param-gather", "ddp.overlap_param_gather", ON, NULL},
    {"ddp-bucket-size", "ddp.bucket_size", VALUE, NULL},
    {"overlap-param-gather", "optimizer.overlap_param_gather", ON, NULL},
    {"accumulate-allreduce-grads-in-fp32", "ddp.grad_reduce_in_fp32", ON, NULL},
    {"grad-reduce-in-bf16", "ddp.grad_reduce_in_fp32", OFF, NULL},
    {"micro-batch-size", "train.micro_batch_size", VALUE, NULL},
    {"global-batch-size", "train.global_batch_size", VALUE, NULL},
    {"recompute-granularity", "model.recompute_granularity", VALUE, NULL},
    {"recompute-method", "model.recompute_method", VALUE, NULL},
    {"recompute-num-layers", "model.recompute_num_layers", VALUE, NULL},
    {"recompute-modules", "model.recompute_modules", LIST, NULL},
    {"distribute-saved-activations", "model.distribute_saved_activations", ON, NULL},
    {"optimizer-cpu-offload", "optimizer.optimizer_cpu_offload", ON, NULL},
    {"optimizer-offload-fraction", "optimizer.optimizer_offload_fraction", VALUE, NULL},
    {"cross-entropy-loss-fusion", "model.cross_entropy_loss_fusion", ON, NULL},
    {"cross-entropy-fusion-impl", "model.cross_entropy_fusion_impl", VALUE, NULL},
    {"no-bias-swiglu-fusion", "model.bias_activation_fusion", OFF, NULL},
    {"no-bias-gelu-fusion", "model.bias_activation_fusion", OFF, NULL},
    {"fp8-dot-product-attention", "model.fp8_dot_product_attention", ON, NULL},
    {"activation-func-fp8-input-store", "model.activation_func_fp8_input_store", ON, NULL},
    {"no-rope-fusion", "model.apply_rope_fusion", OFF, NULL},
    {"cuda-graph-impl", "model.cuda_graph_impl", VALUE, NULL},
    {"cuda-graph-scope", "model.cuda_graph_scope", LIST, NULL},
    {"no-check-for-nan-in-loss-and-grad", "rerun_state_machine.check_for_nan_in_loss", OFF, NULL},
    {"no-check-for-nan-in-loss-and-grad", "ddp.check_for_nan_in_grad", OFF, NULL},
};

/* Its recipes of mixed precision; NULL: it has none. */
static const char *const mixed[RK_PRECISIONS] = {
    [RK_BF16] = "bf16_mixed", [RK_FP16] = "fp16_mixed",
    [RK_FP8_DELAYED] = "bf16_with_fp8_delayed_scaling_mixed",
    [RK_FP8_CURRENT] = "bf16_with_fp8_current_scaling_mixed",
    [RK_MXFP8] = "bf16_with_mxfp8_mixed",
    [RK_FP8_BLOCK] = "bf16_with_fp8_subchannel_scaling_mixed",
    [RK_NVFP4] = "bf16_with_nvfp4_mixed",
};
/* clang-format on */

enum { MOST_WORDS = 512, CORE_VERSION = 16 };

static void write_row(FILE *file, const struct row *row, const char *value)
{
    fprintf(file, "%s: ", row->key);
    if (row->kind == ON || row->kind == OFF)
        fputs(row->kind == ON ? "true" : "false", file);
    else if (row->kind == TEXT)
        fputs(row->text, file);
    else if (row->kind == LIST) {
        putc('[', file);
        for (; *value; value++)
            putc(*value == ' ' ? ',' : *value, file);
        putc(']', file);
    } else {
        fputs(value, file);
    }
    putc('\n', file);
}

static void write_rows(FILE *file, const struct rk_model *model, const struct rk_plan *plan)
{
    char *words[MOST_WORDS];
    const size_t count = megatron_run_words(model, plan, CORE_VERSION, words, MOST_WORDS);
    bool fused = false, layout = false;
    for (size_t i = 0; i + 1 < count; i += 2) {
        fused |= strcmp(words[i], "--cross-entropy-loss-fusion") == 0;
        layout |= strcmp(words[i], "--pipeline-model-parallel-layout") == 0;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (strcmp(words[i] + 2, rows[k].flag) == 0) write_row(file, &rows[k], words[i + 1]);
    }
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    if (plan->chunks > 1 && !layout)
        fprintf(file, "model.virtual_pipeline_model_parallel_size: %" PRIu64 "\n", plan->chunks);
    if (!fused) fputs("model.cross_entropy_loss_fusion: false\n", file); /* its preset is true */
    if (mixed[plan->precision]) fprintf(file, "mixed_precision: %s\n", mixed[plan->precision]);
    fputs("train.train_iters: 20\n", file);
}

void bridge_write_model(FILE *file, const struct rk_model *model)
{
    struct rk_plan plan = plan_of_framework(RK_MEGATRON);
    plan.ranks = plan.batch = 1;
    write_rows(file, model, &plan);
}

static void write_file(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                       uint64_t gpus_per_node)
{
    (void)gpus_per_node;
    write_rows(file, m, p);
}

static void write_head(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    (void)m;
    (void)p;
    fprintf(file,
            "# Overrides of Megatron-Bridge 0.5, written by reckon %s, for\n"
            "# torchrun ... " BRIDGE_COMMAND "\n",
            RECKON_VERSION);
}

static const char *const outside[] = {"imbalance", NULL};
static const char *const conventions[] = {
    "sequence",    "flash_attention", "causal_skip",    "count_embeddings",
    "rotary_base", "norm_epsilon",    "router_scaling", NULL};

const struct target bridge_target = {.name = "Megatron-Bridge",
                                     .file = BRIDGE_FILE,
                                     .who = BY_BRIDGE,
                                     .write = write_file,
                                     .head = write_head,
                                     .read = nemo_read,
                                     .given_gpus = true,
                                     .outside = outside,
                                     .conventions = conventions};
