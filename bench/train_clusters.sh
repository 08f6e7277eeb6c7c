#!/bin/sh
# The same training step on two clusters under plans that differ in what crosses the link between them
# (docs/train.md). Usage: bench/train_clusters.sh [RATE], as root; exits 77 where something is missing.
set -eu
cd "$(dirname "$0")/.."
. bench/clusters.sh
rate=${1:-20mbit}
clusters_open "$rate"

# Bytes that have passed the interface between the clusters, both ways.
crossed() { ip netns exec "$a" cat /sys/class/net/rk0/statistics/tx_bytes /sys/class/net/rk0/statistics/rx_bytes | awk '{ n += $1 } END { print n }'; }

train() # plan
{
    before=$(crossed)
    clusters_run 2 "train -q --double -n 4 -m examples/train/tiny.json -d data/corpus/declaration/en.txt \
        --log $work/log $1" >"$work/table"
    loss=$(tail -n 1 "$work/log" | sed 's/.*"loss": \([0-9.]*\).*/\1/')
    seconds=$(sed 's/.*"seconds": \([0-9.e+-]*\).*/\1/' "$work/log" | sort -g | head -n 1)
    megabytes=$(echo "$before $(crossed)" | awk '{ printf "%.1f", ($2 - $1) / 4e6 }')
    printf '%-44s %8.3f s  loss %s  %8s MB a step over rk0\n' "$1" "$seconds" "$loss" "$megabytes"
}

echo "the fastest of 4 steps; the link between the clusters, interface rk0: $rate"
words='gbs16 mbs1 seq64'
train "pp2 dp2 $words"
train "pp2 dp2 order=tp-cp-pp-dp $words"
train "dp4 $words"
