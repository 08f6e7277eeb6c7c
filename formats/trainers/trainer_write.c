/* trainer_write.c - plans of fine-tuning as configurations of axolotl, LLaMA-Factory, trl and
 * torchtune. Keys: as trainer.c, trainer_tuning.h and torchtune.c read them back. */
#include "keys/target.h"
#include "trainers/sample_lengths.h"

#include <inttypes.h>
#include <string.h>

/* ---- what they share ---- */

static const char *yes(bool flag)
{
    return flag ? "true" : "false";
}

static uint64_t accumulation(const struct rk_plan *p)
{
    return p->batch / (p->microbatch * rk_plan_data(p));
}

static uint64_t tokens_of(const struct rk_model *m, const struct rk_plan *p)
{
    return p->sequence ? p->sequence : m->sequence;
}

static bool offloaded(const struct rk_plan *p, enum rk_share share)
{
    return rk_plan_offloaded(p, share) > 0;
}

static const char *attention(const struct rk_plan *p)
{
    return p->attention == RK_FLASH_3 ? "flash_attention_3"
           : p->attention == RK_FLASH ? "sdpa"
                                      : "eager";
}

/* clang-format off */
/* Hugging Face's names (transformers, training_args.py, OptimizerNames) and torchtune's components. */
static const struct {
    const char *trainer, *paged, *torchtune, *paged_torchtune;
} optimizers[RK_OPTIMIZERS] = {
    [RK_ADAM]      = {"adamw_torch_fused", "paged_adamw_32bit", "torch.optim.AdamW",            "bitsandbytes.optim.PagedAdamW"},
    [RK_ADAM_8BIT] = {"adamw_bnb_8bit",    "paged_adamw_8bit",  "bitsandbytes.optim.AdamW8bit", "bitsandbytes.optim.PagedAdamW8bit"},
    [RK_ADAM_4BIT] = {"adamw_torch_4bit",  NULL,                "torchao.optim.AdamW4bit",      NULL},
    [RK_ADAFACTOR] = {"adafactor",         NULL,                "torch.optim.Adafactor",        NULL},
    [RK_LION]      = {"lion_32bit",        "paged_lion_32bit",  "bitsandbytes.optim.Lion",      NULL},
    [RK_SGD]       = {"sgd",               NULL,                "torch.optim.SGD",              NULL},
    [RK_GALORE]    = {"galore_adamw",      NULL,                NULL,                           NULL},
    [RK_APOLLO]    = {"apollo_adamw",      NULL,                NULL,                           NULL},
};

static const char *const modules[RK_TARGETS] = { /* of Llama and its kin */
    [RK_TARGET_Q] = "q_proj", [RK_TARGET_K] = "k_proj", [RK_TARGET_V] = "v_proj", [RK_TARGET_QKV] = "qkv_proj", [RK_TARGET_O] = "o_proj",
    [RK_TARGET_GATE] = "gate_proj", [RK_TARGET_UP] = "up_proj", [RK_TARGET_DOWN] = "down_proj", [RK_TARGET_HEAD] = "lm_head",
};
/* clang-format on */

static const char *optimizer(const struct rk_plan *p)
{
    const char *paged = p->optimizer_paged ? optimizers[p->optimizer].paged : NULL;
    const char *plain = optimizers[p->optimizer].trainer;
    return paged                                        ? paged
           : p->optimizer == RK_ADAM && p->foreach_step ? "adamw_torch"
           : plain                                      ? plain
                                                        : "adamw_torch_fused";
}

/* "q_proj, v_proj" */
static void write_modules(FILE *file, const struct rk_plan *p)
{
    const char *between = "";
    for (int i = 0; i < RK_TARGETS; i++)
        if (p->lora_targets & 1u << i) {
            fprintf(file, "%s%s", between, modules[i]);
            between = ", ";
        }
}

/* `key` and the modules that are trained whole next to adapters, if there are any. */
static void write_whole(FILE *file, const struct rk_plan *p, const char *key, const char *open,
                        const char *close)
{
    static const char *const names[RK_ENDS] = {"embed_tokens", "lm_head"};
    const char *between = open;
    if (!p->lora_whole) return;
    fprintf(file, "%s", key);
    for (int i = 0; i < RK_ENDS; i++)
        if (p->lora_whole & 1u << i) {
            fprintf(file, "%s%s", between, names[i]);
            between = ", ";
        }
    fprintf(file, "%s\n", close);
}

