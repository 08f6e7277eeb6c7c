printf "%s\n" "export CUDA_DEVICE_MAX_CONNECTIONS=8" "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 94 \\" "  --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --bf16 \\" "  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 64 \\" "  --overlap-param-gather" >run.sh; reckon check run.sh -s h100-sxm5-80g; sed -i "s/--bf16/--batch-size 1 --bf17/" run.sh; reckon check run.sh -s h100-sxm5-80g
printf 'torchrun --nproc_per_node 8 a.py --per_device_train_batch_size 1 --max_length 2048 --bf16\n' >one.sh; sed 's/a.py/b.py/; s/$/ --fsdp full_shard/' one.sh | cat one.sh - >two.sh
reckon check two.sh -s h100 -m llama3.1-8b; for i in 1 2; do reckon check two.sh -s h100 -m llama3.1-8b --variant $i --waste 100; done; reckon check --logs . --variant 1
=== stdout
run.sh:4:65: error 2.stages: --pipeline-model-parallel-size: the number of layers (and what counts as one) 94 is not divisible by pipeline parallelism 8: give first and last 11 and 11
run.sh:5:3: error 12.needs: --overlap-param-gather: needs --use-distributed-optimizer or --use-megatron-fsdp
run.sh:5:3: error 12.needs: --overlap-param-gather: needs --overlap-grad-reduce
run.sh: error 12.environment: CUDA_DEVICE_MAX_CONNECTIONS 8: must be 1 with tensor or context parallelism before Blackwell: set it to 1
run.sh on h100-sxm5-80g: 4 errors
run.sh:3:130: error 1.unknown: --bf17: is not known, did you mean --bf16?
run.sh:4:67: error 1.twice: --micro-batch-size: is given twice: leave one out
run.sh:3:115: error 1.removed: --batch-size: is no longer an argument: give --micro-batch-size
run.sh on h100-sxm5-80g: 3 errors
two.sh: error 5.states: stage 0 134.6 GiB: 79 GiB are there for weights, gradients and optimizer: zero2 needs 71 GiB
llama3.1-8b on h100-sxm5-80g: 1 error
llama3.1-8b on h100-sxm5-80g: nothing found
=== stderr
reckon: two.sh:2:1: a second command trains, besides that of line 1: choose with --variant 1 to 2
reckon: --variant has no meaning for logs: leave it out
=== exit 2
