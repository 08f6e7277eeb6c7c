#include "interop/deepspeed.h"
#include "interop/target.h"
#include "plan/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

#define AT(member) offsetof(struct deepspeed_choices, member)

/* clang-format off */
static const struct key keys[] = {
    {"train_batch_size",                             KEY_COUNT, AT(batch), NULL, NULL},
    {"train_micro_batch_size_per_gpu",               KEY_COUNT, AT(microbatch), NULL, NULL},
    {"gradient_accumulation_steps",                  KEY_COUNT, AT(accumulation), NULL, NULL},
    {"sequence_parallel_size",                       KEY_COUNT, AT(sequence), NULL, NULL},
    {"tensor_parallel.autotp_size",                  KEY_COUNT, AT(autotp), NULL, NULL},
    {"tensor_parallel.*",                            KEY_NONE, 0, NULL, NULL},
    {"bf16.enabled",                                 KEY_FLAG, AT(bf16), NULL, NULL},
    {"bfloat16.enabled",                             KEY_FLAG, AT(bf16), NULL, NULL},
    {"fp16.enabled",                                 KEY_FLAG, AT(fp16), NULL, NULL},
    {"fp16.loss_scale",                              KEY_NUMBER, AT(loss_scale), NULL, NULL},
    {"bf16.immediate_grad_update", KEY_NONE, 0, NULL, NULL},
    {"bf16.check_grad_overflow", KEY_NONE, 0, NULL, NULL},
    {"bf16.bf16_master_weights_and_grads", KEY_FLAG, AT(narrow_master), NULL, NULL},
    {"bf16.bf16_optimizer_states", KEY_FLAG, AT(narrow_moments), NULL, NULL},
    {"bf16.check_overflow", KEY_NONE, 0, NULL, NULL},
    {"fp16.auto_cast", KEY_NONE, 0, NULL, NULL},
    {"fp16.auto_cast_fp16", KEY_NONE, 0, NULL, NULL},
    {"fp16.initial_scale_power", KEY_NONE, 0, NULL, NULL},
    {"fp16.loss_scale_window", KEY_NONE, 0, NULL, NULL},
    {"fp16.hysteresis", KEY_NONE, 0, NULL, NULL},
    {"fp16.consecutive_hysteresis", KEY_NONE, 0, NULL, NULL},
    {"fp16.min_loss_scale", KEY_NONE, 0, NULL, NULL},
    {"fp16.fp16_master_weights_and_grads", KEY_FLAG, AT(narrow_master), NULL, NULL},
    {"fp16.opt_level", KEY_NONE, 0, NULL, NULL},
    {"data_types.grad_accum_dtype",                  KEY_WORD, AT(accumulate), "fp32|fp16|bf16", NULL},
    {"zero_optimization.stage",                      KEY_COUNT, AT(stage), NULL, NULL},
    {"zero_optimization.overlap_comm",               KEY_WORD, AT(overlap), "false|true", NULL},
    {"zero_optimization.stage3_prefetch_bucket_size", KEY_COUNT, AT(prefetch), NULL, NULL},
    {"zero_optimization.prefetch_bucket_size",       KEY_COUNT, AT(prefetch), NULL, NULL},
    {"zero_optimization.mics_shard_size",            KEY_COUNT, AT(mics), NULL, NULL},
    {"zero_optimization.zero_hpz_partition_size",    KEY_NOT_FOLLOWED, 0, "1", "a second copy of the weights' shards is kept within nodes"},
    {"zero_optimization.zero_quantized_weights",     KEY_NOT_FOLLOWED, 0, NULL, "weights are gathered in 8 bits"},
    {"zero_optimization.zero_quantized_nontrainable_weights", KEY_NOT_FOLLOWED, 0, NULL, "frozen weights are kept in 8 bits"},
    {"zero_optimization.zero_quantized_gradients",   KEY_NOT_FOLLOWED, 0, NULL, "gradients are reduced in 4 bits"},
    {"zero_optimization.offload_optimizer.device",   KEY_WORD, AT(optimizer_device), "none|cpu|nvme", NULL},
    {"zero_optimization.offload_optimizer.ratio",    KEY_NUMBER, AT(ratio), NULL, NULL},
    {"zero_optimization.offload_param.device",       KEY_WORD, AT(param_device), "none|cpu|nvme", NULL},
    {"zero_optimization.cpu_offload",                KEY_WORD, AT(optimizer_device), "false|true", NULL},
    {"zero_optimization.cpu_offload_params",         KEY_WORD, AT(param_device), "false|true", NULL},
    /* sizes of buckets, checkpoints: deepspeed/runtime/zero/config.py and offload_config.py */
    {"zero_optimization.allgather_partitions", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.allgather_bucket_size", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.reduce_scatter", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.reduce_bucket_size", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.contiguous_gradients", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.load_from_fp32_weights", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.elastic_checkpoint", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.sub_group_size", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.cpu_offload_param", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.cpu_offload_use_pin_memory", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.param_persistence_threshold", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_param_persistence_threshold", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.model_persistence_threshold", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_model_persistence_threshold", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.max_live_parameters", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_max_live_parameters", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.max_reuse_distance", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_max_reuse_distance", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.gather_16bit_weights_on_model_save", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_gather_16bit_weights_on_model_save", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_gather_fp16_weights_on_model_save", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.module_granularity_threshold", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_module_granularity_threshold", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.use_all_reduce_for_fetch_params", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_use_all_reduce_for_fetch_params", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.allgather_sequential", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.stage3_allgather_sequential", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.use_multi_rank_bucket_allreduce", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.ignore_unused_parameters", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.legacy_stage1", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.round_robin_gradients", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.zeropp_loco_param.*", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.mics_hierarchical_params_gather", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.memory_efficient_linear", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.pipeline_loading_checkpoint", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.override_module_apply", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.log_trace_cache_warnings", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.enable_sanity_checks", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.save_muon_momentum_buffer_in_memory", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.leaf_module.*", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.zenflow.*", KEY_NOT_COVERED, 0, NULL, "updates of the optimizer are spread over steps"},
    {"zero_optimization.offload_optimizer.nvme_path", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_optimizer.buffer_count", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_optimizer.pin_memory", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_optimizer.pipeline", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_optimizer.pipeline_read", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_optimizer.pipeline_write", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_optimizer.fast_init", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_optimizer.super_offload", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_optimizer.cpuadam_cores_perc", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_param.nvme_path", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_param.buffer_count", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_param.buffer_size", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_param.max_in_cpu", KEY_NONE, 0, NULL, NULL},
    {"zero_optimization.offload_param.pin_memory", KEY_NONE, 0, NULL, NULL},
    {"activation_checkpointing.cpu_checkpointing",   KEY_FLAG, AT(cpu_checkpointing), NULL, NULL},
    {"activation_checkpointing.partition_activations", KEY_FLAG, AT(partition), NULL, NULL},
    {"activation_checkpointing.number_checkpoints", KEY_NONE, 0, NULL, NULL},
    {"activation_checkpointing.contiguous_memory_optimization", KEY_NONE, 0, NULL, NULL},
    {"activation_checkpointing.synchronize_checkpoint_boundary", KEY_NONE, 0, NULL, NULL},
    {"activation_checkpointing.profile", KEY_NONE, 0, NULL, NULL},
    {"pipeline.stages", KEY_COUNT, AT(stages), NULL, NULL},
    {"pipeline.partition", KEY_NONE, 0, NULL, NULL},
    {"pipeline.seed_layers", KEY_NONE, 0, NULL, NULL},
    {"pipeline.activation_checkpoint_interval", KEY_NONE, 0, NULL, NULL},
    {"pipeline.pipe_partitioned", KEY_NONE, 0, NULL, NULL},
    {"pipeline.grad_partitioned", KEY_NONE, 0, NULL, NULL},
    {"pipeline.use_reentrant", KEY_NONE, 0, NULL, NULL},
    {"optimizer.type", KEY_NONE, 0, NULL, NULL},     {"optimizer.*", KEY_NONE, 0, NULL, NULL},
    {"fp32_allreduce",                               KEY_NOT_FOLLOWED, 0, NULL, "gradients are reduced in fp32"},
    {"communication_data_type",                      KEY_NONE, 0, NULL, NULL},
    {"seq_parallel_communication_data_type",         KEY_NONE, 0, NULL, NULL},
    {"curriculum_learning.enabled",                  KEY_NOT_FOLLOWED, 0, NULL, "shorter sequences at first"},
    {"data_efficiency.enabled",                      KEY_NOT_FOLLOWED, 0, NULL, "data is chosen while training"},
    {"progressive_layer_drop.enabled",               KEY_NOT_COVERED, 0, NULL, "layers are dropped"},
    {"compression_training.*",                       KEY_NOT_FOLLOWED, 0, NULL, "the model is compressed while training"},
    {"sparse_attention.*",                           KEY_NOT_COVERED, 0, NULL, "attention is sparse"},
    {"quantize_training.enabled",                    KEY_NOT_FOLLOWED, 0, NULL, "the model is quantized while training"},
    {"amp.enabled",                                  KEY_NOT_COVERED, 0, NULL, "mixed precision is NVIDIA apex's"},
    {"torch_autocast.*", KEY_NONE, 0, NULL, NULL},   {"compile.*", KEY_NONE, 0, NULL, NULL},
    {"zenflow.*",                                    KEY_NOT_COVERED, 0, NULL, "updates of the optimizer are spread over steps"},
    {"superoffload.*",                               KEY_NOT_FOLLOWED, 0, NULL, "the optimizer moves in buckets"},
    {"curriculum_learning.*", KEY_NONE, 0, NULL, NULL}, {"data_efficiency.*", KEY_NONE, 0, NULL, NULL},
    {"progressive_layer_drop.*", KEY_NONE, 0, NULL, NULL}, {"quantize_training.*", KEY_NONE, 0, NULL, NULL},
    {"amp.*", KEY_NONE, 0, NULL, NULL},              {"data_types.*", KEY_NONE, 0, NULL, NULL},
    {"scheduler.*", KEY_NONE, 0, NULL, NULL},        {"aio.*", KEY_NONE, 0, NULL, NULL},
    {"_*", KEY_NONE, 0, NULL, NULL},                 {"comment*", KEY_NONE, 0, NULL, NULL},
    {"monitor_config.*", KEY_NONE, 0, NULL, NULL},
    {"flops_profiler.*", KEY_NONE, 0, NULL, NULL},   {"comms_logger.*", KEY_NONE, 0, NULL, NULL},
    {"tensorboard.*", KEY_NONE, 0, NULL, NULL},      {"wandb.*", KEY_NONE, 0, NULL, NULL},
    {"comet.*", KEY_NONE, 0, NULL, NULL},            {"csv_monitor.*", KEY_NONE, 0, NULL, NULL},
    {"autotuning.*", KEY_NONE, 0, NULL, NULL},       {"elasticity.*", KEY_NONE, 0, NULL, NULL},
    {"checkpoint.*", KEY_NONE, 0, NULL, NULL},       {"nebula.*", KEY_NONE, 0, NULL, NULL},
    {"eigenvalue.*", KEY_NONE, 0, NULL, NULL},       {"hybrid_engine.*", KEY_NONE, 0, NULL, NULL},
    {"prescale_gradients", KEY_NONE, 0, NULL, NULL}, {"gradient_predivide_factor", KEY_NONE, 0, NULL, NULL},
    {"sparse_gradients", KEY_NONE, 0, NULL, NULL},   {"gradient_clipping", KEY_NONE, 0, NULL, NULL},
    {"steps_per_print", KEY_NONE, 0, NULL, NULL},    {"wall_clock_breakdown", KEY_NONE, 0, NULL, NULL},
    {"memory_breakdown", KEY_NONE, 0, NULL, NULL},   {"dump_state", KEY_NONE, 0, NULL, NULL},
    {"zero_allow_untested_optimizer", KEY_NONE, 0, NULL, NULL}, {"zero_force_ds_cpu_optimizer", KEY_NONE, 0, NULL, NULL},
    {"dataloader_drop_last", KEY_NONE, 0, NULL, NULL}, {"disable_allgather", KEY_NONE, 0, NULL, NULL},
    {"checkpoint_parallel_write_pipeline", KEY_NONE, 0, NULL, NULL}, {"graph_harvesting", KEY_NONE, 0, NULL, NULL},
    {"use_data_before_expert_parallelism", KEY_NONE, 0, NULL, NULL}, {"timers.*", KEY_NONE, 0, NULL, NULL},
    {"gradient_allreduce_op", KEY_NONE, 0, NULL, NULL}, {"managed_gradient_accumulation", KEY_NONE, 0, NULL, NULL},
    {"log_level", KEY_NONE, 0, NULL, NULL},
    {"profiling.*", KEY_NONE, 0, NULL, NULL}, /* of X-MoE */
    {"_comment*", KEY_NONE, 0, NULL, NULL},          {"comms_config.*", KEY_NONE, 0, NULL, NULL},
    /* of sections that decide nothing here, what DeepSpeed knows: its runtime/config.py and those it names */
    {"aio.block_size", KEY_NONE, 0, NULL, NULL}, {"aio.queue_depth", KEY_NONE, 0, NULL, NULL}, {"aio.thread_count", KEY_NONE, 0, NULL, NULL},
    {"aio.intra_op_parallelism", KEY_NONE, 0, NULL, NULL}, {"aio.single_submit", KEY_NONE, 0, NULL, NULL}, {"aio.overlap_events", KEY_NONE, 0, NULL, NULL},
    {"aio.use_gds", KEY_NONE, 0, NULL, NULL}, {"comms_logger.enabled", KEY_NONE, 0, NULL, NULL}, {"comms_logger.verbose", KEY_NONE, 0, NULL, NULL},
    {"comms_logger.prof_all", KEY_NONE, 0, NULL, NULL}, {"comms_logger.debug", KEY_NONE, 0, NULL, NULL}, {"comms_logger.prof_ops.*", KEY_NONE, 0, NULL, NULL},
    {"flops_profiler.enabled", KEY_NONE, 0, NULL, NULL}, {"flops_profiler.profile_step", KEY_NONE, 0, NULL, NULL}, {"flops_profiler.module_depth", KEY_NONE, 0, NULL, NULL},
    {"flops_profiler.top_modules", KEY_NONE, 0, NULL, NULL}, {"flops_profiler.detailed", KEY_NONE, 0, NULL, NULL}, {"flops_profiler.output_file", KEY_NONE, 0, NULL, NULL},
    {"flops_profiler.recompute_fwd_factor", KEY_NONE, 0, NULL, NULL}, {"tensorboard.enabled", KEY_NONE, 0, NULL, NULL}, {"tensorboard.job_name", KEY_NONE, 0, NULL, NULL},
    {"tensorboard.output_path", KEY_NONE, 0, NULL, NULL}, {"wandb.enabled", KEY_NONE, 0, NULL, NULL}, {"wandb.job_name", KEY_NONE, 0, NULL, NULL},
    {"wandb.output_path", KEY_NONE, 0, NULL, NULL}, {"csv_monitor.enabled", KEY_NONE, 0, NULL, NULL}, {"csv_monitor.job_name", KEY_NONE, 0, NULL, NULL},
    {"csv_monitor.output_path", KEY_NONE, 0, NULL, NULL}, {"comet.enabled", KEY_NONE, 0, NULL, NULL}, {"comet.job_name", KEY_NONE, 0, NULL, NULL},
    {"comet.output_path", KEY_NONE, 0, NULL, NULL}, {"wandb.team", KEY_NONE, 0, NULL, NULL}, {"wandb.group", KEY_NONE, 0, NULL, NULL},
    {"wandb.project", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.lr", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.betas", KEY_NONE, 0, NULL, NULL},
    {"optimizer.params.eps", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.weight_decay", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.torch_adam", KEY_NONE, 0, NULL, NULL},
    {"optimizer.params.adam_w_mode", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.adamw_mode", KEY_NONE, 0, NULL, NULL},
    {"optimizer.params.bias_correction", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.amsgrad", KEY_NONE, 0, NULL, NULL},
    {"optimizer.params.momentum", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.max_coeff", KEY_NONE, 0, NULL, NULL},
    {"optimizer.params.min_coeff", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.freeze_step", KEY_NONE, 0, NULL, NULL},
    {"optimizer.params.cuda_aware", KEY_NONE, 0, NULL, NULL}, {"optimizer.params.comm_backend_name", KEY_NONE, 0, NULL, NULL}, {"scheduler.type", KEY_NONE, 0, NULL, NULL},
    {"scheduler.params.warmup_min_lr", KEY_NONE, 0, NULL, NULL}, {"scheduler.params.warmup_max_lr", KEY_NONE, 0, NULL, NULL},
    {"scheduler.params.warmup_num_steps", KEY_NONE, 0, NULL, NULL}, {"scheduler.params.warmup_type", KEY_NONE, 0, NULL, NULL},
    {"scheduler.params.warmup_min_ratio", KEY_NONE, 0, NULL, NULL}, {"scheduler.params.cos_min_ratio", KEY_NONE, 0, NULL, NULL},
    {"scheduler.params.total_num_steps", KEY_NONE, 0, NULL, NULL}, {"scheduler.params.last_batch_iteration", KEY_NONE, 0, NULL, NULL},
    {"scheduler.params.cycle_min_lr", KEY_NONE, 0, NULL, NULL}, {"scheduler.params.cycle_max_lr", KEY_NONE, 0, NULL, NULL},
    {"scheduler.params.cycle_first_step_size", KEY_NONE, 0, NULL, NULL}, {"scheduler.params.cycle_second_step_size", KEY_NONE, 0, NULL, NULL},
    {"checkpoint.tag_validation", KEY_NONE, 0, NULL, NULL}, {"checkpoint.load_universal", KEY_NONE, 0, NULL, NULL},
    {"checkpoint.use_node_local_storage", KEY_NONE, 0, NULL, NULL}, {"torch_autocast.enabled", KEY_NONE, 0, NULL, NULL}, {"torch_autocast.dtype", KEY_NONE, 0, NULL, NULL},
    {"torch_autocast.lower_precision_safe_modules.*", KEY_NONE, 0, NULL, NULL}, {"compile.enabled", KEY_NONE, 0, NULL, NULL}, {"compile.backend", KEY_NONE, 0, NULL, NULL},
    {"compile.kwargs.*", KEY_NONE, 0, NULL, NULL}, {"compile.deepcompile", KEY_NONE, 0, NULL, NULL}, {"elasticity.enabled", KEY_NONE, 0, NULL, NULL},
    {"elasticity.max_train_batch_size", KEY_NONE, 0, NULL, NULL}, {"elasticity.micro_batch_sizes.*", KEY_NONE, 0, NULL, NULL},
    {"elasticity.min_gpus", KEY_NONE, 0, NULL, NULL}, {"elasticity.max_gpus", KEY_NONE, 0, NULL, NULL}, {"elasticity.min_time", KEY_NONE, 0, NULL, NULL},
    {"elasticity.version", KEY_NONE, 0, NULL, NULL}, {"elasticity.prefer_larger_batch", KEY_NONE, 0, NULL, NULL},
    {"elasticity.ignore_non_elastic_batch_info", KEY_NONE, 0, NULL, NULL},
    {"heterogeneous_rank_order.*", KEY_NONE, 0, NULL, NULL}, {"weight_decay", KEY_NONE, 0, NULL, NULL},
};
/* clang-format on */

enum { KEYS = sizeof keys / sizeof *keys };

static void refuse_range(const struct settings *settings, const char *key, struct notes *notes,
                         const char *range)
{
    const struct setting *s = settings_find(settings, key);
    if (s && !s->null)
        notes_add_rule(notes, "1.value", NOTE_REFUSED, s->line, s->column, s->key, s->text, "",
                       "must be %s", range);
}

static void check_ranges(const struct settings *settings, const struct deepspeed_choices *c,
                         const struct key_options *options, struct notes *notes)
{
    if (c->stage > 3) refuse_range(settings, "zero_optimization.stage", notes, "0 to 3");
    if (c->ratio < 0 || c->ratio > 1)
        refuse_range(settings, "zero_optimization.offload_optimizer.ratio", notes, "0 to 1");
    const struct {
        const char *key;
        uint64_t value;
    } batches[] = {{"train_batch_size", c->batch},
                   {"train_micro_batch_size_per_gpu", c->microbatch},
                   {"gradient_accumulation_steps", c->accumulation}};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        if (!batches[i].value &&
            !key_ignored(options->ignored, options->ignored_count, batches[i].key, true))
            refuse_range(settings, batches[i].key, notes, "at least 1");
}

enum rk_status deepspeed_choices(const struct config_source *source, struct deepspeed_choices *c,
                                 struct notes *notes, struct rk_error *error)
{
    struct settings settings;
    *c = (struct deepspeed_choices){.prefetch = 50000000,
                                    .autotp = 1,
                                    .sequence = 1,
                                    .ratio = 1,
                                    .overlap = -1,
                                    .accumulate = -1};
    enum rk_status status = settings_read(&settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    for (size_t i = 0; i < settings.count; i++) { /* what the trainer fills in */
        struct setting *s = &settings.setting[i];
        if (strcmp(s->text, "auto") != 0) continue;
        c->auto_precision |= !strcmp(s->key, "bf16.enabled") || !strcmp(s->key, "fp16.enabled");
        c->auto_batch |= !strcmp(s->key, "train_batch_size") ||
                         !strcmp(s->key, "train_micro_batch_size_per_gpu");
        s->null = true;
    }
    const bool whole = status == RK_OK;
    if (whole) status = keys_read(&settings, keys, KEYS, &source->keys, c, notes, error);
    if (whole) check_ranges(&settings, c, &source->keys, notes);
    if (status == RK_OK) status = notes_refusal(notes, source->path, error);
    settings_release(&settings);
    if (status == RK_OK &&
        (c->optimizer_device == DEEPSPEED_NVME || c->param_device == DEEPSPEED_NVME))
        notes_add(notes, NOTE_WARNING, 0, 0, "device", "nvme",
                  "is estimated as the second memory tier");
    return status;
}

void deepspeed_choose(const struct deepspeed_choices *c, struct rk_plan *plan)
{
    static const int bytes[] = {4, 2, 2};
    plan->framework = RK_DEEPSPEED;
    plan->zero = (int)c->stage;
    plan->gradient_overlap = c->overlap < 0 ? c->stage == 3 : c->overlap;
    plan->weight_overlap = c->stage == 3 && c->prefetch > 0;
    plan->shard_ranks = c->stage == 3 ? c->mics : 0;
    plan->gradient_element_bytes = c->accumulate < 0 ? 0 : bytes[c->accumulate];
    if (c->narrow_master) plan->master_element_bytes = plan->gradient_element_bytes = 2;
    if (c->narrow_moments) plan->moment1_element_bytes = plan->moment2_element_bytes = 2;
    plan->share[RK_SHARE_OPTIMIZER][0] = c->optimizer_device && c->stage ? c->ratio : 0;
    plan->share[RK_SHARE_WEIGHTS][0] = c->param_device && c->stage == 3;
}

/* batch = microbatch * accumulation * data: what is missing follows, as DeepSpeed has it. */
static enum rk_status derive_batch(const char *path, struct deepspeed_choices *c, uint64_t data,
                                   struct rk_error *error)
{
    if (!c->microbatch && c->batch && c->accumulation)
        c->microbatch = c->batch / c->accumulation / data;
    if (!c->microbatch && c->batch) c->microbatch = c->batch / data;
    if (!c->microbatch)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "train_micro_batch_size_per_gpu is missing or auto: give it, or "
                       "train_batch_size, with --set train_micro_batch_size_per_gpu=N");
    if ((double)c->microbatch * (double)(c->accumulation ? c->accumulation : 1) * (double)data >
        1e15)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "the batch is larger than 1e15 samples");
    if (!c->batch) c->batch = c->microbatch * (c->accumulation ? c->accumulation : 1) * data;
    if (c->batch % (c->microbatch * data) ||
        (c->accumulation && c->batch != c->microbatch * c->accumulation * data))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "train_batch_size %" PRIu64 " is not train_micro_batch_size_per_gpu %" PRIu64
                       " * gradient_accumulation_steps * %" PRIu64 " data-parallel GPUs: correct "
                       "one of them, or give --gpus",
                       c->batch, c->microbatch, data);
    return RK_OK;
}

enum { MOST_RANKS = 1 << 24 };

static uint64_t derive_gpus(const struct deepspeed_choices *c)
{
    const uint64_t model = c->autotp * c->sequence;
    if (c->batch && c->microbatch && c->accumulation &&
        c->batch % (c->microbatch * c->accumulation) == 0)
        return c->batch / (c->microbatch * c->accumulation) * model;
    return model;
}

static void fill(const struct deepspeed_choices *c, uint64_t gpus, struct rk_plan *plan)
{
    *plan = plan_of_framework(RK_DEEPSPEED);
    deepspeed_choose(c, plan);
    plan->precision = c->bf16 ? RK_BF16 : c->fp16 ? RK_FP16 : RK_FP32;
    plan->ranks = gpus;
    plan->tensor = c->autotp;
    plan->context = c->sequence;
    plan->context_kind = c->sequence > 1 ? RK_ULYSSES : RK_RING;
    plan->batch = c->batch;
    plan->microbatch = c->microbatch;
}

static enum rk_status check(const struct config_source *source, const struct deepspeed_choices *c,
                            uint64_t gpus, struct rk_error *error)
{
    const double degrees = (double)c->autotp * (double)c->sequence;
    if (!c->bf16 && !c->fp16 && c->auto_precision)
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                       "bf16.enabled is auto: give --set bf16.enabled=true, or fp16.enabled");
    if (degrees < 1 || degrees > MOST_RANKS)
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                       "parallel degrees must be at least 1, and make at most %d ranks",
                       MOST_RANKS);
    if (gpus > MOST_RANKS)
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0, "more than %d GPUs", MOST_RANKS);
    if (gpus % (c->autotp * c->sequence))
        return rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                       "%" PRIu64 " GPUs are not divisible by autotp_size * "
                       "sequence_parallel_size = %" PRIu64,
                       gpus, c->autotp * c->sequence);
    return RK_OK;
}

