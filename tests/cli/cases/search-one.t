reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 64 --batch 96 --tensor 8 --pipeline 8 --top 1 -q
=== stdout
Best plan fits: 14.71 s per step, MFU 71.9 %, memory 77.6 of 80.0 GiB
gpt3-175b on a100-80g-nvl8, 64 GPUs, batch up to 96 of 2K tokens, calculon, bf16, Calculon model
  65,664 plans, 22,284 feasible
  plan: tensor 8, pipeline 8, data 1, microbatch 1, tensor-overlap ring, precision bf16,
  recompute none, chunks 4, zero 0, activation-offload no, optimizer-offload no,
  weight-offload no, tensor-comm rs_ag, regather no, fused yes, tensor-network 0,
  pipeline-network 1, data-network 0

Best plan
rank     step  tokens/s/GPU    MFU  memory
            s                    %     GiB
   1  14.7090        208.85  71.90    77.6

To see where the time of the best plan goes:
  reckon predict -m gpt3-175b -s a100-80g-nvl8 -g 64 framework=calculon tp8 pp8 vpp4 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0
