# A checkpoint's folder opens as a folder of Hugging Face: under its own config.json it is the same model, bit for bit.
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
cp "$SOURCE/examples/train/tiny.json" "$SOURCE/examples/train/mixture.json" .
head -c 300 en.txt >few.txt
run() { reckon train -q -d en.txt gbs2 mbs1 "$@" >table || cat table; }
bits() { cut -d, -f1-3 "$1"; }
keys() { tr -d '\n ' <"$1"; echo; }
# `model` [settings] trains one step, goes on by its name and by its folder, and says its text and loss
opens() {
    name=$1
    model=$2
    shift 2
    rm -rf saved
    run -m "$model" "$@" seq16 -n 1 --warmup 0 --schedule constant --save saved
    one=saved/step-00000001
    ls $one | tr '\n' ' ' && echo "of $name"
    run -m "$model" "$@" -n 3 --warmup 0 --schedule constant --load saved --log by-name
    run -m $one -n 3 --warmup 0 --schedule constant --load $one --log by-folder --save again
    bits by-name >a && bits by-folder | cmp - a && cmp $one/config.json again/step-00000003/config.json && echo "goes on with the same bits"
    reckon generate -m $one -l $one --greedy -n 4 "All" >text && wc -c <text
    reckon eval -m $one -l $one few.txt >folder
    [ $# -gt 0 ] || reckon eval -m "$model" -l saved few.txt | cmp - folder && echo "and the same score"
    reckon predict -m $one -s h100-sxm5-80g -g 1 | sed -n '2s/^ *//p'
    rm -rf again
}
opens "a model file" tiny.json
keys saved/step-00000001/config.json
opens "its settings" tiny.json --rotary-base 5000 --norm-eps 1e-6
grep -h 'theta\|eps' saved/step-00000001/config.json
shape='"layers": 2, "hidden": 32, "feedforward": 64, "heads": 4, "sequence": 32, "vocabulary": 257'
echo "{\"name\": \"small GPT-2\", $shape, \"attention\": \"multihead\", \"position\": \"learned\", \"norm\": \"layernorm\"}" >gpt2.json
opens "GPT-2's shape" gpt2.json
keys saved/step-00000001/config.json
modern='"position": "rope", "norm": "rmsnorm", "gated_mlp": true, "activation": "silu", "biases": false'
echo "{\"name\": \"q2\", $shape, $modern, \"qkv_biases\": true, \"kv_heads\": 2, \"tied_embeddings\": false}" >qwen2.json
opens "Qwen 2's" qwen2.json
grep -h 'model_type\|key_value\|tie' saved/step-00000001/config.json
echo "{\"name\": \"q3\", $shape, $modern, \"qk_norm\": true, \"kv_heads\": 2, \"head_dim\": 16}" >qwen3.json
opens "Qwen 3's" qwen3.json
grep -h 'model_type\|head_dim' saved/step-00000001/config.json
echo "{\"name\": \"m\", $shape, $modern, \"kv_heads\": 2, \"window\": 8}" >mistral.json
opens "Mistral's" mistral.json
grep -h 'model_type\|window' saved/step-00000001/config.json
experts='"experts": 4, "active_experts": 2, "expert_feedforward": 16'
echo "{\"name\": \"q3m\", $shape, $modern, \"qk_norm\": true, $experts, \"dense_layers\": 1, \"config\": {\"model_type\": \"qwen3_moe\", \"norm_topk_prob\": true}}" >qwen3-moe.json
opens "Qwen 3's mixtures" qwen3-moe.json
grep -h 'model_type\|intermediate\|topk' saved/step-00000001/config.json
echo "{\"name\": \"q2m\", $shape, $modern, \"qkv_biases\": true, $experts, \"shared_experts\": 1, \"shared_feedforward\": 24, \"shared_gate\": true, \"config\": {\"model_type\": \"qwen2_moe\", \"norm_topk_prob\": true}}" >qwen2-moe.json
opens "Qwen 2's mixtures" qwen2-moe.json
grep -h 'model_type\|intermediate' saved/step-00000001/config.json
# a folder of Hugging Face: its own config.json, less what is of how weights were stored; and its tokenizer
mkdir hf
cat >hf/config.json <<'JSON'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 257, "max_position_embeddings": 64, "rms_norm_eps": 1e-06,
 "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
 "original_max_position_embeddings": 16}, "eos_token_id": [2, 3], "dtype": "bfloat16", "tie_word_embeddings": false}
