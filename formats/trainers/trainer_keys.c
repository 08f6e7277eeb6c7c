/* trainer_keys.c - the keys of Hugging Face's trainer and of the tools around it. */
#include "trainers/trainer_keys.h"

#include "keys/key_rows.h"

#include <stddef.h>

#define AT(member) offsetof(struct trainer, member)

/* clang-format off */

/* The kernels of attention: of transformers, of axolotl, and of the Hub by their names. */
#define ATTENTIONS \
    "sdpa|flash_attention_2|flash_attention_3|eager|flex_attention|xformers|sage|kernels-community/flash-attn2|" \
    "kernels-community/flash-attn3|kernels-community/vllm-flash-attn3"

/* What DeepSpeed's own file would say, where it stands within another or is given by words. */
#define DEEPSPEED_ROWS(prefix) LATER(prefix "*")

/* The names of FSDP's keys with and without "fsdp_" [accelerate]. */
#define FSDP_ROWS(prefix) \
    {prefix "sharding_strategy",       KEY_WORD, AT(strategy), STRATEGIES "|1|2|3|4|5", NULL}, \
    {prefix "reshard_after_forward",   KEY_WORD, AT(reshard), "false|true|" STRATEGIES, NULL}, \
    READ(prefix "offload_params",      KEY_FLAG, offload), \
    READ(prefix "activation_checkpointing", KEY_FLAG, fsdp_checkpointing), \
    READ(prefix "version",             KEY_COUNT, version)

/* Of TrainingArguments: what decides a plan. */
#define TYPE_ROWS READ("torch_dtype", KEY_TEXT, tuning.type), READ("dtype", KEY_TEXT, tuning.type)

#define TRAINER_ROWS \
    READ("per_device_train_batch_size", KEY_COUNT, microbatch), READ("per_gpu_train_batch_size", KEY_COUNT, microbatch), READ("gradient_accumulation_steps", KEY_COUNT, accumulation), \
    {"bf16", KEY_WORD, AT(bf16), "false|true|auto|full", NULL}, {"fp16", KEY_WORD, AT(fp16), "false|true|auto|full", NULL}, \
    {"gradient_checkpointing", KEY_WORD, AT(checkpointing), "false|true|unsloth|offload|offload_disk", NULL}, READ("torch_compile", KEY_FLAG, compile), READ("use_liger_kernel", KEY_FLAG, liger), READ("tf32", KEY_FLAG, tf32), \
    READ("optim", KEY_TEXT, tuning.optimizer), READ("adafactor", KEY_FLAG, tuning.adafactor), READ("optim_args", KEY_TEXT, tuning.arguments), READ("gradient_checkpointing_kwargs.use_reentrant", KEY_FLAG, reentrant), \
    READ("group_by_length", KEY_FLAG, sorted), READ("train_sampling_strategy", KEY_TEXT, sampling)

/* Of programs of one's own. */
#define OWN_ROWS \
    READ("lora_rank", KEY_COUNT, tuning.rank), READ("lora_dim", KEY_COUNT, tuning.rank), READ("use_llm_lora", KEY_COUNT, tuning.rank), \
    READ("load_in_kbits", KEY_COUNT, tuning.bits), READ("bits", KEY_COUNT, tuning.bits), READ("load_in_bits", KEY_COUNT, tuning.bits), READ("quantization_bit", KEY_COUNT, tuning.bits), \
    READ("double_quant", KEY_TEXT, tuning.double_), READ("use_lora", KEY_FLAG, tuning.own), READ("lora_enable", KEY_FLAG, tuning.own), READ("lora", KEY_FLAG, tuning.own), READ("max_seq_len", KEY_COUNT, sequence), READ("cutoff_len", KEY_COUNT, sequence), \
    LATER("train_batch_size"), LATER("batch_size"), READ("use_peft", KEY_FLAG, tuning.peft), READ("use_dora", KEY_FLAG, tuning.dora), READ("use_bnb_nested_quant", KEY_TEXT, tuning.double_), \
    READ("rl", KEY_TEXT, tuning.objective), READ("beta", KEY_NUMBER, tuning.beta), READ("dpo_beta", KEY_NUMBER, tuning.beta), \
    LATER("target_modules"), LATER("target_modules.*"), LATER("trainable"), LATER("lora_module_name"), \
    {"precision", KEY_WORD, AT(mixed), "fp32|fp16|bf16|fp8", NULL}, {"zero_stage", KEY_WORD, AT(zero_stage), "0|1|2|3", NULL}, {"offload", KEY_WORD, AT(optimizer_device), "false|true", NULL}