static void write_types(FILE *file, const struct rk_plan *p, const char *bf16)
{
    fprintf(file, "bf16: %s\nfp16: %s\ntf32: %s\n", bf16, yes(p->precision == RK_FP16),
            yes(p->precision == RK_TF32));
}

static void write_precision(FILE *file, const struct rk_plan *p)
{
    write_types(file, p, yes(p->precision != RK_FP16 && p->precision > RK_TF32));
}

/* TrainingArguments take both as mappings. */
static void write_sharding(FILE *file, const struct rk_plan *p)
{
    if (p->framework == RK_DEEPSPEED) {
        fprintf(file,
                "deepspeed:\n  train_micro_batch_size_per_gpu: %" PRIu64
                "\n  gradient_accumulation_steps: %" PRIu64 "\n  bf16:\n    enabled: %s\n"
                "  zero_optimization:\n    stage: %d\n",
                p->microbatch, accumulation(p), yes(p->precision == RK_BF16), p->zero);
        if (p->zero && offloaded(p, RK_SHARE_OPTIMIZER))
            fprintf(file, "    offload_optimizer:\n      device: cpu\n");
        if (p->zero == 3 && offloaded(p, RK_SHARE_WEIGHTS))
            fprintf(file, "    offload_param:\n      device: cpu\n");
        return;
    }
    if (!p->zero) return;
    fprintf(file,
            "fsdp: %s auto_wrap%s\nfsdp_config:\n  version: %d\n  reshard_after_forward: %s\n",
            p->keep_gathered ? "shard_grad_op" : "full_shard",
            offloaded(p, RK_SHARE_WEIGHTS) ? " offload" : "", p->flat_units ? 1 : 2,
            yes(!p->keep_gathered));
}

static void write_checkpoints(FILE *file, const struct rk_plan *p)
{
    fprintf(file, "gradient_checkpointing: %s\n", yes(p->recompute == RK_WHOLE));
    if (p->recompute == RK_WHOLE)
        fprintf(file, "gradient_checkpointing_kwargs:\n  use_reentrant: %s\n",
                yes(p->recompute_to_end));
}

/* Are weights and what is trained kept in 16 bits? */
static bool is_narrow(const struct rk_plan *p)
{
    return p->precision > RK_TF32 &&
           (p->lora ? p->weight_element_bytes < 4 : p->weight_element_bytes == 2);
}

/* Of axolotl alone: without mixed precision, so that FSDP casts no weight to fp32. */
static void write_axolotl_precision(FILE *file, const struct rk_plan *p)
{
    if (p->framework == RK_FSDP && p->precision == RK_BF16 && is_narrow(p) && !p->lora)
        write_types(file, p, "full");
    else
        write_precision(file, p);
}

static const char *objective(const struct rk_plan *p)
{
    return p->objective == RK_NEXT_TOKEN ? "sft" : rk_objective_name(p->objective);
}

/* What each tool's own example of the objective trains on, and at which rate: all weights, and
 * adapters. */
struct lesson {
    const char *data, *all, *adapters;
};

