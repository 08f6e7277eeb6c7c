# Figures are the model's; the form is the search's.
reckon search -m mixtral-8x7b -s h100-sxm5-80g -g 64 -b 256 --tensor 2 --expert 8 --context 1 --pipeline 1 --microbatch 1 --zero 1 --recompute none --top 2 -q |
    sed -e 's/[0-9][0-9]*[.][0-9]*/N/g' -e 's/#//g' -e 's/  */ /g'
=== stdout
Best plan fits: P(fits) 77 %, N s per step (50 % N-N s), MFU N %, memory N of N GiB, N USD per 1B tokens
mixtral-8x7b on h100-sxm5-80g, 64 GPUs, batch 256 of 8K tokens, megatron, bf16, detailed model
 cost: N USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
 32 plans, 22 feasible
 headroom N of N GiB, which three of four measured runs like it keep
 with --headroom none: N s (N % less) at N GiB; P(fits) 44 %

Best plans
rank step tokens/s/GPU MFU memory fits in tensor-overlap
 s % GiB %
 1 N N N N 77 ring
 2 N N N N 78 none

Best plan: 50 % interval N-N s, 90 % interval N-N s (cross-validated on Hopper, experts, megatron: 87 runs from 10 sources); 50 % interval of tuned benchmarks N-N s, of ordinary runs N-N s
 the network matters: 50 GB/s per GPU between nodes is assumed; with a quarter of it the step takes N s (-s "h100-sxm5-80g net1=100Gb/s" is that quarter, reckon calibrate --nccl a measured rate)
To launch the best plan, and to see where its time goes:
 reckon export megatron -m mixtral-8x7b gpus64 dp32 tp2 ep8 etp2 gbs256 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap
 reckon predict -m mixtral-8x7b -s h100-sxm5-80g -g 64 dp32 tp2 ep8 etp2 gbs256 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap
