A='--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --micro-batch-size 1 --global-batch-size 64 --bf16 --num-experts 8 --moe-token-dispatcher-type alltoall'; for more in '--expert-model-parallel-size 8' '--expert-model-parallel-size 8 --moe-router-force-load-balancing' ''; do reckon import megatron --gpus 16 -- $A $more | grep '^  plan:'; done
=== stdout
  plan: dp16 ep8 gbs64 natural-load no-grouped vocab-multiple=128
  plan: dp16 ep8 gbs64 no-grouped vocab-multiple=128
  plan: dp16 gbs64 no-grouped vocab-multiple=128