/* clang-format off */
static const struct lesson
    /* axolotl: examples/llama-3/fft-8b.yaml, lora-8b.yml, instruct-dpo-lora-8b.yml, qlora-1b-kto.yaml,
     * docs/rlhf.qmd for data; its rates of all weights under preferences are trl's, whose trainers it runs */
    axolotl_lessons[RK_OBJECTIVES] = {
    [RK_NEXT_TOKEN] = {"tatsu-lab/alpaca\n    type: alpaca",                                          "2.0e-5", "2.0e-4"},
    [RK_DPO]        = {"Intel/orca_dpo_pairs\n    split: train\n    type: chatml.intel", "5.0e-7", "2.0e-4"},
    [RK_SIMPO]      = {"Intel/orca_dpo_pairs\n    split: train\n    type: chatml.intel", "8.0e-6", "8.0e-5"},
    [RK_ORPO]       = {"argilla/ultrafeedback-binarized-preferences-cleaned\n    type: chat_template.argilla", "8.0e-6", "8.0e-5"},
    [RK_KTO]        = {"argilla/ultrafeedback-binarized-preferences-cleaned-kto\n    type: llama3.ultra",    "5.0e-7", "2.0e-4"},
}, /* LLaMA-Factory: examples/train_full/llama3_full_sft.yaml, train_lora/llama3_lora_{sft,dpo,kto}.yaml */
    llama_factory_lessons[RK_OBJECTIVES] = {
    [RK_NEXT_TOKEN] = {"alpaca_en_demo", "1.0e-5", "1.0e-4"},
    [RK_DPO]        = {"dpo_en_demo",    "5.0e-7", "5.0e-6"},
    [RK_SIMPO]      = {"dpo_en_demo",    "8.0e-6", "5.0e-6"},
    [RK_ORPO]       = {"dpo_en_demo",    "8.0e-6", "5.0e-6"},
    [RK_KTO]        = {"kto_en_demo",    "5.0e-7", "5.0e-6"},
}, /* trl: the heads of trl/scripts/sft.py, dpo.py and kto.py; it has no command for the others */
    trl_lessons[RK_OBJECTIVES] = {
    [RK_NEXT_TOKEN] = {"trl-lib/Capybara",                 "2.0e-5", "2.0e-4"},
    [RK_DPO]        = {"trl-lib/ultrafeedback_binarized",  "5.0e-7", "5.0e-6"},
    [RK_KTO]        = {"trl-lib/kto-mix-14k",              "5.0e-7", "5.0e-7"},
}, /* torchtune: recipes/configs/llama3_1/8B_{full,lora,full_dpo,lora_dpo}.yaml; it has no others */
    torchtune_lessons[RK_OBJECTIVES] = {
    [RK_NEXT_TOKEN] = {"alpaca_cleaned_dataset",        "2.0e-5", "3.0e-4"},
    [RK_DPO]        = {"stack_exchange_paired_dataset", "2.0e-5", "5.0e-4"},
};
/* clang-format on */

/* Of an objective that a tool has no command for, reading back refuses the file. */
static const struct lesson *lesson_of(const struct lesson *lessons, const struct rk_plan *p)
{
    return &lessons[lessons[p->objective].data ? p->objective : RK_NEXT_TOKEN];
}

static const char *data_of(const struct lesson *lessons, const struct rk_plan *p)
{
    return lesson_of(lessons, p)->data;
}

static const char *rate_of(const struct lesson *lessons, const struct rk_plan *p)
{
    return p->lora ? lesson_of(lessons, p)->adapters : lesson_of(lessons, p)->all;
}

/* ---- axolotl ---- */

static void write_axolotl_adapters(FILE *file, const struct rk_plan *p)
{
    const bool four = p->base == RK_BASE_NF4 || p->base == RK_BASE_NF4_DQ;
    if (!p->lora) return;
    fprintf(file, "adapter: %s\nlora_r: %" PRIu64 "\nlora_alpha: %" PRIu64 "\nlora_dropout: %g\n",
            four ? "qlora" : "lora", p->lora, 2 * p->lora, p->lora_dropout);
    fprintf(file, "peft_use_dora: %s\nload_in_4bit: %s\nload_in_8bit: %s\n", yes(p->dora),
            yes(four), yes(p->base == RK_BASE_INT8));
    if (p->base == RK_BASE_GPTQ4) fprintf(file, "gptq: true\n");
    write_whole(file, p, "lora_modules_to_save: ", "[", "]");
    if (!p->lora_targets) {
        fprintf(file, "lora_target_linear: true\n");
        return;
    }
    fprintf(file, "lora_target_modules: [");
    write_modules(file, p);
    fprintf(file, "]\n");
}

static void write_axolotl(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                          uint64_t gpus_per_node)
{
    (void)gpus_per_node;
    sample_lengths_write(file, p);
    if (p->length_grouped) fprintf(file, "group_by_length: true\n");
    fprintf(file,
            "base_model: %s # your checkpoint of it\ndatasets:\n  - path: %s\n"
            "output_dir: ./out\nsequence_len: %" PRIu64
            "\nsample_packing: %s\nmicro_batch_size: %" PRIu64
            "\ngradient_accumulation_steps: %" PRIu64 "\noptimizer: %s\nlearning_rate: %s\n"
            "num_epochs: 1\nattn_implementation: %s\ntorch_compile: %s\n",
            m->id, data_of(axolotl_lessons, p), tokens_of(m, p), yes(p->packed > 0), p->microbatch,
            accumulation(p), optimizer(p), rate_of(axolotl_lessons, p), attention(p),
            yes(p->fused));
    if (p->loss_in_chunks)
        fprintf(file, "plugins:\n  - axolotl.integrations.liger.LigerPlugin\n"
                      "liger_fused_linear_cross_entropy: true\n");
    if (p->objective != RK_NEXT_TOKEN)
        fprintf(file, "rl: %s\nremove_unused_columns: false\n", objective(p));
    if (rk_plan_activations_away(p) > 0) fprintf(file, "activation_offloading: true\n");
    write_axolotl_precision(file, p);
    write_axolotl_adapters(file, p);
    write_checkpoints(file, p);
    write_sharding(file, p);
}

