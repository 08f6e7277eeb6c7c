/* trainer_tuning.h - what configurations around Hugging Face's trainer say of fine-tuning:
 * adapters, bases of few bits, preferences, optimizers by what they store.
 *
 * Keys and defaults: axolotl 0.12 (utils/schemas/peft.py, config.py), LLaMA-Factory 0.9
 * (hparams/finetuning_args.py, model_args.py, model/model_utils/quantization.py), trl 0.21
 * (trainer/model_config.py), peft 0.17 (tuners/lora/config.py).
 */
#ifndef RECKON_TRAINERS_TRAINER_TUNING_H
#define RECKON_TRAINERS_TRAINER_TUNING_H

#include "keys/notes.h"
#include "text/settings.h"
#include <reckon/plan.h>
#include <stdbool.h>
#include <stdint.h>

struct trainer_tuning {
    const char *adapter;                    /* of axolotl: "lora", "qlora" */
    const char *finetuning;                 /* of LLaMA-Factory: "full", "lora" */
    const char *stage, *preference;         /* of LLaMA-Factory: "sft", "dpo"; "sigmoid", "orpo" */
    const char *objective;                  /* of axolotl: "dpo" */
    const char *targets, *target;           /* "all", "q_proj,v_proj" */
    const char *optimizer, *kind, *double_; /* kind: of bits, "nf4" */
    const char *gptq;
    bool peft_decides; /* use_peft, and no other key, says whether adapters are trained */
    bool own;          /* adapters of one's own training code */
    bool peft, all_linear, dora, four_bits, eight_bits, galore, apollo;
    uint64_t rank, bits, galore_rank, apollo_rank;
    double dropout;
    double beta;  /* of trl: weight of the reference, in its trainers of preferences */
    bool doubles; /* double quantisation where nothing is said */
};

/* Takes it over into a plan of framework fsdp or deepspeed. What plans do not say is refused by
 * name with its place. */
enum rk_status trainer_tuning_read(const struct settings *settings,
                                   const struct trainer_tuning *tuning, struct rk_plan *plan,
                                   struct notes *notes, struct rk_error *error);

#endif
