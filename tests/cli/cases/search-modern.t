# Figures are the model's; the form is the search's.
reckon search -m mixtral-8x7b -s h100-sxm5-80g -g 64 -b 256 --tensor 2 --expert 8 --context 1 --pipeline 1 --microbatch 1 --zero 1 --recompute none --top 2 -q |
    sed -e 's/[0-9][0-9]*[.][0-9]*/N/g' -e 's/#//g' -e 's/  */ /g'
=== stdout
mixtral-8x7b on h100-sxm5-80g, 64 GPUs, batch 256 of 8192 tokens, megatron, bf16, detailed model
 8 plans, 4 feasible
 headroom N of N GiB, which three of four measured runs like it keep
 with --headroom none: N s (N % faster) at N GiB; fits with 49 % probability
 not in the default space: precision=fp8-delayed would take N s to N s (257 measured runs have it); loss-in-place would take N s to N s (23 measured runs have it)
 common to all: tensor 2, context 1, pipeline 1, data 32, expert-tensor 2, expert 8,
 order tp-cp-dp-pp, microbatch 1, sequence-parallel yes, tensor-overlap ring, precision bf16,
 attention flash3, dispatcher alltoall, recompute none, zero 1, shard-ranks 0,
 gradient-overlap yes, weight-overlap yes

Best plans
rank step tokens/s/GPU MFU memory fits in expert-overlap
 s % GiB %
 1 N N N N 80 yes
 2 N N N N 80 no

Best plan: 50 % interval N-N s, 90 % interval N-N s (cross-validated on Hopper, experts, megatron: 72 runs from 5 sources); 50 % interval of tuned benchmarks N-N s, of ordinary runs N-N s
To launch the best plan, and to see where its time goes:
 reckon export megatron -m mixtral-8x7b gpus64 dp32 tp2 ep8 etp2 gbs256 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap
 reckon predict -m mixtral-8x7b -s h100-sxm5-80g -g 64 dp32 tp2 ep8 etp2 gbs256 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap

Plans by outcome
outcome tier where plans share
 %
fits - - 4 N 
memory_exceeded 0 HBM3 4 N 
