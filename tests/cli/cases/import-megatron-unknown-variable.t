printf "%s\n" "TP=\$(nproc)" "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 \\" "  --tensor-model-parallel-size \$TP --micro-batch-size 1" >train.sh
reckon import megatron train.sh; reckon import megatron train.sh --set TP=2
=== stdout
=== stderr
reckon: train.sh:1:4: $TP is the output of a command, which is not run: give --set TP=VALUE, for --tensor-model-parallel-size: a whole number; --hidden-size is missing; and in one line: --set TP=VALUE
reckon: train.sh: --hidden-size is missing: give it, Megatron-LM needs it
=== exit 3
