# Where nothing fits alone, search, budget and longest try the memory of the nodes, and longest asks about all GPUs
# of the system: one plan, one step; what longest says of that memory is its answer where the system has it.
reckon search llama3.1-70b 'a100-sxm4-80g x8' -b 512 --top 1 2>/dev/null | sed -n '1p; 3p; /export/p'
reckon budget 'a100-sxm4-80g x8' --days 30 -m llama3.1-70b | grep -e assumed$ -e '^llama'
reckon longest llama3.1-8b 'h100-sxm5-80g x16' --no-lengths | sed -n '1p; /assumed/p'
reckon longest llama3.1-8b 'h100-sxm5-80g x16 mem2=2048GiB@50GB/s,capacity_shared_by=8' --no-lengths | sed -n 1p
=== stdout
Best plan fits: P(fits) 76 %, 21.20 min per step (50 % 20.84-27.07 min), MFU 59.4 %, memory 71.6 of 80.0 GiB
  nothing fits without offload; assumed: host memory 2048 GiB a node of 8 at 25 GB/s each
  reckon export megatron -m llama3.1-70b gpus8 tp8 gbs512 sp tp-overlap zero1 recompute=full recompute-layers=16 attention=flash offload-optimizer=1
no plan fits the GPUs alone with llama3.1-70b: host memory 2048 GiB a node of 8 at 25 GB/s each is assumed
llama3.1-70b       70.55  1271.835  59.4    71.6       76          8.468    30       22.925                         0.12                 1.411          no  tp8 gbs512 sp tp-overlap zero1 recompute=full recompute-layers=16 attention=flash offload-optimizer=1
longest sequence: 832K tokens on 16 GPUs; fits: P(fits) 77 %, 97.52 s per step (50 % 95.18 s to 2.075 min), MFU 39.5 %, memory 71.0 of 80.0 GiB
with host memory 2048 GiB a node of 8 at 50 GB/s each, assumed, 11488K tokens: add mem2=2048GiB@50GB/s,capacity_shared_by=8 to the system
longest sequence: 11488K tokens on 16 GPUs; fits: P(fits) 75 %, 9.191 h per step (50 % 9.586-14.21 h), MFU 20.9 %, memory 69.5 of 80.0 GiB
