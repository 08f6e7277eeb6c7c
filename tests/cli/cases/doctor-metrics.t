# What trackers export: a panel of W&B, its history, a run of TensorBoard as CSV and JSON. Steps of 4 s.
cp $SOURCE/fuzz/corpus/metric_table/* .
for file in wandb-panel wandb-history tensorboard tensorboard-json torchtitan; do
    reckon doctor $file -m llama3.1-8b -s h100-sxm5-80g --gpus 8 framework=fsdp zero3 recompute=full gbs32 | head -n 1
done
reckon doctor no-time -m llama3.1-8b -s h100-sxm5-80g --gpus 8 framework=fsdp zero3 recompute=full gbs32
=== stdout
measured: 4.010 s per step (3 steps of a tracker's metrics after the warm-up, 80 % of them 3.990 s to 4.020 s)
measured: 4 s per step (2 steps of a tracker's metrics after the warm-up, 80 % of them 4 s to 4 s)
measured: 3.990 s per step (2 steps of a tracker's metrics after the warm-up, 80 % of them 3.990 s to 3.990 s)
measured: 4 s per step (2 steps of a tracker's metrics after the warm-up, 80 % of them 4 s to 4 s)
measured: 4.100 s per step (2 steps of a tracker's metrics after the warm-up, 80 % of them 4 s to 4.100 s)
=== stderr
reckon: no-time: this table of metrics tells no time of a step: export a column of step times (iteration-time, train_step_timing, time_metrics/end_to_end(s)), or wall time or _runtime with the step
=== exit 3
