#!/bin/sh
# The same training step on two clusters under plans that differ in what crosses the link between them
# (docs/train.md). Usage: bench/train_clusters.sh [RATE], as root; exits 77 where something is missing.
set -eu
cd "$(dirname "$0")/.."
. bench/clusters.sh
rate=${1:-20mbit}
clusters_open "$rate"

train() # plan
{
    clusters_run 2 "train -q --double -n 4 -m examples/train/tiny.json -d data/corpus/declaration/en.txt \
        --log $work/log $1" >"$work/table"
    loss=$(tail -n 1 "$work/log" | sed 's/.*"loss": \([0-9.]*\).*/\1/')
    seconds=$(sed 's/.*"seconds": \([0-9.e+-]*\).*/\1/' "$work/log" | sort -g | head -n 1)
    printf '%-44s %8.3f s  loss %s\n' "$1" "$seconds" "$loss"
}

echo "the fastest of 4 steps; the link between the clusters: $rate"
words='gbs16 mbs1 seq64'
train "pp2 dp2 $words"
train "pp2 dp2 order=tp-cp-pp-dp $words"
train "dp4 $words"
