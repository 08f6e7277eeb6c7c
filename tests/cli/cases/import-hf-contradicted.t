cat > config.json <<'END'
{"model_type": "gemma2", "hidden_size": 3584, "intermediate_size": 14336, "num_hidden_layers": 42, "num_attention_heads": 16,
 "num_key_value_heads": 8, "head_dim": 256, "vocab_size": 256000, "max_position_embeddings": 8192,
 "final_logit_softcapping": 30.0, "attn_logit_softcapping": 50.0, "sliding_window": 4096}
END
reckon import hf config.json --as llama
=== stdout
=== stderr
reckon: config.json:3:29: final_logit_softcapping: 30, and attn_logit_softcapping, sliding_window: not a key of llama models, and it may change shape or cost: give the right --as TYPE, or remove what changes nothing
=== exit 3
