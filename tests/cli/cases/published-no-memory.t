reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 1 --pipeline 8 --data 16 --batch 1536
=== stdout
gpt3-175b on a100-80g-nvl8, 128 GPUs, Calculon model: this plan cannot run
  plan: framework=calculon dp16 pp8 gbs1536
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)

Constraints violated
reason           message
memory_exceeded  memory tier 0 (HBM2e) needs 568.5 GiB, has 80 GiB: 488.5 GiB too little

  with recompute=full zero1 it fits, 5.7 GiB left, and takes 35.5 % longer (the cheapest change; reckon fits shows others)

Where the time of a step goes
               time  share
                  s      %
forward     36.9630   31.6  forward passes                                                ########
backward    69.9149   59.9  activation and weight gradients                               ##############
pipeline     0.0515    0.0  exposed messages between stages
bubble       7.7969    6.7  pipeline bubble (fill, drain, imbalance)                      ##
data         1.9330    1.7  exposed data-parallel communication of gradients and weights
optimizer    0.1477    0.1  optimizer step
step       116.8071  100.0

Communication of the slowest stage
                   link time  exposed  of step
                           s        s        %
pipeline parallel     0.0515   0.0515      0.0
data parallel         1.9330   1.9330      1.7

Throughput
step                116.8071 s
tokens per second   26.931 K
... per GPU         210.398
samples per second  13.1499
FLOP/s per GPU      226.0 TFLOP/s     model FLOP: three times forward
... executed        226.0 TFLOP/s     model FLOP, with recomputation
MFU                 72.43 %           model FLOP over peak of the plan's precision
HFU                 72.43 %           model FLOP with recomputation over peak

Bandwidth for full overlap
            needed
              GB/s
activation  102.40  lower-tier bandwidth that overlaps transfers of activations
weight      139.11  lower-tier bandwidth that overlaps transfers of weights
optimizer   489.58  lower-tier bandwidth that overlaps transfers of the optimizer state

Memory of a GPU, tier by tier
                        needed  capacity  share
                           GiB       GiB      %
memory tier 0 (HBM2e)   568.46     80.00  710.6  ########################
  weights                40.50         -   50.6
  gradients              43.88         -   54.8
  optimizer             243.01         -  303.8
  activations           238.50         -  298.1
  activation_gradients    2.58         -    3.2
=== exit 1
