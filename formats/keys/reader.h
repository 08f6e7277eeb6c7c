/* reader.h - the one form of all readers of other tools' configurations.
 *
 * A reader makes a plan of a text, by a table of keys (keys.h); the model is the caller's, or the
 * text's own where the format describes one.
 */
#ifndef RECKON_KEYS_READER_H
#define RECKON_KEYS_READER_H

#include "keys/keys.h"
#include <reckon/model.h>
#include <reckon/plan.h>

struct shell;
struct config_source;

/* The model that a configuration names, where the caller gives none. */
typedef enum rk_status model_finder(const struct config_source *source, struct rk_model *model,
                                    struct notes *notes, struct rk_error *error);

struct config_source {
    const char *path, *text;
    const char *const *sets; /* "KEY=VALUE": win over the text */
    size_t set_count;
    struct key_options keys;
    uint64_t gpus;       /* 0: as the text says */
    uint64_t machine;    /* GPUs of the machine, where neither says (notes_machine); 0: not known */
    uint64_t vocabulary; /* 0: as the text says; only for formats with a model of their own */
    uint64_t variant;    /* of a script's commands that train, from 1 on; 0: there is only one */
    const struct shell *script; /* that starts the run, and may write the files named; NULL: none */
    model_finder *find_model;   /* asked by run_script.h, by the command's arguments too; NULL: the
                                   model is known */
};

/* The settings of the source: YAML, JSON or TOML, of a ".py" what the file assigns to its names.
 * Release them in every case. */
enum rk_status source_settings(const struct config_source *source, struct settings *settings,
                               struct rk_error *error);

/* On failure the notes are valid, so that all refusals can be shown; `error` has the first. */
typedef enum rk_status plan_reader(const struct config_source *source, struct rk_model *model,
                                   struct rk_plan *plan, struct notes *notes,
                                   struct rk_error *error);

/* What a reader whose format has a model of its own hands on, besides the values of its keys. */
#define READING_MEMBERS                                                                            \
    const struct config_source *source;                                                            \
    struct settings settings;                                                                      \
    struct rk_model *m;                                                                            \
    struct rk_plan *p;                                                                             \
    struct notes *notes;                                                                           \
    struct rk_error *error

struct plan_format {
    const char *name; /* "llama-factory" */
    const char *tool; /* "LLaMA-Factory" */
    plan_reader *read;
    const struct key_table *keys;
    bool own_model;   /* the reader fills the model in */
    const char *what; /* is read: "a training YAML" */
    const char *versions;
};