enum rk_status deepspeed_read(const struct config_source *source, struct rk_model *model,
                              struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct deepspeed_choices c;
    (void)model;
    enum rk_status status = deepspeed_choices(source, &c, notes, error);
    if (status != RK_OK) return status;
    const uint64_t gpus = source->gpus ? source->gpus : derive_gpus(&c);
    status = check(source, &c, gpus, error);
    if (status == RK_OK)
        status = derive_batch(source->path, &c, gpus / (c.autotp * c.sequence), error);
    if (status != RK_OK) return status;
    fill(&c, gpus, plan);
    if (c.cpu_checkpointing)
        notes_add(notes, NOTE_WARNING, 0, 0, "cpu_checkpointing", "true",
                  "has effect only where the training code recomputes: say recompute=full "
                  "offload-activations=1 in the plan if it does");
    notes_add(notes, NOTE_ASSUMED, 0, 0, "recompute", "none", "the training code decides it");
    notes_add(notes, NOTE_ASSUMED, 0, 0, "attention", "flash", "the training code decides it");
    return RK_OK;
}

/* ---- writing ---- */

/* What the training code decides. */
static const char *const outside[] = {"recompute",
                                      "recompute_parts",
                                      "recompute_layers",
                                      "recompute_every",
                                      "recompute_stride",
                                      "attention",
                                      "fused",
                                      "full_attention",
                                      "context_contiguous",
                                      "frozen",
                                      "cuda_graphs",
                                      "grouped",
                                      "imbalance",
                                      "capacity_factor",
                                      "capacity_padded",
                                      "dispatcher",
                                      "expert",
                                      "expert_tensor",
                                      "vocabulary_multiple",
                                      "sequence",
                                      "sequence_parallel",
                                      "tensor_overlap",
                                      "activation_offload",
                                      "expert_overlap",
                                      NULL};

