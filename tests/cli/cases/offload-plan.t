# one plan under each rule; drives that must last; what is refused
reckon offload -m memo-7b -s 'a800-sxm4-80g mem2=250GB@12GB/s' gpus8 cp8 cp-kind=ulysses zero3 gbs1 seq1048576 loss-in-chunks | cut -c1-150
reckon offload -m memo-7b -s 'a800-sxm4-80g mem2=100GB@12GB/s ssd=4*samsung-980pro-1tb,retention_gain=1' --lifetime 1 gpus8 cp8 cp-kind=ulysses zero3 gbs1 seq1048576 loss-in-chunks | cut -c1-170
reckon offload -m llama3.1-8b -s h100-sxm5-80g gpus8
echo "exit $?"
reckon offload -m memo-7b -s 'a800-sxm4-80g mem2=1GB@12GB/s' gpus8 tp8 sp gbs1 seq4194304 >/dev/null
echo "exit $?"
reckon offload -m memo-7b -s 'a800-sxm4-80g mem2=1GB@12GB/s' gpus8 tp3
echo "exit $?"
# where the link is the limit: by tensor and layer is the least
reckon offload -m memo-7b -s 'a800-sxm4-80g mem2=250GB@12GB/s' gpus8 tp8 sp gbs1 seq65536 loss-in-chunks | cut -c1-126

# state and weights of the plan take their part of size, endurance and rate
reckon offload -m deepseek-v3 -s 'h100-sxm5-80g mem2=200GiB@50GB/s ssd=4*samsung-980pro-1tb' gpus512 pp16 ep32 gbs2048 zero1 offload-optimizer offload-weights |
    sed -n '/^rule/,/^by token/p; /^input/p; /^MEMO  *by/p' | cut -c1-110
reckon offload -m deepseek-v3 -s 'h100-sxm5-80g mem2=21GiB@50GB/s' gpus512 pp16 ep32 gbs2048 zero1 offload-optimizer |
    sed -n '/^by tensor/p' | cut -c1-110
reckon offload -m deepseek-v3 -s 'h100-sxm5-80g mem2=200GiB@50GB/s' gpus512 pp16 ep32 gbs2048 zero1 schedule=dualpipe | sed -n '/^swap all/s/  */ /gp'
# of a machine with one memory the nodes' own is assumed, as fits and longest assume it
reckon offload llama3.1-8b "h100 x8" tp8 | sed -n '1,4p'
reckon offload llama3.1-8b "h100 x8 mem2=2048GiB@50GB/s,capacity_shared_by=8" tp8 | head -1
reckon offload llama3.1-8b "trainium2 x16"; echo "exit $?"
=== stdout
fastest rule: MEMO; fits: P(fits) 77 %, 11.93 min per step (50 % 11.13-14.32 min), MFU 50.7 %, memory 65.9 of 79.2 GiB
  plan: cp8 gbs1 seq1048576 cp-kind=ulysses zero3 attention=flash loss-in-chunks
  offload-activations=0.3830264303415495 recompute-rest
  `reckon export megatron` cannot say gradient_overlap no (the run has yes),
  weight_overlap no (the run has yes), loss_in_chunks yes (the run has no),
  activation_offload 0.383026 (the run has 0.375), recompute_rest yes (the run has no)

Rules compared on the plan
rule                  offloaded    rest                         step   MFU    GPU  lower tiers  exposed  recompute  ... by tensor  written per step  G
                                                                         %    GiB          GiB
