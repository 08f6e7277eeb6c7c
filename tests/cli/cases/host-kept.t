# A node keeps some of its memory for its operating system: what is assumed says so, and what is stated is taken as it stands.
on="llama3.1-70b h100-sxm5-80g --gpus 16 tp8 pp2 sp zero1"
reckon fits $on | grep -o 'Offloading to host memory .* together\|mem2=[^,]*'
reckon predict $on offload-optimizer | tr -s '\n ' ' ' | grep -o 'host memory .* (the rest for the operating system)'
reckon predict llama3.1-70b "h100-sxm5-80g mem2=2048GiB@50GB/s,update=614GB/s,capacity_shared_by=8" --gpus 16 tp8 pp2 sp zero1 offload-optimizer | grep -c 'operating system'
# consumers' GPUs share the host of their node
reckon predict llama3.1-8b 'rtx4090 x2' framework=fsdp zero3 gbs2 offload-optimizer offload-weights recompute=full | tr -s '\n ' ' ' | grep -o 'host memory [0-9]* of [0-9]* GiB per node of 2'
=== stdout
Offloading to host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together
mem2=1945GiB@50GB/s
host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system)
0
host memory 121 of 128 GiB per node of 2
