#!/bin/sh
# paper_galvatron.sh: the experiment of `reckon papers galvatron`, as CSV: a step of a small model of eight layers with 0 to 8 of them recomputed, three turns:
# processor seconds and the bytes of its tensors that are alive at once. A uniform plan is 0 or 8; the others have a strategy for each layer.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
reckon=${RECKON:-$root/build/reckon}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/model.json" <<'J'
{"name": "Eight layers", "layers": 8, "hidden": 256, "feedforward": 1024, "heads": 4, "sequence": 256, "vocabulary": 257, "attention": "multihead",
 "position": "learned", "norm": "layernorm", "gated_mlp": false, "activation": "gelu", "tied_embeddings": true, "biases": true, "no_dropout": true, "source": "none"}
J
head -c 60000 "$root/data/corpus/declaration/en.txt" >"$work/data"
printf 'turn,recomputed,step_cpu_s,alive_bytes\n'
for turn in 1 2 3; do
    for layers in 0 2 4 6 8; do
        how="recompute=full recompute_layers=$layers"
        [ $layers -gt 0 ] || how=recompute=none
        # shellcheck disable=SC2086
        "$reckon" train -m "$work/model.json" -d "$work/data" -n 4 -q --repeat --format csv mbs4 gbs4 seq256 precision=fp32 $how |
            awk -F, -v turn=$turn -v layers=$layers '
                $1 == "step" { step = $(NF - 1) } /alive at once/ { alive = $(NF - 1) } END { print turn "," layers "," step "," alive }'
    done
done
