/* trainer.c - configurations around the trainer of Hugging Face: TrainingArguments, accelerate,
 * axolotl, LLaMA-Factory. They say batch, precision, sharding and recomputation, by DeepSpeed or
 * FSDP or neither; the model is the caller's.
 *
 * Keys and defaults: transformers' training_args.py, accelerate's config_args.py and
 * dataclasses.py, axolotl's utils/schemas, LLaMA-Factory's hparams. */
#include "interop/deepspeed.h"
#include "interop/key_rows.h"
#include "interop/shell.h"
#include "text/text_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum mixed { MIXED_NO, MIXED_FP16, MIXED_BF16, MIXED_FP8 };
enum launch { LAUNCH_PLAIN, LAUNCH_DEEPSPEED, LAUNCH_FSDP, LAUNCH_MEGATRON, LAUNCH_ONE };
enum strategy { SHARD_FULL, SHARD_GRAD_OP, SHARD_NONE, SHARD_HYBRID, SHARD_HYBRID_GRAD_OP };

#define STRATEGIES "FULL_SHARD|SHARD_GRAD_OP|NO_SHARD|HYBRID_SHARD|HYBRID_SHARD_ZERO2"

struct trainer {
    uint64_t microbatch, accumulation, batch, sequence, processes, machines;
    uint64_t tensor, context, ring, ulysses, replicate, expert;
    int64_t shard;
    int offloading; /* of axolotl: "false|true|..." */
    int mixed, launch, strategy, attention, zero_stage, optimizer_device, param_device;
    int bf16, fp16; /* "false|true|auto|full" */
    bool fp8, tf32, checkpointing, no_checkpointing, fsdp_checkpointing, activation_offload,
        offload;
    bool reentrant; /* checkpoints of `checkpointing` */
    bool compile, liger, liger_mlp;
    bool gather; /* float8 weights are gathered in 8 bits */
    int rotate;  /* of torch's context parallelism: "allgather|alltoall" */
    int reshard; /* of FSDP2: "false|true"; -1: not said */
    uint64_t version;
    const char *deepspeed, *fsdp, *adapter, *stage, *finetuning, *optimizer;
};

#define AT(member) offsetof(struct trainer, member)
#define ADAPTER    "only adapters are trained"
#define OTHER_LOSS "the loss needs more than one pass of one model"

/* clang-format off */

/* What DeepSpeed's own file would say, where it stands within another or is given by words. */
#define DEEPSPEED_ROWS(prefix) LATER(prefix "*")

/* The names of FSDP's keys with and without "fsdp_" [accelerate]. */
#define FSDP_ROWS(prefix) \
    {prefix "sharding_strategy",       KEY_WORD, AT(strategy), STRATEGIES "|1|2|3|4|5", NULL}, \
    {prefix "reshard_after_forward",   KEY_WORD, AT(reshard), "false|true|" STRATEGIES, NULL}, \
    READ(prefix "offload_params",      KEY_FLAG, offload), \
    READ(prefix "activation_checkpointing", KEY_FLAG, fsdp_checkpointing), \
    READ(prefix "version",             KEY_COUNT, version), \
    NONE(prefix "auto_wrap_policy"), NONE(prefix "transformer_layer_cls_to_wrap*"), NONE(prefix "min_num_params"), \
    NONE(prefix "state_dict_type"), NONE(prefix "cpu_ram_efficient_loading"), NONE(prefix "sync_module_states"), \
    NONE(prefix "use_orig_params"), NONE(prefix "backward_prefetch*"), NONE(prefix "forward_prefetch"), \
    NONE(prefix "limit_all_gathers"), NONE(prefix "final_state_dict_type"), NONE(prefix "ignored_modules"), \
    NONE(prefix "mixed_precision_policy*")

/* Of TrainingArguments, which axolotl and LLaMA-Factory pass on: what changes neither time nor
 * memory of a step. */
#define TRAINER_NONE_ROWS \
    NONE("output_dir"), NONE("overwrite_output_dir"), NONE("do_*"), NONE("eval_*"), NONE("evaluation_*"), NONE("per_device_eval_batch_size"), \
    NONE("prediction_loss_only"), NONE("*learning_rate"), NONE("weight_decay"), NONE("adam_*"), NONE("max_grad_norm"), NONE("num_train_epochs"), \
    NONE("max_steps"), NONE("lr_*"), NONE("warmup_*"), NONE("log_*"), NONE("logging_*"), NONE("save_*"), NONE("seed"), NONE("data_seed"), \
    NONE("dataloader_*"), NONE("dataset_*"), NONE("past_index"), NONE("run_name"), NONE("disable_tqdm"), NONE("remove_unused_columns"), \
    NONE("label_names*"), NONE("load_best_model_at_end"), NONE("metric_for_best_model"), NONE("greater_is_better"), NONE("ignore_data_skip"), \
    NONE("accelerator_config.*"), NONE("debug*"), NONE("report_to*"), NONE("ddp_*"), NONE("skip_memory_metrics"), NONE("use_legacy_prediction_loop"), \
    NONE("push_to_hub*"), NONE("resume_from_checkpoint"), NONE("hub_*"), READ("gradient_checkpointing_kwargs.use_reentrant", KEY_FLAG, reentrant), NONE("gradient_checkpointing_kwargs.*"), NONE("include_*"), \
    NONE("auto_find_batch_size"), NONE("full_determinism"), NONE("torchdynamo"), NONE("ray_*"), NONE("torch_compile_*"), NONE("split_batches"), \
    NONE("group_by_length"), NONE("length_column_name"), NONE("local_rank"), NONE("use_cpu"), NONE("no_cuda"), NONE("use_mps_device"), \
    NONE("bf16_full_eval"), NONE("fp16_full_eval"), NONE("fp16_opt_level"), NONE("fp16_backend"), NONE("half_precision_backend"), NONE("jit_mode_eval"), \
    NONE("use_ipex"), NONE("average_tokens_across_devices"), NONE("batch_eval_metrics"), NONE("restore_callback_states_from_checkpoint"), \
    NONE("torch_empty_cache_steps"), NONE("neftune_noise_alpha"), NONE("optim_args"), NONE("trust_remote_code"), NONE("mp_parameters"), \
    NONE("optim_target_modules*"), NONE("eval_on_start"), NONE("use_liger_kernel_config*"), NONE("parallelism_config*"), NONE("project"), \
    NONE("trackio_*"), NONE("label_smoothing_factor"), NONE("enable_jit_checkpoint")

