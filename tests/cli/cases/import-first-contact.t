exec 2>&1
# scripts and configurations as strangers have them: whose they are, and what their own arguments say
echo "--- run_train.py with a configuration is nanotron's"
cat >tiny.yaml <<'EOF'
general: {project: p, run: r, seed: 1}
model:
  dtype: bfloat16
  make_vocab_size_divisible_by: 1
  model_config: {is_llama_config: true, hidden_size: 512, intermediate_size: 1536, num_attention_heads: 8, num_key_value_heads: 8,
    num_hidden_layers: 8, hidden_act: silu, max_position_embeddings: 1024, tie_word_embeddings: true, vocab_size: 32000}
optimizer: {zero_stage: 0, accumulate_grad_in_fp32: true}
parallelism: {dp: 8, tp: 1, pp: 1, tp_mode: REDUCE_SCATTER, tp_linear_async_communication: true}
tokens: {sequence_length: 1024, micro_batch_size: 4, batch_accumulation_per_replica: 2, train_steps: 10}
EOF
printf 'torchrun --nproc_per_node=8 run_train.py --config-file tiny.yaml\n' >nano.sh
reckon import nano.sh -s h100-sxm5-80g | grep -E 'plan:|launched'
echo "--- an environment's name is no sign; qlora-pipe; the section of a cloud task"
printf 'conda activate openrlhf\nsrun torchrun /src/OLMo/scripts/train.py my.yaml\n' >olmo.sh
reckon import olmo.sh
printf "model_dir = '/m'\nfull_fine_tune = true\nsequence_len = 4096\npipeline_stages = 2\n" >pipe.toml
reckon import pipe.toml
reckon check pipe.toml -s h100-sxm5-80g
printf 'integrations: []\nimage: i\ncommand: run\nparameters: {max_seq_len: 2048}\n' >task.yaml
reckon import task.yaml
echo "--- arguments of one's own program next to DeepSpeed's file that may decide the cost"
echo '{"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}' >ds.json
printf 'deepspeed --num_gpus 8 gpt.py --deepspeed_config ds.json --num_layers 32 --seq_length 512 --activation_checkpointing --log_dir l\n' >own.sh
reckon import own.sh -m llama3.1-8b
reckon import own.sh -m llama3.1-8b --ignore num_layers,seq_length,activation_checkpointing 2>/dev/null | grep plan:
echo "--- a program at hand that imports a tool which is not read"
printf 'import torch\nfrom colossalai.booster import Booster\n' >clm.py
printf 'torchrun --nproc_per_node 4 clm.py --model_name_or_path facebook/opt-1.3b --per_device_train_batch_size 8\n' >clm.sh
reckon import clm.sh
echo "--- an argument without which the script has a default; one with which it exits is asked for"
cat >chat.sh <<'EOF'
OUTPUT=$1
STAGE=$2
if [ "$OUTPUT" == "" ]; then
    OUTPUT=./output
fi
if [ -z "$STAGE" ]; then
    STAGE=2
fi
deepspeed --num_gpus 8 main.py --model_name_or_path facebook/opt-1.3b --per_device_train_batch_size 8 --max_seq_len 512 \
    --zero_stage $STAGE --deepspeed --output_dir $OUTPUT
EOF
reckon import chat.sh | sed -n '/plan:/p;/Assumed/,$p'
sed 's/    STAGE=2/    exit 1/' chat.sh >exits.sh
reckon import exits.sh
echo "--- all arguments of a script at once, with a part of accelerate's file"
printf 'MODEL=$1\nKIND=$2\naccelerate launch --config_file accelerate/$KIND.yaml sft.py --config recipes/$MODEL.yaml --per_device_train_batch_size 1\n' >parts.sh
reckon import parts.sh
echo "--- Megatron-LM's own file of arguments, and what is started with it"
cat >cfg.yaml <<'EOF'
language_model: {num_layers: 24, hidden_size: 1024, num_attention_heads: 16, ffn_hidden_size: null, activation_func: swiglu, gated_linear_unit: False,
  bias_activation_fusion: False, layernorm_zero_centered_gamma: True, add_bias_linear: False, hidden_dropout: 0.0, attention_dropout: 0.0}
