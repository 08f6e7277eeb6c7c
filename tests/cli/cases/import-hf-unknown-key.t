echo '{"model_type": "qwen9_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 1024, "intermediate_size": 3072, "moe_intermediate_size": 384, "num_hidden_layers": 4, "num_attention_heads": 16, "num_key_value_heads": 4, "num_experts": 8, "num_experts_per_tok": 2, "norm_topkprob": true, "router_foo": 1, "_foo": 2, "vocab_size": 60000, "rope_theta": 1e6}' >config.json
reckon import hf config.json -o x.json >out; sed -i 's/"_foo"/"scale_layers"/' config.json; reckon import hf config.json -o x.json
=== stdout
=== stderr
reckon: warning: config.json: model_type qwen9_moe: not known: read as qwen3_moe, after architectures[0], Qwen3MoeForCausalLM
reckon: warning: config.json: unknown keys: not known, not followed: norm_topkprob, router_foo, _foo
reckon: config.json:1:326: scale_layers: 2: not a key of qwen3_moe models, and it may change shape or cost: give the right --as TYPE, or remove what changes nothing
=== exit 3