as the plan says      -            kept                    712.170 s  51.0  607.0          0.0   0.00 s     0.00 s              -             0.0 B   
keep                  -            kept                    712.170 s  51.0  607.0          0.0   0.00 s     0.00 s              -             0.0 B   
recompute             -            recompute whole layers  899.150 s  40.4   81.8          0.0   0.00 s   186.98 s              -             0.0 B   
MEMO                  0.383 to 1   recompute by token      716.005 s  50.7   65.9        232.8   0.00 s     3.84 s         1.99 s         232.8 GiB   
best share of tokens  0.383 to 1   recompute by token      716.005 s  50.7   65.9        232.8   0.00 s     3.84 s         1.99 s         232.8 GiB   
offload all           1 to 1       recompute by token      712.170 s  51.0   65.9        510.5   0.00 s     0.00 s         0.00 s         510.5 GiB   
SSDTrain, to 1        0.9688 to 1  kept                    715.138 s  50.8   79.5        530.8   2.97 s     0.00 s              -         530.8 GiB   
by tensor and layer   0.383 to 1   recompute by token      714.164 s  50.9   65.9        232.8   0.00 s     1.99 s         1.99 s         232.8 GiB   
by token, all tiers   0.383 to 1   recompute by token      716.005 s  50.7   65.9        232.8   0.00 s     3.84 s         1.99 s         232.8 GiB   

By tensor and layer: placement (first stage, one microbatch)
tensor                       per layer  recompute time  tier 1  recompute  layers that offload all, some, none
                                                             %          %
input, attention               2.0 GiB               -   100.0        0.0  30, 0, 0
attention norm                 1.9 GiB         1.20 ms     0.0      100.0  0, 0, 30
query, key, value              2.8 GiB        60.07 ms   100.0        0.0  30, 0, 0
attention output all-to-all  960.0 MiB        38.03 ms   100.0        0.0  30, 0, 0
mlp norm                       1.9 GiB        23.02 ms     0.0      100.0  0, 0, 30
mlp in                         3.8 GiB        80.09 ms    53.2       46.8  15, 1, 14
activation                     3.8 GiB         4.79 ms     0.0      100.0  0, 0, 30

Gain of the fastest fit over each rule
rule                  fastest              less time
                                                   %
as the plan says      by tensor and layer          -  cannot run, does not fit, or wears out its drives
keep                  by tensor and layer          -  cannot run, does not fit, or wears out its drives
recompute             by tensor and layer          -  cannot run, does not fit, or wears out its drives
MEMO                  by tensor and layer       0.26
best share of tokens  by tensor and layer       0.26
offload all           by tensor and layer          -  cannot run, does not fit, or wears out its drives
SSDTrain, to 1        by tensor and layer          -  cannot run, does not fit, or wears out its drives
by token, all tiers   by tensor and layer       0.26
fastest rule: by token, all tiers; fits: P(fits) 77 %, 11.94 min per step (50 % 11.14-14.32 min), MFU 50.7 %, memory 65.9 of 79.2 GiB
  plan: cp8 gbs1 seq1048576 cp-kind=ulysses zero3 attention=flash loss-in-chunks
  offload-activations=0.07258557213670043+1.2782243283589898 recompute-rest
  `reckon export megatron` cannot say gradient_overlap no (the run has yes),
  weight_overlap no (the run has yes), loss_in_chunks yes (the run has no),
  activation_offload 0.0725856 (the run has 0.0625), recompute_rest yes (the run has no)

Rules compared on the plan
rule                  offloaded                   rest                         step   MFU    GPU  lower tiers  exposed  recompute  ... by tensor  written per step  GB/s n
                                                                                        %    GiB          GiB
as the plan says      -                           kept                    712.170 s  51.0  607.0          0.0   0.00 s     0.00 s              -             0.0 B        
keep                  -                           kept                    712.170 s  51.0  607.0          0.0   0.00 s     0.00 s              -             0.0 B        
recompute             -                           recompute whole layers  899.150 s  40.4   81.8          0.0   0.00 s   186.98 s              -             0.0 B        
MEMO                  0.07259 to 1                recompute by token      717.935 s  50.6   65.9         93.1   0.00 s     5.76 s         4.98 s          93.1 GiB        
best share of tokens  0.07259 to 1                recompute by token      717.935 s  50.6   65.9         93.1   0.00 s     5.76 s         4.98 s          93.1 GiB        
offload all           1 to 1                      recompute by token      712.170 s  51.0   65.9        510.5   0.00 s     0.00 s         0.00 s         510.5 GiB        
SSDTrain, to 1        0.9688 to 1                 kept                    715.138 s  50.8   79.5        530.8   2.97 s     0.00 s              -         530.8 GiB        
SSDTrain, to 2        0.9688 to 2                 kept                    713.696 s  50.9   79.5        530.8   1.53 s     0.00 s              -         530.8 GiB        
by tensor and layer   0.1353 to 1 + 0.2202 to 2   recompute by token      714.429 s  50.8   65.9        220.4   0.00 s     2.26 s         2.26 s         220.4 GiB        
by token, all tiers   0.07259 to 1 + 0.2782 to 2  recompute by token      716.205 s  50.7   65.9        218.3   0.00 s     4.04 s         2.30 s         218.3 GiB        

