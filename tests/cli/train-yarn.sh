#!/bin/sh
# Yarn, of a Llama-like model and of DeepSeek-V3, against its formulas in 64 bits, written down a second
# time here: what rotary and attention bring, from a dump of what goes into them.
set -eu
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "train-yarn: $*" >&2; exit 1; }
seq 3000 >text
mkdir llama whole v3 apart
cat >llama/config.json <<'JSON'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
 "num_attention_heads": 2, "num_key_value_heads": 2, "vocab_size": 257, "max_position_embeddings": 256, "rms_norm_eps": 1e-6, "rope_theta": 500.0,
 "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}, "tie_word_embeddings": false}
JSON
sed 's/"factor": 4.0,/"factor": 4.0, "beta_fast": 4.0, "beta_slow": 0.5, "truncate": false, "attention_factor": 1.25,/' llama/config.json >whole/config.json
cat >v3/config.json <<'JSON'
{"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "hidden_size": 64, "intermediate_size": 96, "moe_intermediate_size": 32,
 "num_hidden_layers": 2, "first_k_dense_replace": 2, "num_attention_heads": 2, "num_key_value_heads": 2, "n_routed_experts": 4, "n_shared_experts": 1,
 "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1, "norm_topk_prob": true, "routed_scaling_factor": 1.0, "scoring_func": "sigmoid",
 "topk_method": "noaux_tc", "q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16, "vocab_size": 257,
 "max_position_embeddings": 1280, "rms_norm_eps": 1e-6, "rope_theta": 10000, "tie_word_embeddings": false, "hidden_act": "silu",
 "rope_scaling": {"type": "yarn", "factor": 40, "original_max_position_embeddings": 32, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0}}
JSON
cat >check.py <<'PYTHON'
import array, json, math, pathlib, sys

def read(folder):
    raw = next(pathlib.Path(folder).glob("step-*/rank-00000.safetensors")).read_bytes()
    n = int.from_bytes(raw[:8], "little")
    boxes = {}
    for name, t in json.loads(raw[8:8 + n]).items():
        if name == "__metadata__":
            continue
        base, place = name.rsplit("@", 1)
        data = array.array("d", raw[8 + n:][slice(*t["data_offsets"])])
        boxes.setdefault(base, []).append((*map(int, place.split(",")), t["shape"], data))
    def whole(base):
        rows = {}
        for row, col, (m, n), data in boxes[base]:
            for i in range(m):
                rows.setdefault(row + i, {})[col] = data[i * n:(i + 1) * n]
        return [[x for col in sorted(rows[i]) for x in rows[i][col]] for i in sorted(rows)]
    return whole

def frequencies(c, d):  # and the factor of cosines and sines
    s, base = c["rope_scaling"], c["rope_theta"]
    factor, context = s["factor"], s["original_max_position_embeddings"]
    turn = lambda n: d * math.log(context / (n * 2 * math.pi)) / (2 * math.log(base))
    low, high = turn(s.get("beta_fast", 32)), turn(s.get("beta_slow", 1))
    if s.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    high += 0.001 * (low == high)
    mscale = lambda m: 0.1 * m * math.log(factor) + 1
    size = s.get("attention_factor", mscale(s["mscale"]) / mscale(s["mscale_all_dim"]) if s.get("mscale") else mscale(1))
    wave = []
    for i in range(d // 2):
        keep = 1 - min(max((i - low) / (high - low), 0), 1)
        f = base ** (-2 * i / d)
        wave.append(f * keep + f / factor * (1 - keep))
    return wave, size

folder, dump = sys.argv[1:]
c = json.load(open(folder + "/config.json"))
whole, heads, latent = read(dump), c["num_attention_heads"], "kv_lora_rank" in c
d = c["qk_nope_head_dim"] + c["qk_rope_head_dim"] if latent else c["hidden_size"] // heads
value = c["v_head_dim"] if latent else d
after, worst = whole("layer.0.forward.rotary"), 0
sequence = len(after) // 2
if not latent:
    wave, size = frequencies(c, d)
    for row, (x, y) in enumerate(zip(whole("layer.0.forward.query, key, value"), after)):
        for h in range(2 * heads):
            for i in range(d // 2):
                a, b, angle = x[h * d + i], x[h * d + i + d // 2], row % sequence * wave[i]
                worst = max(worst, abs(y[h * d + i] - size * (a * math.cos(angle) - b * math.sin(angle))),
                            abs(y[h * d + i + d // 2] - size * (b * math.cos(angle) + a * math.sin(angle))))
scale = 1 / math.sqrt(d)
if latent:
    scale *= (0.1 * c["rope_scaling"]["mscale_all_dim"] * math.log(c["rope_scaling"]["factor"]) + 1) ** 2
for row, out in enumerate(whole("layer.0.forward.attention")):
    if row % 7:
        continue
    first = row // sequence * sequence
    for h in range(heads):
        q = after[row][h * d:(h + 1) * d]
        score = [scale * sum(a * b for a, b in zip(q, after[k][(heads + h) * d:])) for k in range(first, row + 1)]
        most = max(score)
        weight = [math.exp(x - most) for x in score]
        for j in range(value):
            v = sum(w * after[first + k][2 * heads * d + h * value + j] for k, w in enumerate(weight)) / sum(weight)
            worst = max(worst, abs(out[h * value + j] - v))
print("%s: %.2g" % (folder, worst))
sys.exit(not worst < 1e-13)
PYTHON
for model in llama whole v3; do
    "$RECKON" train -m $model/config.json -d text -n 1 -q --double --dump $model/dump --save $model/saved gbs2 >/dev/null 2>log || fail "$model: $(cat log)"
    python3 check.py $model $model/dump || fail "$model is not what yarn says"
    # a checkpoint says it again
    "$RECKON" train -m "$(echo $model/saved/step-*)/config.json" -d text -n 1 -q --double --dump $model/again gbs2 >/dev/null 2>log || fail "$model, saved: $(cat log)"
    "$RECKON" compare $model/dump $model/again >said || fail "$model, saved: $(cat said)"
done
# two readings of the factor
sed 's/"max_position_embeddings": 256/"max_position_embeddings": 512/' llama/config.json >apart/config.json
! "$RECKON" train -m apart/config.json -d text -n 1 -q gbs2 2>said >/dev/null || fail 'two readings of the factor are not refused'
grep -q 'factor 4, and max_position_embeddings is 8 times' said || fail "$(cat said)"
