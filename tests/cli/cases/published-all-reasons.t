reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 105 --tensor 7 --pipeline 5 --data 3 --chunks 4 --batch 12 --gradient-overlap --tensor-overlap ring --regather --weight-offload 3
=== stdout
gpt3-175b on a100-80g-nvl8, 105 GPUs, Calculon model: this plan cannot run
  plan: framework=calculon dp3 tp7 pp5 vpp4 gbs12 regather tp-overlap grad-overlap
  offload-weights=3
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)

Constraints violated
reason      message
bad_tensor  hidden is 12288, not divisible by the tensor degree 7
bad_tensor  feedforward is 49152, not divisible by the tensor degree 7
bad_tensor  heads is 96, not divisible by the tensor degree 7
bad_option  redo_all_gather needs tensor_comm rs_ag
bad_memory  weight_offload is tier 3, the last one of a100-80g-nvl8 is 1
=== exit 1
