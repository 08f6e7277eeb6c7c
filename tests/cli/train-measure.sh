#!/bin/sh
# What reckon measure writes is a system; a run with it shows every part predicted beside measured.
[ -x "${RECKON:-}" ] && [ -x "${RECKON_BUILD:-}/reckon-run" ] || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
"$RECKON" measure --seconds 1 -o "$work/here.json"
"$RECKON" systems "$work/here.json" >"$work/shown"
products=$(sed -n 's/.*"source": "measured: products by \(.*\)".*/\1/p' "$work/here.json")
[ -n "$products" ] && grep -qF "Products: $products." "$work/here.json" ||
    { echo "measure does not say what multiplies"; exit 1; }
[ "$(nproc)" -eq 1 ] || grep -q "while $(nproc) accelerators of a node compute" "$work/shown" ||
    { echo "busy processors are missing"; cat "$work/shown"; exit 1; }
"$RECKON" train -m "$root/examples/train/tiny.json" -d "$root/data/corpus/declaration/en.txt" -s "$work/here.json" \
    -n 2 tp2 pp2 dp1 mbs1 gbs2 seq32 -q --format csv >"$work/table"
for part in matrix attention memory comm messages optimizer step; do
    grep -qE "^$part,[0-9.e-]+,[0-9.e-]+,(-?[0-9.e-]+)?,[0-9.e-]+,[0-9.e-]+$" "$work/table" ||
        { echo "$part is missing"; cat "$work/table"; exit 1; }
done

# What a step's tensors take at once is counted, not timed: within 2 % of the prediction, also where logits are most of it.
"$RECKON" train -m "$root/examples/train/tiny.json" -d "$root/data/corpus/declaration/en.txt" -s "$work/here.json" --repeat \
    -n 1 mbs4 gbs4 seq32 vocab-multiple=4096 -q --format csv >>"$work/table"
# Keys of a ring are there within attention alone.
"$RECKON" train -m "$root/examples/train/tiny.json" -d "$root/data/corpus/declaration/en.txt" -s "$work/here.json" --repeat \
    -n 1 cp2 mbs4 gbs4 seq64 -q --format csv >>"$work/table"
# 16 bits are emulated: what is at work is in 32.
for plan in mbs8 'tp2 sp mbs8' 'recompute=full mbs8' 'pp2 mbs2' 'dp2 zero3 mbs4'; do
    "$RECKON" train -m "$root/examples/train/tiny.json" -d "$root/data/corpus/declaration/en.txt" -s "$work/here.json" --repeat \
        -n 1 $plan gbs8 seq64 precision=bf16 -q --format csv -o "$work/more"
    cat "$work/more" >>"$work/table"
done
awk -F, '/alive at once/ { rows++; if ($NF < -0.02 || $NF > 0.02) exit 1 } END { exit rows != 8 }' "$work/table" ||
    { echo "the peak is off"; cat "$work/table"; exit 1; }

# What a step's end is predicted with: 32 bytes of a weight, here at 1 GB/s. A step's first product writes gradients, and of a
# tied table only rows are summed; ZeRO-2's sums are set to zero (4), and the tied table's, a part of their own, are added (16).
sed 's/"optimizer_rates": .*\]\],$/"optimizer_rates": [[1, 1]],/' "$work/here.json" >"$work/even.json"
weights=$("$RECKON" predict -m "$root/examples/train/tiny.json" -s "$work/even.json" precision=fp32 --format json |
    sed -n 's/^ *"parameters": \([0-9]*\),*$/\1/p' | head -1)
for plan in 'mbs2 32 0' 'zero1 dp2 mbs1 16 0' 'zero2 dp2 mbs1 18 8'; do
    set -- $plan
    while [ $# -gt 2 ]; do words="${words:-} $1"; shift; done
    "$RECKON" train -m "$root/examples/train/tiny.json" -d "$root/data/corpus/declaration/en.txt" -s "$work/even.json" --repeat \
        -n 1 $words gbs2 seq32 -q --format csv >"$work/end"
    awk -F, -v weights="$weights" -v each="$1" -v table=$((257 * 128)) -v row="$2" '
        !met && /^optimizer,/ { met = $2 * 1e9 / (each * weights + row * table) }
        END { if (met > 0.999 && met < 1.001) exit 0; print met; exit 1 }' "$work/end" ||
        { echo "the optimizer of$words is off"; cat "$work/end"; exit 1; }
    words=
done

# Of experts on several ranks the router's imbalance is told, and a step and its tensors are predicted with it.
"$RECKON" train -m "$root/examples/train/mixture.json" -d "$root/data/corpus/declaration/en.txt" -s "$work/here.json" --repeat \
    -n 2 dp2 ep2 mbs1 gbs2 seq32 -q >"$work/routed"
grep -q '^step, as routed ' "$work/routed" || { echo "the router's step is missing"; cat "$work/routed"; exit 1; }
met=$(sed -n 's/^Experts: in the last step the busiest rank had \([0-9.]*\) times.*/\1/p' "$work/routed")
awk -v met="$met" 'BEGIN { exit !(met >= 1 && met <= 2) }' || { echo "an imbalance of $met"; exit 1; }
awk '/alive at once, as routed/ { rows++; if ($NF < -10 || $NF > 10) exit 1 } END { exit rows != 1 }' "$work/routed" ||
    { echo "the routed peak is off"; cat "$work/routed"; exit 1; }
