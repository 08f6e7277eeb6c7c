# the longest sequence on a node, and on more; a model that does not fit
reckon longest memo-7b 'a800-sxm4-80g mem2=250GB@12GB/s'
reckon longest memo-7b 'a800-sxm4-80g mem2=250GB@12GB/s' --gpus 4,16 --step 65536 --no-lengths --format csv | cut -d, -f1,2,4,10
reckon longest llama3.1-405b h100-sxm5-80g --gpus 8 --no-lengths
echo "exit $?"
reckon longest memo-7b a800-sxm4-80g --gpus 0
echo "exit $?"
for word in tp8 gbs4 seq5 dp2 zero3 gpus8; do reckon longest memo-7b a800-sxm4-80g $word; echo "exit $?"; done
# experts, windows, recurrences, latent attention; numbers of GPUs that are no powers of two
for model in mixtral-8x7b mistral-7b nemotron-h-8b qwen3-30b-a3b; do
    reckon longest $model 'h100-sxm5-80g mem2=250GB@25GB/s' -g 12,16 --no-lengths -f csv | cut -d, -f1,2,10
done
reckon longest deepseek-v3 'h100-sxm5-80g mem2=250GB@25GB/s' -g 256 ep64 --no-lengths -f csv | cut -d, -f1,2,10
# nothing but what fits
reckon longest llama3.1-405b h100-sxm5-80g --gpus 8
echo "exit $?"
# a page with charts
reckon longest memo-7b 'a800-sxm4-80g mem2=250GB@12GB/s' -g 4,8 -o page.html
grep -o '"id": *"[a-z-]*-memory"\|"id": *"mfu"\|two buffers, 8' page.html | sort | uniq -c | sed 's/^ *//'
reckon longest memo-7b a800-sxm4-80g -g 5..7 --no-lengths; echo "exit $?"
for word in recompute-rest offload-activations=0.5; do reckon longest memo-7b a800-sxm4-80g $word; echo "exit $?"; done
=== stdout
longest sequence: 5088K tokens on 8 GPUs; fits: P(fits) 75 %, 6.138 h per step (50 % 5.935-7.715 h), MFU 39.1 %, memory 66.5 of 79.2 GiB
  plan: framework=deepspeed cp8 gbs1 seq5210112 cp-kind=ulysses seq-chunks=96 zero3 grad-overlap
  weight-overlap recompute=full loss-in-chunks offload-activations=1
  `reckon export deepspeed` cannot say sequence 5210112 (left to the training code),
  sequence_chunks 96 (the run has 1), recompute full (left to the training code),
  loss_in_chunks yes (left to the training code), activation_offload 1 (left to the training code)

The longest sequence
GPUs  tokens   step s   MFU   GPU  fits in  lower tiers  candidates  not  limit  plan
                          %   GiB        %          GiB
   8   5088K  6.138 h  39.1  66.5       75        209.1         188   5M  HBM2e  framework=deepspeed cp8 gbs1 seq5210112 cp-kind=ulysses seq-chunks=96 zero3 grad-overlap weight-overlap recompute=full loss-in-chunks offload-activations=1

Longest sequence of each kind of plan
GPUs  kind         tokens   MFU   GPU  fits in  lower tiers  limit  plan
                              %   GiB        %          GiB
   8  two buffers   1120K  50.8  70.2       75        232.8  HBM2e  cp8 gbs1 seq1146880 zero3 grad-overlap weight-overlap attention=flash loss-in-chunks offload-activations=0.36286900319173426 recompute-rest
   8  megatron       672K  40.6  69.8       76          0.0  HBM2e  cp8 gbs1 seq688128 zero3 grad-overlap weight-overlap recompute=full attention=flash
   8  deepspeed      672K  40.5  66.7       75          0.0  HBM2e  framework=deepspeed cp8 gbs1 seq688128 cp-kind=ulysses zero3 grad-overlap weight-overlap recompute=full
   8  chunks        5088K  39.1  66.5       75        209.1  HBM2e  framework=deepspeed cp8 gbs1 seq5210112 cp-kind=ulysses seq-chunks=96 zero3 grad-overlap weight-overlap recompute=full loss-in-chunks offload-activations=1

