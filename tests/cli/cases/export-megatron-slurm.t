reckon export megatron -m llama3.1-8b --launcher slurm --target core_v0.14 gpus64 tp8 sp zero1 gbs64 | head -51 | grep -v "Written by"
=== stdout
#!/bin/bash
#SBATCH --job-name=reckon
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --exclusive
# Yours: --time, which --tokens and --system say.
#SBATCH --requeue
# ^ after a node fails it starts again, from the newest checkpoint
#SBATCH --open-mode=append
#
# model: llama3.1-8b, 8030261248 parameters
# plan:  dp8 tp8 gbs64 sp zero1
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
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)

DISTRIBUTED_ARGS=(
    --nproc_per_node "$GPUS_PER_NODE"
    --nnodes "$NNODES"
    --rdzv_backend c10d
    --rdzv_id "$SLURM_JOB_ID"
    --rdzv_endpoint "$MASTER_ADDR:$MASTER_PORT"
)

MODEL_ARGS=(
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
