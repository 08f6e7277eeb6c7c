#!/bin/sh
# offload.sh - what offloading all activations to a drive costs a step, turn by turn with the same plan without it.
#
#   bench/offload.sh BUILD FOLDER    BUILD: a build folder with reckon; FOLDER: on the drive
#
# A model in the shape of [wu2025ssdtrain]'s, scaled down: 4 layers, hidden 1,024, 4 samples of 256 tokens. Of ROUNDS (3) turns the least
# counts: processor time of a step, the seconds that a step waits for the drive, and the most that its tensors take at once.
set -eu
build=$1 folder=$2 rounds=${ROUNDS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/model.json" <<'J'
{"name": "Four layers", "layers": 4, "hidden": 1024, "feedforward": 4096, "heads": 16, "sequence": 256, "vocabulary": 257,
 "attention": "multihead", "position": "learned", "norm": "layernorm", "gated_mlp": false, "activation": "gelu",
 "tied_embeddings": true, "biases": true, "source": "none"}
J
head -c 100000 /dev/urandom >"$work/data"
round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    for share in 0 2; do
        "$build/reckon" train -m "$work/model.json" -d "$work/data" -n 4 -q --repeat --drives "$folder" --format csv \
            mbs4 gbs4 "offload-activations=$share" |
            awk -F, -v share="$share" '
                $1 == "step" { step = $(NF - 1) } $1 == "offload" { waited = $NF } /alive at once/ { peak = $NF == "" ? $(NF - 1) : $NF }
                END { print share, step, waited + 0, peak }'
    done
done >"$work/turns"
awk '
    !($1 in step) || $2 < step[$1] { step[$1] = $2 }
    !($1 in waited) || $3 < waited[$1] { waited[$1] = $3 }
    { peak[$1] = $4 }
    END {
        printf "a step: %.3f s of processor time, offloading %.3f s and %.3f s of waiting: %+.1f %%\n", step[0], step[2], waited[2],
            100 * ((step[2] + waited[2]) / step[0] - 1)
        printf "the most that its tensors take: %.1f MiB, offloading %.1f MiB: %.1f %% less\n", peak[0] / 1048576, peak[2] / 1048576,
            100 * (1 - peak[2] / peak[0])
    }' "$work/turns"