/* Of training scripts around the trainer: the model, which is the caller's, and the data. */
#define SCRIPT_NONE_ROWS \
    NONE("model_name_or_path"), NONE("model_type"), NONE("config_name"), NONE("tokenizer*"), NONE("model_revision"), NONE("model_id*"), \
    NONE("use_fast_tokenizer"), NONE("use_auth_token"), NONE("token"), NONE("cache_dir"), NONE("data_path"), NONE("data_dir"), NONE("data_file*"), NONE("train_file*"), \
    NONE("train_data*"), NONE("valid*"), NONE("preprocessing_num_workers"), NONE("overwrite_cache"), NONE("max_train_samples"), NONE("max_eval_samples"), \
    NONE("max_val_samples"), NONE("max_predict_samples"), NONE("streaming"), NONE("keep_linebreaks"), NONE("lazy_preprocess"), NONE("with_tracking"), \
    NONE("num_warmup_steps"), NONE("num_workers"), NONE("chat_template*"), NONE("hf_*"), NONE("wandb_*"), NONE("packing"), NONE("low_cpu_mem_usage"), \
    NONE("use_flash_attention_2"), NONE("use_flash_attn"), NONE("num_proc"), NONE("min_lr*"), NONE("checkpointing_steps"), NONE("dataset"), NONE("data_args"), \
    {"torch_dtype", KEY_NOT_FOLLOWED, 0, "auto|float32", "weights are kept in this type"}, {"dtype", KEY_NOT_FOLLOWED, 0, "auto|float32", "weights are kept in this type"}, \
    {"config_overrides", KEY_NOT_COVERED, 0, NULL, "another model than --model"}

/* Of TrainingArguments: what decides a plan. */
#define TRAINER_ROWS \
    READ("per_device_train_batch_size", KEY_COUNT, microbatch), READ("gradient_accumulation_steps", KEY_COUNT, accumulation), \
    {"bf16", KEY_WORD, AT(bf16), "false|true|auto|full", NULL}, {"fp16", KEY_WORD, AT(fp16), "false|true|auto|full", NULL}, \
    READ("gradient_checkpointing", KEY_FLAG, checkpointing), READ("torch_compile", KEY_FLAG, compile), READ("use_liger_kernel", KEY_FLAG, liger), READ("tf32", KEY_FLAG, tf32), \
    READ("optim", KEY_TEXT, optimizer)

static const struct key trainer_keys[] = {
    TRAINER_ROWS, TRAINER_NONE_ROWS, SCRIPT_NONE_ROWS,
    READ("max_seq_length", KEY_COUNT, sequence), READ("max_length", KEY_COUNT, sequence), READ("block_size", KEY_COUNT, sequence),
    READ("model_max_length", KEY_COUNT, sequence), READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), NONE("fsdp.*"), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    NONE("fsdp_config.xla*"), NONE("fsdp_min_num_params"), NONE("fsdp_transformer_layer_cls_to_wrap"),
    {"attn_implementation", KEY_WORD, AT(attention), "sdpa|flash_attention_2|flash_attention_3|eager", NULL},
    {"fp16_params", KEY_NONE, 0, NULL, NULL},
    {"use_peft", KEY_NOT_COVERED, 0, NULL, ADAPTER}, {"lora_*", KEY_NOT_COVERED, 0, NULL, ADAPTER},
    {"load_in_4bit", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"}, {"load_in_8bit", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"},
};

