# what is proposed can be launched, or the first lines say that it cannot
at="-s h100-sxm5-80g -g 16 -b 64 -k 1 -q tp1 cp1 mbs1"
# preferences are trained around torch: chosen where no framework is said, refused of Megatron-LM
reckon search -m llama3.1-8b $at zero3 recompute=full objective=dpo | grep -E '^llama3|^  reckon export'
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 16 gbs64 zero3 recompute=full objective=dpo | sed -n 3p
reckon search -m llama3.1-8b $at zero3 recompute=full objective=dpo framework=megatron | head -1
# degrees that no file of them says are not proposed; they can be timed
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 -k 1 -q mbs1 recompute=full objective=dpo | grep '^  reckon export'
for degree in cp2 tp2; do reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 8 gbs16 zero3 recompute=full objective=dpo $degree >o; grep plan: o; done
# the tool whose file says most of the plan
for plan in lora16 "lora16 base=nf4" "optimizer=adam-8bit zero3 recompute=full" "zero3 recompute=full"; do reckon search -m llama3.1-8b $at framework=fsdp $plan | grep '^  reckon export'; done
# a model that Megatron-LM's arguments cannot say
reckon search -m gpt-neox-20b $at zero3 recompute=full | grep -E -A1 'no file launches it|^To'
# on TPUs fsdp stands for programs of XLA
reckon predict -m llama3.1-8b -s tpu-v5p -g 16 gbs64 zero3 recompute=full | grep 'plan:'
reckon predict -m llama3.1-8b -s tpu-v5p -g 16 gbs64 zero3 recompute=full framework=fsdp xla=no | grep 'plan:'
reckon search -m llama3.1-8b -s tpu-v5p -g 16 -b 64 -k 1 -q tp1 cp1 mbs1 zero3 recompute=full | grep '^  reckon predict'
# accelerate's file has no arguments of the training: what that leaves open is said
reckon export accelerate -m qwen3-30b-a3b framework=fsdp gpus8 zero3 gbs64 grad-overlap weight-overlap >a.yaml; reckon import accelerate a.yaml -m qwen3-30b-a3b
reckon import accelerate a.yaml -m qwen3-30b-a3b --gpus 1 | head -1
# without torch.compile the loss is transformers' own, which keeps more
reckon export accelerate -m qwen3-8b framework=deepspeed precision=fp16 dp2 cp2 mbs3 gbs18 seq4096 cp-kind=ulysses zero1 no-fused | grep loss
# a snapshot is a file of its own, or a word says why there is none
reckon fits llama3.1-8b h100-sxm5-80g -g 8 gbs64 zero3 recompute=full --snapshot -
reckon fits llama3.1-8b h100-sxm5-80g -g 8 gbs8 zero1 loss=policy --snapshot s.pickle | head -1
=== stdout
llama3.1-8b on h100-sxm5-80g, 16 GPUs, batch 64 of 8K tokens, fsdp, bf16, detailed model
  reckon export axolotl -m llama3.1-8b gpus16 framework=fsdp dp16 gbs64 zero3 grad-overlap weight-overlap keep-gathered recompute=full objective=dpo
  plan: framework=fsdp dp16 gbs64 zero3 recompute=full objective=dpo
  reckon export axolotl -m llama3.1-8b gpus8 framework=fsdp dp8 gbs16 zero3 grad-overlap weight-overlap keep-gathered recompute=full objective=dpo
  plan: framework=fsdp dp4 cp2 gbs16 zero3 recompute=full objective=dpo
  plan: framework=fsdp dp4 tp2 gbs16 zero3 recompute=full objective=dpo
  reckon export trl -m llama3.1-8b gpus16 framework=fsdp dp16 gbs64 grad-overlap lora16
  reckon export trl -m llama3.1-8b gpus16 framework=fsdp dp16 gbs64 grad-overlap lora16 base=nf4
  reckon export trl -m llama3.1-8b gpus16 framework=fsdp dp16 gbs64 zero3 grad-overlap weight-overlap keep-gathered recompute=full optimizer=adam-8bit
  reckon export fsdp -m llama3.1-8b gpus16 framework=fsdp dp16 gbs64 zero3 grad-overlap weight-overlap keep-gathered recompute=full recompute-layers=1
  no file launches it: `reckon export megatron` refuses it: parallel_block: Megatron-LM has no
  parallel blocks; framework=fsdp has files of this model
--
To see where the time of the best plan goes:
  reckon predict -m gpt-neox-20b -s h100-sxm5-80g -g 16 dp16 gbs64 zero3 grad-overlap weight-overlap recompute=full recompute-layers=1
  plan: framework=fsdp dp16 gbs64 zero3 xla recompute=full
  plan: framework=fsdp dp16 gbs64 zero3 recompute=full
  reckon predict -m llama3.1-8b -s tpu-v5p -g 16 framework=fsdp dp16 gbs64 zero3 grad-overlap weight-overlap keep-gathered xla recompute=full recompute-layers=1
qwen3-30b-a3b: 30,532,122,624 parameters, of which 3,353,032,704 active, 8 GPUs with accelerate
  plan: framework=fsdp dp8 gbs8 zero3 grad-overlap weight-overlap no-fused loss=padded

Assumed because the arguments do not state it
what                         value   why
sequence                     8192    the model's: the file has none
per_device_train_batch_size  1       the trainer's default
gradient_accumulation_steps  1       the trainer's default: an argument of the training, not of this file; --set gives it
attn_implementation          sdpa    the trainer's default: an argument of the training, not of this file; --set gives it
torch_compile                false   the trainer's default: an argument of the training, not of this file; --set gives it
gradient_checkpointing       false   the trainer's default: an argument of the training, not of this file; --set gives it
loss                         padded  that of transformers since 4.49
qwen3-30b-a3b: 30,532,122,624 parameters, of which 3,353,032,704 active, 1 GPU with accelerate
# loss usual: cannot be expressed in accelerate: the run has padded
cannot run: loss policy: is of trainers whose model returns logits, not of Megatron-LM: leave it out
=== stderr
reckon: objective=dpo is of trainers around torch, not of Megatron-LM: give framework=fsdp
reckon: the plan cannot be launched: 12.needs context: of preferences is in no file of trl or torchtune: give cp1
reckon: the plan cannot be launched: 12.needs tensor: of preferences is in no file of trl or torchtune: give tp1
reckon: warning: loss usual: cannot be expressed in accelerate: the run has padded
reckon: --snapshot: standard output has the answer: give a file to one of them
reckon: --snapshot: s.pickle is not written: the plan cannot run
