echo "{\"model_type\": \"yi\", \"hidden_size\": 4096, \"intermediate_size\": 11008, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, \"num_key_value_heads\": 4, \"vocab_size\": 64000, \"max_position_embeddings\": 4096}" >yi-6b.json
reckon import hf yi-6b.json --as llama | head -n 3
reckon import hf yi-6b.json --as lama
=== stdout
yi-6b: a llama model
6,061,035,520 parameters

=== stderr
reckon: --as: "lama" is not known, did you mean llama? It is one of: llama, mistral, mixtral, ministral, ministral3, arcee, gemma, gemma2, gemma3_text, gemma4_text, phi, phi3, phimoe, qwen, qwen2, qwen2_vl, qwen2_vl_text, qwen2_5_vl, qwen2_5_vl_text, qwen2_moe, qwen3, qwen3_vl_text, qwen3_moe, qwen3_vl_moe_text, qwen3_omni
=== exit 2