static void head_axolotl(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    (void)m;
    fprintf(file,
            "# axolotl 0.12 and later, written by reckon %s, for\n"
            "# torchrun --nproc-per-node %" PRIu64 " -m axolotl.cli.train axolotl.yaml\n",
            RECKON_VERSION, p->ranks);
}

/* ---- LLaMA-Factory ---- */

static void write_llama_factory_tuning(FILE *file, const struct rk_plan *p)
{
    const bool preference = p->objective >= RK_DPO && p->objective <= RK_ORPO;
    const bool four = p->base == RK_BASE_NF4 || p->base == RK_BASE_NF4_DQ;
    fprintf(file, "stage: %s\ndo_train: true\nfinetuning_type: %s\n",
            preference               ? "dpo"
            : p->objective == RK_KTO ? "kto"
                                     : "sft",
            p->lora ? "lora" : "full");
    if (preference)
        fprintf(file, "pref_loss: %s\n", p->objective == RK_DPO ? "sigmoid" : objective(p));
    if (!p->lora) return;
    fprintf(file,
            "lora_rank: %" PRIu64 "\nlora_alpha: %" PRIu64 "\nlora_dropout: %g\nuse_dora: %s\n",
            p->lora, 2 * p->lora, p->lora_dropout, yes(p->dora));
    fprintf(file, "lora_target: ");
    if (p->lora_targets)
        write_modules(file, p);
    else
        fprintf(file, "all");
    fprintf(file, "\n");
    write_whole(file, p, "additional_target: ", "", "");
    if (four || p->base == RK_BASE_INT8)
        fprintf(file, "quantization_bit: %d\nquantization_method: bnb\ndouble_quantization: %s\n",
                four ? 4 : 8, yes(p->base == RK_BASE_NF4_DQ));
}

static void write_llama_factory(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                                uint64_t gpus_per_node)
{
    (void)gpus_per_node;
    sample_lengths_write(file, p);
    if (p->length_grouped) fprintf(file, "group_by_length: true\n");
    fprintf(file,
            "model_name_or_path: %s # your checkpoint of it\ndataset: %s\n"
            "template: default\noutput_dir: ./out\ncutoff_len: %" PRIu64
            "\npacking: %s\nneat_packing: %s\nper_device_train_batch_size: %" PRIu64
            "\ngradient_accumulation_steps: %" PRIu64 "\noptim: %s\nlearning_rate: %s\n"
            "num_train_epochs: 1\nflash_attn: %s\ntorch_compile: %s\nenable_liger_kernel: %s\n",
            m->id, data_of(llama_factory_lessons, p), tokens_of(m, p), yes(p->packed > 0),
            yes(p->packed > 0), p->microbatch, accumulation(p), optimizer(p),
            rate_of(llama_factory_lessons, p),
            p->attention == RK_FLASH_3 ? "fa3"
            : p->attention == RK_FLASH ? "sdpa"
                                       : "disabled",
            yes(p->fused), yes(p->loss_in_chunks));
    write_precision(file, p);
    write_llama_factory_tuning(file, p);
    if (is_narrow(p) && !p->lora) fprintf(file, "pure_bf16: true\n");
    fprintf(file, "disable_gradient_checkpointing: %s\nuse_reentrant_gc: %s\n",
            yes(p->recompute != RK_WHOLE), yes(p->recompute_to_end));
    write_sharding(file, p);
}

static void head_llama_factory(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    (void)m;
    fprintf(file,
            "# LLaMA-Factory 0.9, written by reckon %s, for %" PRIu64 " GPUs:\n"
            "# FORCE_TORCHRUN=1 llamafactory-cli train llama-factory.yaml\n",
            RECKON_VERSION, p->ranks);
}

/* ---- trl ---- */

/* The objective is trl's command, not a key: a comment says it for who reads the file. Its trainers
 * of preferences pack no samples (DPOConfig and KTOConfig have no `packing`). */
