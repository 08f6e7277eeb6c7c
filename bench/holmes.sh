#!/bin/sh
# holmes.sh [RECKON]: the rates of three NICs fitted to three rows of [yang2024holmes], and what follows from
# them for the other rows and for the four systems of its Figure 6; docs/clusters.md has the table.
#
# Each NIC is fitted twice: rings of gradients that drive the share of all accelerators of a node at once, as
# NCCL has them with an adapter for each, and rings that have one accelerator's share, as over sockets (for
# that every accelerator is a node of its own, nvl1: there is no tensor parallelism here).
#
# Fitted: GPT 3.6B on 4 nodes, 197, 160, 122 TFLOPS (by the paper's formula, 63.7464 TFLOP a sample) with
# InfiniBand, RoCE, Ethernet. Predicted: the same on 8 nodes, 148, 145, 83; GPT 7.5B on 4 + 4 nodes.
set -eu
reckon=${1:-$(dirname "$0")/../build/reckon}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
model() {
    printf '{"name": "%s", "layers": %d, "hidden": %d, "feedforward": %d, "heads": 32, "sequence": 2048, "vocabulary": 50304}\n' \
        "$1" "$2" "$3" "$4" >"$work/$1.json"
}
model small 30 3072 12288
model large 36 4096 16384
words='pp2 mbs4 attention=flash precision=fp16 recompute=selective'

# step MODEL GPUS GBps RINGS WORDS...: seconds
step() {
    model=$1 gpus=$2 rate=$3 rings=$4
    shift 4
    [ "$rings" = all ] && node=8 || node=1
    # shellcheck disable=SC2086
    "$reckon" predict -m "$work/$model.json" -s "a100-sxm4-80g nvl$node x$gpus net1.bandwidth=${rate}GB/s" -g "$gpus" \
        $words "$@" | sed -n 's/.*by reckon: \([0-9.]*\) s a step.*/\1/p;s/.*by reckon: \([0-9.]*\) ms a step.*/\1e-3/p'
}
calculate() { awk "BEGIN { x = ($1); printf \"%.6g\", x }"; }

# fit SECONDS RINGS: GB/s of a GPU with which the 4-node row takes so long
fit() {
    low=0.05 high=400
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        middle=$(calculate "sqrt($low * $high)")
        if [ "$(calculate "$(step small 32 "$middle" "$2" dp16 gbs768 zero1) > $1")" = 1 ]; then low=$middle; else high=$middle; fi
    done
    echo "$high"
}

echo "nic rings fitted_GBps_of_a_GPU TFLOPS_8_nodes measured off"
while read -r nic four eight; do
    for rings in all one; do
        rate=$(fit "$(calculate "768 * 63.7464 / 32 / $four")" $rings)
        eval "${nic}_$rings=$rate"
        here=$(calculate "768 * 63.7464 / 64 / $(step small 64 "$rate" $rings dp32 gbs768 zero1)")
        echo "$nic $rings $rate $here $eight $(calculate "100 * ($here / $eight - 1)")%"
    done
done <<ROWS
infiniband 197 148
roce 160 145
ethernet 122 83
ROWS

# What any model could reach that has one rate for each NIC. With c seconds of computing a microbatch (two stages: 13 of them on
# 4 nodes, 7 on 8) the rest of a 4-node step is waiting, and on 8 nodes it is that times a share between 1/2 (messages: half as
# many microbatches) and 1.04 (gradients, in a longer ring), the same one for every NIC, as the bytes are the same. The least worst error of the
# three 8-node rows over all c above the peak's 0.31 s and all shares:
python3 - <<'BOUND'
four, eight = (197, 160, 122), (148, 145, 83)
step4, step8 = [768 * 63.7464 / 32 / r for r in four], [768 * 63.7464 / 64 / r for r in eight]
def errors(c, share):
    return [t8 / (7 * c + share * (t4 - 13 * c)) - 1 for t4, t8 in zip(step4, step8)]
cases = [(c / 1000, share / 1000) for c in range(306, 597) for share in range(500, 1041)]
c, share = min(cases, key=lambda at: max(map(abs, errors(*at))))
print("least_worst_error computing_s share", "%.1f%%" % (100 * max(map(abs, errors(c, share)))), c, share)
for name, t4, t8 in zip(("infiniband", "roce", "ethernet"), step4, step8):
    print(name, "step_4 %.2f step_8 %.2f share_at_0.465_s %.2f" % (t4, t8, (t8 - 7 * 0.465) / (t4 - 13 * 0.465)))
BOUND

