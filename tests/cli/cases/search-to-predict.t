reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 64 --batch 96 -q --save-plan best.json >/dev/null || exit
reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 64 --batch 96 -q -o none.txt --save-plan - | cmp - best.json || exit
reckon predict -m gpt3-175b -s a100-80g-nvl8 --plan best.json | head -n 7
reckon predict -m gpt3-175b -s a100-80g-nvl8 --plan best.json recompute=full no-grad-overlap | head -n 7
=== stdout
fits: 13.48 s per step, MFU 78.4 %, memory 12.7 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 64 GPUs, Calculon model
  plan: framework=calculon dp16 tp4 mbs6 gbs96 sp tp-overlap zero1 grad-overlap
  recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0
  pp-net=0 dp-net=1
  assumed: precision bf16, sequence 2048 (the model's)

fits: 25.13 s per step, MFU 42.1 %, memory 12.4 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 64 GPUs, Calculon model
  plan: framework=calculon dp16 tp4 mbs6 gbs96 sp tp-overlap zero1 recompute=full
  offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
  assumed: precision bf16, sequence 2048 (the model's)

Where the time of a step goes
