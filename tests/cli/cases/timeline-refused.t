reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 7 --pipeline 5 --data 3 --batch 99 --trace trace.json
echo "exit $?"
ls
=== stdout
cannot run: hidden is 12288, not divisible by the tensor degree 7
  gpt3-175b on a100-80g-nvl8, 105 GPUs, Calculon model
  plan: framework=calculon dp3 tp7 pp5 gbs99
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)
  105 GPUs are not whole nodes of 8: a launcher starts the same number on each node,
  give 104 or 112

Constraints violated
reason           message
bad_tensor       hidden is 12288, not divisible by the tensor degree 7
bad_tensor       feedforward is 49152, not divisible by the tensor degree 7
bad_tensor       heads is 96, not divisible by the tensor degree 7
memory_exceeded  memory tier 0 (HBM2e) needs 132.5 GiB, has 80 GiB: 52.53 GiB too little
exit 1