model_parallel: {tensor_model_parallel_size: 1, pipeline_model_parallel_size: 1, bf16: True, perform_initialization: True, tp_comm_split_ag: True}
micro_batch_size: 2
global_batch_size: 128
seq_length: 4096
max_position_embeddings: 4096
position_embedding_type: rope
EOF
reckon import cfg.yaml --gpus 8 --vocabulary 32000 | sed -n '1,2p'
sed 's/gated_linear_unit: False/gated_linear_unit: True/; s/: swiglu/: gelu/' cfg.yaml >gate.yaml
reckon import gate.yaml --gpus 8 --vocabulary 32000
printf 'torchrun --nproc_per_node 8 pretrain_gpt.py --yaml-cfg cfg.yaml --data-path d\n' >cfg.sh
reckon import cfg.sh
echo "--- keys of images next to a model of text; sizes of a checkpoint"
printf 'model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\nfinetuning_type: lora\nimage_max_pixels: 262144\ncutoff_len: 2048\nper_device_train_batch_size: 1\n' >lf.yaml
reckon import lf.yaml --gpus 1 | grep plan:
gpt='--num-layers 8 --hidden-size 1024 --num-attention-heads 8 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --vocab-size 32000'
echo "torchrun --nproc_per_node 8 pretrain_gpt.py $gpt --use-bridge --bridge-hf-model hf" >bridge.sh
reckon import bridge.sh | grep plan:
echo "--- a configuration that a function of another file makes"
printf 'from x import other\n\n\ndef big() -> Trainer.Config:\n    config = other(small(), registry)\n    return config\n' >config_registry.py
reckon import torchtitan config_registry.py -m llama3.1-8b --gpus 8
echo "--- check proposes no degree that the tool has no key for"
printf 'model_name_or_path: meta-llama/Llama-3.1-8B\ndataset_name: d\nper_device_train_batch_size: 1\nmax_length: 131072\nbf16: true\ngradient_checkpointing: true\nfsdp: full_shard auto_wrap\nuse_liger_kernel: true\n' >long.yaml
reckon check long.yaml -s h100-sxm5-80g --gpus 8
sed 's/fsdp:.*/fsdp: [full_shard, auto_wrap]/; s/model_name_or_path/base_model/; s/max_length/sequence_len/; s/per_device_train/micro/; s/dataset_name: d/datasets: []/; s/use_liger_kernel: true/plugins: [axolotl.integrations.liger.LigerPlugin]\nliger_fused_linear_cross_entropy: true/; s/micro_batch_size/micro_batch_size/' long.yaml >ax.yaml
reckon check ax.yaml -s h100-sxm5-80g --gpus 8
echo "--- a long word of a plan, in an answer and in a name"
long=split=$(printf '2,3,%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)2,3
reckon diff "gpus256 pp32 tp4 gbs512 $long sp zero1" +mbs2 -m llama3.1-70b -s h100-sxm5-80g | grep -A2 -E '^(A|B) ' | sed 's/: .* per step.*/: .../'
echo "--- choices that take more than a line end at a whole one"
reckon search --help-all | grep -e '--order tp'
=== stdout
--- run_train.py with a configuration is nanotron's
reckon: note: nano.sh is read as a script of nanotron: reckon import nanotron
reckon: warning: nano.sh:8:45: --sequence-parallel: has no effect: tensor parallelism is 1
  plan: dp8 mbs4 gbs64 attention=flash no-transformer-engine vocab-multiple=1
--- an environment's name is no sign; qlora-pipe; the section of a cloud task
reckon: olmo.sh: this is an OLMo script; reckon does not read it: give the YAML that it names to reckon import olmo
reckon: pipe.toml: this is a qlora-pipe configuration; reckon does not read it: say model, batch, stages and lora as words of reckon predict, framework=deepspeed; its keys, by their names, say seq=4096
reckon: pipe.toml: this is a qlora-pipe configuration; reckon does not read it: say model, batch, stages and lora as words of reckon predict, framework=deepspeed
reckon: task.yaml: this is a MosaicML cloud task; reckon does not read it: give what stands below its parameters: as a file of its own, or the configuration that its command starts
--- arguments of one's own program next to DeepSpeed's file that may decide the cost
reckon: note: own.sh is read as a script of DeepSpeed: reckon import deepspeed
reckon: ds.json: num_layers: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: own.sh: seq_length: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: own.sh: activation_checkpointing: is not known, and may decide what the run costs, did you mean activation_checkpointing.cpu_checkpointing: correct it, or say it by --set and this tool's keys, and --ignore it then
  plan: framework=deepspeed dp8 gbs8 zero3 grad-overlap weight-overlap
--- a program at hand that imports a tool which is not read
reckon: note: clm.sh is read as a training of Hugging Face: reckon import trainer
reckon: clm.sh:1:29: clm.py is a program of ColossalAI, which reckon does not read: say its degrees as words of reckon predict
--- an argument without which the script has a default; one with which it exits is asked for
reckon: note: chat.sh is read as a training of Hugging Face: reckon import trainer
  plan: framework=deepspeed precision=fp16 dp8 mbs8 gbs64 seq512 zero2 grad-overlap no-fused
Assumed because the arguments do not state it
what                value              why
OUTPUT              not set            the script asks for it and does not set it: give --set OUTPUT=VALUE otherwise
STAGE               not set            the script asks for it and does not set it: give --set STAGE=VALUE otherwise
gpus                8                  by deepspeed
model_name_or_path  facebook/opt-1.3b  the catalog's opt-1.3b
precision           fp16               that of DeepSpeed-Chat's programs where no type is said
loss                padded             that of transformers since 4.49
reckon: note: exits.sh is read as a training of Hugging Face: reckon import trainer
reckon: exits.sh: zero_stage: line 2: $STAGE is argument 2 of this script: give --set STAGE=VALUE
--- all arguments of a script at once, with a part of accelerate's file
reckon: note: parts.sh is read as a training of Hugging Face: reckon import trainer
reckon: parts.sh:2:6: $KIND is argument 2 of this script: give --set KIND=VALUE, or --ignore config_file and what that file says with --set distributed_type=FSDP (or DEEPSPEED with --set deepspeed_config.zero_stage=3); line 1:7: $MODEL is argument 1 of this script; and in one line: --set KIND=VALUE --set MODEL=VALUE
--- Megatron-LM's own file of arguments, and what is started with it
reckon: note: cfg.yaml is read as a file of arguments of Megatron-LM: reckon import megatron-yaml
cfg: 331,712,512 parameters, 8 GPUs with Megatron-LM
  plan: dp8 mbs2 gbs128 vocab-multiple=128
reckon: note: gate.yaml is read as a file of arguments of Megatron-LM: reckon import megatron-yaml
reckon: gate.yaml:1:143: language_model.gated_linear_unit: True is not covered: give --set language_model.gated_linear_unit=VALUE, one of false, to estimate the run with it
reckon: note: cfg.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: cfg.sh:1:45: --yaml-cfg: its own file of arguments (give that one to reckon import megatron-yaml), which plans do not cover
--- keys of images next to a model of text; sizes of a checkpoint
reckon: note: lf.yaml is read as a training of LLaMA-Factory: reckon import llama-factory
reckon: warning: lf.yaml:4:19: image_max_pixels 262144: is not followed: images among the samples: a model of text has none
reckon: warning: lf.yaml: do_train: nothing is trained without it: give do_train: true
  plan: framework=fsdp precision=fp32 gbs1 seq2048 grad-overlap recompute=full recompute-to-end
reckon: note: bridge.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: warning: bridge.sh:1:205: --bridge-hf-model: is not followed: the sizes of that checkpoint hold where they differ from those of the arguments
  plan: precision=fp32 dp8 gbs8 vocab-multiple=128
--- a configuration that a function of another file makes
reckon: config_registry.py:5:1: the configuration is what a function of another file makes of small: give the module and configuration of that one
--- check proposes no degree that the tool has no key for
long.yaml: note 5.stage: stage 0 83.3 GiB: unsure, P(fits) 21 %: 79 GiB are there: optimizer=adam-8bit needs 78 GiB
llama3.1-8b on h100-sxm5-80g: 1 note
ax.yaml: warning 5.stage: stage 0 93.4 GiB: does not fit, P(fits) 11 %: 79 GiB are there: cp2 needs 61 GiB
llama3.1-8b on h100-sxm5-80g: 1 warning
--- a long word of a plan, in an answer and in a name
A fits, B does not fit: ...
llama3.1-70b on h100-sxm5-80g
A  gpus256 pp32 tp4 gbs512 ...: ...
  plan: dp2 tp4 pp32 gbs512 split=2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3
  sp zero1
--
B  +mbs2: ...
  plan: dp2 tp4 pp32 mbs2 gbs512
  split=2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3,2,3 sp zero1
--- choices that take more than a line end at a whole one
      --order tp-cp-dp-pp|tp-cp-pp-dp|tp-dp-cp-pp|tp-dp-pp-cp|tp-pp-cp-dp|tp-pp-dp-cp|cp-tp-dp-pp|cp-tp-pp-dp|cp-dp-tp-pp|cp-dp-pp-tp|cp-pp-tp-dp|cp-pp-dp-tp|dp-tp-cp-pp|...