By tensor and layer: placement (first stage, one microbatch)
tensor                       per layer  recompute time  tier 1  tier 2  recompute  layers that offload all, some, none
                                                             %       %          %
input, attention               2.0 GiB               -    53.3    46.7        0.0  30, 0, 0
attention norm                 1.9 GiB         1.20 ms     0.0     0.0      100.0  0, 0, 30
query, key, value              2.8 GiB        60.07 ms    53.3    46.7        0.0  30, 0, 0
attention output all-to-all  960.0 MiB        38.03 ms    56.5    43.5        0.0  30, 0, 0
mlp norm                       1.9 GiB        23.02 ms     0.0     0.0      100.0  0, 0, 30
mlp in                         3.8 GiB        80.09 ms     0.0    42.2       57.8  12, 1, 17
activation                     3.8 GiB         4.79 ms     0.0     0.0      100.0  0, 0, 30

Gain of the fastest fit over each rule
rule                  fastest              less time
                                                   %
as the plan says      by token, all tiers          -  cannot run, does not fit, or wears out its drives
keep                  by token, all tiers          -  cannot run, does not fit, or wears out its drives
recompute             by token, all tiers          -  cannot run, does not fit, or wears out its drives
MEMO                  by token, all tiers       0.24
best share of tokens  by token, all tiers       0.24
offload all           by token, all tiers          -  cannot run, does not fit, or wears out its drives
SSDTrain, to 1        by token, all tiers          -  cannot run, does not fit, or wears out its drives
SSDTrain, to 2        by token, all tiers          -  cannot run, does not fit, or wears out its drives
by tensor and layer   by token, all tiers          -  cannot run, does not fit, or wears out its drives

