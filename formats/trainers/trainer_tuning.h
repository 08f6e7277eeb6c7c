/* trainer_tuning.h - what configurations around Hugging Face's trainer say of fine-tuning:
 * adapters, bases of few bits, preferences, optimizers by what they store.
 *
 * Keys and defaults: axolotl 0.12 (utils/schemas/peft.py, config.py), LLaMA-Factory 0.9
 * (hparams/finetuning_args.py, model_args.py, model/model_utils/quantization.py), trl 0.21
 * (trainer/model_config.py), peft 0.17 (tuners/lora/config.py). What they do that no key says:
 * axolotl 0.13 (loaders/model.py), LLaMA-Factory 0.9.4 (model/adapter.py), trl 0.21 to 1.10
 * (trainer/sft_trainer.py, base_config.py), ms-swift 4 (arguments/base_args/model_args.py), peft
 * 0.10 to 0.20 (utils/constants.py), transformers 4.49 to 5.14 (loss/loss_utils.py),
 * accelerate 1.13 (accelerator.py).
 */
#ifndef RECKON_TRAINERS_TRAINER_TUNING_H
#define RECKON_TRAINERS_TRAINER_TUNING_H

#include "keys/notes.h"
#include "text/settings.h"
#include <reckon/plan.h>
#include <stdbool.h>
#include <stdint.h>

/* What a trainer does that its file does not say. */
struct trainer_habits {
    bool all_linear;   /* adapters are on all matrices where no target is said, else on PEFT's */
    bool loads_wide;   /* a checkpoint is loaded in fp32 where no type is said, else in 16 bits */
    bool upcasts;      /* weights that are trained whole are cast to fp32 */
    bool trl;          /* of trl, where a file has its keys */
    bool peft_decides; /* use_peft, and no other key, says whether adapters are trained */
    bool asked;        /* trains only where do_train says so */
    bool apart;        /* the training's arguments are not in the file */
    double on_4_bits;  /* 0: as on others; bytes of an adapter's parameter on a base of 4 bits */
};

struct trainer_tuning {
    struct trainer_habits habits;
    const char *adapter;            /* of axolotl: "lora", "qlora" */
    const char *finetuning;         /* of LLaMA-Factory: "full", "lora" */
    const char *stage, *preference; /* of LLaMA-Factory: "sft", "dpo"; "sigmoid", "orpo" */
    const char *objective;          /* of axolotl: "dpo" */
    const char *targets, *target;   /* "all", "q_proj,v_proj" */
    bool adafactor;
    const char *optimizer, *kind, *double_; /* kind: of bits, "nf4" */
    const char *method;                     /* of LLaMA-Factory: "hqq" */
    const char *gptq;
    const char *type; /* a checkpoint is loaded in: "bfloat16" */
    bool pure;        /* whatever is trained is kept in 16 bits, too */
    bool unmixed;     /* no mixed precision: FSDP, too, leaves weights as they were loaded */
    bool trains;      /* do_train */
    bool own;         /* adapters of one's own training code */
    bool peft, all_linear, dora, four_bits, eight_bits, galore, apollo, layerwise, muon;
    const char *other_adapter; /* that a preference is measured against */
    const char *adapter_type;  /* "bfloat16" */
    const char *arguments;     /* of the optimizer: "rank=1024, scale=2" */
    uint64_t rank, bits, galore_rank, apollo_rank;
    double dropout;
    double beta;  /* of trl: weight of the reference, in its trainers of preferences */
    bool doubles; /* double quantisation where nothing is said */
};

/* Adds the bits of matrices (enum rk_target) that a module's name in Hugging Face's models stands
 * for, "q_proj"; "all-linear" adds none. False: the name is not known. */
bool trainer_tuning_target(const char *name, size_t length, unsigned *bits);

/* Is a checkpoint said to be loaded in that type? */
bool trainer_tuning_loads(const struct trainer_tuning *tuning, const char *type);

/* Takes it over into a plan of framework fsdp or deepspeed. What plans do not say is refused by
 * name with its place. */
enum rk_status trainer_tuning_read(const struct settings *settings,
                                   const struct trainer_tuning *tuning, struct rk_plan *plan,
                                   struct notes *notes, struct rk_error *error);

/* The model that dpo and kto measure against: adapters switched off, else a copy. */
void trainer_tuning_refer(struct rk_plan *plan, struct notes *notes);

/* Bytes of weights, gradients and moments, and the loss, once the sharding is known. `by_fsdp`:
 * FSDP holds the weights, whether it shards them or not. */
void trainer_tuning_keep(const struct trainer_tuning *tuning, bool by_fsdp, struct rk_plan *plan,
                         struct notes *notes);

#endif
