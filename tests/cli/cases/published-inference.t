reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 8 --training no --batch 8
=== stdout
gpt3-175b on a100-80g-nvl8, 64 GPUs, by calculon: 1.076 s a step, 85.16 TFLOP/s a GPU, MFU 27.3 %
  plan: framework=calculon no-training tp8 pp8 gbs8
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)

Where the time of a step goes
            time  share
               s      %
forward   0.4561   42.4  forward passes                                      ##########
tensor    0.0997    9.3  tensor-parallel communication that is waited for    ##
pipeline  0.0181    1.7  messages between stages that are waited for
bubble    0.5022   46.7  stages that wait for others: start, end, imbalance  ###########
step      1.0760  100.0

Communication of the slowest stage
                   on the link  waited for  of the step
                            ms          ms            %
tensor parallel        99.6731     99.6731          9.3
pipeline parallel      18.0557     18.0557          1.7

What it achieves
step                1.0760 s
tokens per second   15.227 K
... of a GPU        237.915
samples per second  7.43484
FLOP/s of a GPU     85.2 TFLOP/s      that the model needs: three times forward
... executed        85.2 TFLOP/s      the same, with what is computed again
MFU                 27.29 %           the former over the peak of the plan's precision
HFU                 27.29 %           the latter over it

Bandwidth that would hide it
            needed
              GB/s
activation  252.97  ... of the activations
weight      103.51  ... of the weights

Memory of a GPU, tier by tier
                       needed  capacity  share
                          GiB       GiB      %
memory tier 0 (HBM2e)    5.67     80.00    7.1  ##......................
  weights                5.06         -    6.3
  activations            0.61         -    0.8
