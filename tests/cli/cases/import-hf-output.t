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