/* Of trl's model_config.py and of PEFT. */
#define PEFT_ROWS \
    READ("lora_r", KEY_COUNT, tuning.rank), READ("lora_dropout", KEY_NUMBER, tuning.dropout), \
    LATER("lora_target_modules"), LATER("lora_target_modules.*"), LATER("lora_modules_to_save"), LATER("lora_modules_to_save.*"), \
    READ("load_in_4bit", KEY_FLAG, tuning.four_bits), READ("load_in_8bit", KEY_FLAG, tuning.eight_bits)

/* Of accelerate's configuration and of what it launches. */
#define ACCELERATE_ROWS \
    {"distributed_type", KEY_WORD, AT(launch), "MULTI_GPU|DEEPSPEED|FSDP|MEGATRON_LM|NO|MULTI_XPU|MULTI_NPU|XLA|TPU|MULTI_CPU", NULL}, \
    {"mixed_precision", KEY_WORD, AT(mixed), "no|fp16|bf16|fp8", NULL}, \
    READ("num_processes", KEY_COUNT, processes), READ("num_machines", KEY_COUNT, machines), \
    {"deepspeed_config.zero_stage", KEY_WORD, AT(zero_stage), "0|1|2|3", NULL}, \
    {"deepspeed_config.offload_optimizer_device", KEY_WORD, AT(optimizer_device), "none|cpu|nvme", NULL}, \
    {"deepspeed_config.offload_param_device", KEY_WORD, AT(param_device), "none|cpu|nvme", NULL}, \
    READ("deepspeed_config.gradient_accumulation_steps", KEY_COUNT, accumulation), READ("deepspeed_config.deepspeed_config_file", KEY_TEXT, deepspeed), \
    READ("parallelism_config.parallelism_config_dp_replicate_size", KEY_COUNT, replicate), READ("parallelism_config.parallelism_config_dp_shard_size", KEY_INTEGER, shard), \
    READ("parallelism_config.parallelism_config_tp_size", KEY_COUNT, tensor), READ("parallelism_config.parallelism_config_cp_size", KEY_COUNT, context), \
    READ("parallelism_config.parallelism_config_sp_size", KEY_COUNT, ulysses), \
    {"parallelism_config.parallelism_config_cp_comm_strategy", KEY_WORD, AT(rotate), "allgather|alltoall", NULL}, \
    READ("fp8_config.fp8_enable_fsdp_float8_all_gather", KEY_FLAG, gather), READ("fp8_config.enable_fsdp_float8_all_gather", KEY_FLAG, gather)

static const struct key trainer_rows[] = {
    TRAINER_ROWS, PEFT_ROWS, OWN_ROWS, TYPE_ROWS, ACCELERATE_ROWS,
    READ("ref_adapter_name", KEY_TEXT, tuning.other_adapter), READ("activation_offloading", KEY_FLAG, activation_offload),
    READ("max_seq_length", KEY_COUNT, sequence), READ("max_length", KEY_COUNT, sequence), READ("block_size", KEY_COUNT, sequence),
    READ("model_max_length", KEY_COUNT, sequence), READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), LATER("fsdp_config"), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    {"attn_implementation", KEY_WORD, AT(attention), ATTENTIONS, NULL},
#include "tables/accelerate.h"
#include "tables/fsdp.h"
#include "tables/trainer.h"
#include "tables/training-scripts.h"
#include "tables/transformers.h"
};

