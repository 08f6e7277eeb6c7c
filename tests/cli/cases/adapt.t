# Figures change with the predictor; which events there are does not.
plan="tp4 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap"
awk 'BEGIN { for (i = 0; i < 60; i++) printf "{\"step\": %d, \"step_s\": %g, \"gpus\": %d}\n", i, i < 20 ? 29 : 58, i < 40 ? 64 : 32 }' >steps.jsonl
reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan -r steps.jsonl | sed 's/, "machine.*//'
head -1 steps.jsonl | reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan
# -o: the same, line by line, in a file
reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan -r steps.jsonl >printed.jsonl 2>remarks
reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan -r steps.jsonl -o events.jsonl 2>remarks && cmp printed.jsonl events.jsonl && wc -l <events.jsonl
=== stdout
{"step": 21, "event": "belief"
{"step": 40, "event": "forced"
{"step": 42, "event": "belief"
{"step": 44, "event": "switch"
{"step": 46, "event": "belief"
5
=== stderr
60 records, 1 switches, 1 forced
1 records, 0 switches, 0 forced
