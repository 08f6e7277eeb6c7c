# a model of Hugging Face is computed as its file says, or refused with what says so: by train, eval and generate
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
shape='"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 257, "max_position_embeddings": 64, "tie_word_embeddings": false'
model() { mkdir -p "$1"; echo "{\"model_type\": \"$2\", $shape${3:+, $3}}" >"$1/config.json"; }
loss() { reckon train -q -m "$1" -d en.txt --double -n 1 --log "$1.log" gbs2 mbs1 seq16 >out 2>err && sed 's/.*"loss": \([0-9.]\{9\}\).*/\1/' "$1.log" || cat err; }
model llama llama '"rms_norm_eps": 1e-6, "rope_theta": 10000.0'
echo "llama $(loss llama)"
# what files leave to the configuration class of their type
model bare llama; echo "bare llama $(loss bare)"
model mixtral mistral '"rms_norm_eps": 1e-5, "rope_theta": 1000000.0'; echo "mistral, other numbers $(loss mixtral)"
# multipliers: as they are in none of these, and so that they change nothing (heads are 8 wide)
model granite granite '"embedding_multiplier": 12.0, "attention_multiplier": 0.0078125, "residual_multiplier": 0.22, "logits_scaling": 16.0'; loss granite
model granite granite; loss granite
model granite granite '"attention_multiplier": 0.3535533905932738, "embedding_multiplier": 1.0, "residual_multiplier": 1, "logits_scaling": 1.0'; echo "granite, plain $(loss granite)"
model minicpm minicpm '"scale_emb": 12, "dim_model_base": 256, "scale_depth": 1.4'; loss minicpm
model minicpm minicpm; loss minicpm
model minicpm minicpm '"scale_emb": 1, "dim_model_base": 32, "scale_depth": 2'; echo "minicpm, plain $(loss minicpm)"
# layers without RoPE
model smollm3 smollm3; loss smollm3
model smollm3 smollm3 '"no_rope_layers": [1, 1, 1, 0], "no_rope_layer_interval": 4'; loss smollm3
model smollm3 smollm3 '"no_rope_layers": [1, 1, 1, 1], "no_rope_layer_interval": 4, "rope_theta": 10000.0'; echo "smollm3, plain $(loss smollm3)"
model llama llama '"no_rope_layers": [1, 1, 1, 0]'; loss llama
# GPT-2's scales of scores
gpt2='"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "vocab_size": 257, "attn_pdrop": 0, "embd_pdrop": 0, "resid_pdrop": 0'
mkdir gpt2
for more in '"scale_attn_weights": true, "scale_attn_by_inverse_layer_idx": false, "n_ctx": 64' '"scale_attn_weights": false' '"scale_attn_by_inverse_layer_idx": true' '"scale_attn_weights": false, "scale_attn_by_inverse_layer_idx": true'; do
    echo "{$gpt2, $more}" >gpt2/config.json; loss gpt2
