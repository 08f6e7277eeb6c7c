# a plan whose shares are more than a lower memory holds is refused by every command, with a share that would do
small='h100-sxm5-80g mem2=2GiB@50GB/s'
of='gpus16 tp4 gbs64 mbs4 recompute=full'
full="offload-optimizer=1"
reckon predict -m llama3.1-8b -s "$small" $of $full >answer
echo "exit $?"
sed -n '1,2p; /^memory[_ ][et]/p; /remedy/p' answer
reckon fits -m llama3.1-8b -s "$small" $of $full | sed -n '1p; /^Single changes/,$p'
reckon predict -m llama3.1-8b -s "$small" $of offload-optimizer=0.089 | sed -n '1,2p; /tier 1/p'
# both memories too small: each is named
reckon predict -m llama3.1-70b -s "$small" $of $full | sed -n 1p
# no limit stated
reckon predict -m llama3.1-8b -s "h100-sxm5-80g mem2=unlimited@50GB/s" $of $full | sed -n '1p; /tier 1/p'
reckon diff -m llama3.1-8b -s "$small" "$of" "+$full" | sed -n '1,12p'
# pipelines, interleaving, two halves, experts, layers of their own, two tiers
for words in 'pp4 vpp2' 'pp4 schedule=dualpipe' 'pp4 schedule=gpipe' 'tp2 cp4' 'pp2 stages=16/offload-activations=0.5,16'; do
    reckon predict -m llama3.1-8b -s "$small" gpus16 gbs64 $words --verbose offload-activations=0.5 | sed -n '1p; /memory_exceeded/p; /remedy/p'
done
reckon predict -m mixtral-8x7b -s 'h100-sxm5-80g mem2=9GiB@50GB/s ssd=1*samsung-980pro-1tb' gpus32 gbs64 tp4 sp ep8 offload-activations=0.3+1.5 offload-optimizer |
    sed -n '1p; /^memory[_ ][et]/p; /remedy/p'
# searches count it to its tier, find what fits, and say what is missing
reckon search -q -m llama3.1-8b -s "$small" -g 16 -b 64 --tensor 4 --microbatch 4 offload-optimizer=1 --why | sed -n '/^outcome/,/^Single changes/p; /more of memory tier/p'
reckon search -q --verbose -k 1 -m llama3.1-8b -s "h100-sxm5-80g mem2=8GiB@50GB/s" -g 16 -b 64 recompute-rest offload-activations=0.5 | sed -n '/^rank/,/^$/p; /^outcome/,$p'
# two buffers say themselves what is computed again
reckon search -q -m llama3.1-8b -s "$small" -g 16 -b 64 recompute-rest --recompute full
echo "exit $?"
# state and weights on drives: read for each pass, read and written in each step
drives='h100-sxm5-80g mem2=200GiB@50GB/s ssd=4*samsung-980pro-1tb'
for words in '' offload-optimizer offload-optimizer=2 offload-optimizer=0.5+1.5 offload-weights=2 offload-optimizer=3 offload-weights=0.7+1.7; do
    reckon predict -m llama3.1-8b -s "$drives" gpus8 tp4 gbs64 $words --verbose | sed -n '1p; /^optimizer/p; /^offload/p; /^bad/p; /^memory tier [12]/p'
done
reckon offload -m llama3.1-8b -s "$drives" gpus8 tp4 gbs64 offload-optimizer=2 --lifetime 3 -f csv | sed -n '2s/,dp2.*//p'
reckon search -q -k 1 -m llama3.1-8b -s "$drives" -g 8 -b 64 --tensor 4 offload-optimizer=2 | sed -n '/reckon predict/p'
reckon program -m llama3.1-8b -s "$drives" gpus8 tp4 gbs64 offload-optimizer=0.5+1.5 --rank 0 | grep -E "state|offload gradients|return weights" | tail -4
echo "exit $?"
=== stdout
exit 1
does not fit: memory tier 1 (mem2) needs 22.44 GiB on stage 0, has 2 GiB: 20.44 GiB too little
  llama3.1-8b on h100-sxm5-80g mem2=2GiB@50GB/s, 16 GPUs, detailed model
  remedy: offload-optimizer=0: fits, 2.0 GiB of memory tier 1 (mem2) left, 63.7 % less time per step (`reckon fits` lists others)
