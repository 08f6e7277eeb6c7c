LC_ALL=C.UTF-8 reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute full --color=always
=== stdout
fits: 27.29 s per step, MFU 38.8 %, memory 46.7 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 1024 GPUs, Calculon model
  plan: framework=calculon dp16 tp8 pp8 gbs1536 recompute=full
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)

[1mWhere the time of a step goes[0m
                           [2mtime[0m  [2mshare[0m
                              [2ms[0m      [2m%[0m
forward                  5.4729   20.1  forward passes                                                [34m████▊[0m
backward                10.3591   38.0  activation and weight gradients                               [34m█████████▏[0m
recompute                5.4729   20.1  recomputation in backward                                     [34m████▊[0m
recompute_comm_exposed   1.0637    3.9  exposed tensor-parallel communication of recomputation        [34m▉[0m
tensor                   2.3922    8.8  exposed tensor-parallel communication                         [34m██▏[0m
pipeline                 0.4333    1.6  exposed messages between stages                               [34m▍[0m
bubble                   1.8371    6.7  pipeline bubble (fill, drain, imbalance)                      [34m█▋[0m
data                     0.2419    0.9  exposed data-parallel communication of gradients and weights  [34m▎[0m
optimizer                0.0215    0.1  optimizer step
step                    27.2945  100.0

[1mCommunication of the slowest stage[0m
                   [2mlink time[0m  [2mexposed[0m  [2mof step[0m
                           [2ms[0m        [2ms[0m        [2m%[0m
tensor parallel       2.3922   2.3922      8.8
... recomputed        1.0637   1.0637      3.9
pipeline parallel     0.4333   0.4333      1.6
data parallel         0.2419   0.2419      0.9

[1mThroughput[0m
step                27.2945 s
tokens per second   115.251 K
... per GPU         112.550
samples per second  56.275
FLOP/s per GPU      121.0 TFLOP/s     [2mmodel FLOP: three times forward[0m
... executed        161.2 TFLOP/s     [2mmodel FLOP, with recomputation[0m
MFU                 38.77 %           [2mmodel FLOP over peak of the plan's precision[0m
HFU                 51.68 %           [2mmodel FLOP with recomputation over peak[0m

[1mBandwidth for full overlap[0m
            [2mneeded[0m
              [2mGB/s[0m
activation   11.50  lower-tier bandwidth that overlaps transfers of activations
weight      103.51  lower-tier bandwidth that overlaps transfers of weights
optimizer   236.35  lower-tier bandwidth that overlaps transfers of the optimizer state

[1mMemory of a GPU, tier by tier[0m
                        [2mneeded[0m  [2mcapacity[0m  [2mshare[0m
                           [2mGiB[0m       [2mGiB[0m      [2m%[0m
memory tier 0 (HBM2e)    46.74     80.00   58.4  [34m██████████████[0m[2m░░░░░░░░░░[0m
  weights                 5.06         -    6.3
  gradients               5.49         -    6.9
  optimizer              30.38         -   38.0
  activations             0.61         -    0.8
  activation_gradients    0.70         -    0.9
  checkpoints             4.50         -    5.6
