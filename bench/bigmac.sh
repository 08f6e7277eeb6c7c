#!/bin/sh
# The usual fine-grained mixture and BigMac's [jin2025], whose tokens are narrowed before they travel, each with a rank in
# either of two clusters (clusters.sh): predicted and measured, a training step and a forward pass alone (docs/train.md).
# Usage: bench/bigmac.sh [RATE in Mbit/s], as root; exits 77 where something is missing.
set -eu
cd "$(dirname "$0")/.."
. bench/clusters.sh
rate=${1:-10} steps=3
clusters_open "${rate}mbit"

# Ratio 0.25 as in the paper's Table 4; all else is scaled down. Both structures multiply as much in their experts.
model() # FILE, more
{
    cat >"$work/$1.json" <<END
{"name": "$1", "layers": 4, "hidden": 256, "feedforward": 1024, "heads": 4, "sequence": 128, "vocabulary": 257,
 "tied_embeddings": true, "no_dropout": true${2:-}}
END
}
model dense
model usual ', "experts": 16, "active_experts": 4, "expert_feedforward": 64'
model narrowed ', "experts": 16, "active_experts": 4, "expert_feedforward": 256, "expert_hidden": 64'

# This machine, and the link: what its rate is for ranks that send to each other at once is measured by the gradients of
# a dense model, for acknowledgements wait behind the other direction's data.
link() # FILE, rate in Mbit/s of data
{
    python3 - "$work" "$1" "$2" <<'END'
import json, sys
work, name, rate = sys.argv[1], sys.argv[2], float(sys.argv[3])
system = json.load(open(work + "/here.json"))
net = system["network"][0]
net["bandwidth_GBps"] = rate / 8e3
net["latency_us"] = net["link"]["hop_us"] = 100
for of_threads in "rates", "exchange_rates", "copied":
    net["link"].pop(of_threads, None)
json.dump(system, open(f"{work}/{name}.json", "w"))
END
}
train() # model, system, more: the table of predicted and measured, to MODEL.table
{
    clusters_run 1 "train -q -n $steps --repeat -m $work/$1.json -d data/corpus/declaration/en.txt -s $work/$2.json \
        --format json $3" >"$work/$1.table"
}
build/reckon measure --seconds 10 -o "$work/here.json"
link nominal "$rate"
train dense nominal 'dp2 mbs2 gbs4'
rate=$(python3 - "$work" "$rate" <<'END'
import json, sys
parts = json.JSONDecoder().raw_decode(open(sys.argv[1] + "/dense.table").read())[0]["parts"]
data = [part for part in parts if part["part"] == "data"][0]
print(float(sys.argv[2]) * data["predicted_s"] / data["passed_s"])
END
)
echo "the link of ${1:-10} Mbit/s carries $(printf %.2f "$rate") of data each way when both send"
link link "$rate"

plan='dp2 ep2 mbs2 gbs4 precision=fp32'
now() { date +%s.%N; }
evaluate() # model, tokens: seconds of scoring so many
{
    head -c "$2" data/corpus/declaration/en.txt >"$work/text"
    begin=$(now)
    clusters_run 1 "eval -m $work/$1.json --load $work/$1 --plan '$plan' $work/text" >/dev/null
    echo "$(now) - $begin" | bc -l
}

# What ranks send, counted by threads, beside the paper's formula: four exchanges a layer of each token's copies, half of
# which leave their rank (nearly, as the router says; tests/unit/test_run_experts.c has equality).
for model in usual narrowed; do
    train $model link "--save $work/$model $plan"
    build/reckon train -q -n 2 --repeat -m "$work/$model.json" -d data/corpus/declaration/en.txt -s "$work/link.json" \
        --format json $plan >"$work/$model.threads"
    few=$(evaluate $model 512) many=$(evaluate $model 2560)
    build/reckon train -n 3 --repeat -m "$work/$model.json" -d data/corpus/declaration/en.txt -s "$work/link.json" $plan 2>/dev/null |
        sed -n 's/.*busiest rank had \([0-9.]*\) times.*/\1/p' >"$work/$model.imbalance"
    for imbalance in 1 "$(cat "$work/$model.imbalance")"; do
        build/reckon predict -m "$work/$model.json" -s "$work/link.json" --format json $plan imbalance="$imbalance" >"$work/$model.$imbalance"
    done
    echo "($many - $few) / 4" | bc -l >"$work/$model.forward"
done
# Predicted with as many tokens for each rank, and as the router had them in the last step: a direction of the link waits for the
# busier one, which is more exchanging.
python3 - "$work" <<'END'
import json, sys
work = sys.argv[1]
read = lambda name: open(work + "/" + name).read()
first = lambda text: json.JSONDecoder().raw_decode(text)[0]
tokens = 4 * 128
print("%-10s %-18s %9s %9s %8s %9s %8s" % ("structure", "what", "predicted", "measured", "off", "as routed", "off"))
for model, width in ("usual", 256), ("narrowed", 64):
    def row(what, predicted, measured, routed=None):
        off = lambda value: "%.3f %7.1f%%" % (value, 100 * (value / measured - 1))
        print("%-10s %-18s %9.3f %9.3f %7.1f%% %18s" % (model, what, predicted, measured, 100 * (predicted / measured - 1),
                                                       off(routed) if routed else ""))
    parts = {part["part"]: part for part in first(read(model + ".table"))["parts"]}
    imbalance = read(model + ".imbalance").strip()
    even, routed = [json.loads(read(model + "." + times)) for times in ("1", imbalance)]
    more = routed["figures"]["expert_s"] - even["figures"]["expert_s"]
    for part, name, as_routed in ("comm", "exchanges, s", more), ("data", "gradients, s", None), ("step", "step, s", more):
        predicted = parts[part]["predicted_s"]
        row(name, predicted, parts[part]["passed_s"], None if as_routed is None else predicted + as_routed)
    row("forward alone, s", even["stages"][0]["forward_s"], float(read(model + ".forward")), routed["stages"][0]["forward_s"])
    sent = first(read(model + ".threads"))["sent"][0]
    row("sent in layers, MB", 4 * 4 * tokens * 4 * width * 4 / 2 / 1e6, sent["counted_bytes"] / 1e6)
    print("%-10s the busiest rank has %s times the mean of the tokens" % (model, imbalance))
END
