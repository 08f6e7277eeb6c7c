reckon export deepspeed -m llama3.1-8b --launcher slurm framework=deepspeed gpus16 zero2 gbs64
=== stdout
#!/bin/bash
#SBATCH --job-name=reckon
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --exclusive
# Yours: --time, which --tokens and --system say.
set -euo pipefail

unset CUDA_DEVICE_MAX_CONNECTIONS # gathers overlap with computation
export TORCH_NCCL_ASYNC_ERROR_HANDLING=1

cat > ds_config.json <<'RECKON'
{
    "train_batch_size": 64,
    "train_micro_batch_size_per_gpu": 1,
    "gradient_accumulation_steps": 4,
    "zero_optimization": {
        "contiguous_gradients": true,
        "reduce_scatter": true,
        "stage": 2
    },
    "gradient_clipping": 1.0,
    "bf16": {"enabled": true}
}
RECKON

MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d \
    --rdzv_id "$SLURM_JOB_ID" --rdzv_endpoint "$MASTER_ADDR:29500" \
    train.py --deepspeed ds_config.json
