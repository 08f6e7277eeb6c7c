/* Shell scripts around other tools: the plan of the configuration that they name, with what the
 * command adds. */
#include "megatron/run_script.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdlib.h>
#include <string.h>

static struct notes notes; /* large */

static enum rk_status read_script(const char *name, const char *text, const char *set,
                                  const char *ignored, struct rk_plan *plan, struct rk_error *error)
{
    const struct plan_format *format = plan_formats;
    const char *sets[4];
    char copy[256] = "";
    size_t count = 0;
    while (format->name && strcmp(format->name, name) != 0)
        format++;
    snprintf(copy, sizeof copy, "%s", set ? set : "");
    for (char *p = strtok(copy, " "); p && count < 4; p = strtok(NULL, " "))
        sets[count++] = p;
    const struct config_source source = {.path = "run.sh",
                                         .text = text,
                                         .sets = sets,
                                         .set_count = count,
                                         .keys = {&ignored, ignored ? 1 : 0, NULL, 0},
                                         .vocabulary = 50257};
    struct rk_model *model = calloc(1, sizeof *model);
    cr_assert(model && rk_model_load("llama3.1-8b", model, error) == RK_OK);
    notes = (struct notes){.count = 0};
    const enum rk_status status =
        run_script_read(format, &source, strlen(text), model, plan, &notes, error);
    free(model);
    return status;
}

#define DS                                                                                         \
    "cat > ds.json <<'EOT'\n{\"zero_optimization\": {\"stage\": 3}, \"bf16\": {\"enabled\": "      \
    "\"auto\"}}\nEOT\n"
#define ACCELERATE                                                                                 \
    "cat > a.yaml <<'EOT'\ndistributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\n"      \
    "fsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: true\nEOT\n"
#define NEOX                                                                                       \
    "cat > configs/a.yml <<'EOT'\n{\"num-layers\": 8, \"hidden-size\": 1024, "                     \
    "\"num-attention-heads\": 16, \"seq-length\": 2048, \"max-position-embeddings\": 2048, "       \
    "\"pos-emb\": \"rotary\", \"train_micro_batch_size_per_gpu\": 4}\nEOT\n"
#define TITAN                                                                                      \
    "cat > j.toml <<'EOT'\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"              \
    "local_batch_size = 1\nseq_len = 8192\nEOT\n"

#define TUNE                                                                                       \
    "cat > t.yaml <<'EOT'\nmodel:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\n"         \
    "tokenizer:\n  max_seq_len: 4096\nbatch_size: 2\ngradient_accumulation_steps: 4\n"             \
    "dtype: bf16\nEOT\n"
#define SWIFT                                                                                      \
    "sft --model Qwen/Qwen3-8B --tuner_type full --torch_dtype bfloat16 --max_length 4096 "        \
    "--per_device_train_batch_size 1 --gradient_accumulation_steps 2 "

