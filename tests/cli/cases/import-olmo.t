# The sizes of OLMo 2 7B, and its published count; mlp_hidden_size counts gate and up projection.
cat >olmo.yaml <<'END'
run_name: run
model:
  d_model: 4096
  n_heads: 32
  n_layers: 32
  mlp_hidden_size: 22016
  max_sequence_length: 4096
  vocab_size: 100278
  embedding_size: 100352
  rope: true
  layer_norm_type: rms
  attention_layer_norm: true
  norm_after: true
  include_bias: false
  weight_tying: false
  attention_dropout: 0.0
  residual_dropout: 0.0
  embedding_dropout: 0.0
compile: null
optimizer: {name: adamw, betas: [0.9, 0.95]}
data:
  paths: [a.npy, b.npy]
precision: amp_bf16
fsdp: {wrapping_strategy: by_block_and_size, precision: mixed}
activation_checkpointing: one_in_four
global_train_batch_size: 1024
device_train_microbatch_size: 2
END
reckon import olmo.yaml --gpus 128 2>&1 | sed -n '1,/^$/p'
sed 's/^fsdp: .*/fsdp: {sharding_strategy: HYBRID_SHARD}/; s/^act.*//' olmo.yaml >hybrid.yaml
reckon import olmo hybrid.yaml --gpus 128
reckon import olmo hybrid.yaml --gpus 128 --set fsdp.hybrid_sharding_num_model_replicas=4 | sed -n 2,3p
sed 's/^fsdp: .*/distributed_strategy: ddp/; s/^act.*//; s/rope: true/alibi: true/' olmo.yaml >ddp.yaml
reckon import olmo ddp.yaml --gpus 64 | grep -E 'plan:|position'
reckon import olmo olmo.yaml
reckon import olmo olmo.yaml --gpus 96
reckon import olmo olmo.yaml --gpus 128 --set activation_checkpointing=fine_grained
# OLMoE-1B-7B's sizes, and its published count
sed 's/d_model: 4096/d_model: 2048/; s/n_heads: 32/n_heads: 16/; s/n_layers: 32/n_layers: 16/; s/mlp_hidden_size: 22016/mlp_ratio: 1/; s/embedding_size: 100352/embedding_size: 50304/; s/vocab_size: 100278/vocab_size: 50280/; s/norm_after: true/{block_type: moe}/' olmo.yaml | sed 's/{block_type: moe}/block_type: moe\n  moe_num_experts: 64\n  moe_top_k: 8\n  moe_zloss_weight: 0.001/' >olmoe.yaml
reckon import olmoe.yaml --gpus 64 2>&1 | grep parameters,
reckon import olmoe.yaml --gpus 64 --set model.moe_dropless=false
=== stdout
reckon: note: olmo.yaml is read as a training of OLMo: reckon import olmo
olmo: 7,298,617,344 parameters, 128 GPUs with OLMo
  plan: framework=fsdp dp128 mbs2 gbs1024 zero3 grad-overlap weight-overlap recompute=full
  recompute-stride=4 no-fused

  plan: framework=fsdp dp128 mbs2 gbs1024 zero3 shard=32 grad-overlap weight-overlap no-fused

  plan: framework=fsdp dp64 mbs2 gbs1024 grad-overlap no-fused
position         alibi             how positions are told apart
olmoe: 6,919,161,856 parameters, of which 1,282,017,280 active, 64 GPUs with OLMo
=== stderr
reckon: hybrid.yaml:24:27: fsdp.sharding_strategy: shards within a node: give --set fsdp.hybrid_sharding_num_model_replicas=NODES
reckon: olmo.yaml: the file does not say how many GPUs are used: give --gpus N
reckon: olmo.yaml:26:26: global_train_batch_size: must be a multiple of the 96 GPUs: correct it, or give another --gpus
reckon: olmo.yaml: activation_checkpointing fine_grained: must be one of false|whole_layer|one_in_two|one_in_three|one_in_four
reckon: note: olmoe.yaml is read as a training of OLMo: reckon import olmo
reckon: --set model.moe_dropless: a capacity of experts is not covered: give --set model.moe_dropless=true to estimate the run without
=== exit 2
