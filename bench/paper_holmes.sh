#!/bin/sh
# paper_holmes.sh: the experiment of `reckon papers holmes`, as CSV. Two clusters of two ranks each, joined by a link of 1 Gbit/s, then of
# 20 Mbit/s: plans whose data groups stay within a cluster, and plans that are blind to clusters. As root; exits 77 where something is missing.
set -eu
cd "$(dirname "$0")/.."
. bench/clusters.sh
crossed() { ip netns exec "$a" cat /sys/class/net/rk0/statistics/tx_bytes /sys/class/net/rk0/statistics/rx_bytes | awk '{ n += $1 } END { print n }'; }
step() # rate, name, words
{
    before=$(crossed)
    clusters_run 2 "train -q --double -n 4 -m examples/train/tiny.json -d data/corpus/declaration/en.txt --log $work/log $3" >/dev/null
    loss=$(tail -n 1 "$work/log" | sed 's/.*"loss": \([0-9.]*\).*/\1/')
    sed 's/.*"seconds": \([0-9.e+-]*\).*/\1/' "$work/log" | sort -g | awk -v OFS=, -v rate="$1" -v name="$2" -v loss="$loss" -v bytes="$(($(crossed) - before))" \
        '{ s[NR] = $1 } END { print rate, name, s[1], s[NR], bytes / 4e6, loss }'
}
printf 'link_Mbps,plan,fastest_s,slowest_s,link_MB,loss\n'
for rate in 1000 20; do
    clusters_open ${rate}mbit
    step $rate 'stages in clusters' 'gbs16 mbs1 seq64 pp2 dp2'
    step $rate 'stages across' 'gbs16 mbs1 seq64 pp2 dp2 order=tp-cp-pp-dp'
    step $rate 'data parallel across' 'gbs16 mbs1 seq64 dp4'
    clusters_close
    trap - EXIT INT TERM
done
