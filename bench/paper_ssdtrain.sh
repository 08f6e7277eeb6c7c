#!/bin/sh
# paper_ssdtrain.sh [FOLDER]: the experiment of `reckon papers ssdtrain`, as CSV: a step of a small model in the shape of [wu2025ssdtrain]'s with
# its activations kept, on a drive (FOLDER, else a folder of its own), and on it under the adaptive rule; three turns. RECKON: the executable.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
reckon=${RECKON:-$root/build/reckon}
work=$(mktemp -d)
folder=${1:-$work/drive}
mkdir -p "$folder"
trap 'rm -rf "$work"' EXIT
cat >"$work/model.json" <<'J'
{"name": "Four layers", "layers": 4, "hidden": 512, "feedforward": 2048, "heads": 8, "sequence": 256, "vocabulary": 257,
 "attention": "multihead", "position": "learned", "norm": "layernorm", "gated_mlp": false, "activation": "gelu",
 "tied_embeddings": true, "biases": true, "source": "none"}
J
head -c 100000 "$root/data/corpus/works/"*.txt 2>/dev/null | head -c 100000 >"$work/data"
[ -s "$work/data" ] || head -c 100000 /dev/urandom >"$work/data"
printf 'turn,activations,step_cpu_s,waited_s,peak_MiB\n'
for turn in 1 2 3; do
    for how in kept 'on the drive' adaptive; do
        more=
        case $how in
        adaptive*) more="--drives $folder --adaptive offload-activations=2" ;;
        on*) more="--drives $folder offload-activations=2" ;;
        esac
        # shellcheck disable=SC2086
        "$reckon" train -m "$work/model.json" -d "$work/data" -n 5 -q --repeat --format csv mbs4 gbs4 $more |
            awk -F, -v OFS=, -v turn=$turn -v how="$how" '
                $1 == "step" { step = $(NF - 1) } $1 == "offload" { waited = $NF } /alive at once/ { peak = $NF == "" ? $(NF - 1) : $NF }
                END { print turn, how, step, waited + 0, peak / 1048576 }'
    done
done
