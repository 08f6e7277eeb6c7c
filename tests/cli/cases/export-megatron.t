reckon export megatron -m llama3.1-70b --target core_v0.14 gpus64 tp8 pp4 vpp2 sp zero1 grad-overlap weight-overlap gbs128 recompute=full recompute-layers=3 attention=flash3 vocab-multiple=128
=== stdout
#!/bin/bash
# Written by reckon 0.2.0 for Megatron Core 0.14.
#
# model: llama3.1-70b, 70553706496 parameters
# plan:  dp2 tp8 pp4 vpp2 gbs128 sp zero1 grad-overlap weight-overlap recompute=full recompute-layers=3 vocab-multiple=128
#
# The target expresses all of the plan.

set -euo pipefail

# Yours:
MEGATRON=${MEGATRON:-.} # its folder
DATA=${DATA:-/path/to/data_text_document} # the .bin and .idx of tools/preprocess_data.py, without their ends
TOKENIZER=${TOKENIZER:-/path/to/tokenizer} # a folder or a name of Hugging Face
CHECKPOINTS=${CHECKPOINTS:-checkpoints} # a folder that all nodes share
LEARNING_RATE=${LEARNING_RATE:-1e-4}
LAST_LEARNING_RATE=${LAST_LEARNING_RATE:-1e-5} # by a cosine, over all iterations
EVAL_INTERVAL=${EVAL_INTERVAL:-1000} # and 10 batches each time
TRAIN_ITERS=${TRAIN_ITERS:-1000} # --tokens says it
SAVE_INTERVAL=${SAVE_INTERVAL:-1000} # --system says it
WARMUP_ITERS=${WARMUP_ITERS:-$((TRAIN_ITERS / 100))} # a hundredth of the run

export CUDA_DEVICE_MAX_CONNECTIONS=1 # Hopper and earlier; Blackwell needs none

GPUS_PER_NODE=8
NNODES=${NNODES:-8}
MASTER_PORT=${MASTER_PORT:-6000}
NODE_RANK=${NODE_RANK:-0}
MASTER_ADDR=${MASTER_ADDR:-localhost}

DISTRIBUTED_ARGS=(
    --nproc_per_node "$GPUS_PER_NODE"
    --nnodes "$NNODES"
    --node_rank "$NODE_RANK"
    --master_addr "$MASTER_ADDR"
    --master_port "$MASTER_PORT"
)

MODEL_ARGS=(
    --num-layers 80
    --hidden-size 8192
    --ffn-hidden-size 28672
    --num-attention-heads 64
    --group-query-attention
    --num-query-groups 8
    --seq-length 8192
    --max-position-embeddings 8192
    --position-embedding-type rope
    --swiglu
    --normalization RMSNorm
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --rotary-base 500000
    --use-rope-scaling
    --rope-scaling-factor 8
    --norm-epsilon 1e-05
)

PARALLEL_ARGS=(
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size 4
    --num-layers-per-virtual-pipeline-stage 10
    --sequence-parallel
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
)

TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 128
    --bf16
    --recompute-granularity full
    --recompute-method block
    --recompute-num-layers 3
    --attention-backend fused
)

DATA_ARGS=(
    --vocab-size 128256
    --make-vocab-size-divisible-by 128
)

# Started again, the run goes on from its newest checkpoint.
RUN_ARGS=(
    --data-path "$DATA"
    --tokenizer-type HuggingFaceTokenizer
    --tokenizer-model "$TOKENIZER"
    --train-iters "$TRAIN_ITERS"
    --lr "$LEARNING_RATE"
    --min-lr "$LAST_LEARNING_RATE"
    --lr-decay-style cosine
    --lr-decay-iters "$TRAIN_ITERS"
    --lr-warmup-iters "$WARMUP_ITERS"
    --eval-interval "$EVAL_INTERVAL"
    --eval-iters 10
    --save "$CHECKPOINTS"
    --load "$CHECKPOINTS"
    --save-interval "$SAVE_INTERVAL"
    --log-interval 1
    --log-throughput
)

torchrun "${DISTRIBUTED_ARGS[@]}" "$MEGATRON/pretrain_gpt.py" \
    "${MODEL_ARGS[@]}" \
    "${PARALLEL_ARGS[@]}" \
    "${TRAINING_ARGS[@]}" \
    "${DATA_ARGS[@]}" \
    "${RUN_ARGS[@]}" "$@"
