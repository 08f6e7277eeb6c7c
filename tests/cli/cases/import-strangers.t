exec 2>&1
# files as strangers have them: parts that stand in another tool's file, or that are not at hand
echo "--- a task of MosaicML's cloud has llm-foundry's configuration below parameters"
cat >task.yaml <<'EOF'
integrations:
- integration_type: git_repo
command: |
  cd llm-foundry/scripts
  composer train/train.py /mnt/config/parameters.yaml
image: mosaicml/llm-foundry:latest
name: mpt-1b
compute:
  gpus: 16  # of the cluster
parameters:
  max_seq_len: 1024
  # a comment
  model:
    name: mpt_causal_lm
    d_model: 2048
    n_heads: 16
    n_layers: 24
    max_seq_len: ${max_seq_len}
    vocab_size: 50368
  global_train_batch_size: 64
  device_train_microbatch_size: 2
  precision: amp_bf16
  fsdp_config:
    sharding_strategy: FULL_SHARD
    wrong_key_dtype: 1
EOF
reckon import task.yaml
reckon import task.yaml --ignore fsdp_config.wrong_key_dtype -s h100-sxm5-80g | grep -E 'parameters,|plan:'
sed -e 's/^compute:/gpu_num: 8/' -e '/gpus: 16/d' -e '/wrong_key/d' task.yaml >old.yaml
reckon import old.yaml -s h100-sxm5-80g | grep -E 'parameters,|plan:'
echo "--- MaxText's base.yml is its own; a key of another program is no sign of it"
printf 'python3 MaxText/train.py MaxText/configs/base.yml model_name=mixtral-8x7b per_device_batch_size=4 max_target_length=4096 remat_policy=full\n' >max.sh
reckon import max.sh --gpus 64 -s h100-sxm5-80g | grep -E 'plan:|base.yml'
printf 'stage: sft\nper_device_batch_size: 4\nlearning_rate: 1e-4\nbf16: true\n' >own.yaml
reckon import own.yaml
echo "--- nanoGPT's configuration in Python; a recipe; a script that says its own name, and that starts another"
printf 'torchrun --nproc_per_node=8 train_adam.py config/train_gpt2.py --batch_size=5 --gradient_accumulation_steps=12\n' >gpt.sh
reckon import gpt.sh -m gpt2-124m
printf 'echo "usage: bash ./launcher.sh"\npython ${NEMO} --factory "recipe()" trainer.num_nodes=32 --to-yaml out.yaml\n' >launcher.sh
reckon import launcher.sh
printf 'usage() {\ncat << EOF\nusage: bash ./self.sh X\nEOF\n}\nsrun bash inner.sh\n' >self.sh
reckon import self.sh
printf 'source /opt/megatron-deepspeed/bin/activate\ncd $HOME/x\nsh examples/pretrain.sh\n' >submit.sh
reckon import submit.sh
echo "--- a program that is given a configuration of a folder above, with DeepSpeed in a name only"
mkdir -p recipes scripts
printf 'model_name_or_path: Qwen/Qwen3-8B\nbf16: true\nmax_seq_length: 1024\nper_device_train_batch_size: 2\ngradient_checkpointing: true\n' >recipes/full.yaml
printf 'compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3}\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n' >recipes/deepspeed.yaml
printf 'accelerate launch --config_file recipes/deepspeed.yaml scripts/run_sft.py recipes/full.yaml\n' >scripts/sft.sh
reckon import scripts/sft.sh -s h100-sxm5-80g | grep -E 'read as|plan:'
echo "--- torchtitan: weights in 16 bits, a module that is not here, DeepSeek 16B"
cat >job.toml <<'EOF'
[model]
name = "deepseek_v3"
flavor = "16B"
[training]
local_batch_size = 1
seq_len = 4096
dtype = "bfloat16"
[parallelism]
data_parallel_shard_degree = 8
[activation_checkpoint]
mode = "full"
[checkpoint]
some_later_key = 1
EOF
reckon import job.toml -s h100-sxm5-80g | grep -E 'warning|parameters,|plan:|bytes'
printf 'torchrun --nproc_per_node=8 -m torchtitan.train --module llama3 --config llama3_8b\n' >mod.sh
reckon import mod.sh
printf '[data]\nx = 1\n' >some.toml
reckon check some.toml -s h100-sxm5-80g
echo "--- Primus with torchtitan and with MaxText: overrides win over the files that it names"
mkdir -p primus/configs/models/torchtitan primus/configs/modules/torchtitan primus/configs/models/maxtext primus/configs/modules/maxtext exp
printf 'model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.mx]\n' >primus/configs/models/torchtitan/llama.yaml
printf 'extends:\n  - more.yaml\ntraining:\n  local_batch_size: 8\n  seq_len: 2048\nactivation_checkpoint:\n  mode: none\n' >primus/configs/modules/torchtitan/pre.yaml
printf 'parallelism:\n  data_parallel_shard_degree: -1\n  tensor_parallel_degree: 1\ncompile:\n  enable: true\n' >primus/configs/modules/torchtitan/more.yaml
cat >exp/titan.yaml <<'EOF'
work_group: amd
modules:
  pre_trainer:
    framework: torchtitan
    config: pre.yaml
    model: ${PRIMUS_MODEL:llama}.yaml
    overrides:
      sink_level: null
      model: {converters: [primus_turbo]}
      training: {local_batch_size: "${BATCH:3}", steps: 5}
      parallelism: {tensor_parallel_degree: 2}
      activation_checkpoint: {mode: full}
