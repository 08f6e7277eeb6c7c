# LoRA, QLoRA, DPO and optimizers of axolotl, LLaMA-Factory and trl
cat >axolotl.yaml <<E
base_model: mistralai/Mistral-7B-v0.1
load_in_4bit: true
adapter: qlora
lora_r: 32
lora_alpha: 16
lora_dropout: 0.05
lora_target_modules:
  - q_proj
  - v_proj
sequence_len: 4096
micro_batch_size: 2
gradient_accumulation_steps: 4
optimizer: paged_adamw_8bit
bf16: auto
gradient_checkpointing: true
learning_rate: 0.0002
E
cat >factory.yaml <<E
model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
stage: dpo
do_train: true
finetuning_type: lora
lora_rank: 8
lora_target: all
pref_beta: 0.1
pref_loss: sigmoid
cutoff_len: 2048
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 5.0e-6
bf16: true
E
cat >trl.yaml <<E
per_device_train_batch_size: 4
max_length: 2048
use_peft: true
lora_r: 64
lora_target_modules: all-linear
load_in_4bit: true
bf16: true
optim: adafactor
E
reckon import axolotl axolotl.yaml --model mistral-7b --gpus 1
reckon import llama-factory factory.yaml --model llama3.1-8b --gpus 2
reckon import trainer trl.yaml --model llama3.1-8b --gpus 1
sed 's/q_proj/mystery_proj/' axolotl.yaml >wrong.yaml; reckon import axolotl wrong.yaml --model mistral-7b --gpus 1; echo "exit $?"
sed '/adapter: /d' axolotl.yaml >wrong.yaml; reckon import axolotl wrong.yaml --model mistral-7b --gpus 1; echo "exit $?"
sed 's/stage: dpo/stage: ppo/' factory.yaml >wrong.yaml; reckon import llama-factory wrong.yaml --model llama3.1-8b --gpus 2; echo "exit $?"
sed 's/finetuning_type: lora/finetuning_type: freeze/' factory.yaml >wrong.yaml; reckon import llama-factory wrong.yaml --model llama3.1-8b --gpus 2; echo "exit $?"
=== stdout
mistral-7b: 7,241,732,096 parameters, 1 GPUs with axolotl
  plan: framework=fsdp mbs2 gbs8 seq4096 grad-overlap recompute=full recompute-to-end no-fused
  optimizer=adam-8bit optimizer-paged lora32 lora-targets=q+v lora-dropout=0.05 lora-bytes=4
  base=nf4-dq

Assumed because the arguments do not state it
what      value  why
bf16      auto   current GPUs have it: assumed to be on
sharding  none   neither DeepSpeed nor FSDP is named: every GPU keeps all weights
llama3.1-8b: 8,030,261,248 parameters, 2 GPUs with LLaMA-Factory
  plan: framework=fsdp dp2 gbs16 seq2048 grad-overlap recompute=full recompute-to-end no-fused
  objective=dpo reference=adapter-off lora8 lora-bytes=4

Assumed because the arguments do not state it
what       value        why
reference  adapter-off  the trainer switches adapters off
sharding   none         neither DeepSpeed nor FSDP is named: every GPU keeps all weights
llama3.1-8b: 8,030,261,248 parameters, 1 GPUs with transformers
  plan: framework=fsdp mbs4 gbs4 seq2048 grad-overlap no-fused optimizer=adafactor lora64
  lora-bytes=4 base=nf4

Assumed because the arguments do not state it
what      value  why
sharding  none   neither DeepSpeed nor FSDP is named: every GPU keeps all weights
exit 3
exit 3
exit 3
exit 3
=== stderr
reckon: warning: factory.yaml:3:11: not known: do_train, pref_beta: passed over, as others whose names begin so decide no cost
reckon: wrong.yaml:8:5: lora_target_modules.0: mystery_proj is not a matrix of a block that is known: q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj, lm_head and other names of these are, and all-linear
reckon: wrong.yaml:2:15: load_in_4bit: weights of 4 or 8 bits cannot be trained: give adapters (LoRA), or load 16 bits
reckon: wrong.yaml:2:8: stage: the loss needs more than one pass of one model, which plans do not cover: dpo, ipo, simpo, orpo, cpo and kto are known
reckon: warning: wrong.yaml:3:11: not known: do_train, pref_beta: passed over, as others whose names begin so decide no cost
reckon: wrong.yaml:4:18: finetuning_type: is none of full and lora, which plans know
reckon: warning: wrong.yaml:3:11: not known: do_train, pref_beta: passed over, as others whose names begin so decide no cost
