# a machine of several clusters behind any spelling of the option
two="h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s"
reckon search -m llama3.1-8b -b 64 -qs "$two" | head -1
reckon search -m llama3.1-8b -b 64 "-qs$two" | head -1
reckon search -qm llama3.1-8b -b 64 "-s$two" | head -1
reckon search -m llama3.1-8b -b 64 "-qs=$two" | head -1
reckon search -m llama3.1-8b -b 64 -q --system="$two" tp2 | head -1
reckon fits -m llama3.1-8b -b 64 -s="$two" | head -1
reckon predict -m llama3.1-8b -b 64 --system "$two" | head -1
=== stdout
llama3.1-8b on h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
llama3.1-8b on h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
llama3.1-8b on h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
llama3.1-8b on h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
llama3.1-8b on h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
fits: P(fits) 88 %, 5.305 s per step, MFU 48.9 %, memory 60.0 of 80.0 GiB on stage 1 of 0-1
fits: P(fits) 88 %, 5.305 s per step, MFU 48.9 %, memory 60.0 of 80.0 GiB on stage 1 of 0-1
