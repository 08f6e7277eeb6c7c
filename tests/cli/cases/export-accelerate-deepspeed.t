reckon export accelerate -m llama3.1-8b --launcher slurm framework=deepspeed gpus16 zero2 gbs64 grad-overlap recompute=full offload-optimizer=1 | grep -v "written by"
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

cat > accelerate.yaml <<'RECKON'
# accelerate launch --config_file accelerate.yaml train.py --per_device_train_batch_size 1 --gradient_accumulation_steps 4 --max_length 8192 --attn_implementation sdpa --torch_compile true --gradient_checkpointing true
# gradient_overlap yes: cannot be expressed in accelerate: the run has no
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
mixed_precision: bf16
num_machines: 2
num_processes: 16
machine_rank: 0
main_training_function: main
rdzv_backend: static
same_network: true
use_cpu: false
debug: false
deepspeed_config:
  zero_stage: 2
  gradient_accumulation_steps: 4
  gradient_clipping: 1.0
  offload_optimizer_device: cpu
  offload_param_device: none
  zero3_init_flag: false
  zero3_save_16bit_model: false
  deepspeed_multinode_launcher: standard
RECKON

export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun bash -c 'accelerate launch --num_machines 2 --num_processes 16 --machine_rank "$SLURM_NODEID" --main_process_ip "$MASTER_ADDR" --main_process_port 29500 \
    --config_file accelerate.yaml train.py --per_device_train_batch_size 1 --gradient_accumulation_steps 4 --max_length 8192 --attn_implementation sdpa --torch_compile true --gradient_checkpointing true'
=== stderr
reckon: warning: gradient_overlap yes: cannot be expressed in accelerate: the run has no
