#!/bin/sh
# paper_memo.sh: the experiment of `reckon papers memo`, as CSV: a step of a small model by length, all recomputed or not: the bytes of its tensors that are
# alive at once and where its planned addresses end, counted in the run, and what PyTorch's caching allocator would reserve for the same requests by its rules.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
reckon=${RECKON:-$root/build/reckon}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/model.json" <<'J'
{"name": "Four layers", "layers": 4, "hidden": 128, "feedforward": 512, "heads": 4, "sequence": 1024, "vocabulary": 257, "attention": "multihead",
 "position": "learned", "norm": "layernorm", "gated_mlp": false, "activation": "gelu", "tied_embeddings": true, "biases": true, "no_dropout": true, "source": "none"}
J
head -c 60000 "$root/data/corpus/declaration/en.txt" >"$work/data"
printf 'tokens,layers_are,alive_bytes,addresses_bytes,caching_bytes,expandable_bytes\n'
for tokens in 128 256 512 1024; do
    for recompute in none full; do
        plan="mbs1 gbs1 seq$tokens recompute=$recompute precision=fp32"
        # shellcheck disable=SC2086
        counted=$("$reckon" train -m "$work/model.json" -d "$work/data" -n 2 -q --repeat --format csv $plan |
            awk -F, '/alive at once/ { a = $(NF - 1) } /at fixed addresses/ { b = $(NF - 1) } END { print a "," b }')
        # shellcheck disable=SC2086
        reserved=$("$reckon" place -m "$work/model.json" -s a100-sxm4-80g -g 1 $plan --caching --format json |
            sed -n 's/.*"reserved": \([0-9]*\).*/\1/p' | paste -sd, -)
        echo "$tokens,$recompute,$counted,$reserved"
    done
done