static const struct key accelerate_keys[] = {
    TRAINER_ROWS, TRAINER_NONE_ROWS, SCRIPT_NONE_ROWS,
    {"distributed_type", KEY_WORD, AT(launch), "MULTI_GPU|DEEPSPEED|FSDP|MEGATRON_LM|NO|MULTI_XPU|MULTI_NPU|XLA|TPU|MULTI_CPU", NULL},
    {"mixed_precision", KEY_WORD, AT(mixed), "no|fp16|bf16|fp8", NULL},
    READ("num_processes", KEY_COUNT, processes), READ("num_machines", KEY_COUNT, machines),
    READ("max_seq_length", KEY_COUNT, sequence), READ("max_length", KEY_COUNT, sequence), READ("block_size", KEY_COUNT, sequence), READ("model_max_length", KEY_COUNT, sequence),
    READ("deepspeed", KEY_TEXT, deepspeed),
    {"use_peft", KEY_NOT_COVERED, 0, NULL, ADAPTER}, {"lora_*", KEY_NOT_COVERED, 0, NULL, ADAPTER},
    {"load_in_4bit", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"}, {"load_in_8bit", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"},
    {"attn_implementation", KEY_WORD, AT(attention), "sdpa|flash_attention_2|flash_attention_3|eager", NULL},
    FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"),
    {"deepspeed_config.zero_stage", KEY_WORD, AT(zero_stage), "0|1|2|3", NULL},
    {"deepspeed_config.offload_optimizer_device", KEY_WORD, AT(optimizer_device), "none|cpu|nvme", NULL},
    {"deepspeed_config.offload_param_device", KEY_WORD, AT(param_device), "none|cpu|nvme", NULL},
    READ("deepspeed_config.gradient_accumulation_steps", KEY_COUNT, accumulation), READ("deepspeed_config.deepspeed_config_file", KEY_TEXT, deepspeed),
    NONE("deepspeed_config.gradient_clipping"), NONE("deepspeed_config.zero3_init_flag"), NONE("deepspeed_config.zero3_save_16bit_model"), NONE("deepspeed_config.deepspeed_hostfile"),
    NONE("deepspeed_config.deepspeed_multinode_launcher"), NONE("deepspeed_config.deepspeed_exclusion_filter"), NONE("deepspeed_config.deepspeed_inclusion_filter"),
    NONE("deepspeed_config.deepspeed_moe_layer_cls_names"), NONE("deepspeed_config.offload_optimizer_nvme_path"), NONE("deepspeed_config.offload_param_nvme_path"),
    NONE("deepspeed_config.*"), DEEPSPEED_ROWS("zero_optimization."),
    READ("parallelism_config.parallelism_config_dp_replicate_size", KEY_COUNT, replicate), READ("parallelism_config.parallelism_config_dp_shard_size", KEY_INTEGER, shard),
    READ("parallelism_config.parallelism_config_tp_size", KEY_COUNT, tensor), READ("parallelism_config.parallelism_config_cp_size", KEY_COUNT, context),
    READ("parallelism_config.parallelism_config_sp_size", KEY_COUNT, ulysses),
    {"parallelism_config.parallelism_config_cp_comm_strategy", KEY_WORD, AT(rotate), "allgather|alltoall", NULL}, NONE("parallelism_config.*"),
    {"megatron_lm_config.*", KEY_NOT_COVERED, 0, NULL, "training by accelerate's Megatron-LM plugin"}, {"tp_config.*", KEY_NONE, 0, NULL, NULL},
    {"dynamo_config.dynamo_backend", KEY_NOT_FOLLOWED, 0, "no", "kernels are compiled"}, NONE("dynamo_config.*"),
    READ("fp8_config.fp8_enable_fsdp_float8_all_gather", KEY_FLAG, gather), READ("fp8_config.enable_fsdp_float8_all_gather", KEY_FLAG, gather),
    NONE("fp8_config.fp8_backend"), NONE("fp8_config.fp8_use_autocast_during_eval"), NONE("fp8_config.fp8_margin"), NONE("fp8_config.fp8_interval"),
    NONE("fp8_config.fp8_amax_history_len"), NONE("fp8_config.fp8_amax_compute_algo"), NONE("fp8_config.fp8_override_linear_precision"),
    NONE("fp8_config.fp8_opt_level"), NONE("fp8_config.fp8_pad_inner_dim"), NONE("fp8_config.fp8_format"), NONE("fp8_config.backend"),
    NONE("fp8_config.use_autocast_during_eval"), NONE("fp8_config.margin"), NONE("fp8_config.interval"), NONE("fp8_config.fp8_format"),
    NONE("fp8_config.amax_history_len"), NONE("fp8_config.amax_compute_algo"), NONE("fp8_config.override_linear_precision"),
    NONE("fp8_config.opt_level"), NONE("fp8_config.pad_inner_dim"), NONE("fp8_config.format"), NONE("fp8_config.*"),
    NONE("compute_environment"), NONE("fsdp_config"), NONE("deepspeed_config"), NONE("debug"), NONE("downcast_bf16"), NONE("gpu_ids"), NONE("machine_rank"), NONE("main_process_*"),
    NONE("main_training_function"), NONE("rdzv_*"), NONE("same_network"), NONE("tpu_*"), NONE("use_cpu"), NONE("enable_cpu_affinity"),
    NONE("command_file"), NONE("commands*"), NONE("max_restarts"), NONE("tee"), NONE("role"), NONE("monitor_interval"), NONE("module"), NONE("quiet"), NONE("env*"), NONE("num_cpu_threads_per_process"), NONE("mpirun_config.*"), NONE("ipex_config.*"), NONE("use_xpu"),
};

