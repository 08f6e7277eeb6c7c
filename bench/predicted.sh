#!/bin/sh
# Predicted beside measured, as docs/train.md has it: this machine is measured, then models and plans that it was not
# measured with are trained a few steps. Usage: bench/predicted.sh [SECONDS of measuring [STEPS]]; the virtual clock does
# not see other work, the wall wants as many idle cores as a plan has ranks. About four minutes.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=${1:-60} steps=${2:-6}
build/reckon measure --seconds "$seconds" -o "$work/here.json"
cat >"$work/rows.py" <<'END'
import json, sys
parts = {p["part"]: p for p in json.JSONDecoder().raw_decode(open(sys.argv[1]).read())[0]["parts"]}
memory = json.JSONDecoder().raw_decode(open(sys.argv[1]).read())[0].get("memory", [])
def off(part, by="clock_s"):
    p = parts.get(part)
    return "" if not p or not p["predicted_s"] or not p.get(by) else "%.1f %%" % (100 * (p["predicted_s"] / p[by] - 1))
step = parts["step"]
print("| %s | %.1f | %.1f | %s | %s | %s |" % (sys.argv[2], 1e3 * step["predicted_s"], 1e3 * step["clock_s"], off("step"),
      off("step", "passed_s"), " | ".join(off(p) for p in ("matrix", "attention", "comm", "messages", "data", "optimizer"))))
END
echo '| | predicted, ms | clock, ms | step | step by wall | matrix | attention | comm | messages | data | optimizer |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
row() # what, model, plan
{
    build/reckon train -q -m "$2" -d data/corpus/declaration/en.txt -s "$work/here.json" -n "$steps" --repeat --format json $3 \
        >"$work/table"
    python3 "$work/rows.py" "$work/table" "$1"
}
row 'GPT-2 124M, 4 x 64 tokens' gpt2-124m 'mbs4 gbs4 seq64'
row 'GPT-2 124M, 1 x 512' gpt2-124m 'mbs1 gbs1 seq512'
row 'GPT-2 124M, `dp2 zero1`, 2 x 64 each' gpt2-124m 'dp2 zero1 mbs2 gbs4 seq64'
tiny=examples/train/tiny.json
row 'tiny.json, 16 x 128' $tiny 'mbs16 gbs16'
for plan in 'dp2 zero1 mbs8' 'tp2 mbs16' 'pp2 mbs2' 'cp2 mbs16' 'tp2 pp2 dp2 zero1 mbs2'; do
    row "... \`$plan\`" $tiny "$plan gbs16"
done
