# Where nothing fits alone, search, budget and longest try the memory of the nodes, and longest asks about all GPUs
# of the system: one plan, one step; what longest says of that memory is its answer where the system has it.
reckon search llama3.1-70b 'a100-sxm4-80g x8' -b 512 --top 1 2>/dev/null | sed -n '1p; /nothing in the space fits/p; /export/p'
reckon budget 'a100-sxm4-80g x8' --days 30 -m llama3.1-70b | grep -e assumed$ -e '^llama'
reckon longest llama3.1-8b 'h100-sxm5-80g x16' --no-lengths | sed -n '1p; /assumed/p'
reckon longest llama3.1-8b 'h100-sxm5-80g x16 mem2=2048GiB@50GB/s,capacity_shared_by=8' --no-lengths | sed -n 1p
# What moves there is what the framework starts, with the sharding that it needs for that.
for framework in megatron fsdp deepspeed; do
    reckon fits llama2-13b a100-sxm4-40g -g 2 framework=$framework tp2 | grep -e '^[a-z0-9 ]*offload-'
done
reckon check -m llama2-13b -s a100-sxm4-40g gpus2 tp2 gbs8 offload-optimizer=1 | grep ' 12'
reckon check -m llama2-13b -s a100-sxm4-40g gpus2 gbs8 framework=fsdp zero1 offload-weights=1 | grep ' 12'
reckon search mistral-7b-v0.2 a100-sxm4-80g -g 1 -b 2 -k 1 -q | grep -A 1 export
reckon search llama2-7b 'h100-sxm5-80g mem2=512GiB@50GB/s' -g 8 -b 32 --activation-offload 1 -k 1 -q | grep -A 1 export
=== stdout
Best plan fits: P(fits) 77 %, 23.52 min per step (50 % 21.94-28.22 min), MFU 53.5 %, memory 67.4 of 79.2 GiB, 1.488k USD per 1B tokens
  nothing in the space fits without offload; assumed: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 25 GB/s each, its processors at 410 GB/s together
  reckon export megatron -m llama3.1-70b gpus8 tp8 gbs512 sp tp-overlap zero1 recompute=full recompute-layers=32 attention=flash offload-optimizer=1
no plan fits the GPUs alone with llama3.1-70b: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 25 GB/s each, its processors at 410 GB/s together is assumed
llama3.1-70b       70.55  1411.093  53.5    67.4       77          7.614    30       11.462                        0.108                 1.411          no  tp8 gbs512 sp tp-overlap zero1 recompute=full recompute-layers=32 attention=flash offload-optimizer=1
longest sequence: 832K tokens on 16 GPUs; fits: P(fits) 75 %, 97.52 s per step (50 % 91.47-117.0 s), MFU 39.5 %, memory 71.0 of 79.2 GiB
with host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together, assumed, 10848K tokens on 16 GPUs: add mem2=1945GiB@50GB/s,update=614GB/s,capacity_shared_by=8 to the system
longest sequence: 10848K tokens on 16 GPUs; fits: P(fits) 75 %, 7.578 h per step (50 % 7.396-9.616 h), MFU 22.6 %, memory 66.6 of 79.2 GiB
zero1 offload-optimizer             72.73  -16.01  does not fit        3  19.141      156.8  offload optimizer state to memory tier 1
zero1 offload-optimizer offload-activations  16.15  147.83  unsure       43  23.144      210.5  both changes
zero2 offload-optimizer offload-weights  96.35   20.32  fits               96  20.856      174.4  offload weights and optimizer state to memory tier 1
offload-activations                      16.03  -60.01  does not fit        0  11.313       48.9  offload activations to memory tier 1
offload-activations=0.5                   8.01  -68.02  does not fit        0   8.023        5.6  offload half the activations to memory tier 1
zero1 offload-optimizer          81.26   -3.43  does not fit       19  10.949       44.6  offload optimizer state to memory tier 1
zero3 offload-weights            19.38  -65.32  does not fit        0   9.455       24.8  offload weights to memory tier 1
zero3 offload-optimizer  84.86  7.42  fits       78  10.949       44.6  both changes
error 12.needs: offload-optimizer: the optimizer can be offloaded from ZeRO-1 on: give zero1
error 12.needs: offload-optimizer: optimizer and weights are offloaded together: give offload-optimizer=1 offload-weights=1
error 12.needs: offload-weights: weights and optimizer can be offloaded from ZeRO-2 on: give zero2
  reckon export megatron -m mistral-7b-v0.2 gpus1 gbs2 zero1 attention=flash offload-optimizer=1
  reckon predict -m mistral-7b-v0.2 -s a100-sxm4-80g -g 1 gbs2 zero1 attention=flash offload-optimizer=1
  `reckon export megatron` cannot say activation_offload 1 (the run has 0)
llama2-7b on h100-sxm5-80g mem2=512GiB@50GB/s, 8 GPUs, batch 32 of 4K tokens, megatron, bf16, detailed model
--
  reckon export megatron -m llama2-7b gpus8 dp8 mbs4 gbs32 zero1 grad-overlap weight-overlap recompute=selective:layernorm+mlp offload-activations=1
  reckon predict -m llama2-7b -s 'h100-sxm5-80g mem2=512GiB@50GB/s' -g 8 dp8 mbs4 gbs32 zero1 grad-overlap weight-overlap recompute=selective:layernorm+mlp offload-activations=1