static const struct key axolotl_keys[] = {
    TRAINER_ROWS, TRAINER_NONE_ROWS,
    READ("micro_batch_size", KEY_COUNT, microbatch), READ("batch_size", KEY_COUNT, batch), READ("sequence_len", KEY_COUNT, sequence),
    {"float16", KEY_WORD, AT(fp16), "false|true", NULL}, {"fp8", KEY_FLAG, AT(fp8), NULL, NULL}, {"bfloat16", KEY_WORD, AT(bf16), "false|true", NULL},
    READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), NONE("fsdp.*"), READ("fsdp_version", KEY_COUNT, version),
    FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"), NONE("fsdp_final_state_dict_type"),
    READ("tensor_parallel_size", KEY_COUNT, tensor), READ("context_parallel_size", KEY_COUNT, ring), READ("sequence_parallel_degree", KEY_COUNT, ring),
    READ("dp_shard_size", KEY_INTEGER, shard), READ("dp_replicate_size", KEY_COUNT, replicate), READ("expert_parallel_size", KEY_COUNT, expert),
    READ("adapter", KEY_TEXT, adapter), {"activation_offloading", KEY_WORD, AT(offloading), "false|true|legacy|hidden_states|disk", NULL},
    {"attn_implementation", KEY_WORD, AT(attention), "sdpa|flash_attention_2|flash_attention_3|eager|flex_attention|xformers|sage", NULL},
    NONE("flash_attention"), NONE("sdp_attention"), NONE("eager_attention"), NONE("flex_attention"), NONE("xformers_attention"), NONE("flex_attn_*"), NONE("flash_attn_*"), NONE("flash_optimum"),
    READ("liger_rms_norm", KEY_FLAG, liger), READ("liger_glu_activation", KEY_FLAG, liger_mlp), NONE("liger_*"), NONE("plugins.*"), NONE("cut_cross_entropy"),
    {"rl", KEY_NOT_COVERED, 0, NULL, OTHER_LOSS}, {"reward_model", KEY_NOT_COVERED, 0, NULL, OTHER_LOSS}, {"process_reward_model", KEY_NOT_COVERED, 0, NULL, OTHER_LOSS},
    {"trl.*", KEY_NOT_COVERED, 0, NULL, OTHER_LOSS}, {"ebft.*", KEY_NOT_COVERED, 0, NULL, OTHER_LOSS}, {"kd_*", KEY_NOT_COVERED, 0, NULL, "a teacher runs beside the model"},
    {"diffusion*", KEY_NOT_COVERED, 0, NULL, "another loss"}, {"unfrozen_parameters.*", KEY_NOT_COVERED, 0, NULL, "most weights are frozen"},
    {"load_in_4bit", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"}, {"load_in_8bit", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"},
    {"gptq", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"}, {"qat.*", KEY_NOT_FOLLOWED, 0, NULL, "products imitate narrow types"},
    {"relora*", KEY_NOT_COVERED, 0, NULL, ADAPTER}, {"tiled_mlp", KEY_NOT_FOLLOWED, 0, NULL, "MLPs are computed in tiles"},
    READ("optimizer", KEY_TEXT, optimizer),
    {"is_mistral_derived_model", KEY_NONE, 0, NULL, NULL}, {"processor_type", KEY_NOT_COVERED, 0, NULL, "a model of images and text"},
    NONE("base_model*"), NONE("model_type"), NONE("tokenizer_*"), NONE("datasets.*"), NONE("test_datasets.*"), NONE("pretraining_dataset.*"), NONE("pretraining_*"), NONE("shuffle_merged_datasets"),
    NONE("val_set_size"), NONE("sample_packing*"), NONE("eval_sample_packing"), NONE("pad_to_sequence_len"), NONE("num_epochs"), NONE("saves_per_epoch"), NONE("evals_per_epoch"),
    NONE("wandb_*"), NONE("mlflow_*"), NONE("comet_*"), NONE("swanlab_*"), NONE("use_wandb"), NONE("use_swanlab"), NONE("special_tokens.*"), NONE("tokens.*"), NONE("tokens"), NONE("chat_template*"), NONE("strict"),
    NONE("lora_*"), NONE("lora_r"), NONE("lora_rank"), NONE("lora_alpha"), NONE("lora_dropout"), NONE("lora_target"), NONE("lora_target_linear"), NONE("lora_target_modules.*"), NONE("lora_modules_to_save.*"), NONE("lora_fan_in_fan_out"), NONE("lora_model_dir"), NONE("peft_*"), NONE("loraplus_*"), NONE("loftq_*"), NONE("bnb_*"), NONE("train_on_inputs"), NONE("early_stopping_patience"), NONE("xformers*"), NONE("loss_watchdog_*"),
    NONE("gptq_*"), NONE("eot_tokens.*"), NONE("skip_*"), NONE("torchdistx_path"), NONE("max_packed_sequence_len"), NONE("cosine_*"), NONE("model_config.*"), NONE("overrides_of_model_config.*"),
    NONE("default_system_message"), NONE("streaming*"), NONE("low_cpu_mem_usage"), NONE("gc_steps"), NONE("eta_min"), NONE("auto_resume_from_checkpoints"), NONE("resize_token_embeddings_to_32x"),
    NONE("experimental_skip_move_to_device"), NONE("noisy_embedding_alpha"), NONE("s2_attention"), NONE("shuffle_*"), NONE("min_sample_len"), NONE("embeddings_skip_upcast"), NONE("hf_use_auth_token"),
    NONE("use_tensorboard"), NONE("profiler_*"), NONE("use_kernels"), NONE("device_map"), NONE("max_memory"), NONE("auto_*"), NONE("curriculum_sampling"), NONE("excess_length_strategy"), NONE("heads_k_stride"), NONE("ring_attn_func"),
    {"quantize_moe_experts", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"}, {"model_quantization_config*", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"}, {"quantization*", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"},
    {"nvfp4_*", KEY_NOT_FOLLOWED, 0, NULL, "products imitate narrow types"}, {"dsv4_*", KEY_NOT_FOLLOWED, 0, NULL, "weights in narrow types"}, {"use_onebitllms", KEY_NOT_COVERED, 0, NULL, "weights of one bit"}, {"llmcompressor.*", KEY_NOT_COVERED, 0, NULL, "weights that are pruned"},
    {"lisa_*", KEY_NOT_COVERED, 0, NULL, "layers are trained in turn"}, {"num_labels", KEY_NOT_COVERED, 0, NULL, "a head of labels"}, {"vllm.*", KEY_NOT_COVERED, 0, NULL, OTHER_LOSS}, {"use_vllm", KEY_NOT_COVERED, 0, NULL, OTHER_LOSS}, {"nemo_gym_*", KEY_NOT_COVERED, 0, NULL, OTHER_LOSS},
    {"layer_offloading", KEY_NOT_COVERED, 0, NULL, "weights that move to the host"}, {"use_whitening", KEY_NONE, 0, NULL, NULL}, {"dense_mixer", KEY_NOT_COVERED, 0, NULL, "all experts compute"}, {"mora*", KEY_NOT_COVERED, 0, NULL, ADAPTER}, {"use_mora", KEY_NOT_COVERED, 0, NULL, ADAPTER}, {"spectrum_*", KEY_NOT_COVERED, 0, NULL, "most weights are frozen"},
    {"use_scattermoe", KEY_NOT_FOLLOWED, 0, NULL, "kernels of experts"}, {"use_sonicmoe", KEY_NOT_FOLLOWED, 0, NULL, "kernels of experts"}, {"experts_implementation", KEY_NOT_FOLLOWED, 0, "eager", "kernels of experts"}, {"moe_grouped_backend", KEY_NOT_FOLLOWED, 0, NULL, "kernels of experts"},
    {"fused_attn_kernel", KEY_NOT_FOLLOWED, 0, NULL, "kernels of attention"}, {"gemma4_hybrid_attn_impl", KEY_NOT_FOLLOWED, 0, NULL, "kernels of attention"}, {"use_dsv4_kernels", KEY_NOT_FOLLOWED, 0, NULL, "kernels of attention"}, {"use_glm_dsa_kernels", KEY_NOT_FOLLOWED, 0, NULL, "kernels of attention"},
    {"selective_checkpointing", KEY_NOT_COVERED, 0, NULL, "recomputation of another kind"}, {"recompute_layer_types*", KEY_NOT_COVERED, 0, NULL, "recomputation of another kind"}, {"use_pose", KEY_NONE, 0, NULL, NULL}, {"deepcompile", KEY_NOT_FOLLOWED, 0, NULL, "kernels are compiled"},
    {"fp32_norms", KEY_NOT_FOLLOWED, 0, NULL, "norms in 32 bits"}, {"large_head_attention", KEY_NOT_FOLLOWED, 0, NULL, "kernels of attention"}, {"chunked_cross_entropy", KEY_NOT_FOLLOWED, 0, NULL, "the loss is computed in chunks"}, {"sage_attention", KEY_NOT_FOLLOWED, 0, NULL, "attention in narrow types"},
    READ("fp8_enable_fsdp_float8_all_gather", KEY_FLAG, gather), NONE("fsdp_config"), NONE("push_dataset_to_hub"), NONE("llama4_linearized_experts"), NONE("secrets.*"), NONE("volumes.*"), NONE("freeze_mm_modules"), NONE("reinit_weights"), NONE("project_*"), NONE("revision_of_model"),
    NONE("cls_model_config"), NONE("type_of_model"), NONE("use_eaft"), NONE("eaft_*"), NONE("pretrain_multipack_*"), NONE("orpo_alpha"), NONE("total_num_tokens"), NONE("total_supervised_tokens"), NONE("center_rewards_coefficient"), NONE("torch_dtype"), NONE("ddp"), NONE("device_map.*"),
    NONE("full_finetune"), NONE("use_otel_metrics"), NONE("otel_*"), NONE("rl_beta"), NONE("kto_*"), NONE("cpo_alpha"), NONE("simpo_gamma"), NONE("rpo_alpha"), NONE("dpo_*"), NONE("use_ray"), NONE("jagged_*"), NONE("use_trackio"), NONE("use_mlflow"), NONE("use_comet"), NONE("expert_parallel_*"), NONE("expert_backend"),
    NONE("embedding_lr*"), NONE("lr"), NONE("grokfast_*"), NONE("pose_*"), NONE("fix_untrained_tokens*"), NONE("added_tokens_overrides*"), NONE("mean_resizing_embeddings"), NONE("shrink_embeddings"), NONE("is_*_derived_model"), NONE("axolotl_config_path"), NONE("preprocess_*"), NONE("processor_kwargs*"),
    NONE("image_*"), NONE("trainer_cls"), NONE("multipack_*"), NONE("batch_flattening"), NONE("generate_*"), NONE("generation_*"), NONE("gradio_*"), NONE("lm_eval_*"), NONE("bench_*"), NONE("roles_to_train*"), NONE("train_on_*"), NONE("gc_collect_steps"), NONE("dion_*"), NONE("overrides_of_model_kwargs*"), NONE("num_dataset_shards_to_save"), NONE("dynamic_checkpoint*"), NONE("drop_system_message"), NONE("system_prompt"),
    NONE("gpu"), NONE("gpu_count"), NONE("provider"), NONE("branch"), NONE("dockerfile_commands*"), NONE("timeout*"), NONE("memory*"), NONE("hf_mlflow_log_artifacts"), NONE("rope_scaling*"), NONE("tiled_mlp_*"), NONE("scaling_softmax*"),
};

static const struct key llama_factory_keys[] = {
    TRAINER_ROWS, TRAINER_NONE_ROWS,
    READ("cutoff_len", KEY_COUNT, sequence), READ("stage", KEY_TEXT, stage), READ("finetuning_type", KEY_TEXT, finetuning),
    READ("deepspeed", KEY_TEXT, deepspeed), DEEPSPEED_ROWS("deepspeed."), DEEPSPEED_ROWS("zero_optimization."),
    READ("fsdp", KEY_TEXT, fsdp), READ("fsdp.0", KEY_TEXT, fsdp), NONE("fsdp.*"), FSDP_ROWS("fsdp_config."), FSDP_ROWS("fsdp_config.fsdp_"), NONE("fsdp_transformer_layer_cls_to_wrap"),
    {"flash_attn", KEY_WORD, AT(attention), "sdpa|fa2|fa3|disabled|auto", NULL},
    READ("disable_gradient_checkpointing", KEY_FLAG, no_checkpointing), READ("enable_liger_kernel", KEY_FLAG, liger), READ("sequence_parallel_size", KEY_COUNT, ulysses), READ("cp_size", KEY_COUNT, ulysses),
    {"fp8", KEY_FLAG, AT(fp8), NULL, NULL}, NONE("fp8_*"),
    {"quantization_bit", KEY_NOT_COVERED, 0, NULL, "the weights are quantized"}, {"pure_bf16", KEY_NOT_FOLLOWED, 0, NULL, "weights and moments are kept in bf16"},
    {"use_galore", KEY_NOT_COVERED, 0, NULL, "the optimizer works on projections"}, {"use_apollo", KEY_NOT_COVERED, 0, NULL, "the optimizer works on projections"},
    {"use_badam", KEY_NOT_COVERED, 0, NULL, "blocks are trained in turn"}, {"use_muon", KEY_NOT_FOLLOWED, 0, NULL, "is estimated as AdamW"}, {"use_adam_mini", KEY_NOT_FOLLOWED, 0, NULL, "is estimated as AdamW"},
    {"mixture_of_depths", KEY_NOT_COVERED, 0, NULL, "tokens skip layers"}, {"use_llama_pro", KEY_NOT_COVERED, 0, NULL, "most weights are frozen"}, {"use_unsloth", KEY_NOT_COVERED, 0, NULL, "kernels of unsloth"},
    {"use_kt", KEY_NOT_COVERED, 0, NULL, "experts on processors"}, {"freeze_*", KEY_NONE, 0, NULL, NULL}, {"image_max_pixels", KEY_NOT_COVERED, 0, NULL, "a model of images and text"},
    {"use_mca", KEY_NOT_COVERED, 0, NULL, "training by Megatron Core's adapter"}, {"shift_attn", KEY_NOT_COVERED, 0, NULL, "attention of another kind"},
    NONE("model_name_or_path"), NONE("template"), NONE("dataset"), NONE("media_dir"), NONE("mix_strategy"), NONE("interleave_probs"), NONE("max_samples"), NONE("overwrite_cache"), NONE("preprocessing_*"),
    NONE("plot_loss"), NONE("lora_*"), NONE("lora_r"), NONE("lora_rank"), NONE("lora_alpha"), NONE("lora_dropout"), NONE("lora_target"), NONE("lora_target_linear"), NONE("lora_target_modules.*"), NONE("lora_modules_to_save.*"), NONE("lora_fan_in_fan_out"), NONE("lora_model_dir"), NONE("adapter_*"), NONE("packing"), NONE("neat_packing"), NONE("val_size"), NONE("buffer_size"), NONE("streaming"), NONE("tokenized_path"), NONE("mask_history"),
    NONE("train_on_prompt"), NONE("ignore_pad_token_for_loss"), NONE("use_fast_tokenizer"), NONE("resize_vocab"), NONE("split_special_tokens"), NONE("new_special_tokens"), NONE("rope_scaling"), NONE("upcast_*"),
    NONE("cache_dir"), NONE("model_revision"), NONE("hf_hub_token"), NONE("pref_*"), NONE("ref_*"), NONE("galore_*"), NONE("apollo_*"), NONE("badam_*"), NONE("loraplus_*"), NONE("pissa_*"), NONE("infer_*"), NONE("video_*"),
    NONE("enable_thinking"), NONE("use_swanlab"), NONE("swanlab_*"), NONE("predict_with_generate"), NONE("compute_accuracy"), NONE("use_dft_loss"), NONE("use_asft_loss"), NONE("use_eaft_loss"), NONE("asft_alpha"), READ("use_reentrant_gc", KEY_FLAG, reentrant), NONE("tool_format"), NONE("low_cpu_mem_usage"), NONE("cp_mode"), NONE("sequence_parallel_mode"), NONE("quantization_method"), NONE("additional_target"), NONE("double_quantization"), NONE("kt_*"), NONE("oft_*"), NONE("create_new_adapter"), NONE("print_param_status"), NONE("tokenizer_*"), NONE("top_*"), NONE("temperature"), NONE("max_new_tokens"),
    {"use_megatron_bridge", KEY_NOT_COVERED, 0, NULL, "training by Megatron-Bridge"}, {"use_hyper_parallel", KEY_NOT_COVERED, 0, NULL, "training by another library"}, {"use_v1_kernels", KEY_NOT_FOLLOWED, 0, NULL, "kernels of another kind"}, {"use_audio_in_video", KEY_NOT_COVERED, 0, NULL, "a model of sound"},
    {"use_unsloth_gc", KEY_NOT_COVERED, 0, NULL, "recomputation by unsloth, with activations on the host"}, {"block_diag_attn", KEY_NONE, 0, NULL, NULL}, {"train_from_scratch", KEY_NONE, 0, NULL, NULL}, {"image_min_pixels", KEY_NOT_COVERED, 0, NULL, "a model of images and text"},
    NONE("add_*"), NONE("init_special_tokens"), NONE("data_shared_file_system"), NONE("default_system"), NONE("device_map*"), NONE("disable_shuffling"), NONE("download_mode"), NONE("dpo_*"), NONE("eaft_*"), NONE("early_stopping_steps"), NONE("export_*"), NONE("extra_config"), NONE("kto_*"), NONE("ld_alpha"), NONE("module_dropout"),
    NONE("moe_aux_loss_coef"), NONE("ms_hub_token"), NONE("om_hub_token"), NONE("new_special_tokens_config"), NONE("offload_folder"), NONE("ppo_*"), NONE("preserve_thinking"), NONE("reward_model*"), NONE("sglang_*"), NONE("vllm_*"), NONE("simpo_gamma"), NONE("skip_special_tokens"), NONE("use_dora"), NONE("use_rslora"), NONE("use_kv_cache"),
    NONE("enable_torch_profiler"), NONE("profile*"), NONE("master_*"), NONE("length_penalty"), NONE("repetition_penalty"), NONE("num_beams"), NONE("task*"), NONE("lang"), NONE("n_shot"), NONE("compute_dtype"), NONE("batch_size"), NONE("crop_to_patches"), NONE("audio_*"), NONE("image_do_pan_and_scan"), NONE("quantization_*"),
};
/* clang-format on */

/* ---- what follows from the settings ---- */

struct reading {
    const struct config_source *source;
    const struct settings *settings;
    struct trainer t;
    const struct rk_model *m;
    struct rk_plan *p;
    struct notes *notes;
    struct rk_error *error;
};

static enum rk_status fail(const struct reading *r, const char *text)
{
    return rk_fail(r->error, RK_BAD_INPUT, r->settings->path, 0, 0, "%s", text);
}

static enum rk_status refuse_kind(const struct reading *r, const char *key, const char *why)
{
    return settings_fail(r->settings, settings_find(r->settings, key), r->error,
                         "%s, which plans do not cover", why);
}

/* Trains all weights of one model? */
static enum rk_status check_kind(const struct reading *r)
{
    const struct trainer *t = &r->t;
    if (t->adapter && *t->adapter) return refuse_kind(r, "adapter", ADAPTER);
    if (t->finetuning && strcmp(t->finetuning, "full") != 0)
        return refuse_kind(r, "finetuning_type", ADAPTER);
    if (t->stage && strcmp(t->stage, "sft") != 0 && strcmp(t->stage, "pt") != 0)
        return refuse_kind(r, "stage", OTHER_LOSS);
    if (t->launch == LAUNCH_MEGATRON || t->launch > LAUNCH_ONE)
        return refuse_kind(r, "distributed_type", "not a run on GPUs by torch or DeepSpeed");
    return RK_OK;
}

static enum rk_status read_degrees(const struct reading *r)
{
    const struct trainer *t = &r->t;
    struct rk_plan *p = r->p;
    const uint64_t sizes[] = {t->tensor,    t->context, t->ring,       t->ulysses,
                              t->replicate, t->expert,  t->microbatch, t->accumulation};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] < 1 || sizes[i] > 1 << 24)
            return fail(r, "a degree or batch is not 1 to 2^24");
    p->tensor = t->tensor;
    p->context = t->context * t->ring * t->ulysses; /* at most one is above 1 */
    p->context_kind = t->ulysses > 1 ? RK_ULYSSES : t->ring > 1 || t->rotate ? RK_RING : RK_GATHER;
    if (p->context == 1) p->context_kind = RK_RING;
    p->expert = t->expert;
    p->ranks = r->source->gpus ? r->source->gpus : t->processes;
    const uint64_t sharded = t->shard > 0 ? (uint64_t)t->shard : 1;
    if (!p->ranks && t->shard > 0) p->ranks = sharded * t->replicate * p->tensor * p->context;
    if (!p->ranks) return fail(r, "nothing says how many GPUs are used: give --gpus N");
    if (p->ranks > 1 << 24 || p->ranks % (p->tensor * p->context))
        return fail(r, "the GPUs are not divisible by the degrees of tensor and context "
                       "parallelism: give another --gpus");
    return RK_OK;
}

