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
# a rack of NVLink and a pod of ICI have many hosts: a host fails, and is spared
reckon predict -m llama3.1-70b -s "tpu-v5p x1024" -g 1024 framework=fsdp dp512 tp2 gbs1024 sp zero3 recompute=full xla --tokens 1T | grep -E 'spare nodes'
reckon predict -m llama3.1-8b -s "gb200-nvl72 x288" -g 288 dp288 gbs1152 zero1 --tokens 1T | grep -E 'spare nodes'
=== stdout
    --position-embedding-type rope
    --rotary-base 500000
    --use-rope-scaling
    --rope-scaling-factor 8
    --norm-epsilon 1e-06
    "rotary_base": 500000.0,
    "rope_factor": 8.0,
    "norm_epsilon": 1e-6,
    --position-embedding-type rope
    --rotary-base 500000
    --use-rope-scaling
    --rope-scaling-factor 8
    --norm-epsilon 1e-06
spare nodes                    3
spare nodes                    2