static const struct key accelerate_rows[] = {
    TRAINER_ROWS, PEFT_ROWS, OWN_ROWS, TYPE_ROWS, ACCELERATE_ROWS,
    READ("max_seq_length", KEY_COUNT, sequence), READ("max_length", KEY_COUNT, sequence), READ("block_size", KEY_COUNT, sequence), READ("model_max_length", KEY_COUNT, sequence),
    READ("deepspeed", KEY_TEXT, deepspeed),
    {"attn_implementation", KEY_WORD, AT(attention), ATTENTIONS, NULL},
    LATER("fsdp_config"), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    DEEPSPEED_ROWS("zero_optimization."),
#include "tables/accelerate.h"
#include "tables/fsdp.h"
#include "tables/training-scripts.h"
#include "tables/transformers.h"
};

static const struct key axolotl_rows[] = {
    TRAINER_ROWS, PEFT_ROWS,
    READ("lora_target_linear", KEY_FLAG, tuning.all_linear), READ("peft_use_dora", KEY_FLAG, tuning.dora), READ("rl", KEY_TEXT, tuning.objective),
    READ("gptq", KEY_TEXT, tuning.gptq),
    READ("micro_batch_size", KEY_COUNT, microbatch), READ("batch_size", KEY_COUNT, batch), READ("sequence_len", KEY_COUNT, sequence),
    {"float16", KEY_WORD, AT(fp16), "false|true", NULL}, {"fp8", KEY_FLAG, AT(fp8), NULL, NULL}, {"bfloat16", KEY_WORD, AT(bf16), "false|true", NULL},
    READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), READ("fsdp_version", KEY_COUNT, version),
    LATER("fsdp_config"), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    READ("tensor_parallel_size", KEY_COUNT, tensor), READ("context_parallel_size", KEY_COUNT, ring), READ("sequence_parallel_degree", KEY_COUNT, ring),
    READ("dp_shard_size", KEY_INTEGER, shard), READ("dp_replicate_size", KEY_COUNT, replicate), READ("expert_parallel_size", KEY_COUNT, expert),
    READ("adapter", KEY_TEXT, tuning.adapter), {"activation_offloading", KEY_WORD, AT(offloading), "false|true|legacy|hidden_states|disk", NULL},
    {"attn_implementation", KEY_WORD, AT(attention), ATTENTIONS, NULL},
    READ("liger_rms_norm", KEY_FLAG, liger), READ("liger_glu_activation", KEY_FLAG, liger_mlp),
    READ("liger_fused_linear_cross_entropy", KEY_FLAG, chunked), READ("cut_cross_entropy", KEY_FLAG, chunked),
    READ("optimizer", KEY_TEXT, tuning.optimizer),
    READ("fp8_enable_fsdp_float8_all_gather", KEY_FLAG, gather),
#include "tables/axolotl.h"
#include "tables/fsdp.h"
#include "tables/transformers.h"
};

static const struct key llama_factory_rows[] = {
    TRAINER_ROWS,
    READ("cutoff_len", KEY_COUNT, sequence), READ("stage", KEY_TEXT, tuning.stage), READ("finetuning_type", KEY_TEXT, tuning.finetuning),
    READ("pref_loss", KEY_TEXT, tuning.preference), READ("lora_rank", KEY_COUNT, tuning.rank), READ("lora_dropout", KEY_NUMBER, tuning.dropout),
    ACCELERATE_ROWS, LATER("lora_target"), LATER("lora_target.*"), READ("use_dora", KEY_FLAG, tuning.dora), READ("quantization_bit", KEY_COUNT, tuning.bits),
    READ("double_quantization", KEY_TEXT, tuning.double_), READ("use_galore", KEY_FLAG, tuning.galore), READ("galore_rank", KEY_COUNT, tuning.galore_rank),
    READ("use_apollo", KEY_FLAG, tuning.apollo), READ("apollo_rank", KEY_COUNT, tuning.apollo_rank),
    READ("galore_layerwise", KEY_FLAG, tuning.layerwise), READ("apollo_layerwise", KEY_FLAG, tuning.layerwise), READ("use_muon", KEY_FLAG, tuning.muon),
    READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), LATER("fsdp_config"), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    {"flash_attn", KEY_WORD, AT(attention), "sdpa|fa2|fa3|disabled|auto", NULL},
    READ("disable_gradient_checkpointing", KEY_FLAG, no_checkpointing), READ("enable_liger_kernel", KEY_FLAG, liger), READ("sequence_parallel_size", KEY_COUNT, ulysses), READ("cp_size", KEY_COUNT, ulysses),
    {"fp8", KEY_FLAG, AT(fp8), NULL, NULL},
    READ("use_reentrant_gc", KEY_FLAG, reentrant), READ("pure_bf16", KEY_FLAG, tuning.pure),
    READ("use_unsloth", KEY_FLAG, unsloth), READ("use_unsloth_gc", KEY_FLAG, activation_offload), READ("quantization_method", KEY_TEXT, tuning.method),
