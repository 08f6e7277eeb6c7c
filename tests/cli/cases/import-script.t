cat >run.sbatch <<'S'
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus-per-node=8
cat > ds.json <<'EOT'
{"zero_optimization": {"stage": 3}, "bf16": {"enabled": "auto"}}
EOT
srun torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES train.py --output_dir $OUT --deepspeed ds.json --bf16 \
  --per_device_train_batch_size $MBS --gradient_accumulation_steps 2 --max_seq_length 4096 --gradient_checkpointing
S
reckon import trainer run.sbatch --model llama3.1-8b; reckon import trainer run.sbatch --model llama3.1-8b --set MBS=4 --set gradient_accumulation_steps=1
=== stdout
llama3.1-8b: 8,030,261,248 parameters, 16 GPUs with transformers
  plan: framework=deepspeed dp16 mbs4 gbs64 seq4096 zero3 grad-overlap weight-overlap
  recompute=full no-fused loss=padded

Assumed because the arguments do not state it
what  value   why
gpus  16      by torchrun
loss  padded  that of transformers since 4.49
=== stderr
reckon: run.sbatch: per_device_train_batch_size: line 8: $MBS is not set in this script: give --set MBS=VALUE