does not fit: memory tier 1 (mem2) needs 22.44 GiB on stage 0, has 2 GiB: 20.44 GiB too little
Single changes that save memory of memory tier 1 (mem2)
change                           saves    left  fits          P(fits)    step  slower by
                                   GiB     GiB                      %       s          %
offload-optimizer=0              22.44    2.00  fits               87   5.568      -63.7  keep optimizer state on the GPU
offload-optimizer=0.089          20.44    0.00  fits               89   6.439      -58.0  offload optimizer state as far as memory allows
zero1                            16.83   -3.61  does not fit        0   7.963      -48.1  shard the optimizer state
zero2                            16.83   -3.61  does not fit        0   8.131      -47.0  shard gradients too
zero3                            16.83   -3.61  does not fit        0   8.450      -44.9  shard weights too
pp2                              11.22   -9.22  does not fit        0  11.327      -26.2  double the stages, halve data parallelism
tp8                              11.22   -9.22  does not fit        0  11.644      -24.1  double tensor, halve data parallelism
moment1-bytes=2 moment2-bytes=2   7.48  -12.96  does not fit        0  12.731      -17.0  store moments in 16 bits
fits: P(fits) 89 %, 6.439 s per step (50 % 5.932-8.131 s), MFU 26.5 %, memory 49.1 of 79.2 GiB, 135.9 USD per 1B tokens
  llama3.1-8b on h100-sxm5-80g mem2=2GiB@50GB/s, 16 GPUs, detailed model
memory tier 1 (mem2)    2.00      2.00   99.9  ########################
does not fit: memory tier 0 (HBM3) needs 151.3 GiB on stage 0, has 79.20 GiB: 72.06 GiB too little
fits: P(fits) 100 %, 15.35 s per step (50 % 13.32-22.97 s), MFU 11.1 %, memory 28.7 of 79.2 GiB, 323.9 USD per 1B tokens
memory tier 1 (mem2)   22.44  unlimited    0.0  ........................
A fits, B does not fit: B would take 175.6 % more time than A, 15.35 s against 5.568 s per step, 0.363 times the throughput
llama3.1-8b on h100-sxm5-80g mem2=2GiB@50GB/s
A  gpus16 tp4 gbs64 mbs4 recompute=full: 5.568 s per step, 51.10 GiB
  plan: dp4 tp4 mbs4 gbs64 recompute=full
  50 % interval 5.188-6.811 s, 90 % interval 4.316-10.52 s (cross-validated on Hopper, dense,
  megatron: 310 runs from 24 sources); 50 % interval of tuned benchmarks 4.951-6.773 s,
  of ordinary runs 5.249-6.854 s
B  +offload-optimizer=1: 15.35 s per step, 28.66 GiB, does not fit
  plan: dp4 tp4 mbs4 gbs64 recompute=full offload-optimizer=1
  50 % interval 13.32-22.97 s, 90 % interval 9.212-54.91 s (cross-validated on Hopper, dense,
  megatron: 310 runs from 24 sources); 50 % interval of tuned benchmarks 12.13-22.72 s,
  of ordinary runs 13.64-23.27 s
does not fit: memory tier 1 (mem2) needs 23.40 GiB on stage 0, has 2 GiB: 21.40 GiB too little
memory_exceeded  memory tier 1 (mem2) needs 23.40 GiB on stage 0, has 2 GiB: 21.40 GiB too little
  remedy: cp2 offload-activations=0: fits, 2.0 GiB of memory tier 1 (mem2) left, 25.6 % less time per step (`reckon fits` lists others)
