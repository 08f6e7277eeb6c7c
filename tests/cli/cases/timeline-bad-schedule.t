for flags in '--chunks 3 --schedule gpipe' '--schedule interleaved' '--chunks 2 --schedule zb-h1' '--schedule 2f2b'; do
    reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute attention --zero 1 $flags --trace trace.json
    echo "exit $?"
done
ls
=== stdout
exit 2
gpt3-175b on a100-80g-nvl8, 1024 GPUs, by calculon: 21.02 s a step
  plan: framework=calculon dp16 tp8 pp8 gbs1536 zero1 recompute=selective
  assumed: precision bf16, microbatch 1, sequence 2048 (the model's)
schedule 1f1b: stages 8, chunks of a stage 1, microbatches 96, passes 1536; messages charged
step: 21.0159 s simulated, 21.0159 s by calculon: the same
idle: 6.6 % of the step on average, 6.6 % at most, 6.6 % on the busiest stage, whose bubble is 6.6 % by calculon
tightest: stage 0, memory tier 0 (HBM2e): 31.67 GiB at most, 31.67 GiB by calculon: the same; it has 80 GiB
trace: trace.json, all of the step

Memory at its peak
memory                 tightest stage       peak   estimate  difference   capacity  first at  in flight
                                                                      %                    s
memory tier 0 (HBM2e)               0  31.67 GiB  31.67 GiB        0.00  80.00 GiB    1.4670         96  blocks

Stages
stage  blocks  compute  offload  messages    reduce  optimizer    idle  of step   peak  of HBM
                     s        s        ms        ms         ms       s        %    GiB       %
    0      12  18.7019   0.0000  433.3367  483.7687     1.5674  1.3953      6.6  31.67    39.6  ##########..............
    1      12  18.7019   0.0000  433.3367  483.7687     1.5674  1.3953      6.6  28.86    36.1  #########...............
    2      12  18.7019   0.0000  433.3367  483.7687     1.5674  1.3953      6.6  26.05    32.6  ########................
    3      12  18.7019   0.0000  433.3367  483.7687     1.5674  1.3953      6.6  23.24    29.0  #######.................
    4      12  18.7019   0.0000  433.3367  483.7687     1.5674  1.3953      6.6  20.42    25.5  ######..................
    5      12  18.7019   0.0000  433.3367  483.7687     1.5674  1.3953      6.6  17.61    22.0  #####...................
    6      12  18.7019   0.0000  433.3367  483.7687     1.5674  1.3953      6.6  14.80    18.5  ####....................
    7      12  18.7019   0.0000  433.3367  483.7687     1.5674  1.3953      6.6  11.99    15.0  ####....................
exit 0
exit 2
exit 2
trace.json
=== stderr
reckon: schedule gpipe: the strategy interleaves 3 chunks on a rank, and only schedule interleaved does: choose it, or an interleaving of 1
reckon: schedule zb-h1: the strategy interleaves 2 chunks on a rank, and only schedule interleaved does: choose it, or an interleaving of 1
reckon: "framework=calculon tensor=8 pipeline=8 data=16 batch...":1:95: schedule must be one of gpipe, 1f1b, zero-bubble, dualpipe, zero-bubble-2p, v-zero, v-half, v-min; got "2f2b"; did you mean "1f1b"?
