# Figures change with the predictor; which events there are does not.
plan="tp4 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap"
awk 'BEGIN { for (i = 0; i < 60; i++) printf "{\"step\": %d, \"step_s\": %g, \"gpus\": %d}\n", i, i < 20 ? 29 : 58, i < 40 ? 64 : 32 }' >steps.jsonl
reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan -r steps.jsonl | sed 's/, "machine.*//'
head -1 steps.jsonl | reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan
# -o: the same, line by line, in a file
reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan -r steps.jsonl >printed.jsonl 2>remarks
reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan -r steps.jsonl -o events.jsonl 2>remarks && cmp printed.jsonl events.jsonl && wc -l <events.jsonl
# what runs as predicted changes no belief: bubbles and offload are no slower processors; the step of a belief is the measured one
for words in 'gpus64 tp8 pp8 gbs32 sp zero1' 'gpus64 tp8 pp2 gbs32 sp zero1 offload-optimizer offload-activations'; do
    step=$(reckon predict -m llama3.1-70b -s h100-sxm5-80g $words --format json | sed -n 's/^ *"step_s": \([0-9.]*\),$/\1/p' | head -1)
    for run in 1 1.5; do
        awk -v s="$step" -v r=$run 'BEGIN { for (i = 1; i <= 20; i++) printf "{\"step\": %d, \"step_s\": %.9g}\n", i, i < 10 ? s : s * r }' |
            reckon adapt -m llama3.1-70b -s h100-sxm5-80g $words --restart 1e9 2>&1 |
            sed -n "s/.*belief.*\"step_s\": \([0-9.]*\).*/\1/p" | awk -v s="$step" '{ printf "believed %.3f of the predicted\n", $1 / s }'
    done
done
=== stdout
{"step": 21, "event": "belief"
{"step": 40, "event": "forced"
{"step": 42, "event": "belief"
{"step": 44, "event": "switch"
{"step": 59, "event": "belief"
5
believed 1.500 of the predicted
believed 1.500 of the predicted
=== stderr
60 records, 1 switches, 1 forced
1 records, 0 switches, 0 forced
