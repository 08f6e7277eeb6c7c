# What trackers export: a panel of W&B, its history, a run of TensorBoard as CSV and JSON. Steps of 4 s.
cp $SOURCE/fuzz/corpus/metric_table/* .
for file in wandb-panel wandb-history tensorboard tensorboard-json torchtitan; do
    reckon doctor $file -m llama3.1-8b -s h100-sxm5-80g --gpus 8 framework=fsdp zero3 recompute=full gbs32 | head -n 1
done
reckon doctor no-time -m llama3.1-8b -s h100-sxm5-80g --gpus 8 framework=fsdp zero3 recompute=full gbs32
=== stdout
good: 4.010 s per step, 0.79 times the predicted 5.074 s, among the fastest quarter of measured runs
good: 4 s per step, 0.79 times the predicted 5.074 s, among the fastest quarter of measured runs
good: 3.990 s per step, 0.79 times the predicted 5.074 s, among the fastest quarter of measured runs
good: 4 s per step, 0.79 times the predicted 5.074 s, among the fastest quarter of measured runs
good: 4.100 s per step, 0.81 times the predicted 5.074 s, among the fastest quarter of measured runs
=== stderr
reckon: no-time: this table of metrics tells no time of a step: export a column of step times (iteration-time, train_step_timing, time_metrics/end_to_end(s)), or wall time or _runtime with the step
=== exit 3
