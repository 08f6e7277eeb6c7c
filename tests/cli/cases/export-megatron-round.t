reckon export megatron -m mixtral-8x7b gpus64 tp2 pp2 ep8 etp1 sp zero1 gbs128 grad-overlap mbs2 vocab-multiple=128 attention=flash3 --mock-data -o run.sh && reckon import megatron run.sh | head -3
=== stdout
run: 46,702,792,704 parameters, of which 12,879,925,248 active, 64 GPUs with Megatron-LM
The arguments are those of Megatron Core 0.11 to 0.19
  plan: dp16 tp2 pp2 ep8 etp1 mbs2 gbs128 sp zero1 grad-overlap vocab-multiple=128
