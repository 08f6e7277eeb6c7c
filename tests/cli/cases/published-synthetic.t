reckon predict --framework calculon -m gpt3-175b -s "h100-80g x4096 nvl8 hbm=120GiB" --tensor 8 --pipeline 8 --recompute full | head -n 7
=== stdout
fits: 29.17 s per step, MFU 30.2 %, memory 46.7 of 120.0 GiB
  gpt3-175b on h100-80g x4096 nvl8 hbm=120GiB, 4096 GPUs, Calculon model
  plan: framework=calculon dp64 tp8 pp8 gbs16384 recompute=full
  assumed: gpus 4096 (all of the system), precision bf16, microbatch 1,
  batch 16384 (4 * gpus * microbatch), sequence 2048 (the model's)

Where the time of a step goes