static void write_trl_task(FILE *file, const struct rk_plan *p)
{
    struct rk_plan said = *p;
    if (p->objective != RK_NEXT_TOKEN) said.packed = 0;
    sample_lengths_write(file, &said);
    if (p->objective == RK_NEXT_TOKEN)
        fprintf(file, "packing: %s\n", yes(p->packed > 0));
    else if (trl_lessons[p->objective].data)
        objective_write(file, p);
    if (p->length_grouped) fprintf(file, "group_by_length: true\n");
}

static void write_trl_adapters(FILE *file, const struct rk_plan *p)
{
    const bool four = p->base == RK_BASE_NF4 || p->base == RK_BASE_NF4_DQ;
    if (!p->lora) return;
    fprintf(file,
            "use_peft: true\nlora_r: %" PRIu64 "\nlora_alpha: %" PRIu64
            "\nlora_dropout: %g\nuse_dora: %s\nlora_target_modules: ",
            p->lora, 2 * p->lora, p->lora_dropout, yes(p->dora));
    if (p->lora_targets) {
        fprintf(file, "[");
        write_modules(file, p);
        fprintf(file, "]\n");
    } else {
        fprintf(file, "all-linear\n");
    }
    write_whole(file, p, "lora_modules_to_save: ", "[", "]");
    fprintf(file, "load_in_4bit: %s\nload_in_8bit: %s\n", yes(four), yes(p->base == RK_BASE_INT8));
    if (four) fprintf(file, "use_bnb_nested_quant: %s\n", yes(p->base == RK_BASE_NF4_DQ));
}

static void write_trl(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                      uint64_t gpus_per_node)
{
    (void)gpus_per_node;
    write_trl_task(file, p);
    fprintf(file,
            "model_name_or_path: %s # your checkpoint of it\ndataset_name: %s\n"
            "output_dir: ./out\nmax_length: %" PRIu64 "\nper_device_train_batch_size: %" PRIu64
            "\ngradient_accumulation_steps: %" PRIu64 "\noptim: %s\nlearning_rate: %s\n"
            "num_train_epochs: 1\nattn_implementation: %s\ntorch_compile: %s\n"
            "use_liger_kernel: %s\ndtype: %s\n",
            m->id, data_of(trl_lessons, p), tokens_of(m, p), p->microbatch, accumulation(p),
            optimizer(p), rate_of(trl_lessons, p), attention(p), yes(p->fused),
            yes(p->loss_in_chunks),
            !is_narrow(p)             ? "float32"
            : p->precision == RK_FP16 ? "float16"
                                      : "bfloat16");
    write_precision(file, p);
    write_trl_adapters(file, p);
    write_checkpoints(file, p);
    write_sharding(file, p);
}

static void head_trl(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    (void)m;
    fprintf(file,
            "# trl 0.23 and later, written by reckon %s, for\n"
            "# trl %s --config trl.yaml --num_processes %" PRIu64 "\n",
            RECKON_VERSION, objective(p), p->ranks);
}

/* ---- torchtune ---- */

static void write_torchtune_adapters(FILE *file, const struct rk_plan *p)
{
    const char *between = "";
    const unsigned all = p->lora_targets ? p->lora_targets : ~(1u << RK_TARGET_HEAD);
    if (!p->lora) return;
    fprintf(file, "  lora_attn_modules: [");
    for (int i = RK_TARGET_Q; i <= RK_TARGET_O; i++)
        if (all & 1u << i && i != RK_TARGET_QKV) {
            fprintf(file, "%s%s", between, i == RK_TARGET_O ? "output_proj" : modules[i]);
            between = ", ";
        }
    fprintf(file,
            "]\n  apply_lora_to_mlp: %s\n  apply_lora_to_output: %s\n  lora_rank: %" PRIu64
            "\n  lora_alpha: %" PRIu64 "\n  lora_dropout: %g\n  use_dora: %s\n",
            yes(all & 1u << RK_TARGET_UP), yes(all & 1u << RK_TARGET_HEAD), p->lora, 2 * p->lora,
            p->lora_dropout, yes(p->dora));
}

