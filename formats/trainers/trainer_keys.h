/* trainer_keys.h - what files around Hugging Face's trainer say, by tool: the keys that are read.
 *
 * Keys and defaults: transformers' training_args.py, accelerate's config_args.py and
 * dataclasses.py, axolotl's utils/schemas, LLaMA-Factory's hparams. */
#ifndef RECKON_TRAINERS_TRAINER_KEYS_H
#define RECKON_TRAINERS_TRAINER_KEYS_H

#include "keys/keys.h"
#include "trainers/trainer_tuning.h"

enum { BF16_FULL = 3 }; /* axolotl's */
enum mixed { MIXED_NO, MIXED_FP16, MIXED_BF16, MIXED_FP8 };
enum launch { LAUNCH_PLAIN, LAUNCH_DEEPSPEED, LAUNCH_FSDP, LAUNCH_MEGATRON, LAUNCH_ONE };
enum strategy { SHARD_FULL, SHARD_GRAD_OP, SHARD_NONE, SHARD_HYBRID, SHARD_HYBRID_GRAD_OP };

struct trainer {
    uint64_t microbatch, accumulation, batch, sequence, processes, machines;
    uint64_t tensor, context, ring, ulysses, replicate, expert;
    int64_t shard;
    int offloading;    /* of axolotl: "false|true|..." */
    int checkpointing; /* "false|true", or where axolotl and unsloth keep checkpoints */
    int mixed, launch, strategy, attention, zero_stage, optimizer_device, param_device;
    int bf16, fp16; /* "false|true|auto|full" */
    bool fp8, tf32, no_checkpointing, fsdp_checkpointing, activation_offload, offload;
    bool reentrant; /* checkpoints of `checkpointing` */
    bool sorted;    /* samples by length; transformers 5: */
    const char *sampling;
    bool compile, liger, liger_mlp, unsloth;
    bool chunked; /* the head and its loss are one kernel over chunks of tokens */
    bool gather;  /* float8 weights are gathered in 8 bits */
    int rotate;   /* of torch's context parallelism: "allgather|alltoall" */
    int reshard;  /* of FSDP2: "false|true"; -1: not said */
    uint64_t version;
    const char *deepspeed, *fsdp;
    struct trainer_tuning tuning;
};

#endif
