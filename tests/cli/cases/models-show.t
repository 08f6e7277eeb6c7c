reckon models gpt3-175b
reckon models gpt3-175b -f json
=== stdout
gpt3-175b: GPT-3 175B

Model
id               gpt3-175b
parameters       174.62 B          trainable parameters
layers           96                transformer blocks
hidden           12,288            width of the residual stream
feedforward      49,152            width inside the MLP
heads            96                attention heads
head dim         128               width of one head
sequence         2K                tokens of one sample
vocabulary       51,200            entries of the embedding table
attention        multihead         which heads share keys and values
position         learned           how positions are told apart
tied embeddings  yes               the head shares the embedding's weights
biases           yes               linear layers have biases
embedding norm   no                a LayerNorm after the embedding

Sources
of   source
all  [brown2020] Table 2.1; vocabulary padded to 51,200 as in [narayanan2021]
all  norm_epsilon: assumed, GPT-2's
{
  "entry": {
    "name": "GPT-3 175B",
    "description": null,
    "synthetic": null
  },
  "model": {
    "id": "gpt3-175b",
    "parameters": 174615846912,
    "layers": 96,
    "hidden": 12288,
    "feedforward": 49152,
    "heads": 96,
    "head_dim": 128,
    "sequence": 2048,
    "vocabulary": 51200,
    "attention": "multihead",
    "position": "learned",
    "tied_embeddings": true,
    "biases": true,
    "embedding_norm": false,
    "active_parameters": 174615846912,
    "kv_heads": 96,
    "position_rows": 0,
    "norm": "layernorm",
    "block_norms": 2,
    "parallel_block": false,
    "gated_mlp": false,
    "activation": "gelu",
    "qkv_biases": false,
    "out_biases": false,
    "mlp_biases": false,
    "head_biases": false,
    "head_matrices": 0,
    "encoder_sequence": 0,
    "bidirectional": false,
    "qk_norm": false,
    "qk_norm_wide": false,
    "attention_gate": false,
    "attention_sinks": false,
    "attention_cap": false,
    "logit_cap": false,
    "no_dropout": false,
    "flash_attention": false,
    "causal_skip": false,
    "window": 0,
    "window_every": 0,
    "window_chunks": false,
    "window_globals": 0,
    "local_heads": 0,
    "local_kv_heads": 0,
    "local_head_dim": 0,
    "mixers": null,
    "mlps": null,
    "experts": 0,
    "active_experts": null,
    "shared_experts": 0,
    "expert_feedforward": null,
    "shared_feedforward": 0,
    "shared_gate": false,
    "dense_layers": 0,
    "expert_every": 0,
    "expert_hidden": 0,
    "expert_groups": 0,
    "active_groups": 0,
    "router_biases": false,
    "q_rank": 0,
    "kv_rank": 0,
    "rope_dim": 0,
    "value_dim": null,
    "index_heads": 0,
    "index_dim": 0,
    "recurrence": "none",
    "recurrent_heads": 0,
    "recurrent_dim": 0,
    "recurrent_groups": 0,
    "state": 0,
    "convolution": 0,
    "time_rank": 0,
    "recurrent_norm": false,
    "predict_layers": 0
  },
  "sources": [
    {
      "of": "all",
      "source": "[brown2020] Table 2.1; vocabulary padded to 51,200 as in [narayanan2021]"
    },
    {
      "of": "all",
      "source": "norm_epsilon: assumed, GPT-2's"
    }
  ]
}
