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
sed '/use_peft/d' trl.yaml >wrong.yaml; reckon import trainer wrong.yaml --model llama3.1-8b --gpus 1; echo "exit $?"
sed '/load_in/d' trl.yaml >full.yaml; reckon import trainer full.yaml --set use_peft=false --model llama3.1-8b --gpus 1 | sed -n 2,3p
(cat trl.yaml; echo 'beta: 0.01') >dpo.yaml; reckon import trainer dpo.yaml --model llama3.1-8b --gpus 1; echo "exit $?"
reckon import trainer dpo.yaml --set rl=simpo --model llama3.1-8b --gpus 1 | sed -n 2,3p
printf 'torchrun --nproc_per_node 8 own.py --per_device_train_batch_size 1 --block_size 1024 --bf16 --lora_rank 64 --load_in_kbits 4\n' >own.sh
reckon import trainer own.sh --model llama3.1-8b; echo "exit $?"; reckon import trainer own.sh --model llama3.1-8b --set use_peft=true | sed -n 2,3p
reckon import trainer own.sh --model llama3.1-8b --set use_peft=true --set load_in_kbits=16 | sed -n 2,3p
sed 's/--lora_rank 64 --load_in_kbits 4/--use_lora True --q_lora False/' own.sh >code.sh; reckon import trainer code.sh --model llama3.1-8b; echo "exit $?"
reckon import trainer code.sh --model llama3.1-8b --set lora_r=64 --set lora_target_modules=q_proj,v_proj | sed -n 2,3p
sed 's/q_lora False/q_lora/' code.sh >bits.sh; reckon import trainer bits.sh --model llama3.1-8b --set lora_r=64
reckon import trainer bits.sh --model llama3.1-8b --set lora_r=64 --set lora_target_modules=q_proj,v_proj --ignore q_lora --set load_in_4bit=true | sed -n 2,3p
sed 's/use_lora True/use_lora False/' code.sh >off.sh; reckon import trainer off.sh --model llama3.1-8b | sed -n 2,3p
reckon import trainer dpo.yaml --model llama3.1-8b
sed 's/use_peft.*/deepspeed: ds.json/; /lora/d; /load_in/d' trl.yaml >ds.yaml; reckon import trainer ds.yaml --model llama3.1-8b
=== stdout
mistral-7b: 7,241,732,096 parameters, 1 GPU with axolotl
  plan: framework=fsdp mbs2 gbs8 seq4096 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded optimizer=adam-8bit optimizer-paged lora32 lora-targets=q+v lora-dropout=0.05
  lora-bytes=4 base=nf4-dq

Assumed because the arguments do not state it
what      value   why
bf16      auto    current GPUs have it: assumed to be on
sharding  none    neither DeepSpeed nor FSDP is named: every GPU keeps all weights
loss      padded  that of transformers since 4.49
llama3.1-8b: 8,030,261,248 parameters, 2 GPUs with LLaMA-Factory
  plan: framework=fsdp dp2 gbs16 seq2048 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded objective=dpo lora8 lora-bytes=4

Assumed because the arguments do not state it
what       value        why
reference  adapter-off  the trainer switches adapters off
sharding   none         neither DeepSpeed nor FSDP is named: every GPU keeps all weights
loss       padded       that of transformers since 4.49
llama3.1-8b: 8,030,261,248 parameters, 1 GPU with transformers
  plan: framework=fsdp mbs4 gbs4 seq2048 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded optimizer=adafactor lora64 lora-dropout=0.05 lora-bytes=2 base=nf4

Assumed because the arguments do not state it
what                    value   why
gradient_checkpointing  true    trl's default since 0.21
lora_dropout            0.05    trl's default
sharding                none    neither DeepSpeed nor FSDP is named: every GPU keeps all weights
loss                    padded  that of transformers since 4.49
exit 3
exit 3
exit 3
exit 3
exit 3
  plan: framework=fsdp mbs4 gbs4 seq2048 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded optimizer=adafactor autocast
exit 3
  plan: framework=fsdp mbs4 gbs4 seq2048 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded objective=simpo optimizer=adafactor lora64 lora-dropout=0.05 lora-bytes=2 base=nf4
exit 2
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded lora64 lora-targets=q+v lora-dropout=0.05 lora-bytes=2 base=nf4
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded weight-bytes=4 lora64 lora-targets=q+v lora-dropout=0.05 lora-bytes=4
exit 2
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded weight-bytes=4 lora64 lora-targets=q+v lora-bytes=4
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded lora64 lora-targets=q+v lora-bytes=2 base=nf4
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap no-fused loss=padded autocast

=== stderr
reckon: warning: factory.yaml:3:11: not known: do_train, pref_beta: passed over, as others whose names begin so decide no cost
reckon: wrong.yaml:8:5: lora_target_modules.0: mystery_proj is not a matrix of a block that is known: q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj, lm_head and other names of these are: give --set lora_target_modules.0=all-linear, or those that have adapters
reckon: wrong.yaml:2:15: load_in_4bit: weights of 4 or 8 bits cannot be trained: give adapters (LoRA), or load 16 bits
reckon: wrong.yaml:2:8: stage: the loss needs more than one pass of one model, which plans do not cover: dpo, ipo, simpo, orpo, cpo and kto are known
reckon: warning: wrong.yaml:3:11: not known: do_train, pref_beta: passed over, as others whose names begin so decide no cost
reckon: wrong.yaml:4:18: finetuning_type: is none of full and lora, which plans know
reckon: warning: wrong.yaml:3:11: not known: do_train, pref_beta: passed over, as others whose names begin so decide no cost
reckon: wrong.yaml:3:9: lora_r: is an adapter's, but nothing says that one is trained: give --set use_peft=true where the program trains it, use_peft=false where (as in trl without that key) all weights are trained
reckon: dpo.yaml:9:7: beta: is of a trainer of preferences, which the file does not name: give --set rl=dpo (or ipo, simpo, orpo, cpo, kto), or --ignore beta for supervised fine-tuning
reckon: --set lora_rank: is an adapter's, but nothing says that one is trained: give --set use_peft=true where the program trains it, use_peft=false where (as in trl without that key) all weights are trained
reckon: --set use_lora: trains adapters of a rank that the program's own code has: give --set lora_r=N, and --set lora_target_modules=q_proj,v_proj where not all matrices have them
reckon: bits.sh: q_lora true: weights of few bits in one's own training code (bitsandbytes' are load_in_4bit), which plans do not cover: give --ignore q_lora to estimate the run without it; --set use_lora: trains adapters on matrices that the program's own code names; and in one line: --set lora_target_modules=all-linear --ignore q_lora
reckon: dpo.yaml: nothing says how many GPUs are used: give --gpus N; line 9:7: beta: is of a trainer of preferences, which the file does not name; and in one line: --gpus N --set rl=dpo
reckon: ds.yaml: nothing says how many GPUs are used: give --gpus N; line 3:12: deepspeed: ds.json is not next to this file; and in one line: --gpus N --set zero_optimization.stage=N
=== exit 3
