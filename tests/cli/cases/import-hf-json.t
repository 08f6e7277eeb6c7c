cd "$RECKON_SOURCE/tests/data/hf" && reckon import hf mistral-7b.json --sequence 8192 -f json
=== stdout
{
  "model": {
    "id": "mistral-7b",
    "parameters": 7241732096,
    "layers": 32,
    "hidden": 4096,
    "feedforward": 14336,
    "heads": 32,
    "head_dim": 128,
    "sequence": 8192,
    "vocabulary": 32000,
    "attention": "grouped-query",
    "position": "rope",
    "tied_embeddings": false,
    "biases": false,
    "embedding_norm": false,
    "active_parameters": 7241732096,
    "kv_heads": 8,
    "position_rows": 0,
    "norm": "rmsnorm",
    "block_norms": 2,
    "parallel_block": false,
    "gated_mlp": true,
    "activation": "silu",
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
    "no_dropout": true,
    "flash_attention": true,
    "causal_skip": true,
    "window": 4096,
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
  "assumed": [
    {
      "what": "head_dim",
      "value": "128",
      "why": "not in the file: hidden / heads"
    },
    {
      "what": "attention_dropout",
      "value": "0",
      "why": "not in the file: the library's default"
    },
    {
      "what": "position",
      "value": "rope",
      "why": "of every mistral model; no key says so"
    },
    {
      "what": "norm",
      "value": "rmsnorm",
      "why": "of every mistral model; no key says so"
    },
    {
      "what": "gated_mlp",
      "value": "yes",
      "why": "of every mistral model; no key says so"
    },
    {
      "what": "biases",
      "value": "no",
      "why": "of every mistral model; no key says so"
    },
    {
      "what": "flash_attention",
      "value": "yes",
      "why": "as models are trained now; no key says so"
    },
    {
      "what": "causal_skip",
      "value": "yes",
      "why": "as models are trained now; no key says so"
    }
  ],
  "ignored": []
}