does not fit: memory tier 0 (HBM3) needs 106.9 GiB on stage 0, has 79.20 GiB: 27.69 GiB too little
memory_exceeded  memory tier 0 (HBM3) needs 106.9 GiB on stage 0, has 79.20 GiB: 27.69 GiB too little
memory_exceeded  memory tier 1 (mem2) needs 23.29 GiB on stage 0, has 2 GiB: 21.29 GiB too little
  remedy: no change of one or two choices makes it fit: use more GPUs, or `reckon search`, which tries all choices together
does not fit: memory tier 0 (HBM3) needs 151.4 GiB on stage 3, has 79.20 GiB: 72.17 GiB too little
memory_exceeded  memory tier 0 (HBM3) needs 151.4 GiB on stage 3, has 79.20 GiB: 72.17 GiB too little
memory_exceeded  memory tier 1 (mem2) needs 100.4 GiB on stage 3, has 2 GiB: 98.38 GiB too little
  remedy: no change of one or two choices makes it fit: use more GPUs, or `reckon search`, which tries all choices together
does not fit: memory tier 1 (mem2) needs 2.887 GiB on stage 0, has 2 GiB: 908.5 MiB too little
memory_exceeded  memory tier 1 (mem2) needs 2.887 GiB on stage 0, has 2 GiB: 908.5 MiB too little
  remedy: recompute=full: fits, 1.5 GiB of memory tier 1 (mem2) left, 9.5 % more time per step (`reckon fits` lists others)
does not fit: memory tier 0 (HBM3) needs 89.01 GiB on stage 0, has 79.20 GiB: 9.807 GiB too little
memory_exceeded  memory tier 0 (HBM3) needs 89.01 GiB on stage 0, has 79.20 GiB: 9.807 GiB too little
memory_exceeded  memory tier 1 (mem2) needs 17.02 GiB on stage 0, has 2 GiB: 15.02 GiB too little
  remedy: recompute=full cp2: P(fits) 68 %, 6.3 GiB left, 0.3 % more time per step (`reckon fits` lists others)
does not fit: memory tier 1 (mem2) needs 25.66 GiB on stage 0, has 9 GiB: 16.66 GiB too little
  remedy: offload-optimizer=0: fits, 3.6 GiB of memory tier 1 (mem2) left, 24.8 % less time per step (`reckon fits` lists others)
outcome          tier  where  plans  share
                                         %
fits                -  -          0   0.00
bad_option          -  -       1704  34.09  ########
memory_exceeded     0  HBM3      16   0.32
memory_exceeded     1  mem2    3191  63.85  ###############
repeated            -  -         87   1.74

Closest infeasible plans (one constraint each)
constraint            needs      has    lacks        step  plan
                                                        s
memory tier 1 (mem2)  5.610 GiB  2 GiB  3.610 GiB  5.9215  dp4 tp4 mbs4 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1
memory tier 1 (mem2)  5.610 GiB  2 GiB  3.610 GiB  6.1954  dp2 tp4 pp2 vpp8 mbs4 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1

Single changes that make a plan feasible
more of memory tier 0 (HBM3): no amount helps                            -          -  -
3.610 GiB more of memory tier 1 (mem2): 5.610 GiB instead of 2 GiB  5.9215     10.808  dp4 tp4 mbs4 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1
rank    step  tokens/s/GPU    MFU  memory  offloaded  fits in  activation-offload
           s                    %     GiB        GiB        %
   1  4.3643        7508.1  39.06    55.6        4.5       84  0.5

outcome          tier  where   plans  share
                                          %
fits                -  -        3467   9.19  ##
bad_pipeline        -  -        5208  13.80  ###
bad_option          -  -        5420  14.36  ###
memory_exceeded     0  HBM3     1692   4.48  #
memory_exceeded     1  mem2   21,781  57.71  ##############
repeated            -  -         174   0.46
no plan can run: recompute full: the space has recompute none
llama3.1-8b on h100-sxm5-80g mem2=2GiB@50GB/s, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
  0 plans, 0 feasible

Plans by outcome
outcome  plans  share
                    %
fits         0   0.00


No plan violates only one constraint.

Single changes that make a plan feasible
change                                                        step  samples/s  plan
                                                                 s
