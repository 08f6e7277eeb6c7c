cp "$RECKON_SOURCE/tests/data/hf/qwen3-30b-a3b.json" config.json
reckon import hf config.json -o qwen.json >/dev/null && cat qwen.json
reckon models ./qwen.json -f json | grep parameters
ls
=== stdout
{
    "name": "qwen",
    "layers": 48,
    "hidden": 2048,
    "feedforward": 6144,
    "heads": 32,
    "head_dim": 128,
    "sequence": 4096,
    "vocabulary": 151936,
    "kv_heads": 4,
    "position": "rope",
    "norm": "rmsnorm",
    "gated_mlp": true,
    "activation": "silu",
    "tied_embeddings": false,
    "biases": false,
    "qk_norm": true,
    "no_dropout": true,
    "flash_attention": true,
    "causal_skip": true,
    "experts": 128,
    "active_experts": 8,
    "expert_feedforward": 768,
    "norm_epsilon": 1e-5,
    "config": {
        "architectures": [
            "Qwen3MoeForCausalLM"
        ],
        "model_type": "qwen3_moe",
        "attention_bias": false,
        "decoder_sparse_step": 1,
        "head_dim": 128,
        "hidden_size": 2048,
        "intermediate_size": 6144,
        "mlp_only_layers": [],
        "moe_intermediate_size": 768,
        "norm_topk_prob": true,
        "num_hidden_layers": 48,
        "num_attention_heads": 32,
        "num_experts": 128,
        "num_experts_per_tok": 8,
        "num_key_value_heads": 4,
        "vocab_size": 151936,
        "max_position_embeddings": 40960,
        "sliding_window": null,
        "use_sliding_window": false,
        "tie_word_embeddings": false,
        "rope_scaling": null,
        "torch_dtype": "bfloat16",
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "attention_dropout": 0.0
    },
    "source": [
        "config.json of Hugging Face transformers, model_type qwen3_moe",
        "assumed: sequence 4096: usual in pre-training; the file allows up to 40960 and does not say; --sequence sets another",
        "assumed: position rope: of every qwen3_moe model; no key says so",
        "assumed: norm rmsnorm: of every qwen3_moe model; no key says so",
        "assumed: gated_mlp yes: of every qwen3_moe model; no key says so",
        "assumed: qk_norm yes: of every qwen3_moe model; no key says so",
        "assumed: flash_attention yes: as models are trained now; no key says so",
        "assumed: causal_skip yes: as models are trained now; no key says so"
    ]
}
    "parameters": 30532122624,
    "active_parameters": 3353032704,
config.json
qwen.json
