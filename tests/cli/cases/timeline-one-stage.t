reckon timeline -m gpt2-124m -s a100-80g-nvl8 --framework calculon --data 8 --batch 64 | sed -n '/^schedule/,$p'
=== stdout
schedule 1f1b: 1 stage of 1 chunk each, 8 microbatches, 16 passes; messages charged
step: 0.0706107 s simulated, 0.0706107 s by the Calculon model: the same
idle: 0.0 % of the step on average, 0.0 % at most, 0.0 % on the busiest stage, whose bubble is 0.0 % by the Calculon model
tightest: stage 0, memory tier 0 (HBM2e): 2.292 GiB at most, 2.292 GiB by the Calculon model: the same; it has 80 GiB

Peak memory
memory                 tightest stage      peak  estimate  difference   capacity  first at  in flight
                                                                    %                   ms
memory tier 0 (HBM2e)               0  2.29 GiB  2.29 GiB        0.00  80.00 GiB    3.3386         12  blocks

Stages
stage  blocks  compute  offload  messages  reduce  optimizer    idle  of step  peak  of HBM
                    ms        s         s      ms         us       s        %   GiB       %
    0      12  68.1262   0.0000    0.0000  1.6451   839.3996  0.0000      0.0  2.29     2.9  #.......................