static enum rk_status read_batch(const struct reading *r)
{
    const struct trainer *t = &r->t;
    struct rk_plan *p = r->p;
    p->microbatch = t->microbatch;
    p->batch = t->batch ? t->batch : t->microbatch * t->accumulation * rk_plan_data(p);
    if (p->batch % (p->microbatch * rk_plan_data(p)))
        return fail(r, "batch_size is no multiple of the microbatch times the data-parallel GPUs");
    p->sequence = t->sequence == r->m->sequence ? 0 : t->sequence;
    if (!t->sequence) {
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, r->m->sequence);
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "sequence", text, "the model's: the file has none");
    }
    if (!settings_find(r->settings, "per_device_train_batch_size") &&
        !settings_find(r->settings, "micro_batch_size") && !t->batch) {
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, t->microbatch);
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "per_device_train_batch_size", text,
                  "the trainer's default");
    }
    return RK_OK;
}

static void read_precision(const struct reading *r)
{
    const struct trainer *t = &r->t;
    const bool bf16 = t->bf16 || t->mixed == MIXED_BF16, fp16 = t->fp16 || t->mixed == MIXED_FP16;
    r->p->precision = t->fp8 || t->mixed == MIXED_FP8 ? RK_FP8_CURRENT
                      : bf16                          ? RK_BF16
                      : fp16                          ? RK_FP16
                      : t->tf32                       ? RK_TF32
                                                      : RK_FP32;
    r->p->weights_fp8 = t->gather && r->p->precision == RK_FP8_CURRENT;
    if (t->bf16 == 2)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "bf16", "auto",
                  "GPUs of today have it: taken as on");
}

