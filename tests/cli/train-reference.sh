#!/bin/sh
# Weights as Hugging Face writes them bring the loss that plain Python works out, on one rank and on several.
command -v python3 >/dev/null && [ -x "${RECKON:-}" ] && [ -x "${RECKON_BUILD:-}/reckon-run" ] || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
python3 "$root/tests/cli/train-reference.py" "$work"
for model in gpt2 qwen3; do
    for plan in dp1 'tp2 sp pp2 dp1' 'cp2 tp2 dp1'; do
        # shellcheck disable=SC2086
        "$RECKON" train -m "$work/$model" --load "$work/$model" -d "$work/$model/data" -n 1 gbs1 mbs1 seq16 --double -q \
            --log "$work/log" $plan >/dev/null 2>"$work/err" || { cat "$work/err"; exit 1; }
        got=$(sed 's/.*"loss": \([^,]*\),.*/\1/' "$work/log")
        wanted=$(cat "$work/$model/loss")
        awk -v a="$got" -v b="$wanted" 'BEGIN { d = a - b; exit !(d < 1e-7 && d > -1e-7) }' ||
            { echo "$model, $plan: loss $got, Python has $wanted"; exit 1; }
    done
done