done
# types that are otherwise in code
for type in gemma cohere2; do model other $type; echo "$type $(loss other)"; done
for type in mimo internlm3 hunyuan_v1_dense; do model other $type; loss other | sed 's/: take one of.*/: .../'; done
model other llama4_text '"intermediate_size_mlp": 64, "num_local_experts": 4, "num_experts_per_tok": 1'; loss other
# keys that nobody knows, all of them at once
model llama llama '"attn_temperature_tuning": 4, "foo_scale": 2, "rope_interleaved": true, "bar": "x"'; loss llama
model llama llama '"attn_temperature_tuning": false, "foo_scale": 0, "bos_token_id": 1, "use_cache": true, "pretraining_tp": 1, "attention_dropout": 0.0'; echo "off $(loss llama)"
# longrope: two lists of as many factors as half a head has, by the length of samples (gbs2 seq16: up to 16, beyond 8)
factors() { echo "\"original_max_position_embeddings\": $1, \"rope_scaling\": {\"type\": \"longrope\", \"short_factor\": [$2], \"long_factor\": [$3]}"; }
for before in 16 8; do model phi3 phi3 "$(factors $before '1, 1, 1.5, 2' '1, 2, 3, 4')"; echo "phi3, longrope after $before $(loss phi3)"; done
model phi3 phi3 "$(factors 16 '1, 1, 2' '1, 2, 3')"; loss phi3
model phi3 phi3 "$(factors 16 '1, 1, 1, 1' '1, 2, 3')"; loss phi3
# gpt-oss without what its class has for itself: yarn over 131,072 tokens
model oss gpt_oss '"num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 8'; sed -i 's/"max_position_embeddings": 64, //' oss/config.json; echo "gpt_oss, as its class has it $(loss oss)"
# the other commands, and what is saved says what ran
model llama llama; reckon train -q -m llama -d en.txt -n 1 gbs2 seq16 --save saved >out
# parts of heads that turn where the type has none, Falcon's other blocks, MPT's other attention
model other llama '"partial_rotary_factor": 0.5'; loss other
small='"vocab_size": 257, "tie_word_embeddings": true'
echo "{\"model_type\": \"falcon\", \"hidden_size\": 32, \"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"max_position_embeddings\": 64, $small, \"alibi\": true, \"parallel_attn\": false}" >other/config.json; loss other
echo "{\"model_type\": \"mpt\", \"d_model\": 32, \"n_layers\": 4, \"n_heads\": 4, \"max_seq_len\": 64, $small, \"attn_config\": {\"alibi\": false, \"clip_qkv\": 8}}" >other/config.json; loss other
model granite granite '"residual_multiplier": 0.22, "partial_rotary_factor": 0.5'
reckon eval -m granite -l saved/step-00000001 en.txt; echo "exit $?"
reckon generate -m granite -l saved/step-00000001 x; echo "exit $?"
reckon predict -m granite/config.json -s h100-sxm5-80g gbs8 2>&1 | sed -n '2s/^  \(.*\) detailed model/\1 is predicted/p'
=== stdout
llama 5.5593737
bare llama 5.5593737
mistral, other numbers 5.5593336
5.5497538
5.5594016
granite, plain 5.5593737
6.0460364
5.5493229
minicpm, plain 5.5593737
5.5593825
5.5593825
smollm3, plain 5.5593737
reckon: llama/config.json:1:243: no_rope_layers: a list: not a key of llama models, and it may change shape or cost: give the right --as TYPE, or remove what changes nothing
5.5113989
reckon: gpt2/config.json: the executor has nothing for what scale_attn_weights false says: take another model, or leave out what changes no arithmetic
reckon: gpt2/config.json: the executor has nothing for what scale_attn_by_inverse_layer_idx true says: take another model, or leave out what changes no arithmetic
reckon: gpt2/config.json: the executor has nothing for what scale_attn_weights false, scale_attn_by_inverse_layer_idx true say: take another model, or leave out what changes no arithmetic
gemma 5.5640957
cohere2 5.5495740
reckon: other/config.json: the executor has not the arithmetic of mimo models: ...
reckon: other/config.json: the executor has not the arithmetic of internlm3 models: ...
reckon: other/config.json: the executor has not the arithmetic of hunyuan_v1_dense models: ...
reckon: other/config.json: the executor has not the arithmetic of llama4_text models: take one of gpt2, llama, mistral, mixtral, qwen2, qwen2_moe, qwen3, qwen3_moe, deepseek_v2, deepseek_v3, kimi_k2, dots1, glm, glm4, glm4_moe, exaone, exaone4, ernie4_5, seed_oss, nemotron, gemma, gemma2, gemma3_text, gpt_oss, minimax_m2, granite, granitemoe, smollm3, minicpm, phi3, phi, starcoder2, stablelm, olmo, olmo2, olmo3, olmoe, arcee, cohere, cohere2, gpt_neox, gptj, opt, bloom, mpt, falcon
reckon: warning: llama/config.json: unknown keys: not known, not followed: foo_scale, bar
reckon: llama/config.json: the executor has nothing for what attn_temperature_tuning 4, foo_scale 2, rope_interleaved true, bar "x" say: take another model, or leave out what changes no arithmetic
off 5.5593737
phi3, longrope after 16 5.5705266
phi3, longrope after 8 5.5705258
reckon: the executor has no RoPE whose lists of factors have another length than half of what a head turns: correct short_factor and long_factor
reckon: phi3/config.json: rope_scaling: longrope takes short_factor and long_factor, two lists of the same length (at most 128) of numbers above 0, and max_position_embeddings that is not below original_max_position_embeddings
gpt_oss, as its class has it 5.5596170
reckon: other/config.json: the executor has nothing for what partial_rotary_factor 0.5 says: take another model
reckon: other/config.json: the executor has nothing for what alibi true, parallel_attn false say: take another model, or leave out what changes no arithmetic
reckon: other/config.json: the executor has nothing for what attn_config.clip_qkv 8 says: take another model, or leave out what changes no arithmetic
exit 1
exit 1
granite on h100-sxm5-80g, 1 GPU, is predicted
=== stderr
reckon: granite/config.json: the executor has nothing for what partial_rotary_factor 0.5 says: take another model
reckon: granite/config.json: the executor has nothing for what partial_rotary_factor 0.5 says: take another model
