# a plan that an estimate saves gives that estimate again
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full --save-plan plan.json | head -n 2
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --plan plan.json | head -n 2
=== stdout
gpt3-175b on a100-80g-nvl8, 128 GPUs, Calculon model: 70.35 s per step, 125.1 TFLOP/s per GPU, MFU 40.1 %
  plan: framework=calculon tp8 pp16 gbs512 recompute=full
gpt3-175b on a100-80g-nvl8, 128 GPUs, Calculon model: 70.35 s per step, 125.1 TFLOP/s per GPU, MFU 40.1 %
  plan: framework=calculon tp8 pp16 gbs512 recompute=full