#include "tables/accelerate.h"
#include "tables/fsdp.h"
#include "tables/llama-factory.h"
#include "tables/transformers.h"
};

/* ms-swift 3 and 4: TrainingArguments and swift/llm/argument. */
static const struct key ms_swift_rows[] = {
    TRAINER_ROWS,
    READ("train_type", KEY_TEXT, tuning.finetuning), READ("tuner_type", KEY_TEXT, tuning.finetuning), READ("sft_type", KEY_TEXT, tuning.finetuning),
    READ("rlhf_type", KEY_TEXT, tuning.objective), READ("lora_rank", KEY_COUNT, tuning.rank), READ("lora_dropout", KEY_NUMBER, tuning.dropout),
    LATER("target_modules"), LATER("target_modules.*"), READ("use_dora", KEY_FLAG, tuning.dora),
    READ("quant_bits", KEY_COUNT, tuning.bits), READ("bnb_4bit_use_double_quant", KEY_TEXT, tuning.double_),
    READ("max_length", KEY_COUNT, sequence), READ("torch_dtype", KEY_TEXT, tuning.type),
    {"attn_impl", KEY_WORD, AT(attention), "sdpa|flash_attn|flash_attention_3|eager|flash_attention_2|flex_attention", NULL},
    READ("sequence_parallel_size", KEY_COUNT, ulysses), READ("use_cce", KEY_FLAG, chunked),
    READ("use_galore", KEY_FLAG, tuning.galore), READ("galore_rank", KEY_COUNT, tuning.galore_rank), READ("galore_optim_per_parameter", KEY_FLAG, tuning.layerwise),
    READ("lora_dtype", KEY_TEXT, tuning.adapter_type),
    READ("ref_adapters", KEY_TEXT, tuning.other_adapter), READ("ref_adapters.0", KEY_TEXT, tuning.other_adapter),
    READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), LATER("fsdp_config"), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
#include "tables/fsdp.h"
#include "tables/ms-swift.h"
#include "tables/transformers.h"
};

/* adapter_config.json of PEFT 0.10 to 0.17 (tuners/lora/config.py), of runs whose rest is --set. */
static const struct key peft_rows[] = {
    TRAINER_ROWS,
    READ("peft_type", KEY_TEXT, tuning.adapter), READ("r", KEY_COUNT, tuning.rank), READ("lora_dropout", KEY_NUMBER, tuning.dropout),
    READ("use_dora", KEY_FLAG, tuning.dora), LATER("target_modules"), LATER("target_modules.*"),
    READ("load_in_4bit", KEY_FLAG, tuning.four_bits), READ("load_in_8bit", KEY_FLAG, tuning.eight_bits),
    READ("max_length", KEY_COUNT, sequence), READ("deepspeed", KEY_TEXT, deepspeed), READ("fsdp", KEY_TEXT, fsdp),
#include "tables/peft.h"
};
/* clang-format on */

const struct key_table trainer_keys = KEY_TABLE(trainer_rows);
const struct key_table accelerate_keys = KEY_TABLE(accelerate_rows);
const struct key_table axolotl_keys = KEY_TABLE(axolotl_rows);
const struct key_table llama_factory_keys = KEY_TABLE(llama_factory_rows);
const struct key_table ms_swift_keys = KEY_TABLE(ms_swift_rows);
const struct key_table peft_keys = KEY_TABLE(peft_rows);
