reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 1 --pipeline 8 --data 16 --batch 1536
=== stdout
does not fit: memory tier 0 (HBM2e) needs 568.5 GiB, has 80 GiB: 488.5 GiB too little
  gpt3-175b on a100-80g-nvl8, 128 GPUs, Calculon model
  plan: framework=calculon dp16 pp8 gbs1536
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)
  remedy: recompute=full zero1: fits, 5.7 GiB left, 35.5 % more time per step (`reckon fits` lists others)
=== exit 1
