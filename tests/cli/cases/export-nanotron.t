reckon export nanotron -m llama3.1-8b tp4 pp2 dp4 sp zero1 gbs128 attention=flash no-transformer-engine recompute=full -o n.yaml; grep -v "written by" n.yaml; reckon import nanotron n.yaml | head -2
=== stdout
# torchrun ... run_train.py --config-file nanotron.yaml
# rope_factor 8: is not written: see that nanotron has it of this model
general:
  project: reckon
  run: reckon
  seed: 42
checkpoints:
  checkpoint_interval: 1000
  checkpoints_path: checkpoints
data_stages:
- name: made up # until a dataset is given
  start_training_step: 1
  data:
    dataset: null
    num_loading_workers: 1
    seed: 42
logging:
  iteration_step_info_interval: 1
  log_level: info
  log_level_replica: info
tokenizer:
  tokenizer_name_or_path: null
model:
  dtype: bfloat16
  init_method:
    std: 0.02
  make_vocab_size_divisible_by: 1
  model_config:
    is_qwen2_config: true
    num_hidden_layers: 32
    hidden_size: 4096
    intermediate_size: 14336
    num_attention_heads: 32
    num_key_value_heads: 8
    vocab_size: 128256
    max_position_embeddings: 8192
    tie_word_embeddings: false
    attention_bias: false
    hidden_act: silu
    _attn_implementation: flash_attention_2
    rope_theta: 500000
    rms_norm_eps: 1e-05
optimizer:
  zero_stage: 1
  accumulate_grad_in_fp32: true
  clip_grad: 1.0
  weight_decay: 0.1
  learning_rate_scheduler:
    learning_rate: 0.0003
    lr_warmup_steps: 2
    lr_warmup_style: linear
    lr_decay_style: cosine
    min_decay_lr: 0.00003
  optimizer_factory:
    name: adamW
    adam_beta1: 0.9
    adam_beta2: 0.95
    adam_eps: 1.0e-08
    torch_adam_is_fused: true
parallelism:
  dp: 4
  pp: 2
  tp: 4
  context_parallel_size: 1
  expert_parallel_size: 1
  pp_engine: 1f1b
  tp_mode: REDUCE_SCATTER
  tp_linear_async_communication: false
  recompute_layer: true
tokens:
  sequence_length: 8192
  train_steps: 20
  micro_batch_size: 1
  batch_accumulation_per_replica: 32
n: 8,030,261,248 parameters, 32 GPUs with nanotron
  plan: dp4 tp4 pp2 gbs128 sp zero1 recompute=full attention=flash no-transformer-engine
=== stderr
reckon: warning: rope_factor 8: is not written: see that nanotron has it of this model
