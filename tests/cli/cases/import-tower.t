# a tower for images next to a language model in one file: what is not counted is named
cat >config.json <<'J'
{"model_type": "qwen2_5_vl", "hidden_size": 3584, "intermediate_size": 18944, "num_attention_heads": 28, "num_hidden_layers": 28,
 "num_key_value_heads": 4, "vocab_size": 152064, "hidden_act": "silu", "rms_norm_eps": 1e-06, "tie_word_embeddings": false, "max_position_embeddings": 128000,
 "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "out_hidden_size": 3584}}
J
reckon predict -m config.json -s h100-sxm5-80g --gpus 1 framework=fsdp lora16 gbs1 seq2048 | sed -n 's/:.*//p' | head -1
# of a tower whose sizes are not there no size is said
sed 's/ "vision_config/ "audio_config": {"model_type": "beats"},&/' config.json >two.json
reckon predict -m two.json -s h100-sxm5-80g --gpus 1 framework=fsdp lora16 gbs1 seq2048 | sed -n 's/:.*//p' | head -1
=== stdout
fits
fits
=== stderr
reckon: warning: config.json: vision_config 630M parameters: the tower next to the language model is neither counted nor timed: add 2 bytes for each parameter that is frozen
reckon: warning: two.json: vision_config 630M parameters: the tower next to the language model is neither counted nor timed: add 2 bytes for each parameter that is frozen
reckon: warning: two.json: audio_config: the tower next to the language model is neither counted nor timed: add 2 bytes for each parameter that is frozen
reckon: warning: two.json: unknown keys: not known, not followed: audio_config
