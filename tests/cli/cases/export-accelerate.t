reckon export accelerate -m llama3.1-8b framework=fsdp gpus32 tp4 cp2 zero3 grad-overlap weight-overlap mbs2 gbs128 recompute=full >a.yaml; grep -v "written by" a.yaml; reckon import accelerate a.yaml -m llama3.1-8b --set per_device_train_batch_size=2 --set gradient_accumulation_steps=16 --set max_seq_length=8192 | head -3
=== stdout
# accelerate launch --config_file accelerate.yaml train.py --per_device_train_batch_size 2 --gradient_accumulation_steps 16 --max_length 8192 --attn_implementation sdpa --torch_compile true
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
mixed_precision: bf16
num_machines: 4
num_processes: 32
machine_rank: 0
main_training_function: main
rdzv_backend: static
same_network: true
use_cpu: false
debug: false
fsdp_config:
  fsdp_version: 2
  fsdp_reshard_after_forward: true
  fsdp_offload_params: false
  fsdp_activation_checkpointing: true
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_state_dict_type: SHARDED_STATE_DICT
parallelism_config:
  parallelism_config_dp_replicate_size: 1
  parallelism_config_dp_shard_size: 4
  parallelism_config_tp_size: 4
  parallelism_config_cp_size: 2
  parallelism_config_cp_comm_strategy: alltoall
llama3.1-8b: 8,030,261,248 parameters, 32 GPUs with accelerate
  plan: framework=fsdp dp4 tp4 cp2 mbs2 gbs128 zero3 grad-overlap weight-overlap recompute=full
  no-fused loss=padded
