reckon import megatron --gpus 16 -- --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --micro-batch-size 1 --global-batch-size 64 --bf16 --tensor-model-parallel-size 2 --sequence-parallel | head -5
=== stdout
megatron: 6,592,012,288 parameters, 16 GPUs with Megatron-LM
The arguments are those of Megatron Core 0.9 to 0.19
  plan: dp8 tp2 gbs64 sp vocab-multiple=128

Model
