# Routers of DeepSeek-V3, as config.json has them: the same losses under two plans, with a capacity and the loss of
# routers; biases move by 0.001 a step; they are in the checkpoint, from which another plan goes on.
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
mkdir model
cat >model/config.json <<'JSON'
{"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 32, "intermediate_size": 64,
 "moe_intermediate_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 4,
 "n_routed_experts": 8, "n_shared_experts": 1, "num_experts_per_tok": 2, "n_group": 4, "topk_group": 2,
 "topk_method": "noaux_tc", "scoring_func": "sigmoid", "norm_topk_prob": true, "routed_scaling_factor": 2.5,
 "first_k_dense_replace": 1, "q_lora_rank": 12, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4,
 "v_head_dim": 8, "vocab_size": 256, "max_position_embeddings": 64, "rope_theta": 10000, "rms_norm_eps": 1e-6,
 "num_nextn_predict_layers": 0, "hidden_act": "silu", "tie_word_embeddings": false}
JSON
train() { reckon train -q -d en.txt --repeat --double --limit 20 "$@" >table || cat table; }
losses() { sed -E 's/.*"loss": ([0-9.]{8})[0-9]*, ("balance": [0-9.]{8})?.*/\1 \2/' "$1"; }
train -m model -n 3 --schedule constant --balance 0.01 --log one gbs4 seq32 capacity=1.25
train -m model -n 3 --schedule constant --balance 0.01 --log two --save saved gbs4 seq32 capacity=1.25 tp2 dp2 pp2 ep2 zero1 dispatcher=deepep
losses one
losses two
train -m model -n 4 --balance 0.01 --log whole --schedule constant gbs4 seq32 capacity=1.25
train -m model -n 4 --balance 0.01 --schedule constant --log four --load saved gbs4 seq32 capacity=1.25 cp2 ep2
losses whole | tail -n 1
losses four
python3 - <<'PYTHON'
import json, struct
data = open("saved/step-00000003/model.safetensors", "rb").read()
length, = struct.unpack("<Q", data[:8])
for name, about in json.loads(data[8:8 + length]).items():
    if "correction_bias" in name:
        begin, end = about["data_offsets"]
        biases = struct.unpack("<8d", data[8 + length + begin:8 + length + end])
        print(name, *["%+.3f" % x for x in biases])
PYTHON
train -m "$SOURCE/examples/train/tiny.json" --balance 0.1
train -m "$SOURCE/examples/train/mixture.json" --bias-rate 0.1
train -m "$SOURCE/examples/train/mixture.json" --balance 100
train -m model --bias-rate 2
=== stdout
5.559026 "balance": 0.020096
5.525478 "balance": 0.020087
5.540408 "balance": 0.020069
5.559026 "balance": 0.020096
5.525478 "balance": 0.020087
5.540408 "balance": 0.020069
5.521507 "balance": 0.020096
5.521507 "balance": 0.020096
model.layers.1.mlp.gate.e_score_correction_bias +0.000 +0.003 -0.003 -0.003 +0.003 +0.003 -0.001 +0.003
model.layers.2.mlp.gate.e_score_correction_bias -0.003 +0.003 -0.003 +0.003 -0.003 -0.001 -0.003 -0.001
=== stderr
reckon: --balance 0.1 is of experts, and tiny has none: leave it out
reckon: --bias-rate 0.1 is of models whose routers have biases (router_biases), and mixture has none: leave it out
reckon: balance of experts 100: it is added to a loss of some units, and is about 0.01; give one from 0 to 10
reckon: rate of routers' biases 2: they are added to scores between 0 and 1; give one from 0 to 1
