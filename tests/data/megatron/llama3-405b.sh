#!/bin/bash
# Llama 3.1 405B, 16,384 GPUs as the paper's first stage, in Megatron Core's words.
NUM_NODES=2048
GPUS=8

function model_args() {
    case "$1" in
        8b)   LAYERS=32;  HIDDEN=4096;  FFN=14336; HEADS=32;;
        70b)  LAYERS=80;  HIDDEN=8192;  FFN=28672; HEADS=64;;
        405b) LAYERS=126; HIDDEN=16384; FFN=53248; HEADS=128;;
        *)    echo "unknown size $1"; exit 1;;
    esac
}

model_args ${MODEL_SIZE:-405b}

PARALLEL=(--tensor-model-parallel-size 8 --pipeline-model-parallel-size 16)
PARALLEL+=(--sequence-parallel --use-distributed-optimizer)
PARALLEL+=(
    --account-for-embedding-in-pipeline-split   # 126 + 2 = 128 slots
    --account-for-loss-in-pipeline-split
    --num-layers-per-virtual-pipeline-stage 2
)

python -m torch.distributed.run --nnodes=${NUM_NODES} --nproc-per-node=${GPUS} \
    --rdzv_backend c10d pretrain_gpt.py \
    --num-layers ${LAYERS} --hidden-size ${HIDDEN} --ffn-hidden-size ${FFN} \
    --num-attention-heads ${HEADS} --group-query-attention --num-query-groups 8 \
    --seq-length 8192 --max-position-embeddings 131072 --position-embedding-type rope \
    --rotary-base 500000 --use-rope-scaling --swiglu --normalization RMSNorm \
    --disable-bias-linear --untie-embeddings-and-output-weights \
    --attention-dropout 0 --hidden-dropout 0 \
    --make-vocab-size-divisible-by 128 --vocab-size 128256 --tokenizer-type HuggingFaceTokenizer \
    --micro-batch-size 1 --global-batch-size $(( 16 * 128 )) --train-iters 100 --bf16 \
    --overlap-grad-reduce --overlap-param-gather \
    "${PARALLEL[@]}" \
    --mock-data 2>&1 | tee train.log