EOF
reckon import exp/titan.yaml --gpus 16 -s mi300x | grep -E 'warning|parameters,|plan:'
reckon import exp/titan.yaml --gpus 16 -s mi300x --set training.seq_len=1024 | grep -E 'plan:'
printf 'model_name: llama2-7b\n' >primus/configs/models/maxtext/l.yaml
printf 'remat_policy: full\nper_device_batch_size: 12\nbase_config: base.yml\n' >primus/configs/modules/maxtext/pre.yaml
cat >exp/max.yaml <<'EOF'
work_group: amd
modules:
  pre_trainer:
    framework: maxtext
    config: pre.yaml
    model: l.yaml
    overrides: {per_device_batch_size: 2, max_target_length: 4096}
EOF
reckon import exp/max.yaml --gpus 16 -s mi300x | grep -E 'parameters,|plan:'
sed 's/maxtext/jax/' exp/max.yaml >exp/jax.yaml
reckon import exp/jax.yaml --gpus 16
sed 's/l.yaml/gone.yaml/' exp/max.yaml >exp/gone.yaml
reckon import exp/gone.yaml --gpus 16
echo "--- BLOOM's stages: embedding and head count as layers; bf16 without ZeRO has DeepSpeed's bf16 optimizer"
cat >bloom.sh <<'EOF'
cat <<EOT >ds.json
{"train_micro_batch_size_per_gpu": 1, "train_batch_size": 64, "zero_optimization": {"stage": 0}, "bf16": {"enabled": true}}
EOT
torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 6 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 \
    --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --bf16 --pp-partition-method 'type:transformer|embedding' \
    --pipeline-model-parallel-size 8 --tensor-model-parallel-size 1 --deepspeed --deepspeed_config ds.json --zero-stage 0 --vocab-size 50304
EOF
reckon import bloom.sh -s h100-sxm5-80g | grep -E 'warning|plan:|zero_opt'
sed "s/type:transformer|embedding/uniform/; s/layers 6/layers 8/" bloom.sh >even.sh
reckon import even.sh -s h100-sxm5-80g | grep -E 'partition|plan:'
echo "--- a length by another name than trl's"
printf 'accelerate launch --num_processes 4 own.py --model_name_or_path Qwen/Qwen3-8B --max_seq_len 4096 --packing True --per_device_train_batch_size 2 --bf16 True\n' >len.sh
reckon import len.sh -s h100-sxm5-80g | grep -E 'plan:|max_length'
echo "--- a count as Python reads it"
sed 's/--vocab-size 50304/--vocab-size 50304 --train-samples 6_348_800/' bloom.sh >count.sh
reckon check count.sh -s h100-sxm5-80g | grep -c train-samples
sed 's/--vocab-size 50304/--vocab-size 50304 --train-samples 6__3/' bloom.sh >wrong.sh
reckon check wrong.sh -s h100-sxm5-80g | grep -c train-samples
=== stdout
--- a task of MosaicML's cloud has llm-foundry's configuration below parameters
reckon: note: task.yaml is read as a task of MosaicML's cloud of llm-foundry: reckon import llm-foundry
reckon: task.yaml:25:20: fsdp_config.wrong_key_dtype: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: note: task.yaml is read as a task of MosaicML's cloud of llm-foundry: reckon import llm-foundry
reckon: warning: task.yaml:25:20: fsdp_config.wrong_key_dtype 1: is left out, as --ignore says: by its name it may decide what the run costs
task: 1,313,853,440 parameters, 16 GPUs of h100-sxm5-80g with llm-foundry
  plan: framework=fsdp dp16 mbs2 gbs64 zero3 grad-overlap weight-overlap flat-units loss=narrow
reckon: note: old.yaml is read as a task of MosaicML's cloud of llm-foundry: reckon import llm-foundry
old: 1,313,853,440 parameters, 8 GPUs of h100-sxm5-80g with llm-foundry
  plan: framework=fsdp dp8 mbs2 gbs64 zero3 grad-overlap weight-overlap flat-units loss=narrow
--- MaxText's base.yml is its own; a key of another program is no sign of it
reckon: note: max.sh is read as a configuration of MaxText: reckon import maxtext
  plan: framework=fsdp dp64 mbs4 gbs256 seq4096 cp-kind=gather zero3 grad-overlap weight-overlap
