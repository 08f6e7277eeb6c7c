reckon export megatron -m llama3.1-8b --launcher slurm --target core_v0.14 gpus64 tp8 sp zero1 gbs64 | head -34 | grep -v "Written by"
=== stdout
#!/bin/bash
#SBATCH --job-name=reckon
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --exclusive
#
# model: llama3.1-8b, 8030261248 parameters
# plan:  dp8 tp8 gbs64 sp zero1
#
# The target expresses all of the plan.

set -euo pipefail

export CUDA_DEVICE_MAX_CONNECTIONS=1 # Hopper and earlier; Blackwell needs none

GPUS_PER_NODE=8
NNODES=${NNODES:-8}
MASTER_PORT=${MASTER_PORT:-6000}
MEGATRON=${MEGATRON:-.}
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)

DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NNODES
    --rdzv_backend c10d
    --rdzv_id $SLURM_JOB_ID
    --rdzv_endpoint $MASTER_ADDR:$MASTER_PORT
)

MODEL_ARGS=(
    --num-layers 32
    --hidden-size 4096