/* clang-format off */
/* X(id, name, tool, own_model, what, versions, example) */
#define PLAN_FORMATS(X) \
    X(deepspeed,     "deepspeed",     "DeepSpeed",     false, "a ds_config.json", "0.9 to 0.19", "ds_config.json --model llama3.1-8b --gpus 16") \
    X(torchtitan,    "torchtitan",    "torchtitan",    false, "a job file (TOML), or a module of configurations (Python)", "up to v0.2.2, and the Python of 2026", "llama3_70b.toml --model llama3.1-70b --gpus 256") \
    X(accelerate,    "accelerate",    "accelerate",    false, "a configuration (YAML)", "0.20 to 1.10", "fsdp.yaml --model llama3.1-8b --gpus 8 --set per_device_train_batch_size=2") \
    X(trainer,       "trainer",       "transformers",  false, "TrainingArguments (JSON or YAML)", "4.30 to 4.57", "args.json --model llama3.1-8b --gpus 8") \
    X(axolotl,       "axolotl",       "axolotl",       false, "a training YAML", "0.4 to 0.13", "train.yaml --model llama3.1-8b --gpus 8") \
    X(llama_factory, "llama-factory", "LLaMA-Factory", false, "a training YAML or JSON", "0.8 to 0.9", "full_sft.yaml --model llama3.1-8b --gpus 8") \
    X(ms_swift,      "ms-swift",      "ms-swift",      false, "arguments of swift sft, pt and rlhf (YAML or JSON)", "3.0 to 4.0", "args.json --model qwen2.5-7b --gpus 8") \
    X(peft,          "peft",          "PEFT",          false, "an adapter_config.json", "0.10 to 0.17", "adapter_config.json --model llama3.1-8b --set per_device_train_batch_size=4") \
    X(torchtune,     "torchtune",     "torchtune",     false, "a recipe's configuration (YAML)", "0.3 to 0.6", "8B_lora.yaml --model llama3.1-8b --gpus 2") \
    X(gpt_neox,      "gpt-neox",      "GPT-NeoX",      true,  "a configuration, its files merged into one (YAML)", "2.0", "20B.yml --gpus 96 --vocabulary 50257") \
    X(nanotron,      "nanotron",      "nanotron",      true,  "a training YAML", "0.4", "config_llama.yaml") \
    X(nemo,          "nemo",          "NeMo",          true,  "a configuration (YAML) of version 1 or of Megatron-Bridge", "1.20 to 2.5", "megatron_gpt_config.yaml --vocabulary 50257") \
    X(primus,        "primus",        "Primus",        true,  "an experiment of pre-training (YAML)", "0.1 to 0.3", "llama3.1_8B-pretrain.yaml --gpus 8") \
    X(mindspeed_fsdp2, "mindspeed-fsdp2", "MindSpeed-LLM", false, "a training YAML of its FSDP2 backend", "2.3 to 2026", "pretrain_qwen3_8b_4k_fsdp2_A3.yaml --model qwen3-8b --gpus 16") \
    X(flagscale,     "flagscale",     "FlagScale",     true,  "a training file, or the file of a run next to it (YAML)", "0.8 to 1.0", "conf/train.yaml --gpus 64") \
    X(maxtext,       "maxtext",       "MaxText",       true,  "a configuration of a run or a model (YAML)", "2024 to 2026", "llama2_7b.yml --gpus 64") \
    X(bridge_recipe, "bridge-recipe", "Megatron-Bridge", true, "a recipe (Python)", "0.2 to 0.5", "llama3.py --set config=llama3_8b_pretrain_config --gpus 16") \
    X(levanter,      "levanter",      "Levanter",      true,  "a training YAML", "2024 to 2026", "llama_7b.yaml --gpus 64") \
    X(litgpt,        "litgpt",        "litgpt",        false, "a configuration of finetune or pretrain (YAML)", "0.4 to 0.5", "full.yaml --model llama3.1-8b --gpus 8") \
    X(oumi,          "oumi",          "oumi",          false, "a training YAML", "0.1 to 0.4", "train.yaml --model llama3.1-8b --gpus 8") \
    X(automodel,     "automodel",     "NeMo Automodel", false, "a recipe's configuration (YAML)", "0.1 to 0.4", "llama3_2_1b_squad.yaml --gpus 8") \
    X(llm_foundry,   "llm-foundry",   "llm-foundry",   false, "a training YAML", "0.4 to 0.22", "mpt-7b.yaml --gpus 64") \
    X(xtuner,        "xtuner",        "XTuner",        false, "a configuration (Python)", "0.1", "internlm2_chat_7b_qlora_alpaca_e3.py --gpus 8 --set deepspeed=deepspeed_zero2") \
    X(lingua,        "lingua",        "lingua",        false, "a training YAML", "2024 to 2025", "llama_7B.yaml --gpus 64 --set model.vocab_size=128000") \
    X(olmo,          "olmo",          "OLMo",          true,  "a training YAML", "0.2 to 0.6", "OLMo-7B.yaml --gpus 64") \
    X(olmo_core,     "olmo-core",     "OLMo-core",     true,  "a training program (Python)", "2.0 to 2.5", "OLMo2-7B.py --gpus 64") \
    X(megatron_yaml, "megatron-yaml", "Megatron-LM",   true,  "arguments as YAML, by their names or destinations", "0.9 to 0.19", "args.yaml --gpus 64")
/* clang-format on */

extern const struct plan_format plan_formats[]; /* in the order above, ended by name NULL */

/* ---- the readers ---- */

#define PLAN_FORMAT_READER(id, name, tool, own, what, versions, example)                           \
    plan_reader id##_read;                                                                         \
    extern const struct key_table id##_keys;
PLAN_FORMATS(PLAN_FORMAT_READER)
#undef PLAN_FORMAT_READER

#endif