static const char *yes(bool flag)
{
    return flag ? "true" : "false";
}

/* What the plan does not ask for keeps DeepSpeed's default: with ZeRO-3 both overlaps are on. */
static void write_overlap(FILE *file, const struct rk_plan *p)
{
    if (p->zero == 3 && !p->gradient_overlap && !p->weight_overlap) return;
    if (p->zero == 3)
        fprintf(file, "        \"stage3_prefetch_bucket_size\": %d,\n",
                p->weight_overlap ? 50000000 : 0);
    if (p->zero == 3 || p->gradient_overlap)
        fprintf(file, "        \"overlap_comm\": %s,\n", yes(p->gradient_overlap));
}

static void write_zero(FILE *file, const struct rk_plan *p)
{
    fprintf(file, "    \"zero_optimization\": {\n");
    if (p->zero)
        fprintf(file,
                "        \"contiguous_gradients\": true,\n        \"reduce_scatter\": true,\n");
    if (p->zero && rk_plan_offloaded(p, RK_SHARE_OPTIMIZER) > 0)
        fprintf(file,
                "        \"offload_optimizer\": {\"device\": \"cpu\", \"pin_memory\": true, "
                "\"ratio\": %.17g},\n",
                rk_plan_offloaded(p, RK_SHARE_OPTIMIZER));
    if (p->zero == 3) {
        if (rk_plan_offloaded(p, RK_SHARE_WEIGHTS) > 0)
            fprintf(file,
                    "        \"offload_param\": {\"device\": \"cpu\", \"pin_memory\": true},\n");
        fprintf(file, "        \"stage3_gather_16bit_weights_on_model_save\": true,\n");
        if (p->shard_ranks)
            fprintf(file, "        \"mics_shard_size\": %" PRIu64 ",\n", p->shard_ranks);
    }
    write_overlap(file, p);
    fprintf(file, "        \"stage\": %d\n    },\n", p->zero);
}

