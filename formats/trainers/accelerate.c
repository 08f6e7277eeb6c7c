#include "trainers/accelerate.h"
#include "keys/launch_file.h"
#include "keys/target.h"

#include <inttypes.h>
#include <string.h>

enum kind { ONE, PLAIN, DEEPSPEED, FSDP };

static enum kind kind_of(const struct rk_plan *p)
{
    if (p->framework == RK_DEEPSPEED) return DEEPSPEED;
    if (p->zero) return FSDP;
    return p->ranks > 1 ? PLAIN : ONE;
}

static const char *yes(bool flag)
{
    return flag ? "true" : "false";
}

static uint64_t accumulation(const struct rk_plan *p)
{
    return p->batch / (p->microbatch * rk_plan_data(p));
}

static bool offloaded(const struct rk_plan *p, enum rk_share share)
{
    return rk_plan_offloaded(p, share) > 0;
}

/* Copies of the weights: data ranks that shard nothing among them. */
static uint64_t replicas(const struct rk_plan *p)
{
    const uint64_t data = rk_plan_data(p);
    const uint64_t shard = p->shard_ranks / p->context; /* of data ranks */
    if (!p->shard_ranks || p->shard_ranks % p->context || data % shard || shard < 2) return 1;
    return data / shard;
}

/* ---- the training code's arguments ---- */

/* torch's context parallelism is of its own attention alone. */
static const char *attention(const struct rk_plan *p)
{
    if (p->context > 1 || p->attention == RK_FLASH) return "sdpa";
    return p->attention == RK_FLASH_3 ? "flash_attention_3" : "eager";
}

/* FSDP's own checkpointing is in the file. */
static bool checkpoints(const struct rk_plan *p)
{
    return p->recompute == RK_WHOLE && kind_of(p) != FSDP;
}

/* Trainers compute a layer again to its end unless they are told not to: their checkpoints are
 * reentrant ones (transformers' gradient_checkpointing_kwargs); DeepSpeed's always are. */
static const char *checkpointing(const struct rk_plan *p)
{
    if (!checkpoints(p)) return "";
    if (p->framework != RK_FSDP || p->recompute_to_end) return " --gradient_checkpointing true";
    return " --gradient_checkpointing true"
           " --gradient_checkpointing_kwargs {\\\"use_reentrant\\\":false}";
}

const char *accelerate_command(const struct rk_model *model, const struct rk_plan *plan,
                               char text[static ACCELERATE_COMMAND])
{
    snprintf(text, ACCELERATE_COMMAND,
             "--config_file " ACCELERATE_FILE " train.py --per_device_train_batch_size %" PRIu64
             " --gradient_accumulation_steps %" PRIu64 " --max_length %" PRIu64
             " --attn_implementation %s%s%s%s",
             plan->microbatch, accumulation(plan),
             plan->sequence ? plan->sequence : model->sequence, attention(plan),
             plan->fused ? " --torch_compile true" : "", checkpointing(plan),
             plan->precision == RK_TF32 ? " --tf32 true" : "");
    return text;
}

/* ---- the file ---- */

static const char *precision(const struct rk_plan *p)
{
    if (p->precision <= RK_TF32) return "'no'"; /* a bare no is false in YAML */
    if (p->precision == RK_FP16) return "fp16";
    return p->precision == RK_FP8_CURRENT && p->framework != RK_DEEPSPEED ? "fp8" : "bf16";
}

static void write_machines(FILE *file, const struct rk_plan *p, uint64_t gpus_per_node)
{
    static const char *const types[] = {"'NO'", "MULTI_GPU", "DEEPSPEED", "FSDP"};
    fprintf(file,
            "compute_environment: LOCAL_MACHINE\ndistributed_type: %s\nmixed_precision: %s\n"
            "num_machines: %" PRIu64 "\nnum_processes: %" PRIu64 "\nmachine_rank: 0\n"
            "main_training_function: main\nrdzv_backend: static\nsame_network: true\n"
            "use_cpu: false\ndebug: false\n",
            types[kind_of(p)], precision(p),
            p->ranks / launch_node_size(p->ranks, gpus_per_node, p->tensor), p->ranks);
    if (strcmp(precision(p), "fp8") == 0)
        fprintf(file,
                "fp8_config:\n  fp8_backend: AO\n  fp8_enable_fsdp_float8_all_gather: %s\n"
                "  fp8_pad_inner_dim: true\n",
                yes(p->weights_fp8));
}

