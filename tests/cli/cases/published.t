reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 --tokens 300B
=== stdout
fits: 21.02 s per step, MFU 50.3 %, memory 31.7 of 80.0 GiB, 23.75 days
  gpt3-175b on a100-80g-nvl8, 1024 GPUs, Calculon model
  plan: framework=calculon dp16 tp8 pp8 gbs1536 zero1 recompute=selective
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)

Where the time of a step goes
              time  share
                 s      %
forward     5.4729   26.0  forward passes                                                ######
backward   10.3591   49.3  activation and weight gradients                               ############
recompute   0.4778    2.3  recomputation in backward                                     #
tensor      2.3922   11.4  exposed tensor-parallel communication                         ###
pipeline    0.4333    2.1  exposed messages between stages
bubble      1.3953    6.6  pipeline bubble (fill, drain, imbalance)                      ##
data        0.4838    2.3  exposed data-parallel communication of gradients and weights  #
optimizer   0.0016    0.0  optimizer step
step       21.0159  100.0

Communication of the slowest stage
                   link time  exposed  of step
                           s        s        %
tensor parallel       2.3922   2.3922     11.4
pipeline parallel     0.4333   0.4333      2.1
data parallel         0.4838   0.4838      2.3

Throughput
step                21.0159 s
tokens per second   149.684 K
... per GPU         146.175
samples per second  73.0877
FLOP/s per GPU      157.0 TFLOP/s     model FLOP: three times forward
... executed        157.7 TFLOP/s     model FLOP, with recomputation
MFU                 50.31 %           model FLOP over peak of the plan's precision
HFU                 50.54 %           model FLOP with recomputation over peak

Bandwidth for full overlap
            needed
              GB/s
activation   57.49  lower-tier bandwidth that overlaps transfers of activations
weight      103.51  lower-tier bandwidth that overlaps transfers of weights
optimizer    24.29  lower-tier bandwidth that overlaps transfers of the optimizer state

The run
tokens                         300.000 B
steps                          95,368
days                           23.75             expected, failures and checkpoints included
... with few failures          23.55             10th percentile, of failures alone; the step has a range of its own
... with many failures         24.08             90th percentile
of it training                 23.2
goodput                        97.69 %           training over all of it
a failure every                2.06 days
failures                       11.47             expected
noticing, restarting, waiting  0.87 %
work done again                0.73 %
checkpoints                    0.72 %
a checkpoint every             2596.0 s          the best, or that of --interval; a step at least
... by Young's formula         2608.7 s
... by Daly's                  2596.0 s
spare nodes                    2
a checkpoint has               2.22 TiB
... and takes                  19.10 s
GPU-hours                      583.584 K
energy in kWh                  303.963 K         boards at the load of the step, times factors for hosts, network and cooling (--prices)

  assumed: failures as of llama3: [dubey2024] Table 5; no price of a100-80g-nvl8 is known: give
  one

What would bring the run more
change                                               saves days  goodput  checkpoint every
                                                                       %                 s
one more spare node                                      0.0799    98.02            2596.0
twice the storage bandwidth                               0.102    98.11            1838.3
checkpoints in the background (--checkpoints async)       0.319    99.02             184.4
checkpoints in memory (--checkpoints memory)              0.322    99.03             184.4
half the time from failure to work                       0.0599    97.94            2596.0
half the failures                                         0.235    98.67            3676.5

Memory of a GPU, tier by tier
                        needed  capacity  share
                           GiB       GiB      %
memory tier 0 (HBM2e)    31.67     80.00   39.6  ##########..............
  weights                 5.06         -    6.3
  gradients               1.13         -    1.4
  optimizer               1.90         -    2.4
  activations            22.88         -   28.6
  activation_gradients    0.70         -    0.9
