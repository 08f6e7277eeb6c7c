#!/bin/sh
# sailor.sh [RECKON]: the six runs of [strati2025sailor]'s artifact on several kinds of GPU, each stage and each
# replica predicted on its own kind; docs/clusters.md has the table.
#
# From the artifact: where each replica is (validation/mit/plan_config_*.json), what a layer takes on one node of each
# kind (profiles of OPT-350M, microbatches of 2, by tensor degree), and the rates between nodes (network_coeffs: 2.857
# GB/s of 2080 and Titan nodes, 0.1157 GB/s of 3090 nodes). Fitted to the profiles, one constant each: the rate of
# float32 products to the node with one GPU, that of a node's links to each tensor degree. The rows are predictions.
set -eu
reckon=${1:-$(dirname "$0")/../build/reckon}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
printf '{"name": "opt-350m", "layers": 24, "hidden": 1024, "feedforward": 4096, "heads": 16, "sequence": 2048, "vocabulary": 50272, "no_dropout": true, "tied_embeddings": false}\n' >"$work/opt.json"
words='framework=deepspeed precision=fp32 recompute=none attention=unfused fused zero0 no-sp'
run='no-grad-overlap no-weight-overlap pipeline-blocking messages-sharded' # DeepSpeed's pipeline engine

calculate() { awk "BEGIN { x = ($1); printf \"%.6g\", x }"; }
# passes KIND TENSOR FLOPS RATE: seconds of a microbatch of 2 samples on one node
passes() {
    # shellcheck disable=SC2086
    "$reckon" predict -m "$work/opt.json" -s "$1 hbm=200GiB matrix.float32=${3}TFLOP/s net0.bandwidth=${4}GB/s" -g "$2" "tp$2" mbs2 gbs2 $words -f json |
        python3 -c "import json, sys; s = json.load(sys.stdin)['stages'][0]; print(s['forward_s'] + s['backward_s'])"
}
# fit EXPRESSION_OF_MIDDLE SECONDS LOW HIGH: where the time, which falls, is that
fit() {
    low=$3 high=$4
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
        middle=$(calculate "sqrt($low * $high)")
        if [ "$(calculate "$(eval "$1") > $2")" = 1 ]; then low=$middle; else high=$middle; fi
    done
    echo "$high"
}
# Sums of the profiles' layers, ms: one GPU, then two and eight.
echo "kind float32_TFLOPps links_GBps_of_two of_eight"
while read -r kind one two eight; do
    flops=$(fit "passes $kind 1 \$middle 10" "$one / 1000" 3 200)
    rate2=$(fit "passes $kind 2 $flops \$middle" "$two / 1000" 0.2 400)
    rate8=$(fit "passes $kind 8 $flops \$middle" "$eight / 1000" 0.2 400)
    echo "$kind $flops $rate2 $rate8"
    name=$(echo "$kind" | tr -d '-')
    eval "$name='$kind matrix.float32=${flops}TFLOP/s net1.bandwidth=BETWEENGB/s' ${name}_2=$rate2 ${name}_8=$rate8"
done <<PROFILES
rtx2080 1525.3 1198.7 910.1
rtx3090 824.2 473.2 1896.0
titan-rtx 1434.6 1159.6 776.4
PROFILES

# system KIND NODE GPUS
system() {
    name=$(echo "$1" | tr -d '-')
    eval "line=\$$name rate=\$${name}_$2"
    between=2.857
    [ "$1" = rtx3090 ] && between=0.1157
    echo "$line x$3 net0.size=$2 net0.bandwidth=${rate}GB/s name=$name" | sed "s/BETWEEN/$between/"
}
# row NAME NODE MEASURED BATCH ROUND STAGES: stages as JSON, with @ for the words of a part
row() {
    stages=$(echo "$6" | sed "s/@/\"words\": \"tp$2\", \"cluster\"/g")
    printf '{"batch": %d, "round": %d, "plan": "%s", "stages": [%s]}\n' "$4" "$5" "$words $run" "$stages" >"$work/plan.json"
    step=$("$reckon" predict -m "$work/opt.json" -s "$(system rtx3090 "$2" $((3 * $2))) + $(system titan-rtx "$2" $((3 * $2))) + $(system rtx2080 "$2" $((4 * $2))) \
link=0.1157GB/s@100us link:titanrtx-rtx2080=2.857GB/s@100us" --plan "$work/plan.json" -f json |
        python3 -c "import json, sys; print(json.load(sys.stdin)['plan']['step_s'])")
    echo "$1 $step $3 $(calculate "100 * ($step / $3 - 1)")%"
}
echo "row predicted_s measured_s off"
a='{"layers": 11, @: "rtx3090"}'
row N2_D1 2 119.84 256 2 "$a, {\"layers\": 13, @: \"titanrtx\"}"
row N2_D2 2 91.78 256 4 '{"layers": 24, "shares": "equal", "parts": [{@: "titanrtx"}, {@: "rtx3090"}]}'
row N3_D1 8 59.455 144 2 '{"layers": 7, @: "rtx3090"}, {"layers": 9, @: "rtx2080"}, {"layers": 8, @: "titanrtx"}'
parts='"shares": "equal", "parts": [{@: "rtx2080"}, {@: "titanrtx"}]}'
row N6_D2 8 59.455 288 4 "{\"layers\": 7, \"shares\": \"equal\", \"parts\": [{@: \"rtx3090\"}, {@: \"rtx2080\"}]}, {\"layers\": 9, $parts, {\"layers\": 8, $parts"
row N6_D3 8 54.239 288 6 '{"layers": 11, "shares": "equal", "parts": [{@: "rtx3090"}, {@: "rtx2080"}, {@: "rtx2080"}]}, {"layers": 13, "shares": "equal", "parts": [{@: "titanrtx"}, {@: "rtx2080"}, {@: "titanrtx"}]}'
row N6_D6 8 70.785 288 12 '{"layers": 24, "shares": "equal", "parts": [{@: "rtx3090"}, {"words": "tp8 dp3", "cluster": "rtx2080"}, {"words": "tp8 dp2", "cluster": "titanrtx"}]}'