static bool has_narrow_master(const struct rk_plan *p)
{
    return p->zero && p->precision >= RK_FP16 && p->master_element_bytes == 2 &&
           p->gradient_element_bytes == 2;
}

static void write_config(FILE *file, const struct rk_plan *p)
{
    const uint64_t data = rk_plan_data(p);
    fprintf(file,
            "{\n    \"train_batch_size\": %" PRIu64 ",\n"
            "    \"train_micro_batch_size_per_gpu\": %" PRIu64 ",\n"
            "    \"gradient_accumulation_steps\": %" PRIu64 ",\n",
            p->batch, p->microbatch, p->batch / (p->microbatch * data));
    write_zero(file, p);
    if (p->tensor > 1)
        fprintf(file, "    \"tensor_parallel\": {\"autotp_size\": %" PRIu64 "},\n", p->tensor);
    if (p->context > 1) fprintf(file, "    \"sequence_parallel_size\": %" PRIu64 ",\n", p->context);
    if (p->recompute != RK_KEEP)
        fprintf(file,
                "    \"activation_checkpointing\": {\"partition_activations\": %s, "
                "\"cpu_checkpointing\": %s},\n",
                yes(p->checkpoint_sharded), yes(rk_plan_offloaded(p, RK_SHARE_ATTENTION) > 0));
    if (p->gradient_element_bytes > 0)
        fprintf(file, "    \"data_types\": {\"grad_accum_dtype\": \"%s\"},\n",
                p->gradient_element_bytes == 4 ? "fp32"
                : p->precision == RK_FP16      ? "fp16"
                                               : "bf16");
    const char *precision = p->precision == RK_FP16 ? "fp16" : "bf16";
    fprintf(file, "    \"gradient_clipping\": 1.0,\n");
    fprintf(file, "    \"%s\": {\"enabled\": %s", precision, yes(p->precision >= RK_FP16));
    if (has_narrow_master(p)) fprintf(file, ", \"%s_master_weights_and_grads\": true", precision);
    if (has_narrow_master(p) && p->precision != RK_FP16 && p->moment1_element_bytes == 2 &&
        p->moment2_element_bytes == 2)
        fprintf(file, ", \"bf16_optimizer_states\": true");
    fprintf(file, "}\n}\n");
}

static void refuse(const struct rk_model *m, const struct rk_plan *p, struct notes *notes)
{
    const uint64_t data = rk_plan_data(p);
    (void)m;
    if (p->pipeline > 1)
        notes_add(notes, NOTE_REFUSED, 0, 0, "pipeline", "",
                  "%" PRIu64 " stages need a model that is written as a PipelineModule: no "
                  "ds_config.json makes them. Give a plan with pipeline 1, or export to megatron",
                  p->pipeline);
    if (!data || p->batch % (p->microbatch * data))
        notes_add(notes, NOTE_REFUSED, 0, 0, "batch", "",
                  "is not divisible by microbatch * data parallelism");
}

static void write_file(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                       uint64_t gpus_per_node)
{
    (void)m;
    (void)gpus_per_node;
    write_config(file, p);
}

const struct target deepspeed_target = {.name = "ds_config.json",
                                        .file = "ds_config.json",
                                        .refuse = refuse,
                                        .write = write_file,
                                        .read = deepspeed_read,
                                        .given_gpus = true,
                                        .outside = outside};
