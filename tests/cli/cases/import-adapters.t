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
# Tools whose files leave a rank out: the section, or its keys, say that there are adapters.
plan() { reckon import "$@" -m llama3.1-8b 2>&1 | grep -E '^reckon|^  |^rank|^reference'; }
am='step_scheduler: {global_batch_size: 64, local_batch_size: 8}\nmodel: {pretrained_model_name_or_path: meta-llama/Llama-3.1-8B}\ndataset: {seq_length: 2048}\n'
printf "${am}peft: {match_all_linear: true}\nquantization: {load_in_4bit: true}\noptimizer: {_target_: transformer_engine.pytorch.optimizers.FusedAdam}\n" >am.yaml; plan automodel am.yaml --gpus 8
sed '/^peft/d' am.yaml >bits.yaml; plan automodel bits.yaml --gpus 8; sed 's/{match.*/{dim: 0}/' am.yaml >none.yaml; plan automodel none.yaml --gpus 8
printf "${am}distributed: {strategy: ddp, dp_replicate_size: 2}\n" >ddp.yaml; plan automodel ddp.yaml --gpus 8
printf "${am}distributed: {offload_policy: {_target_: torch.distributed.fsdp.CPUOffloadPolicy, pin_memory: true}}\n" >host.yaml; plan automodel host.yaml --gpus 8
lit='precision: bf16-true\ndata: {class_path: litgpt.data.Alpaca, init_args: {mask_prompt: false}}\ntrain: {global_batch_size: 8, micro_batch_size: 2, max_seq_length: 512}\n'
printf "${lit}devices: \"0,1,2,3\"\nlora_alpha: 16\n" >lit.yaml; plan litgpt lit.yaml
sed 's/"0.*"/-1/' lit.yaml >all.yaml; plan litgpt all.yaml; plan litgpt lit.yaml --set train.micro_batch_size=0
printf 'model: {name: hf_causal_lm, peft_config: {peft_type: LORA, target_modules: [q_proj]}}\nmax_seq_len: 512\nprecision: amp_bf16\nglobal_train_batch_size: 8\n' >foundry.yaml; plan llm-foundry foundry.yaml --gpus 8
printf 'from xtuner.model import SupervisedFinetune\nmax_length = 2048\nbatch_size = 1\nprompt_template = "a"\nmodel = dict(type=SupervisedFinetune, llm=dict(quantization_config=dict(load_in_4bit=True)), lora=dict(type=LoraConfig, lora_alpha=16, bias="none"))\n' >x.py; plan xtuner x.py --gpus 8
printf 'strategy = dict(type="DeepSpeedStrategy", zero_optimization=dict(stage=3))\ntp_size = 4\n' >>x.py; plan xtuner x.py --gpus 8
# oumi: fp32 unless told, in bf16 where precision is mixed; a section counts where it is switched on.
oumi='model: {model_max_length: 4096}\ndata: {train: {pack: true, collator_name: text_with_padding}}\ntraining: {trainer_type: TRL_DPO, per_device_train_batch_size: 2}\nfsdp: {enable_fsdp: true, sharding_strategy: SHARD_GRAD_OP}\n'
printf "${oumi}deepspeed: {enable_deepspeed: false, zero_stage: ZERO_3, offload_param: {device: CPU}}\n" >o.yaml; plan oumi o.yaml --gpus 8
plan oumi o.yaml --gpus 8 --set training.mixed_precision_dtype=BF16 --set fsdp.sharding_strategy=FULL_SHARD
plan oumi o.yaml --gpus 8 --set training.use_peft=true --set training.mixed_precision_dtype=FP16 --set fsdp.enable_fsdp=false --set fsdp.cpu_offload=true
# A rank is no width of a model; MPT's MLP has the width that the file says.
printf 'peft.dim = 16\nmodel.dim = 4096\n' >own.toml; reckon import own.toml 2>&1 | grep -o 'MODEL[^"]*'
printf 'model: {name: mpt_causal_lm, d_model: 1024, n_heads: 16, n_layers: 4, ffn_config: {ffn_type: mptglu, ffn_hidden_size: 2730}}\nglobal_train_batch_size: 8\n' >mpt.yaml; reckon import llm-foundry mpt.yaml --gpus 8 2>&1 | head -n 1
=== stdout
mistral-7b: 7,241,732,096 parameters, 1 GPU with axolotl
  plan: framework=fsdp mbs2 gbs8 seq4096 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded optimizer=adam-8bit optimizer-paged lora32 lora-targets=q+v lora-dropout=0.05
  base=nf4-dq

Assumed because the arguments do not state it
what      value   why
bf16      auto    current GPUs have it: assumed to be on
sharding  none    neither DeepSpeed nor FSDP is named: every GPU keeps all weights
loss      padded  that of transformers since 4.49
llama3.1-8b: 8,030,261,248 parameters, 2 GPUs with LLaMA-Factory
  plan: framework=fsdp dp2 gbs16 seq2048 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded objective=dpo lora8

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
  loss=padded weight-bytes=4 lora64 lora-targets=q+v lora-dropout=0.05