/* What is known of a plan by hand. */
static const struct {
    const char *format, *text, *set;
    uint64_t ranks, tensor, microbatch, batch, sequence;
    int zero;
} read_rows[] = {
    {"trainer",
     "#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n" DS
     "srun torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES train.py --output_dir $OUT "
     "--per_device_train_batch_size $MBS --gradient_accumulation_steps 2 --max_seq_length 4096 "
     "--deepspeed ds.json --bf16 True --gradient_checkpointing\n",
     "MBS=4", 16, 1, 4, 128, 4096, 3},
    {"trainer",
     DS "deepspeed --num_gpus=4 train.py --per_device_train_batch_size 2 --deepspeed ds.json\n",
     NULL, 4, 1, 2, 8, 0, 3},
    {"accelerate",
     ACCELERATE
     "accelerate launch --config_file a.yaml --num_processes 16 --num_machines 2 train.py "
     "--per_device_train_batch_size 2 --gradient_accumulation_steps 4 --bf16\n",
     NULL, 16, 1, 2, 128, 0, 3},
    {"accelerate",
     ACCELERATE "cat > t.yaml <<'EOT'\nper_device_train_batch_size: 2\nmax_length: 4096\n"
                "gradient_accumulation_steps: 8\nEOT\nX='--config_file a.yaml'\n"
                "srun bash -c \"accelerate launch $X sft.py --config t.yaml "
                "--gradient_accumulation_steps=4\"\n",
     NULL, 8, 1, 2, 64, 4096, 3},
    {"accelerate",
     "accelerate launch --use_deepspeed --zero_stage 2 --num_processes 8 --mixed_precision bf16 "
     "train.py --per_device_train_batch_size 2\n",
     NULL, 8, 1, 2, 16, 0, 2},
    {"torchtitan",
     TITAN "NGPU=${NGPU:-8}\ntorchrun --nproc_per_node=$NGPU -m torchtitan.train "
           "--job.config_file ./j.toml --parallelism.tensor-parallel-degree 2 "
           "--compile.no-enable\n",
     NULL, 8, 2, 1, 4, 0, 3},
    {"torchtitan",
     "mkdir -p torchtitan/models/llama3\ncat > torchtitan/models/llama3/config_registry.py "
     "<<'EOT'\n"
     "def small() -> Trainer.Config:\n    return Trainer.Config(model_spec=model_registry('8B'),\n"
     "        training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=2 * 4096, "
     "max_context_length=4096))\nEOT\ntorchrun --nproc_per_node 8 -m torchtitan.train "
     "--module llama3 --config small --parallelism.tensor_parallel_degree 2\n",
     NULL, 8, 2, 2, 8, 4096, 3},
    {"llama-factory",
     DS
     "cat > c.yaml <<'EOT'\nstage: sft\nfinetuning_type: full\ncutoff_len: 4096\nbf16: true\n"
     "per_device_train_batch_size: 1\ngradient_accumulation_steps: 8\ndeepspeed: ds.json\nEOT\n"
     "torchrun --nnodes 2 --nproc_per_node 8 src/train.py c.yaml per_device_train_batch_size=2\n",
     NULL, 16, 1, 2, 256, 4096, 3},
    {"axolotl",
     "cat > t.yaml <<'EOT'\nbase_model: m\nsequence_len: 4096\nmicro_batch_size: 1\nbf16: true\n"
     "optimizer: adamw_torch\nfsdp: [full_shard]\nEOT\naxolotl preprocess t.yaml\n"
     "axolotl train t.yaml --micro-batch-size 2 --launcher torchrun -- --nproc_per_node=8 "
     "--nnodes=2\n",
     NULL, 16, 1, 2, 32, 4096, 3},
    {"deepspeed",
     "cat > d.json <<'EOT'\n{\"train_micro_batch_size_per_gpu\": 4, \"zero_optimization\": "
     "{\"stage\": 2}, \"bf16\": {\"enabled\": true}}\nEOT\n"
     "deepspeed --num_gpus 4 train.py --deepspeed --deepspeed_config d.json --epochs $N\n",
     NULL, 4, 1, 4, 16, 0, 2},
    {"gpt-neox",
     "#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n" NEOX
     "cat > configs/b.yml <<'EOT'\n{\"precision\": \"bfloat16\", \"model-parallel-size\": 2, "
     "\"zero_optimization\": {\"stage\": 1}}\nEOT\npython ./deepy.py train.py -d configs a.yml b\n",
     NULL, 16, 2, 4, 32, 0, 1},
    {"trainer",
     "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 2 --gradient_accumulation_"
     "steps 2 --per_device_train_batch_size 4\n", /* the last counts */
     NULL, 8, 1, 4, 64, 0, 0},
    {"primus",
     "cat > p.yaml <<'EOT'\nmodules:\n  pre_trainer:\n    framework: megatron\n    overrides:\n"
     "      {num_layers: 8, hidden_size: 1024, num_attention_heads: 16, seq_length: 2048, "
     "max_position_embeddings: 2048, vocab_size: 32000, micro_batch_size: 1, bf16: true}\nEOT\n"
     "torchrun --nproc_per_node 8 primus/cli/main.py train pretrain --config p.yaml "
     "--micro_batch_size 2 --global_batch_size \"32\" --tensor_model_parallel_size 2 "
     "--use_distributed_optimizer True --fp8 null\n",
     NULL, 8, 2, 2, 32, 0, 1},
    {"trainer", "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 2\n",
     "per_device_train_batch_size=3", 8, 1, 3, 24, 0, 0},
    {"trainer",
     "torchrun --nproc_per_node 8 train.py --per_device_train_batch 2 --gradient_acc 4 "
     "--num_train_epochs 1\n",
     NULL, 8, 1, 2, 64, 0, 0},
    {"torchtune",
     TUNE "srun tune run --nnodes 2 --nproc_per_node 8 full_finetune_distributed --config t.yaml "
          "batch_size=1\n",
     NULL, 16, 1, 1, 64, 4096, 3},
    {"torchtune",
     TUNE "tune run --standalone --nproc-per-node=4 full_finetune_distributed --config t.yaml\n"
          "tune run eleuther_eval --config t.yaml\n",
     NULL, 4, 1, 2, 32, 4096, 3},
    {"ms-swift", "torchrun --nproc_per_node 2 $(which swift) " SWIFT "\n", NULL, 2, 1, 1, 4, 4096,
     0},
    {"ms-swift",
     "OUT=/data/a\nV=1\nwhile [ -d \"$OUT\" ]; do\n  OUT=\"${OUT}_$V\"\n  ((V++))\ndone\n"
     "NPROC_PER_NODE=2 swift " SWIFT "--output_dir \"$OUT\"\n",
     NULL, 2, 1, 1, 4, 4096, 0},
};