/* AdamW, perhaps with moments in 8 bits; others are estimated as it. */
static void read_optimizer(const struct reading *r)
{
    const char *name = r->t.optimizer ? r->t.optimizer : "adamw";
    const bool narrow = strstr(name, "8bit");
    if (narrow) r->p->moment1_element_bytes = r->p->moment2_element_bytes = 1;
    if (strncmp(name, "adam", 4) != 0 && strncmp(name, "paged_adam", 10) != 0)
        notes_add(r->notes, NOTE_WARNING, 0, 0, "optimizer", name,
                  "is not followed: is estimated as AdamW, with two moments");
}

/* ---- DeepSpeed ---- */

enum { CONFIG_BYTES = 1 << 20 };

/* The file beside the configuration, or above it as far as four folders. */
static char *load_config(const struct reading *r)
{
    char path[4096], *text = NULL;
    size_t size;
    struct rk_error error;
    struct shell_word written = {.unknown = 0};
    const char *inner =
        r->source->script ? shell_file(r->source->script, r->t.deepspeed, &written) : NULL;
    if (inner) return written.unknown ? NULL : strdup(inner);
    const char *slash = strrchr(r->source->path, '/');
    int folder = slash ? (int)(slash - r->source->path) + 1 : 0;
    for (int up = 0; up < 5; up++) {
        snprintf(path, sizeof path, "%.*s%.*s%s", *r->t.deepspeed == '/' ? 0 : folder,
                 r->source->path, *r->t.deepspeed == '/' ? 0 : 3 * up, "../../../../../",
                 r->t.deepspeed);
        if (text_file_load(path, CONFIG_BYTES, &text, &size, &error) == RK_OK) return text;
    }
    return NULL;
}

