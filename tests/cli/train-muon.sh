#!/bin/sh
# A step of optimizer=muon is what NumPy makes of the checkpoint before it; a plan of several ranks makes the same; its
# moments are not taken for AdamW's.
python=/usr/bin/python3
$python -c 'import numpy' 2>/dev/null || { echo "no python3 with numpy"; exit 77; }
[ -x "${RECKON:-}" ] && [ -x "${RECKON_BUILD:-}/reckon-run" ] || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
head -c 20000 "$root/docs/train.md" >"$work/text"
for plan in dp1 'tp2 pp2 dp2 zero1'; do
    # shellcheck disable=SC2086
    "$RECKON" train -q -m "$root/examples/train/tiny.json" -d "$work/text" -n 3 --repeat --rate 0.01 --warmup 0 --schedule constant \
        --momentum 0.9 --double --save "$work/runs" --save-every 1 gbs8 seq32 optimizer=muon $plan >/dev/null
    $python "$root/tests/cli/train-muon.py" "$work/runs/step-00000002" "$work/runs/step-00000003" 3 || { echo "$plan"; exit 1; }
    last=$work/runs/step-00000003
    [ "$plan" = dp1 ] && mv "$last" "$work/other"
    [ "$plan" = dp1 ] && rm -r "$work/runs"
done
"$RECKON" train -q -m "$root/examples/train/tiny.json" -d "$work/text" -n 4 --repeat --double -l "$work/other" gbs8 seq32 dp1 2>"$work/err" &&
    exit 1
grep -q "its moments are Muon's" "$work/err" || { cat "$work/err"; exit 1; }
"$RECKON" train -q -m "$root/examples/train/tiny.json" -d "$work/text" -n 4 --repeat --double -l "$work/other" gbs8 seq32 dp2 zero1 \
    optimizer=muon >/dev/null