Test(run_script, reads)
{
    for (size_t i = 0; i < sizeof read_rows / sizeof *read_rows; i++) {
        struct rk_plan plan;
        struct rk_error error = {.status = RK_OK};
        const enum rk_status status = read_script(read_rows[i].format, read_rows[i].text,
                                                  read_rows[i].set, NULL, &plan, &error);
        cr_expect(status == RK_OK, "%zu %s: %s", i, read_rows[i].format, error.text);
        if (status != RK_OK) continue;
        cr_expect(plan.ranks == read_rows[i].ranks && plan.tensor == read_rows[i].tensor &&
                      plan.microbatch == read_rows[i].microbatch &&
                      plan.batch == read_rows[i].batch && plan.sequence == read_rows[i].sequence &&
                      plan.zero == read_rows[i].zero,
                  "%zu %s: %llu ranks tp%llu mbs%llu gbs%llu seq%llu zero%d", i,
                  read_rows[i].format, (unsigned long long)plan.ranks,
                  (unsigned long long)plan.tensor, (unsigned long long)plan.microbatch,
                  (unsigned long long)plan.batch, (unsigned long long)plan.sequence, plan.zero);
    }
}

#define RUN "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 2 "

static const struct {
    const char *format, *text, *ignored, *message;
} refusals[] = {
    {"trainer", "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size $MBS\n", NULL,
     "give --set MBS=VALUE"},
    {"trainer", RUN "--fsdp \"$HOW\"\n", NULL, "give --set HOW=VALUE"},
    {"trainer", RUN "--my_kernel 3\n", NULL, "my_kernel: is not known"},
    {"trainer", RUN "--config_overrides n_layer=3\n", NULL, "another model than --model"},
    {"trainer", RUN "\n" RUN "--bf16\n", NULL, "a second command trains"},
    {"trainer", RUN "$MORE\n", NULL, "give --set MORE=VALUE"},
    {"trainer", RUN "--deepspeed ds.json\n", NULL, "ds.json is not next to this file"},
    {"trainer", "accelerate launch --config_file a.yaml train.py --per_device_train_batch_size 2\n",
     NULL, "a.yaml is not at hand: give --ignore config_file"},
    {"accelerate", "accelerate launch --config_file a.yaml train.py\n", NULL,
     "is neither next to this script"},
    {"accelerate",
     "accelerate launch --use_deepspeed --num_processes 8 --gradient_accumulation_steps 2 train.py "
     "--gradient_accumulation_steps 4\n",
     NULL, "the trainer does not start"},
    {"accelerate", "[ -z \"$A\" ] && exit 1\naccelerate launch train.py\n", NULL,
     "give --set A=VALUE"},
    {"torchtitan", "torchrun -m torchtitan.train --module nemotron --config llama3_8b\n", NULL,
     "is a module of torchtitan that is not here"},
    {"torchtitan", "torchrun -m torchtitan.train --module $MODULE --config llama3_8b\n", NULL,
     "give --set MODULE=VALUE"},
    {"torchtitan", TITAN "torchrun -m torchtitan.train --job.config_file j.toml stray\n", NULL,
     "stray is not understood"},
    {"gpt-neox",
     NEOX "cat > configs/b.yml <<'EOT'\n{\"num-layers\": 9}\nEOT\n"
          "python deepy.py train.py -d configs a b\n",
     NULL, "num_layers: is in configs/a.yml too"},
    {"primus", "primus-cli direct -- train pretrain --config a.yaml\n", NULL,
     "is neither next to this script"},
    {"primus", "primus-cli direct -- train pretrain --config $EXP\n", NULL, "give --set EXP=VALUE"},
    {"megatron-yaml", "python train.py --config a.yaml\n", NULL, "is a shell script"},
    {"trainer", "ls\n", NULL, "no command of this script starts"},
    {"torchtune", "tune run full_finetune_distributed --config llama3/8B_full\n", NULL,
     "llama3/8B_full is a configuration within torchtune"},
    {"trainer", RUN "--lr 3\n", NULL, "lr: is not known"}, /* begins several, and is short */
};

Test(run_script, refuses)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct rk_plan plan;
        struct rk_error error = {.status = RK_OK};
        const enum rk_status status = read_script(refusals[i].format, refusals[i].text, NULL,
                                                  refusals[i].ignored, &plan, &error);
        cr_expect(status != RK_OK && strstr(error.text, refusals[i].message), "%zu %s: %s", i,
                  refusals[i].format, status == RK_OK ? "is read" : error.text);
    }
}

Test(run_script, is_by_name_or_first_line)
{
    cr_expect(run_script_is("a.sbatch", "") && run_script_is("-", "#!/usr/bin/env bash\n"));
    cr_expect(!run_script_is("a.yaml", "#!/bin/sh\n") && !run_script_is("a", "shell: 1\n"));
}