base.yml    -             not at hand: MaxText's own, of 2026
reckon: own.yaml: is not known to be a file of any tool that reckon reads: give the format, reckon import FORMAT FILE (reckon import --help lists them), or say model, batch and degrees as words of reckon predict
--- nanoGPT's configuration in Python; a recipe; a script that says its own name, and that starts another
reckon: note: gpt.sh is read as a training of Hugging Face: reckon import trainer
reckon: gpt.sh:1:43: config/train_gpt2.py is a configuration in Python, as nanoGPT has them, which is not read: say model, batch and sharding as words of reckon predict
reckon: launcher.sh: this is a NeMo recipe in Python; reckon does not read it: give the degrees as words of reckon predict, or a YAML to reckon import nemo
reckon: self.sh: starts the script inner.sh: give that one
reckon: note: submit.sh is read as a script of DeepSpeed: reckon import deepspeed
reckon: submit.sh: starts the script examples/pretrain.sh: give that one
--- a program that is given a configuration of a folder above, with DeepSpeed in a name only
reckon: note: scripts/sft.sh is read as a training of Hugging Face: reckon import trainer
  plan: framework=deepspeed dp8 mbs2 gbs16 seq1024 zero3 grad-overlap weight-overlap
--- torchtitan: weights in 16 bits, a module that is not here, DeepSeek 16B
reckon: note: job.toml is read as a configuration of torchtitan: reckon import torchtitan
reckon: warning: job.toml:13:18: not known: checkpoint.some_later_key: passed over, as others whose names begin so decide no cost
deepseek-v2-lite: 15,706,484,224 parameters, of which 2,661,150,208 active, 8 GPUs of h100-sxm5-80g with torchtitan
  plan: framework=fsdp dp8 gbs8 zero3 grad-overlap weight-overlap recompute=full no-fused
  weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2
reckon: note: mod.sh is read as a configuration of torchtitan: reckon import torchtitan
reckon: mod.sh:1:58: llama3 is a module of torchtitan that is not here: give its config_registry.py, reckon import torchtitan FILE --set config=NAME
reckon: some.toml: is not known to be a file of any tool that reckon reads: give the format, reckon import FORMAT FILE (reckon import --help lists them), or say model, batch and degrees as words of reckon predict
--- Primus with torchtitan and with MaxText: overrides win over the files that it names
reckon: note: exp/titan.yaml is read as an experiment of Primus: reckon import primus
reckon: warning: exp/titan.yaml: model.converters.0 primus_turbo: is not followed
titan: 8,030,261,248 parameters, 16 GPUs of mi300x with Primus
  plan: framework=fsdp dp8 tp2 mbs3 gbs24 seq2048 sp zero3 grad-overlap weight-overlap
reckon: note: exp/titan.yaml is read as an experiment of Primus: reckon import primus
reckon: warning: exp/titan.yaml: model.converters.0 primus_turbo: is not followed
  plan: framework=fsdp dp8 tp2 mbs3 gbs24 seq1024 sp zero3 grad-overlap weight-overlap
reckon: note: exp/max.yaml is read as an experiment of Primus: reckon import primus
max: 6,738,415,616 parameters, 16 GPUs of mi300x with Primus
  plan: framework=fsdp dp16 mbs2 gbs32 cp-kind=gather zero3 grad-overlap weight-overlap xla
reckon: note: exp/jax.yaml is read as an experiment of Primus: reckon import primus
reckon: exp/jax.yaml: modules.pre_trainer.framework is jax: megatron, torchtitan and maxtext are read here
reckon: note: exp/gone.yaml is read as an experiment of Primus: reckon import primus
reckon: exp/gone.yaml: gone.yaml: Primus' file of that name is not above this one (primus/configs/models/maxtext): give the experiment within a checkout of Primus
--- BLOOM's stages: embedding and head count as layers; bf16 without ZeRO has DeepSpeed's bf16 optimizer
reckon: note: bloom.sh is read as a launch script of Megatron-LM: reckon import megatron
  plan: framework=deepspeed dp2 pp8 gbs64 embedding-counts head-counts zero1 attention=unfused
zero_optimization.stage                1                 0 with bf16: DeepSpeed's bf16 optimizer shards its state as ZeRO-1 does
reckon: note: even.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: warning: even.sh:5:109: --pp-partition-method uniform: is not followed: stages are estimated with equal layers
  plan: framework=deepspeed dp2 pp8 gbs64 zero1 attention=unfused no-gradient-fusion
--- a length by another name than trl's
reckon: note: len.sh is read as a training of Hugging Face: reckon import trainer
reckon: warning: len.sh: packing True: is not followed: samples hold several texts (reckon predict --lengths says how long these are, --batching packed or joined)
  plan: framework=fsdp dp4 mbs2 gbs8 seq4096 grad-overlap recompute=full recompute-to-end no-fused
--- a count as Python reads it
0
1
