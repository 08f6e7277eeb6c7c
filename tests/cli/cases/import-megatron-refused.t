sed 's/^TP=4/TP=3/; s/--sequence-parallel//; s/--use-distributed-optimizer//' "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" >train.sh; reckon import megatron train.sh -o plan.json; echo $?; ls
=== stdout
3
train.sh
=== stderr
reckon: train.sh:70:12: --tensor-model-parallel-size: 128 GPUs are not a multiple of tensor 3 * context 2 * pipeline 4 = 24: use 120 or 144
reckon: train.sh:70:12: --tensor-model-parallel-size 3: heads: 64 over 3 ranks is not whole: use 2 or 4
reckon: train.sh:70:12: --tensor-model-parallel-size 3: kv_heads: 8 over 3 ranks is not whole: use 2 or 4
reckon: train.sh:70:12: --tensor-model-parallel-size 3: feedforward: 28672 over 3 ranks is not whole: use 2 or 4
reckon: train.sh:70:12: --tp-comm-overlap: needs --sequence-parallel and tensor parallelism above 1
reckon: train.sh:70:12: --overlap-param-gather: needs --use-distributed-optimizer or --use-megatron-fsdp
