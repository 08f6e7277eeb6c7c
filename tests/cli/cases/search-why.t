reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 --tensor 8 --pipeline 8 --top 1 --why -q
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

Closest faster plans that one constraint refuses
constraint                needs      has     lacks         step  plan
                                                              s
memory tier 0 (HBM2e)     105.6 GiB  80 GiB  25.57 GiB  14.5150  framework=calculon tp8 pp8 vpp12 mbs2 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0
memory tier 0 (HBM2e)     109.9 GiB  80 GiB  29.92 GiB  14.3473  framework=calculon tp8 pp8 vpp6 mbs2 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0
memory tier 0 (HBM2e)     114.3 GiB  80 GiB  34.27 GiB  14.4020  framework=calculon tp8 pp8 vpp4 mbs2 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0
network tier 0 (NVLink3)  64 ranks   8       56         14.2584  framework=calculon tp8 pp8 vpp12 mbs4 gbs96 sp tp-overlap recompute=selective offload-activations=1 tp-net=0 pp-net=0 dp-net=0

Single changes that make a plan with 1 % more samples per second feasible
change                                                                   step  samples/s  plan
                                                                            s
25.57 GiB more of memory tier 0 (HBM2e): 105.6 GiB instead of 80 GiB  14.5150     6.6139  framework=calculon tp8 pp8 vpp12 mbs2 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0
more of memory tier 1 (host): no amount helps                               -          -  -
a larger domain of network tier 0 (NVLink3): 64 ranks instead of 8    14.2584     6.7329  framework=calculon tp8 pp8 vpp12 mbs4 gbs96 sp tp-overlap recompute=selective offload-activations=1 tp-net=0 pp-net=0 dp-net=0
without --tensor: does not help                                             -          -  -
without --pipeline: pipeline 1                                        13.7297     6.9922  framework=calculon dp8 tp8 mbs12 gbs96 sp tp-overlap zero1 grad-overlap recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
