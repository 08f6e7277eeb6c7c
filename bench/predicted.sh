#!/bin/sh
# Predicted beside measured, as docs/train.md has it: this machine is measured, then models and plans that it was not
# measured with are trained a few steps. Usage: bench/predicted.sh [SECONDS of measuring [STEPS [ROUNDS]]], 120, 10 and 3:
# seconds are shared by the rounds, each of which measures, then trains every plan so many steps, so that what else goes
# on on the machine meets both; a figure is the median of the rounds. The virtual clock does not see other work but for the
# caches and the memory that it takes; the wall wants as many idle cores as a plan has ranks. About seven minutes.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
reckon=${RECKON:-build/reckon}
seconds=${1:-120} steps=${2:-10} rounds=${3:-3}
tiny=examples/train/tiny.json mixture=examples/train/mixture.json
if [ -n "$(find core executor cli include -name '*.[ch]' -newer "${reckon%/*}/reckon-run" -print -quit)" ]; then
    echo "note: some sources are newer than ${reckon%/*}/reckon-run, which trains and predicts" >&2
fi
cat >"$work/rows" <<END
GPT-2 124M, 4 x 64 tokens|gpt2-124m|mbs4 gbs4 seq64
GPT-2 124M, 1 x 512|gpt2-124m|mbs1 gbs1 seq512
GPT-2 124M, \`dp2 zero1\`, 2 x 64 each|gpt2-124m|dp2 zero1 mbs2 gbs4 seq64
tiny.json, 16 x 128|$tiny|mbs16 gbs16
... \`dp2 zero1\`|$tiny|dp2 zero1 mbs8 gbs16
... \`tp2\`|$tiny|tp2 mbs16 gbs16
... \`pp2\`|$tiny|pp2 mbs2 gbs16
... \`cp2\`|$tiny|cp2 mbs16 gbs16
... \`tp2 pp2 dp2 zero1\`|$tiny|tp2 pp2 dp2 zero1 mbs2 gbs16
mixture.json, 8 x 128|$mixture|mbs8 gbs8
... \`dp2\`|$mixture|dp2 mbs4 gbs8
... \`dp2 ep2\`|$mixture|dp2 ep2 mbs4 gbs8
END
load() { cut -d' ' -f1 /proc/loadavg; }
loads=$(load)
for round in $(seq "$rounds"); do
    "$reckon" measure --seconds $((seconds / rounds)) -o "$work/here.json"
    number=0
    while IFS='|' read -r _ model plan; do
        number=$((number + 1))
        "$reckon" train -q -m "$model" -d data/corpus/declaration/en.txt -s "$work/here.json" -n "$steps" --repeat \
            --format json $plan >"$work/$number.$round" </dev/null
    done <"$work/rows"
    loads="$loads $(load)"
done
python3 bench/predicted.py "$work" "$rounds"
echo "load of the machine, before and after each round: $loads"
