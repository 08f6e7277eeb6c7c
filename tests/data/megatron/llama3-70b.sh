#!/usr/bin/env bash
#SBATCH --job-name=llama3-70b
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
#SBATCH --exclusive
set -euo pipefail

export CUDA_DEVICE_MAX_CONNECTIONS=1
export NVTE_FWD_LAYERNORM_SM_MARGIN=16

DATETIME=$(date +'date_%y-%m-%d_time_%H-%M-%S')
RUN_DIR=${RUN_DIR:-/checkpoints/llama3-70b}
mkdir -p "$RUN_DIR/logs"

TP=4
PP=4
CP=2
VPP=5
MBS=1
GBS=${GBS:-512}
USE_FP8=${USE_FP8:-0}

options=" \
    --tensor-model-parallel-size ${TP} \
    --pipeline-model-parallel-size ${PP} \
    --context-parallel-size ${CP} \
    --num-virtual-stages-per-pipeline-rank ${VPP} \
    --sequence-parallel \
    --use-distributed-optimizer \
    --overlap-grad-reduce \
    --overlap-param-gather \
    --tp-comm-overlap \
    --num-layers 80 \
    --hidden-size 8192 \
    --ffn-hidden-size 28672 \
    --num-attention-heads 64 \
    --group-query-attention \
    --num-query-groups 8 \
    --seq-length 8192 \
    --max-position-embeddings 8192 \
    --position-embedding-type rope \
    --rotary-base 500000 \
    --rotary-percent 1.0 \
    --normalization RMSNorm \
    --norm-epsilon 1e-5 \
    --swiglu \
    --disable-bias-linear \
    --untie-embeddings-and-output-weights \
    --attention-dropout 0.0 --hidden-dropout 0.0 \
    --micro-batch-size ${MBS} \
    --global-batch-size ${GBS} \
    --train-samples 244140625 \
    --lr 1.5e-4 --min-lr 1.5e-5 --lr-decay-style cosine \
    --weight-decay 0.1 --clip-grad 1.0 \
    --bf16 \
    --tokenizer-type TikTokenizer --vocab-size 128256 \
    --cross-entropy-loss-fusion \
    --attention-backend fused"

if [[ "$USE_FP8" == 1 ]]; then
    options+=" --fp8-format hybrid --fp8-recipe tensorwise --fp8-param-gather"
fi

run_cmd="cd /opt/megatron-lm && python -u pretrain_gpt.py ${options} --save ${RUN_DIR} --save-interval 500"

srun -l \
     --container-image "nvcr" \
     --output="$RUN_DIR/logs/%x_%j_$DATETIME.log" \
     sh -c "${run_cmd}"