JSON
echo '{"a tokenizer": 1}' >hf/tokenizer.json
printf 'a\0b' >hf/tokenizer.model
echo '{"eos_token": "</s>"}' >hf/tokenizer_config.json
mkdir hf/merges.txt # no file: passed over
opens "a folder" hf
keys saved/step-00000001/config.json
for file in tokenizer.json tokenizer.model tokenizer_config.json; do cmp hf/$file saved/step-00000001/$file; done
opens "a folder, with another base" hf --rotary-base 10000
grep -h 'model_type\|theta\|factor\|eos' saved/step-00000001/config.json
# damaged, or gone: the run goes on by what it needs
echo '{' >saved/step-00000001/config.json
rm saved/step-00000001/tokenizer*
run -m hf --rotary-base 10000 -n 2 --load saved --save saved && ls saved/step-00000002 | tr '\n' ' '
run -m hf --rotary-base 10000 -n 4 --load saved --save saved --save-every 1 && ls saved
# the tokenizer of weights that a run began with
run -m hf seq16 -n 1 --save first
rm -r hf/tokenizer.json hf/tokenizer.model hf/tokenizer_config.json
run -m hf seq16 --load first/step-00000001 -n 2 --save second && ls second/*2 | tr '\n' ' '
# what transformers has no type for goes without, and says so
echo "none:"
run -m mixture.json seq16 -n 1 --save none && ls none/*
run -m tiny.json seq64 --blocks 8 --blocks-local 4 -n 1 --save sparse && ls sparse/*
=== stdout
config.json model.safetensors moments.safetensors train.json of a model file
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
{"architectures":["LlamaForCausalLM"],"model_type":"llama","vocab_size":257,"hidden_size":128,"intermediate_size":384,"num_hidden_layers":4,"num_attention_heads":4,"num_key_value_heads":4,"head_dim":32,"max_position_embeddings":128,"hidden_act":"silu","rms_norm_eps":1e-5,"rope_theta":10000.0,"attention_dropout":0.0,"attention_bias":false,"mlp_bias":false,"tie_word_embeddings":true,"bos_token_id":null,"eos_token_id":null,"torch_dtype":"float32"}
config.json model.safetensors moments.safetensors train.json of its settings
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
  "rms_norm_eps": 1e-6,
  "rope_theta": 5000.0,
config.json model.safetensors moments.safetensors train.json of GPT-2's shape
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
{"architectures":["GPT2LMHeadModel"],"model_type":"gpt2","vocab_size":257,"n_embd":32,"n_layer":2,"n_head":4,"n_inner":64,"n_positions":32,"activation_function":"gelu_new","layer_norm_epsilon":1e-5,"attn_pdrop":0.0,"embd_pdrop":0.0,"resid_pdrop":0.0,"tie_word_embeddings":true,"bos_token_id":null,"eos_token_id":null,"torch_dtype":"float32"}
config.json model.safetensors moments.safetensors train.json of Qwen 2's
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
  "model_type": "qwen2",
  "num_key_value_heads": 2,
  "tie_word_embeddings": false,
config.json model.safetensors moments.safetensors train.json of Qwen 3's
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
  "model_type": "qwen3",
  "head_dim": 16,
config.json model.safetensors moments.safetensors train.json of Mistral's
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
  "model_type": "mistral",
  "sliding_window": 8,
config.json model.safetensors moments.safetensors train.json of Qwen 3's mixtures
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
  "model_type": "qwen3_moe",
  "intermediate_size": 64,
  "moe_intermediate_size": 16,
  "norm_topk_prob": true,
config.json model.safetensors moments.safetensors train.json of Qwen 2's mixtures
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
  "model_type": "qwen2_moe",
  "intermediate_size": 64,
  "moe_intermediate_size": 16,
  "shared_expert_intermediate_size": 24,
config.json model.safetensors moments.safetensors tokenizer.json tokenizer.model tokenizer_config.json train.json of a folder
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
{"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":32,"intermediate_size":64,"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,"vocab_size":257,"max_position_embeddings":64,"rms_norm_eps":1e-6,"rope_theta":500000.0,"rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":16},"eos_token_id":[2,3],"tie_word_embeddings":false,"torch_dtype":"float32"}
config.json model.safetensors moments.safetensors tokenizer.json tokenizer.model tokenizer_config.json train.json of a folder, with another base
goes on with the same bits
8
and the same score
step-00000001 on h100-sxm5-80g, 1 GPU, detailed model
  "model_type": "llama",
  "rope_theta": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
  "eos_token_id": [
config.json model.safetensors moments.safetensors tokenizer.json tokenizer.model tokenizer_config.json train.json step-00000003
step-00000004
config.json model.safetensors moments.safetensors tokenizer.json tokenizer.model tokenizer_config.json train.json none:
model.safetensors
moments.safetensors
train.json
model.safetensors
moments.safetensors
train.json
=== stderr
reckon: warning: checkpoints go without config.json: transformers has no type of this shape whose tensors have these names
reckon: warning: checkpoints go without config.json: transformers has no type of this shape whose tensors have these names
