reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute full --layers --sequence-parallel
=== stdout
fits: 27.00 s per step, MFU 39.2 %, memory 46.3 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 1024 GPUs, Calculon model
  plan: framework=calculon dp16 tp8 pp8 gbs1536 sp recompute=full
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)

Where the time of a step goes
                           time  share
                              s      %
forward                  5.0002   18.5  forward passes                                                ####
backward                 9.5216   35.3  activation and weight gradients                               ########
recompute                5.0002   18.5  recomputation in backward                                     ####
recompute_comm_exposed   1.6071    6.0  exposed tensor-parallel communication of recomputation        #
tensor                   3.7306   13.8  exposed tensor-parallel communication                         ###
pipeline                 0.0575    0.2  exposed messages between stages
bubble                   1.8169    6.7  pipeline bubble (fill, drain, imbalance)                      ##
data                     0.2419    0.9  exposed data-parallel communication of gradients and weights
optimizer                0.0215    0.1  optimizer step
step                    26.9976  100.0

Communication of the slowest stage
                   link time  exposed  of step
                           s        s        %
tensor parallel       3.7306   3.7306     13.8
... recomputed        1.6071   1.6071      6.0
pipeline parallel     0.0575   0.0575      0.2
data parallel         0.2419   0.2419      0.9

Throughput
step                26.9976 s
tokens per second   116.519 K
... per GPU         113.788
samples per second  56.8939
FLOP/s per GPU      122.2 TFLOP/s     model FLOP: three times forward
... executed        162.9 TFLOP/s     model FLOP, with recomputation
MFU                 39.17 %           model FLOP over peak of the plan's precision
HFU                 52.22 %           model FLOP with recomputation over peak

Bandwidth for full overlap
            needed
              GB/s
activation   10.51  lower-tier bandwidth that overlaps transfers of activations
weight       94.65  lower-tier bandwidth that overlaps transfers of weights
optimizer   229.74  lower-tier bandwidth that overlaps transfers of the optimizer state

Memory of a GPU, tier by tier
                        needed  capacity  share
                           GiB       GiB      %
memory tier 0 (HBM2e)    46.27     80.00   57.8  ##############..........
  weights                 5.06         -    6.3
  gradients               5.49         -    6.9
  optimizer              30.38         -   38.0
  activations             0.42         -    0.5
  activation_gradients    0.43         -    0.5
  checkpoints             4.50         -    5.6

Operations of a layer of each kind, one microbatch on one GPU
layer  operation                      forward  act. grad  weight grad  forward  act. grad  weight grad  optimizer  comm fwd  comm bwd  weights  activations  redone  keeps input  keeps output
                                        GFLOP      GFLOP        GFLOP       ms         ms           ms         us        us        us      MiB          MiB
block  AttnBlock_Fork                    0.00       0.01         0.00    0.000      0.013        0.000      0.000     0.000     0.000      0.0          6.0     yes          yes           yes
block  AttnBlock_LayerNorm               0.03       0.04         0.02    0.012      0.014        0.011      0.515     0.000     0.000      0.0          6.0     yes           no           yes
block  AttnBlock_F                       0.00       0.02         0.00    0.000      0.000        0.000      0.000   403.384   406.207      0.0          6.0      no          yes           yes
block  AttnBlock_Multihead_Fork          0.00       0.08         0.00    0.000      0.119        0.000      0.000     0.000     0.000      0.0         48.0     yes           no           yes
block  AttnBlock_Query                  77.31      77.31        77.31    0.337      0.337        0.337    149.498     0.000     0.000     36.0         48.0     yes           no           yes
block  AttnBlock_Key                    77.31      77.31        77.31    0.337      0.337        0.337    149.498     0.000     0.000     36.0         48.0     yes           no           yes
block  AttnBlock_Value                  77.31      77.31        77.31    0.337      0.337        0.337    149.498     0.000     0.000     36.0         48.0     yes           no           yes
block  AttnBlock_Multihead_Key_Query    12.88      25.77         0.00    0.130      0.153        0.000      0.000     0.000     0.000      0.0         12.0     yes          yes            no
block  AttnBlock_Multihead_SoftMax       0.25       0.40         0.00    0.141      0.161        0.000      0.000     0.000     0.000      0.0         96.0     yes          yes            no
block  AttnBlock_Multihead_DropOut       0.05       0.05         0.00    0.143      0.143        0.000      0.000     0.000     0.000      0.0         48.0     yes           no           yes
block  AttnBlock_Multihead_Attn         12.88      25.77         0.00    0.130      0.153        0.000      0.000     0.000     0.000      0.0        102.0     yes          yes           yes
block  AttnBlock_MLP                    77.31      77.31        77.31    0.337      0.337        0.337    149.498     0.000     0.000     36.0          6.0     yes          yes           yes
block  AttnBlock_G                       0.02       0.00         0.00    0.000      0.000        0.000      0.000   406.207   403.384      0.0          6.0      no           no           yes
block  AttnBlock_DropOut                 0.00       0.00         0.00    0.011      0.011        0.000      0.000     0.000     0.000      0.0          3.0     yes          yes           yes
block  AttnBlock_Residual                0.00       0.01         0.00    0.013      0.013        0.000      0.000     0.000     0.000      0.0         12.0     yes           no           yes
block  MlpBlock_Fork                     0.00       0.01         0.00    0.000      0.013        0.000      0.000     0.000     0.000      0.0          6.0     yes          yes           yes
block  MlpBlock_LayerNorm                0.03       0.04         0.02    0.012      0.014        0.011      0.515     0.000     0.000      0.0          6.0     yes           no           yes
block  MlpBlock_F                        0.00       0.02         0.00    0.000      0.000        0.000      0.000   403.384   406.207      0.0          6.0      no          yes           yes
block  MlpBlock_Mlp1                   309.24     309.24       309.24    1.166      1.166        1.166    597.991     0.000     0.000    144.0         48.0     yes           no           yes
block  MlpBlock_GeLU                     0.10       0.16         0.00    0.046      0.054        0.000      0.000     0.000     0.000      0.0          0.0     yes          yes           yes
block  MlpBlock_Mlp2                   309.24     309.24       309.24    1.166      1.166        1.166    597.991     0.000     0.000    144.0         24.0     yes          yes           yes
block  MlpBlock_G                        0.02       0.00         0.00    0.000      0.000        0.000      0.000   406.207   403.384      0.0          6.0      no           no           yes
block  MlpBlock_DropOut                  0.00       0.00         0.00    0.011      0.011        0.000      0.000     0.000     0.000      0.0          3.0     yes          yes           yes
block  MlpBlock_Residual                 0.00       0.01         0.00    0.013      0.013        0.000      0.000     0.000     0.000      0.0         12.0     yes           no           yes
