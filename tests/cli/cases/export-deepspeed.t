reckon export deepspeed -m llama3.1-8b framework=deepspeed gpus16 zero3 mbs2 gbs128 offload-optimizer=1 grad-overlap weight-overlap recompute=full -o ds.json; cat ds.json; reckon import deepspeed ds.json -m llama3.1-8b | head -3
=== stdout
{
    "train_batch_size": 128,
    "train_micro_batch_size_per_gpu": 2,
    "gradient_accumulation_steps": 4,
    "zero_optimization": {
        "contiguous_gradients": true,
        "reduce_scatter": true,
        "offload_optimizer": {"device": "cpu", "pin_memory": true, "ratio": 1},
        "stage3_gather_16bit_weights_on_model_save": true,
        "stage3_prefetch_bucket_size": 50000000,
        "overlap_comm": true,
        "stage": 3
    },
    "activation_checkpointing": {"partition_activations": false, "cpu_checkpointing": false},
    "gradient_clipping": 1.0,
    "bf16": {"enabled": true}
}
llama3.1-8b: 8,030,261,248 parameters, 16 GPUs with DeepSpeed
  plan: framework=deepspeed dp16 mbs2 gbs128 zero3 grad-overlap weight-overlap offload-optimizer=1

=== stderr
reckon: warning: recompute full: is not decided by ds_config.json: see to it in the training code
