reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 105 --tensor 7 --pipeline 5 --data 3 --chunks 4 --batch 12 --gradient-overlap --tensor-overlap ring --regather --weight-offload 3
=== stdout
cannot run: hidden is 12288, not divisible by the tensor degree 7
  gpt3-175b on a100-80g-nvl8, 105 GPUs, Calculon model
  plan: framework=calculon dp3 tp7 pp5 vpp4 gbs12 regather tp-overlap grad-overlap
  offload-weights=3
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)
  105 GPUs are not whole nodes of 8: a launcher starts the same number on each node,
  give 104 or 112
  and 4 more reasons: --verbose prints all
=== exit 1