static void write_fsdp(FILE *file, const struct rk_plan *p)
{
    fprintf(file,
            "fsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: %s\n"
            "  fsdp_offload_params: %s\n  fsdp_activation_checkpointing: %s\n"
            "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
            "  fsdp_state_dict_type: SHARDED_STATE_DICT\n",
            yes(!p->keep_gathered),
            yes(offloaded(p, RK_SHARE_OPTIMIZER) && offloaded(p, RK_SHARE_WEIGHTS)),
            yes(p->recompute == RK_WHOLE));
}

static void write_deepspeed(FILE *file, const struct rk_plan *p)
{
    fprintf(file,
            "deepspeed_config:\n  zero_stage: %d\n  gradient_accumulation_steps: %" PRIu64
            "\n  gradient_clipping: 1.0\n  offload_optimizer_device: %s\n"
            "  offload_param_device: %s\n  zero3_init_flag: %s\n  zero3_save_16bit_model: %s\n"
            "  deepspeed_multinode_launcher: standard\n",
            p->zero, accumulation(p), p->zero && offloaded(p, RK_SHARE_OPTIMIZER) ? "cpu" : "none",
            p->zero == 3 && offloaded(p, RK_SHARE_WEIGHTS) ? "cpu" : "none", yes(p->zero == 3),
            yes(p->zero == 3));
}

static void write_degrees(FILE *file, const struct rk_plan *p)
{
    const uint64_t copies = kind_of(p) == FSDP ? replicas(p) : 1;
    if (p->tensor == 1 && p->context == 1 && copies == 1) return;
    fprintf(file,
            "parallelism_config:\n  parallelism_config_dp_replicate_size: %" PRIu64
            "\n  parallelism_config_dp_shard_size: %" PRIu64
            "\n  parallelism_config_tp_size: %" PRIu64 "\n",
            copies, rk_plan_data(p) / copies, p->tensor);
    if (kind_of(p) == DEEPSPEED)
        fprintf(file,
                "  parallelism_config_sp_size: %" PRIu64
                "\n  parallelism_config_sp_backend: deepspeed\n",
                p->context);
    else
        fprintf(file,
                "  parallelism_config_cp_size: %" PRIu64
                "\n  parallelism_config_cp_comm_strategy: %s\n",
                p->context, p->context_kind == RK_RING ? "alltoall" : "allgather");
}

/* ---- reading it back ---- */

static const char *const outside[] = {
    "vocabulary_multiple", "loss_in_chunks",  "full_attention", "grouped",     "imbalance",
    "natural_load",        "gathered_copies", "compiled_rows",  TARGET_TUNING, NULL};

static int set_training(const struct rk_model *model, const struct rk_plan *plan, char (*sets)[80])
{
    snprintf(sets[0], sizeof *sets, "per_device_train_batch_size=%" PRIu64, plan->microbatch);
    snprintf(sets[1], sizeof *sets, "gradient_accumulation_steps=%" PRIu64, accumulation(plan));
    snprintf(sets[2], sizeof *sets, "max_seq_length=%" PRIu64,
             plan->sequence ? plan->sequence : model->sequence);
    snprintf(sets[3], sizeof *sets, "attn_implementation=%s", attention(plan));
    snprintf(sets[4], sizeof *sets, "torch_compile=%s", yes(plan->fused));
    snprintf(sets[5], sizeof *sets, "gradient_checkpointing=%s", yes(checkpoints(plan)));
    snprintf(sets[6], sizeof *sets, "gradient_checkpointing_kwargs.use_reentrant=%s",
             yes(plan->recompute_to_end));
    snprintf(sets[7], sizeof *sets, "tf32=%s", yes(plan->precision == RK_TF32));
    return 8;
}

static void write_file(FILE *file, const struct rk_model *model, const struct rk_plan *plan,
                       uint64_t gpus_per_node)
{
    (void)model;
    write_machines(file, plan, gpus_per_node);
    if (kind_of(plan) == FSDP) write_fsdp(file, plan);
    if (kind_of(plan) == DEEPSPEED) write_deepspeed(file, plan);
    write_degrees(file, plan);
}

static void write_head(FILE *file, const struct rk_model *model, const struct rk_plan *plan)
{
    char command[ACCELERATE_COMMAND];
    fprintf(file,
            "# accelerate 1.10 and later, written by reckon %s, for\n"
            "# accelerate launch %s\n",
            RECKON_VERSION, accelerate_command(model, plan, command));
}

const struct target accelerate_target = {.name = "accelerate",
                                         .file = ACCELERATE_FILE,
                                         .who = BY_ACCELERATE,
                                         .write = write_file,
                                         .head = write_head,
                                         .read = accelerate_read,
                                         .sets = set_training,
                                         .outside = outside};
