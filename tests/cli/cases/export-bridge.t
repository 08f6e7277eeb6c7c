reckon export bridge -m llama3.1-8b gpus32 tp4 pp2 cp2 sp zero1 grad-overlap mbs2 gbs128 recompute=full >a.yaml; grep -v "written by" a.yaml; reckon import nemo a.yaml --gpus 32 | head -3
=== stdout
# torchrun ... scripts/training/run_recipe.py --recipe vanilla_gpt_pretrain_config --mode pretrain --dataset mock $(sed -n 's/^\([a-z_]*[.a-z_0-9]*\): /\1=/p' bridge.yaml)
# rope_factor 8: is not written: see that Megatron-Bridge has it of this model
model.num_layers: 32
model.hidden_size: 4096
model.ffn_hidden_size: 14336
model.num_attention_heads: 32
model.num_query_groups: 8
model.seq_length: 8192
dataset.seq_length: 8192
model.position_embedding_type: rope
model.gated_linear_unit: true
model.activation_func: silu
model.normalization: RMSNorm
model.add_bias_linear: false
model.share_embeddings_and_output_weights: false
model.attention_dropout: 0.0
model.hidden_dropout: 0.0
model.rotary_base: 500000
model.layernorm_epsilon: 1e-05
model.tensor_model_parallel_size: 4
model.pipeline_model_parallel_size: 2
model.context_parallel_size: 2
model.cp_comm_type: p2p
model.sequence_parallel: true
ddp.use_distributed_optimizer: true
optimizer.use_distributed_optimizer: true
ddp.overlap_grad_reduce: true
train.micro_batch_size: 2
train.global_batch_size: 128
model.recompute_granularity: full
model.recompute_method: uniform
model.recompute_num_layers: 1
model.vocab_size: 128256
tokenizer.vocab_size: 128256
model.make_vocab_size_divisible_by: 1
model.cross_entropy_loss_fusion: false
mixed_precision: bf16_mixed
train.train_iters: 20
a: 8,030,261,248 parameters, 32 GPUs with NeMo
  plan: dp2 tp4 pp2 cp2 mbs2 gbs128 sp zero1 grad-overlap recompute=full vocab-multiple=1

=== stderr
reckon: warning: rope_factor 8: is not written: see that Megatron-Bridge has it of this model
