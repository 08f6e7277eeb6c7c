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
printf 'N=$SLURM_JOB_NUM_NODES\n' >setup.sh
printf 'source setup.sh\ntorchrun --nnodes $N --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 1 --bf16 true --model_max_length 4096\n' >sourced.sh
reckon import trainer sourced.sh; reckon import trainer sourced.sh --set SLURM_JOB_NUM_NODES=2 | sed -n 1,2p
printf '{"transformer_layer_cls_to_wrap": "Qwen2DecoderLayer", "activation_checkpointing": true}' >fsdp.json; mkdir train
printf 'torchrun --nproc_per_node 8 sft.py --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 1 --bf16 true --model_max_length 4096 --fsdp "full_shard auto_wrap" --fsdp_config fsdp.json\n' >train/fsdp.sh
reckon import trainer train/fsdp.sh | sed -n 2,3p; rm fsdp.json; reckon import trainer train/fsdp.sh
reckon import trainer train/fsdp.sh --set fsdp_config= | sed -n 2,3p
=== stdout
llama3.1-8b: 8,030,261,248 parameters, 16 GPUs with transformers
  plan: framework=deepspeed dp16 mbs4 gbs64 seq4096 zero3 grad-overlap weight-overlap
  recompute=full no-fused loss=padded

Assumed because the arguments do not state it
what  value   why
gpus  16      by torchrun
loss  padded  that of transformers since 4.49
llama3.1-8b: 8,030,261,248 parameters, 16 GPUs with transformers
  plan: framework=fsdp dp16 gbs16 seq4096 grad-overlap no-fused loss=padded autocast
  plan: framework=fsdp dp8 gbs8 seq4096 zero3 grad-overlap weight-overlap flat-units
  recompute=full no-fused loss=padded
  plan: framework=fsdp dp8 gbs8 seq4096 zero3 grad-overlap weight-overlap flat-units no-fused
  loss=padded
=== stderr
reckon: run.sbatch: per_device_train_batch_size: line 8: $MBS is not set in this script: give --set MBS=VALUE
reckon: sourced.sh:1:8: $SLURM_JOB_NUM_NODES is not set in this script: give --set SLURM_JOB_NUM_NODES=VALUE
reckon: --set fsdp_config: fsdp.json is not next to this file: put it there, or give --set fsdp_config= and its keys, as --set fsdp_config.activation_checkpointing=true