exit 2
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded weight-bytes=4 lora64 lora-targets=q+v
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded lora64 lora-targets=q+v lora-bytes=2 base=nf4
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap no-fused loss=padded autocast

  plan: framework=fsdp dp8 mbs8 gbs64 seq2048 zero3 grad-overlap weight-overlap no-fused
  unsynced-grads lora8 lora-bytes=2 base=nf4
rank of adapters  8        the tool's default: the file has none
reckon: bits.yaml: weights of 4 or 8 bits cannot be trained: give adapters (LoRA), or load 16 bits
reckon: none.yaml: adapters of rank 0 train nothing: give a rank of at least 1
  plan: framework=fsdp dp8 mbs8 gbs64 seq2048 grad-overlap no-fused weight-bytes=2
  gradient-bytes=2 moment1-bytes=2 moment2-bytes=2
  plan: framework=fsdp dp8 mbs8 gbs64 seq2048 zero3 grad-overlap weight-overlap no-fused
  unsynced-grads weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2
  offload-optimizer=1 offload-weights=1
  plan: framework=fsdp dp4 mbs2 gbs8 seq512 zero3 grad-overlap weight-overlap flat-units
  recompute=full no-fused loss=narrow unsynced-grads lora8 lora-targets=q+v lora-bytes=2
  mixed-units qkv-joined
rank of adapters  8      the tool's default: the file has none
reckon: all.yaml: the file does not say how many GPUs are used: give --gpus N
reckon: lit.yaml: batches must be at least 1, and at most 1000000000
  plan: framework=fsdp dp8 gbs8 seq512 grad-overlap loss=narrow lora8 lora-targets=q lora-bytes=0
  autocast
rank of adapters  8      the tool's default: the file has none
  plan: framework=fsdp dp8 gbs8 seq2048 grad-overlap recompute=full no-fused loss=padded lora8
  lora-bytes=0 base=nf4 autocast
rank of adapters  8      the tool's default: the file has none
reckon: x.py:6:1: strategy dict: a strategy of mmengine (--set deepspeed=deepspeed_zero2 or deepspeed_zero3 says one), which plans do not cover: give --ignore strategy to estimate the run without it; tp_size may decide what the run costs: say it by --set and this tool's keys; and in one line: --ignore strategy,tp_size
reckon: x.py:7:1: tp_size: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
  plan: framework=fsdp precision=fp32 dp8 mbs2 gbs16 seq4096 zero2 grad-overlap no-fused
  loss=padded objective=dpo
reference        copy   the trainer loads a copy
  plan: framework=fsdp dp8 mbs2 gbs16 seq4096 zero3 grad-overlap weight-overlap flat-units
  no-fused loss=padded objective=dpo
reference        copy   the trainer loads a copy
  plan: framework=fsdp precision=fp16 dp8 mbs2 gbs16 seq4096 grad-overlap no-fused loss=padded
  objective=dpo weight-bytes=4 lora8 lora-bytes=0 autocast
rank of adapters  8            the tool's default: the file has none
reference         adapter-off  the trainer switches adapters off
MODEL hidden=4096
mpt: 104,058,192 parameters, 8 GPUs with llm-foundry
=== stderr
reckon: wrong.yaml:8:5: lora_target_modules.0: mystery_proj is not a matrix of a block that is known: q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj, lm_head and other names of these are: give --set lora_target_modules.0=all-linear, or those that have adapters
reckon: wrong.yaml:2:15: load_in_4bit: weights of 4 or 8 bits cannot be trained: give adapters (LoRA), or load 16 bits
reckon: wrong.yaml:2:8: stage: the loss needs more than one pass of one model, which plans do not cover: dpo, ipo, simpo, orpo, cpo and kto are known
reckon: wrong.yaml:4:18: finetuning_type: is none of full and lora, which plans know
reckon: wrong.yaml:3:9: lora_r: is an adapter's, but nothing says that one is trained: give --set use_peft=true where the program trains it, use_peft=false where (as in trl without that key) all weights are trained
reckon: dpo.yaml:9:7: beta: is of a trainer of preferences, which the file does not name: give --set rl=dpo (or ipo, simpo, orpo, cpo, kto), or --ignore beta for supervised fine-tuning
reckon: --set lora_rank: is an adapter's, but nothing says that one is trained: give --set use_peft=true where the program trains it, use_peft=false where (as in trl without that key) all weights are trained
reckon: --set use_lora: trains adapters of a rank that the program's own code has: give --set lora_r=N, and --set lora_target_modules=q_proj,v_proj where not all matrices have them
reckon: bits.sh: q_lora true: weights of few bits in one's own training code (bitsandbytes' are load_in_4bit), which plans do not cover: give --ignore q_lora to estimate the run without it; --set use_lora: trains adapters on matrices that the program's own code names; and in one line: --set lora_target_modules=all-linear --ignore q_lora
reckon: dpo.yaml: nothing says how many GPUs are used: give --gpus N; line 9:7: beta: is of a trainer of preferences, which the file does not name; and in one line: --gpus N --set rl=dpo
reckon: ds.yaml: nothing says how many GPUs are used: give --gpus N; line 3:12: deepspeed: ds.json is not next to this file; and in one line: --gpus N --set zero_optimization.stage=N
