reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full | sed -n 1,8p
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 512 --tensor 8 --pipeline 16 --recompute full | sed -n 1,8p
=== stdout
fits: 70.35 s per step, MFU 40.1 %, memory 26.5 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 128 GPUs, Calculon model
  plan: framework=calculon tp8 pp16 gbs512 recompute=full
  assumed: precision bf16, microbatch 1, batch 512 (4 * gpus * microbatch),
  sequence 2048 (the model's)

Where the time of a step goes
                           time  share
fits: 70.47 s per step, MFU 40.0 %, memory 26.5 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 512 GPUs, Calculon model
  plan: framework=calculon dp4 tp8 pp16 gbs2048 recompute=full
  assumed: precision bf16, microbatch 1, batch 2048 (4 * gpus * microbatch),
  sequence 2048 (the model's)

Where the time of a step goes
                           time  share
