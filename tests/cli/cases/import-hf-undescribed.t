# Types whose layers models cannot describe are refused by what they have.
for type in gemma3n_text lfm2 rwkv6 bert t5; do echo "{\"model_type\": \"$type\", \"hidden_size\": 2048}" >config.json; reckon import hf config.json; done
# Gemma 4: wider heads in layers that see all, whose keys are their values; per-layer embeddings are refused.
gemma='"model_type": "gemma4_text", "hidden_size": 5376, "intermediate_size": 21504, "num_hidden_layers": 60, "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 256, "global_head_dim": 512, "num_global_key_value_heads": 4, "attention_k_eq_v": true, "vocab_size": 262144, "sliding_window": 1024, "sliding_window_pattern": 6'
echo "{$gemma, \"hidden_size_per_layer_input\": 0}" >gemma.json; reckon import hf gemma.json | sed -n 2p
echo "{$gemma, \"hidden_size_per_layer_input\": 256}" >gemma.json; reckon import hf gemma.json
echo "{$gemma}" >gemma.json; reckon import hf gemma.json
# LongCat-Flash: two of attention and a dense MLP, then experts, of which a third compute nothing.
echo '{"model_type": "longcat_flash", "num_layers": 28, "hidden_size": 6144, "ffn_hidden_size": 12288, "expert_ffn_hidden_size": 2048, "num_attention_heads": 64, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 512, "moe_topk": 12, "zero_expert_num": 256, "zero_expert_type": "identity", "vocab_size": 131072, "attention_method": "MLA"}' >longcat.json
reckon import hf longcat.json | grep -e '^mixers' -e '^mlps' -e active
sed -i 's/identity/copy/' longcat.json; reckon import hf longcat.json
=== stdout
30,807,445,760 parameters
560,621,105,152 parameters, of which 27,910,942,720 active
active parameters   27.91 B           those that one token meets
mixers              aa-               what mixes the tokens of each layer, in letters of reckon-model(5)
active experts      8                 routed experts that a token goes to
=== stderr
reckon: config.json:1:16: model_type: gemma3n_text models have an embedding for each layer and several residual streams (AltUp, LAuReL), which models here do not describe
reckon: config.json:1:16: model_type: lfm2 models have short convolutions in place of attention, which models here do not describe
reckon: config.json:1:16: model_type: rwkv6 models have RWKV's time mixing, which models here do not describe
reckon: config.json:1:16: model_type: bert models have an encoder with a masked loss, which models here do not describe
reckon: config.json:1:16: model_type: t5 models have an encoder and a decoder, which models here do not describe
reckon: warning: gemma.json: attention_k_eq_v yes: keys of layers that see all are their values, too: 110100480 parameters too many are counted
reckon: gemma.json:1:365: hidden_size_per_layer_input: gemma4_text models with 256 are not known here: only those without it
reckon: gemma.json:1:1: missing key "hidden_size_per_layer_input": add it, with 0 if the model is without
reckon: warning: longcat.json: zero_expert_num 256: a token's 12 experts are taken for the 8 that compute on average; experts are timed after the dense MLPs, not in parallel
reckon: longcat.json:1:352: zero_expert_type: the string "copy" is not known here: only identity is
=== exit 3
