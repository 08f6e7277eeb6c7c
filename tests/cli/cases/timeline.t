reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 --chunks 3
=== stdout
fits: 20.97 s per step, MFU 50.4 %, memory 38.2 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 1024 GPUs, Calculon model
  plan: framework=calculon dp16 tp8 pp8 vpp3 gbs1536 zero1 recompute=selective
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)
schedule interleaved: 8 stages of 3 chunks each, 96 microbatches, 4608 passes; messages charged
step: 20.9734 s simulated, 20.9734 s by the Calculon model: the same
idle: 2.3 % of the step on average, 2.3 % at most, 2.3 % on the busiest stage, whose bubble is 2.3 % by the Calculon model
tightest: stage 0, memory tier 0 (HBM2e): 38.24 GiB at most, 38.24 GiB by the Calculon model: the same; it has 80 GiB

Peak memory
memory                 tightest stage       peak   estimate  difference   capacity  first at  in flight
                                                                      %                   ms
memory tier 0 (HBM2e)               0  38.24 GiB  38.24 GiB        0.00  80.00 GiB  918.1783        124  blocks

Stages
stage  blocks  compute  offload  messages    reduce  optimizer      idle  of step   peak  of HBM
                     s        s         s        ms         ms        ms        %    GiB       %
    0      12  18.7019   0.0000    1.3000  483.7687     1.5674  486.1578      2.3  38.24    47.8  ###########.............
    1      12  18.7019   0.0000    1.3000  483.7687     1.5674  486.1578      2.3  36.36    45.5  ###########.............
    2      12  18.7019   0.0000    1.3000  483.7687     1.5674  486.1578      2.3  34.49    43.1  ##########..............
    3      12  18.7019   0.0000    1.3000  483.7687     1.5674  486.1578      2.3  32.61    40.8  ##########..............
    4      12  18.7019   0.0000    1.3000  483.7687     1.5674  486.1578      2.3  30.74    38.4  #########...............
    5      12  18.7019   0.0000    1.3000  483.7687     1.5674  486.1578      2.3  28.86    36.1  #########...............
    6      12  18.7019   0.0000    1.3000  483.7687     1.5674  486.1578      2.3  26.99    33.7  ########................
    7      12  18.7019   0.0000    1.3000  483.7687     1.5674  486.1578      2.3  25.11    31.4  ########................