static void write_torchtune(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                            uint64_t gpus_per_node)
{
    const bool adapters = p->lora > 0;
    const char *paged = p->optimizer_paged ? optimizers[p->optimizer].paged_torchtune : NULL;
    const char *plain = optimizers[p->optimizer].torchtune;
    (void)gpus_per_node;
    sample_lengths_write(file, p);
    fprintf(file, "model: # the builder of %s\n  _component_: torchtune.models.%sMODEL\n", m->id,
            !adapters                  ? ""
            : p->base != RK_BASE_PLAIN ? "qlora_"
                                       : "lora_");
    write_torchtune_adapters(file, p);
    fprintf(file,
            "tokenizer:\n  max_seq_len: %" PRIu64 "\ndataset:\n"
            "  _component_: torchtune.datasets.%s\n  packed: %s\n"
            "batch_size: %" PRIu64 "\ngradient_accumulation_steps: %" PRIu64
            "\noptimizer:\n  _component_: %s\n  lr: %s\n",
            tokens_of(m, p), data_of(torchtune_lessons, p), yes(p->packed > 0), p->microbatch,
            accumulation(p),
            paged   ? paged
            : plain ? plain
                    : "torch.optim.AdamW",
            rate_of(torchtune_lessons, p));
    if (!paged && p->optimizer == RK_ADAM) fprintf(file, "  fused: %s\n", yes(!p->foreach_step));
    fprintf(file,
            "optimizer_in_bwd: %s\nloss:\n  _component_: torchtune.%s\n"
            "enable_activation_checkpointing: %s\nenable_activation_offloading: %s\n"
            "compile: %s\ndtype: %s\ndevice: cuda\n",
            yes(p->step_in_backward),
            p->objective == RK_DPO      ? "rlhf.loss.DPOLoss"
            : p->loss_in_chunks         ? "modules.loss.LinearCrossEntropyLoss"
            : p->loss == RK_LOSS_COPIED ? "modules.loss.CEWithChunkedOutputLoss"
                                        : "modules.loss.CrossEntropyLoss",
            yes(p->recompute == RK_WHOLE), yes(rk_plan_activations_away(p) > 0), yes(p->fused),
            p->precision == RK_FP16   ? "fp16"
            : p->precision <= RK_TF32 ? "fp32"
                                      : "bf16");
    if (p->zero)
        fprintf(file, "fsdp_cpu_offload: %s\nfsdp_reshard_after_forward: %s\n",
                yes(offloaded(p, RK_SHARE_WEIGHTS)), yes(!p->keep_gathered));
    if (p->tensor > 1) fprintf(file, "tensor_parallel_dim: %" PRIu64 "\n", p->tensor);
    if (p->context > 1) fprintf(file, "context_parallel_dim: %" PRIu64 "\n", p->context);
}

/* There is no full_dpo_single_device (torchtune/_recipe_registry.py of 0.6). */
static void head_torchtune(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    (void)m;
    fprintf(file,
            "# torchtune 0.6, written by reckon %s, for\n"
            "# tune run --nproc_per_node %" PRIu64 " %s_%s_%s --config torchtune.yaml\n",
            RECKON_VERSION, p->ranks, p->lora ? "lora" : "full",
            p->objective == RK_DPO ? "dpo" : "finetune",
            p->ranks > 1 || (p->objective == RK_DPO && !p->lora) ? "distributed" : "single_device");
}

/* ---- all ---- */

static const char *const outside[] = {"vocabulary_multiple",
                                      "full_attention",
                                      "grouped",
                                      "imbalance",
                                      "natural_load",
                                      "gathered_copies",
                                      "compiled_rows",
                                      "gradient_overlap",
                                      "weight_overlap",
                                      "optimizer_rank",
                                      NULL};

#define TUNING_TARGET(id, tool, path, imposes)                                                     \
    const struct target id##_target = {.name = tool,                                               \
                                       .file = path,                                               \
                                       .who = imposes,                                             \
                                       .write = write_##id,                                        \
                                       .head = head_##id,                                          \
                                       .given_gpus = true,                                         \
                                       .outside = outside,                                         \
                                       .read = READ_##id}
#define READ_axolotl       axolotl_read
#define READ_llama_factory llama_factory_read
#define READ_trl           trainer_read
#define READ_torchtune     torchtune_read

TUNING_TARGET(axolotl, "axolotl", "axolotl.yaml", BY_ACCELERATE);
TUNING_TARGET(llama_factory, "LLaMA-Factory", "llama-factory.yaml", BY_ACCELERATE);
TUNING_TARGET(trl, "trl", "trl.yaml", BY_ACCELERATE);
TUNING_TARGET(torchtune, "torchtune", "torchtune.yaml", 0);
