# Figures change with the predictor; which events there are does not.
plan="tp4 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap"
watch() { reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan -r "$@" | sed 's/, "machine.*//'; }
awk 'BEGIN { print "loading checkpoint"; for (i = 1; i <= 60; i++) {
    printf " [2024-05-01 10:00:00] iteration %8d/ 1000 | consumed samples: 1 | elapsed time per iteration (ms): %.1f | learning rate: 1e-05 | global batch size:   256 |\n", i, i < 20 ? 29000 : 58000
    if (i % 10 == 0) print "validation loss at iteration " i } }' >megatron.log
watch megatron.log
awk 'BEGIN { for (i = 1; i <= 60; i++) printf "step: %d  loss: 7.9  memory: 60.1GiB(75.0%%)  tps: %d  mfu: 33.20%%\n", i, i < 20 ? 1130 : 565 }' >titan.log
watch titan.log
# what reckon train --log writes
awk 'BEGIN { for (i = 1; i <= 60; i++) printf "{\"step\": %d, \"loss\": 7.1, \"norm\": 1, \"rate\": 0.001, \"seconds\": %g, \"tokens_per_s\": 1e5, \"peak_bytes\": 6e10}\n", i, i < 20 ? 29 : 58 }' >train.jsonl
watch train.jsonl
echo nothing >nothing.log
reckon adapt -m llama3.1-70b -s h100-sxm5-80g -g 64 $plan -r nothing.log
echo $?
=== stdout
{"step": 21, "event": "belief"
{"step": 5, "event": "belief"
{"step": 21, "event": "belief"
{"step": 4, "event": "belief"
{"step": 21, "event": "belief"
3
=== stderr
60 records, 0 switches, 0 forced
60 records, 0 switches, 0 forced
60 records, 0 switches, 0 forced
reckon: nothing.log: neither records ({"step": 1, "step_s": 2.5}) nor a log of Megatron-LM, NeMo, torchtitan, DeepSpeed or nanotron: no line tells the time of a step
