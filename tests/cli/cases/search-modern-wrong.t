search() { reckon search -m llama3.1-8b -s h100-sxm5-80g -g 16 -b 64 --top 1 -q "$@"; echo "$?"; }
search --framework megatron --tensor-comm rs_ag
search --framework megatron --data-network 1
search --where 'tensr <= 8'
search --recompute-parts core_attn+everything
search --framework calculon --zero 3
search --space modern
search --schedule fastest
search --precision fp8-current --precision fp8-block --zero 1
search --all plans.txt
search --tensor 3
search --tensor 1 --context 1 --pipeline 1 --zero 0 --recompute none
=== stdout
2
2
2
2
2
2
2
Best plan fits: P(fits) 83 %, 2.665 s per step (50 % 2.486-3.250 s), MFU 32.0 %, memory 56.5 of 79.2 GiB, 56.25 USD per 1B tokens
llama3.1-8b on h100-sxm5-80g, 16 GPUs, batch 64 of 8K tokens, megatron, several precisions, detailed model
  cost: 2.49 USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
  355,824 plans, 210,192 feasible
  headroom 8.1 of 79.2 GiB, which three of four measured runs like it keep
  with --headroom none: 2.603 s (2.3 % less) at 76.2 GiB; P(fits) 56 %
  plan: tensor 2, context 1, pipeline 1, data 8, order tp-cp-dp-pp, microbatch 1,
  sequence-parallel yes, tensor-overlap ring, precision fp8-block, attention flash3,
  sequence-chunks 1, recompute none, zero 1, shard-ranks 0, gradient-overlap yes,
  weight-overlap yes, activation-offload no, optimizer-offload no, weight-offload no

Best plan
rank    step  tokens/s/GPU    MFU  memory  fits in
           s                    %     GiB        %
   1  2.6650        12,296  31.98    56.5       83

Best plan: 50 % interval 2.486-3.250 s, 90 % interval 2.073-4.990 s (cross-validated on Hopper, dense, megatron: 310 runs from 24 sources); 50 % interval of tuned benchmarks 2.373-3.233 s, of ordinary runs 2.514-3.271 s
To launch the best plan, and to see where its time goes:
  reckon export megatron -m llama3.1-8b gpus16 precision=fp8-block dp8 tp2 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap
  reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 16 precision=fp8-block dp8 tp2 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap
0
2
no plan can run: tensor 3: the space has tensor 1, 2, 4, 8, 16
llama3.1-8b on h100-sxm5-80g, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
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
without --tensor: tensor 1                                  3.3152     19.305  dp16 gbs64 zero2 grad-overlap weight-overlap
plans that megatron cannot start: none helps                     -          -  -
fewer GPUs: none that was tried helps                            -          -  -
more GPUs: none that was tried helps                             -          -  -
a smaller batch: none that was tried helps                       -          -  -
a larger batch: none that was tried helps                        -          -  -
1
no plan can run: memory tier 0 (HBM3) is too small
llama3.1-8b on h100-sxm5-80g, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
  6 plans, 0 feasible

Plans by outcome
outcome          tier  where  plans  share
                                         %
fits                -  -          0   0.00
bad_option          -  -          3  50.00  ############
memory_exceeded     0  HBM3       3  50.00  ############

Closest infeasible plans (one constraint each)
constraint            needs      has        headroom   lacks        step  plan
                                                                       s
memory tier 0 (HBM3)  180.1 GiB  79.20 GiB  8.105 GiB  109.0 GiB  3.3780  dp16 gbs64 grad-overlap
memory tier 0 (HBM3)  222.6 GiB  79.20 GiB  8.105 GiB  151.5 GiB  3.3644  dp16 mbs2 gbs64 grad-overlap
memory tier 0 (HBM3)  307.6 GiB  79.20 GiB  8.105 GiB  236.5 GiB  3.3576  dp16 mbs4 gbs64 grad-overlap

Single changes that make a plan feasible
change                                                                     step  samples/s  plan
                                                                              s
121.4 GiB more of memory tier 0 (HBM3): 200.6 GiB instead of 79.20 GiB   3.3780     18.946  dp16 gbs64 grad-overlap
more of memory tier 1 (mem2): no amount helps                                 -          -  -
a larger domain of network tier 0 (NVLink4): no size helps                    -          -  -
without --tensor: tensor 4                                               3.5492     18.032  dp4 tp4 mbs2 gbs64 sp tp-overlap grad-overlap
without --context: does not help                                              -          -  -
without --pipeline: pipeline 8                                           4.2998     14.884  dp2 pp8 vpp4 gbs64 split=1*28,2,1*2,0 grad-overlap
without --recompute: does not help                                            -          -  -
without --zero: zero 2                                                   3.3152     19.305  dp16 gbs64 zero2 grad-overlap weight-overlap
--unstartable, plans that megatron cannot start by itself               45.9245     1.3936  dp16 mbs4 gbs64 grad-overlap offload-activations=1 offload-optimizer=1
fewer GPUs: none that was tried helps                                         -          -  -
more GPUs: none that was tried helps                                          -          -  -
a smaller batch: none that was tried helps                                    -          -  -
a larger batch: none that was tried helps                                     -          -  -
1
=== stderr
reckon: framework megatron has no axis tensor-comm: leave it out, or take framework calculon
reckon: framework megatron has no axis data-network: leave it out, or take framework calculon
reckon: --where: column 1 of "tensr <= 8": unknown name tensr; did you mean tensor
reckon: --recompute-parts: 'core_attn+everything' is not made of parts of a layer (core_attn, moe_act, layernorm, mla_up_proj, mlp, moe, shared_experts)
reckon: framework calculon has no zero 3: leave it out, or choose another framework
reckon: "--space" is not known, did you mean --state? reckon search --help-all lists all flags
reckon: --schedule: "fastest" is not known: give one of: gpipe, 1f1b, zero-bubble, dualpipe, zero-bubble-2p, v-zero, v-half, v-min
reckon: --all: plans.txt: give a name that ends in .csv, .csv.gz or .sqlite
