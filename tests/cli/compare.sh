#!/bin/sh
# Dumps of a step agree under all plans, and planted faults are named: the first tensor, its operation
# and what the difference looks like. Five faults are of the run itself; of the others the dump shows
# what such a fault leaves behind, from the tensor on where it strikes.
set -eu
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "compare: $*" >&2; exit 1; }

cat >model.json <<'JSON'
{"name": "small", "vocabulary": 256, "hidden": 32, "feedforward": 48, "heads": 4, "kv_heads": 2, "head_dim": 8,
 "layers": 2, "sequence": 16, "gated_mlp": true, "activation": "silu", "norm": "rmsnorm", "position": "rope", "tied_embeddings": true, "biases": false, "attention": "multihead"}
JSON
seq 4000 >text
seq 9000 12000 >other

# dump FOLDER DATA [options and words]
dump()
{
    folder=$1 data=$2
    shift 2
    "$RECKON" train -m model.json -d "$data" -n 1 -q --double --rate 1e-2 --warmup 0 --dump "$folder" gbs4 "$@" \
        >/dev/null 2>log || fail "$folder: $(cat log)"
}

dump ours text
for plan in tp2 'tp2 sp' 'dp2 zero1' 'dp2 zero3' pp2 cp2 'tp2 dp2 zero2' 'dp4 zero1 mbs1'; do
    rm -rf same
    # shellcheck disable=SC2086
    dump same text $plan
    "$RECKON" compare ours same >said || fail "$plan: $(cat said)"
    grep -q ': 0 differ$' said || fail "$plan: $(cat said)"
done

faults=0
# named FOLDER TENSOR WHAT: the first that differs
named()
{
    ! "$RECKON" compare ours "$1" --format json >said || fail "$1: not found"
    grep -qF "\"tensor\": \"$2\"" said || fail "$1: $2 is not named: $(cat said)"
    grep -qE "\"what\": \"$3" said || fail "$1: not said to be $3: $(cat said)"
    faults=$((faults + 1))
}

# ---- faults of a run ----
dump base text --rotary-base 20000
named base layer.0.forward.rotary 'other numbers'
dump eps text --norm-eps 1e-3
named eps 'layer.0.forward.attention norm' 'other numbers'
dump data other
named data embedding.forward.embedding 'other numbers'
dump clip text --clip 0.01
named clip first.model.embed_tokens.weight 'theirs are 0.[0-9]* times ours: a wrong scale'
dump decay text --decay 0.5
named decay weight.model.embed_tokens.weight 'other numbers'

# ---- what faults leave behind in a dump ----
cat >plant.py <<'PYTHON'
import array, json, pathlib, sys

def read(path):
    raw = path.read_bytes()
    n = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:8 + n])
    meta = header.pop("__metadata__")
    return meta, {name: (t["shape"], array.array("d", raw[8 + n:][slice(*t["data_offsets"])]))
                  for name, t in header.items()}

def write(path, meta, tensors):
    header, at = {"__metadata__": meta}, 0
    for name in sorted(tensors):
        shape, data = tensors[name]
        size = 8 * len(data)
        header[name] = {"dtype": "F64", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(tensors[n][1].tobytes() for n in sorted(tensors)))

kind, source, target = sys.argv[1:]
files = sorted(pathlib.Path(source).glob("step-*/rank-*.safetensors"))
ranks = [read(f) for f in files]
def scale(tensors, names, factor):
    for k in names:
        tensors[k] = tensors[k][0], array.array("d", [factor * x for x in tensors[k][1]])

kept = dict(ranks[0][1])  # where both ranks exchange what they have
of = lambda tensors, name: [k for k in tensors if k.rsplit("@", 1)[0] == name]
for rank, (meta, tensors) in enumerate(ranks):
    if kind == "reduce":  # the sum over tensor ranks is missing
        for k in of(tensors, "layer.1.forward.attention reduce"):
            tensors[k] = tensors["layer.1.forward.attention out@" + k.rsplit("@", 1)[1]]
    if kind == "data" and rank:  # each data rank has gradients of its own
        scale(tensors, [k for k in tensors if k.startswith("gradient.")], 1.25)
    if kind == "mean":  # summed, not averaged
        scale(tensors, [k for k in tensors if k.startswith("gradient.")], 2)
    if kind == "heads":  # both ranks have the other one's neurons
        for k in of(tensors, "layer.0.forward.mlp in"):
            row, col = k.rsplit("@", 1)[1].split(",")
            other = "layer.0.forward.mlp in@%s,%d" % (row, (int(col) // 24 ^ 1) * 24)
            tensors[k] = kept[other] if rank else ranks[1][1][other]
    if kind == "shard" and rank:  # a rank has lost its part of the moments
        for k in [k for k in tensors if k.startswith("second.")]:
            del tensors[k]
    if kind == "zeros":  # a gradient that nobody adds to
        scale(tensors, of(tensors, "layer.1.gradient.attention"), 0)
    if kind == "head" and rank == 0:  # a part is counted twice
        scale(tensors, of(tensors, "layer.0.forward.mlp out"), 2)
for f, (meta, tensors) in zip(files, ranks):
    to = pathlib.Path(target) / f.parent.name / f.name
    to.parent.mkdir(parents=True, exist_ok=True)
    write(to, meta, tensors)
PYTHON
dump tensor text tp2
dump replicas text dp2
dump sharded text dp2 zero1
plant() { python3 plant.py "$1" "$2" "$1.planted"; }
plant reduce tensor
named reduce.planted 'layer.1.forward.attention reduce' 'ranks 0 and 1 have copies that differ'
plant heads tensor
named heads.planted 'layer.0.forward.mlp in' 'the same numbers in other places'
plant head tensor
named head.planted 'layer.0.forward.mlp out' 'other numbers'
plant zeros tensor
named zeros.planted 'layer.1.gradient.attention' 'theirs are zeros'
plant data replicas
named data.planted gradient.model.embed_tokens.weight 'ranks 0 and 1 have copies that differ by 0.2'
plant mean replicas
named mean.planted gradient.model.embed_tokens.weight 'theirs are 2 times ours: a wrong scale'
plant shard sharded
named shard.planted second.model.embed_tokens.weight '[0-9]* elements are on no rank: a wrong sharding'
[ "$faults" -eq 12 ] || fail "$faults of 12 faults"

# ---- bad input ----
! "$RECKON" compare ours nowhere 2>said || fail 'a folder that is not there'
mkdir empty
! "$RECKON" compare ours empty 2>said || fail 'an empty folder'
grep -q 'holds no dump' said || fail "$(cat said)"
cp -r ours cut
truncate -s -100 cut/step-00000001/rank-00000.safetensors
! "$RECKON" compare ours cut 2>said || fail 'a file that ends early'