static void put_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        if (strchr("\"\\", *text)) putc('\\', file);
        putc(*text, file);
    }
    putc('"', file);
}

/* Settings below "deepspeed." or given by words, as DeepSpeed's own. */
static char *inline_config(const struct reading *r)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file) return NULL;
    for (size_t i = 0; i < r->settings->count; i++) {
        const struct setting *s = &r->settings->setting[i];
        const bool below = strncmp(s->key, "deepspeed.", 10) == 0;
        if (!below && strncmp(s->key, "zero_optimization.", 18) != 0) continue;
        put_string(file, below ? s->key + 10 : s->key);
        fputs(": ", file);
        put_string(file, s->null ? "" : s->text);
        putc('\n', file);
    }
    fclose(file);
    if (size) return text;
    free(text);
    return NULL;
}

/* Remarks about settings of this file stand where these do. */
static void place_notes(const struct reading *r, int from)
{
    char key[128];
    for (int i = from; i < r->notes->count; i++) {
        struct rk_finding *note = &r->notes->note[i];
        snprintf(key, sizeof key, "deepspeed.%s", note->what);
        const struct setting *s = settings_find(r->settings, key);
        if (!s) s = settings_find(r->settings, note->what);
        if (!s) continue;
        snprintf(note->what, sizeof note->what, "%s", s->key);
        note->line = s->line;
        note->column = s->column;
    }
}

static enum rk_status read_deepspeed(const struct reading *r)
{
    struct deepspeed_choices c;
    const bool named = r->t.deepspeed && *r->t.deepspeed;
    const int before = r->notes->count;
    char *text = inline_config(r);
    const bool here = text != NULL;
    if (!text && named) text = load_config(r);
    if (!text && named)
        return settings_fail(r->settings, settings_find(r->settings, "deepspeed"), r->error,
                             "%.80s is not beside this file: give --set deepspeed=PATH, or --set "
                             "zero_optimization.stage=N",
                             r->t.deepspeed);
    const struct config_source source = {
        .path = named ? r->t.deepspeed : r->source->path, .text = text, .keys = r->source->keys};
    const enum rk_status status = deepspeed_choices(&source, &c, r->notes, r->error);
    free(text);
    if (here) place_notes(r, before);
    if (status != RK_OK && here) notes_refusal(r->notes, r->source->path, r->error);
    if (status != RK_OK) return status;
    deepspeed_choose(&c, r->p);
    r->p->precision = c.bf16 ? RK_BF16 : c.fp16 ? RK_FP16 : r->p->precision;
    return RK_OK;
}

/* accelerate's own short form. */
static void read_zero(const struct reading *r)
{
    const struct deepspeed_choices c = {.stage =
                                            (uint64_t)(r->t.zero_stage < 0 ? 2 : r->t.zero_stage),
                                        .optimizer_device = r->t.optimizer_device,
                                        .param_device = r->t.param_device,
                                        .overlap = -1,
                                        .accumulate = -1,
                                        .prefetch = 50000000,
                                        .ratio = 1};
    deepspeed_choose(&c, r->p);
}

/* ---- FSDP ---- */