Life of 4x samsung-980pro-1tb: 2.4 PB rated, times 2.5 of the rating's write amplification over 1 of this use, times 1 as data need not last the rating's years ("as rated
does not fit by any rule; as the plan says: HBM3 too small: 180.1 GiB of 79.20 GiB
host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together, assumed; mem2=1TiB@50GB/s in the system states what exists
  remedy: add zero2: by rule MEMO, fits: P(fits) 95 %, 4.050 s per step (50 % 3.796-4.871 s),
  MFU 42.1 %, memory 42.4 of 79.2 GiB
exit 1
exit 1
exit 2
fastest rule: as the plan says; fits: P(fits) 86 %, 5.470 s per step (50 % 5.065-6.696 s), MFU 43.9 %, memory 52.4 of 79.2 GiB
  plan: tp8 gbs1 seq65536 sp attention=flash loss-in-chunks
  `reckon export megatron` cannot say loss_in_chunks yes (the run has no),
  vocabulary_multiple 0 (the run has 1)

Rules compared on the plan
rule                  offloaded    rest                       step   MFU   GPU  lower tiers    exposed  recompute  ... by tens
                                                                       %   GiB          GiB
as the plan says      -            kept                    5.470 s  43.9  52.4          0.0     0.00 s     0.00 s             
keep                  -            kept                    5.470 s  43.9  52.4          0.0     0.00 s     0.00 s             
recompute             -            recompute whole layers  7.130 s  33.7  21.4          0.0     0.00 s     1.66 s             
MEMO                  0.5187 to 1  recompute by token      5.780 s  41.5  20.5         17.4     0.00 s  309.94 ms       88.83 
best share of tokens  0.5187 to 1  recompute by token      5.780 s  41.5  20.5         17.4     0.00 s  309.94 ms       88.83 
offload all           1 to 1       recompute by token      6.600 s  36.4  20.5         30.0     1.13 s     0.00 s         0.00
SSDTrain, to 1        0.8125 to 1  kept                    6.285 s  38.2  26.0         26.6  815.46 ms     0.00 s             
by tensor and layer   0.5408 to 1  recompute by token      5.538 s  43.4  20.5         18.0     0.00 s   67.78 ms       67.78 
by token, all tiers   -            kept                    5.470 s  43.9  52.4          0.0     0.00 s     0.00 s             

By tensor and layer: placement (first stage, one microbatch)
tensor             per layer  recompute time  tier 1  recompute  layers that offload all, some, none
                                                   %          %
input, attention   129.0 MiB               -   100.0        0.0  30, 0, 0
attention norm     119.5 MiB        76.80 us     0.0      100.0  0, 0, 30
query, key, value  179.2 MiB         7.22 ms   100.0        0.0  30, 0, 0
mlp norm           119.5 MiB         5.39 ms   100.0        0.0  30, 0, 0
mlp in             238.9 MiB         8.47 ms    77.8       22.2  23, 1, 6
activation         238.9 MiB       301.21 us     0.0      100.0  0, 0, 30

Gain of the fastest fit over each rule
rule                  fastest           less time
                                                %
keep                  as the plan says       0.00
recompute             as the plan says      23.28
MEMO                  as the plan says       5.36
best share of tokens  as the plan says       5.36
offload all           as the plan says      17.13
SSDTrain, to 1        as the plan says      12.97
by tensor and layer   as the plan says       1.22
by token, all tiers   as the plan says       0.00
rule                  offloaded                  rest                        step   MFU    GPU  lower tiers  e
                                                                                      %    GiB          GiB
as the plan says      -                          kept                    33.086 s  12.5  123.1         20.4   
keep                  -                          kept                    33.086 s  12.5  123.1         20.4   
recompute             -                          recompute whole layers  41.993 s   9.9   21.7         20.4   
MEMO                  0.4233 to 1                recompute by token      39.000 s  10.6   21.1         71.1   
best share of tokens  0.4233 to 1                recompute by token      39.000 s  10.6   21.1         71.1   
offload all           1 to 1                     recompute by token      42.988 s   9.6   21.1        125.2  1
SSDTrain, to 1        0.75 to 1                  kept                    48.436 s   8.5   42.7         99.0  1
SSDTrain, to 2        0.6114 to 2                kept                    45.684 s   9.1   57.5         84.5  1
by tensor and layer   0.7955 to 2                recompute by token      33.121 s  12.5   21.1         94.6   
by token, all tiers   0.4233 to 1 + 0.4902 to 2  recompute by token      34.879 s  11.9   21.1        117.0   
input, attention   186.0 MiB               -     0.0   100.0        0.0  4, 0, 0
rule                  fastest              less time
                                                   %
as the plan says      by tensor and layer          -  cannot run, does not fit, or wears out its drives
keep                  by tensor and layer          -  cannot run, does not fit, or wears out its drives
recompute             by tensor and layer      21.13
MEMO                  by tensor and layer      15.07
MEMO                  by tensor and layer      15.07
best share of tokens  by tensor and layer      15.07
offload all           by tensor and layer      22.95
SSDTrain, to 1        by tensor and layer      31.62
SSDTrain, to 2        by tensor and layer      27.50
by token, all tiers   by tensor and layer       5.04
fastest rule: as the plan says; fits: P(fits) 100 %, 5.210 s per step (50 % 4.748-6.789 s), MFU 32.7 %, memory 31.5 of 79.2 GiB
  plan: tp8 gbs32
host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together, assumed; mem2=1TiB@50GB/s in the system states what exists

fastest rule: as the plan says; fits: P(fits) 100 %, 5.210 s per step (50 % 4.748-6.789 s), MFU 32.7 %, memory 31.5 of 79.2 GiB
exit 2
=== stderr
reckon: "gpus8 tp3":1:1: gpus: 8 GPUs are not a multiple of tensor 3 * pipeline 1 = 3: use 6 or 9
reckon: trainium2 x16 has one memory: add a lower one, mem2=1TiB@50GB/s or ssd=4*samsung-980pro-1tb
