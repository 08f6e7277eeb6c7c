#!/bin/sh
# Ten steps of AdamW of a model of each family bring PyTorch's losses and norms in 64 bits (tests/data/torch/make.py), on
# one rank and under a mixed plan (a third column: of prediction layers); what is saved has the names and shapes of what was loaded.
# Every third family from the one whose number is given; the others are those of train-torch-second.sh and -third.sh.
[ -x "${RECKON:-}" ] && [ -x "${RECKON_BUILD:-}/reckon-run" ] || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
train() # FOLDER, more
{
    folder=$1
    shift
    rm -rf "$work/log" "$work/saved"
    "$RECKON" train -q -m "$folder" --load "$folder" -d "$folder/data" -n 10 --repeat --schedule constant --warmup 0 \
        --rate 1e-2 --double --log "$work/log" --save "$work/saved" seq16 "$@" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
    sed 's/.*"loss": \([^,]*\),\( "ahead": \([^,]*\),\)\{0,1\} "norm": \([^,]*\),.*/\1 \4 \3/' "$work/log" | paste -d' ' - "$folder/steps" |
        awk 'function off(a, b) { return a > b ? (a - b) / b : (b - a) / b }
             { for (i = 1; i <= NF / 2; i++) if (off($i, $(i + NF / 2)) > 1e-10) bad = 1; lines++ }
             NF != 4 && NF != 6 { bad = 1 } END { exit bad || lines != 10 }' ||
        { echo "$folder, $*: loss and norm here, PyTorch's:"; paste -d' ' "$work/log" "$folder/steps"; exit 1; }
}
number=-1
for folder in "$root"/tests/data/torch/*/; do
    number=$((number + 1))
    [ $((number % 3)) = "${1:-0}" ] || continue
    train "$folder" gbs1 mbs1 dp1
    case $folder in
    *mixtral* | *moe* | *deepseek* | *gpt_oss* | *kimi* | *dots1* | *minimax*) train "$folder" dp2 pp2 ep2 etp1 gbs4 mbs1 zero2 grad-overlap ;;
    *olmo2* | *olmo3*) train "$folder" dp2 cp2 pp2 gbs4 mbs1 zero1 recompute=full ;; # norms over all heads
    *) train "$folder" dp2 tp2 sp pp2 gbs4 mbs1 zero1 tp-overlap ;;
    esac
    case $folder in # blocks of other forms: computed again, heads for tokens, keys in a ring, halves that leave
    *mtp*)
        train "$folder" tp2 sp pp2 gbs2 mbs1 schedule=zero-bubble recompute=full zero3
        train "$folder" tp4 dp2 cp2 gbs2 mbs1 zero1
        ;;
    *gemma2* | *cohere* | *neox* | *falcon_40b* | *gpt_oss* | *glm4* | *exaone4*)
        train "$folder" tp2 cp2 cp-kind=ulysses gbs1 mbs1 recompute=full
        train "$folder" cp2 cp-kind=ring pp2 gbs2 mbs1 schedule=zero-bubble recompute=selective recompute-parts=layernorm
        train "$folder" gbs2 mbs1 offload-activations=1
        ;;
    esac
    command -v python3 >/dev/null || continue
    python3 - "$folder/model.safetensors" "$work/saved/step-00000010/model.safetensors" <<'PY'
import json, struct, sys
def shapes(path):
    raw = open(path, "rb").read()
    head = json.loads(raw[8:8 + struct.unpack("<Q", raw[:8])[0]])
    return {name.replace("transformer.", ""): t["shape"] for name, t in head.items() if name != "__metadata__"}
a, b = map(shapes, sys.argv[1:])
if a != b and "block_sparse_moe" not in str(a):  # Mixtral's are saved under the names of Qwen's mixtures
    sys.exit("%s: saved %s, loaded %s" % (sys.argv[1], sorted(set(b) - set(a)), sorted(set(a) - set(b))))
PY
done
