# Fine-tuning as files of other tools: written, read back, and read as the tools' users write them.
cat >recipe.yaml <<E
model:
  _component_: torchtune.models.llama3_1.qlora_llama3_1_8b
  lora_attn_modules: ['q_proj', 'v_proj']
  apply_lora_to_mlp: False
  apply_lora_to_output: False
  lora_rank: 8
  lora_alpha: 16
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 2048
dataset:
  _component_: torchtune.datasets.alpaca_cleaned_dataset
batch_size: 2
optimizer:
  _component_: bitsandbytes.optim.PagedAdamW8bit
  lr: 3e-4
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
gradient_accumulation_steps: 16
enable_activation_checkpointing: True
dtype: bf16
E
cat >adapter_config.json <<E
{"base_model_name_or_path": "meta-llama/Llama-3.1-8B", "lora_alpha": 32, "lora_dropout": 0.05, "modules_to_save": null,
 "peft_type": "LORA", "r": 16, "target_modules": "^(?!.*lm_head).*\\\\.(q_proj|v_proj)$", "task_type": "CAUSAL_LM"}
E
cat >swift.sh <<E
nproc_per_node=2
NPROC_PER_NODE=\$nproc_per_node \\
swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --dataset swift/self-cognition --torch_dtype bfloat16 \\
    --per_device_train_batch_size 1 --lora_rank 8 --lora_alpha 32 --target_modules all-linear --max_length 2048 \\
    --gradient_accumulation_steps 8 --use_liger_kernel true --deepspeed zero3
E
short() { grep -A 3 "plan:" | sed '/^$/,$d'; }
reckon import torchtune recipe.yaml -m llama3.1-8b --gpus 1 | short
reckon import peft adapter_config.json -m llama3.1-8b --set max_length=2048 | short
reckon import ms-swift swift.sh -m qwen2.5-7b --gpus 2 | short
sed 's/lora_rank/lora_rnak/' recipe.yaml >wrong.yaml
reckon import torchtune wrong.yaml -m llama3.1-8b --gpus 1
sed 's/q_proj/qq_proj/' recipe.yaml >wrong.yaml
reckon import torchtune wrong.yaml -m llama3.1-8b --gpus 1
for tool in axolotl llama-factory trl torchtune; do
    as=$tool; [ $tool != trl ] || as=trainer
    reckon export $tool -m llama3.1-8b -o out.yaml framework=fsdp gpus2 zero3 mbs2 gbs16 seq2048 recompute=full loss-in-chunks \
        grad-overlap weight-overlap attention=flash lora16 lora-bytes=$([ $tool = torchtune ] && echo 2 || echo 4) base=nf4-dq
    reckon import $as out.yaml -m llama3.1-8b --gpus 2 | short
done
reckon export axolotl -m llama3.1-8b framework=fsdp gpus2 zero3 mbs2 gbs16 seq2048 recompute=full lora16 lora-targets=q+v base=nf4-dq | sed -n '/^adapter/,$p'
# axolotl's bf16: full has no mixed precision, which would have FSDP keep weights in fp32
W="framework=fsdp gpus2 zero3 gbs16 seq2048 recompute=full grad-overlap weight-overlap attention=flash"
reckon export axolotl -m llama3.1-8b $W weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2 -o full.yaml; grep bf16 full.yaml
for bf16 in full true; do sed "s/bf16: .*/bf16: $bf16/" full.yaml >one.yaml; reckon import axolotl one.yaml -m llama3.1-8b --gpus 2 | short; done
=== stdout
  plan: framework=fsdp mbs2 gbs32 seq2048 grad-overlap recompute=full no-fused loss-in-chunks
  optimizer=adam-8bit optimizer-paged lora8 lora-targets=q+v lora-bytes=2 base=nf4-dq
  plan: framework=fsdp gbs1 seq2048 grad-overlap no-fused loss=padded lora16 lora-targets=q+v
  lora-dropout=0.05
  plan: framework=deepspeed dp2 gbs16 seq2048 zero3 grad-overlap weight-overlap recompute=full
  loss-in-chunks lora8 lora-dropout=0.05
  plan: framework=fsdp dp2 mbs2 gbs16 seq2048 zero3 grad-overlap weight-overlap recompute=full
  loss-in-chunks lora16 base=nf4-dq
  plan: framework=fsdp dp2 mbs2 gbs16 seq2048 zero3 grad-overlap weight-overlap recompute=full
  loss-in-chunks lora16 base=nf4-dq
  plan: framework=fsdp dp2 mbs2 gbs16 seq2048 zero3 grad-overlap weight-overlap recompute=full
  loss-in-chunks lora16 lora-bytes=2 base=nf4-dq
  plan: framework=fsdp dp2 mbs2 gbs16 seq2048 zero3 grad-overlap weight-overlap recompute=full
  loss-in-chunks lora16 lora-bytes=2 base=nf4-dq
adapter: qlora
lora_r: 16
lora_alpha: 32
lora_dropout: 0
peft_use_dora: false
load_in_4bit: true
load_in_8bit: false
lora_target_modules: [q_proj, v_proj]
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: false
fsdp: full_shard auto_wrap
fsdp_config:
  version: 2
  reshard_after_forward: true
bf16: full
  plan: framework=fsdp dp2 gbs16 seq2048 zero3 grad-overlap weight-overlap recompute=full
  weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2
  plan: framework=fsdp dp2 gbs16 seq2048 zero3 grad-overlap weight-overlap recompute=full
=== stderr
reckon: wrong.yaml:6:14: model.lora_rnak: is not known, and may decide what the run costs, did you mean model.lora_rank: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: wrong.yaml:3:23: model.lora_attn_modules.0: qq_proj is none of q_proj, k_proj, v_proj and output_proj
reckon: warning: lora_element_bytes 4: cannot be expressed in trl: the run has 2
reckon: warning: gradient_overlap no: is not decided by axolotl: see to it in the training code
reckon: warning: weight_overlap no: is not decided by axolotl: see to it in the training code
