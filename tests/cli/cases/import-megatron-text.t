printf '%s\n' '--num-layers 32 --hidden-size 4096' '--num-attention-heads 32 --seq-length 4096 # tokens' '--max-position-embeddings 4096 --vocab-size 32000 --micro-batch-size 1 --bf16' | reckon import megatron --gpus 8 - | head -4
=== stdout
stdin: 6,592,012,288 parameters, 8 GPUs with Megatron-LM
The arguments are those of Megatron Core 0.9 to 0.19
  plan: dp8 gbs8 vocab-multiple=128

