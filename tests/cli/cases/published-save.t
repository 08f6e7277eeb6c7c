# a plan that an estimate saves gives that estimate again
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full --save-plan plan.json | head -n 2
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --plan plan.json | head -n 2
=== stdout
fits: 70.35 s per step, MFU 40.1 %, memory 26.5 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 128 GPUs, Calculon model
fits: 70.35 s per step, MFU 40.1 %, memory 26.5 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 128 GPUs, Calculon model
