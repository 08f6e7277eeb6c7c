# numbers of a config.json that change what is learned are in the script, and in the model file between
cat >config.json <<'J'
{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "rope_theta": 500000.0,
 "rms_norm_eps": 1e-6, "max_position_embeddings": 8192, "tie_word_embeddings": false,
 "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192}}
J
reckon export megatron -m config.json gpus8 dp8 zero1 2>/dev/null | grep -E 'rotary|rope|epsilon|Not known'
reckon import hf config.json -o model.json >/dev/null
grep -E 'rotary|rope_|epsilon' model.json
reckon export megatron -m model.json gpus8 dp8 zero1 2>/dev/null | grep -E 'rotary|rope|epsilon|Not known'
# a catalog's model has them in its file, one whose epsilon is not known says so
reckon export megatron -m mistral-7b-v0.3 gpus8 dp8 zero1 2>/dev/null | grep -E 'rotary|epsilon|Not known'
reckon export megatron -m qwen2.5-14b gpus8 tp8 zero1 2>/dev/null | grep -E 'rotary|epsilon|Not known'
=== stdout
    --position-embedding-type rope
    --rotary-base 500000
    --use-rope-scaling
    --rope-scaling-factor 8
    --norm-epsilon 1e-06
    "rotary_base": 500000.0,
    "rope_factor": 8.0,
    "norm_epsilon": 1e-6,
        "rope_theta": 500000.0,
        "rope_scaling": {
            "rope_type": "llama3",
    --position-embedding-type rope
    --rotary-base 500000
    --use-rope-scaling
    --rope-scaling-factor 8
    --norm-epsilon 1e-06
    --rotary-base 1000000
    --norm-epsilon 1e-05
# Not known of this model, so that Megatron-LM's defaults hold: epsilon
    --rotary-base 1000000
