#!/bin/sh
# Weights as Hugging Face writes them bring the loss that plain Python works out, on one rank and on several; so does
# their evaluation. A head of zeros finds all words alike.
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

# MODEL FOLDER PLAN WANTED
check_eval()
{
    "$RECKON" eval -m "$work/$1" -l "$2" -p "$3" --double --sequence 16 --format csv "$work/$1/data" >"$work/table" ||
        exit 1
    tail -n 1 "$work/table" | awk -F, -v wanted="$4" '{ d = $7 - wanted; exit !(d < 1e-7 && d > -1e-7) }' ||
        { echo "eval of $1, $3: $(cat "$work/table"), Python has $4"; exit 1; }
}

for model in gpt2 qwen3; do
    for plan in dp1 'dp2 tp2 pp2'; do
        check_eval "$model" "$work/$model" "$plan" "$(cat "$work/$model/loss")"
    done
done
mkdir "$work/zero"
python3 - "$work/qwen3/model.safetensors" "$work/zero/model.safetensors" <<'PY'
import json, struct, sys
raw = bytearray(open(sys.argv[1], "rb").read())
size = struct.unpack("<Q", raw[:8])[0]
begin, end = json.loads(raw[8:8 + size])["lm_head.weight"]["data_offsets"]
raw[8 + size + begin:8 + size + end] = bytes(end - begin)
open(sys.argv[2], "wb").write(raw)
PY
check_eval qwen3 "$work/zero" dp1 4.1588830833596715 # ln 64
