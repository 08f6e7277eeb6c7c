printf "%s\n" "export CUDA_DEVICE_MAX_CONNECTIONS=8" "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 94 \\" "  --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --bf16 \\" "  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 64 \\" "  --overlap-param-gather" >run.sh; reckon check run.sh -s h100-sxm5-80g; sed -i "s/--bf16/--batch-size 1 --bf17/" run.sh; reckon check run.sh -s h100-sxm5-80g
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
=== exit 1
