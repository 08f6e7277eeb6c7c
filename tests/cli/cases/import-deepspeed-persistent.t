# DeepSpeed keeps small tensors whole with stage 3: norms and adapters go unsaid, matrices of the model are refused.
for t in 1e5 1e6 '"auto"' 100000000; do
    echo "--- $t"
    printf '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": %s}}' "$t" >d.json
    reckon import deepspeed d.json -m llama3.1-8b --gpus 8 | grep plan:
done 2>&1
reckon import deepspeed d.json -m llama3.1-8b --gpus 8 --ignore zero_optimization.stage3_param_persistence_threshold | grep plan:
=== stdout
--- 1e5
  plan: framework=deepspeed precision=fp32 dp8 gbs8 zero3 grad-overlap weight-overlap
--- 1e6
  plan: framework=deepspeed precision=fp32 dp8 gbs8 zero3 grad-overlap weight-overlap
--- "auto"
  plan: framework=deepspeed precision=fp32 dp8 gbs8 zero3 grad-overlap weight-overlap
--- 100000000
reckon: d.json:1:111: zero_optimization.stage3_param_persistence_threshold 100000000: all tensors of so many elements and fewer stay whole on each rank, which plans do not cover: give --ignore zero_optimization.stage3_param_persistence_threshold
  plan: framework=deepspeed precision=fp32 dp8 gbs8 zero3 grad-overlap weight-overlap