# The slower cluster sets Holmes's pace; the others have sockets over Ethernet everywhere. DeepSpeed's ZeRO-1 all-reduces
# whole buckets of gradients (use_multi_rank_bucket_allreduce, its default).
# shellcheck disable=SC2154
holmes=$(step large 64 "$roce_all" all dp32 gbs1536 zero1)
echo "system step_s over_holmes measured off"
while read -r name published options; do
    # shellcheck disable=SC2154,SC2086
    there=$(step large 64 "$ethernet_one" one dp32 gbs1536 $options)
    over=$(calculate "$holmes / $there")
    echo "$name $there $over $published $(calculate "100 * ($over / $published - 1)")%"
done <<ROWS
Megatron-DeepSpeed 0.603 zero1 framework=deepspeed whole-grads
Megatron-LM 0.722 zero1
Megatron-LLaMA 0.881 zero1 grad-overlap weight-overlap
ROWS
echo "Holmes $holmes 1 1 $(calculate "1536 * 131.1747 / 64 / $holmes") TFLOPS, measured 184 to 194"

# Buckets of the overlapped optimizer are reduced when all their gradients are counted, and the count is reset by an
# epilogue that the 1F1B loop of Megatron-LLaMA before 7 October 2023 (commit e48bbb3 adds it), and Holmes's, never calls: with a
# pipeline no gradients are sent after the first microbatch of a run, weights are gathered once a step. Gradients and weights
# take as long each (16 bits, a ring), nothing of them is beside computing.
# silent NODE GBps: seconds of a step without gradients
silent() {
    # shellcheck disable=SC2086
    "$reckon" predict -m "$work/large.json" -s "a100-sxm4-80g nvl$1 x64 net1.bandwidth=${2}GB/s" -g 64 $words dp32 gbs1536 zero1 -f json |
        python3 -c "import json, sys; d = json.load(sys.stdin); print(d['rates']['step_s'] - d['figures']['data_link_s'] / 2)"
}
# shellcheck disable=SC2154
holmes=$(silent 8 "$roce_all")
echo "system_without_gradients step_s over_holmes measured off"
while read -r name published there; do
    over=$(calculate "$holmes / $there")
    echo "$name $there $over $published $(calculate "100 * ($over / $published - 1)")%"
done <<ROWS
Megatron-DeepSpeed 0.603 $(step large 64 "$ethernet_one" one dp32 gbs1536 zero1 framework=deepspeed whole-grads)
Megatron-LM 0.722 $(step large 64 "$ethernet_one" one dp32 gbs1536 zero1)
Megatron-LLaMA_silent 0.881 $(silent 1 "$ethernet_one")
ROWS
echo "Holmes_silent $holmes 1 1 $(calculate "1536 * 131.1747 / 64 / $holmes") TFLOPS, measured 184 to 194"

# The same machine and batch, every degree, split, order and recomputation free.
# shellcheck disable=SC2154
"$reckon" search -q -m "$work/large.json" -b 1536 attention=flash precision=fp16 zero1 no-grad-overlap no-weight-overlap \
    -s "a100-sxm4-80g x32 net1.bandwidth=${infiniband_all}GB/s name=ib + a100-sxm4-80g x32 net1.bandwidth=${roce_all}GB/s name=roce link=$(calculate "8 * $ethernet_all")GB/s" |
    sed -n '1,/^$/p;/^   1/p;/^Where the stages/,/^$/p'

# Layers dealt evenly, by Holmes's rule (197 and 160 TFLOPS: floor(36 * 197 / 357) = 19), and as the search does, else alike.
clusters="a100-sxm4-80g x32 net1.bandwidth=${infiniband_all}GB/s name=ib + a100-sxm4-80g x32 net1.bandwidth=${roce_all}GB/s name=roce link=$(calculate "8 * $ethernet_all")GB/s"
echo "layers_ib layers_roce overlap step_s"
for layers in 18 19 17; do
    for overlap in "no-grad-overlap no-weight-overlap" "grad-overlap weight-overlap"; do
        printf '{"batch": 1536, "round": 128, "stages": [{"layers": %d, "cluster": "ib", "words": "dp32 recompute=selective"}, {"layers": %d, "cluster": "roce", "words": "dp32 recompute=selective"}]}\n' \
            $layers $((36 - layers)) >"$work/plan.json"
        # shellcheck disable=SC2086
        echo "$layers $((36 - layers)) ${overlap%% *} $("$reckon" predict -m "$work/large.json" -s "$clusters" --plan "$work/plan.json" attention=flash precision=fp16 zero1 $overlap | sed -n 's/^step  *\([0-9.]*\) s$/\1/p')"
    done
done
