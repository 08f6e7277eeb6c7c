#!/bin/sh
# cuts.sh [STEPS]: mGPT's five ways of cutting text, compared as it compares them [shliazhko2022]: five models of equal
# size learn the same multilingual text, cut into tokens in five ways, and are judged by perplexity for each character of
# text that they have not seen. Needs a built reckon; takes a few minutes on two cores.
#
#     bench/cuts.sh 150 >cuts.csv
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
reckon=${RECKON:-$root/build/reckon}
steps=${1:-150} vocabulary=1500 # small: as many rows of the table are learnt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Eight languages of four scripts and more; of each the last eighth of the lines is kept apart.
mkdir "$work/learn" "$work/judge"
for language in ar de el en es hi ru zh; do
    text=$root/data/corpus/declaration/$language.txt
    lines=$(wc -l <"$text")
    apart=$((lines / 8))
    head -n $((lines - apart)) "$text" >"$work/learn/$language.txt"
    tail -n "$apart" "$text" >"$work/judge/$language.txt"
done
cat >"$work/model.json" <<JSON
{"name": "cuts", "layers": 3, "hidden": 96, "feedforward": 256, "heads": 4, "sequence": 128, "vocabulary": $vocabulary,
 "attention": "multihead", "position": "rope", "norm": "rmsnorm", "gated_mlp": true, "activation": "silu",
 "tied_embeddings": true, "biases": false}
JSON

printf 'cut,text,tokens,characters,loss,bits_per_byte,character_perplexity\n'
for cut in default case arithmetic combined character; do
    "$reckon" tokenizer train -v $vocabulary --cut $cut -o "$work/$cut.json" "$work"/learn/*.txt 2>/dev/null
    "$reckon" tokenize -t "$work/$cut.json" --as bin -o "$work/$cut.bin" "$work"/learn/*.txt
    "$reckon" train -q -m "$work/model.json" -d "$work/$cut.bin" -n "$steps" --repeat --rate 3e-3 --save "$work/$cut" \
        dp2 zero1 mbs8 gbs16 >/dev/null
    "$reckon" eval -m "$work/model.json" -l "$work/$cut" -t "$work/$cut.json" --stride 64 --format csv "$work"/judge/*.txt |
        sed 1d | awk -F, -v cut=$cut -v OFS=, '{ sub(".*/", "", $1); print cut, $1, $4, $6, $7, $9, $10 }'
done
