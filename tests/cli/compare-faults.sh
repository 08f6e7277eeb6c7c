#!/bin/sh
# Faults of models and of ranks that somebody who writes a trainer makes: compare names the first tensor of each, its operation
# and what the difference looks like. The models are those of tests/data/torch.
set -eu
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
models=${RECKON_SOURCE:?}/tests/data/torch
fail() { echo "compare-faults: $*" >&2; exit 1; }

# dump FOLDER MODEL [options and words]
dump()
{
    folder=$1 model=$2
    shift 2
    rm -rf "$folder"
    "$RECKON" train -m "$model" --load "$model" -d "$models/llama/data" -q --repeat --double --schedule constant \
        --warmup 0 --dump "$folder" seq16 gbs4 "$@" >/dev/null 2>log || fail "$folder: $(cat log)"
}

faults=0
# named TENSOR WHAT: the first of `theirs` that differs
named()
{
    ! "$RECKON" compare ours theirs --format json >said || fail "$1: not found"
    grep -qF "\"tensor\": \"$1\"" said || fail "$1 is not named: $(cat said)"
    grep -qE "\"what\": \"$2\"" said || fail "$1: not said to be $2: $(cat said)"
    faults=$((faults + 1))
}

cat >edit.py <<'PYTHON'
"""edit.py FOLDER CODE: `c`, the config.json; read(NAME), write(NAME, numbers), of weights of 16 bits."""
import json, pathlib, struct, sys
folder = pathlib.Path(sys.argv[1])
c = json.loads((folder / "config.json").read_text())
raw = bytearray((folder / "model.safetensors").read_bytes())
size = struct.unpack("<Q", raw[:8])[0]
header = json.loads(raw[8:8 + size])
def part(name):
    return slice(*(8 + size + x for x in header[name]["data_offsets"]))
def read(name):
    data = raw[part(name)]
    return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
def write(name, numbers):
    raw[part(name)] = b"".join(struct.pack("<f", x)[2:] for x in numbers)
exec(sys.argv[2])
(folder / "config.json").write_text(json.dumps(c))
(folder / "model.safetensors").write_bytes(raw)
PYTHON
# model NAME CODE TENSOR WHAT [words]: theirs is the model with a fault
model()
{
    rm -rf faulty
    cp -r "$models/$1" faulty
    python3 edit.py faulty "$2"
    dump ours "$models/$1" -n 1
    tensor=$3 what=$4 name=$1
    shift 4
    dump theirs faulty -n 1 "$@"
    named "$tensor" "$what"
    dump theirs "$models/$name" -n 1 "$@" # and without the fault, under the same plan
    "$RECKON" compare ours theirs >said || fail "$name: $(cat said)"
}

model llama 'a, b = ("model.layers.0.mlp.%s_proj.weight" % x for x in ("gate", "up")); x = read(a); write(a, read(b)); write(b, x)' \
    'layer.0.forward.mlp in' 'the same numbers in other places: a wrong order or sharding'
model granite 'c["attention_multiplier"] *= 2' layer.0.forward.attention 'other numbers' tp2
model granite 'c["residual_multiplier"] *= 2' 'layer.0.forward.attention residual' 'other numbers'
model granite 'c["logits_scaling"] /= 2' loss 'theirs are .*; what the head reads agrees: .*'
model mistral 'c["sliding_window"] += 1' layer.0.forward.attention 'other numbers' pp2
model phi 'c["partial_rotary_factor"] = 0.25' layer.0.forward.rotary 'other numbers'
model gpt_oss 'write("model.layers.1.self_attn.sinks", [-99.0] * 4)' layer.1.forward.attention 'other numbers'
model smollm3 'c["no_rope_layers"] = [1, 1]' layer.1.forward.rotary 'other numbers'
model qwen3_moe 'c["norm_topk_prob"] = False' layer.0.forward.routing 'other numbers'
model deepseek_v3 'c["routed_scaling_factor"] = 1.0' layer.1.forward.routing 'theirs are 0.4 times ours: a wrong scale' dp2 ep2 etp1
model deepseek_v3 'k = "model.layers.1.mlp.shared_experts.down_proj.weight"; write(k, [2 * x for x in read(k)])' \
    'layer.1.forward.shared out' 'theirs are 2 times ours: a wrong scale' tp2

# ---- ranks ----
cat >ranks.py <<'PYTHON'
"""ranks.py FAULT SOURCE TARGET: what such a fault leaves behind in a dump."""
import array, json, pathlib, sys
fault, source, target = sys.argv[1:]
for path in sorted(pathlib.Path(source).glob("step-*/rank-*.safetensors")):
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    data = bytearray(raw)
    for name, t in json.loads(raw[8:start]).items():
        if name == "__metadata__":
            continue
        at = slice(*(start + x for x in t["data_offsets"]))
        x, cols = array.array("d", raw[at]), t["shape"][-1]
        if fault == "shift" and path.stem.endswith("1") and "forward" in name:  # a context rank begins a token late
            x = x[cols:] + x[:cols]
        if fault == "shared" and name.startswith("layer.1.forward.shared reduce"):  # all ranks add what all have
            x = array.array("d", [2 * v for v in x])
        data[at] = x.tobytes()
    to = pathlib.Path(target) / path.parent.name / path.name
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(data)
PYTHON
rm -rf theirs
dump ours "$models/llama" -n 1
dump ranks "$models/llama" -n 1 cp2
python3 ranks.py shift ranks theirs
named embedding.forward.embedding 'the same numbers in other places: a wrong order or sharding; on rank 1 alone: .*'
rm -rf theirs
dump ours "$models/deepseek_v3" -n 1
dump ranks "$models/deepseek_v3" -n 1 tp2
python3 ranks.py shared ranks theirs
named 'layer.1.forward.shared reduce' 'theirs are 2 times ours: a wrong scale'
# in the second step rank 1 still has the weights of the first one
dump ours "$models/llama" -n 2 --rate 1e-2 --dump-steps 2
dump theirs "$models/llama" -n 2 --rate 1e-2 --dump-steps 2 dp2 zero3
dump stale "$models/llama" -n 2 --rate 1e-30 --dump-steps 2 dp2 zero3
"$RECKON" compare ours theirs >said || fail "zero3: $(cat said)"
cp stale/step-00000002/rank-00001.safetensors theirs/step-00000002
named embedding.forward.embedding 'other numbers; on rank 1 alone: its weights, tokens or positions'
[ "$faults" -eq 14 ] || fail "$faults of 14 faults"