MFU by length, the best plan of each kind without selective recomputation, which reckon search tries, too
GPUs  tokens  two buffers  megatron  deepspeed  chunks  over megatron  over deepspeed  plan
                        %         %          %       %
   8     32K         53.8      55.8       45.4    45.3          0.965            1.18  #############  dp2 cp4 gbs2 seq32768 zero3 grad-overlap weight-overlap attention=flash
   8     64K         53.5      53.6       43.9    43.8          0.999            1.22  #############  cp8 gbs1 seq65536 zero3 grad-overlap weight-overlap attention=flash
   8    128K         53.0      42.4       41.8    41.3           1.25            1.27  #############  dp4 cp2 gbs4 seq131072 zero3 grad-overlap weight-overlap attention=flash loss-in-chunks offload-activations=0.6141757867315182 recompute-rest
   8    256K         52.4      41.4       41.0    40.7           1.27            1.28  #############  dp2 cp4 gbs2 seq262144 zero3 grad-overlap weight-overlap attention=flash loss-in-chunks offload-activations=0.9647441364460335 recompute-rest
   8    512K         51.4      40.8       40.6    40.1           1.26            1.27  ############  cp8 gbs1 seq524288 zero3 grad-overlap weight-overlap attention=flash loss-in-chunks offload-activations=0.9647441364460335 recompute-rest
   8    672K         51.1      40.6       40.5    39.7           1.26            1.26  ############  cp8 gbs1 seq688128 zero3 grad-overlap weight-overlap attention=flash loss-in-chunks offload-activations=0.7007638148432707 recompute-rest
   8      1M         50.9         -          -    39.9              -               -  ############  cp8 gbs1 seq1048576 zero3 grad-overlap weight-overlap attention=flash loss-in-chunks offload-activations=0.41038546108023155 recompute-rest
   8   1120K         50.8         -          -    39.6              -               -  ############  cp8 gbs1 seq1146880 zero3 grad-overlap weight-overlap attention=flash loss-in-chunks offload-activations=0.36286900319173426 recompute-rest
   8      2M            -         -          -    39.8              -               -  ##########  framework=deepspeed dp2 cp4 gbs2 seq2097152 cp-kind=ulysses seq-chunks=32 zero3 grad-overlap weight-overlap recompute=full loss-in-chunks offload-activations=1
   8      4M            -         -          -    39.8              -               -  ##########  framework=deepspeed cp8 gbs1 seq4194304 cp-kind=ulysses seq-chunks=64 zero3 grad-overlap weight-overlap recompute=full loss-in-chunks offload-activations=1
   8   5088K            -         -          -    39.1              -               -  #########  framework=deepspeed cp8 gbs1 seq5210112 cp-kind=ulysses seq-chunks=96 zero3 grad-overlap weight-overlap recompute=full loss-in-chunks offload-activations=1

Gain of two buffers
GPUs  over       both feasible  mean gain  lengths  of means, 0 where it does not fit
   8  megatron               5       1.15        7                               1.56
   8  deepspeed              5       1.24        7                               1.72
   8  chunks                 7       1.26        7                               1.26

8 GPUs: 50 % interval 5.935-7.715 h, 90 % interval 4.874-10.92 h (cross-validated on Ampere, dense, deepspeed: 154 runs from 12 sources); 50 % interval of tuned benchmarks 5.782-7.795 h, of ordinary runs 6.003-7.881 h
  memory: 90 % interval 52.3-102.2 of 79.2 GiB (cross-validated on deepspeed, dense: 123 runs from 9 sources); P(fits) 75 %
gpus,tokens,mfu,limit
4,1769472,0.3984656815269091,HBM2e
16,11599872,0.3775944891999794,mem2
does not fit: 32K tokens (limit: HBM3); --step N tries shorter samples
exit 1
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
gpus,tokens,limit
12,32768,HBM3
16,3899392,HBM3
gpus,tokens,limit
12,2785280,HBM3
16,11894784,mem2
gpus,tokens,limit
12,524288,HBM3
16,851968,HBM3
gpus,tokens,limit
12,2031616,HBM3
16,13008896,HBM3
gpus,tokens,limit
256,14254080,HBM3
does not fit: 32K tokens (limit: HBM3); --step N tries shorter samples
exit 1
1 "id":"gpu-memory"
1 "id":"lower-memory"
1 "id":"mfu"
27 two buffers, 8
exit 2
exit 2
exit 2
=== stderr
reckon: --gpus: 0 is too small: give at least 1
reckon: the words say tensor, which reckon longest chooses itself (--gpus N are its GPUs): leave it out; reckon offload and fits take one plan
reckon: the words say batch, which reckon longest chooses itself (--gpus N are its GPUs): leave it out; reckon offload and fits take one plan
reckon: the words say sequence, which reckon longest chooses itself (--gpus N are its GPUs): leave it out; reckon offload and fits take one plan
reckon: the words say data, which reckon longest chooses itself: leave it out
reckon: the words say zero, which reckon longest chooses itself (--gpus N are its GPUs): leave it out; reckon offload and fits take one plan
reckon: the words say gpus, which reckon longest chooses itself (--gpus N are its GPUs): leave it out; reckon offload and fits take one plan
reckon: --gpus: no power of two lies between 5 and 7, and a range stands for these: name the numbers, 5,6
reckon: the words say recompute_rest, which reckon longest chooses itself (--gpus N are its GPUs): leave it out; reckon offload and fits take one plan
reckon: the words say activation_offload, which reckon longest chooses itself (--gpus N are its GPUs): leave it out; reckon offload and fits take one plan