static void read_fsdp(const struct reading *r)
{
    const struct trainer *t = &r->t;
    struct rk_plan *p = r->p;
    int strategy = t->strategy % 5;
    const char *words = t->fsdp ? t->fsdp : "";
    if (strstr(words, "shard_grad_op")) strategy = SHARD_GRAD_OP;
    if (strstr(words, "no_shard")) strategy = SHARD_NONE;
    if (strstr(words, "hybrid_shard")) strategy = SHARD_HYBRID;
    if (t->reshard >= 2) strategy = t->reshard - 2; /* older files give the strategy there */
    p->zero = strategy == SHARD_NONE ? 0 : 3;
    p->keep_gathered = strategy == SHARD_GRAD_OP || strategy == SHARD_HYBRID_GRAD_OP ||
                       (t->reshard == 0 && t->version == 2);
    p->weight_overlap = p->zero == 3;
    p->share[RK_SHARE_WEIGHTS][0] = p->share[RK_SHARE_OPTIMIZER][0] =
        (t->offload || strstr(words, "offload")) && p->zero == 3;
    if (strategy >= SHARD_HYBRID && t->machines > 1 && p->ranks % t->machines == 0)
        p->shard_ranks = p->ranks / t->machines; /* within a machine */
    const uint64_t all = rk_plan_data(p) * p->context;
    if (t->replicate > 1 && all % t->replicate == 0) p->shard_ranks = all / t->replicate;
}

static void read_kernels(const struct reading *r)
{
    const struct trainer *t = &r->t;
    static const enum rk_attention_kernel kernels[] = {RK_FLASH, RK_FLASH, RK_FLASH_3, RK_UNFUSED};
    r->p->attention = t->attention >= 0 && t->attention < 4 ? kernels[t->attention] : RK_FLASH;
    r->p->fused = t->compile || (t->liger && t->liger_mlp) ||
                  (t->liger && !settings_find(r->settings, "liger_rms_norm"));
    if ((t->checkpointing && !t->no_checkpointing) || t->fsdp_checkpointing)
        r->p->recompute = RK_WHOLE;
    r->p->recompute_to_end = t->checkpointing && !t->no_checkpointing && t->reentrant;
    if ((t->activation_offload || t->offloading > 0)) rk_plan_offload_activations(r->p, 1);
}

/* DeepSpeed's part and the trainer's arguments must agree, or the trainer stops. */
static enum rk_status check_accumulation(const struct reading *r)
{
    const struct setting *of_trainer = settings_find(r->settings, "gradient_accumulation_steps");
    const struct setting *of_deepspeed =
        settings_find(r->settings, "deepspeed_config.gradient_accumulation_steps");
    if (!of_trainer || !of_deepspeed || strcmp(of_trainer->text, of_deepspeed->text) == 0)
        return RK_OK;
    return settings_fail(r->settings, of_deepspeed, r->error,
                         "is not the gradient_accumulation_steps of the training, %s: the trainer "
                         "does not start so. Give one of them with --set",
                         of_trainer->text);
}

static enum rk_status interpret(struct reading *r)
{
    const struct trainer *t = &r->t;
    *r->p = rk_plan_default();
    r->p->framework = RK_FSDP;
    r->p->gradient_overlap = true;
    enum rk_status status = check_kind(r);
    if (status == RK_OK) status = check_accumulation(r);
    if (status == RK_OK) status = read_degrees(r);
    if (status == RK_OK) status = read_batch(r);
    if (status != RK_OK) return status;
    read_precision(r);
    read_kernels(r);
    read_optimizer(r);
    const bool fsdp = t->launch == LAUNCH_FSDP || (t->fsdp && *t->fsdp) ||
                      settings_has(r->settings, "fsdp_config.") || t->shard > 1;
    if (t->deepspeed || settings_has(r->settings, "deepspeed.") ||
        settings_has(r->settings, "zero_optimization."))
        return read_deepspeed(r);
    if (t->launch == LAUNCH_DEEPSPEED)
        read_zero(r);
    else if (fsdp)
        read_fsdp(r);
    else
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "sharding", "none",
                  "neither DeepSpeed nor FSDP is named: every GPU keeps all weights");
    return RK_OK;
}

static enum rk_status read_with(const struct key *keys, size_t count, const struct trainer *presets,
                                const struct config_source *source, const struct rk_model *model,
                                struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct settings settings;
    struct reading r = {source, &settings, *presets, model, plan, notes, error};
    enum rk_status status = settings_read(&settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    const bool whole = status == RK_OK;
    if (whole) status = keys_read(&settings, keys, count, &source->keys, &r.t, notes, error);
    if (status == RK_OK)
        status = interpret(&r);
    else if (whole && settings_has(&settings, "deepspeed.")) /* what else is wrong */
        status = read_deepspeed(&r);
    if (plan->framework != RK_FSDP) plan->recompute_to_end = false; /* they all do */
    settings_release(&settings);
    return status;
}

#define PRESETS                                                                                    \
    .accumulation = 1, .tensor = 1, .context = 1, .ring = 1, .ulysses = 1, .replicate = 1,         \
    .expert = 1, .machines = 1, .shard = -1, .reshard = -1, .attention = -1, .zero_stage = -1,     \
    .version = 1, .reentrant = true

enum rk_status trainer_read(const struct config_source *source, struct rk_model *model,
                            struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS, .microbatch = 8};
    return read_with(trainer_keys, sizeof trainer_keys / sizeof *trainer_keys, &presets, source,
                     model, plan, notes, error);
}

enum rk_status accelerate_read(const struct config_source *source, struct rk_model *model,
                               struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS, .microbatch = 1};
    return read_with(accelerate_keys, sizeof accelerate_keys / sizeof *accelerate_keys, &presets,
                     source, model, plan, notes, error);
}

enum rk_status axolotl_read(const struct config_source *source, struct rk_model *model,
                            struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS, .microbatch = 1};
    return read_with(axolotl_keys, sizeof axolotl_keys / sizeof *axolotl_keys, &presets, source,
                     model, plan, notes, error);
}

enum rk_status llama_factory_read(const struct config_source *source, struct rk_model *model,
                                  struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    static const struct trainer presets = {PRESETS, .microbatch = 8, .checkpointing = true,
                                           .sequence = 2048};
    return read_with(llama_factory_keys, sizeof llama_factory_keys / sizeof *llama_factory_keys,
                     &presets, source, model, plan, notes, error);
}
