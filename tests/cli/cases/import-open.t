# What a file leaves open is asked for in one answer: the model, the GPUs, what the trainer fills in.
printf '{"train_batch_size": "auto", "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3}}' >ds.json
reckon import deepspeed ds.json
reckon import deepspeed ds.json -m llama3.1-8b
reckon import deepspeed ds.json -m llama3.1-8b --gpus 16 --set bf16.enabled=true --set train_micro_batch_size_per_gpu=2 | sed -n 2p
printf '{"num_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "seq_length": 64, "max_position_embeddings": 64, "train_micro_batch_size_per_gpu": 1}' >neox.yml
reckon import gpt-neox neox.yml
printf 'model_name_or_path: acme/Coyote-7B\nbf16: true\nper_device_train_batch_size: 1\n' >sft.yaml
reckon import trainer sft.yaml
# A command's model is the catalog's where it has it, as a file's is.
cat >sft.sh <<'END'
swift rlhf --rlhf_type dpo --model Qwen/Qwen2.5-7B-Instruct --train_type lora --lora_rank 16 --max_length 2048 --per_device_train_batch_size 2
END
reckon import ms-swift sft.sh --gpus 8 2>/dev/null | sed -n 1,3p
sed 's/Qwen.*Instruct/acme\/Coyote-7B/' sft.sh >coyote.sh
reckon import ms-swift coyote.sh
# torchtune's builders and torchtitan's flavors are names of models, too.
printf 'model:\n  _component_: torchtune.models.llama3_1.qlora_llama3_1_8b\n  lora_attn_modules: [q_proj]\n  lora_rank: 8\nbatch_size: 2\ndtype: bf16\ntokenizer: {max_seq_len: 2048}\nbatch_size_val: 1\nfsdp: {cpu_offload: true}\n' >tune.yaml
reckon import torchtune tune.yaml --gpus 2 | sed -n 1,3p
printf '[model]\nname = "llama3"\nflavor = "70B"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n' >job.toml
reckon import torchtitan job.toml --gpus 64 | sed -n 1p
printf '[model]\nname = "llama3"\nflavor = "70B"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n' >job.toml
sed -i 's/llama3_1_8b/coyote_7b/' tune.yaml; reckon import torchtune tune.yaml
# Many unknown keys are one line, as --ignore takes them.
for key in a b c d e f g h i; do echo "coyote_$key: 1" >>sft.yaml; done
reckon import trainer sft.yaml -m llama3.1-8b --gpus 8
# Answers that are generated between the steps are no plan.
printf 'bf16: true\nper_device_train_batch_size: 1\nreward_funcs: [accuracy, format]\nuse_vllm: true\ntemperature: 1.0\n' >grpo.yaml
reckon import trainer grpo.yaml -m llama3.1-8b --gpus 8
# What a default decides is said: fp32 without a word of precision, one process of distributed_type NO.
printf 'per_device_train_batch_size: 1\n' >fp32.yaml; reckon import trainer fp32.yaml -m llama3.1-8b --gpus 8 | grep -E 'plan|precision'
printf 'compute_environment: LOCAL_MACHINE\ndistributed_type: "NO"\nmixed_precision: bf16\nnum_processes: 8\n' >one.yaml; reckon import accelerate one.yaml -m llama3.1-8b | sed -n 1p
# All arguments of a script, where it needs one of them.
cat >train.sh <<'END'
ENV=$1
TP=$2
PP=${3}
LR=${4:-1e-4}
if [ $ENV = dsw ]; then NNODES=1; else NNODES=$WORLD; fi
torchrun --nnodes $NNODES --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP
END
reckon import megatron train.sh
=== stdout
  plan: framework=deepspeed dp16 mbs2 gbs32 zero3 grad-overlap weight-overlap
qwen2.5-7b: 7,615,616,512 parameters, 8 GPUs with ms-swift
  plan: framework=fsdp dp8 mbs2 gbs16 seq2048 grad-overlap recompute=full recompute-to-end
  no-fused loss=padded objective=dpo lora16 lora-dropout=0.05
llama3.1-8b: 8,030,261,248 parameters, 2 GPUs with torchtune
  plan: framework=fsdp dp2 mbs2 gbs4 seq2048 zero3 grad-overlap weight-overlap no-fused
  foreach-step lora8 lora-targets=q lora-bytes=2 base=nf4-dq offload-optimizer=1 offload-weights=1
llama3.1-70b: 70,553,706,496 parameters, 64 GPUs with torchtitan
  plan: framework=fsdp precision=fp32 dp8 gbs8 grad-overlap no-fused
precision  fp32   the trainer's default: the file has neither bf16 nor fp16
llama3.1-8b: 8,030,261,248 parameters, 1 GPU with accelerate
=== stderr
reckon: --model is missing: give a config.json, or an id of reckon models; the file leaves a part of the run open; and in one line: --model MODEL --gpus N --set bf16.enabled=true --set train_micro_batch_size_per_gpu=N
reckon: ds.json: the file leaves a part of the run open: give --gpus N --set bf16.enabled=true (or fp16.enabled) --set train_micro_batch_size_per_gpu=N
reckon: neox.yml: the vocabulary's size is in the files of the tokenizer, and nothing says how many GPUs are used: give --vocabulary N, and --gpus N
reckon: --model is missing: model_name_or_path acme/Coyote-7B is not a checkpoint of the catalog: give its config.json, or an id of reckon models; nothing says how many GPUs are used; and in one line: --model MODEL --gpus N
reckon: --model is missing: model acme/Coyote-7B is not a checkpoint of the catalog: give its config.json, or an id of reckon models; nothing says how many GPUs are used; and in one line: --model MODEL --gpus N
reckon: --model is missing: model._component_ torchtune.models.llama3_1.qlora_coyote_7b is not a checkpoint of the catalog: give its config.json, or an id of reckon models; the file does not say how many GPUs the recipe is started on; and in one line: --model MODEL --gpus N
reckon: sft.yaml:4:11: coyote_a: is not known: correct it, or give --ignore coyote_a
reckon: sft.yaml: correct all that are not known, or give --ignore coyote_a,coyote_b,coyote_c,coyote_d,coyote_e,coyote_f,coyote_g,coyote_h,coyote_i
reckon: grpo.yaml:3:16: reward_funcs.0 accuracy: answers are generated between the steps (GRPO), which plans do not cover: give --ignore reward_funcs.0 to estimate the run without it
reckon: warning: one.yaml: distributed_type NO: starts one process, whatever num_processes says
reckon: train.sh:5:1: $NNODES depends on the condition in line 5, which the script does not tell: give --set ENV=VALUE (it is compared with dsw); line 2:4: $TP is argument 2 of this script; line 3:4: $PP is argument 3 of this script; --seq-length is missing; and in one line: --set ENV=dsw --set TP=VALUE --set PP=VALUE
=== exit 3
