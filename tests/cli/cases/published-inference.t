reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 8 --training no --batch 8
=== stdout
fits: 1.076 s per step, MFU 27.3 %, memory 5.7 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 64 GPUs, Calculon model
  plan: framework=calculon no-training tp8 pp8 gbs8
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)

Where the time of a step goes
            time  share
               s      %
forward   0.4561   42.4  forward passes                            ##########
tensor    0.0997    9.3  exposed tensor-parallel communication     ##
pipeline  0.0181    1.7  exposed messages between stages
bubble    0.5022   46.7  pipeline bubble (fill, drain, imbalance)  ###########
step      1.0760  100.0

Communication of the slowest stage
                   link time  exposed  of step
                          ms       ms        %
tensor parallel      99.6731  99.6731      9.3
pipeline parallel    18.0557  18.0557      1.7

Throughput
step                1.0760 s
tokens per second   15.227 K
... per GPU         237.915
samples per second  7.43484
FLOP/s per GPU      85.2 TFLOP/s      model FLOP: three times forward
... executed        85.2 TFLOP/s      model FLOP, with recomputation
MFU                 27.29 %           model FLOP over peak of the plan's precision
HFU                 27.29 %           model FLOP with recomputation over peak

Bandwidth for full overlap
            needed
              GB/s
activation  252.97  lower-tier bandwidth that overlaps transfers of activations
weight      103.51  lower-tier bandwidth that overlaps transfers of weights

Memory of a GPU, tier by tier
                       needed  capacity  share
                          GiB       GiB      %
memory tier 0 (HBM2e)    5.67     80.00    7.1  ##......................
  weights                5.06         -    6.3
  activations            0.61         -    0.8