more of memory tier 0 (HBM3): no amount helps                    -          -  -
more of memory tier 1 (mem2): no amount helps                    -          -  -
a larger domain of network tier 0 (NVLink4): no size helps       -          -  -
without --recompute: recompute none                         3.9103     16.367  dp8 cp2 gbs64 zero1 grad-overlap weight-overlap recompute-rest
plans that megatron cannot start: none helps                     -          -  -
fewer GPUs: none that was tried helps                            -          -  -
more GPUs: none that was tried helps                             -          -  -
a smaller batch: none that was tried helps                       -          -  -
a larger batch: none that was tried helps                        -          -  -
exit 1
fits: P(fits) 86 %, 8.458 s per step (50 % 7.822-10.57 s), MFU 40.3 %, memory 52.7 of 79.2 GiB, 89.27 USD per 1B tokens
optimizer  0.0422    0.5  optimizer step
fits: P(fits) 100 %, 18.24 s per step (50 % 15.97-26.63 s), MFU 18.7 %, memory 30.3 of 79.2 GiB, 192.5 USD per 1B tokens
optimizer   9.8208   53.9  optimizer step                                                #############
memory tier 1 (mem2)   22.44    200.00   11.2  ###.....................
fits: P(fits) 100 %, 18.24 s per step (50 % 15.97-26.63 s), MFU 18.7 %, memory 30.3 of 79.2 GiB, 192.5 USD per 1B tokens
optimizer   9.8208   53.9  optimizer step                                                #############
memory tier 2 (4x samsung-980pro-1tb)   22.44      3.64    0.6  ........................
fits: P(fits) 100 %, 18.24 s per step (50 % 15.97-26.63 s), MFU 18.7 %, memory 30.3 of 79.2 GiB, 192.5 USD per 1B tokens
optimizer   9.8208   53.9  optimizer step                                                #############
memory tier 1 (mem2)                    11.22      0.20    5.6  #.......................
memory tier 2 (4x samsung-980pro-1tb)   11.22      3.64    0.3  ........................
fits: P(fits) 89 %, 10.18 s per step (50 % 9.283-13.25 s), MFU 33.5 %, memory 49.0 of 79.2 GiB, 107.5 USD per 1B tokens
offload     1.7240   16.9  exposed offload transfers                                     ####
optimizer   0.0422    0.4  optimizer step
memory tier 2 (4x samsung-980pro-1tb)    3.74      3.64    0.1  ........................
cannot run: a share is at most 1: above it means memory tier 3, which is not there: give a share from 0 to 1, or add one, mem3=4TiB@20GB/s
bad_memory  a share is at most 1: above it means memory tier 3, which is not there: give a share from 0 to 1, or add one, mem3=4TiB@20GB/s
cannot run: shares of what is offloaded are from 0 to 1, those of all tiers together no more than 1
bad_option  shares of what is offloaded are from 0 to 1, those of all tiers together no more than 1
as the plan says,-,kept,18.236879162843003,0.18694837568203668,32525935902.72,24093179904,0,0,,24093179904,2.6422481268712907,12.385099262420306,0.1440127821211663,29.067187300818492,fits
  reckon predict -m llama3.1-8b -s 'h100-sxm5-80g mem2=200GiB@50GB/s ssd=4*samsung-980pro-1tb' -g 8 dp2 tp4 mbs4 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=2
run read_state stream=in reads=h:optimizer.31 writes=h:optimizer.31 pass=step layer=31 op=52 name=read_state kind=block sent=327204864 link=0.011685888
run write_state stream=out reads=h:optimizer.31 writes=h:optimizer.31 pass=step layer=31 op=53 name=write_state kind=block sent=327204864 link=0.0163602432
run read_state stream=in reads=h:optimizer.head writes=h:optimizer.head pass=step layer=head op=57 name=read_state kind=head sent=788029440 link=0.0281439086
run write_state stream=out reads=h:optimizer.head writes=h:optimizer.head pass=step layer=head op=58 name=write_state kind=head sent=788029440 link=0.039401472
exit 0
=== stderr
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the second plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
