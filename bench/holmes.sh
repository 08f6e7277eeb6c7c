#!/bin/sh
# holmes.sh [RECKON]: the rates of three NICs fitted to three rows of [yang2024holmes]; `reckon papers holmes`
# says what follows from them for all other rows.
#
# Each NIC is fitted twice: rings of gradients that drive the share of all accelerators of a node at once, as
# NCCL has them with an adapter for each, and rings that have one accelerator's share, as over sockets (for
# that every accelerator is a node of its own, nvl1: there is no tensor parallelism here).
#
# Fitted: GPT 3.6B on 4 nodes, 197, 160, 122 TFLOPS (by the paper's formula, 63.7464 TFLOP a sample) with
# InfiniBand, RoCE, Ethernet.
set -eu
reckon=${1:-$(dirname "$0")/../build/reckon}
calculate() { awk "BEGIN { x = ($1); printf \"%.6g\", x }"; }

# step GBps NODE: seconds, with rings over nodes of NODE accelerators
step() {
    "$reckon" predict -m "megatron-3.6b vocabulary=50304" -s "a100-sxm4-80g nvl$2 x32 net1.bandwidth=${1}GB/s" -g 32 \
        pp2 mbs4 attention=flash precision=fp16 recompute=selective dp16 gbs768 zero1 -f json |
        python3 -c "import json, sys; print(json.load(sys.stdin)['rates']['step_s'])"
}

# fit SECONDS NODE: GB/s of a GPU with which the row takes so long
fit() {
    low=0.05 high=400
    for _ in $(seq 26); do
        middle=$(calculate "sqrt($low * $high)")
        if [ "$(calculate "$(step "$middle" "$2") > $1")" = 1 ]; then low=$middle; else high=$middle; fi
    done
    echo "$high"
}

echo "nic rings fitted_GBps_of_a_GPU"
while read -r nic published; do
    seconds=$(calculate "768 * 63.7464 / 32 / $published")
    echo "$nic all $(fit "$seconds" 8)"
    echo "$nic one $(fit "$seconds" 1)"
done <<ROWS
InfiniBand 197
RoCE 160
Ethernet 122
ROWS
