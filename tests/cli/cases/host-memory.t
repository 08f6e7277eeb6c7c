# Offloading goes to the memory of the nodes, assumed, where the system has no second one; nothing else changes.
plan="tp8 pp2 sp zero1"
ask() { command=$1; shift; reckon $command -m llama3.1-70b -s h100-sxm5-80g -g 16 $plan "$@"; }
for words in offload-optimizer offload-activations=0.5 ""; do ask predict $words | sed -n 1,5p; done
ask fits | sed -n '/^Single changes/,$p' | grep -i -e '^offload' -e 'memory tier'
# the same as saying it; what is said is taken
one() { reckon predict -m llama3.1-70b -s "$1" -g 16 $plan offload-optimizer --format json | sed -n 's/.*"step_s": //p' | head -1; }
[ "$(one h100-sxm5-80g)" = "$(one 'h100-sxm5-80g mem2=2048GiB@50GB/s,update=614GB/s,capacity_shared_by=8')" ] && echo same
reckon predict -m llama3.1-70b -s 'h100-sxm5-80g mem2=1TiB@100GB/s' -g 16 $plan offload-optimizer | sed -n 1,5p
ask timeline offload-optimizer | sed -n 1,4p
reckon predict -m llama3.1-8b -s gh200-96g -g 8 zero1 offload-optimizer | sed -n 1,5p
# ... by diff, of many plans from Python's door, and of a script that is imported
reckon diff -m llama3.1-70b -s h100-sxm5-80g "gpus16 $plan" +offload-optimizer | sed -n '/^[AB] /p;/^assumed/p'
reckon export megatron -m llama3.1-70b gpus16 $plan offload-optimizer >run.sh
reckon import megatron run.sh -s h100-sxm5-80g | grep -e '^fits' -e 'assumed: host'
# nobody knows of the host of this one
reckon predict -m llama3.1-8b -s ascend-910c -g 8 tp8 offload-optimizer | sed -n 1p
# ... in a search that asks for it
search() { reckon search -q -m llama3.1-70b -s h100-sxm5-80g -g 16 -b 64 -k 1 "$@" | sed -n '1,2p;/^ *1 /p;/^To launch/,/^  reckon predict/p'; }
search offload-optimizer tensor=8
search --optimizer-offload 1 --tensor 8 | sed -n 2p
search offload-optimizer=0 tensor=8 | sed -n 2p
=== stdout
fits: P(fits) 89 %, 59.59 s per step (50 % 53.13-82.61 s), MFU 25.0 %, memory 48.9 of 79.2 GiB on stage 0 of 0-1, 1.258k USD per 1B tokens
  llama3.1-70b on h100-sxm5-80g mem2=1945GiB@50GB/s,update=614GB/s,capacity_shared_by=8, 16 GPUs, detailed model
  plan: tp8 pp2 gbs64 sp zero1 offload-optimizer=1
  assumed: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50
  GB/s each, its processors at 614 GB/s together, precision bf16, framework megatron,
does not fit: memory tier 0 (HBM3) needs 87.34 GiB on stage 0, has 79.20 GiB: 8.145 GiB too little
  llama3.1-70b on h100-sxm5-80g mem2=1945GiB@50GB/s,update=614GB/s,capacity_shared_by=8, 16 GPUs, detailed model
  plan: tp8 pp2 gbs64 sp zero1 offload-activations=0.5
  assumed: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50
  GB/s each, its processors at 614 GB/s together, precision bf16, framework megatron,
does not fit: memory tier 0 (HBM3) needs 98.17 GiB on stage 0, has 79.20 GiB: 18.97 GiB too little
  llama3.1-70b on h100-sxm5-80g, 16 GPUs, detailed model
  plan: tp8 pp2 gbs64 sp zero1
  assumed: precision bf16, framework megatron, microbatch 1, batch 64 (4 * gpus * microbatch),
  sequence 8192 (the model's), attention flash3
offload-optimizer                   49.29   30.31  fits               89  59.586       56.4  offload optimizer state to memory tier 1
Offloading to host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together, assumed; mem2=1945GiB@50GB/s,update=614GB/s,capacity_shared_by=8 in the system states what exists.
same
fits: P(fits) 89 %, 59.59 s per step (50 % 53.13-82.61 s), MFU 25.0 %, memory 48.9 of 79.2 GiB on stage 0 of 0-1, 1.258k USD per 1B tokens
  llama3.1-70b on h100-sxm5-80g mem2=1TiB@100GB/s, 16 GPUs, detailed model
  plan: tp8 pp2 gbs64 sp zero1 offload-optimizer=1
  assumed: processors of a node of 8 at 614 GB/s together, precision bf16, framework megatron,
  microbatch 1, batch 64 (4 * gpus * microbatch), sequence 8192 (the model's), attention flash3
fits: P(fits) 89 %, 59.59 s per step (50 % 53.13-82.61 s), MFU 25.0 %, memory 48.9 of 79.2 GiB on stage 0 of 0-1
  llama3.1-70b on h100-sxm5-80g mem2=1945GiB@50GB/s,update=614GB/s,capacity_shared_by=8, 16 GPUs, detailed model
  plan: tp8 pp2 gbs64 sp zero1 offload-optimizer=1
  assumed: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50
unsure: P(fits) 58 %, 3.947 s per step (50 % 3.656-4.906 s), MFU 43.2 %, memory 90.3 of 94.5 GiB
  llama3.1-8b on gh200-96g, 8 GPUs, detailed model
  plan: dp8 gbs32 zero1 offload-optimizer=1
  assumed: processors of a node of 1 at 512 GB/s together, precision bf16, framework megatron,
  microbatch 1, batch 32 (4 * gpus * microbatch), sequence 8192 (the model's), attention flash3
A does not fit, B fits: B takes 56.4 % more time than A, 59.59 s against 38.11 s per step, 0.64 times the throughput
A  gpus16 tp8 pp2 sp zero1: 38.11 s per step, 98.17 GiB, does not fit
B  +offload-optimizer: 59.59 s per step, 48.89 GiB
assumed: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together
fits: P(fits) 89 %, 59.59 s per step (50 % 53.13-82.61 s), MFU 25.0 %, memory 48.9 of 79.2 GiB on stage 0 of 0-1, 1.258k USD per 1B tokens
  assumed: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50
cannot run: offloading needs a second memory, ascend-910c has 1: add one to it, mem2=1TiB@50GB/s
Best plan fits: P(fits) 76 %, 50.99 s per step (50 % 45.98-68.45 s), MFU 29.2 %, memory 69.8 of 79.2 GiB on stage 0 of 0-1, 1.076k USD per 1B tokens
llama3.1-70b on h100-sxm5-80g, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
   1  50.9926         642.6  29.18    69.8       49.3       76                yes
To launch the best plan, and to see where its time goes:
  reckon export megatron -m llama3.1-70b gpus16 tp8 pp2 vpp16 mbs2 gbs64 sp tp-overlap zero1 recompute=selective:layernorm offload-optimizer=1
  reckon predict -m llama3.1-70b -s h100-sxm5-80g -g 16 tp8 pp2 vpp16 mbs2 gbs64 sp tp-overlap zero1 recompute=selective:layernorm offload-optimizer=1
llama3.1-70b on h100-sxm5-80g, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
llama3.1-70b on h100-sxm5-80g, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
