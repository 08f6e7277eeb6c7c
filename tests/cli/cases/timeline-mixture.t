reckon timeline -m mixtral-8x7b -s h100-sxm5-80g -g 64 tp2 pp4 vpp2 ep8 zero1
=== stdout
fits: P(fits) 76 %, 7.205 s per step (50 % 6.776-9.150 s), MFU 38.1 %, memory 67.7 of 79.2 GiB on stage 0 of 0-3
  mixtral-8x7b on h100-sxm5-80g, 64 GPUs, detailed model
  plan: dp8 tp2 pp4 vpp2 ep8 gbs256 zero1
  assumed: precision bf16, framework megatron, microbatch 1, batch 256 (4 * gpus * microbatch),
  sequence 8192 (the model's), attention flash3
  no file launches it: `reckon export megatron` refuses it: --num-experts: experts with tensor
  parallelism need --sequence-parallel in training; framework=fsdp has files of this model
schedule interleaved: 4 stages of 2 chunks each, 32 microbatches, 512 passes; messages beside
step: 7.21668 s simulated, 7.20531 s by the detailed model: 0.16 % more
  why: the formula's bubble of interleaved stages is that of equal chunks
  why: messages overlap with computation; the formula has them to a tenth, or one after every pass (--messages charged)
  why: work of a stage after its last pass runs while earlier stages drain; the formula leaves messages out of that time
idle: 7.0 % of the step on average, 8.1 % at most, 4.7 % on the busiest stage, whose bubble is 4.3 % by the detailed model
tightest: stage 0, memory tier 0 (HBM3): 67.74 GiB at most, 67.74 GiB by the detailed model: the same; it has 79.20 GiB

Peak memory
memory                tightest stage       peak   estimate  difference   capacity  first at  in flight
                                                                     %                   ms
memory tier 0 (HBM3)               0  67.74 GiB  67.74 GiB        0.00  79.20 GiB  634.1444        5.5  microbatches

Stages
stage  blocks  compute  offload  messages  reduce  optimizer      idle  of step   peak  of HBM
                     s        s         s      ms         ms        ms        %    GiB       %
    0       8   6.6850   0.0000    0.0000  9.6328    16.5460  505.5485      7.0  67.74    85.5  #####################...
    1       8   6.6102   0.0000    0.0000  7.0537    16.0625  583.3692      8.1  57.87    73.1  ##################......
    2       8   6.6102   0.0000    0.0000  7.0537    16.0625  583.3692      8.1  48.46    61.2  ###############.........
    3       8   6.8528   0.0000    0.0000  9.6329    16.5461  337.7184      4.7  40.13    50.7  ############............
